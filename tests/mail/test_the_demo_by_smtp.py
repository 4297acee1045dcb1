"""A real SMTP server takes all that the demo sends: each mail whole, in its reader's language, with the money as they write it and the headers that it needs."""

import json
import re
import unicodedata
from collections import defaultdict
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any

import pytest

from dunr.mail.catalogue import load
from tests import nursery
from tests.adapters.mailers.servers import Post, serving
from tests.mail.pages import read

MAY_BE_STOPPED = {
    "first",
    "reminder",
    "reminder_firm",
}  # what is left here warns of a pause, or tells what has happened
STEPS = ["first", "reminder", "reminder_firm", "final_warning"]

# What each customer of the demo reads, what they owe as they write it, and what they are told, in order.
READERS: dict[str, tuple[str, str, list[str]]] = {
    "ada": ("en", "$49.00", ["first", "reminder", "receipt"]),
    "ben": ("de", "29,00 €", [*STEPS, "paused", "receipt"]),
    "chiyo": ("ja", "¥5,000", ["method_needed", "receipt"]),
    "dev": ("en", "KWD 5.000", ["first", "receipt"]),
    "ella": ("es", "15,00 €", ["first", "reminder"]),
    "farid": ("fr", "18 500 UGX", [*STEPS, "paused"]),
    "gro": ("en", "HUF 4,990", ["first", "reminder", "receipt"]),
    "hugo": ("pt-BR", "R$ 19,00", ["first", "reminder", "reminder_firm", "receipt"]),
}


@pytest.fixture(scope="module")
def played() -> tuple[list[EmailMessage], dict[str, Any]]:
    """The mails as the server got them, and what the demo says of itself."""
    post = Post()
    with serving(post) as port:
        done = nursery.run("dunr", "demo", "--smtp", f"127.0.0.1:{port}", "--json", check=True)
    parser = BytesParser(policy=default)
    mails = [parser.parsebytes(body) for body in post.bodies]
    return mails, json.loads(done.stdout)


def reader_of(mail: EmailMessage) -> str:
    return str(mail["To"]).partition("@")[0]


def part_of(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    assert part.get_content_charset() == "utf-8"
    return str(part.get_content())


def plain(text: str) -> str:
    """Text as the eye takes it: wide signs narrow, odd spaces and folded lines one space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def table_of(mail: EmailMessage, language: str) -> str:
    """The one table of the language's catalogue whose subject and heading the mail has."""
    sentences = load(language).sentences
    found = []
    for key, sentence in sentences.items():
        table, _, name = key.partition(".")
        shape = re.sub(r"\\\{\w+\\\}", ".+", re.escape(plain(sentence)))
        if name.startswith("subject") and re.fullmatch(shape, plain(str(mail["Subject"]))):
            found.append(table)
    lines = [plain(line) for line in part_of(mail, "plain").splitlines()]
    [table] = {table for table in found if plain(sentences[f"{table}.heading"]) in lines}
    return table


def test_every_customer_gets_every_mail_of_their_story_and_each_says_what_its_kind_says(
    played: tuple[list[EmailMessage], dict[str, Any]],
) -> None:
    mails, told = played
    assert len(mails) == told["mails"] == sum(len(kinds) for _, _, kinds in READERS.values())
    by_reader: defaultdict[str, list[str]] = defaultdict(list)
    for mail in mails:
        by_reader[reader_of(mail)].append(table_of(mail, READERS[reader_of(mail)][0]))
    assert by_reader == {name: kinds for name, (_, _, kinds) in READERS.items()}
    assert {language for language, _, _ in READERS.values()} == {"en", "de", "fr", "es", "pt-BR", "ja"}


def test_each_mail_has_two_parts_in_one_language(played: tuple[list[EmailMessage], dict[str, Any]]) -> None:
    for mail in played[0]:
        language = READERS[reader_of(mail)][0]
        assert mail.get_content_type() == "multipart/alternative"
        assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
        assert mail["Content-Language"] == language
        page = read(part_of(mail, "html"))
        assert page.lang == language
        sentences, table = load(language).sentences, table_of(mail, language)
        for words in (plain(part_of(mail, "plain")), plain(page.words)):
            opening = re.split(r"\{\w+\}", sentences[f"{table}.opening"])
            assert all(plain(piece) in words for piece in opening if piece.strip())
            strangers = [tag for tag in ("en", "de", "fr", "es", "pt-BR", "ja") if tag != language]
            assert not [tag for tag in strangers if plain(load(tag).sentences[f"{table}.heading"]) in words]


def test_each_amount_reads_as_its_reader_writes_it(played: tuple[list[EmailMessage], dict[str, Any]]) -> None:
    for mail in played[0]:
        _, amount, kinds = READERS[reader_of(mail)]
        if reader_of(mail) == "gro" and kinds[-1] == table_of(mail, "en"):
            amount = "HUF 4,000"  # part of it was credited
        for words in (plain(part_of(mail, "plain")), plain(read(part_of(mail, "html")).words)):
            assert amount in words


def test_the_headers_thread_a_story_and_let_reminders_alone_be_stopped(
    played: tuple[list[EmailMessage], dict[str, Any]],
) -> None:
    mails = played[0]
    ids = [str(mail["Message-ID"]) for mail in mails]
    assert len(set(ids)) == len(ids)
    threads: defaultdict[str, set[str]] = defaultdict(set)
    for mail in mails:
        language, _, _ = READERS[reader_of(mail)]
        assert re.fullmatch(r"<[0-9a-f]{40}@example\.com>", str(mail["Message-ID"]))
        assert mail["References"] == mail["In-Reply-To"]
        threads[reader_of(mail)].add(str(mail["References"]))
        assert mail["Auto-Submitted"] == "auto-generated"
        assert str(mail["From"]) == "Demo Shop <billing@example.com>"
        assert mail["MIME-Version"] == "1.0"
        assert str(mail["Date"]).endswith("+0000")
        table = table_of(mail, language)
        assert (mail["List-Unsubscribe"] is not None) is (table in MAY_BE_STOPPED), (reader_of(mail), table)
        if mail["List-Unsubscribe"] is not None:
            assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
            link = str(mail["List-Unsubscribe"]).strip("<>")
            said = load(language).sentences["letter.stop"].replace("{invoice}", f"in_{reader_of(mail)}")
            assert "/reminders/" in link
            assert f"{said}: {link}" in part_of(mail, "plain").splitlines()
            page = read(part_of(mail, "html"))
            assert link in page.hrefs
            assert said in page.words
        else:
            assert "/reminders/" not in part_of(mail, "plain") + part_of(mail, "html")
    assert all(len(roots) == 1 for roots in threads.values())
    assert len(set[str]().union(*threads.values())) == len(READERS)
    assert not set(ids) & set[str]().union(*threads.values())
