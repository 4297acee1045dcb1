"""`dunr demo`: customers' stories over three weeks, played in seconds by a whole dunr with a sandbox inside, on files that are thrown away unless you want them."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dunr.entry.cli.terminal import FAILED, Failed, Json, answer, say, shown
from dunr.simulate.demo_stories import DEMO_END, DEMO_START, STORIES, Act, DemoStory

if TYPE_CHECKING:
    import httpx

READY_SECONDS = 20.0
MERCHANT, MAIL_FROM = "Demo Shop", "billing@example.com"
BEGINNINGS = frozenset(
    {"TimerFired", "MethodUpdated", "PayNow", "AttemptOverdue"}
)  # what comes before a request at the same instant


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("demo")(demo)


def demo(
    keep: Annotated[
        Path | None, typer.Option(help="An empty folder that keeps the data of the demo, to look into afterwards.")
    ] = None,
    smtp: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="A mail server for tests, such as Mailpit, that takes the demo's mails."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play eight customers' stories over three weeks, and show what dunr makes of them."""
    from dunr.entry.logs import log_to_stderr

    log_to_stderr()
    begun = time.monotonic()
    with _folder(keep) as folder, _running(folder, _mail_server(smtp)) as http:
        for story in STORIES:
            _begin(http, story)
        for act in sorted((act for one in STORIES for act in one.acts), key=lambda act: act.at):
            _do(http, act)
        _advance(http, DEMO_END)
        told = [_told(http, story) for story in STORIES]
        result = _sums(http, told) | {"seconds": round(time.monotonic() - begun, 1), "stories": told}
    if as_json:
        answer(result)
    else:
        _show(result)
    if result["double_captures"]:
        raise typer.Exit(FAILED)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Where the data is: thrown away, unless somebody wants it."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="dunr-demo-") as folder:
            yield Path(folder)
        return
    if keep.exists() and any(keep.iterdir()):
        raise Failed(f"{keep} is not empty; name a folder that is, or one that does not exist yet.")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()


def _mail_server(smtp: str | None) -> dict[str, str]:
    """The settings by which mails leave; without a server they are kept as files."""
    if smtp is None:
        return {}
    host, _, port = smtp.rpartition(":")
    if not host or not port.isdecimal():
        raise typer.BadParameter("Write it as 127.0.0.1:1025.", param_hint="--smtp")
    server = {"DUNR_MAILER": "smtp", "DUNR_SMTP_HOST": host, "DUNR_SMTP_PORT": port, "DUNR_SMTP_SECURITY": "none"}
    return server | {"DUNR_MAIL_FROM": MAIL_FROM, "DUNR_MERCHANT_NAME": MERCHANT}


@contextmanager
def _running(folder: Path, mail_server: dict[str, str]) -> "Iterator[httpx.Client]":
    """A dunr with the sandbox inside, answering on a free port, on the manual clock."""
    import socket

    import httpx
    import uvicorn

    from dunr.bootstrap import build
    from dunr.certificates import trusted
    from dunr.entry.cli.serve import sandbox_inside
    from dunr.entry.web.app import build_app
    from dunr.settings import load_settings

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        environment = {
            "DUNR_DATA": str(folder),
            "DUNR_PORT": str(port),
            "DUNR_SANDBOX_URL": f"http://127.0.0.1:{port}",
            "DUNR_CLOCK": "manual",
            "DUNR_CLOCK_START": DEMO_START,
            **mail_server,
        }
        application = build(load_settings(environment, folder))
        sandbox = sandbox_inside(application)
        app = build_app(application, sandbox_app=sandbox)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            _wait_until(lambda: server.started)
            with httpx.Client(
                base_url=f"http://127.0.0.1:{port}", timeout=120.0, verify=trusted(), trust_env=False
            ) as http:
                yield http
        finally:
            server.should_exit = True
            thread.join(READY_SECONDS)
            sandbox.state.sandbox.close()
            application.close()


def _wait_until(question: Callable[[], bool]) -> None:
    give_up = time.monotonic() + READY_SECONDS
    while not question():
        if time.monotonic() > give_up:
            raise Failed("The demo's own server did not start; is 127.0.0.1 reachable on this machine?")
        time.sleep(0.02)


