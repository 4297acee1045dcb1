"""The API as its own document promises it: requests made up from the document, against a running dunr that has something to lose."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from dunr.entry.web.app import OPERATIONS
from tests.entry.web.served import Served, served

pytestmark = pytest.mark.endurance

# The clock would be sent through centuries of timers; its own tests bound it (tests/entry/web/test_clock.py).
TRIES_MAX = 20  # of each operation
LEFT_OUT = "/v1/test/clock/advance"
HELD = (
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
)


@pytest.fixture(scope="module")
def dunr(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("dunr")
    with served(folder, store=f"sqlite:///{folder}/dunr.db") as running:
        running.fail()
        running.script("decline:insufficient_funds")
        yield running


@pytest.fixture(scope="module")
def api(dunr: Served) -> schemathesis.schemas.BaseSchema:
    """The document as it is served."""
    return schemathesis.openapi.from_url(f"{dunr.http.base_url}/openapi.json")


@pytest.mark.parametrize(("method", "path"), [(one.method, one.path) for one in OPERATIONS if one.path != LEFT_OUT])
def test_every_answer_is_one_that_the_document_knows(
    api: schemathesis.schemas.BaseSchema, method: str, path: str
) -> None:
    @settings(max_examples=TRIES_MAX, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=api[path][method].as_strategy())
    def ask(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=list(HELD))

    ask()
