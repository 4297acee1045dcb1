"""Secrets: compared so that time tells nothing, and told nowhere: not in errors, pages, metrics, the log or what settings look like."""

import ast
import io
import re
from pathlib import Path
from typing import Any

import pytest

from dunr.entry.logs import log_to_stderr
from dunr.entry.web.app import build_app
from dunr.settings import Settings
from dunr.settings.values import SECRET_FIELDS
from dunr.tokens import Scope, create
from tests.entry.web.desk import START, application_for, desk, event, with_store
from tests.security.routes import addresses
from tests.source_tree import ROOT, SRC, nodes

NAMED_LIKE_A_SECRET = re.compile(r"(?i)secret|signature|token|api_?key|passw|digest|\bmarks?\b|sha256")
NO_SECRETS = {
    "HEADER": "the name of a header",
    "BadSignature": "the name of a refusal",
    "MARK": "a mark of the store's own",
    "BACKUP_MARK": "the same",
    "LOCAL_WEBHOOK_SECRET": "known to everybody, and refused where it would matter",
    "SECRET_FIELDS": "names of settings",
    "body_sha256": "the fingerprint of a body that is kept beside it",
    "standing_sha256": "the same",
    "'webhook_secrets_file'": "the name of a setting",
    "'mark'": "a part of a name",
    "mark in shown": "an asterisk in a picture",
}
SECRETS: dict[str, Any] = {
    "sandbox_api_key": "sk_sandbox_Qm7vNotToBeTold",
    "webhook_secrets": ("whsec_Wx3kNotToBeTold",),
    "smtp_host": "127.0.0.1",
    "smtp_user": "dunr",
    "smtp_password": "hunter2NotToBeTold",
    "publish_url": "https://app.example.com/hooks",
    "publish_secret": "whsec_Tm90VG9CZVRvbGROb3RUb0JlVG9sZE5vdA==",
}
NEVER = tuple(
    secret
    for value in SECRETS.values()
    for secret in ([value] if isinstance(value, str) else value)
    if "NotToBeTold" in secret or "Tm90" in secret
)


def test_no_secret_is_compared_by_equality() -> None:
    """`==` ends at the first sign that differs, and so tells whoever has a clock how many were right: use hmac.compare_digest."""
    found = [
        f"{place}: {ast.unparse(node)}"
        for place, node in nodes(SRC)
        if isinstance(node, ast.Compare)
        and any(isinstance(sign, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for sign in node.ops)
        and not any(
            isinstance(side, ast.Call) and ast.unparse(side.func) == "len" for side in (node.left, *node.comparators)
        )
        and not any(ast.unparse(side).endswith("is None") for side in (node.left, *node.comparators))
        and any(NAMED_LIKE_A_SECRET.search(ast.unparse(side)) for side in (node.left, *node.comparators))
        and not any(name in ast.unparse(node) for name in NO_SECRETS)
    ]
    assert found == []


def test_whatever_is_proved_by_a_secret_is_compared_in_constant_time() -> None:
    """Each place that checks one, so that a new one is added here, and one that stops doing so is missed."""
    places = {
        place.rpartition(":")[0]
        for place, node in nodes(SRC)
        if isinstance(node, ast.Attribute) and node.attr == "compare_digest"
    }
    assert places >= {
        "src/dunr/tokens.py",
        "src/dunr/entry/web/forms.py",
        "src/dunr/mail/return_paths.py",
        "src/dunr/sandbox/processor_face.py",
        "src/dunr/sandbox/stripe/admission.py",
    }
    assert sum(place.startswith("src/dunr/adapters/processors/") for place in places) >= 1


def test_settings_do_not_show_what_is_secret() -> None:
    settings = Settings(
        data=Path("data"),
        mail_from="a@shop.example",
        merchant_name="Shop",
        store="postgresql://u:hunter2NotToBeTold@h/d",
        **SECRETS,
    )
    assert all(secret not in repr(settings) + str(settings) for secret in NEVER)
    assert {name for name in SECRETS if "secret" in name or "password" in name or "key" in name} <= SECRET_FIELDS


def test_every_setting_that_is_named_like_a_secret_is_hidden() -> None:
    named = {name for name in Settings.__dataclass_fields__ if re.search(r"secret|passw|_key$|_token$", name)}
    assert named - SECRET_FIELDS <= {"webhook_secrets_file"}


class Broken:
    """What every verb of a store that somebody forgot to close answers: an error that nobody named, with secrets in its text."""

    def __call__(self, *_: object, **__: object) -> object:
        raise RuntimeError(" ".join(NEVER))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_no_answer_tells_a_secret_even_where_something_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = application_for(
        tmp_path, **{name: value for name, value in SECRETS.items() if not name.startswith("smtp")}
    )
    token = create(application.store, "ada", Scope.ADMIN, START)
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    log_to_stderr(events=True)
    broken = with_store(application, load=Broken(), document=Broken(), receive=Broken(), cases_of=Broken())
    asked = 0
    for served in (application, broken):
        with desk(served) as client:
            for method, _, path in addresses(build_app(served)):
                for more in ({}, {"authorization": f"Bearer {token}"}, {"accept": "text/html"}):
                    headers = {"connection": "close", **more}  # what was refused was not read to its end
                    answer = client.request(method, path, headers=headers, content=event() if method == "POST" else b"")
                    told = answer.text + repr(answer.headers)
                    assert not [secret for secret in (*NEVER, token) if secret in told], (method, path)
                    asked += 1
    assert asked > 200
    assert token not in log.getvalue()


def test_what_is_installed_is_what_was_pinned() -> None:
    """Each installation from an index names the lock, whose every line has its hashes (test_tidy), and lets pip refuse anything else."""
    recipes = [ROOT / "Makefile", ROOT / ".ci" / "run"]
    installs = [
        line.strip()
        for recipe in recipes
        for line in recipe.read_text().splitlines()
        if re.search(r"\bpip install\b", line) and not line.lstrip().startswith("#")
    ]
    assert installs
    loose = [line for line in installs if "--require-hashes" not in line and "--no-deps" not in line]
    assert loose == []
    for name in ("requirements.lock", "benchmarks/requirements.txt"):
        text = (ROOT / name).read_text()
        pins = re.findall(r"^[a-z0-9][\w.\[\]-]*==", text, re.MULTILINE | re.IGNORECASE)
        blocks = re.split(r"^(?=[a-z0-9][\w.\[\]-]*==)", text, flags=re.MULTILINE | re.IGNORECASE)[1:]
        assert len(pins) == len(blocks) > 5
        assert all("--hash=sha256:" in block for block in blocks), name
