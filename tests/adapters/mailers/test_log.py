"""The outbox folder: whole files, one for each notice, newest last."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from dunr.adapters.mailers.log import LogMailer, list_outbox
from dunr.core.terms import NoticeKind
from dunr.ports import Delivery
from tests.mail.notices import NOW, mail


def test_a_mail_is_a_file_with_all_of_it(tmp_path: Path) -> None:
    sent = mail(NoticeKind.FINAL_WARNING)
    folder = tmp_path / "data" / "outbox"
    assert LogMailer(folder).deliver(sent) is Delivery.SENT
    (path,) = folder.iterdir()
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["kind"] == "final_warning"
    assert kept["to"] == "ada@example.com"
    assert kept["subject"] == sent.subject
    assert kept["message_id"] == sent.message_id
    assert kept["notice_key"] == sent.notice_key
    assert kept["text"] == sent.text
    assert kept["html"] == sent.html
    assert datetime.fromisoformat(kept["at"]) == NOW
    assert kept["headers"]["Auto-Submitted"] == "auto-generated"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "ada" not in path.name


def test_the_same_notice_twice_is_the_same_file(tmp_path: Path) -> None:
    mailer = LogMailer(tmp_path)
    again = replace(mail(), at=NOW + timedelta(hours=1), text="another text")
    assert mailer.deliver(mail()) is mailer.deliver(again) is LogMailer(tmp_path).deliver(again) is Delivery.SENT
    (entry,) = list_outbox(tmp_path, 10)
    assert (entry.at, entry.text) == (NOW, mail().text)


def test_many_threads_with_one_notice_leave_one_file(tmp_path: Path) -> None:
    mailer = LogMailer(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        answers = set(threads.map(lambda _: mailer.deliver(mail()), range(40)))
    assert answers == {Delivery.SENT}
    assert len(list(tmp_path.iterdir())) == 1


def test_the_newest_are_listed_newest_last(tmp_path: Path) -> None:
    mailer = LogMailer(tmp_path)
    for number in range(12):
        mailer.deliver(replace(mail(key=f"n{number}"), at=NOW + timedelta(minutes=number // 2)))
    assert [entry.notice_key for entry in list_outbox(tmp_path, 3)] == ["n9", "n10", "n11"]
    assert [entry.notice_key for entry in list_outbox(tmp_path, 100)] == [f"n{number}" for number in range(12)]
    assert list_outbox(tmp_path, 0) == ()
    assert list_outbox(tmp_path / "missing", 5) == ()


def test_what_is_no_mail_is_passed_over(tmp_path: Path) -> None:
    LogMailer(tmp_path).deliver(mail())
    (tmp_path / "torn.json").write_text('{"kind": "fi', encoding="utf-8")
    (tmp_path / "other.json").write_text("[]", encoding="utf-8")
    (tmp_path / ".left.part").write_text("half", encoding="utf-8")
    assert [entry.kind for entry in list_outbox(tmp_path, 10)] == [NoticeKind.FIRST]


def test_a_disk_that_takes_nothing_is_for_now_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    mailer = LogMailer(tmp_path)
    monkeypatch.setattr("dunr.adapters.mailers.log.os.fsync", full)
    assert mailer.deliver(mail()) is Delivery.FAILED_FOR_NOW
    assert not list(tmp_path.iterdir())
