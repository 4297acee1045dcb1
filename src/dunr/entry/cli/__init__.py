"""`dunr`: the command line. One file a group of commands; each imports what it needs when it runs, so that `dunr --help` is quick.

Exit codes: 0 it was done, 1 it failed, 2 it was asked for in a way that cannot be meant.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dunr.entry.cli import (
    audit,
    brake,
    cases,
    chaos,
    charges,
    classify,
    connect,
    connector,
    database,
    deadletters,
    declines,
    demo,
    doctor,
    first_import,
    ledger,
    notices,
    plan,
    policy,
    reconcile,
    report,
    sandbox,
    serve,
    setup,
    subscriptions,
    token,
    worker,
)
from dunr.entry.cli.terminal import Place, exit_code_of, say

app = typer.Typer(
    help="dunr recovers failed subscription charges, and never charges twice.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _tell_version(asked: bool) -> None:
    if asked:
        from dunr import __version__

        say(f"dunr {__version__}")
        raise typer.Exit


@app.callback()
def _begin(
    context: typer.Context,
    data: Annotated[Path | None, typer.Option(help="The data folder; wins over DUNR_DATA.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Dunr recovers failed subscription charges, and never charges twice."""
    context.obj = Place(data=data, debug=debug)


for group in (
    setup,
    serve,
    worker,
    sandbox,
    demo,
    plan,
    classify,
    chaos,
    report,
    reconcile,
    first_import,
    doctor,
    brake,
):
    group.add_to(app)
for name, commands in {
    "cases": cases.app,
    "deadletters": deadletters.app,
    "ledger": ledger.app,
    "audit": audit.app,
    "declines": declines.app,
    "token": token.app,
    "db": database.app,
    "policy": policy.app,
    "connect": connect.app,
    "connector": connector.app,
    "notices": notices.app,
    "charges": charges.app,
    "subscriptions": subscriptions.app,
}.items():
    app.add_typer(commands, name=name)


def main() -> None:
    """The console script."""
    sys.exit(exit_code_of(app))
