"""Each story gets a dunr and a Stripe of its own, on the manual clock from Tuesday 23 June 2026, 10:00 UTC; those of a file may share one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Most of them play days and weeks, each file with servers of its own: together they are a matter of endurance."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.endurance)


@pytest.fixture
def stripe(tmp_path: Path) -> Iterator[StripeRehearsal]:
    with rehearse_at_stripe(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StripeRehearsal]:
    """One running Stripe for the stories of a file that use different invoices, customers and cards."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("shared")) as running:
        yield running
