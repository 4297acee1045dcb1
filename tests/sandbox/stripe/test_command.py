"""``dunr sandbox --stripe`` as a person starts it, with the commands that docs/sandbox-stripe.md shows."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from stripe import CardError, StripeClient

from tests.ports import free_port
from tests.sandbox.processes import READY_SECONDS, Receiver
from tests.source_tree import ROOT

PAGE = (ROOT / "docs" / "sandbox-stripe.md").read_text(encoding="utf-8")


def commands(first_word: str) -> list[list[str]]:
    """The shell commands of the page that begin so, with their lines put together."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line) for line in lines if line.startswith(first_word)]


@pytest.fixture
def address(tmp_path: Path, receiver: Receiver) -> Iterator[str]:
    """The page's own command, on a free port and with somebody who listens."""
    port = free_port()
    (words,) = commands("dunr sandbox")
    words[words.index("--webhook-url") + 1] = receiver.url
    dunr = str(Path(sys.executable).with_name("dunr"))
    process = subprocess.Popen([dunr, *words[1:], "--port", str(port), "--database", str(tmp_path / "s.db")])
    url = f"http://127.0.0.1:{port}"
    give_up = time.monotonic() + READY_SECONDS
    while True:
        try:
            httpx.get(f"{url}/sandbox/clock")
            break
        except httpx.TransportError:
            assert process.poll() is None, "the sandbox did not start"
            assert time.monotonic() < give_up, "the sandbox took too long to start"
            time.sleep(0.05)
    yield url
    process.terminate()
    process.wait(timeout=20)


def test_the_page_s_commands_do_what_they_say(address: str, receiver: Receiver) -> None:
    told = commands("curl")
    assert len(told) == 2
    for words in told:
        ran = subprocess.run(
            [word.replace("http://127.0.0.1:8090", address) for word in words] + ["-sS", "--fail-with-body"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert isinstance(json.loads(ran.stdout), dict)
    client = StripeClient("sk_test_sandbox", base_addresses={"api": address}, max_network_retries=0)
    with pytest.raises(CardError) as declined:
        client.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    assert declined.value.code == "card_declined"
    assert client.v1.invoices.pay("in_1", {"payment_method": "pm_1"}).status == "paid"
    give_up = time.monotonic() + READY_SECONDS
    while "invoice.paid" not in receiver.types:
        assert time.monotonic() < give_up, "the webhook never came"
        time.sleep(0.02)


def test_the_page_names_every_option_of_the_face() -> None:
    helped = subprocess.run(
        [str(Path(sys.executable).with_name("dunr")), "sandbox", "--help"], capture_output=True, text=True, check=True
    )
    for option in re.findall(r"--stripe-\w+", helped.stdout):
        assert f"`{option}" in PAGE, f"docs/sandbox-stripe.md does not tell what {option} is for"
