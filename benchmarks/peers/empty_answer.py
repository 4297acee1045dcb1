"""The least that any question over HTTP costs here, as the peer of the entitlement check: Starlette's empty answer to a GET."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def answer(_request: Request) -> Response:
    """Nothing."""
    return Response()


app = Starlette(routes=[Route("/", answer)])
