"""Errors as answers: problem+json, with the same words for people that the command line prints."""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import HTTPException, RequestValidationError
from starlette.exceptions import HTTPException as AnyHTTPException

from umpteen.core.errors import UmpteenError

TYPE = "application/problem+json"
log = logging.getLogger("umpteen.server")


class Problem(HTTPException):
    """What went wrong with a request: a status, a title, a sentence."""

    def __init__(self, status: int, detail: str, *, title: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, headers=dict(headers or {}))
        self.title = title or HTTPStatus(status).phrase


def busy(detail: str, *, seconds: int = 1) -> Problem:
    """The server cannot answer now, but later."""
    return Problem(503, detail, title="Service unavailable", headers={"Retry-After": str(seconds)})


def too_large(detail: str) -> Problem:
    """More than the server takes; what is still being sent is not read."""
    return Problem(413, detail, title="Payload too large", headers={"Connection": "close"})


def answer(status: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """A problem as a response."""
    content = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Response(json.dumps(content), status, headers, media_type=TYPE)


def handle_on(app: FastAPI) -> None:
    """Answer with a problem whatever goes wrong."""
    app.add_exception_handler(AnyHTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UmpteenError, _refused)
    app.add_exception_handler(Exception, _unexpected)


def document(status: int, description: str) -> dict[int | str, dict[str, Any]]:
    """A problem as the OpenAPI document describes it."""
    return {status: {"description": description, "content": {TYPE: {"schema": SCHEMA}}}}


SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, AnyHTTPException)
    title = error.title if isinstance(error, Problem) else HTTPStatus(error.status_code).phrase
    return answer(error.status_code, title, str(error.detail), error.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """What a request lacks or has wrong, without repeating its text."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()[0]
    if found["type"] == "json_invalid":
        return answer(400, "Bad Request", f"The request is not JSON: {found['ctx']['error']}.")
    place = ".".join(str(part) for part in found["loc"][1:]) or str(found["loc"][0])
    return answer(400, "Bad Request", f"{place}: {found['msg']}")


async def _refused(request: Request, error: Exception) -> Response:
    return answer(400, "Bad Request", str(error))


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("%s %s failed: %s", request.method, request.url.path, type(error).__name__, exc_info=error)
    return answer(500, "Internal Server Error", "Something unexpected went wrong. This is a mistake in Umpteen.")
