"""What is read when: a start reads no template and no language of ours, the first mail reads those that it needs, and the second none."""

import subprocess
import sys
from pathlib import Path

STARTED = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)

def read():
    names = sorted({name.rpartition("/")[2] for name in opened if "/dunr/mail/" in name and "__pycache__" not in name and not name.endswith(".py")})
    opened.clear()
    return " ".join(names)

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from dunr.bootstrap import build
from dunr.core.terms import NoticeKind
from dunr.mail.preview import preview
from dunr.mail.wiring import mail_renderer
from dunr.settings import Settings

settings = Settings(data=Path(sys.argv[1]), store="memory:")
with closing(build(settings)):
    print("start:", read())
    renderer = mail_renderer(settings)
    for locale in ("de", "de", "ja"):
        preview(renderer, NoticeKind.FIRST, locale, datetime(2026, 6, 23, tzinfo=UTC))
        print(f"{locale}:", read())
"""


def test_templates_and_languages_are_read_when_a_mail_needs_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(tmp_path)], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.stdout.splitlines() == [
        "start: ",
        "de: de.toml en.toml notice.mjml notice.txt.j2",
        "de: ",
        "ja: ja.toml",
    ], done.stderr
