"""`dunr token`: keys to the API, shown once and kept as their hash."""

from typing import Annotated

import typer

from dunr.entry.cli.terminal import Json, answer, application_of, list_alone, say, show_table
from dunr.tokens import Scope

app = typer.Typer(help="Keys to the API.")

Name = Annotated[str, typer.Argument(help="What it is for.")]


@app.command()
def create(
    context: typer.Context,
    name: Name,
    scope: Annotated[Scope, typer.Option(help="read, act (also read) or admin (everything).")] = Scope.READ,
    as_json: Json = False,
) -> None:
    """Make a token. It is shown this once."""
    from dunr.tokens import create as create_token

    with application_of(context) as application:
        token = create_token(application.store, name, scope, application.clock.now())
    if as_json:
        answer({"name": name, "scope": scope, "token": token})
    else:
        say(token)
        typer.echo("Keep it now; it cannot be shown again.", err=True)


@app.command("list")
def list_tokens(context: typer.Context, as_json: Json = False) -> None:
    """List tokens by name, without their secrets."""
    from dunr.tokens import listed

    with application_of(context) as application:
        found = [
            {"name": one.name, "scope": one.scope, "created_at": one.created_at} for one in listed(application.store)
        ]
    if as_json:
        answer({"tokens": found})
    else:
        show_table("", ("Name", "Scope", "Created"), [tuple(one.values()) for one in found])


list_alone(app, lambda context, as_json: list_tokens(context, as_json=as_json))


@app.command()
def revoke(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Take a token back; it opens nothing from now on."""
    from dunr.tokens import revoke as revoke_token

    with application_of(context) as application:
        revoke_token(application.store, name)
    if as_json:
        answer({"revoked": name})
    else:
        say(f"Revoked {name}.")
