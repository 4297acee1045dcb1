"""The settings of Stripe: a key of the right mode, an account that is named, and no secret shown."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from dunr.settings import load_settings


@pytest.mark.parametrize(
    ("more", "rehearses"),
    [
        ({}, True),
        ({"DUNR_PROCESSOR": "stripe", "DUNR_STRIPE_URL": "http://127.0.0.1:8090/"}, True),
        ({"DUNR_PROCESSOR": "stripe"}, False),
    ],
)
def test_only_the_sandbox_under_either_face_is_a_rehearsal(
    tmp_path: Path, more: Mapping[str, str], rehearses: bool
) -> None:
    at_stripe = {
        "DUNR_STRIPE_API_KEY": "rk_test_1",
        "DUNR_ACCOUNT": "acct_1",
        "DUNR_WEBHOOK_SECRETS": "whsec_our_own",
    }
    assert load_settings({**at_stripe, **more}, tmp_path).is_rehearsal is rehearses


def test_stripe_settings_can_come_from_the_environment_and_keep_their_secret(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "DUNR_PROCESSOR": "stripe",
            "DUNR_STRIPE_API_KEY": "rk_test_hush",
            "DUNR_ACCOUNT": "acct_1",
            "DUNR_WEBHOOK_SECRETS": "whsec_a, whsec_b",
            "DUNR_STRIPE_CONNECTED_ACCOUNTS": "acct_2, acct_3",
            "DUNR_STRIPE_RATE_MAX": "40",
        },
        tmp_path,
    )
    assert settings.stripe_url == "https://api.stripe.com"
    assert (settings.stripe_connected_accounts, settings.stripe_rate_max) == (("acct_2", "acct_3"), 40)
    assert "hush" not in repr(settings)
