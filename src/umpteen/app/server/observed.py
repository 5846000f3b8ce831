"""What is counted and logged of each request: its route, its answer, its time; its text only where asked for."""

import logging
from time import perf_counter

from prometheus_client import Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from umpteen.app.server.config import Log
from umpteen.app.server.metrics import Metrics

log = logging.getLogger("umpteen.requests")


class Observed:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, log: Log) -> None:
        self._app, self._metrics, self._log = app, metrics, log
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request when it is answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route, took = _route(scope), perf_counter() - began
            requests, seconds = self._counters(route, scope["method"] if route else "", status)
            requests.inc()
            seconds.observe(took)
            if self._log != "errors":
                log.info("%s %s %d %.1f ms", scope["method"], scope["path"], status, took * 1000)

    def _counters(self, route: str, method: str, status: int) -> tuple[Counter, Histogram]:
        """Looked up once for each kind of request."""
        key = route, method, status
        if key not in self._known:
            self._known[key] = self._metrics.requests.labels(*key), self._metrics.seconds.labels(route)
        return self._known[key]


def _route(scope: Scope) -> str:
    """The pattern of the path, so that their number stays small; empty for paths that lead nowhere."""
    return getattr(scope.get("route"), "path", "")
