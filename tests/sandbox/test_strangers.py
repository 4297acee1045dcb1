"""A page of somebody else, shown by a browser on this machine, must not drive the sandbox."""

import pytest

from tests.sandbox.processes import SandboxProcess

FAILURE = '{"invoice": "in_stranger"}'


@pytest.mark.parametrize(
    "told",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"host": "rebound.evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"host": ""},
        {"host": "[::1"},
    ],
)
def test_a_page_of_somebody_else_changes_nothing(sandbox: SandboxProcess, told: dict[str, str]) -> None:
    headers = {"content-type": "text/plain"} | told
    refused = sandbox.http.post("/sandbox/failures", content=FAILURE, headers=headers)
    assert refused.status_code in (400, 403), refused.text
    assert sandbox.http.get("/sandbox/charges").json() == []


def test_nor_does_it_read_anything_under_a_name_of_its_own(sandbox: SandboxProcess) -> None:
    refused = sandbox.http.get("/sandbox/charges", headers={"host": "rebound.evil.example"})
    assert (refused.status_code, refused.json()["title"]) == (403, "Not permitted")


@pytest.mark.parametrize("host", ["localhost:8090", "127.0.0.1:8090", "[::1]:8090", "sandbox:8090", "psp.internal"])
def test_programs_of_this_machine_and_of_its_containers_go_on(sandbox: SandboxProcess, host: str) -> None:
    made = sandbox.http.post("/sandbox/failures", content=FAILURE, headers={"host": host})
    assert made.is_success, made.text


def test_our_own_page_may_post_its_form(sandbox: SandboxProcess) -> None:
    own = {"origin": f"http://127.0.0.1:{sandbox.port}", "sec-fetch-site": "same-origin"}
    host = {"host": f"127.0.0.1:{sandbox.port}"}
    assert sandbox.http.post("/sandbox/failures", content=FAILURE, headers=own | host).is_success
