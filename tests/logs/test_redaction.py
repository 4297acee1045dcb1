"""What must not be read is not written: by the name of a field, by its look in any text, and in the text of an exception."""

import io
import json

import pytest
import structlog

from dunr.entry.logs import log_to_stderr
from dunr.happenings import tell
from dunr.redaction import clean_text

CARD = "4242 4242 4242 4242"
HEADER = "Authorization: Bearer dunr_tok.abc-123"
SECRETS = {
    "a card number": ("card 4242424242424242 declined", "4242424242424242"),
    "a card number in groups": (f"card {CARD} declined", CARD),
    "a card number with dashes": ("5555-5555-5555-4444", "5555-5555-5555-4444"),
    "an American Express number": ("378282246310005.", "378282246310005"),
    "a mail address": ("mail to zoe.o'neill+x@shop.example.com bounced", "zoe.o'neill+x@shop.example.com"),
    "a secret key": ("used sk_live_51Habc_def", "51Habc_def"),
    "a restricted key": ("used rk_test_51Habc", "51Habc"),
    "a webhook secret": ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    "an Authorization header": (HEADER, "dunr_tok"),
    "a password in an address": ("postgresql://dunr:hunter2@db/dunr", "hunter2"),
    "an account number": ("from DE89 3704 0044 0532 0130 00", "0044 0532"),
    "an API token": ("dunr_abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnop"),
}


def logged(capsys: pytest.CaptureFixture[str], **fields: object) -> str:
    log_to_stderr()
    structlog.get_logger().warning("something_happened", **fields)
    return capsys.readouterr().err


@pytest.mark.parametrize("what", SECRETS)
def test_no_text_carries_it(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, secret = SECRETS[what]
    assert secret not in clean_text(text)
    line = logged(capsys, text=text, many=[{"deep": (text,)}], raw=text.encode())
    assert secret not in line
    assert json.loads(line)["event"] == "something_happened"
    assert json.loads(logged(capsys, number=4242424242424242))["number"] == "[card]"


@pytest.mark.parametrize("what", SECRETS)
def test_no_exception_carries_it(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, secret = SECRETS[what]
    log_to_stderr()
    try:
        int(text, 10)
    except ValueError:
        structlog.get_logger().exception("it_failed")
    line = capsys.readouterr().err
    assert secret not in line
    assert "ValueError" in json.loads(line)["exception"]


@pytest.mark.parametrize(
    "name",
    ["stripe_api_key", "webhook_secret", "smtp_password", "authorization", "token", "email", "address", "cookie"],
)
def test_a_field_of_such_a_name_is_hidden_whatever_it_holds(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = logged(capsys, **{name: "plain", "inner": {name: "plain"}})
    assert "plain" not in line


def test_what_a_person_needs_stays(capsys: pytest.CaptureFixture[str]) -> None:
    told = {
        "case": "stripe:acct_1Habc:in_1HabcXyz0123456789",
        "key": "dunr-in_8842-a3",
        "at": "2026-06-23T10:00:00.123456+00:00",
        "count": 1234567890123456,
        "numbered": "order 1234567890123456",  # as long as a card number, and none
        "seconds": 0.25,
    }
    line = json.loads(logged(capsys, **told))
    assert line | told == line


def test_people_may_have_it_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("console")
    structlog.get_logger().warning("something_happened", text=f"card {CARD}")
    line = capsys.readouterr().err
    assert "something_happened" in line
    assert CARD not in line


def test_a_stream_that_was_closed_stops_nothing_and_the_next_one_is_written_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = io.StringIO()
    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr", gone)
        log_to_stderr(events=True)
        tell("case_opened", case="in_1")
        gone.close()
        tell("case_opened", case="in_2")
    tell("case_opened", case="in_3")
    log_to_stderr()
    tell("case_opened", case="in_4")
    assert [json.loads(line)["case"] for line in capsys.readouterr().err.splitlines()] == ["in_3"]
