"""A decision being written: the rows as they stand so far, what is to be recorded, and the reasons in the order in which they were found.

Every rule works on a draft; `finish` does what every decision has in common, once: the subscription's fold, the customer's list of open cases,
the next waking time and the link of the audit chain.
"""

from datetime import datetime, timedelta

from dunr.core import keys
from dunr.core.access import fold
from dunr.core.alerting import end_of
from dunr.core.attempt import Attempt
from dunr.core.charge_ends import told_of_end
from dunr.core.decision import AuditEntry, Decision, Dossier, Posting, Rejection
from dunr.core.effects import CancelAttempt, Effect, Notice, Nudge, Publish, RaiseAlert
from dunr.core.facts import Facts, ProcessorFacts
from dunr.core.model import Case, CaseShare, Customer, Method, OpenCase, Payer, Subscription
from dunr.core.saying import amount_said, said
from dunr.core.snapshot import Snapshot
from dunr.core.terms import Access, AlertKind, DeclineReason, InvoiceStatus
from dunr.core.timers import wake_at
from dunr.core.value import replace

ATTEMPTS_KEPT_MAX = 50
LENT_KEPT_MAX = 20
LOOK_ALERT_AFTER = timedelta(hours=1)  # that the processor cannot be read


class Draft:
    """The working copy of one decision. Rules replace its rows; nobody outside `decide` sees it."""

    def __init__(self, dossier: Dossier, case: Case, facts: Facts, now: datetime) -> None:
        """Start from the rows as they were read."""
        self.dossier = dossier
        self.policy = dossier.policy  # the one that the case runs under
        self.facts = facts
        self.now = now
        self.case = case
        self.subscription: Subscription | None = dossier.subscription
        self.method: Method | None = dossier.method
        self.customer: Customer | None = dossier.customer
        self.postings: list[Posting] = []
        self.effects: list[Effect] = []
        self.because: list[str] = []
        self.rejection: Rejection | None = None
        self._payer_shown: Payer | None = None

    @property
    def processor(self) -> ProcessorFacts:
        """What is known of the case's processor."""
        return self.facts.processors[self.case.processor]

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot of this decision; a rule that asks for it must only be reached with one."""
        assert self.dossier.snapshot is not None, "this event is decided on a snapshot, and the dossier has none"
        return self.dossier.snapshot

    @property
    def payer(self) -> Payer:
        """The payer as the snapshot, else the customer row, knows them."""
        known = self.dossier.snapshot.customer if self.dossier.snapshot is not None else None
        if known is None:
            return self.customer.payer if self.customer is not None else Payer()
        if self._payer_shown is None:
            self._payer_shown = Payer(known.email, known.name, known.locale, known.timezone, known.country)
        return self._payer_shown

    def why(self, *reasons: str) -> None:
        """Add to the chain of reasons."""
        self.because.extend(reasons)

    def said(self, at: datetime) -> str:
        """An instant as the merchant says it."""
        return said(at, self.policy.timezone)

    def money(self, amount_minor: int) -> str:
        """An amount of the case's currency as the merchant writes it."""
        currency = self.case.currency
        return amount_said(amount_minor, currency, self.facts.exponent(self.case.processor, currency))

    def reject(self, http_status: int, detail: str) -> None:
        """Answer a person's wish with no."""
        self.why(detail)
        self.rejection = Rejection(http_status, detail)

    def alert(self, kind: AlertKind, about: str, text: str) -> None:
        """Tell a person, once about the same thing."""
        self.effects.append(RaiseAlert(keys.alert(kind, about), kind, self.case.id, text, self.now))

    def alert_over(self, kind: AlertKind, about: str, text: str) -> None:
        """Tell those who heard of an alert that nothing is left to be done."""
        self.effects.append(end_of(keys.alert(kind, about), kind, self.case.id, text, self.now))

    def nudge(self, case_id: str, why: str, *, access_restored: bool = False, run_ended: bool = False) -> None:
        """Have a case looked at."""
        self.effects.append(Nudge(keys.nudge(case_id, why), case_id, access_restored, run_ended))

    def notify(self, notice: Notice | None) -> None:
        """Send a notice, if there is one; never to a payer who has died."""
        if notice is not None and self.case.deciding_reason is not DeclineReason.PAYER_DECEASED:
            self.effects.append(replace(notice, brand=self.policy.brand))

    def wait(self, delay: timedelta, why: str) -> None:
        """Leave the case alone for a while; its dates stay as they are."""
        self.case = replace(self.case, not_before_at=self.now + delay)
        self.why(why)

    def wait_until(self, at: datetime, why: str) -> None:
        """Leave the case alone until an instant."""
        self.case = replace(self.case, not_before_at=max(at, self.now))
        self.why(why)

    def change_attempt(self, attempt: Attempt) -> None:
        """Replace one attempt of the case by its number. Whoever heard that it has no answer hears that it has one."""
        before = self.case.in_flight
        if before is not None and before.alerted and before.number == attempt.number and not attempt.is_in_flight:
            text = f"Attempt {attempt.number} of {self.case.processor_invoice_id} is settled: {attempt.outcome}."
            self.alert_over(AlertKind.UNSETTLED_ATTEMPT, f"{self.case.id}/a{attempt.number}", text)
        attempts = tuple([attempt if one.number == attempt.number else one for one in self.case.attempts])
        self.case = replace(self.case, attempts=attempts)

    def believe_snapshot(self) -> None:
        """Note that the statements of the snapshot were taken in, and what it says of the payer."""
        snapshot = self.dossier.snapshot
        if snapshot is None:
            return
        since_at = self.case.look_failing_since_at
        if since_at is not None:
            self.case = replace(self.case, look_failing_since_at=None)
            if self.now - since_at >= LOOK_ALERT_AFTER:
                text = f"{self.case.processor} can be read again for {self.case.processor_invoice_id}."
                about = f"{self.case.id}/{since_at.date().isoformat()}"
                self.alert_over(AlertKind.SNAPSHOT_UNAVAILABLE, about, text)
        if snapshot.taken_at > self.case.seen_at:
            self.case = replace(self.case, seen_at=snapshot.taken_at)
        if self.case.returned_unseen_minor and snapshot.invoice.status is InvoiceStatus.OPEN:
            self.case = replace(self.case, returned_unseen_minor=0)
        if self.customer is not None and self.customer.payer != self.payer:
            self.customer = replace(self.customer, payer=self.payer)
        known = snapshot.subscription
        if self.subscription is not None and known is not None and snapshot.taken_at >= self.subscription.seen_at:
            same = (self.subscription.status, self.subscription.period_end_at) == (known.status, known.period_end_at)
            if not same and self.subscription.ended_at is None:
                self.subscription = replace(
                    self.subscription, status=known.status, period_end_at=known.period_end_at, seen_at=snapshot.taken_at
                )

    def finish(self, what: str, actor: str) -> Decision:
        """What every decision has in common; a draft that changed nothing becomes a decision that changes nothing."""
        if self.rejection is not None:
            self._forget_the_wish()
        before = self.dossier
        rows_moved = (
            (self.case is not before.case and self.case != before.case)
            or self.subscription is not before.subscription
            or self.method is not before.method
            or self.customer is not before.customer
        )
        if not rows_moved and not self.effects and not self.postings:
            return Decision(tuple(self.because), rejection=self.rejection)
        self._list_case_of_customer()
        self._fold_access()
        self._tell_charge_end()
        entry = self._audit(what, actor)
        self.case = replace(self.case, wake_at=wake_at(self.case), audit_head=entry.hash, audit_count=entry.number)
        return Decision(
            because=tuple(self.because),
            case=self.case,
            subscription=self.subscription if self.subscription is not before.subscription else None,
            method=self.method if self.method is not before.method else None,
            customer=self.customer if self.customer is not before.customer else None,
            postings=tuple(self.postings),
            audit=(entry,),
            effects=tuple(self.effects),
            rejection=self.rejection,
        )

    def _forget_the_wish(self) -> None:
        """A wish that was rejected leaves no trace in the rows; only what it found in its way is cancelled."""
        before = self.dossier
        assert before.case is not None, "a wish is about a case"
        self.case, self.subscription, self.method = before.case, before.subscription, before.method
        self.customer, self.postings = before.customer, []
        self.effects = [effect for effect in self.effects if isinstance(effect, CancelAttempt)]

    def _audit(self, what: str, actor: str) -> AuditEntry:
        """The next link of the case's chain."""
        number, previous = self.case.audit_count + 1, self.case.audit_head
        why = tuple(self.because)
        digest = keys.audit_hash(previous, self.case.id, str(number), keys.instant(self.now), actor, what, *why)
        return AuditEntry(self.case.id, number, self.now, actor, what, why, previous, digest)

    def _list_case_of_customer(self) -> None:
        """The customer's list of open cases, oldest first; a case that is not open any more leaves the card run too."""
        customer = self.customer
        if customer is None:
            return
        case_id, is_open = self.case.id, self.case.is_open
        listed = False
        for one in customer.cases:
            listed = listed or one.case_id == case_id
        if listed is is_open:
            return
        if is_open:
            cases = (*customer.cases, OpenCase(self.case.id, self.case.first_failed_at))
            if len(cases) > 1:
                cases = tuple(sorted(cases, key=lambda one: (one.first_failed_at, one.case_id)))
            self.customer = replace(customer, cases=cases)
        else:
            self.customer = replace(customer, cases=tuple(one for one in customer.cases if one.case_id != self.case.id))
            self._leave_run()

    def _leave_run(self) -> None:
        """A case that ended otherwise gives its place in the card run up; the next one has its turn."""
        customer = self.customer
        run = customer.run if customer is not None else None
        if customer is None or run is None or self.case.id not in run.remaining:
            return
        remaining = tuple(case_id for case_id in run.remaining if case_id != self.case.id)
        self.customer = replace(customer, run=replace(run, remaining=remaining))
        if remaining and run.remaining[0] == self.case.id and not run.stopped:
            self.nudge(remaining[0], f"turn/{run.credential}")

    def _fold_access(self) -> None:
        """The share of this case, the fold over all of them, and the message about it where it changed."""
        before = self.subscription
        if before is None:
            return
        shares = self._shares(before)
        lent = before.lent_credential
        if lent is not None and not self._run_goes_on(lent, shares):
            lent = None
        if (shares, lent) == (before.cases, before.lent_credential) and before is self.dossier.subscription:
            return
        folded = replace(before, cases=shares, lent_credential=lent)
        access, why = fold(folded)
        if access is not before.access or before.access_version == 0:
            version = before.access_version + 1
            key = keys.access(before.id, version)
            self.effects.append(Publish(key, self.case.id, before.id, access, version, why, self.now))
            self.why(f"access of the subscription: {access} ({why})")
            folded = replace(folded, access=access, access_version=version, access_changed_at=self.now)
        self.subscription = replace(folded, access_why=why)
        self._tell_waiting_cases(self.subscription)

    def _tell_charge_end(self) -> None:
        """Where the first charge is ours, the merchant's billing system hears how it ended, and when that changes."""
        told = told_of_end(self.dossier.case, self.case, self.now)
        if told is not None:
            self.effects.append(told)
            self.why(f"the merchant is told: {told.end}")

    def _shares(self, subscription: Subscription) -> tuple[CaseShare, ...]:
        """The shares of the subscription's open cases, this one as it stands now, each in its place."""
        case, shares = self.case, subscription.cases
        share = CaseShare(case.id, case.state, case.access, case.paused_at, self.policy.final_action)
        if share in shares and case.is_open:
            return shares
        if not case.is_open:
            return tuple([one for one in shares if one.case_id != case.id])
        if all(one.case_id != case.id for one in shares):
            return (*shares, share)
        return tuple([share if one.case_id == case.id else one for one in shares])

    def _run_goes_on(self, credential: str, shares: tuple[CaseShare, ...]) -> bool:
        """Whether the card run for which access was lent still concerns a case of this subscription."""
        run = self.customer.run if self.customer is not None else None
        if run is None or run.credential != credential or run.stopped:
            return False
        return any(share.case_id in run.remaining for share in shares)

    def _tell_waiting_cases(self, subscription: Subscription) -> None:
        """Where access came back to stay, be it after a loan, the other open cases are looked at: one may have waited for that."""
        before = self.dossier.subscription
        was_shut = before is not None and (before.access is Access.PAUSED or before.lent_credential is not None)
        if was_shut and subscription.access is not Access.PAUSED and subscription.lent_credential is None:
            for share in subscription.cases:
                if share.case_id != self.case.id:
                    self.nudge(share.case_id, f"access-v{subscription.access_version}", access_restored=True)
