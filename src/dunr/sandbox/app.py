"""The sandbox as an ASGI application, to run alone or to be mounted in another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette

from . import control_face, processor_face
from .config import SandboxConfig
from .machine import Sandbox
from .stripe.routes import routes as stripe_routes
from .wire import no_such_route

__all__ = ["SandboxConfig", "build_app"]


def build_app(config: SandboxConfig) -> Starlette:
    """Every face over one sandbox, which acts from now on.

    It is started here and not in the lifespan, because an app that is mounted
    in another one never has its lifespan run. The sandbox is at
    ``app.state.sandbox``; close it there if the lifespan is not run.
    """
    sandbox = Sandbox(config)
    as_stripe = [] if config.stripe is None else stripe_routes(sandbox, config.stripe)
    sandbox.start()

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        sandbox.close()

    app = Starlette(
        routes=[*processor_face.routes(sandbox), *control_face.routes(sandbox), *as_stripe],
        lifespan=lifespan,
        exception_handlers={404: no_such_route, 405: no_such_route},
    )
    app.state.sandbox = sandbox
    return app
