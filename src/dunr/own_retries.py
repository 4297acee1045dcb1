"""Whether the processor retries by itself, as far as a few of its open invoices tell when dunr starts.

Each invoice tells for itself later; a person should know now.
"""

from collections.abc import Iterator
from itertools import islice

from dunr.application import Application
from dunr.core.coexistence import mode_of
from dunr.core.terms import AlertKind
from dunr.ports import ObjectMissing, SnapshotUnavailable

LOOKED_AT_MAX = 5


def tell_of_own_retries(application: Application) -> Iterator[str]:
    """One alert for each account whose processor has a next try of its own planned, and what it says. What cannot be read now tells nothing."""
    for name, account in application.sweep.accounts:
        processor, now = application.processors[name], application.clock.now()
        try:
            for listed in islice(processor.list_invoices(account, now), LOOKED_AT_MAX):
                invoice_id = listed.processor_invoice_id
                snapshot = processor.snapshot(account, invoice_id)
                if snapshot.processor_next_attempt_at is None:
                    continue
                policy = application.rulebook.policy_for_new_case(name, snapshot).policy
                mode = mode_of(policy, snapshot)
                text = (
                    f"{name} retries by itself (first seen at {invoice_id}). The policy {policy.name} says "
                    f'coexistence = "{mode}". `dunr doctor` says more.'
                )
                application.intake.alert(AlertKind.COEXISTENCE, f"{name}:{account}/{mode}", text)
                yield text
                break
        except (SnapshotUnavailable, ObjectMissing):
            continue
