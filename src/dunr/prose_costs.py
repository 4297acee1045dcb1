"""What the copywriter costs: paragraphs asked for, tokens in and out, and money, by month and model. One document holds it, so that all processes count together.

A paragraph that was refused, or came too late for its mail, was paid for like any other. The money is what the prices in the settings make of the tokens at that time.
"""

from datetime import datetime

import msgspec
import structlog

from dunr.core.prose import Prose
from dunr.core.value import Value, replace
from dunr.errors import StoreUnavailable
from dunr.ports import Clock, Store

LEDGER = "prose_costs"
ROWS_MAX = 240  # of twenty years with one model; the oldest go first
WRITE_TRIES_MAX = 20
TOKENS_PRICED = 1_000_000  # a price is for so many
MICROS = 1_000_000  # of one dollar
_log = structlog.get_logger()


class ProseCost(Value):
    """A month with one model. `cost_usd_micros` are millionths of a dollar; None: the settings have no price."""

    month: str  # 2026-06, in UTC
    model: str
    paragraphs_count: int
    input_tokens: int
    output_tokens: int
    cost_usd_micros: int | None


class Prices(Value):
    """Dollars for a million tokens."""

    input_usd: float
    output_usd: float

    def micros(self, prose: Prose) -> int:
        """What one paragraph costs, in millionths of a dollar."""
        dollars = (prose.input_tokens * self.input_usd + prose.output_tokens * self.output_usd) / TOKENS_PRICED
        return round(dollars * MICROS)


class ProseCosts:
    """Writes down what each answer cost. Threads may share it."""

    def __init__(self, store: Store, clock: Clock, prices: Prices | None) -> None:
        """Without prices, tokens alone are counted."""
        self._store = store
        self._clock = clock
        self._prices = prices

    def note(self, prose: Prose) -> None:
        """One more answer. Where the store does not take it the log has it alone: no mail waits for an account of it."""
        month = month_of(self._clock.now())
        micros = self._prices.micros(prose) if self._prices is not None else None
        _log.info(
            "prose_written",
            model=prose.model,
            input_tokens=prose.input_tokens,
            output_tokens=prose.output_tokens,
            cost_usd_micros=micros,
        )
        try:
            for _ in range(WRITE_TRIES_MAX):
                document = self._store.document(LEDGER)
                rows = _with(_rows(document.body if document is not None else None), month, prose, micros)
                version = document.version if document is not None else 0
                if self._store.put_document(LEDGER, msgspec.json.encode(rows), version):
                    return
        except StoreUnavailable as unavailable:
            _log.warning("prose_cost_not_kept", text=str(unavailable))
        else:
            _log.warning("prose_cost_not_kept", text="others wrote first, again and again")


def prose_costs(store: Store) -> tuple[ProseCost, ...]:
    """Everything that was counted, the oldest month first."""
    document = store.document(LEDGER)
    return _rows(document.body if document is not None else None)


def dollars(micros: int) -> str:
    """Millionths of a dollar as dollars, exactly."""
    return f"{micros // MICROS}.{micros % MICROS:06}"


def month_of(at: datetime) -> str:
    """The month of an instant, as the ledger names it."""
    return f"{at:%Y-%m}"


def _rows(body: bytes | None) -> tuple[ProseCost, ...]:
    return msgspec.json.decode(body, type=tuple[ProseCost, ...]) if body is not None else ()


def _with(rows: tuple[ProseCost, ...], month: str, prose: Prose, micros: int | None) -> tuple[ProseCost, ...]:
    """The rows with one more answer in the one that it belongs to."""
    others = tuple(row for row in rows if (row.month, row.model) != (month, prose.model))
    same = next((row for row in rows if row not in others), ProseCost(month, prose.model, 0, 0, 0, None))
    counted = replace(
        same,
        paragraphs_count=same.paragraphs_count + 1,
        input_tokens=same.input_tokens + prose.input_tokens,
        output_tokens=same.output_tokens + prose.output_tokens,
        cost_usd_micros=same.cost_usd_micros if micros is None else (same.cost_usd_micros or 0) + micros,
    )
    return tuple(sorted((*others, counted), key=lambda row: (row.month, row.model)))[-ROWS_MAX:]
