"""What is answered in front of the routes answers like everything behind them."""

from pathlib import Path

import pytest

from tests.entry.web.desk import application_for, desk, event, signed

GUARDED = {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "same-origin"}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/webhooks/sandbox", "POST"),
        ("PUT", "/webhooks/sandbox", "POST"),
        ("POST", "/v1/entitlements/sub_1", "GET, HEAD"),
    ],
)
def test_another_method_is_told_which_ones_there_are(tmp_path: Path, method: str, path: str, allowed: str) -> None:
    with desk(application_for(tmp_path)) as client:
        answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_head_has_the_headers_of_the_answer_and_no_body(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        whole, head = client.get("/v1/entitlements/sub_1"), client.head("/v1/entitlements/sub_1")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == whole.headers["etag"]


@pytest.mark.parametrize("path", ["/webhooks/", "/webhooks/sandbox/more", "/v1/entitlements/", "/v1/entitlements/a/b"])
def test_an_address_beside_it_is_none(tmp_path: Path, path: str) -> None:
    with desk(application_for(tmp_path)) as client:
        assert client.get(path).status_code == 404


def test_a_slash_in_an_id_is_no_way_around_it(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        assert client.get("/v1/entitlements/sub%2F1").status_code == 404


def test_every_answer_carries_the_headers_of_all_others(tmp_path: Path) -> None:
    body = event()
    with desk(application_for(tmp_path)) as client:
        answers = [
            client.post("/webhooks/sandbox", content=body, headers=signed(body)),
            client.post("/webhooks/sandbox", content=body),
            client.get("/v1/entitlements/sub_1"),
            client.get("/v1/entitlements/sub_1", headers={"authorization": "Bearer nobody"}),
        ]
        guarded = client.get("/healthz").headers["content-security-policy"]
    assert [answer.status_code for answer in answers] == [200, 400, 200, 401]
    for answer in answers:
        assert GUARDED.items() <= answer.headers.items()
        assert answer.headers["content-security-policy"] == guarded
        assert "cache-control" in answer.headers
