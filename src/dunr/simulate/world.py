"""One world: a merchant, a customer or two, a processor that misbehaves, and dunr between them, from the first failed charge to the end of all trouble."""

from datetime import datetime, timedelta
from random import Random

from dunr.core.facts import Facts
from dunr.core.segments import only
from dunr.core.terms import SubscriptionStatus
from dunr.engine import Engine, Parts
from dunr.intake import Intake
from dunr.performing import Performer
from dunr.ports import Inbound, ObjectMissing, SnapshotUnavailable
from dunr.rulebook import EVERYWHERE, KINDS, StoredRulebook
from dunr.running import Runner
from dunr.simulate.books import SimSubscription
from dunr.simulate.calls import Calls
from dunr.simulate.checkers.broken import PromiseBroken, promise
from dunr.simulate.checkers.ending import check_end
from dunr.simulate.clock import WORLD_BEGINS_AT, Happenings, SimClock
from dunr.simulate.messengers import SimMailer, SimPublisher
from dunr.simulate.operators import Operators
from dunr.simulate.payers import Payers
from dunr.simulate.people import People
from dunr.simulate.processor import SimProcessor
from dunr.simulate.store import WatchedStore
from dunr.simulate.story import Story
from dunr.simulate.turns import Task, Turns
from dunr.simulate.watching import Watch
from dunr.simulate.weather import Weather, draw, healed
from dunr.simulate.webhooks import ACCOUNT, PROCESSOR, Webhooks

ACKNOWLEDGED = "nothing acknowledged is lost"
TROUBLE_LASTS = timedelta(days=16)
REST_LASTS = timedelta(days=120)
TURNS_AT_ONE_INSTANT_MAX = 3_000
WAKE_ANOTHER_RATE = 0.3
ACT_IN_FREEZE_RATE = 0.3


