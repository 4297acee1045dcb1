"""Which policies are in force for new cases: those that somebody applied, else those that the setting names.

What was applied is a document of the store, written on condition of its version, with who and when. A file is read again when it has changed; where the change
cannot be used, what it said before stays in force, in this process and, since that is kept in the store too, over a restart and in every other process; a person
is alerted once about each bad content.
"""

from datetime import datetime
from typing import Protocol

import msgspec

from dunr.core import keys
from dunr.core.content import content_hash
from dunr.core.decision import Decision
from dunr.core.effects import RaiseAlert
from dunr.core.segments import PolicySet
from dunr.core.terms import AlertKind
from dunr.core.value import Value
from dunr.errors import SettingsError, WishRejected
from dunr.ports import Change, Clock, Document, Rows, Store

APPLIED = "policies:applied"
FROM_SETTING = "policies:setting"
NO_ROWS = Rows(None, None, None, None)
CONFLICT = 409


class PolicySource(Protocol):
    """What the setting `policy` names: a policy that ships, or a file."""

    origin: str

    def stamp(self) -> str:
        """Something that differs when the source may have changed."""
        ...

    def read(self) -> PolicySet:
        """The policies, checked. Raises `errors.SettingsError` with what is wrong."""
        ...


class Refused(Value):
    """A change that could not be used, and why: the file stands as it is, and what it said before goes on."""

    at: datetime
    text: str


class InForce(Value):
    """A policy set in force: where it is from, since when and by whom. `refused` is what its file says now, where that cannot be used."""

    policies: PolicySet
    origin: str
    since_at: datetime
    actor: str
    refused: Refused | None = None

    @property
    def set_hash(self) -> str:
        """The name of the set by its content."""
        return content_hash(self.policies)


class PoliciesInForce:
    """Answers the policy set for new cases, to any number of threads; each asks the store, so that an `apply` holds from the next case on, everywhere."""

    def __init__(self, store: Store, clock: Clock, source: PolicySource) -> None:
        """Read the setting. Raises `SettingsError` where it cannot be used and nothing is known of what it said before."""
        self._store = store
        self._clock = clock
        self._source = source
        self._decoded: dict[str, tuple[int, InForce | None]] = {}
        self._stamp: str | None = None
        self._from_setting = self._kept_before()
        self._read_again()
        if self._from_setting is None:
            source.read()  # says what is wrong

    def __call__(self) -> PolicySet:
        """The policies for a case that opens now."""
        return self.now().policies

    def now(self) -> InForce:
        """What is in force, and where it is from."""
        applied = self._document(APPLIED)[1]
        return applied if applied is not None else self.of_setting()

    def of_setting(self) -> InForce:
        """What the setting stands for, whether anything was applied over it or not."""
        if self._source.stamp() != self._stamp:
            self._read_again()
        assert self._from_setting is not None, "the constructor has read it, or kept what was there before"
        return self._from_setting

    def apply(self, policies: PolicySet, origin: str, actor: str) -> InForce:
        """Put a policy set in force, for new cases everywhere. Raises `WishRejected` where somebody else did so at the same time."""
        wanted = InForce(policies, origin, self._clock.now(), actor)
        self._put_applied(wanted)
        return wanted

    def withdraw(self) -> InForce:
        """Go back to what the setting names. Raises `WishRejected` where nothing was applied."""
        if self._document(APPLIED)[1] is None:
            raise WishRejected("Nothing was applied; what the setting `policy` names is in force already.", CONFLICT)
        self._put_applied(None)
        return self.of_setting()

    # --- the file -----------------------------------------------------------------------------------------------------------------

    def _kept_before(self) -> InForce | None:
        """What the same setting said when it could be used last."""
        kept = self._document(FROM_SETTING)[1]
        return kept if kept is not None and kept.origin == self._source.origin else None

    def _read_again(self) -> None:
        """Take what the source says now, or keep what it said before and say why."""
        stamp, now = self._source.stamp(), self._clock.now()
        before = self._from_setting
        try:
            policies = self._source.read()
        except SettingsError as error:
            if before is not None:
                self._refuse(before, Refused(now, str(error)))
        else:
            if before is None or before.policies != policies or before.refused is not None:
                since_at = before.since_at if before is not None and before.policies == policies else now
                self._keep(InForce(policies, self._source.origin, since_at, "the setting policy"))
        self._stamp = stamp

    def _refuse(self, before: InForce, refused: Refused) -> None:
        """What was in force stays; one alert for each bad content, however many processes read it."""
        if before.refused is not None and before.refused.text == refused.text:
            return
        self._keep(InForce(before.policies, before.origin, before.since_at, before.actor, refused))
        text = f"{before.origin} was changed and cannot be used, so new cases go on with what it said before. {refused.text}"
        key = keys.alert(AlertKind.POLICY_REFUSED, keys.audit_hash(before.origin, refused.text)[:16])
        alert = RaiseAlert(key, AlertKind.POLICY_REFUSED, None, text, refused.at)
        self._store.commit((Change(NO_ROWS, Decision((text,), effects=(alert,))),))

    def _keep(self, found: InForce) -> None:
        """Remember what the setting says; where another process wrote at the same time, it read the same file."""
        self._from_setting = found
        version, _ = self._document(FROM_SETTING)
        self._store.put_document(FROM_SETTING, msgspec.json.encode(found), version)

    # --- documents ----------------------------------------------------------------------------------------------------------------

    def _put_applied(self, wanted: InForce | None) -> None:
        version, _ = self._document(APPLIED)
        if not self._store.put_document(APPLIED, msgspec.json.encode(wanted), version):
            raise WishRejected(
                "Somebody else changed the policies in force at the same time; look, and try again.", CONFLICT
            )

    def _document(self, name: str) -> tuple[int, InForce | None]:
        """A document's version and what it says, decoded once for each version."""
        document = self._store.document(name)
        if document is None:
            return 0, None
        known = self._decoded.get(name)
        if known is None or known[0] != document.version:
            known = (document.version, _in_force(document))
            self._decoded[name] = known
        return known


def _in_force(document: Document) -> InForce | None:
    return msgspec.json.decode(document.body, type=InForce | None)
