"""A real Chromium for the tests of this folder; where there is none, they are skipped and say so."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium here: install it by `apt-get install chromium`"
)
# As root there is no sandbox for it; and it must not ask anybody else for anything.
ARGUMENTS = ("--no-sandbox", "--disable-background-networking")


@contextmanager
def browser(*, scripts: bool = False, width: int = 360, locale: str = "en-US") -> Iterator[Page]:
    """A page of a narrow phone without JavaScript, unless told otherwise. Whatever it asks of another host fails the test."""
    strangers: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        context = chromium.new_context(
            java_script_enabled=scripts, viewport={"width": width, "height": 740}, locale=locale
        )
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("request", lambda request: strangers.append(request.url) if "//127.0.0.1:" not in request.url else None)
        try:
            yield page
        finally:
            chromium.close()
    assert not strangers, f"asked of somebody else: {strangers}"


def complaints(page: Page) -> list[str]:
    """What axe finds wrong with the page as it stands. It needs scripts; the page itself brings none."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']} ({[node['target'] for node in one['nodes']]})" for one in found]
