"""Reports that come back: their tokens, and what they say. A forged token proves nothing."""

from email.message import EmailMessage

import pytest

from dunr.mail.reports import Feedback, FeedbackKind, read_report
from dunr.mail.return_paths import ReturnPaths

PATHS = ReturnPaths("a secret that is long enough", "stripe:acct_1:", "bounces@nordwind.example")
CASE, ADA = "stripe:acct_1:in_1NXkABCDEFGHIJKLMNOPQRS", "Ada@Example.com"


def report(action: str, status: str, to: str = "bounces@nordwind.example", original: str = "") -> bytes:
    parts = (
        f"To: {to}\nFrom: MAILER-DAEMON@mx.example\nSubject: Undelivered\nMIME-Version: 1.0\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nIt could not be delivered.\n"
        "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n"
        f"Final-Recipient: rfc822; ada@example.com\nAction: {action}\nStatus: {status}\n\n"
        f"--b\nContent-Type: text/rfc822-headers\n\n{original}\n--b--\n"
    )
    return parts.encode()


def test_a_token_fits_into_an_envelope_and_survives_a_server_that_changes_its_case() -> None:
    token = PATHS.token(CASE, ADA)
    path = PATHS.return_path(token)
    assert path is not None
    assert len(path.partition("@")[0]) <= 64
    for seen in (token, token.upper()):
        assert PATHS.about(seen) == CASE
        assert PATHS.proves(seen, CASE, "ada@example.com")
    assert not PATHS.proves(token, CASE, "bo@example.com")
    assert not PATHS.proves(token, CASE[:-1], ADA)
    other = ReturnPaths("another secret, as long as that", "stripe:acct_1:", None)
    assert not other.proves(token, CASE, ADA)
    assert other.return_path(token) is None
    assert PATHS.return_path(PATHS.token("x:y:" + "z" * 60, ADA)) is None


@pytest.mark.parametrize("text", ["", "a" * 11, "a" * 12, "!" * 20, "1" * 20, "a" * 700, "é" * 20])
def test_what_is_no_token_names_nothing(text: str) -> None:
    about = PATHS.about(text)
    assert about is None or not PATHS.proves(text, about, ADA)


@pytest.mark.parametrize(
    ("action", "status", "kind"),
    [
        ("failed", "5.1.1", FeedbackKind.PERMANENT),
        ("Failed", "5.7.1 (blocked)", FeedbackKind.PERMANENT),
        ("failed", "", FeedbackKind.PERMANENT),
        ("failed", "4.2.2", FeedbackKind.TRANSIENT),
        ("delayed", "4.4.1", None),
        ("delivered", "2.0.0", None),
        ("relayed", "2.0.0", None),
    ],
)
def test_only_failed_is_a_bounce_and_its_class_says_how_firm(
    action: str, status: str, kind: FeedbackKind | None
) -> None:
    told = read_report(report(action, status))
    assert (told.kind if told is not None else None) is kind
    if told is not None:
        assert "example.com" not in told.why


def test_the_token_is_found_in_the_envelope_or_in_what_came_back() -> None:
    token = PATHS.token(CASE, ADA)
    by_envelope = read_report(report("failed", "5.1.1", to=f"<{PATHS.return_path(token)}>"))
    folded = f"X-Dunr-Mail:\n {token}"
    by_header = read_report(report("failed", "5.1.1", original=folded))
    for told in (by_envelope, by_header):
        assert told == Feedback(FeedbackKind.PERMANENT, token, "status 5.1.1")


def test_a_complaint() -> None:
    token = PATHS.token(CASE, ADA)
    raw = (
        "From: fbl@mx.example\nTo: abuse@nordwind.example\nMIME-Version: 1.0\n"
        'Content-Type: multipart/report; report-type=feedback-report; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nSpam.\n--b\nContent-Type: message/feedback-report\n\n"
        f"Feedback-Type: abuse\nUser-Agent: x/1\nVersion: 1\n\n--b\nContent-Type: message/rfc822\n\nX-Dunr-Mail: {token}\n\nhi\n--b--\n"
    )
    assert read_report(raw.encode()) == Feedback(FeedbackKind.COMPLAINT, token, "complaint: abuse")
    assert read_report(raw.replace("abuse\nUser", "not-spam\nUser").encode()) is None


def test_an_odd_one_is_known_and_a_letter_is_not() -> None:
    odd = (
        "From: Mail Delivery Subsystem <MAILER-DAEMON@mail.example>\nTo: bounces@nordwind.example\n"
        "Subject: Returned mail: User unknown\nContent-Type: text/plain\n\n"
        "   ----- The following addresses had permanent fatal errors -----\n<ada@example.com>\n\n"
        "   ----- Transcript of session follows -----\n550 <ada@example.com>... User unknown\n"
    )
    told = read_report(odd.encode())
    assert told is not None
    assert told.kind is FeedbackKind.PERMANENT
    letter = EmailMessage()
    letter["To"], letter["Subject"] = "bounces@nordwind.example", "Re: your mail"
    letter.set_content("I will pay on Friday.")
    assert read_report(letter.as_bytes()) is None
    for junk in (b"", b"\x00\xff" * 50, b"Content-Type: multipart/report; boundary=b\n\n--b\n--b--"):
        assert read_report(junk) is None