def _call(http: "httpx.Client", method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - whatever JSON says
    response = http.request(method, path, json=body)
    if response.is_error:
        raise Failed(f"The demo was answered {response.status_code} at {path}: {response.text[:300]}")
    return response.json() if response.content else None


def _advance(http: "httpx.Client", to: str) -> None:
    _call(http, "POST", "/v1/test/clock/advance", {"to": to})


def _begin(http: "httpx.Client", story: DemoStory) -> None:
    """The first charge fails, and the card's later answers are laid out."""
    slug = story.slug
    body = {
        "subscription": f"sub_{slug}",
        "invoice": f"in_{slug}",
        "customer": {
            "id": f"cus_{slug}",
            "email": f"{slug}@example.com",
            "name": story.name,
            "locale": story.locale,
            "timezone": "UTC",
        },
        "amount_minor": story.amount_minor,
        "currency": story.currency,
        "card": {"id": f"card_{slug}", "network": "visa", "last4": "4242", "fingerprint": f"fp_{slug}"},
        "decline": story.decline,
    }
    _call(http, "PUT", f"/sandbox/cards/card_{slug}/script", list(story.script))
    _call(http, "POST", "/sandbox/failures", body)
    _advance(http, DEMO_START)


def _do(http: "httpx.Client", act: Act) -> None:
    """Go there and let it happen."""
    _advance(http, act.at)
    _call(http, "POST", act.path, dict(act.body))
    _advance(http, act.at)


# --- telling it ---------------------------------------------------------------------------------------------------


def _told(http: "httpx.Client", story: DemoStory) -> dict[str, Any]:
    """One story as it came out."""
    case = _call(http, "GET", f"/v1/cases/in_{story.slug}")
    requests = _call(http, "GET", f"/sandbox/charges?invoice=in_{story.slug}")
    mails = _mails(http, story, case)
    lines = [(act.at, 0, "customer", f"{story.name} {act.says}") for act in story.acts]
    lines += [(one["at"], 2, "processor", _request_told(one)) for one in requests]
    lines += [(at, 4, "mail", text) for at, text in mails]
    lines += [
        (one["at"], 1 if one["what"] in BEGINNINGS else 3, "dunr", "; ".join(one["because"]))
        for one in case["audit"]
        if one["what"] != "NoticeSent"
    ]
    lines.sort(key=lambda line: (datetime.fromisoformat(line[0]), line[1]))
    return {
        "name": story.name,
        "title": story.title,
        "invoice": case["invoice"],
        "state": case["state"],
        "access": case["subscription_access"]["access"],
        "captures": sum(one["captured"] for one in requests),
        "captures_by_us": sum(one["captured"] for one in requests if one["key"]),
        "mails": len(mails),
        "timeline": [{"at": at, "who": who, "text": text} for at, _, who, text in lines],
    }


def _mails(http: "httpx.Client", story: DemoStory, case: dict[str, Any]) -> list[tuple[str, str]]:
    """When a mail left for one customer, and its subject; of one that a mail server took, its kind."""
    outbox = http.get("/outbox", headers={"accept": "application/json"})
    if outbox.is_success:
        return [(mail["at"], mail["subject"]) for mail in outbox.json() if mail["to"] == f"{story.slug}@example.com"]
    sent = (notice for notice in case["notices"] if notice["note"].startswith("sent"))
    return [(notice["done_at"], f"{notice['kind']}, taken by the mail server") for notice in sent]


def _request_told(request: dict[str, Any]) -> str:
    """A charge request as the processor saw it."""
    by = f"key {request['key']}" if request["key"] else "not by us"
    return f"charge of {request['amount_minor']} {request['currency']} ({by}): {request['outcome']}"


def _sums(http: "httpx.Client", told: list[dict[str, Any]]) -> dict[str, Any]:
    """What an accountant would ask first."""
    postings = [posting for one in told for posting in _call(http, "GET", f"/v1/cases/{one['invoice']}")["postings"]]
    return {
        "cases": len(told),
        "recovered": sum(one["state"] == "recovered" for one in told),
        "paused": sum(one["access"] == "paused" for one in told),
        "captures": sum(one["captures"] for one in told),
        "double_captures": sum(one["captures_by_us"] > 1 for one in told),
        "mails": sum(one["mails"] for one in told),
        "postings": len(postings),
        "ledger_balanced": all(sum(amount for _, amount in posting["lines"]) == 0 for posting in postings),
    }


def _show(result: dict[str, Any]) -> None:
    """For a person at a terminal."""
    for story in result["stories"]:
        say(f"\n{story['name']} {story['title']}.")
        for line in story["timeline"]:
            say(f"  {shown(datetime.fromisoformat(line['at'])):<28} {line['who']:<9} {line['text']}")
        say(f"  In the end: {story['state']}, access {story['access']}.")
    say(
        f"\n{result['cases']} customers, {result['recovered']} recovered, {result['paused']} paused, {result['captures']} captures, "
        f"{result['double_captures']} double, {result['mails']} mails, {result['postings']} ledger entries, in {result['seconds']} s."
    )
