"""The merchant's side of the contract, whole and runnable: wallets in a SQLite file, and the two calls that dunr makes.

    python examples/billing_server/server.py --secret whsec_... --database wallets.db --port 9000

Two things make it right. A key is charged once: the wallet and the record of the key change in one transaction, and a repeat gets the recorded answer. And a look-up
reads the same record, so that it says `not_found` only where nothing was taken. Keep records of keys for at least 48 hours; this server keeps them for ever.
"""

import argparse
import json
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

BODY_BYTES_MAX = 65_536
TABLES = """
CREATE TABLE IF NOT EXISTS wallets (id TEXT PRIMARY KEY, balance_minor INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, charge TEXT NOT NULL, amount_minor INTEGER NOT NULL, answer TEXT NOT NULL);
"""
Json = dict[str, Any]


class Wallets:
    """The wallets and what was charged from them, in one file."""

    def __init__(self, database: Path) -> None:
        """Create the tables where they are missing."""
        self._database = database
        with closing(self._connect()) as connection:
            connection.executescript(TABLES)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._database, isolation_level=None, timeout=30)

    def fill(self, wallet: str, balance_minor: int) -> None:
        """Set what a wallet holds."""
        with closing(self._connect()) as connection:
            connection.execute("INSERT OR REPLACE INTO wallets VALUES (?, ?)", (wallet, balance_minor))

    def charge(self, call: Json) -> tuple[HTTPStatus, Json]:
        """Take the amount once for this key."""
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            known = connection.execute(
                "SELECT charge, amount_minor, answer FROM keys WHERE key = ?", (call["key"],)
            ).fetchone()
            if known is not None:
                connection.execute("ROLLBACK")
                if known[:2] != (call["charge"], call["amount_minor"]):
                    return HTTPStatus.BAD_REQUEST, {"error": {"code": "idempotency_key_reused"}}
                return HTTPStatus.OK, json.loads(known[2])
            answer = self._take(connection, call)
            row = (call["key"], call["charge"], call["amount_minor"], json.dumps(answer))
            connection.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", row)
            connection.execute("COMMIT")
            return HTTPStatus.OK, answer

    def _take(self, connection: sqlite3.Connection, call: Json) -> Json:
        """Take the money, or say why not. The test instruments of `dunr connector check` move none."""
        now, number = datetime.now(UTC).isoformat(), f"w-{call['key']}"
        if call["instrument"] == "test_not_paid":
            return {"status": "not_paid", "reason_code": "NO_CREDIT", "id": number, "at": now}
        if call["instrument"] == "test_pending":
            return {"status": "pending", "id": number}
        if call["instrument"] in ("test_paid", "test_slow"):
            return {"status": "paid", "id": number, "amount_minor": call["amount_minor"], "at": now}
        found = connection.execute("SELECT balance_minor FROM wallets WHERE id = ?", (call["instrument"],)).fetchone()
        if found is None:
            return {"status": "not_paid", "reason_code": "NO_WALLET", "id": number, "at": now}
        if found[0] < call["amount_minor"]:
            return {"status": "not_paid", "reason_code": "NO_CREDIT", "id": number, "at": now}
        left = found[0] - call["amount_minor"]
        connection.execute("UPDATE wallets SET balance_minor = ? WHERE id = ?", (left, call["instrument"]))
        return {"status": "paid", "id": number, "amount_minor": call["amount_minor"], "at": now}

    def look_up(self, call: Json) -> tuple[HTTPStatus, Json]:
        """What became of a key."""
        with closing(self._connect()) as connection:
            known = connection.execute("SELECT answer FROM keys WHERE key = ?", (call["key"],)).fetchone()
        return HTTPStatus.OK, json.loads(known[0]) if known is not None else {"status": "not_found"}


def handler(wallets: Wallets, secret: str, slow_seconds: float = 12.0) -> type[BaseHTTPRequestHandler]:
    """What answers HTTP for these wallets. `slow_seconds` is how late the answer for the instrument `test_slow` comes."""
    calls: dict[str, Callable[[Json], tuple[HTTPStatus, Json]]] = {
        "/charge": wallets.charge,
        "/look-up": wallets.look_up,
    }

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            if length > BODY_BYTES_MAX:
                self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": {"code": "too_long"}})
                return
            body = self.rfile.read(length)
            answer = calls.get(self.path)
            if answer is None:
                self._say(HTTPStatus.NOT_FOUND, {"error": {"code": "no_such_call"}})
                return
            try:
                call = Webhook(secret).verify(body, {name.lower(): value for name, value in self.headers.items()})
            except WebhookVerificationError:
                self._say(HTTPStatus.UNAUTHORIZED, {"error": {"code": "bad_signature"}})
                return
            if call.get("instrument") == "test_error":
                self._say(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": {"code": "down"}})
                return
            told = answer(call)
            if call.get("instrument") == "test_slow":
                time.sleep(slow_seconds)
            self._say(*told)

        def _say(self, status: HTTPStatus, answer: Json) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the base class gives it
            """Say nothing: a call holds a customer's data."""

    return Handler


def main() -> None:
    """Serve until stopped."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--secret", required=True, help="the billing_secret of dunr")
    options.add_argument("--database", type=Path, default=Path("wallets.db"))
    options.add_argument("--port", type=int, default=9000)
    options.add_argument("--slow-seconds", type=float, default=12.0, help="how late test_slow is answered")
    options.add_argument("--fill", nargs=2, action="append", default=[], metavar=("WALLET", "BALANCE"))
    chosen = options.parse_args()
    wallets = Wallets(chosen.database)
    for wallet, balance in chosen.fill:
        wallets.fill(wallet, int(balance))
    server = ThreadingHTTPServer(("127.0.0.1", chosen.port), handler(wallets, chosen.secret, chosen.slow_seconds))
    sys.stdout.write(f"listening at http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
