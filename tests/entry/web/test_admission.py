"""Who is answered: tokens with scopes, and without tokens this machine alone."""

from pathlib import Path

import httpx

from dunr.tokens import Scope, create, revoke
from tests.entry.web.desk import START, application_for, desk

ASKED = {
    Scope.READ: ("GET", "/v1/cases", 200),
    Scope.ACT: ("POST", "/v1/cases/in_no/pay-now", 404),
    Scope.ADMIN: ("POST", "/v1/stops", 400),
}
OPEN_TO_EVERYBODY = ("/healthz", "/readyz", "/openapi.json", "/static/dunr.css")
PRIVATE = ("/", "/cases/in_1", "/alerts", "/outbox", "/v1/entitlements/sub_1", "/v1/test/clock", "/v1/ledger")


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_each_scope_opens_what_it_says(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    tokens = {scope: create(application.store, f"for-{scope}", scope, START) for scope in Scope}
    ranks = list(Scope)
    with desk(application) as client:
        for wanted, (method, path, status) in ASKED.items():
            for held, token in tokens.items():
                answer = client.request(method, path, headers=bearer(token))
                expected = status if ranks.index(held) >= ranks.index(wanted) else 403
                assert (wanted, held, answer.status_code) == (wanted, held, expected)
        revoke(application.store, "for-admin")
        assert client.get("/v1/cases", headers=bearer(tokens[Scope.ADMIN])).status_code == 401


def test_without_the_right_token_nothing_private_is_answered(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    token = create(application.store, "app", Scope.READ, START)
    wrong: tuple[dict[str, str], ...] = (
        {},
        {"authorization": "Bearer"},
        bearer("dunr_wrong"),
        bearer(token[:-1]),
        bearer("x" * 5000),
        {"authorization": token},
        {"authorization": "Basic !"},
    )
    with desk(application) as client:
        for path in PRIVATE:
            for headers in wrong:
                answer = client.get(path, headers=headers)
                assert (path, answer.status_code) == (path, 401)
                assert answer.headers["www-authenticate"]
                assert token not in answer.text
            assert client.get(path, headers=bearer(token)).status_code == (404 if path == "/cases/in_1" else 200)
        for path in OPEN_TO_EVERYBODY:
            assert client.get(path).status_code == 200


def test_a_browser_asks_a_person_for_the_token(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    token = create(application.store, "ada", Scope.READ, START)
    with desk(application) as client:
        asked = client.get("/", headers={"accept": "text/html"})
        assert (asked.status_code, asked.headers["www-authenticate"][:5]) == (401, "Basic")
        assert asked.headers["content-type"].startswith("text/html")
        assert client.get("/", auth=httpx.BasicAuth("ada", token)).status_code == 200


def test_a_wrong_token_is_wrong_where_none_is_asked_for_too(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        assert client.get("/v1/cases").status_code == 200
        assert client.get("/v1/cases", headers=bearer("dunr_wrong")).status_code == 401


STRANGERS = [
    {"x-forwarded-for": "203.0.113.9"},
    {"host": "evil.example"},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://["},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


def test_without_tokens_strangers_and_their_pages_are_refused(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        for headers in STRANGERS:
            answer = client.post("/v1/stops", json={"kind": "mail"}, headers=headers)
            assert (headers, answer.status_code) == (headers, 403)
        assert client.get("/v1/stops").json()["stops"] == []
        for host in ("localhost:8080", "[::1]:8080", "127.0.0.1"):
            assert client.get("/v1/stops", headers={"host": host}).status_code == 200


def test_a_page_of_somebody_else_does_not_act_by_a_password_that_the_browser_remembers(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True, public_url="https://pay.example.com")
    token = create(application.store, "ada", Scope.ADMIN, START)
    remembered, stop = httpx.BasicAuth("ada", token), {"kind": "mail"}
    with desk(application) as client:
        for headers in STRANGERS[2:]:
            answer = client.post("/v1/stops", json=stop, headers=headers, auth=remembered)
            assert (headers, answer.status_code) == (headers, 403)
        assert client.get("/v1/stops", auth=remembered).json()["stops"] == []
        for headers in ({}, {"origin": "https://pay.example.com"}):
            assert client.post("/v1/stops", json=stop, headers=headers, auth=remembered).status_code == 200
        own_page = {
            "origin": "https://app.example.com"
        }  # a token that a program sends is meant, wherever it comes from
        assert client.post("/v1/stops", json=stop, headers=own_page | bearer(token)).status_code == 200


def test_every_answer_carries_the_headers_that_keep_it_safe(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        for path in ("/", "/v1/cases", "/outbox", "/pay/forged", "/nothing", "/healthz", "/webhooks/sandbox"):
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "script-src" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
        assert client.get("/v1/cases").headers["x-frame-options"] == "DENY"
