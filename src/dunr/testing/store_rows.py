"""Small rows to put into a store: just enough for a question, each with an id of its own.

They are as a decision makes them, but nothing here decides: a store must not care whether a row makes sense.
"""

from datetime import UTC, datetime, timedelta

from dunr.core.attempt import Attempt, MethodRef
from dunr.core.decision import AuditEntry, Decision, Posting
from dunr.core.effects import Effect, Notice, Nudge, RaiseAlert
from dunr.core.model import Case, Customer, Method, OpenCase, Subscription
from dunr.core.terms import (
    AlertKind,
    CaseState,
    InFlightAction,
    NoticeKind,
    Outcome,
    Rail,
    SubscriptionStatus,
    Trigger,
)
from dunr.core.value import replace
from dunr.ports import Change, Inbound, InboundState, Refs, Rows, Settlement, Store

START = datetime(2026, 6, 23, 10, 0, 0, 123_456, tzinfo=UTC)
NOTHING = Rows(case=None, subscription=None, method=None, customer=None)


def at(seconds: float) -> datetime:
    """So many seconds after the start."""
    return START + timedelta(seconds=seconds)


def row_id(name: str) -> str:
    """The id of a row in these questions."""
    return f"sandbox:main:{name}"


# --- rows -------------------------------------------------------------------------------------------------------------


def new_case(name: str = "inv_1", *, wake_at: datetime | None = None, opened_at: datetime = START) -> Case:
    return Case(
        id=row_id(name),
        version=0,
        processor="sandbox",
        account="main",
        processor_invoice_id=name,
        subscription_id=row_id("sub_1"),
        customer_id=row_id("cus_1"),
        state=CaseState.SCHEDULED,
        round=1,
        opened_at=opened_at,
        first_failed_at=opened_at,
        currency="EUR",
        amount_total_minor=1200,
        amount_due_minor=1200,
        policy_hash="0123456789abcdef",
        seen_at=opened_at,
        wake_at=wake_at,
    )


def new_subscription(name: str = "sub_1") -> Subscription:
    return Subscription(
        id=row_id(name), version=0, status=SubscriptionStatus.PAST_DUE, period_end_at=None, seen_at=START
    )


def new_method(name: str = "card_1") -> Method:
    return Method(id=row_id(name), version=0)


def new_customer(name: str = "cus_1", cases: tuple[OpenCase, ...] = ()) -> Customer:
    return Customer(id=row_id(name), version=0, cases=cases)


def attempt_on(
    card_key: str | None,
    number: int = 1,
    outcome: Outcome | None = None,
    next_action: InFlightAction = InFlightAction.LOOK_UP,
) -> Attempt:
    """One attempt, in flight unless an outcome is given; `card_key` None: there was no method."""
    method = (
        None
        if card_key is None
        else MethodRef(
            processor_method_id=f"pm_{card_key}", card_key=card_key, credential=f"{card_key}/2027-03", rail=Rail.CARD
        )
    )
    return Attempt(
        number=number,
        round=1,
        trigger=Trigger.TIMER,
        step_number=number,
        after_reason=None,
        key=f"dunr-a{number}",
        amount_minor=1200,
        currency="EUR",
        method=method,
        begun_at=at(number),
        fence=number,
        outcome=outcome,
        next_action=next_action,
    )


# --- what hangs on them -----------------------------------------------------------------------------------------------


def posting(name: str, case: str = "inv_1") -> Posting:
    lines = (("receivable", 1200), ("revenue", -1200))
    return Posting(id=name, case_id=row_id(case), kind="opened", at=START, currency="EUR", lines=lines)


def audit_entry(number: int, *, case: str = "inv_1", fingerprint: str = "", previous: str = "") -> AuditEntry:
    return AuditEntry(
        case_id=row_id(case),
        number=number,
        at=at(number),
        actor="dunr",
        what="ChargeFailed",
        why=("it is Tuesday", "é"),
        previous_hash=previous or f"hash {number - 1}",
        hash=fingerprint or f"hash {number}",
    )


def alert(key: str, when: datetime = START, case: str = "inv_1") -> RaiseAlert:
    return RaiseAlert(key=key, kind=AlertKind.DRIFT, case_id=row_id(case), text="a person should look", at=when)


def nudge(key: str, case: str = "inv_1") -> Nudge:
    return Nudge(key=key, case_id=row_id(case))


def notice(key: str, not_before_at: datetime, case: str = "inv_1") -> Notice:
    return Notice(
        key=key,
        case_id=row_id(case),
        round=1,
        kind=NoticeKind.FIRST,
        step_number=None,
        not_before_at=not_before_at,
        amount_minor=1200,
        currency="EUR",
        processor_invoice_id=case,
        next_attempt_at=None,
        pause_at=None,
        is_warning=False,
        reason=None,
    )


def event(name: str, body: bytes = b"{}", received_at: datetime = START) -> Inbound:
    """A received event; the digest is made up, since a store only compares it."""
    return Inbound(
        key=row_id(name),
        processor="sandbox",
        account="main",
        event_type="invoice.payment_failed",
        live=False,
        received_at=received_at,
        body=body,
        body_sha256=body.hex(),
    )


def settlement(state: InboundState, next_try_at: datetime | None = None, tries_count: int = 1) -> Settlement:
    return Settlement(state=state, note="because", tries_count=tries_count, next_try_at=next_try_at, snapshot=None)


# --- deeds ------------------------------------------------------------------------------------------------------------


def decide(
    *,
    case: Case | None = None,
    subscription: Subscription | None = None,
    method: Method | None = None,
    customer: Customer | None = None,
    postings: tuple[Posting, ...] = (),
    audit: tuple[AuditEntry, ...] = (),
    effects: tuple[Effect, ...] = (),
) -> Decision:
    return Decision(
        because=("the exam asks",),
        case=case,
        subscription=subscription,
        method=method,
        customer=customer,
        postings=postings,
        audit=audit,
        effects=effects,
    )


def put(store: Store, decision: Decision, rows: Rows = NOTHING) -> None:
    """Commit what must succeed."""
    assert list(store.commit([Change(rows=rows, decision=decision)])) == [True]


def load(store: Store, name: str = "inv_1", card: str | None = None) -> Rows:
    """The rows of a case, with the method where a card is named."""
    return store.load(row_id(name), Refs(method_id=None if card is None else row_id(card)))


def loaded_case(store: Store, name: str = "inv_1") -> Case:
    case = load(store, name).case
    assert case is not None
    return case


def with_case(rows: Rows, case: Case | None) -> Rows:
    """The same read with another case."""
    return replace(rows, case=case)
