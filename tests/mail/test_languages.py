"""Whose language a mail has, and that a language which lacks a sentence is found before a customer finds it (case C54)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from dunr.core.terms import DeclineReason, NoticeKind
from dunr.core.value import replace
from dunr.mail.catalogue import Catalogue, choose, complaints, facts_in, languages, load
from dunr.mail.message import RenderedMail
from dunr.mail.wording import FIRM_FROM_STEP, reason_told, wording
from tests.mail.notices import NOW, PAUSE, PAYER, brand, mail, notice, renderer


@pytest.mark.parametrize("tag", sorted(languages()))
def test_every_language_has_every_sentence(tag: str) -> None:
    assert load(tag).tag == tag
    assert not list(complaints(load(tag).sentences, load("en").sentences))


def test_a_gap_and_a_wrong_fact_are_named() -> None:
    source = {"first.subject": "{amount} to {brand}", "first.heading": "Hello"}
    told = {"first.subject": "{amount} am {pause_date}", "first.extra": "?"}
    assert list(complaints(told, source)) == [
        "first.heading is missing",
        "first.extra is unknown",
        "first.subject uses the facts ['amount', 'pause_date'], not ['amount', 'brand']",
    ]


def test_every_sentence_that_a_notice_can_want_is_there() -> None:
    sentences = load("en").sentences
    for kind in NoticeKind:
        for step in (None, 1, FIRM_FROM_STEP):
            for when in (None, PAUSE):
                for warns in (True, False):
                    words = wording(
                        notice(kind, step_number=step, next_attempt_at=when, pause_at=when, is_warning=warns)
                    )
                    wanted = {words.subject, words.heading, words.opening, *words.paragraphs} - {None}
                    assert wanted <= sentences.keys()
                    dated = {key for key in wanted if facts_in(sentences[key]) & {"next_date", "pause_date"}}
                    assert not dated or when is not None
    told = {reason_told(reason) for reason in DeclineReason} - {None}
    assert {f"reason.{name}" for name in told} == {key for key in sentences if key.startswith("reason.")}


def test_a_sentence_without_its_fact_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError):
        load("en").say("pause.plain", {"brand": "Nordwind"})


def test_a_fact_is_filled_in_once() -> None:
    catalogue = Catalogue("en", {"letter.greeting": "Hello {name},"})
    assert catalogue.say("letter.greeting", {"name": "{amount}", "amount": "$1"}) == "Hello {amount},"


@pytest.mark.parametrize(
    ("wanted", "tag", "region"),
    [
        ("en-GB", "en", "en_GB"),
        ("en_us.UTF-8", "en", "en_US"),
        ("EN", "en", "en"),
        ("pt", "pt-BR", "pt"),
        ("pt-PT", "pt-BR", "pt_PT"),
        ("pt_br.UTF-8", "pt-BR", "pt_BR"),
        ("de-AT", "de", "de_AT"),
        ("ja-JP", "ja", "ja_JP"),
        ("es-419", "es", "es_419"),
        ("sv-SE", "en", "en"),
        ("en-ZZZ", "en", "en"),
        ("C", "en", "en"),
        ("../../etc/passwd", "en", "en"),
        ("", "en", "en"),
        (None, "en", "en"),
    ],
)
def test_the_language_is_the_payer_s_or_the_fallback_whole(wanted: str | None, tag: str, region: str) -> None:
    language = choose(wanted, ("xx", "en"))
    assert (language.catalogue.tag, str(language.locale)) == (tag, region)


def test_an_unknown_language_is_the_merchant_s_and_then_english() -> None:
    assert choose("sv-SE", ("pt",)).catalogue.tag == "pt-BR"
    assert choose(None, ("de-CH",)).catalogue.tag == "de"
    assert choose("tlh", ("xx",)).catalogue.tag == "en"


def test_the_six_languages_are_there() -> None:
    assert languages() == {"de", "en", "es", "fr", "ja", "pt-BR"}


@pytest.mark.parametrize("tag", sorted(languages() - {"en"}))
def test_no_sentence_was_left_in_english(tag: str) -> None:
    source = load("en").sentences
    same = {key for key, sentence in load(tag).sentences.items() if sentence == source[key]}
    assert not same


DATES = [
    ("en-GB", "We will try again on Wednesday, 1 July 2026"),
    ("de-AT", "Am Mittwoch, 1. Juli 2026 versuchen wir es noch einmal"),
    ("fr-FR", "nouvelle tentative le mercredi 1er juillet 2026"),
    ("es-ES", "Volveremos a intentarlo el miércoles, 1 de julio de 2026"),
    ("pt-BR", "marcada para quarta-feira, 1 de julho de 2026"),
    ("ja", "2026年7月1日水曜日に、改めて"),
]


@pytest.mark.parametrize(("locale", "expected"), DATES)
def test_dates_read_as_people_there_write_them(locale: str, expected: str) -> None:
    sent = mail(NoticeKind.FIRST, replace(PAYER, locale=locale), next_attempt_at=datetime(2026, 7, 1, 9, tzinfo=UTC))
    assert expected in " ".join(sent.text.split())
    assert sent.headers["Content-Language"] == sent.locale


def test_a_date_is_the_date_where_the_customer_lives() -> None:
    late = datetime(2026, 7, 1, 20, tzinfo=UTC)
    tokyo = mail(NoticeKind.FIRST, replace(PAYER, locale="ja", timezone="Asia/Tokyo"), next_attempt_at=late)
    lima = mail(NoticeKind.FIRST, replace(PAYER, locale="es-PE", timezone="America/Lima"), next_attempt_at=late)
    assert "7月2日木曜日" in tokyo.text
    assert "miércoles, 1 de julio" in lima.text


def test_threads_do_not_bleed_into_each_other() -> None:
    """Each thread renders its own language and brand, all at once, and each mail is the one that it would be alone."""
    of = {
        tag: renderer(brand(name=f"Shop {tag}", colour=f"#00{number}{number}55"))
        for number, tag in enumerate(sorted(languages()))
    }

    def render(number: int) -> tuple[str, RenderedMail]:
        tag = sorted(of)[number % len(of)]
        payer = replace(PAYER, locale=tag, timezone=("Asia/Tokyo", "America/Lima", "UTC")[number % 3])
        told = notice(NoticeKind.FINAL_WARNING, pause_at=PAUSE, currency=("jpy", "kwd", "usd", "huf")[number % 4])
        return f"{tag} {number % 12}", of[tag].render(told, payer, "UTC", NOW)

    alone = dict(map(render, range(12)))
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(render, range(240)))
    assert [mail for name, mail in together] == [alone[name] for name, _ in together]
    assert {mail.locale for mail in alone.values()} == languages()


def test_a_fallback_is_one_language_throughout() -> None:
    plain = mail(NoticeKind.FINAL_WARNING, replace(PAYER, locale="en"), pause_at=PAUSE)
    fallen = mail(NoticeKind.FINAL_WARNING, replace(PAYER, locale="sv-SE"), pause_at=PAUSE)
    assert fallen.locale == "en"
    assert fallen.text == plain.text


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../../etc/passwd", "/etc/localtime", "", "\x00", "Europe", None])
def test_a_timezone_that_is_none_leaves_the_policy_s(zone: str | None) -> None:
    sent = mail(NoticeKind.FINAL_WARNING, replace(PAYER, timezone=zone), pause_at=PAUSE)
    assert "Tuesday, July 7, 2026" in sent.subject
