"""Commands of ours beside a running story, as an operator types them."""

import json
import subprocess

from tests import nursery
from tests.cases.rehearsal import Json
from tests.cases.stripe.rehearsal import StripeRehearsal


def dunr(stripe: StripeRehearsal, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """One command on the story's own data, whatever it comes to."""
    return nursery.run("dunr", *arguments, environment=stripe.environment | environment, folder=stripe.folder)


def answered(stripe: StripeRehearsal, *arguments: str) -> Json:
    """What a command answers as JSON."""
    done = dunr(stripe, *arguments, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told: Json = json.loads(done.stdout)
    return told
