"""`dunr reconcile`: our record against the processor's own, now."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from dunr.entry.cli.terminal import Json, answer, application_of, say, show_table

if TYPE_CHECKING:
    from dunr.application import Application
    from dunr.reconciliation import Finding
    from dunr.sweep import Swept

DAYS_MAX = 3660


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("reconcile")(reconcile)


def reconcile(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be found; nothing is repaired.")
    ] = False,
    days: Annotated[
        int, typer.Option(min=1, max=DAYS_MAX, help="Closed invoices that changed within so many days count too.")
    ] = 2,
    as_json: Json = False,
) -> None:
    """Look at every invoice that is open here or there or has changed lately, repair what is safe, and tell each disagreement."""
    begun = time.monotonic()
    with application_of(context) as application:
        if dry_run:
            swept = _foreseen(application, days)
        else:
            with progress("Looking") as told:
                swept = application.sweep.run(told, changed_within=timedelta(days=days))
    findings = swept.findings
    if as_json:
        answer(
            {
                "dry_run": dry_run,
                "looked_at": swept.looked_at_count,
                "read_whole": swept.read_whole_count,
                "went_on": swept.went_on,
                "findings": findings,
                "seconds": round(time.monotonic() - begun, 1),
            }
        )
        return
    if findings:
        show_table("", ("Case", "Finding"), [(one.case_id, one.what) for one in findings])
    say(
        f"{swept.looked_at_count} invoices looked at, {len(findings)} findings{' (nothing was changed)' if dry_run else ''}."
    )


def _foreseen(application: "Application", days: int) -> "Swept":
    from dunr.sweep import Swept

    reconciliation = application.sweep.reconciliation
    listed = reconciliation.listed(application.clock.now() - timedelta(days=days))
    found: list[Finding] = []
    read_whole_count = 0
    with progress("Looking") as told:
        for count, (case_id, glance) in enumerate(listed.items(), start=1):
            if reconciliation.needs_look(case_id, glance):
                read_whole_count += 1
                found.extend(reconciliation.foresee(case_id))
            told(count, len(listed))
    return Swept(tuple(found), len(listed), read_whole_count, went_on=False)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on the terminal of a person; nothing where the output is read by a program."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
