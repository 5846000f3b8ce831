"""How much a request may bring: bytes of its body, seconds to send it, characters of a text."""

import asyncio
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from umpteen.app.server.problem import Problem, too_large


class Limits:
    """Around all routes: a body that is too large or too slow ends the request."""

    def __init__(self, app: ASGIApp, *, body: int, timeout: float) -> None:
        self._app, self._body, self._timeout = app, body, timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application read no more than is allowed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        read, whole = 0, False

        async def receiving() -> Message:
            nonlocal read, whole
            if announced.isdecimal() and int(announced) > self._body:
                raise self._too_large()
            if whole:
                return await receive()  # waiting for the client to leave may take as long as it likes
            try:
                async with asyncio.timeout(self._timeout):
                    message = await receive()
            except TimeoutError:
                raise Problem(408, f"The request was not sent within {self._timeout:g} seconds.") from None
            read += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if read > self._body:
                raise self._too_large()
            return message

        await self._app(scope, receiving, send)

    def _too_large(self) -> Problem:
        return too_large(f"The request is larger than the {self._body:,} bytes that this server takes.")


def check_lengths(texts: Iterable[str], most: int) -> None:
    """Refuse texts with more than `most` characters."""
    longest = max(map(len, texts), default=0)
    if longest > most:
        raise too_large(f"The text has {longest:,} characters, and this server takes {most:,}. Send a part of it.")
