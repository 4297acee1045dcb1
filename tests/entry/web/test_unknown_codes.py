"""A code that nobody knows comes in; a person sees what it probably means, says what it means, and the next decline counts so."""

from pathlib import Path

from tests.entry.web.served import served

NEW = "card_has_expired"


def test_an_unknown_code_is_shown_and_its_meaning_counts_from_the_next_decline_on(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.fail(decline=NEW)
        [row] = dunr.get("/v1/declines/unknown").json()["unknown"]
        assert (row["processor"], row["field"], row["code"], row["count"]) == ("sandbox", "decline_code", NEW, 1)
        assert row["counted_as"] == "unknown"
        assert row["proposal"]["reason"] == "expired_card"
        assert dunr.case()["state"] == "scheduled"
        assert len(dunr.case()["plan"]["steps"]) == 1
        mapping = {"processor": "sandbox", "field": "decline_code", "code": NEW, "reason": "expired_card"}
        assert dunr.post("/v1/declines/mappings", **mapping).json() == mapping
        assert dunr.get("/v1/declines/unknown").json() == {"unknown": []}
        dunr.fail("in_2", subscription="sub_2", decline=NEW, customer={"id": "cus_2"}, card={"id": "pm_2"})
        assert dunr.case("in_2")["state"] == "awaiting_customer"
        [alert] = [one for one in dunr.get("/v1/alerts").json()["alerts"] if one["kind"] == "unknown_decline"]
        assert NEW in alert["text"]


def test_a_meaning_that_no_decline_could_have_is_refused(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        wrong = {"processor": "sandbox", "field": "reason", "code": "x", "reason": "expired_card"}
        refused = dunr.post("/v1/declines/mappings", **wrong)
        assert refused.status_code == 400
        assert "names no field of a decline" in refused.json()["detail"]
        assert dunr.post("/v1/declines/mappings", **(wrong | {"field": "code", "reason": "zzz"})).status_code == 400
