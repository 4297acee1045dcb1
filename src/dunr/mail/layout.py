"""How a letter looks, as HTML and as text. Knows how templates become letters; knows no language and no fact.

MJML becomes HTML once, with its placeholders still in it. Values are filled in last, by Jinja2 with autoescape on, so
that nothing touches the page after a hostile value was escaped.
"""

import textwrap
from dataclasses import dataclass, fields
from pathlib import Path

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from dunr.mail.brand import BRAND_FIELDS, Brand
from dunr.mail.overrides import PAGE, TEXT, Sources, TemplateRefused, page_of, read

TEXT_WIDTH = 76


@dataclass(frozen=True, slots=True)
class Letter:
    """The finished words of one notice. No field holds markup."""

    lang: str
    subject: str
    preheader: str
    heading: str
    greeting: str
    opening: str
    paragraphs: tuple[str, ...]
    button: str | None
    link: str | None
    details: tuple[tuple[str, str], ...]
    closing: tuple[str, ...]
    support: str | None
    support_url: str | None
    signature: tuple[str, ...]
    footer: str
    postal_address: tuple[str, ...] = ()
    stops: tuple[tuple[str, str], ...] = ()  # how to hear no more of an invoice, and where


KNOWN = {
    "letter": frozenset(field.name for field in fields(Letter)),
    "brand": frozenset({*BRAND_FIELDS, "ink"}) - {"templates"},
}
_AMOUNT, _LINK = "1,234.56", "https://pay.invalid/sample"
_SAMPLE = Letter(
    lang="en",
    subject="Subject",
    preheader="Preheader",
    heading="Heading",
    greeting="Hello,",
    opening=f"We could not collect {_AMOUNT}.",
    paragraphs=("One.", "Two."),
    button="Button",
    link=_LINK,
    details=(("Amount", _AMOUNT),),
    closing=("Closing.",),
    support="Help: https://help.invalid",
    support_url="https://help.invalid",
    signature=("Kind regards",),
    footer="Footer",
    postal_address=("Street 1",),
    stops=(("Stop", "https://pay.invalid/stop"),),
)


class Layout:
    """The templates of one brand, ours or its own, in its colours."""

    def __init__(self, brand: Brand, folder: Path | None = None) -> None:
        """Translate and compile. A template of the merchant's own that is broken, unsafe or lacks the amount or the link raises `TemplateRefused`."""
        page, text = _environment(autoescape=True), _environment(autoescape=False)
        sources = read(folder, page, KNOWN)
        place = folder or Path()
        self._html = page.from_string(page_of(sources.page, str(place / PAGE)))
        self._text = text.from_string(sources.text)
        self._brand = brand
        if folder is not None:
            self._try(folder, sources)

    def html(self, letter: Letter) -> str:
        """The letter as one HTML page."""
        return self._html.render(letter=letter, brand=self._brand)

    def text(self, letter: Letter) -> str:
        """The letter as plain text, complete without the page."""
        return self._text.render(letter=letter, brand=self._brand).strip("\n") + "\n"

    def _try(self, folder: Path, sources: Sources) -> None:
        """Render a sample: what a customer needs must be in both parts."""
        for name, render, source in ((PAGE, self.html, sources.page), (TEXT, self.text, sources.text)):
            file = str(folder / name)
            try:
                rendered = render(_SAMPLE)
            except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
                raise TemplateRefused(file, 1, f"a sample cannot be rendered: {error}") from error
            for what, needed in (("amount", _AMOUNT), ("link", _LINK)):
                if needed not in rendered:
                    raise TemplateRefused(file, source.count("\n") or 1, f"the letter ends without the {what}")


def _environment(*, autoescape: bool) -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["fold"] = _fold
    return environment


def _fold(paragraph: str) -> str:
    """Lines that fit a narrow window; an address or a number is never cut in two."""
    return textwrap.fill(paragraph, TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)
