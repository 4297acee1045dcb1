"""/metrics tells of a case what a monitor needs, and of a customer nothing."""

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dunr.tokens import Scope, create
from tests.entry.web.served import Served, served


def figures(text: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(dunr: Served) -> dict[tuple[str, ...], float]:
    answer = dunr.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return figures(answer.text)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dunr.entry.web.metrics.KEPT_SECONDS", 0.0)


def test_a_case_is_seen_in_the_funnel_and_nobody_is_named(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        assert scraped(dunr)["dunr_inbounds_waiting",] == 0
        dunr.script("decline:insufficient_funds", "succeed")
        dunr.fail("in_secret_77")
        for _ in range(2):
            dunr.post("/v1/test/clock/advance", seconds=6 * 86_400)
        text = dunr.get("/metrics").text
        seen = figures(text)
        assert seen["dunr_attempts_total", "declined", "timer"] == 1
        assert seen["dunr_attempts_total", "succeeded", "timer"] == 1
        assert seen["dunr_funnel_attempts_total", "2", "succeeded", "insufficient_funds"] == 1
        assert seen["dunr_notices_total", "sent"] >= 2
        assert seen["dunr_attempts_unsettled", "unknown"] == 0
        assert seen["dunr_stopped", "charges"] == 0
        assert seen["process_resident_memory_bytes",] > 0
        for word in ("in_secret_77", "cus_1", "sub_1", "pm_1", "ada", "example.com", "whsec", "acct"):
            assert word not in text


def test_an_answer_that_never_came_is_seen_with_its_age(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        dunr.script("hang:999999:succeed")
        dunr.fail()
        dunr.post("/v1/test/clock/advance", seconds=86_400 + 7_200)
        seen = scraped(dunr)
        assert seen["dunr_attempts_unsettled", "unknown"] == 1
        assert seen["dunr_attempts_unsettled_oldest_age_seconds", "unknown"] > 3_600
        dunr.application.rulebook.stop("charges", "*", "a person")
        assert scraped(dunr)["dunr_stopped", "charges"] == 1


def test_a_finished_sweep_is_seen(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        assert ("dunr_sweep_findings",) not in scraped(dunr)
        dunr.fail()
        dunr.application.sweep.run()
        assert scraped(dunr)["dunr_sweep_findings",] == 0
        dunr.post("/v1/test/clock/advance", seconds=7_200)
        assert scraped(dunr)["dunr_sweep_age_seconds",] >= 7_200


def test_where_tokens_are_asked_for_the_monitor_needs_one(tmp_path: Path) -> None:
    with served(tmp_path, api_tokens_required=True) as dunr:
        assert dunr.get("/metrics").status_code == 401
        token = create(dunr.application.store, "monitor", Scope.READ, dunr.application.clock.now())
        assert dunr.get("/metrics", authorization=f"Bearer {token}").status_code == 200
