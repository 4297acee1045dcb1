"""`dunr init`: a settings file to start from, the data folder, and the secret that signs links."""

from pathlib import Path
from typing import Annotated

import typer

from dunr.entry.cli.terminal import Failed, Json, Place, answer, say, settings_of

FILE_NAME = "dunr.toml"
TEMPLATE = """\
# The settings of dunr. Each can also be set in the environment: port is DUNR_PORT. The environment wins.
# What is commented out has the value that is shown.

data = "{data}"
# port = 8080
# policy = "business_days"        # the name of a policy that ships, or the path of your own: "policy.toml"
# merchant_name = "Example Shop"  # who the mails are from
# mail_from = "billing@shop.invalid"
# mailer = "log"                  # files in the data folder; "smtp" sends: set smtp_host, mail_from and merchant_name
# public_url = "http://localhost:8080"
# processor = "sandbox"           # moves no money
# webhook_secrets = ["whsec_local"]
# api_tokens_required = false
"""


def add_to(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("init")(init)


def init(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Write dunr.toml again where there is one.")] = False,
    as_json: Json = False,
) -> None:
    """Write dunr.toml, make the data folder and the secret that signs links. What is there stays."""
    from dunr.settings import link_secret

    file = Path(FILE_NAME)
    if file.exists() and not force:
        raise Failed(f"{FILE_NAME} is there already; edit it, or write it anew with --force.")
    place = context.find_object(Place)
    data = place.data if place is not None and place.data is not None else Path("dunr-data")
    file.write_text(TEMPLATE.format(data=data.as_posix()), encoding="utf-8")
    settings = settings_of(context)
    settings.data.mkdir(parents=True, exist_ok=True)
    link_secret(settings)
    if as_json:
        answer({"file": str(file), "data": str(settings.data)})
    else:
        say(f"Wrote {file}; data goes to {settings.data}. Start with: dunr serve --sandbox")
