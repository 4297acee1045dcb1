"""What may not be set together where Stripe is the processor: its keys say which mode they are of, and a mix-up would charge for real."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from dunr.settings.values import Settings

STRIPE_URL = "https://api.stripe.com"
EXAMPLE_KEYS = {True: "rk_live_…", False: "rk_test_…"}
LIVE_PREFIXES = ("sk_live_", "rk_live_")
TEST_PREFIXES = ("sk_test_", "rk_test_")
PUBLISHABLE_PREFIX = "pk_"
ACCOUNT_PREFIX = "acct_"


def stripe_contradictions(settings: "Settings", placeholder_account: str) -> Iterator[str]:
    """Everything that is wrong, each with what to write instead."""
    if settings.processor != "stripe":
        return
    yield from _key(settings)
    at_stripe = settings.stripe_url == STRIPE_URL
    if not settings.account.startswith(ACCOUNT_PREFIX) or (at_stripe and settings.account == placeholder_account):
        yield f'account = "{settings.account}" is no account of Stripe\'s: write account = "acct_…", as its settings page shows it'
    if settings.live and urlsplit(settings.stripe_url).scheme != "https":
        yield f'live = true with stripe_url = "{settings.stripe_url}", which anybody can overhear: write stripe_url = "{STRIPE_URL}"'
    for account in settings.stripe_connected_accounts:
        if account != "*" and not account.startswith(ACCOUNT_PREFIX):
            yield (
                f'stripe_connected_accounts holds "{account}", which is no account of Stripe\'s: '
                'write stripe_connected_accounts = ["acct_…"], or ["*"] for every one that is connected'
            )


def _key(settings: "Settings") -> Iterator[str]:
    """A key that is there, is secret and is of the mode that was chosen."""
    key, example = settings.stripe_api_key or "", EXAMPLE_KEYS[settings.live]
    if not key:
        yield f'processor = "stripe" needs a key: write stripe_api_key = "{example}", a restricted key of that account'
    elif key.startswith(PUBLISHABLE_PREFIX):
        yield f'stripe_api_key is a publishable key, which may do nothing: write stripe_api_key = "{example}"'
    elif key.startswith(LIVE_PREFIXES) and not settings.live:
        yield "stripe_api_key is a live key, and live is not set: write live = true to move real money, or a test key"
    elif key.startswith(TEST_PREFIXES) and settings.live:
        yield f'live = true with a test key, which moves no money: write stripe_api_key = "{example}", or live = false'
