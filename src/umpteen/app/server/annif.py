"""Annif's REST API, so that its clients find what they know."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from starlette.routing import Match, Route
from starlette.types import Scope

from umpteen import __version__
from umpteen.app.server import shapes
from umpteen.app.server.language import detected
from umpteen.app.server.learning import Lesson
from umpteen.app.server.problem import Problem, document
from umpteen.app.server.serving import Serving

_FORM = "application/x-www-form-urlencoded"
_FIELDS = 100  # of a form at most
NOT_FOUND = document(404, "Project not found")
BAD = document(400, "Bad request")
REFUSED = BAD | NOT_FOUND | document(413, "Payload too large") | document(503, "Busy; see Retry-After")
_WANTED: dict[str, Any] = {
    "parameters": [{"name": "project_id", "in": "path", "required": True, "schema": {"type": "string"}}],
    "requestBody": {"required": True, "content": {_FORM: {"schema": shapes.Wanted.model_json_schema()}}},
}


def routes(serving: Serving) -> APIRouter:
    """The part of the API under /v1 that Annif has too."""
    router = APIRouter(prefix="/v1")

    @router.get("/", response_model=shapes.Info, tags=["API information"])
    async def info() -> Response:
        """The name and version of the server."""
        return _json({"title": "Umpteen REST API", "version": __version__})

    @router.get("/vocabs", response_model=shapes.Vocabularies, tags=["Vocabularies"])
    async def vocabularies() -> Response:
        """The label sets of all models."""
        return _json({"vocabs": [one.vocabulary() for one in serving.shelf.all()]})

    @router.get("/projects", response_model=shapes.Projects, tags=["Projects"])
    async def projects() -> Response:
        """All models."""
        return _json({"projects": [one.project() for one in serving.shelf.all()]})

    @router.get("/projects/{project_id}", response_model=shapes.Project, responses=NOT_FOUND, tags=["Projects"])
    async def project(project_id: str) -> Response:
        """One model."""
        return _json(serving.shelf[project_id].project())

    router.add_api_route(
        "/projects/{project_id}/suggest",
        _suggest(serving),
        methods=["POST"],
        name="suggest",
        response_model=shapes.Suggestions,
        responses=REFUSED | document(415, "Not a form"),
        openapi_extra=_WANTED,
        tags=["Labels"],
    )

    @router.post(
        "/projects/{project_id}/suggest-batch",
        response_model=list[shapes.DocumentSuggestions],
        responses=REFUSED,
        tags=["Labels"],
    )
    async def suggest_batch(
        project_id: str,
        body: shapes.Documents,
        limit: Annotated[shapes.Limit, Query()] = 10,
        threshold: Annotated[shapes.Threshold, Query()] = 0.0,
        language: str = "",
    ) -> Response:
        """The best labels of up to 32 texts."""
        served, texts = serving.shelf[project_id], [one.text for one in body.documents]
        found = await serving.results(served, texts, limit=limit, threshold=threshold, language=language)
        ids = (json.dumps(one.document_id) for one in body.documents)
        rows = (f'{{"document_id":{id},"results":{results}}}' for id, results in zip(ids, found, strict=True))
        return _written(f"[{','.join(rows)}]")

    @router.post(
        "/projects/{project_id}/learn",
        status_code=204,
        responses=REFUSED | document(403, "Learning not allowed"),
        tags=["Learning"],
    )
    async def learn(project_id: str, body: list[shapes.IndexedDocument]) -> Response:
        """Add documents, with labels known or new, to a model that learns."""
        served = serving.shelf[project_id]
        if not (serving.config.allow_learn and served.model.learns):
            why = "start the server with --allow-learn." if served.model.learns else "its model cannot learn."
            detail = f"Project '{project_id}' is not configured to allow learning via API: {why}"
            raise Problem(403, detail, title="Learning not allowed")
        lessons = [Lesson(one.text, {s.uri: s.label for s in one.subjects}) for one in body if one.text.strip()]
        serving.check([one.text for one in lessons])
        if lessons := [one for one in lessons if one.labels]:
            await serving.learner.learn(served.path, lessons, served.model.labels_)
            await serving.shelf.refresh(project_id, serving.batcher)
        return Response(status_code=204)

    @router.post("/detect-language", response_model=shapes.LanguagesFound, responses=REFUSED, tags=["Languages"])
    async def detect_language(body: shapes.Languages) -> Response:
        """Which of up to five languages a text is in; null stands for all others."""
        serving.check([body.text])
        found = await asyncio.to_thread(detected, body.text, body.languages)
        return _json({"results": [{"language": code, "score": score} for code, score in found]})

    return router


class Quick(Route):
    """A route without what FastAPI does for a request, which takes as long as ranking."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As every route, and with its own name for who counts requests."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


def quick(serving: Serving) -> Route:
    """`suggest` once more, since most requests are for it."""
    return Quick("/v1/projects/{project_id}/suggest", _suggest(serving), methods=["POST"])


def _suggest(serving: Serving) -> Callable[[Request], Awaitable[Response]]:
    async def suggest(request: Request) -> Response:
        """The best labels of a text."""
        served, wanted = serving.shelf[request.path_params["project_id"]], _wanted(request, await request.body())
        [results] = await serving.results(
            served,
            [wanted.text],
            limit=wanted.limit,
            threshold=wanted.threshold,
            language=wanted.language,
            paths=wanted.paths,
            chosen=wanted.chosen,
        )
        return _written(f'{{"results":{results}}}')

    return suggest


def _wanted(request: Request, body: bytes) -> shapes.Wanted:
    """The form of a request."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise Problem(415, f"The text is sent as a form, {_FORM}.")
    try:
        fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_FIELDS)
        return shapes.Wanted.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Problem(400, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError:
        raise Problem(400, f"The form has more than {_FIELDS} fields.") from None


def _json(value: Any) -> Response:
    return _written(json.dumps(value))


def _written(text: str) -> Response:
    return Response(text, media_type="application/json")
