"""What Umpteen has beyond Annif: reasons, cards, label search, corrections, health and metrics."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from umpteen.app.server import feedback, shapes
from umpteen.app.server.annif import NOT_FOUND, REFUSED
from umpteen.app.server.card import card
from umpteen.app.server.metrics import TYPE
from umpteen.app.server.problem import Problem, busy, document
from umpteen.app.server.reasons import as_json
from umpteen.app.server.serving import Serving
from umpteen.core.legible import one_line
from umpteen.explain.html import page

_STYLED = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}


def routes(serving: Serving) -> APIRouter:
    """Beside Annif's, and outside /v1 what machines ask for."""
    router = APIRouter()

    @router.post("/v1/projects/{project_id}/explain", response_model=dict[str, Any], responses=REFUSED, tags=["Labels"])
    async def explain(project_id: str, body: shapes.Question, request: Request) -> Response:
        """Why a text gets a label: words, tree paths, neighbours. A page by itself with `Accept: text/html`."""
        served = serving.shelf[project_id]
        serving.check([body.text])
        reasons = await serving.batcher.call(lambda: served.model.explain([body.text], body.label, by=body.by))
        if request.headers.get("accept", "").startswith("text/html"):
            shown = page([reasons], title=f"Labels of “{one_line(body.text, 80)}”")
            return Response(shown, media_type="text/html", headers=_STYLED)
        return _json({**as_json(reasons), "ways": [*served.model._reasons()]})

    @router.get("/v1/projects/{project_id}/card", response_model=dict[str, Any], responses=NOT_FOUND, tags=["Projects"])
    async def model_card(project_id: str) -> Response:
        """What the model is, its settings, what it learnt from, how well it did."""
        served = serving.shelf[project_id]
        return _json(await asyncio.to_thread(card, served, allow_learn=serving.config.allow_learn))

    @router.get(
        "/v1/projects/{project_id}/labels", response_model=shapes.LabelsFound, responses=REFUSED, tags=["Labels"]
    )
    async def labels(
        project_id: str,
        query: Annotated[str, Query(max_length=200)] = "",
        limit: Annotated[int, Query(ge=0, le=100)] = 10,
    ) -> Response:
        """Labels by part of their name."""
        served = serving.shelf[project_id]
        space, found = served.model.labels_, await asyncio.to_thread(lambda: served.search.find(query, limit))
        return _json(
            {
                "labels": [
                    {"uri": space.keys[n], "label": space.name(n), "path": space.path(n), "count": int(space.counts[n])}
                    for n in found
                ]
            }
        )

    @router.post(
        "/v1/projects/{project_id}/feedback",
        status_code=201,
        response_model=shapes.Taken,
        responses=REFUSED | document(403, "Corrections not taken"),
        tags=["Learning"],
    )
    async def correct(project_id: str, body: shapes.Corrected) -> Response:
        """Keep the right labels of a text; answered when they are on the disk."""
        served = serving.shelf[project_id]
        if not serving.config.feedback:
            raise Problem(403, "This server takes no corrections: it was started with --no-feedback.")
        serving.check([body.text])
        if not body.text.strip():
            raise Problem(400, "There is no text that the labels could belong to.")
        correction = feedback.Correction(served.id, body.text, body.labels, body.suggested)
        try:
            number = await asyncio.to_thread(feedback.add, Path(serving.config.feedback), correction)
        except sqlite3.Error as error:
            raise busy(f"The correction was not kept: {error}.", seconds=5) from error
        serving.metrics.corrections.labels(served.id).inc()
        return _json({"number": number}, status=201)

    @router.get("/health", response_model=shapes.State, tags=["Operation"])
    async def health() -> Response:
        """The server is there."""
        return _json({"status": "ok"})

    @router.get("/ready", response_model=shapes.State, responses=document(503, "Busy"), tags=["Operation"])
    async def ready() -> Response:
        """The server takes requests."""
        if serving.batcher.is_full or not serving.batcher.is_alive:
            raise busy("The server is busy.")
        return _json({"status": "ready"})

    @router.get("/metrics", response_class=Response, tags=["Operation"])
    async def metrics() -> Response:
        """For Prometheus."""
        return Response(serving.metrics.text(), headers={"Content-Type": TYPE})

    return router


def _json(value: Any, *, status: int = 200) -> Response:
    return Response(json.dumps(value), status, media_type="application/json")
