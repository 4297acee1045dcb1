"""Commands of ours beside a running story, as an operator types them."""

import json
import subprocess
import sys
from pathlib import Path

from tests.cases.rehearsal import Json
from tests.cases.stripe.rehearsal import StripeRehearsal

DUNR = Path(sys.executable).with_name("dunr")


def dunr(stripe: StripeRehearsal, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """One command on the story's own data, whatever it comes to."""
    return subprocess.run(
        [DUNR, *arguments],
        env=stripe.environment | environment,
        cwd=stripe.folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def answered(stripe: StripeRehearsal, *arguments: str) -> Json:
    """What a command answers as JSON."""
    done = dunr(stripe, *arguments, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told: Json = json.loads(done.stdout)
    return told
