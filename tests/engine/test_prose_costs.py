"""What a copywriter takes is counted once for each answer, by all processes together, and shown where people look for costs."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dunr.accounting.month import month_of
from dunr.accounting.month import report as month_report
from dunr.accounting.sheet import csv_rows, html_page
from dunr.adapters.stores.memory import MemoryStore
from dunr.core.prose import Prose
from dunr.prose_costs import Prices, ProseCost, ProseCosts, prose_costs
from tests.adapters.copywriters.hostile import GOOD, completion, model_server
from tests.entry.web.served import served
from tests.entry.web.test_metrics import scraped

JUNE = datetime(2026, 6, 23, tzinfo=UTC)


class Stopped:
    def now(self) -> datetime:
        return JUNE


def test_many_processes_count_together() -> None:
    store = MemoryStore()
    writers = [ProseCosts(store, Stopped(), Prices(1.0, 5.0)) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda number: writers[number % 2].note(Prose("x", "small", 200, 40)), range(20)))
    assert prose_costs(store) == (ProseCost("2026-06", "small", 20, 4000, 800, 8000),)


def test_without_a_price_no_money_is_claimed() -> None:
    store = MemoryStore()
    ProseCosts(store, Stopped(), None).note(Prose(None, "local", 10, 0))
    assert prose_costs(store) == (ProseCost("2026-06", "local", 1, 10, 0, None),)


def test_a_mail_s_prose_is_in_the_report_and_the_metrics_and_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dunr.entry.web.metrics.KEPT_SECONDS", 0.0)
    asked: list[str] = []

    def answer(question: str) -> bytes:
        asked.append(question)
        return completion(GOOD if len(asked) == 1 else "no use")

    priced = {"copywriter_price_in": 1.0, "copywriter_price_out": 5.0, "copywriter_seconds": 60}
    with (
        model_server(answer) as url,
        served(
            tmp_path, copywriter="openai_compatible", copywriter_url=url, copywriter_model="small", **priced
        ) as dunr,
    ):
        for number in (1, 2):
            customer = {"id": f"cus_{number}", "email": f"ada{number}@example.com", "locale": "en"}
            dunr.fail(f"in_{number}", subscription=f"sub_{number}", customer=customer, card={"id": f"pm_{number}"})
        texts = [mail["text"].replace("\n", " ") for mail in dunr.get("/outbox").json()]
        assert [GOOD.partition("{amount}")[0] in text for text in texts] == [True, True]
        assert len(asked) == 1, "kept per kind, language and tone"
        dunr.advance(to="2026-06-24T12:00:00Z")
        assert len(asked) == 2, "a receipt or a reminder is another kind, and its useless answer is paid for"
        seen = scraped(dunr)
        assert seen["dunr_prose_paragraphs_total",] == 2
        assert (seen["dunr_prose_tokens_total", "in"], seen["dunr_prose_tokens_total", "out"]) == (400, 80)
        assert seen["dunr_prose_cost_usd_total",] == pytest.approx(0.0008)
        costs = prose_costs(dunr.application.store)
    month = month_report(*month_of("2026-06"), (), (), costs)
    assert ("prose_cost", "", "USD", "small", "", "0.000800") in list(csv_rows(month))
    assert "Prose by small: 2 paragraphs, 400 tokens in, 80 out, 0.000800 USD." in html_page(month)
    assert month_report(*month_of("2026-07"), (), (), costs).prose == ()
