"""The OpenAPI document, made of the same table and the same structs as the routes."""

from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr import __version__
from dunr.entry.web.entitlements import PATH as ENTITLEMENTS
from dunr.entry.web.entitlements import EntitlementAnswer
from dunr.entry.web.operations import Operation
from dunr.entry.web.problems import Problem

ALWAYS = (401, 403, 503)
JSON = "application/json"
PROBLEM_JSON = "application/problem+json"


def document(operations: tuple[Operation, ...]) -> dict[str, Any]:
    """OpenAPI 3.1."""
    kinds: set[type] = {Problem, EntitlementAnswer}
    for operation in operations:
        kinds.add(operation.answer)
        if operation.body is not None:
            kinds.add(operation.body)
    ordered = sorted(kinds, key=lambda kind: kind.__name__)
    refs, schemas = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    ref_of = dict(zip(ordered, refs, strict=True))
    paths: dict[str, dict[str, Any]] = {ENTITLEMENTS: {"get": _entitlement(ref_of)}}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation, ref_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "dunr",
            "version": __version__,
            "description": "Recovers failed subscription charges without ever charging twice.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _described(operation: Operation, ref_of: dict[type, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": f"{operation.method.lower()}{operation.path}".translate(str.maketrans("/-", "__", "{}")),
        "summary": operation.summary,
        "description": f"Needs a token with the scope `{operation.scope}` where tokens are asked for.",
        "parameters": [*_path_parameters(operation.path), *_query_parameters(operation)],
        "responses": {
            str(operation.status): {
                "description": HTTPStatus(operation.status).phrase,
                "content": {JSON: {"schema": ref_of[operation.answer]}},
            },
            **_problems(sorted({*ALWAYS, *operation.refusals, *_of_reading(operation)}), ref_of),
        },
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": bool(getattr(operation.body, "__struct_fields__", ()))
            and len(operation.body.__struct_defaults__) < len(operation.body.__struct_fields__),  # type: ignore[attr-defined]
            "content": {JSON: {"schema": ref_of[operation.body]}},
        }
    return described


def _of_reading(operation: Operation) -> tuple[int, ...]:
    """What may be wrong with the request itself."""
    if operation.body is not None or operation.method == "POST":
        return (400, 408, 413, 415)
    return (400,) if operation.query else ()


def _problems(statuses: list[int], ref_of: dict[type, Any]) -> dict[str, Any]:
    return {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM_JSON: {"schema": ref_of[Problem]}},
        }
        for status in statuses
    }


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "description": what,
            "schema": {"type": "integer", "minimum": 1, "maximum": 500} if name == "limit" else {"type": "string"},
        }
        for name, what in operation.query.items()
    ]


def _entitlement(ref_of: dict[type, Any]) -> dict[str, Any]:
    return {
        "operationId": "get_v1_entitlements_subscription",
        "summary": "May this subscriber use the product?",
        "description": "Answers 304 to an If-None-Match with the ETag of the last answer, where nothing has changed.",
        "parameters": [
            *_path_parameters(ENTITLEMENTS),
            {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}},
        ],
        "responses": {
            "200": {"description": "OK", "content": {JSON: {"schema": ref_of[EntitlementAnswer]}}},
            "304": {"description": "Not Modified"},
            **_problems(list(ALWAYS), ref_of),
        },
    }


def openapi_route(operations: tuple[Operation, ...]) -> Route:
    """GET /openapi.json."""
    body = msgspec.json.encode(document(operations))

    async def show(_request: Request) -> Response:
        return Response(body, media_type=JSON, headers={"Cache-Control": "no-cache"})

    return Route("/openapi.json", show, methods=["GET"])
