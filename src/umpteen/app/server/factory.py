"""The application: routes, and around them what every request passes."""

import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.cors import CORSMiddleware

from umpteen import __version__
from umpteen.app.server import annif, own, page, problem
from umpteen.app.server.access import Access
from umpteen.app.server.config import Config
from umpteen.app.server.limits import Limits
from umpteen.app.server.observed import Observed
from umpteen.app.server.serving import Serving

_ABOUT = (
    "Tags texts with the right few labels out of umpteen. The part that Annif has too is as Annif's clients know it."
)


def worker() -> FastAPI:
    """The application of one of several worker processes."""
    config = Config.handed_over()
    config.begin_log()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return application(config)


def _end_with_parent() -> None:
    """A worker whose first process was killed answers what it accepted, and ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def application(config: Config) -> FastAPI:
    """The application, with its models read and ready."""
    serving = Serving(config)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await serving.begin()
        yield
        await serving.end()

    app = FastAPI(
        title="Umpteen",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its files would come from elsewhere
        redoc_url=None,
        generate_unique_id_function=_operation,
    )
    app.router.routes.insert(0, annif.quick(serving))
    for router in (annif.routes(serving), own.routes(serving), page.routes()):
        app.include_router(router)
    problem.handle_on(app)
    app.add_middleware(Limits, body=config.body, timeout=config.timeout)
    app.add_middleware(Access, token=config.token, hosts=config.hosts, own=not config.origins)
    if config.origins:  # around the token, which browsers do not send when they ask first
        app.add_middleware(
            CORSMiddleware,
            allow_origins=config.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    app.add_middleware(Observed, metrics=serving.metrics, log=config.log)
    _describe(app)
    return app


def _operation(route: APIRoute) -> str:
    return route.name


def _describe(app: FastAPI) -> None:
    """Wrong requests are answered with 400 and a problem, not as FastAPI would."""
    made = app.openapi()
    for path in made["paths"].values():
        for operation in path.values():
            if operation["responses"].pop("422", None):
                operation["responses"] |= _bad()
    for unused in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(unused, None)


def _bad() -> dict[str, Any]:
    return {str(status): described for status, described in problem.document(400, "Bad request").items()}
