"""From settings to what writes mails. Knows which parts are read at once: templates of the merchant's own, so that a broken one is found at start-up."""

from collections.abc import Callable
from functools import partial

from dunr.core.terms import AlertKind
from dunr.facts.currencies import exponent
from dunr.mail.brands import Brands, BrandTold, read_brands
from dunr.mail.copywriting import CheckedCopywriter, Counted
from dunr.mail.layouts import Layouts
from dunr.mail.links import CardLinks, ReminderLinks
from dunr.mail.renderer import MailRenderer
from dunr.ports import Copywriter
from dunr.settings import Settings, link_secret

Told = Callable[[AlertKind, str, str], None]  # what kind of trouble, a short name of what it is about, and the text


def mail_brands(settings: Settings, told: BrandTold | None = None) -> Brands:
    """Whose names and looks mails may have. `told` hears of a brand that a notice names and that is not there. Raises `SettingsError`."""
    return read_brands(settings.merchant_name, settings.mail_from, settings.brands, told)


def mail_renderer(
    settings: Settings,
    told: Told | None = None,
    copywriter: Copywriter | None = None,
    counted: Counted | None = None,
) -> MailRenderer:
    """What writes mails. `told` hears of what the merchant's own templates and brands lack, `counted` of what prose takes. Ours are read when they are needed."""
    brands = mail_brands(settings, partial(told, AlertKind.BRAND_UNKNOWN) if told is not None else None)
    layouts = Layouts(partial(told, AlertKind.TEMPLATE_REFUSED) if told is not None else None)
    for brand in brands.all().values():
        if brand.templates is not None:
            layouts.of(brand)
    secret, base = link_secret(settings), settings.links_base
    checked = None
    if copywriter is not None:
        checked = CheckedCopywriter(copywriter, limit_seconds=settings.copywriter_seconds, counted=counted)
    return MailRenderer(brands, CardLinks(secret, base), exponent, checked, layouts, ReminderLinks(secret, base))
