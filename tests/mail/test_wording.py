"""What each kind of notice says: only the facts that it has, gentle first and clear at the end, and nothing that hurts."""

import pytest

from dunr.core.terms import DeclineReason, NoticeKind
from dunr.mail.wording import reason_told
from tests.mail.notices import NEXT, NEXT_TEXT, PAUSE, PAUSE_TEXT, mail
from tests.mail.pages import read

UNSPEAKABLE = ("stolen", "lost card", "fraud", "suspect", "deceased", "dead", "blocked")


def unfolded(text: str) -> str:
    return " ".join(text.split(" ")).replace("\n", " ")


@pytest.mark.parametrize("kind", NoticeKind)
def test_without_dates_no_date_is_told(kind: NoticeKind) -> None:
    sent = mail(kind)
    for words in (sent.subject, sent.text, read(sent.html).words):
        assert "2026" not in words
        assert "July" not in words


@pytest.mark.parametrize("kind", sorted(set(NoticeKind) - {NoticeKind.RECEIPT}))
def test_the_next_attempt_is_told_where_there_is_one(kind: NoticeKind) -> None:
    sent = mail(kind, next_attempt_at=NEXT)
    assert NEXT_TEXT in unfolded(sent.text)
    assert NEXT_TEXT in read(sent.html).words
    assert PAUSE_TEXT not in unfolded(sent.text)


def test_a_receipt_promises_and_asks_nothing() -> None:
    sent = mail(NoticeKind.RECEIPT, next_attempt_at=NEXT, pause_at=PAUSE, is_warning=True)
    assert "2026" not in sent.text
    assert "/pay/" not in sent.text + sent.html
    assert "thank you" in sent.text.lower()


def test_the_final_warning_names_the_last_attempt_and_the_pause() -> None:
    sent = mail(NoticeKind.FINAL_WARNING, next_attempt_at=NEXT, pause_at=PAUSE)
    assert PAUSE_TEXT in sent.subject
    for words in (unfolded(sent.text), read(sent.html).words):
        assert NEXT_TEXT in words
        assert PAUSE_TEXT in words
        assert "last time" in words


WARNINGS = (
    NoticeKind.FIRST,
    NoticeKind.REMINDER,
    NoticeKind.FINAL_WARNING,
    NoticeKind.METHOD_NEEDED,
    NoticeKind.CONFIRM_WITH_BANK,
)


@pytest.mark.parametrize("kind", WARNINGS)
def test_whichever_notice_is_the_warning_names_the_pause(kind: NoticeKind) -> None:
    sent = mail(kind, pause_at=PAUSE, is_warning=True)
    assert PAUSE_TEXT in unfolded(sent.text)
    assert PAUSE_TEXT in read(sent.html).words


def test_the_first_notices_are_gentle() -> None:
    for sent in (mail(NoticeKind.FIRST, pause_at=PAUSE), mail(NoticeKind.REMINDER, pause_at=PAUSE, step_number=2)):
        assert "pause" not in sent.text
        assert "pause" not in sent.subject


def test_reminders_escalate() -> None:
    mild, firm = (mail(NoticeKind.REMINDER, next_attempt_at=NEXT, pause_at=PAUSE, step_number=step) for step in (2, 3))
    assert mild.subject != firm.subject
    assert PAUSE_TEXT not in unfolded(mild.text)
    assert PAUSE_TEXT in unfolded(firm.text)


def test_paused_says_how_to_return() -> None:
    sent = mail(NoticeKind.PAUSED)
    assert "paused" in sent.subject
    assert "return" in sent.subject
    assert "paused, not cancelled" in unfolded(sent.text)
    assert "/pay/" in sent.text


@pytest.mark.parametrize("kind", NoticeKind)
@pytest.mark.parametrize("reason", DeclineReason)
def test_nobody_reads_of_theft_or_fraud(kind: NoticeKind, reason: DeclineReason) -> None:
    sent = mail(kind, reason=reason)
    everything = f"{sent.subject} {sent.text} {read(sent.html).words}".lower()
    assert not [word for word in UNSPEAKABLE if word in everything]


def test_theft_reads_as_any_other_refusal() -> None:
    plain = mail(NoticeKind.METHOD_NEEDED, reason=DeclineReason.DO_NOT_HONOR)
    stolen = mail(NoticeKind.METHOD_NEEDED, reason=DeclineReason.LOST_OR_STOLEN)
    fraud = mail(NoticeKind.METHOD_NEEDED, reason=DeclineReason.FRAUD_SUSPECTED)
    assert plain.text == stolen.text == fraud.text


def test_each_reason_is_told_or_kept_on_purpose() -> None:
    kept = {reason for reason in DeclineReason if reason_told(reason) is None}
    assert kept == {
        DeclineReason.ISSUER_UNAVAILABLE,
        DeclineReason.PROCESSING_ERROR,
        DeclineReason.AUTHORIZATION_DISPUTED,
        DeclineReason.PAYER_DECEASED,
        DeclineReason.DUPLICATE,
        DeclineReason.MERCHANT_ERROR,
        DeclineReason.TECHNICAL,
        DeclineReason.NOT_A_DECLINE,
        DeclineReason.UNKNOWN,
    }


def test_a_reason_is_told_only_where_it_is_set() -> None:
    assert "bank" not in mail(NoticeKind.FIRST).text
    assert "expired" in mail(NoticeKind.FIRST, reason=DeclineReason.EXPIRED_CARD).text


def test_authentication_asks_to_confirm_and_does_not_speak_of_failure() -> None:
    sent = mail(NoticeKind.CONFIRM_WITH_BANK, reason=DeclineReason.AUTHENTICATION_REQUIRED)
    assert "confirm" in sent.subject
    assert "/pay/" in sent.text
    assert "fail" not in sent.text
    assert "did not go through" not in sent.text
