"""Whose language a mail has, and that a language which lacks a sentence is found before a customer finds it (case C54)."""

import pytest

from dunr.core.terms import DeclineReason, NoticeKind
from dunr.core.value import replace
from dunr.mail.catalogue import Catalogue, choose, complaints, facts_in, languages, load
from dunr.mail.wording import FIRM_FROM_STEP, reason_told, wording
from tests.mail.notices import PAUSE, PAYER, mail, notice


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
        ("pt-PT", "en", "en"),
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


def test_a_fallback_is_one_language_throughout() -> None:
    plain = mail(NoticeKind.FINAL_WARNING, replace(PAYER, locale="en"), pause_at=PAUSE)
    fallen = mail(NoticeKind.FINAL_WARNING, replace(PAYER, locale="sv-SE"), pause_at=PAUSE)
    assert fallen.locale == "en"
    assert fallen.text == plain.text


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../../etc/passwd", "/etc/localtime", "", "\x00", "Europe", None])
def test_a_timezone_that_is_none_leaves_the_policy_s(zone: str | None) -> None:
    sent = mail(NoticeKind.FINAL_WARNING, replace(PAYER, timezone=zone), pause_at=PAUSE)
    assert "Tuesday, July 7, 2026" in sent.subject
