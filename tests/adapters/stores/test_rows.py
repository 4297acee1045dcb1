"""How rows are written down: instants to the microsecond, and JSON that an older or newer release can read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from dunr.adapters.stores.rows import (
    case_from_json,
    effect_from_json,
    from_microseconds,
    kind_of,
    method_from_json,
    to_json,
    to_microseconds,
)
from dunr.core.model import Case, Method
from dunr.core.terms import CaseState
from dunr.testing.filled import ODD_INSTANT, filled
from dunr.testing.store_rows import nudge


@pytest.mark.parametrize(
    "at",
    [
        ODD_INSTANT,
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
)
def test_an_instant_survives_to_the_microsecond(at: datetime) -> None:
    assert from_microseconds(to_microseconds(at)) == at
    assert from_microseconds(to_microseconds(at)).tzinfo is UTC


def test_an_instant_is_the_same_in_every_zone() -> None:
    elsewhere = ODD_INSTANT.astimezone(timezone(timedelta(hours=9)))
    assert to_microseconds(elsewhere) == to_microseconds(ODD_INSTANT)


def test_words_are_written_as_words() -> None:
    case = filled(Case)
    assert f'"state":"{list(CaseState)[-1].value}"' in to_json(case)
    assert case_from_json(to_json(case)).state is case.state


def test_a_field_of_a_newer_release_is_skipped_and_one_of_an_older_takes_its_default() -> None:
    assert method_from_json('{"id":"m","version":3,"from_the_future":[1]}') == Method(id="m", version=3)


def test_an_effect_carries_its_kind() -> None:
    effect = nudge("n_1")
    assert kind_of(effect) == "Nudge"
    assert effect_from_json("Nudge", to_json(effect)) == effect
