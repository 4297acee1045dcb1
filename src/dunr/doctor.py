"""Whether everything that dunr needs is set up: the store, the policies, the brake, the clock, the processor and mail. Each answer says what to do.

Nothing is moved, changed or sent, so that it may be run at any time, beside a running dunr too.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from dunr.adoption import WHY as COPIED_WHY
from dunr.adoption import is_stopped_as_copy
from dunr.application import Application
from dunr.facts.capabilities import without_brand
from dunr.inspection import Check, Greeted, Inspected, Level
from dunr.settings.values import PLACEHOLDER_MAIL_FROM
from dunr.stepping import SKEW_MAX

SKEW_NOTICED = timedelta(seconds=30)


def examine(application: Application, transport: object, brands: Mapping[str, Sequence[str]]) -> Iterator[Check]:
    """Every check in turn. `transport` is what mail leaves by; `brands` are the names of those that mails may have, each with what is hard to read in it."""
    yield _database(application)
    yield _policies(application)
    yield _brake(application)
    for name, account in application.sweep.accounts:
        yield _clock(application, name, account)
        processor = application.processors[name]
        if isinstance(processor, Inspected):
            yield from processor.inspect(account, f"{application.settings.links_base}/webhooks/{name}")
    yield _public_url(application)
    yield from _mail(application, transport)
    yield from _brands(application, brands)


def _database(application: Application) -> Check:
    if is_stopped_as_copy(application.rulebook):
        return Check(
            "database",
            Level.FAILED,
            f"nothing is sent: {COPIED_WHY}",
            "make sure that the original runs nowhere, then `dunr adopt`",
        )
    return Check("database", Level.OK, f"{application.store.__class__.__name__} can be read, and is no copy")


def _policies(application: Application) -> Check:
    in_force = application.policies.now()
    names = ", ".join(policy.name for policy in in_force.policies.policies)
    if in_force.refused is not None:
        return Check("policy", Level.FAILED, in_force.refused.text, "correct the file; `dunr policy check` says more")
    return Check("policy", Level.OK, f"{names} in force, from {in_force.origin}")


def _brake(application: Application) -> Check:
    stops = application.rulebook.all_stops()
    if not stops:
        return Check("brake", Level.OK, "nothing is stopped")
    told = "; ".join(sorted({f"{stop.kind} at {stop.scope}: {stop.why}" for stop in stops}))
    return Check(
        "brake", Level.WARNING, told, "`dunr resume`, `dunr import --agree` or `dunr adopt`, whichever put it on"
    )


def _clock(application: Application, name: str, account: str) -> Check:
    about, theirs = f"{name}: clock", application.processors[name].now(account)
    if theirs is None:
        return Check(
            about, Level.FAILED, "the processor's clock cannot be read", "look at the key, the address and the network"
        )
    skew = abs(application.clock.now() - theirs)
    found = f"ours and theirs differ by {skew.total_seconds():.0f} s"
    if skew > SKEW_MAX:
        return Check(
            about, Level.FAILED, f"{found}, so nothing is sent", "set this machine's clock, for example by NTP"
        )
    if skew > SKEW_NOTICED:
        return Check(about, Level.WARNING, found, "set this machine's clock, for example by NTP")
    return Check(about, Level.OK, found)


def _public_url(application: Application) -> Check:
    settings = application.settings
    if settings.public_url is None:
        level = Level.FAILED if settings.live else Level.WARNING
        return Check(
            "public_url",
            level,
            "links in mails begin with this machine's own address",
            'write public_url = "https://…"',
        )
    return Check("public_url", Level.OK, settings.public_url)


def _brands(application: Application, brands: Mapping[str, Sequence[str]]) -> Iterator[Check]:
    """Whether mails can be read in the brands' colours, and each policy has its brand."""
    for name, warnings in brands.items():
        for warning in warnings:
            yield Check(f"brand: {name}", Level.WARNING, warning, f"`dunr notices preview --brand {name}` shows it")
    if not any(brands.values()):
        yield Check(
            "brand", Level.OK, f"{', '.join(brands)}: the colours can be told from a letter by day and by night"
        )
    for policy in application.policies.now().policies.policies:
        for complaint in without_brand(policy, brands.keys()):
            yield Check(
                "brand",
                Level.FAILED,
                f"policy {policy.name}: {complaint.text}",
                "until then its mails have the default brand",
            )


def _mail(application: Application, transport: object) -> Iterator[Check]:
    settings = application.settings
    if not isinstance(transport, Greeted):
        level = Level.FAILED if settings.live else Level.WARNING
        yield Check(
            "mail",
            level,
            "no mail leaves: it is written to the outbox",
            'write mailer = "smtp", smtp_host and mail_from',
        )
        return
    trouble = transport.greet()
    server = f"{settings.smtp_host}:{settings.smtp_port}"
    if trouble is not None:
        yield Check(
            "mail: server",
            Level.FAILED,
            f"{server}: {trouble}",
            "look at smtp_host, smtp_port, smtp_security, smtp_user and smtp_password",
        )
    else:
        yield Check("mail: server", Level.OK, f"{server} greets and lets us in; no mail was sent")
    if settings.mail_from == PLACEHOLDER_MAIL_FROM:
        yield Check(
            "mail: sender", Level.FAILED, "mail_from is a placeholder", 'write mail_from = "billing@example.com"'
        )
    else:
        yield Check("mail: sender", Level.OK, f"{settings.mail_from}; whether SPF and DKIM allow it is for your DNS")
