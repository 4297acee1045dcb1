"""The decline tables that ship with dunr: what each reason means, and which codes of a processor or network say so.

A code is found by its owner, its field and itself, since the same two digits mean different things to each network and
each processor. The owner of the two network fields is the card network or the debit scheme, whoever reported the code;
the owner of every other field is the processor. There is one file an owner in `declines/`; what its fields hold:

    owner       field                 what the owner calls it
    adyen       decline_code          refusalReasonCode
                code                  error code of a request, and the header transient-error
    braintree   decline_code          processor response code
                outcome_reason        gateway rejection reason
    checkout    decline_code          response code
                advice_code           recommendation code
    gocardless  decline_code          cause of an event
                code                  error type of a request
    mollie      decline_code          details.failureReason
                outcome_reason        statusReason.code
    paddle      decline_code          error_code of a payment attempt
    paypal      decline_code          processor response code
                advice_code           payment advice code, written network:code
                code                  issue of an error
    razorpay    decline_code          error reason
                code                  error code
    recurly     code                  error category
    square      code                  error code
    stripe      code                  error or failure code
                decline_code          decline_code
                advice_code           advice_code
                outcome_reason        outcome.reason (it repeats the decline code), and why a mandate was revoked
    sandbox     as stripe
    bacs        network_decline_code  ARUDD: an unpaid debit
                network_advice_code   ADDACS: an instruction that changed; AUDDIS: one that was refused, written auddis:code
    mastercard  network_decline_code  response code
                network_advice_code   merchant advice code
    visa        network_decline_code  response code
                network_advice_code   advice as PayPal reports it
    amex, elo, iso8583, nacha, nach_india, sepa
                network_decline_code  response or return code

`wait_hours` is how long a code asks to wait. A code that `defers` decides only where the network gives no advice beside
it. A code such as 2109-2999 stands for each number of the range. Networks that number their response codes as ISO 8583
does fall back on its table where their own says nothing.

Each file is read at most once in a process, and only when it is asked for. Tests check the rows, not every start.
"""

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from dunr.core.facts import DeclineKey, Notifies, ReasonFacts, Tellable
from dunr.core.strategies import MEANT
from dunr.core.terms import DeclineKind, DeclineReason
from dunr.core.value import Value

PROCESSORS_WITH_DECLINES = frozenset(
    {"adyen", "braintree", "checkout", "gocardless", "mollie", "paddle", "paypal", "razorpay", "recurly", "sandbox"}
    | {"square", "stripe"}
)
ISO_8583 = "iso8583"
ISO_8583_NETWORKS = frozenset({"diners", "discover", "jcb", "mastercard", "unionpay", "visa"})
NETWORKS_WITH_DECLINES = (
    frozenset({"amex", "bacs", "elo", "mastercard", "nach_india", "nacha", "sepa", "visa", ISO_8583})
    | ISO_8583_NETWORKS
)
HOUR_SECONDS = 3600
FOLDER = files("dunr.facts")


class Codes(Value):
    """What the codes of one or several owners mean, which of them ask to wait, and which defer to advice."""

    declines: Mapping[DeclineKey, DeclineReason]
    waits: Mapping[DeclineKey, int]
    deferring: frozenset[DeclineKey]


NO_CODES = Codes(MappingProxyType({}), MappingProxyType({}), frozenset())


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of one file of this package, each a mapping from column to text."""
    lines = csv.reader(FOLDER.joinpath(name).read_text(encoding="utf-8").splitlines())
    columns = next(lines)
    return (dict(zip(columns, line, strict=True)) for line in lines)


@cache
def shipped_reasons() -> Mapping[DeclineReason, ReasonFacts]:
    """What holds for each decline reason, in the order of the file."""
    return MappingProxyType(
        {
            DeclineReason(row["reason"]): ReasonFacts(
                kind=DeclineKind(row["kind"]),
                strategy=MEANT[row["strategy"]],
                steps_suggested_max=int(row["steps_suggested_max"]),
                steps_default_max=int(row["steps_default_max"]) if row["steps_default_max"] else None,
                notifies=Notifies(row["notifies"]),
                tellable=Tellable(row["tellable"]),
                stops_credential=row["stops_credential"] == "yes",
                sentence=row["sentence"],
            )
            for row in rows("reasons.csv")
        }
    )


@cache
def shipped_codes(owner: str) -> Codes:
    """The codes of one processor or network; none where no table ships for it."""
    if owner in ISO_8583_NETWORKS:
        return _on_top_of_iso_8583(owner)
    return _file_of(owner) if owner in PROCESSORS_WITH_DECLINES | NETWORKS_WITH_DECLINES else NO_CODES


def _on_top_of_iso_8583(network: str) -> Codes:
    """The codes of a network, and those of the standard where the network says nothing of its own."""
    own = _file_of(network) if network in {"mastercard", "visa"} else NO_CODES
    standard = {(network, field, code): reason for (_, field, code), reason in shipped_codes(ISO_8583).declines.items()}
    return Codes(MappingProxyType({**standard, **own.declines}), own.waits, own.deferring)


def _file_of(owner: str) -> Codes:
    declines: dict[DeclineKey, DeclineReason] = {}
    waits: dict[DeclineKey, int] = {}
    deferring: set[DeclineKey] = set()
    reasons = {str(reason): reason for reason in DeclineReason}
    for row in rows(f"declines/{owner}.csv"):
        for code in _each(row["code"]):
            key = (owner, row["field"], code)
            declines[key] = reasons[row["reason"]]
            if row.get("wait_hours"):
                waits[key] = int(row["wait_hours"]) * HOUR_SECONDS
            if row.get("defers") == "yes":
                deferring.add(key)
    return Codes(MappingProxyType(declines), MappingProxyType(waits), frozenset(deferring))


def _each(code: str) -> Iterator[str]:
    """The codes that a row stands for: itself, or each number of a range."""
    first, dash, last = code.partition("-")
    if dash and first.isdigit() and last.isdigit():
        yield from map(str, range(int(first), int(last) + 1))
    else:
        yield code
