"""`dunr doctor`: whether everything that dunr needs is set up, and what to do where it is not."""

import typer

from dunr.entry.cli.terminal import Failed, Json, answer, application_of, say


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("doctor")(doctor)


def doctor(context: typer.Context, as_json: Json = False) -> None:
    """Check the key, webhooks, clock, mail, store, policies and brake. Nothing is moved or sent; exit code 1 where something failed."""
    from dunr.doctor import examine
    from dunr.inspection import Level
    from dunr.mail.wiring import mail_brands
    from dunr.mailroom import mail_transport

    with application_of(context) as application:
        settings = application.settings
        brands = {name: brand.warnings() for name, brand in mail_brands(settings).all().items()}
        checks = tuple(examine(application, mail_transport(settings), brands))
    if as_json:
        answer({"checks": checks})
    for check in () if as_json else checks:
        say(f"{check.level:<8} {check.about}: {check.found}")
        if check.to_do and check.level is not Level.OK:
            say(f"         → {check.to_do}")
    failed_count = sum(check.level is Level.FAILED for check in checks)
    if failed_count:
        raise Failed(f"{failed_count} of {len(checks)} checks failed.")
