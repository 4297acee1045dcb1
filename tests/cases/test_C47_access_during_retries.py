"""C47: access stays on while we try, is paused once after the last retry has failed, and nobody is told of an end."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.cases.rehearsal import Json, Rehearsal, rehearse


@contextmanager
def application() -> Iterator[tuple[str, list[Json]]]:
    """The merchant's own application, which keeps what it is told."""
    told: list[Json] = []

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks", told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def version(world: Rehearsal, subscription: str) -> int:
    return int(world.http.get(f"/v1/entitlements/{subscription}").json()["version"])


def test_access_is_on_until_the_last_retry_has_failed_and_the_application_hears_of_one_pause(tmp_path: Path) -> None:
    secret = "whsec_" + base64.b64encode(b"a secret of the merchant's own").decode()
    with (
        application() as (url, told),
        rehearse(tmp_path, DUNR_PUBLISH_URL=url, DUNR_PUBLISH_SECRET=secret) as world,
    ):
        world.fail("in_47")
        assert world.access("sub_in_47") == "grace"
        for retry_at in ("2026-06-24T09:00", "2026-06-29T09:00", "2026-07-02T09:00"):
            world.advance(f"{retry_at}:30Z")
            assert world.times("in_47")[-1] == retry_at
            assert world.access("sub_in_47") == "grace"
            assert world.case("in_47")["state"] == "scheduled"
        assert version(world, "sub_in_47") == 1

        # A second invoice neither pauses sooner nor twice, and another subscription of the same customer keeps its access.
        world.fail("in_47b", subscription="sub_in_47")
        world.fail("in_47c", subscription="sub_other")
        world.advance("2026-07-07T08:59:59Z")
        assert world.access("sub_in_47") == "grace"
        world.advance("2026-07-07T09:00:30Z")
        assert world.access("sub_in_47") == "paused"
        assert world.access("sub_other") == "grace"
        world.advance("2026-07-30T00:00:00Z")
        assert version(world, "sub_in_47") == 2

    for subscription in ("sub_in_47", "sub_other"):
        changes = [message["data"] for message in told if message["type"] == "access.changed"]
        ours = [change for change in changes if change["subscription"] == subscription]
        assert [(change["access"], change["version"]) for change in ours] == [("grace", 1), ("paused", 2)]
