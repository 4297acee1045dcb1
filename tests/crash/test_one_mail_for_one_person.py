"""Two workers find what several invoices of one person have to say at the same moment: it is one mail, with each invoice in it, whichever of them writes it."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cases.rehearsal import until
from tests.crash.mailing import MORNING, Watched, are_done, by_mail, notices_of, owes, start_workers
from tests.crash.stores import store_of

PEOPLE = 12
INVOICES = 3
NIGHT = MORNING - timedelta(hours=6)
WORKERS = ("worker_1", "worker_2")
TOLD_SECONDS = 120.0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.endurance)])
def test_two_workers_write_one_mail_to_each_person(tmp_path: Path, kind: str) -> None:
    """All of it is recorded at night, by one worker; in the morning there are two, and everything is due at once."""
    store, post = store_of(kind, tmp_path), Watched()
    invoices = [f"in_{person}_{number}" for person in range(PEOPLE) for number in range(INVOICES)]
    try:
        with by_mail(tmp_path, post, NIGHT, **store.environment) as world:
            start_workers(world, "worker")
            for invoice in invoices:
                owes(world, invoice, f"payer{invoice.split('_')[1]}", decline="insufficient_funds")
            until(lambda: all(waits_for_morning(notices_of(world, invoice)) for invoice in invoices), TOLD_SECONDS)
        assert post.arrived == []
        with by_mail(tmp_path, post, MORNING, **store.environment) as world:
            start_workers(world, *WORKERS)
            until(lambda: are_done(world, *invoices), TOLD_SECONDS)
            notes = Counter(notices_of(world, invoice)[0]["note"].partition(",")[0] for invoice in invoices)
            by_whom = Counter(name for name in WORKERS for _ in range(world.log(name).count('"effect_done"')))
    finally:
        store.close()
    print(f"mails={len(post.arrived)} notices done by {dict(by_whom)}")
    assert Counter(str(mail["To"]) for mail in post.arrived) == {f"payer{n}@example.com": 1 for n in range(PEOPLE)}
    assert notes == {"sent": len(invoices)}
    for mail in post.arrived:
        person = str(mail["To"]).removeprefix("payer").partition("@")[0]
        body = mail.get_body(("plain",))
        assert body is not None
        told = body.get_content()
        assert all(f"in_{person}_{number}" in told for number in range(INVOICES))


def waits_for_morning(notices: list[dict[str, object]]) -> bool:
    return [one["done_at"] for one in notices] == [None]
