"""How a letter looks, as HTML and as text. Knows the templates; knows no language and no fact.

MJML becomes HTML once, with its placeholders still in it. Values are filled in last, by Jinja2 with autoescape on, so
that nothing touches the page after a hostile value was escaped.
"""

import textwrap
from dataclasses import dataclass
from importlib.resources import files

import mrml
from jinja2 import DictLoader, Environment, StrictUndefined, select_autoescape

from dunr.mail.brand import Brand

TEXT_WIDTH = 76


@dataclass(frozen=True, slots=True)
class Letter:
    """The finished words of one notice. No field holds markup."""

    lang: str
    subject: str
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


class Layout:
    """The shipped templates in the colours of one brand."""

    def __init__(self, brand: Brand) -> None:
        """Translate the MJML and compile both templates; a broken one is found here and not at the first mail."""
        templates = files(__package__).joinpath("templates")
        mjml = templates.joinpath("notice.mjml").read_text(encoding="utf-8")
        no_includes = mrml.ParserOptions(include_loader=mrml.noop_loader())
        no_fonts = mrml.RenderOptions(fonts={})  # mrml would fetch some from a third party, which tells it who reads
        sources = {
            "notice.html": mrml.to_html(mjml, parser_options=no_includes, render_options=no_fonts).content,
            "notice.txt": templates.joinpath("notice.txt.j2").read_text(encoding="utf-8"),
        }
        environment = Environment(
            loader=DictLoader(sources),
            autoescape=select_autoescape(enabled_extensions=("html",), default=False),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters["fold"] = _fold
        self._html = environment.get_template("notice.html")
        self._text = environment.get_template("notice.txt")
        self._brand = brand

    def html(self, letter: Letter) -> str:
        """The letter as one HTML page."""
        return self._html.render(letter=letter, brand=self._brand)

    def text(self, letter: Letter) -> str:
        """The letter as plain text, complete without the page."""
        return self._text.render(letter=letter, brand=self._brand)


def _fold(paragraph: str) -> str:
    """Lines that fit a narrow window; an address or a number is never cut in two."""
    return textwrap.fill(paragraph, TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)
