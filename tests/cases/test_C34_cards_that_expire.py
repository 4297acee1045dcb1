"""C34's neighbour: before a card expires its holder hears of it once, where the policy wants that; never while they are asked to pay by that card."""

import re
from collections.abc import Iterator

import pytest

from tests.cases.rehearsal import Json, Rehearsal, described, payer, rehearse

NAMES = ("ada", "ben", "cleo", "dora", "eve")


def subscribed(world: Rehearsal, name: str, expires: str) -> None:
    """A customer whose payments go through."""
    card = described({"id": f"card_{name}", "expires": expires})
    bill: Json = {"invoice": f"in_{name}", "subscription": f"sub_{name}", "customer": payer(name), "card": card}
    world.tell("/sandbox/invoices", bill | {"status": "paid"})


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """All cards are good until July but cleo's. ben changes his in time, before the mail leaves; dora is being dunned; eve has left."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "early.toml").write_text("card_expiring_notice_days = 30\n")
    with rehearse(folder, DUNR_POLICY=str(folder / "early.toml")) as world:
        for name in NAMES:
            subscribed(world, name, "2027-01" if name == "cleo" else "2026-07")
        world.tell("/sandbox/subscriptions/sub_eve/cancel")
        world.advance("2026-07-01T00:00:00Z")
        world.fail("in_dora_2", subscription="sub_dora", card="card_dora", customer=payer("dora"))
        world.tell("/sandbox/customers/cus_ben/card", described({"id": "card_ben_new", "expires": "2030-01"}))
        world.advance("2026-08-05T00:00:00Z")
        yield world


def test_the_holder_is_written_to_once_with_the_month_and_the_last_digits(played: Rehearsal) -> None:
    assert played.mails_to("ada@example.com") == ["card_expiring"]
    (mail,) = played.mails("card_expiring")
    assert mail["at"][:10] == "2026-07-02"
    assert "4242" in mail["text"]
    assert "July 2026" in mail["text"]
    assert "declined" not in mail["text"]


@pytest.mark.parametrize("name", ["ben", "cleo", "eve"])
def test_nobody_else_is_written_to(played: Rehearsal, name: str) -> None:
    assert played.mails_to(f"{name}@example.com") == []


def test_who_is_asked_to_pay_by_that_card_hears_of_nothing_else(played: Rehearsal) -> None:
    assert "card_expiring" not in played.mails_to("dora@example.com")
    assert played.mails_to("dora@example.com")[0] == "first"


def test_the_link_leads_to_a_page_for_a_new_card_and_to_nothing_that_could_be_paid(played: Rehearsal) -> None:
    (mail,) = played.mails("card_expiring")
    (link,) = set(re.findall(r"https?://[^\s\"<>]+/pay/[^\s\"<>]+", mail["text"]))
    path = link.partition(f":{played.port}")[2]
    shown = played.http.get(path)
    assert shown.status_code == 200
    assert "expires soon" in shown.text
    assert played.http.post(f"{path}/pay-now").status_code == 404
    led_on = played.http.post(f"{path}/update")
    assert led_on.status_code == 303
    saved = played.http.post(led_on.headers["location"], data={"card": "visa_good", "action": "save"})
    assert saved.status_code == 200


def test_without_the_policy_s_word_nobody_is_written_to(world: Rehearsal) -> None:
    subscribed(world, "ada", "2026-06")
    world.advance("2026-07-10T00:00:00Z")
    assert world.mails() == []
