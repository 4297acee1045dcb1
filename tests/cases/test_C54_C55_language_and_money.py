"""C54: each mail wholly in the language of its recipient. C55: minor units, as the processor sends them, read as people write them."""

import email
import email.policy
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from html import unescape
from itertools import product
from pathlib import Path

import pytest

from tests.adapters.mailers.servers import Post, serving
from tests.entry.web.served import Served, served

BRAND = {"merchant_name": "Nordwind", "mail_from": "billing@nordwind.example"}


def parsed(post: Post) -> dict[str, EmailMessage]:
    """What a real server was given, by recipient."""
    found = [email.message_from_bytes(body, policy=email.policy.default) for body in post.bodies]
    return {str(one["To"]): one for one in found}


def text_of(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def fail(dunr: Served, name: str, locale: str, amount_minor: int, currency: str) -> None:
    customer = {"id": f"cus_{name}", "email": f"{name}@example.com", "locale": locale, "timezone": "UTC"}
    dunr.fail(
        f"in_{name}",
        subscription=f"sub_{name}",
        customer=customer,
        card={"id": f"pm_{name}"},
        amount_minor=amount_minor,
        currency=currency,
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_each_mail_is_in_the_language_of_its_recipient(tmp_path: Path, threads: int) -> None:
    post = Post()
    with serving(post) as port:
        smtp = {"mailer": "smtp", "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        with served(tmp_path, **smtp, **BRAND) as dunr:
            names = [f"{language}{number}" for number in range(3) for language in ("en-US", "de-DE", "xx-XX")]
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda name: fail(dunr, name, name[:5], 4900, "eur"), names))
            dunr.until_quiet()
            dunr.advance(seconds=0)
    mails = parsed(post)
    assert sorted(mails) == sorted(f"{name}@example.com" for name in names)
    assert len({message["Message-ID"] for message in mails.values()}) == len(names)
    for address, message in mails.items():
        language = str(message["Content-Language"])
        plain, html = text_of(message, "plain"), text_of(message, "html")
        assert f'lang="{language}"' in html
        assert message.get_content_type() == "multipart/alternative"
        assert "Nordwind" in str(message["From"])
        if address.startswith("en"):
            assert ("€49.00" in plain, "Wednesday, June 24, 2026" in plain, language) == (True, True, "en")
        if address.startswith("xx"):
            assert language == "en", "what we have no words for is in the language to fall back to, whole"
            assert ("€49.00" in plain, "Wednesday, June 24, 2026" in plain) == (True, True)
        if address.startswith("de") and language == "de":
            assert "24. Juni 2026" in plain
            assert "June" not in plain


@pytest.mark.parametrize(
    ("currency", "amount_minor", "expected"),
    [
        ("jpy", 5000, "¥5,000"),
        ("usd", 5000, "$50.00"),
        ("kwd", 5000, "5.000"),
        ("ugx", 500, "5"),
        ("isk", 500, "5"),
        ("huf", 5000, "50"),
    ],
)
def test_amounts_read_as_people_write_them_and_are_charged_as_they_came(
    tmp_path: Path, currency: str, amount_minor: int, expected: str
) -> None:
    post = Post()
    with serving(post) as port:
        smtp = {"mailer": "smtp", "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        with served(tmp_path, **smtp, **BRAND) as dunr:
            fail(dunr, "ada", "en-US", amount_minor, currency)
            dunr.script("succeed", card="pm_ada")
            dunr.advance(to="2026-06-24T09:00:00Z")
            charged = [row["amount_minor"] for row in dunr.get("/sandbox/charges?invoice=in_ada").json()]
            assert charged == [amount_minor], "the same integer goes back"
    first = text_of(next(iter([email.message_from_bytes(post.bodies[0], policy=email.policy.default)])), "plain")
    said = first.replace("\u00a0", " ")
    assert expected in said
    for wrong in (f"{amount_minor}.00", "¥50.00", "50.000", "UGX 500", "ISK 500", "HUF 5,000"):
        assert wrong not in said


# What 5000, 5000, 500 and 5000 of the processor's minor units are to each reader.
WRITTEN = {
    "en-US": ("¥5,000", "KWD 5.000", "UGX 5", "HUF 50"),
    "de-DE": ("5.000 ¥", "5,000 KWD", "5 UGX", "50 HUF"),
    "fr-FR": ("5 000 JPY", "5,000 KWD", "5 UGX", "50 HUF"),
    "es-ES": ("5.000 JPY", "5,000 KWD", "5 UGX", "50 HUF"),
    "pt-BR": ("JP¥ 5.000", "KWD 5,000", "UGX 5", "HUF 50"),
    "ja-JP": ("¥5,000", "KWD 5.000", "UGX 5", "HUF 50"),
}
OWED = ((5000, "jpy"), (5000, "kwd"), (500, "ugx"), (5000, "huf"))


def test_every_currency_reads_right_in_every_language(tmp_path: Path) -> None:
    post = Post()
    with serving(post) as port:
        smtp = {"mailer": "smtp", "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        with served(tmp_path, **smtp, **BRAND) as dunr:
            for locale, (amount_minor, currency) in product(WRITTEN, OWED):
                fail(dunr, f"{locale}-{currency}", locale, amount_minor, currency)
    mails = parsed(post)
    assert len(mails) == len(WRITTEN) * len(OWED)
    for locale, written in WRITTEN.items():
        for (_, currency), amount in zip(OWED, written, strict=True):
            mail = mails[f"{locale}-{currency}@example.com"]
            for kind in ("plain", "html"):
                words = " ".join(unicodedata.normalize("NFKC", unescape(text_of(mail, kind))).split())
                assert len(re.findall(r"(?<![\d.,])" + re.escape(amount) + r"(?!\d)", words)) >= 2, (locale, currency)
            assert amount in unicodedata.normalize("NFKC", str(mail["Subject"])), (locale, currency)