class World:
    """Everything that belongs to one seed. `live` plays it and returns, or raises `PromiseBroken`."""

    def __init__(self, seed: int, facts: Facts, *, tells_story: bool = False, weather: Weather | None = None) -> None:
        """Build the world as it is before anything has failed; `weather` stands in for the one that the seed draws."""
        self.seed = seed
        rng = self.rng = Random(seed)
        drawn = draw(rng)
        weather = self.weather = weather or drawn
        clock = self.clock = SimClock()
        self.story = Story(clock) if tells_story else None
        self.happenings = Happenings(clock)
        self.turns = Turns(rng, clock, weather.kill_rate, weather.freeze_rate)
        self.watch = Watch(clock, self.story)
        self.webhooks = Webhooks(rng, clock, self.happenings, weather)
        self.calls = Calls(rng, clock, self.happenings, self.turns, self.webhooks, self.watch)
        self.processor = SimProcessor(rng, clock, self.turns, self.webhooks, self.calls, self.watch)
        self.store = WatchedStore(self.turns, self.watch)
        self.rulebook = StoredRulebook(self.store, lambda: only(weather.policy))
        self.mailer = SimMailer(rng, self.turns, self.watch, weather)
        self.publisher = SimPublisher(rng, self.turns, self.watch, weather)
        self.facts = facts
        self.engines: list[Engine] = []
        self.web = self._engine("web")
        self.webhooks.door = self._receive
        self.people = People(rng, clock, self.happenings, self.calls, self.webhooks, self.watch)
        self.operators = Operators(rng, clock, self.happenings, self.turns, self.store, self.watch)
        self.acts = self.people.acts() + self.operators.wishes(self.web, self.calls, self.rulebook)
        self.weights = [weight for weight, _ in self.acts]
        self.subscriptions: dict[str, SimSubscription] = {}
        self.watch.ended_there = self._ended_there
        self.watch.begun = self.calls.has_begun
        self._workers_count = 0
        self._populate()

    @property
    def steps_count(self) -> int:
        """How many decisions were committed."""
        return sum(engine.steps_count for engine in self.engines)

    def _ended_there(self, subscription_id: str) -> bool:
        """Whether the processor says that a subscription is over."""
        return self.subscriptions[subscription_id.rsplit(":", 1)[1]].shown.status is SubscriptionStatus.ENDED

    # --- who lives here ---------------------------------------------------------------------------------------------------------

    def _populate(self) -> None:
        """A customer with invoices that fail, what people will do, outages, sweeps and workers."""
        rng, now = self.rng, WORLD_BEGINS_AT
        Payers(rng, self.clock, self.happenings, self.calls, self.watch).arrive(self.weather, self.subscriptions)
        self._plan_acts()
        for number in range(self.weather.outages_count):
            begin = now + timedelta(hours=rng.choice((1, 24, 95)) + 150 * number)
            self.calls.outages.append((begin, begin + timedelta(hours=rng.choice((1, 2, 5, 14, 40)))))
        for _ in range(self.weather.sweeps_count):
            self.happenings.at(now + timedelta(hours=rng.choice((5, 48, 200))), self._sweep)
        for _ in range(self.weather.workers_count):
            self._hire()

    def _plan_acts(self) -> None:
        """What people will do, and when: often close to each other, since that is where races are."""
        rng = self.rng
        at = WORLD_BEGINS_AT
        for _ in range(self.weather.acts_count):
            at += timedelta(seconds=rng.choice((0, 1, 40, 4_000, 82_800, 86_399, 86_400, 200_000, 400_000)))
            self.happenings.at(at, self._act)
        if rng.random() < 0.05:  # noqa: PLR2004
            at = WORLD_BEGINS_AT + timedelta(hours=rng.choice((1, 22, 70)))
            self.happenings.at(at, lambda: self.operators.brake(self.rulebook))
        if self.weather.debit:
            for _ in range(rng.choice((0, 1, 3))):
                hours = rng.choice((60, 110, 170, 260, 350))
                self.happenings.at(WORLD_BEGINS_AT + timedelta(hours=hours), self._debits_come_back)

    def _debits_come_back(self) -> None:
        """The payer's bank takes back what it had paid, where it had paid."""
        for invoice in list(self.calls.invoices.values()):
            self.people.returns_debit(invoice)

    def _act(self) -> None:
        """Somebody does something about one of the invoices."""
        if self.calls.invoices:
            act = self.rng.choices(self.acts, self.weights)[0][1]
            act(self.rng.choice(list(self.calls.invoices.values())))

    # --- dunr -------------------------------------------------------------------------------------------------------------------

    def _engine(self, holder: str) -> Engine:
        """An engine of its own for a worker or for the requests."""
        processors = {PROCESSOR: self.processor}
        engine = Engine(Parts(self.store, processors, self.rulebook, self.facts, self.clock, holder))  # type: ignore[arg-type]
        self.engines.append(engine)
        return engine

    def _hire(self) -> None:
        """A worker begins; where it is killed, another one with a new name takes its place after a while."""
        self._workers_count += 1
        name = f"worker {self._workers_count}"
        engine = self._engine(name)
        runner = Runner(engine, Intake(engine), Performer(engine, self.mailer, self.publisher))

        def work() -> None:
            while True:
                if runner.run_once() == 0 or not self.store.is_due(self.clock.instant):
                    self.turns.rest()

        def replace_me() -> None:
            self.watch.tell(name, "is killed")
            self.happenings.at(self.clock.instant + timedelta(seconds=self.rng.choice((0, 5, 400))), self._hire)

        self.turns.add(Task(name, name, work, replace_me))

    def _receive(self, inbound: Inbound) -> None:
        """A webhook at our door: durable, then answered."""
        self.watch.tell("webhook", f"{inbound.event_type} ({inbound.key})")
        receipts = self.store.receive((inbound,))
        promise(self.store.inbound(inbound.key), ACKNOWLEDGED, f"{inbound.key} was taken, and is not there")
        Intake(self.web).received((inbound,), receipts)

    def _sweep(self) -> None:
        """Look at every invoice of the processor, by its list, not by events."""

        def body() -> None:
            try:
                for listed in self.processor.list_invoices(ACCOUNT, WORLD_BEGINS_AT):
                    self.web.look(f"{PROCESSOR}:{ACCOUNT}:{listed.processor_invoice_id}")
            except (SnapshotUnavailable, ObjectMissing) as failure:
                self.watch.tell("sweep", f"ends early: {failure}")

        self.watch.tell("sweep", "begins")
        self.turns.add(Task("sweep", "web", body))

    # --- living -----------------------------------------------------------------------------------------------------------------

    def live(self) -> None:
        """Trouble, then peace, then a look at everything, then the reckoning."""
        try:
            self._go_on_until(WORLD_BEGINS_AT + TROUBLE_LASTS)
            self._mend()
            self._come_to_rest()
            self._sweep()
            self._come_to_rest()
        except AssertionError as failed:
            raise PromiseBroken("no assertion of ours fails", str(failed)) from failed
        check_end(
            self.store, self.calls.invoices.values(), self.watch.rows, self.watch.messages, hashes=self.seed % 16 == 0
        )

    def dissolve(self) -> None:
        """Let go of everything, so that a world that is over costs no search for rubbish. Workers that wait are ended here."""
        self.happenings.forget()
        self.turns.tasks.clear()
        vars(self).clear()

    def _come_to_rest(self) -> None:
        """Go on until nothing is due any more."""
        self._go_on_until(self.clock.instant + REST_LASTS)
        next_at = self.store.next_case_at()
        if next_at is not None:
            raise PromiseBroken("no case is stuck", f"work is due for ever, next at {next_at}")

    def _mend(self) -> None:
        """All faults end; what is by nature (a card without money) stays."""
        self.watch.tell("world", "all faults are mended from here on")
        calm = healed(self.weather)
        for part in (self.calls, self.webhooks, self.mailer, self.publisher):
            part.weather = calm
        self.calls.outages.clear()
        self.turns.kill_rate = self.turns.freeze_rate = 0.0
        for kind in KINDS:
            for scope in (EVERYWHERE, f"{PROCESSOR}:{ACCOUNT}"):
                self.rulebook.resume(kind, scope)
        for invoice in self.calls.invoices.values():
            self.operators.release_own_hold(self.web, invoice)

    def _go_on_until(self, end_at: datetime) -> None:
        """Let things happen and tasks run until nothing is due before the end; the clock jumps over the time between."""
        clock, turns, happenings, rng = self.clock, self.turns, self.happenings, self.rng
        tick, at_one_instant = self.weather.tick, 0
        while True:
            happenings.happen()
            candidates = turns.ready()
            if (
                not candidates or (len(candidates) < len(turns.tasks) and rng.random() < WAKE_ANOTHER_RATE)
            ) and self.store.is_due(clock.instant):
                candidates += turns.idlers()
            if not candidates:
                next_at = self._next_at()
                if next_at is None or next_at > end_at:
                    return
                clock.instant, at_one_instant = next_at, 0
                continue
            at_one_instant += 1
            if at_one_instant > TURNS_AT_ONE_INSTANT_MAX:
                raise PromiseBroken("work ends", f"still busy after {TURNS_AT_ONE_INSTANT_MAX} turns without a pause")
            task = candidates[int(rng.random() * len(candidates))]
            if turns.give(task, alone=len(turns.tasks) == 1) == "froze":
                self._meanwhile(task)
            clock.instant += tick

    def _meanwhile(self, task: Task) -> None:
        """A task is frozen; somebody may well do something before it goes on, since that is where races are."""
        self.watch.tell(task.name, f"is frozen until {task.asleep_until}")
        if task.asleep_until is not None and self.rng.random() < ACT_IN_FREEZE_RATE:
            at = self.clock.instant + (task.asleep_until - self.clock.instant) / 2
            self.happenings.at(at, self._act)

    def _next_at(self) -> datetime | None:
        """The next instant at which anything can happen."""
        due_at = self.store.next_due_at() if self.turns.idlers() else None
        instants = (self.happenings.first_at(), self.turns.next_wake_at(), due_at)
        coming = [at for at in instants if at is not None]
        return max(min(coming), self.clock.instant) if coming else None
