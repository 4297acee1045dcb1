"""The OpenAPI document: whole, resolvable, and as the routes are."""

import json
import re
from pathlib import Path
from typing import Any

from starlette.routing import Route

from dunr.entry.web.app import build_app
from tests.entry.web.desk import application_for, desk

UNDOCUMENTED = (
    "/webhooks",
    "/pay",
    "/rehearsal",
    "/cases",
    "/alerts",
    "/outbox",
    "/metrics",
    "/reminders",
    "/notices",
    "/healthz",
    "/readyz",
    "/openapi.json",
)


def refs(node: object) -> list[str]:
    return re.findall(r'"\$ref": "([^"]+)"', json.dumps(node))


def test_every_reference_leads_somewhere(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        document = client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    schemas = document["components"]["schemas"]
    assert "StoryAnswer" in schemas
    assert {ref.removeprefix("#/components/schemas/") for ref in refs(document)} <= set(schemas)
    assert set(schemas) <= {ref.removeprefix("#/components/schemas/") for ref in refs(document)}


def test_every_route_of_the_api_is_described(tmp_path: Path) -> None:
    app = build_app(application_for(tmp_path))
    with desk(application_for(tmp_path)) as client:
        paths: dict[str, Any] = client.get("/openapi.json").json()["paths"]
    served = {
        (route.path, method.lower())
        for route in app.routes
        if isinstance(route, Route) and route.path != "/" and not route.path.startswith(UNDOCUMENTED)
        for method in (route.methods or set()) - {"HEAD"}
    }
    at_the_door: dict[str, dict[str, object]] = app.state.at_the_door
    served |= {
        (f"{place}{{subscription}}", method.lower())
        for place, answers in at_the_door.items()
        if not place.startswith(UNDOCUMENTED)
        for method in answers.keys() - {"HEAD"}
    }
    described = {(path, method) for path, methods in paths.items() for method in methods}
    assert served == described
    ids = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)
    for methods in paths.values():
        for operation in methods.values():
            assert operation["summary"]
            assert "401" in operation["responses"]


def test_a_body_that_may_be_left_out_is_not_required(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client:
        paths = client.get("/openapi.json").json()["paths"]
    assert paths["/v1/cases/{id}/pay-now"]["post"]["requestBody"]["required"] is False
    assert paths["/v1/cases/{id}/hold"]["post"]["requestBody"]["required"] is True
