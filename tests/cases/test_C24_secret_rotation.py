"""C24: while a secret is replaced, any mark that fits any configured secret is enough; nothing is lost and nothing is restarted."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cases.rehearsal import Rehearsal, signature

OLD, NEW = "whsec_the_old_one", "whsec_the_new_one"


@contextmanager
def rotating(folder: Path) -> Iterator[tuple[Rehearsal, Path]]:
    """A world whose webhook secrets are in a file, one a line."""
    secrets = folder / "webhook-secrets"
    secrets.write_text(f"{OLD}\n")
    world = Rehearsal(folder, DUNR_WEBHOOK_SECRETS_FILE=str(secrets))
    del world.environment["DUNR_WEBHOOK_SECRETS"]
    try:
        world.start_sandbox()
        world.start_serve()
        world.sandbox_ready()
        yield world, secrets
    finally:
        world.close()


class Sender:
    """A processor that signs failures with the secrets that it is told."""

    def __init__(self, world: Rehearsal) -> None:
        self.world = world
        self.sent_count = 0

    def send(self, *secrets: str, marked: str = "v1") -> bool:
        """Whether one more failure, signed so, was taken and opened its case; a refused one must leave no trace."""
        self.sent_count += 1
        invoice = f"in_24_{self.sent_count}"
        self.world.fail(invoice, card=f"card_{invoice}", send_webhook=False)
        body = (
            f'{{"id":"evt_{invoice}","type":"invoice.payment_failed","account":"acct_sandbox","live":false,'
            f'"data":{{"invoice":"{invoice}","subscription":"sub_{invoice}","customer":"cus_1"}}}}'
        ).encode()
        header = signature(body, self.world.now(), *secrets).replace("v1=", f"{marked}=")
        answer = self.world.deliver(body, header)
        assert answer.status_code in (200, 400), answer.text
        assert (self.world.find(invoice) is not None) == answer.is_success
        return answer.is_success


def test_any_mark_that_fits_any_secret_is_enough_and_the_old_one_is_refused_once_it_is_gone(tmp_path: Path) -> None:
    with rotating(tmp_path) as (world, secrets):
        sender = Sender(world)
        process = world.processes["serve"]

        assert sender.send(OLD, NEW)  # the sender rolls first: both marks, and we know the old secret
        assert not sender.send(NEW)
        secrets.write_text(f"{OLD}\n{NEW}\n")
        assert sender.send(OLD, NEW)
        assert sender.send(OLD)
        assert sender.send(NEW)
        secrets.write_text(f"{NEW}\n")
        assert sender.send(OLD, NEW)
        assert not sender.send(OLD)
        assert sender.send(NEW)

        assert not sender.send(NEW, marked="v0")
        assert not sender.send()

        # A file that is emptied or gone for a moment leaves the last secrets in force.
        secrets.write_text("\n")
        assert sender.send(NEW)
        assert not sender.send("")
        secrets.unlink()
        assert sender.send(NEW)
        assert not sender.send(OLD)
        assert world.processes["serve"] is process
        assert process.poll() is None
