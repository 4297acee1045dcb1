"""Alerts by mail and by webhook: a real SMTP server and a real endpoint hear each once, then that it is over, and many of a kind together."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook

from dunr.application import Application
from dunr.core.terms import AlertKind
from dunr.manual_clock import StoreClock
from tests.adapters.mailers.servers import Post, serving
from tests.adapters.publishers.test_webhook import Receiver, receiving
from tests.engine.applications import running, settings

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


@contextmanager
def told_by_both(folder: Path, post: Post, receiver: Receiver, **more: object) -> Iterator[Application]:
    with receiving(receiver), serving(post) as port:
        mail: dict[str, Any] = {"mailer": "smtp", "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        who: dict[str, Any] = {
            "mail_from": "billing@shop.example",
            "merchant_name": "Shop",
            "alert_mail_to": ("ops@shop.example",),
        }
        where: dict[str, Any] = {"alert_url": receiver.url, "alert_secret": SECRET}
        with running(settings(folder, store="memory:", **mail, **who, **(where | more))) as application:
            yield application


def messages(receiver: Receiver) -> list[dict[str, Any]]:
    """What was sent, each with a signature that is right for the time on the manual clock."""
    found = []
    for _, given, body in receiver.requests:
        headers = {name.lower(): value for name, value in given.items()}
        at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
        assert Webhook(SECRET).sign(headers["webhook-id"], at, body.decode()) == headers["webhook-signature"]
        found.append(json.loads(body))
    return found


def mails(post: Post) -> list[Message]:
    return [message_from_bytes(body) for body in post.bodies]


def text_of(mail: Message) -> str:
    parts = mail.get_payload()
    assert isinstance(parts, list)
    body = parts[0].get_payload(decode=True)  # type: ignore[union-attr]
    assert isinstance(body, bytes)
    return body.decode()


def later(application: Application, minutes: int) -> None:
    assert isinstance(application.clock, StoreClock)
    application.clock.move(application.clock.now() + timedelta(minutes=minutes))
    application.runner.run_until_quiet()


def raised(application: Application, about: str, text: str = "Look at it.") -> None:
    application.intake.alert(AlertKind.DRIFT, about, text)
    application.runner.run_until_quiet()


def test_one_alert_is_told_once_by_each_way_and_so_is_its_end(tmp_path: Path) -> None:
    post, receiver = Post(), Receiver()
    with told_by_both(tmp_path, post, receiver) as application:
        for _ in range(3):
            raised(application, "in_1", "in_1 is paid there and open here.")
        [heard] = messages(receiver)
        assert (heard["type"], heard["data"]["text"]) == ("alert.raised", "in_1 is paid there and open here.")
        [mail] = mails(post)
        assert (mail["To"], mail["Subject"]) == ("ops@shop.example", "[dunr] drift")
        assert "in_1 is paid there and open here." in text_of(mail)
        assert application.intake.alerts.end_about(AlertKind.DRIFT, "in_1", "It agrees again.")
        application.runner.run_until_quiet()
        assert not application.intake.alerts.end_about(AlertKind.DRIFT, "in_1", "It agrees again.")
        assert [one["type"] for one in messages(receiver)] == ["alert.raised", "alert.resolved"]
        assert messages(receiver)[1]["data"]["alert"] == heard["data"]["alert"]
        assert [one["Subject"] for one in mails(post)] == ["[dunr] drift", "[dunr] Over: drift"]
        raised(application, "in_1")
        assert [one["type"] for one in messages(receiver)][2:] == ["alert.raised"], "it came back"


def test_a_flood_is_told_by_a_few_messages_and_one_that_counts(tmp_path: Path) -> None:
    post, receiver = Post(), Receiver()
    with told_by_both(tmp_path, post, receiver) as application:
        for number in range(40):
            raised(application, f"in_{number}", f"in_{number} differs.")
        assert len(receiver.requests) == len(post.bodies) == 5
        later(application, 15)
        assert len(receiver.requests) == len(post.bodies) == 6
        last = messages(receiver)[-1]
        assert (last["type"], last["data"]["count"]) == ("alerts.raised", 35)
        assert "in_39 differs." in json.dumps(last["data"]["alerts"])
        assert mails(post)[-1]["Subject"] == "[dunr] drift (35)"
        assert "And 15 more of this kind." in text_of(mails(post)[-1])
        later(application, 60)
        assert len(receiver.requests) == 6, "nothing is told twice"


def test_a_way_that_fails_is_tried_again_and_the_other_is_not_used_twice(tmp_path: Path) -> None:
    post, receiver = Post(data="451 later"), Receiver()
    with told_by_both(tmp_path, post, receiver) as application:
        raised(application, "in_1")
        assert (len(receiver.requests), len(post.bodies)) == (1, 1)
        post.data = "250 OK"
        later(application, 5)
        assert (len(receiver.requests), len(post.bodies)) == (1, 2)
        assert mails(post)[0]["Message-ID"] == mails(post)[1]["Message-ID"]
        later(application, 60)
        assert (len(receiver.requests), len(post.bodies)) == (1, 2)


def test_an_alert_that_was_over_before_anybody_took_it_is_told_to_nobody(tmp_path: Path) -> None:
    post, receiver = Post(data="451 later"), Receiver(status=500)
    with told_by_both(tmp_path, post, receiver) as application:
        raised(application, "in_1")
        key = f"alert/{AlertKind.DRIFT}/in_1"
        assert not application.intake.alerts.end(key, "It agrees again."), "nobody had heard of it"


def test_no_secret_and_no_address_leaves_in_an_alert(tmp_path: Path) -> None:
    post, receiver = Post(), Receiver()
    with told_by_both(tmp_path, post, receiver) as application:
        raised(application, "in_1", "sk_live_51HabcDef was refused for ada@example.com, card 4242 4242 4242 4242")
        for told in (messages(receiver)[0]["data"]["text"], text_of(mails(post)[0])):
            assert "51HabcDef" not in told
            assert "ada@example.com" not in told
            assert "4242 4242" not in told


def test_an_endpoint_on_a_private_network_is_not_told_unless_it_is_named(tmp_path: Path) -> None:
    post, receiver = Post(), Receiver()
    with told_by_both(tmp_path, post, receiver, outbound_allowed=("10.0.0.0/8",)) as application:
        raised(application, "in_1")
        assert receiver.requests == []
        assert len(post.bodies) == 1
        [record] = application.reports.effects(kind="RaiseAlert", case_id=None, limit=10)
        assert record.done_at is None, "it waits for the settings to be put right"
