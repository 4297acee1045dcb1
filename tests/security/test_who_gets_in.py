"""Who gets in: every address that exists, asked without a token, with one that opens too little, and by a page of somebody else."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from dunr.entry.web import app as web
from dunr.entry.web.app import build_app
from dunr.mail.links import CardLinks, ReminderLinks
from dunr.settings import link_secret
from dunr.tokens import Scope, create
from tests.entry.web.desk import START, application_for, desk
from tests.entry.web.served import Served, served
from tests.security.routes import PARAMETER, UNSAFE, addresses, operations

# Answered to everybody, each with the reason why.
OPEN = {
    "/healthz": "a load balancer has no token, and hears only that we live",
    "/readyz": "the same",
    "/openapi.json": "it is the same for every dunr and is published",
    "/webhooks/": "the processor proves itself by its signature",
    "/pay/": "the signed link is the key",
    "/reminders/": "the same",
}
# Asked by programs that prove themselves: no browser sends along what they prove it by.
PROVED_OTHERWISE = ("/webhooks/", "/processor/")
CASE = "sandbox:acct_sandbox:in_1"
FOREIGN: list[Mapping[str, str]] = [
    {"origin": "https://evil.example"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "origin": "https://other.example.com"},
]


def test_every_address_asks_for_a_token_but_for_those_that_say_why_not(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    asked = list(addresses(build_app(application)))
    with desk(application) as client:
        for method, declared, path in asked:
            if declared.startswith(tuple(OPEN)):
                continue
            for headers in ({}, {"authorization": "Bearer dunr_guess"}, {"authorization": "Basic OmR1bnJfZ3Vlc3M="}):
                answer = client.request(method, path, headers=headers)
                assert (method, path, answer.status_code) == (method, path, 401)
    assert len(asked) > 40
    assert all(any(declared.startswith(place) for _, declared, _ in asked) for place in OPEN)


def test_no_operation_opens_to_a_smaller_scope_and_none_that_acts_to_a_reader(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    ranks = list(Scope)
    tokens = {scope: create(application.store, f"for-{scope}", scope, START) for scope in Scope}
    with desk(application) as client:
        for method, path, operation in operations():
            assert method == "GET" or operation.scope is not Scope.READ, f"{method} {path} acts, and a reader may do it"
            for scope in ranks[: ranks.index(operation.scope)]:
                answer = client.request(method, path, headers={"authorization": f"Bearer {tokens[scope]}"})
                assert (method, path, scope, answer.status_code) == (method, path, scope, 403)


def genuine(dunr: Served) -> dict[str, str]:
    """The addresses of customers that do work, by how they are declared."""
    secret, base = link_secret(dunr.application.settings), dunr.application.settings.links_base
    pay = CardLinks(secret, base).make(CASE, 1, START).rpartition("/")[2]
    reminders = ReminderLinks(secret, base).make(CASE, 1, START).rpartition("/")[2]
    return {"/pay/": pay, "/reminders/": reminders}


def everything(dunr: Served) -> list[object]:
    places = (
        "/v1/cases",
        "/v1/stops",
        "/v1/test/clock",
        "/sandbox/settings",
        "/sandbox/charges?invoice=in_1",
        "/outbox",
    )
    return [dunr.case(), *(dunr.get(place).json() for place in places)]


def test_no_page_of_somebody_else_does_anything_by_any_address_that_exists(tmp_path: Path) -> None:
    """A browser sends along the password that it remembers, cookies that are ours, and goes to links that are genuine."""
    with served(tmp_path) as dunr:
        dunr.fail()
        token = create(dunr.application.store, "ada", Scope.ADMIN, START)
        remembered, links, before = httpx.BasicAuth("ada", token), genuine(dunr), everything(dunr)
        asked = [
            (method, PARAMETER.sub(links.get(f"/{declared.split('/')[1]}/", "in_1"), declared))
            for method, declared, _ in addresses(dunr.app)
            if method in UNSAFE and not declared.startswith(PROVED_OTHERWISE)
        ]
        for method, path in asked:
            for headers in FOREIGN:
                for auth in (None, remembered):
                    answer = dunr.http.request(method, path, headers=headers, auth=auth)
                    assert (method, path, headers, answer.status_code) == (method, path, headers, 403)
        assert everything(dunr) == before
        assert len(asked) > 40


class Forms(HTMLParser):
    """The forms of a template."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((told.get("method", "get").lower(), told.get("action", ""), []))
        elif tag in ("input", "button", "select") and self.forms:
            self.forms[-1][2].append(told.get("name", ""))


TEMPLATES = sorted((Path(web.__file__).parent / "templates").rglob("*.html"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_form_of_ours_carries_what_no_other_page_has(template: Path) -> None:
    """The token of this browser, or the signed link of the customer in its own address."""
    parser = Forms()
    parser.feed(template.read_text())
    for method, action, fields in parser.forms:
        assert method == "post", f"{action}: what acts is posted"
        by_link = re.match(r"/(?:pay|reminders)/\{\{ token \}\}", action) is not None
        assert by_link or "form_token" in fields, f"{action} can be posted by a page of anybody"


def test_there_are_forms() -> None:
    assert sum(template.read_text().count("<form") for template in TEMPLATES) >= 6
