"""The card of a model: what it is, how it was set, what it learnt from, how well it did."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from umpteen.app.server.shelf import Served
from umpteen.core.errors import UmpteenError
from umpteen.core.store import Folder
from umpteen.metrics.evaluation import Evaluation

EVALUATION = "evaluation.json"  # where `umpteen evaluate MODEL TEST --save MODEL/evaluation.json` leaves the scores


def card(served: Served, *, allow_learn: bool) -> dict[str, Any]:
    """All of it as plain values."""
    model, counts = served.model, served.model.labels_.counts
    return {
        "project_id": served.id,
        "model": served.name,
        "meaning": served.meaning,
        "saved": served.changed,
        "bytes": Folder(served.path, verify=False).size,
        "explains": [*model._reasons()],
        "learns": allow_learn and model.learns,
        "calibrated": model.tuning_ is not None,
        "settings": [
            {
                "name": f.name,
                "value": getattr(model.params, f.name),
                "default": f.default,
                "meaning": f.metadata["meaning"],
            }
            for f in fields(model.params)
        ],
        "data": {
            "documents": model.documents_,
            "labels": len(counts),
            "labels_per_document": round(float(counts.sum()) / max(1, model.documents_), 2),
            "documents_per_label": round(float(counts.mean()), 2) if len(counts) else 0.0,
            "labels_once": int((counts == 1).sum()),
            "hierarchy": model.labels_.has_parents,
        },
        "scores": _scores(served.path / EVALUATION),
    }


def _scores(file: Path) -> dict[str, Any] | None:
    """What was measured of this very model; a model that takes its place takes the file away."""
    try:
        found = Evaluation.load(file) if file.is_file() else None
    except UmpteenError:
        found = None
    return None if found is None else {"data": found.data, "metrics": found.scores}
