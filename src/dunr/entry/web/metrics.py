"""/metrics: figures for Prometheus. What all processes share is read from the store when it is asked for, so that no figure is counted once for each process.

A label has few values, each a word of ours: never an id, an address or a text of somebody else. The only figures of this process alone are its memory and time.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from threading import Lock

import msgspec
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr import __version__
from dunr.application import Application
from dunr.core.pace import Pace
from dunr.entry.web.admission import admit
from dunr.entry.web.face import WebFace
from dunr.metering import NUMBER_MAX, Levels, Metered, Totals, totals
from dunr.prose_costs import MICROS, ProseCost, prose_costs
from dunr.rulebook import KINDS
from dunr.tokens import Scope

KEPT_SECONDS = 3.0  # however many ask
NOTICE, ALERT = "Notice", "RaiseAlert"


def metrics_route(face: WebFace) -> Route:
    """GET /metrics, for whoever may read."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(StoreCollector(face.application))
    ProcessCollector(registry=registry)
    shown = _kept(lambda: generate_latest(registry))

    async def answer(request: Request) -> Response:
        def show() -> bytes:
            admit(face, request, Scope.READ)
            return shown()

        return Response(await face.reading.run(show), media_type=CONTENT_TYPE_LATEST)

    return Route("/metrics", answer, methods=["GET"])


def _kept(ask: Callable[[], bytes]) -> Callable[[], bytes]:
    """The answer, asked for once in `KEPT_SECONDS`."""
    guard, kept, until = Lock(), b"", 0.0

    def answer() -> bytes:
        nonlocal kept, until
        with guard:
            if time.monotonic() >= until:
                kept = ask()
                until = time.monotonic() + KEPT_SECONDS
            return kept

    return answer


