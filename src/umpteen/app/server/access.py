"""Who may ask: the bearer token, the names the server goes by; and the headers that keep a page to itself."""

import hmac

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from umpteen.app.server.problem import answer

OPEN = ("/", "/health", "/ready")  # with the page's files: nothing in them is worth a token
FILES = "/web/"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_RAW = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]


class Access:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: tuple[str, ...], own: bool) -> None:
        self._app, self._hosts, self._own = app, hosts, own  # own: only pages of this very server may read answers
        self._bearer = f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or go on with the headers added to the answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._added([*message.get("headers", ())])
            await send(message)

        refusal = self._refusal(scope) if self._hosts or self._bearer else None
        if refusal is not None:
            status, title, detail = refusal
            challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else None
            await answer(status, title, detail, challenge)(scope, receive, sending)
        else:
            await self._app(scope, receive, sending)

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = Headers(scope=scope)
        host = _bare(headers.get("host", ""))
        if self._hosts and host not in self._hosts:
            known = "Start it with --origin and the address that people use, or with a token."
            return 421, "Misdirected Request", f"This server does not go by the name {host!r}. {known}"
        if not self._bearer or scope["path"] in OPEN or scope["path"].startswith(FILES):
            return None
        given = headers.get("authorization", "").encode("utf-8", "replace")
        if hmac.compare_digest(given, self._bearer):
            return None
        return 401, "Unauthorized", "This server asks for a token: send the header Authorization: Bearer TOKEN."

    def _added(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        there = {name for name, _ in headers}
        headers += [pair for pair in _RAW if pair[0] not in there]
        if self._own:
            headers.append((b"cross-origin-resource-policy", b"same-origin"))
        return headers


def _bare(host: str) -> str:
    """The name without a port: of localhost:8000, 127.0.0.1 or [::1]:8000."""
    name, _, port = host.rpartition(":")
    return (name if port.isdigit() and name and not (":" in name and not name.endswith("]")) else host).lower()
