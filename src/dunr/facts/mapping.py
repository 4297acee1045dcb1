"""A merchant's own meanings of codes: how they are written down, and what is wrong with one.

They come from `[declines]` of the settings and from `dunr declines map`, and count before what ships. A row that could
never be found, or that means nothing, is refused, and the text says what to write.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from dunr.core.declines import FIELDS, NETWORK_FIELDS
from dunr.core.facts import DeclineKey
from dunr.core.terms import DeclineReason
from dunr.facts.tables import NETWORKS_WITH_DECLINES, PROCESSORS_WITH_DECLINES

Written = Mapping[str, Mapping[str, Mapping[str, str]]]  # owner, field, code: reason

CODE = "code"  # the field of a decline that such a system fills
CODE_LENGTH_MAX = 100
REASONS = tuple(str(reason) for reason in DeclineReason)


def problem_with(key: DeclineKey) -> str | None:
    """Why no decline could ever be looked up under a key, and what to write; None where one can."""
    owner, field, code = key
    said = f"The decline mapping {owner}, {field}, {code if code.isprintable() else ascii(code)}"
    if field not in FIELDS:
        return f"{said} names no field of a decline: write one of {', '.join(FIELDS)} in the middle"
    if not code.strip() or len(code) > CODE_LENGTH_MAX or code != code.strip():
        return f"{said} holds no code: write the code as the processor sends it"
    if not (owner + code).isprintable():
        return f"{said} holds a character that cannot be seen, and that no processor sends: write the code without it"
    if field in NETWORK_FIELDS and owner in PROCESSORS_WITH_DECLINES:
        networks = ", ".join(sorted(NETWORKS_WITH_DECLINES))
        return f"{said} is a network's code under a processor: write the network first, one of {networks}"
    if field not in NETWORK_FIELDS and owner in NETWORKS_WITH_DECLINES:
        return f"{said} is a processor's code under a network: write the processor first"
    return None


def problem_with_owner(owner: str, where: str, processors: frozenset[str] = frozenset()) -> str | None:
    """Why nobody of that name sends codes, and what to write. `processors` are those that may, besides the ones that ship a table."""
    known = processors | PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES
    if owner in known:
        return None
    close = get_close_matches(owner, sorted(known), n=1)
    wanted = f"write {close[0]}" if close else f"write one of {', '.join(sorted(known))}"
    return f"{where} names {owner!r}, which is neither a processor in use nor a network: {wanted}"


def problems_in(written: Written, processors: frozenset[str]) -> Iterator[str]:
    """Everything that is wrong with a merchant's mappings. `processors` are those that may send codes."""
    for owner, fields in written.items():
        stranger = problem_with_owner(owner, "[declines]", processors)
        if stranger is not None:
            yield stranger
            continue
        for field, codes in fields.items():
            for code, reason in codes.items():
                problem = problem_with((owner, field, code))
                if problem is not None:
                    yield problem
                elif reason not in REASONS:
                    yield unknown_reason(reason, f"The decline mapping {owner}, {field}, {code}")


def unknown_reason(reason: str, where: str) -> str:
    """That a reason does not exist, and what to write instead."""
    close = get_close_matches(reason, REASONS, n=1)
    wanted = f"write {close[0]}" if close else f"write one of {', '.join(REASONS)}"
    return f"{where} has the reason {reason!r}, which does not exist: {wanted}"


def of_billing_codes(
    processor: str, retryable: Iterable[str], final: Iterable[str]
) -> Mapping[DeclineKey, DeclineReason]:
    """What the reason codes of a merchant's own billing system mean, where the merchant says no more than whether another try makes sense.

    A final one says nothing of the credential: the next cycle charges afresh.
    """
    retried = {(processor, CODE, code): DeclineReason.GENERIC_DECLINE for code in retryable}
    return {**retried, **{(processor, CODE, code): DeclineReason.ACCOUNT_BLOCKED for code in final}}


def as_keys(written: Written) -> Mapping[DeclineKey, DeclineReason]:
    """The mappings by key; they were checked before."""
    return {
        (owner, field, code): DeclineReason(reason)
        for owner, fields in written.items()
        for field, codes in fields.items()
        for code, reason in codes.items()
    }
