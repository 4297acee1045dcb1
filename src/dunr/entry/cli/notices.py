"""`dunr notices`: what became of mails that could not leave or came back, another chance for them, and how a notice looks before a customer sees it."""

import mailbox
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, do_what_is_due, say, settings_of, show_table
from dunr.errors import BadRequest

if TYPE_CHECKING:
    from dunr.mail.message import RenderedMail

WIDTH = 640
REPORT_BYTES_MAX = 5_000_000
app = typer.Typer(
    help="Notices that did not leave or came back, and addresses that are written to no more.", no_args_is_help=True
)


@app.command()
def bounce(
    context: typer.Context,
    mbox: Annotated[
        Path | None,
        typer.Option(
            help="A mailbox file of reports; left out: one report on the standard input.", exists=True, dir_okay=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take in bounces and complaints (RFC 3464, RFC 5965, and odd ones). Taking one in twice is harmless."""
    from dunr.entry.feedback import FeedbackTaker
    from dunr.mail.reports import read_report
    from dunr.mailroom import return_paths

    with application_of(context) as application:
        taker = FeedbackTaker(application.engine, return_paths(application.settings))
        results = []
        for raw in _reports(mbox):
            feedback = read_report(raw)
            results.append("ignored: it is no report" if feedback is None else taker.take(feedback))
    if as_json:
        answer({"reports": results})
    for result in results if not as_json else ():
        say(result)


def _reports(mbox: Path | None) -> Iterator[bytes]:
    if mbox is None:
        yield sys.stdin.buffer.read(REPORT_BYTES_MAX)
        return
    box = mailbox.mbox(mbox, create=False)
    try:
        for message in box:
            yield message.as_bytes()
    finally:
        box.close()


@app.command()
def allow(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="A mail address that is to be written to again.")],
) -> None:
    """Write to an address again that mail came back from."""
    from dunr.suppressions import Suppressions

    with application_of(context) as application:
        if not Suppressions(application.store).lift(address, application.clock.now()):
            raise Failed("That address is written to; nothing was changed.")
    say("It is written to again from the next notice on.")


@app.command("dead")
def list_dead(
    context: typer.Context, limit: Annotated[int, typer.Option(min=1, max=1000)] = 50, as_json: Json = False
) -> None:
    """List notices that were given up, newest first."""
    from dunr.dead_notices import dead_notices

    with application_of(context) as application:
        rows = dead_notices(application.reports, limit)
    if as_json:
        answer({"notices": rows})
    else:
        cells = [(row.key, row.kind, row.case, row.given_up_at, row.note) for row in rows]
        show_table("", ("Key", "Kind", "Case", "Given up", "Why"), cells)


@app.command()
def redrive(
    context: typer.Context, key: Annotated[str, typer.Argument(help="The notice's key, as `dead` shows it.")]
) -> None:
    """Give a notice another chance. It leaves only if it is still true."""
    from dunr.dead_notices import redrive as try_again

    with application_of(context) as application:
        if not try_again(application.store, key, application.clock.now()):
            raise Failed(f"There is no notice {key!r} that was given up; `dunr notices dead` shows them.")
        do_what_is_due(application)
    say(f"{key} is tried again.")


@app.command()
def costs(context: typer.Context, as_json: Json = False) -> None:
    """Show what the copywriter took, by month and model: paragraphs, tokens and, where the settings have prices, dollars."""
    from dunr.prose_costs import dollars, prose_costs

    with application_of(context) as application:
        rows = prose_costs(application.store)
    if as_json:
        answer({"costs": rows})
        return
    cells = [
        (row.month, row.model, row.paragraphs_count, row.input_tokens, row.output_tokens, dollars(row.cost_usd_micros))
        if row.cost_usd_micros is not None
        else (row.month, row.model, row.paragraphs_count, row.input_tokens, row.output_tokens, "no price")
        for row in rows
    ]
    show_table("", ("Month", "Model", "Paragraphs", "Tokens in", "Tokens out", "USD"), cells)


@app.command("preview")
def preview(
    context: typer.Context,
    kind: Annotated[str, typer.Option(help="Such as first, reminder, final_warning, paused, receipt.")] = "first",
    locale: Annotated[str, typer.Option(help="Such as en, de-AT, fr, es, pt-BR, ja.")] = "en",
    brand: Annotated[str, typer.Option(help="One of [brands] in the settings.")] = "",
    png: Annotated[Path | None, typer.Option(help="Write a picture here; needs playwright and a Chromium.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the HTML here.")] = None,
    width: Annotated[int, typer.Option(min=280, max=2000, help="Of the picture, in pixels.")] = WIDTH,
    dark: Annotated[bool, typer.Option("--dark", help="The picture in dark mode.")] = False,
) -> None:
    """Show a notice with made-up facts: subject and text, or a picture."""
    from dunr.core.terms import NoticeKind
    from dunr.mail.preview import preview as previewed
    from dunr.mail.wiring import mail_brands, mail_renderer
    from dunr.system_clock import SystemClock

    if kind not in list(NoticeKind):
        raise BadRequest(f"There is no notice {kind}: write one of {', '.join(NoticeKind)}.")
    settings = settings_of(context)
    brands = mail_brands(settings).all()
    if brand and brand not in brands:
        raise BadRequest(f"There is no brand {brand}: write one of {', '.join(brands)}.")
    refused: list[str] = []
    renderer = mail_renderer(settings, lambda _kind, _about, text: refused.append(text))
    mail = previewed(renderer, NoticeKind(kind), locale, SystemClock().now(), settings.processor, brand)
    for warning in (*refused, *brands[brand or "default"].warnings()):
        typer.echo(f"warning: {warning}", err=True)
    if html is not None:
        html.write_text(mail.html, encoding="utf-8")
    if png is not None:
        _picture(mail, png, width, dark=dark)
    say(f"Subject: {mail.subject}\n\n{mail.text}" if html is None and png is None else f"{kind} in {mail.locale}.")


def _picture(mail: "RenderedMail", png: Path, width: int, *, dark: bool) -> None:
    """The page as a browser paints it. Nothing is asked of the network but the brand's logo."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise Failed("A picture needs playwright: pip install playwright, or write --html FILE.") from None
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            context = browser.new_context(
                java_script_enabled=False,
                viewport={"width": width, "height": 600},
                color_scheme="dark" if dark else "light",
            )
            page = context.new_page()
            page.set_content(mail.html)
            page.screenshot(path=png, full_page=True)
            browser.close()
    except Error as error:
        first = str(error).splitlines()[0]
        raise Failed(f"Chromium did not paint it ({first}): install one, or write --html FILE.") from error
