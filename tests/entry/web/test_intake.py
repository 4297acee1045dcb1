"""Webhooks: proved over raw bytes, kept before they are acknowledged, and refused without a trace."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dunr.core.effects import RaiseAlert
from dunr.core.terms import AlertKind
from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, InboundState, Receipt
from tests.entry.web.desk import application_for, desk, event, signed, with_store
from tests.entry.web.served import served

PATH = "/webhooks/sandbox"


def test_one_event_delivered_twenty_times_at_once_is_one_case(tmp_path: Path) -> None:
    """C12: all answers are 200, and there is one case, one plan and one mail."""
    with served(tmp_path, webhook_secrets=("whsec_local", "whsec_other")) as dunr:
        dunr.fail()
        (delivery,) = dunr.get("/sandbox/webhooks?type=invoice.payment_failed").json()
        body = {"times": 20, "concurrently": True}
        answers = dunr.post(f"/sandbox/webhooks/{delivery['event']}/resend", **body).json()["answers"]
        assert [answer["status"] for answer in answers] == [200] * 20
        dunr.advance(seconds=0)
        assert len(dunr.get("/v1/cases").json()["cases"]) == 1
        told = dunr.case()
        assert [entry["what"] for entry in told["audit"]].count("ChargeFailed") == 1
        assert [mail["kind"] for mail in dunr.get("/outbox").json()] == ["first"]


def test_two_endpoints_with_a_secret_each_race_with_one_new_event(tmp_path: Path) -> None:
    """C12: the loser of the race is answered like the winner, three days later too."""
    with served(tmp_path, webhook_secrets=("whsec_local", "whsec_other")) as dunr:
        made = dunr.post("/sandbox/failures", invoice="in_1", send_webhook=False).json()
        assert made["invoice"] == "in_1"
        data = {"invoice": "in_1", "subscription": made["subscription"], "customer": made["customer"], "charge": None}
        for days in (0, 3):
            dunr.advance(seconds=days * 86_400)
            for secret in ("whsec_local", "whsec_other"):
                sent = dunr.post(
                    "/sandbox/webhooks/send",
                    id="evt_100",
                    data=data,
                    secrets=[secret],
                    created=1,
                    times=2,
                    concurrently=True,
                )
                assert [answer["status"] for answer in sent.json()["answers"]] == [200, 200]
        assert [entry["what"] for entry in dunr.case()["audit"]].count("ChargeFailed") == 1


def test_no_acknowledgement_while_the_store_is_down(tmp_path: Path) -> None:
    """C19 (a): 503 with Retry-After, nothing kept; the redelivery is taken."""
    application = application_for(tmp_path)

    def down(_inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        raise StoreUnavailable("disk full at some path that nobody outside may know")

    body = event()
    with desk(with_store(application, receive=down)) as client:
        answer = client.post(PATH, content=body, headers=signed(body))
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert "disk" not in answer.text
    assert application.store.inbound("sandbox:acct_sandbox:evt_1") is None
    with desk(application) as client:
        assert client.post(PATH, content=body, headers=signed(body)).status_code == 200
    assert application.store.inbound("sandbox:acct_sandbox:evt_1") is not None


def test_an_error_that_nobody_named_is_no_acknowledgement_and_tells_nothing(tmp_path: Path) -> None:
    def broken(_inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        raise RuntimeError("password=hunter2")

    body = event()
    with desk(with_store(application_for(tmp_path), receive=broken)) as client:
        answer = client.post(PATH, content=body, headers=signed(body))
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "hunter2" not in answer.text
    assert "Traceback" not in answer.text


def test_the_signature_is_over_the_bytes_as_they_came(tmp_path: Path) -> None:
    """C22: an odd body as it was signed is taken; parsed and written again it is not."""
    application = application_for(tmp_path)
    odd = event().decode().replace('"data": {', '"data" :{"name":"Zo\\u00eb and Zoë","path":"a\\/b","n":1.0,\n') + "\n"
    body = odd.encode()
    written_again = json.dumps(json.loads(odd)).encode()
    assert written_again != body
    with desk(application) as client:
        refused = client.post(PATH, content=written_again, headers=signed(body))
        assert refused.status_code == 400
        assert application.store.inbound("sandbox:acct_sandbox:evt_1") is None
        packed = client.post(PATH, content=gzip.compress(body), headers={**signed(body), "content-encoding": "gzip"})
        assert packed.status_code == 415
        taken = client.post(
            PATH, content=body, headers={**signed(body), "content-type": "application/json; charset=utf-8"}
        )
        assert taken.status_code == 200
    kept = application.store.inbound("sandbox:acct_sandbox:evt_1")
    assert kept is not None
    assert kept.body == body


def test_the_age_of_a_signature_is_judged_on_arrival_and_on_both_sides(tmp_path: Path) -> None:
    """C23 (b), (c), (d)."""
    application = application_for(tmp_path)
    with desk(application) as client:
        for seconds, status in ((-299, 200), (-301, 400), (299, 200), (301, 400), (3600, 400)):
            body = event(f"evt_{seconds}")
            answer = client.post(PATH, content=body, headers=signed(body, seconds=seconds))
            assert (seconds, answer.status_code) == (seconds, status)
            kept = application.store.inbound(f"sandbox:acct_sandbox:evt_{seconds}")
            assert (kept is not None) == (status == 200)


def test_a_wrong_clock_refuses_everything_and_tells_a_person_once(tmp_path: Path) -> None:
    """C23 (e): fifty genuine events from seven minutes ago, one alert; once the clock is right they are taken."""
    application = application_for(tmp_path)
    with desk(application) as client:
        bodies = [event(f"evt_{number}") for number in range(50)]
        late = [client.post(PATH, content=body, headers=signed(body, seconds=-420)).status_code for body in bodies]
        assert late == [400] * 50
        alerts = client.get("/v1/alerts").json()["alerts"]
        assert [alert["kind"] for alert in alerts] == [AlertKind.CLOCK_SKEW]
        assert "clock" in alerts[0]["text"]
        taken = [client.post(PATH, content=body, headers=signed(body)).status_code for body in bodies]
        assert taken == [200] * 50


ROTATION = [
    (("whsec_old", "whsec_new"), ("whsec_new",), 200),
    (("whsec_old", "whsec_new"), ("whsec_old",), 200),
    (("whsec_old", "whsec_new"), ("whsec_old", "whsec_new"), 200),
    (("whsec_old",), ("whsec_new",), 400),
]


@pytest.mark.parametrize(("signing", "configured", "status"), ROTATION)
def test_any_signature_by_any_secret_counts(
    tmp_path: Path, signing: tuple[str, ...], configured: tuple[str, ...], status: int
) -> None:
    """C24."""
    body = event()
    with desk(application_for(tmp_path, webhook_secrets=configured)) as client:
        assert client.post(PATH, content=body, headers=signed(body, *signing)).status_code == status


def test_other_signature_schemes_prove_nothing(tmp_path: Path) -> None:
    """C24: v0 alone, or no scheme at all."""
    body = event()
    good = signed(body)["sandbox-signature"]
    with desk(application_for(tmp_path)) as client:
        for header in (good.replace("v1=", "v0="), good.partition(",")[0], "", "t=1,v1="):
            assert client.post(PATH, content=body, headers={"sandbox-signature": header}).status_code == 400


def test_what_is_not_for_us_is_recorded_and_ignored(tmp_path: Path) -> None:
    """C25, and events of types that nobody uses: 200, one row, nothing else."""
    application = application_for(tmp_path)
    odds: list[dict[str, Any]] = [{"live": True}, {"account": "acct_other"}, {"type": "payout.created"}]
    with desk(application) as client:
        for number, odd in enumerate(odds):
            body = event(f"evt_{number}", **odd)
            assert client.post(PATH, content=body, headers=signed(body)).status_code == 200
        assert client.get("/v1/cases").json()["cases"] == []
        assert client.get("/v1/alerts").json()["alerts"] == []
        ignored = client.get("/v1/deadletters?state=ignored").json()["deadletters"]
        assert len(ignored) == 3
        assert all(one["note"] for one in ignored)
    assert application.reports.inbounds(state=InboundState.WAITING, limit=10) == []


def test_the_same_id_with_another_body_is_kept_and_a_person_hears_of_it(tmp_path: Path) -> None:
    application = application_for(tmp_path)
    with desk(application) as client:
        for body in (event(), event(created=7), event(created=7)):
            assert client.post(PATH, content=body, headers=signed(body)).status_code == 200
        alerts = client.get("/v1/alerts").json()["alerts"]
    assert [alert["kind"] for alert in alerts] == [AlertKind.EVENT_REUSED]


def test_bad_input_is_a_clear_error_and_changes_nothing(tmp_path: Path) -> None:
    application, body = application_for(tmp_path), event()
    garbage, secret = b'{"id": "evt_1", "card": "4242424242424242', "4242424242424242"
    table: list[tuple[str, bytes, dict[str, str], int]] = [
        (PATH, garbage, dict(signed(garbage)), 400),
        (PATH, b"", dict(signed(b"")), 400),
        (PATH, b"[]", dict(signed(b"[]")), 400),
        (PATH, b"\xff\xfe", dict(signed(b"\xff\xfe")), 400),
        (PATH, b"[" * 50_000, dict(signed(b"[" * 50_000)), 400),
        (PATH, body, {}, 400),
        (PATH, body, {"sandbox-signature": "t=x,v1=y"}, 400),
        (PATH, body, dict(signed(body, "whsec_wrong")), 400),
        (PATH, body, {"sandbox-signature": "v1=" + "a" * 60_000}, 400),
        ("/webhooks/nobody", body, dict(signed(body)), 404),
        ("/webhooks/", body, dict(signed(body)), 404),
    ]
    with desk(application) as client:
        for path, sent, headers, status in table:
            answer = client.post(path, content=sent, headers=headers)
            assert (path, sent[:20], answer.status_code) == (path, sent[:20], status)
            problem = answer.json()
            assert set(problem) == {"type", "title", "status", "detail"}
            assert (problem["status"], bool(problem["detail"])) == (status, True)
            for leaked in (secret, "whsec", "Traceback", "Error("):
                assert leaked not in answer.text
        wrong_method = client.get(PATH)
        assert (wrong_method.status_code, wrong_method.headers["allow"]) == (405, "POST")
    assert application.reports.inbounds(state=None, limit=10) == []
    kinds = [record.effect for record in application.reports.effects(kind=None, case_id=None, limit=10)]
    assert [one for one in kinds if isinstance(one, RaiseAlert)] == []


def test_a_body_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    application = application_for(tmp_path, body_bytes_max=2048)
    with desk(application) as client:
        long = b"x" * 2049
        assert client.post(PATH, content=long, headers=signed(long)).status_code == 413
        body = event() + b" " * 1500
        assert client.post(PATH, content=body, headers=signed(body)).status_code == 200
