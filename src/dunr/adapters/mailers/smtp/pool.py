"""Connections to a mail server that are kept between mails, and how long a server that does not answer is left alone.

A server closes what it finds idle, so a kept connection is asked whether it still stands before a mail is trusted to it.
"""

import smtplib
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

KEPT_MAX = 4
KEPT_SECONDS = 60.0
MAILS_EACH_MAX = 100  # servers end a connection that never ends
OK = 250
TRIES_BEFORE_ABSENCE = 3
ABSENCE_SECONDS, ABSENCE_SECONDS_MAX = 5.0, 300.0


class Pool:
    """Hands out connections that stand. Threads may share it; each has its connection to itself."""

    def __init__(self, connect: Callable[[], smtplib.SMTP], clock: Callable[[], float]) -> None:
        """`connect` raises what smtplib raises."""
        self._connect = connect
        self._clock = clock
        self._guard = Lock()
        self._idle: list[tuple[smtplib.SMTP, float]] = []
        self._uses: dict[int, int] = {}

    def take(self) -> smtplib.SMTP:
        """A connection that stood a moment ago: a kept one, or a new one."""
        while True:
            with self._guard:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                return self._connect()
            server, since = kept
            if self._clock() - since < KEPT_SECONDS and _stands(server):
                return server
            self._forget(server)

    def give_back(self, server: smtplib.SMTP) -> None:
        """Keep it for the next mail, unless there are enough, or it has carried enough."""
        with self._guard:
            uses = self._uses.get(id(server), 0) + 1
            self._uses[id(server)] = uses
            if len(self._idle) < KEPT_MAX and uses < MAILS_EACH_MAX:
                self._idle.append((server, self._clock()))
                return
        self._forget(server)

    def close(self) -> None:
        """Take leave of every kept connection."""
        with self._guard:
            idle, self._idle = self._idle, []
        for server, _ in idle:
            self._forget(server)

    def _forget(self, server: smtplib.SMTP) -> None:
        with self._guard:
            self._uses.pop(id(server), None)
        with suppress(smtplib.SMTPException, OSError):
            server.putcmd("QUIT")  # polite; the answer to it is not waited for
        server.close()


def _stands(server: smtplib.SMTP) -> bool:
    """Whether the server still answers on it, with nothing left of the mail before."""
    try:
        return server.rset()[0] == OK
    except (smtplib.SMTPException, OSError):
        return False


class Absence:
    """How long a server that cannot be reached is left alone, so that each of many mails does not wait for its time-out."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Nothing has failed yet."""
        self._clock = clock
        self._guard = Lock()
        self._failures_count = 0
        self._until = 0.0

    def lasts(self) -> bool:
        """Whether it is to be left alone now."""
        with self._guard:
            return self._failures_count >= TRIES_BEFORE_ABSENCE and self._clock() < self._until

    def begin(self) -> None:
        """It could not be reached once more."""
        with self._guard:
            self._failures_count += 1
            beyond = max(0, self._failures_count - TRIES_BEFORE_ABSENCE)
            self._until = self._clock() + min(ABSENCE_SECONDS * 2 ** min(beyond, 16), ABSENCE_SECONDS_MAX)

    def end(self) -> None:
        """It answered."""
        with self._guard:
            self._failures_count = 0
