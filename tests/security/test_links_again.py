"""Links used again: after the debt is paid, in a later round, by many at once, by whoever guesses, and for what they were not made for."""

from pathlib import Path

from dunr.testing.together import together
from tests.entry.web.desk import application_for, desk, event, signed
from tests.entry.web.served import served
from tests.entry.web.test_links import made_link, mailed_link


def test_a_link_that_is_pressed_by_twenty_at_once_charges_once(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.script("succeed")
        link = mailed_link(dunr)
        answers = together([lambda: dunr.http.post(f"{link}/pay-now").status_code for _ in range(20)])
        assert set(answers) <= {200, 409, 429}
        assert dunr.captures() == 1


def test_a_link_whose_debt_is_paid_moves_no_money_any_more(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        dunr.script("succeed")
        link = mailed_link(dunr)
        for _ in range(5):
            dunr.http.post(f"{link}/pay-now")
            dunr.http.post(f"{link}/update")
            dunr.http.post(f"{link}/promise", data={"on": "2026-06-25"})
        assert dunr.captures() == 1
        assert dunr.case()["state"] == "recovered"


def test_a_link_of_another_round_shows_and_does_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail()
        other = made_link(dunr, round_number=2)
        before = dunr.case()
        assert dunr.get(other).status_code == 410
        for action in ("update", "pay-now", "promise"):
            assert dunr.http.post(f"{other}/{action}").status_code == 410
        assert "4900" not in dunr.get(other).text
        assert "49.00" not in dunr.get(other).text
        assert dunr.case() == before


def test_an_invoice_number_alone_opens_nothing(tmp_path: Path) -> None:
    """Who knows only the number of an invoice gets the same answer as who makes one up, and the mail goes to the address on file."""
    with served(tmp_path) as dunr:
        dunr.fail()
        known, unknown = (dunr.http.post("/pay/-/renew", data={"invoice": name}) for name in ("in_1", "in_nobody"))
        assert (known.status_code, known.text) == (unknown.status_code, unknown.text)
        assert "/pay/" not in known.text.replace("/pay/-", "")
        assert {mail["to"] for mail in dunr.get("/outbox").json()} == {"ada@example.com"}


def test_a_webhook_that_is_played_again_changes_nothing(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        body = event("evt_1")
        headers = signed(body)
        for _ in range(3):
            assert client.post("/webhooks/sandbox", content=body, headers=headers).status_code == 200
        late = signed(body, seconds=-301)
        assert client.post("/webhooks/sandbox", content=body, headers=late).status_code == 400


def test_a_thousand_guesses_at_a_token_open_nothing_and_a_guesser_at_links_is_slowed(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    with desk(application) as client:
        guesses = {
            client.get("/v1/cases", headers={"authorization": f"Bearer dunr_{number:043d}"}).status_code
            for number in range(1000)
        }
        assert guesses == {401}
        tried = [client.get(f"/pay/guess{number}").status_code for number in range(200)]
    assert tried[0] == 404
    assert tried[-1] == 429
