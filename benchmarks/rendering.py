"""How quickly notices become mails: every kind in every language, on one core, against what the design asks: 1,000 within 5 seconds."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import cycle, product

from benchmarks.measuring import ROUNDS, Row, rate
from dunr.core.terms import NoticeKind
from dunr.facts.currencies import exponent
from dunr.mail.brand import Brand
from dunr.mail.catalogue import languages
from dunr.mail.links import CardLinks
from dunr.mail.preview import preview
from dunr.mail.renderer import MailRenderer

WANTED_A_SECOND = 1000 / 5
AT = datetime(2026, 6, 23, 10, tzinfo=UTC)


def rows() -> Iterator[Row]:
    """One row: mails a second of processor time, the median of the rounds."""
    brand = Brand(name="Nordwind", from_address="billing@nordwind.example")
    renderer = MailRenderer(brand, CardLinks("a secret that is long enough", "https://pay.nordwind.example"), exponent)
    asked = cycle(product(NoticeKind, sorted(languages())))

    def one() -> object:
        kind, locale = next(asked)
        return preview(renderer, kind, locale, AT)

    measured = sorted(rate(one) for _ in range(ROUNDS))[ROUNDS // 2]
    yield Row("a notice rendered, six languages", "a second", measured, WANTED_A_SECOND, "1,000 in 5 s", 1.0)
