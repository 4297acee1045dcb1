"""``python -m dunr.sandbox``: the same server without the rest of dunr around it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .config import STRIPE_KEYS, SandboxConfig, StripeFace
from .instants import parsed
from .server import serve
from .stripe.versions import NEWEST


def given_by(arguments: Sequence[str]) -> tuple[SandboxConfig, int]:
    """What the command line asks for, and the port."""
    options = argparse.ArgumentParser(prog="python -m dunr.sandbox", description=__doc__)
    options.add_argument("--database", type=Path, default=Path("dunr-data/sandbox.db"))
    options.add_argument("--port", type=int, default=8090)
    options.add_argument("--webhook-url")
    options.add_argument("--webhook-secret", action="append", default=[])
    options.add_argument("--api-key", action="append", default=[])
    options.add_argument("--account", default="acct_sandbox")
    options.add_argument("--clock", choices=("system", "manual"), default="system")
    options.add_argument("--clock-start", type=parsed)
    options.add_argument("--stripe", action="store_true", help="answer as Stripe does, too")
    options.add_argument("--stripe-key", action="append", default=[])
    options.add_argument("--stripe-version", default=NEWEST)
    options.add_argument("--stripe-platform", help="the account that the books' account is connected to")
    options.add_argument("--live", action="store_true")
    given = options.parse_args(arguments)
    stripe = StripeFace(
        api_keys=tuple(given.stripe_key) or STRIPE_KEYS,
        api_version=given.stripe_version,
        public_url=f"http://127.0.0.1:{given.port}",
        platform=given.stripe_platform,
    )
    config = SandboxConfig(
        database=given.database,
        webhook_url=given.webhook_url,
        webhook_secrets=tuple(given.webhook_secret),
        api_keys=tuple(given.api_key),
        account=given.account,
        clock=given.clock,
        clock_start=given.clock_start,
        live=given.live,
        stripe=stripe if given.stripe else None,
    )
    return config, given.port


def main() -> None:
    serve(*given_by(sys.argv[1:]))


if __name__ == "__main__":
    main()
