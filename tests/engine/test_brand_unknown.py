"""A policy whose brand has gone from the settings: its mails leave under the merchant's own name, and a person hears of it once."""

from pathlib import Path

from tests.entry.web.served import served


def test_mails_leave_and_there_is_one_alert(tmp_path: Path) -> None:
    policy = tmp_path / "mine.toml"
    policy.write_text('name = "mine"\nbrand = "premium"\n')
    with served(tmp_path, policy=str(policy), merchant_name="Nordwind") as dunr:
        for number in (1, 2):
            customer = {"id": f"cus_{number}", "email": f"ada{number}@example.com"}
            dunr.fail(f"in_{number}", subscription=f"sub_{number}", customer=customer, card={"id": f"pm_{number}"})
        assert ["Nordwind" in mail["subject"] for mail in dunr.get("/outbox").json()] == [True, True]
        [alert] = [one for one in dunr.get("/v1/alerts").json()["alerts"] if one["kind"] == "brand_unknown"]
        assert "[brands.premium]" in alert["text"]
