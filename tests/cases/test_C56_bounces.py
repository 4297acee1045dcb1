"""C56: bounces and complaints: what is proved stops mail to that address, and nothing moves the charging schedule."""

from pathlib import Path

import pytest

from dunr.adapters.mailers.sns import SnsDoor
from dunr.entry.web import mail_feedback
from dunr.mailroom import return_paths
from tests.adapters.mailers.topics import TOPIC, Amazon, bounce, complaint, post
from tests.entry.web.served import Served, served

CASE = "sandbox:acct_sandbox:in_{}"


@pytest.fixture
def amazon(monkeypatch: pytest.MonkeyPatch) -> Amazon:
    """SNS, for the certificate alone; everything else is as it runs."""
    there = Amazon()
    monkeypatch.setattr(
        mail_feedback, "sns_door", lambda settings, now: SnsDoor(settings.sns_topics, there.client(), now)
    )
    return there


def fail(dunr: Served, name: str) -> None:
    customer = {"id": f"cus_{name}", "email": f"{name}@example.com", "timezone": "UTC"}
    dunr.fail(f"in_{name}", subscription=f"sub_{name}", customer=customer, card={"id": f"pm_{name}"})


def told(dunr: Served, body: bytes) -> int:
    return dunr.http.post("/webhooks/ses", content=body, headers={"content-type": "text/plain"}).status_code


def token(dunr: Served, name: str) -> str:
    return return_paths(dunr.application.settings).token(CASE.format(name), f"{name}@example.com")


def mails(dunr: Served, name: str) -> int:
    return sum(mail["to"] == f"{name}@example.com" for mail in dunr.get("/outbox").json())


def test_bounces_and_complaints(tmp_path: Path, amazon: Amazon) -> None:
    with served(tmp_path, sns_topics=(TOPIC,)) as dunr:
        for name in ("gone", "full", "cross", "forged"):
            fail(dunr, name)
        before = {name: dunr.case(f"in_{name}")["next_attempt_at"] for name in ("gone", "full", "cross", "forged")}
        assert told(dunr, post(bounce("Permanent", "General", token(dunr, "gone")))) == 204
        assert told(dunr, post(bounce("Permanent", "General", token(dunr, "gone")))) == 204, "once more changes nothing"
        assert told(dunr, post(bounce("Transient", "MailboxFull", token(dunr, "full")))) == 204
        assert told(dunr, post(complaint(token(dunr, "cross")))) == 204
        assert told(dunr, post(bounce("Permanent", "General", "a" * 30))) == 204, "about no mail of ours"
        assert told(dunr, post(bounce("Permanent", "General", token(dunr, "forged")), after_Signature="AAAA")) == 400
        other = return_paths(dunr.application.settings).token(CASE.format("forged"), "somebody@example.com")
        assert told(dunr, post(bounce("Permanent", "General", other))) == 204, (
            "signed by SNS, but not about this address"
        )
        assert told(dunr, post(bounce(), TopicArn=f"{TOPIC}2")) == 403
        for name, at in before.items():
            assert dunr.case(f"in_{name}")["next_attempt_at"] == at, "the charging schedule is untouched"
        alerts = [one for one in dunr.get("/v1/alerts").json()["alerts"] if one["kind"] == "notice_undeliverable"]
        assert sorted(one["case"] for one in alerts) == [CASE.format("cross"), CASE.format("gone")]
        assert not any("example.com" in one["text"] for one in alerts)
        dunr.advance(to="2026-06-30T12:00:00Z")
        assert {name: mails(dunr, name) for name in before} == {"gone": 1, "full": 3, "cross": 1, "forged": 3}
        for name in before:
            case = dunr.case(f"in_{name}")
            steps = [one["step_number"] for one in case["attempts"] if one["number"] > 0]
            assert steps == [1, 2], "each step was tried, mail or no mail"
    assert len(amazon.asked) == 1
