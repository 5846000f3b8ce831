"""The page for people: three files, nothing from elsewhere, and a policy that allows nothing else."""

from functools import cache
from hashlib import sha256
from importlib.resources import files

from fastapi import APIRouter, Request, Response

from umpteen.app.server.access import FILES
from umpteen.app.server.problem import Problem

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def routes() -> APIRouter:
    """The page at / and the files it asks for."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def index(request: Request) -> Response:
        return _answer("index.html", request)

    @router.get(f"{FILES}{{name}}")
    async def file(name: str, request: Request) -> Response:
        return _answer(name, request)

    return router


def _answer(name: str, request: Request) -> Response:
    """A file, or nothing where the browser has it already."""
    content, mark = _content(name)
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache", "ETag": mark}
    if request.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


@cache
def _content(name: str) -> tuple[bytes, str]:
    known = {file.name: file for file in files("umpteen.app.server").joinpath("web").iterdir()}
    if name not in known or name.rpartition(".")[2] not in _TYPES:
        raise Problem(404, f"There is no file {name!r} here.")
    content = known[name].read_bytes()
    return content, f'"{sha256(content).hexdigest()[:16]}"'
