"""From settings to what writes mails. Knows which parts are read at once: templates of the merchant's own, so that a broken one is found at start-up."""

from dunr.facts.currencies import exponent
from dunr.mail.brands import Brands, read_brands
from dunr.mail.copywriting import CheckedCopywriter
from dunr.mail.layouts import Layouts, Told
from dunr.mail.links import CardLinks, ReminderLinks
from dunr.mail.renderer import MailRenderer
from dunr.ports import Copywriter
from dunr.settings import Settings, link_secret


def mail_brands(settings: Settings) -> Brands:
    """Whose names and looks mails may have. Raises `SettingsError`."""
    return read_brands(settings.merchant_name, settings.mail_from, settings.brands)


def mail_renderer(settings: Settings, told: Told | None = None, copywriter: Copywriter | None = None) -> MailRenderer:
    """What writes mails. `told` hears of a template of the merchant's own that cannot be used. Ours are read when they are needed."""
    brands, layouts = mail_brands(settings), Layouts(told)
    for brand in brands.all().values():
        if brand.templates is not None:
            layouts.of(brand)
    secret, base = link_secret(settings), settings.links_base
    checked = None
    if copywriter is not None:
        checked = CheckedCopywriter(copywriter, limit_seconds=settings.copywriter_seconds)
    return MailRenderer(brands, CardLinks(secret, base), exponent, checked, layouts, ReminderLinks(secret, base))
