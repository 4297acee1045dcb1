"""What mail leaves by, and by which door news of it comes back: the part of the bootstrap that is about mail. Each adapter is imported in the branch that selects it."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING

from dunr.errors import SettingsError
from dunr.mail_habits import MailHabits
from dunr.ports import Clock, Copywriter, Mailer, Store
from dunr.prose_costs import Prices, ProseCosts
from dunr.settings import Settings, link_secret

if TYPE_CHECKING:
    from dunr.adapters.mailers.sns import SnsDoor
    from dunr.mail.message import Transport
    from dunr.mail.return_paths import ReturnPaths
    from dunr.mail.wiring import Told

OUTBOX_FOLDER = "outbox"


def mailer_of(settings: Settings, store: Store, clock: Clock, opened: ExitStack, told: "Told") -> Mailer:
    """The transport, wrapped in what renders. What it keeps open ends with `opened`."""
    from dunr.mail.sending import RenderingMailer
    from dunr.mail.wiring import mail_renderer

    transport = mail_transport(settings)
    close = getattr(transport, "close", None)
    if close is not None:
        opened.callback(close)
    renderer = mail_renderer(settings, told, _copywriter(settings), _prose_costs(settings, store, clock).note)
    return RenderingMailer(renderer, transport, clock, return_paths(settings))


def _copywriter(settings: Settings) -> Copywriter | None:
    """Who may write a paragraph in the place of the template's; None: the template has every word."""
    seconds = settings.copywriter_seconds
    if settings.copywriter == "bedrock":
        from dunr.adapters.copywriters.bedrock import MODEL, BedrockCopywriter

        return BedrockCopywriter(settings.copywriter_model or MODEL, timeout_seconds=seconds)
    if settings.copywriter == "openai_compatible":
        from dunr.adapters.copywriters.openai_compatible import OpenAiCompatibleCopywriter

        url, model = settings.copywriter_url or "", settings.copywriter_model or ""
        return OpenAiCompatibleCopywriter(url, model, settings.copywriter_key, seconds)
    return None


def _prose_costs(settings: Settings, store: Store, clock: Clock) -> ProseCosts:
    """Where it is written down what prose costs."""
    price_in, price_out = settings.copywriter_price_in, settings.copywriter_price_out
    prices = Prices(price_in, price_out) if price_in is not None and price_out is not None else None
    return ProseCosts(store, clock, prices)


def link_of(settings: Settings) -> Callable[[str, int, datetime], str]:
    """What makes the address at which a case can be fixed."""
    from dunr.mail.links import CardLinks

    return CardLinks(link_secret(settings), settings.links_base).make


def habits_of(settings: Settings) -> MailHabits:
    """Who writes to customers, and how often."""
    return MailHabits(settings.mail_channel, settings.mails_per_day_max)


def return_paths(settings: Settings) -> "ReturnPaths":
    """What makes the tokens of mails, and knows them again."""
    from dunr.mail.return_paths import ReturnPaths

    return ReturnPaths(link_secret(settings), f"{settings.processor}:{settings.account}:", settings.bounce_address)


def mail_transport(settings: Settings) -> "Transport":
    """What mail leaves by."""
    if settings.mailer == "smtp":
        from dunr.adapters.mailers.smtp import Security, SmtpMailer, SmtpSettings

        return SmtpMailer(
            SmtpSettings(
                host=settings.smtp_host or "",
                port=settings.smtp_port,
                sender=settings.bounce_address or settings.mail_from,
                security=Security(settings.smtp_security),
                username=settings.smtp_user,
                password=settings.smtp_password,
            )
        )
    if settings.mailer == "ses":
        _need_aws('mailer = "ses"')
        from dunr.adapters.mailers.ses import SesMailer, ses_client

        return SesMailer(ses_client(settings.ses_region or ""), settings.mail_from, settings.ses_configuration_set)
    from dunr.adapters.mailers.log import LogMailer

    return LogMailer(settings.data / OUTBOX_FOLDER)


def sns_door(settings: Settings, now: Callable[[], datetime]) -> "SnsDoor | None":
    """What believes the posts of the topics that the settings name; None where they name none. Its client lives as long as the process."""
    if not settings.sns_topics:
        return None
    _need_aws("sns_topics")
    import httpx

    from dunr.adapters.mailers.sns import SnsDoor
    from dunr.certificates import trusted

    return SnsDoor(settings.sns_topics, httpx.Client(verify=trusted(), trust_env=False, follow_redirects=False), now)


def _need_aws(what: str) -> None:
    """Say what to do where the parts for AWS are not installed."""
    from importlib.util import find_spec

    if find_spec("boto3") is None or find_spec("cryptography") is None:
        raise SettingsError(f'{what} needs parts for AWS: install them with pip install "dunr[aws]"')
