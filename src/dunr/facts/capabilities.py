"""Whether the processors can do, and the settings have, what the policies ask for. Checked when policies are loaded, so that nobody waits for what nobody does."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Protocol

from dunr.core.facts import Capability, ProcessorFacts
from dunr.core.policy import Policy, Strategy
from dunr.core.segments import PolicySet
from dunr.core.terms import Coexistence
from dunr.errors import SettingsError
from dunr.facts.complaints import Complaint
from dunr.facts.toml_lines import Path


class Source(Protocol):
    """Where policies come from."""

    origin: str

    def stamp(self) -> str:
        """Something that differs when the source may have changed."""
        ...

    def read(self) -> PolicySet:
        """The policies, checked by themselves. Raises `SettingsError`."""
        ...


class ServedPolicies:
    """A source whose policies are also checked against the processors that would have to serve them."""

    def __init__(self, source: Source, processors: Mapping[str, ProcessorFacts]) -> None:
        """Keep both; nothing is read yet."""
        self._source = source
        self._processors = processors
        self.origin = source.origin

    def stamp(self) -> str:
        """That of the source: what processors can do does not change while we run."""
        return self._source.stamp()

    def read(self) -> PolicySet:
        """The policies. Raises `SettingsError` where one of them needs what a processor lacks."""
        policies = self._source.read()
        problems = [
            f"{policy.name}: {one.text}" for policy in policies.policies for one in lacking(policy, self._processors)
        ]
        if problems:
            raise SettingsError(
                "\n".join([f"The policies of {self.origin} cannot be kept:", *(f"  {one}" for one in problems)])
            )
        return policies


def lacking(policy: Policy, processors: Mapping[str, ProcessorFacts]) -> Iterator[Complaint]:
    """What a policy needs and a processor lacks: a sentence each, which says what to write."""
    for capability, path, needs in _needs_of(policy):
        without = [name for name, facts in processors.items() if capability not in facts.capabilities]
        if without:
            yield Complaint(path, needs.format(names=" and ".join(without)))


def _needs_of(policy: Policy) -> Iterator[tuple[Capability, Path, str]]:
    for reason, rule in policy.reasons:
        if rule.strategy is Strategy.REQUIRE_UPDATER:
            text = (
                f'reasons.{reason}.strategy = "require_updater" needs a processor that can refresh a payment method, '
                f'and {{names}} cannot: write reasons.{reason}.strategy = "none" with steps_max = 0, which asks the customer'
            )
            yield Capability.REFRESH_METHOD, ("reasons", str(reason), "strategy"), text
    if policy.coexistence is Coexistence.TAKE_OVER:
        text = (
            'coexistence = "take_over" needs a processor that can be told to leave an invoice to us, and {names} cannot: '
            'write coexistence = "observe", and switch its own retries off there'
        )
        yield Capability.TAKE_OVER, ("coexistence",), text
    if policy.card_expiring_notice_days:
        text = (
            f"card_expiring_notice_days = {policy.card_expiring_notice_days} needs a processor that can list the cards that "
            "expire soon, and {names} cannot: write card_expiring_notice_days = 0"
        )
        yield Capability.LIST_EXPIRING, ("card_expiring_notice_days",), text


def without_brand(policy: Policy, brands: Collection[str] | None) -> Iterator[Complaint]:
    """That the settings do not have the brand whose name and look a policy gives its mails; nothing where it is not known which they have."""
    if brands is None or not policy.brand or policy.brand in brands:
        return
    close = get_close_matches(policy.brand, brands, n=1)
    instead = f'write brand = "{close[0]}"' if close else f"write one of {', '.join(sorted(brands))}"
    text = f'brand = "{policy.brand}": the settings have no [brands.{policy.brand}]; {instead}, or give it a table in dunr.toml'
    yield Complaint(("brand",), text)