class StoreCollector:
    """Everything that the store knows."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def collect(self) -> Iterator[Metric]:
        """All families. Raises `StoreUnavailable`, and then there is no answer at all rather than a wrong one."""
        application = self._application
        now, metered = application.clock.now(), application.reports
        yield InfoMetricFamily("dunr", "The release that answers", value={"version": __version__})
        if isinstance(metered, Metered):
            yield from _levels(metered.levels(now), now)
            yield from _totals(totals(application.store, metered, now))
        yield from _prose(prose_costs(application.store))
        yield from self._stops()
        yield from self._sweep(now)
        yield from self._pace(now)

    def _stops(self) -> Iterator[Metric]:
        stopped = {stop.kind for stop in self._application.rulebook.all_stops()}
        family = GaugeMetricFamily("dunr_stopped", "1 where a brake holds it somewhere", labels=["what"])
        for kind in KINDS:
            family.add_metric([kind], kind in stopped)
        yield family

    def _sweep(self, now: datetime) -> Iterator[Metric]:
        progress = self._application.sweep.progress()
        if progress is None or progress.ended_at is None:
            return
        yield _gauge("dunr_sweep_age_seconds", "Since a sweep was finished last", _age(progress.ended_at, now))
        yield _gauge("dunr_sweep_findings", "Disagreements that it found", progress.findings_count)

    def _pace(self, now: datetime) -> Iterator[Metric]:
        """How the one rate of calls stands that all processes share."""
        settings = self._application.settings
        document = self._application.store.document(f"pace:{settings.processor}:{settings.account}")
        if document is None:
            return
        pace = msgspec.json.decode(document.body, type=Pace)
        ahead_seconds = max(0.0, (pace.next_at - now).total_seconds())
        yield _gauge("dunr_rate_limit_wait_seconds", "How far ahead calls are reserved", ahead_seconds)
        yield _gauge(
            "dunr_rate_limit_divisor", "By what the rate is divided, since the processor refused", pace.divisor
        )
        refused = CounterMetricFamily("dunr_rate_limit_refusals", "Calls that the processor refused as one too many")
        refused.add_metric([], pace.refused_count)
        yield refused


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_text, value=value)


def _age(since_at: datetime | None, now: datetime) -> float:
    """In seconds; 0 where nothing waits."""
    return 0.0 if since_at is None else max(0.0, (now - since_at).total_seconds())


def _prose(costs: tuple[ProseCost, ...]) -> Iterator[Metric]:
    """What the copywriter took since the beginning."""
    paragraphs = CounterMetricFamily("dunr_prose_paragraphs", "Paragraphs that a model wrote, used or not")
    paragraphs.add_metric([], sum(row.paragraphs_count for row in costs))
    yield paragraphs
    tokens = CounterMetricFamily("dunr_prose_tokens", "Tokens that they took", labels=["direction"])
    tokens.add_metric(["in"], sum(row.input_tokens for row in costs))
    tokens.add_metric(["out"], sum(row.output_tokens for row in costs))
    yield tokens
    cost = CounterMetricFamily("dunr_prose_cost_usd", "What they cost, where the settings have prices")
    cost.add_metric([], sum(row.cost_usd_micros or 0 for row in costs) / MICROS)
    yield cost


def _levels(levels: Levels, now: datetime) -> Iterator[Metric]:
    """What waits."""
    yield _gauge("dunr_inbounds_waiting", "Events that are not applied yet", levels.inbounds_count)
    yield _gauge("dunr_inbounds_oldest_age_seconds", "Since the oldest was due", _age(levels.inbounds_oldest_at, now))
    yield _gauge("dunr_dead_letters", "Events that were given up", levels.dead_letters_count)
    yield _gauge("dunr_cases_due", "Cases whose time has come", levels.due_cases_count)
    yield _gauge("dunr_cases_due_oldest_age_seconds", "Since the oldest was due", _age(levels.due_cases_oldest_at, now))
    unsettled = GaugeMetricFamily("dunr_attempts_unsettled", "Attempts without a final answer", labels=["outcome"])
    oldest = GaugeMetricFamily(
        "dunr_attempts_unsettled_oldest_age_seconds", "Since the oldest began", labels=["outcome"]
    )
    known = {outcome: (count, at) for outcome, count, at in levels.unsettled}
    for outcome in ("in_flight", "pending", "unknown"):
        count, at = known.get(outcome, (0, None))
        unsettled.add_metric([outcome], count)
        oldest.add_metric([outcome], _age(at, now))
    yield unsettled
    yield oldest
    waiting = GaugeMetricFamily("dunr_effects_waiting", "Effects that are due and not done", labels=["kind"])
    age = GaugeMetricFamily("dunr_effects_oldest_age_seconds", "Since the oldest was due", labels=["kind"])
    known = {kind: (count, at) for kind, count, at in levels.effects}
    for kind in sorted({NOTICE, ALERT, *known}):
        count, at = known.get(kind, (0, None))
        waiting.add_metric([kind], count)
        age.add_metric([kind], _age(at, now))
    yield waiting
    yield age


def _totals(found: Totals) -> Iterator[Metric]:
    """What has been done since the beginning."""
    funnel = CounterMetricFamily(
        "dunr_funnel_attempts", "Attempts by the decline that they answered", labels=["reason", "attempt", "outcome"]
    )
    attempts = CounterMetricFamily("dunr_attempts", "Attempts that ended", labels=["trigger", "outcome"])
    by_place: dict[tuple[str, str, str], int] = {}
    by_trigger: dict[tuple[str, str], int] = {}
    for kind, count in found.attempts:
        number = f"{NUMBER_MAX}+" if kind.number >= NUMBER_MAX else str(kind.number)
        by_trigger[kind.trigger, kind.outcome] = by_trigger.get((kind.trigger, kind.outcome), 0) + count
        if kind.number:  # number 0 is the failed first charge, with which nothing was tried
            place = (kind.reason, number, kind.outcome)
            by_place[place] = by_place.get(place, 0) + count
    for place, count in sorted(by_place.items()):
        funnel.add_metric(place, count)
    for trigger, count in sorted(by_trigger.items()):
        attempts.add_metric(trigger, count)
    yield funnel
    yield attempts
    mail = CounterMetricFamily("dunr_notices", "Mails to customers, by what became of them", labels=["fate"])
    effects = CounterMetricFamily("dunr_effects_done", "Effects that are done", labels=["kind"])
    by_kind: dict[str, int] = {}
    for effect, count in sorted(found.effects, key=lambda one: (one[0].kind, one[0].fate)):
        by_kind[effect.kind] = by_kind.get(effect.kind, 0) + count
        if effect.kind == NOTICE:
            mail.add_metric([effect.fate], count)
    for kind_name, count in sorted(by_kind.items()):
        effects.add_metric([kind_name], count)
    yield mail
    yield effects
