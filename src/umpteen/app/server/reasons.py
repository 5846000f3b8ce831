"""Explanations for clients: all that a model says, and the text in pieces, as a page shows it."""

from dataclasses import asdict
from typing import Any

from umpteen.contract.explanation import Explanation, Feature
from umpteen.explain.reading import balance, chance_of, pieces, sides, trails, voters

_ROWS = 50  # features on each side, and neighbours


def as_json(explanation: Explanation) -> dict[str, Any]:
    """Plain values; `pieces` joined are the text, so that nobody needs to count characters."""
    summary, near = voters(explanation)
    return {
        "uri": explanation.label,
        "label": explanation.name,
        "score": explanation.score,
        "kind": explanation.kind,
        "spans": [asdict(span) for span in explanation.spans],
        "pieces": [asdict(piece) for piece in pieces(explanation)],
        "features": {side: _rows(found) for side, found in sides(explanation).items()},
        "bias": explanation.bias,
        "summary": balance(explanation) if explanation.features or not explanation.neighbours else "",
        "paths": [
            {"heading": heading, "chance": chance_of(path), "steps": [asdict(step) for step in path]}
            for heading, path in trails(explanation)
        ],
        "neighbours": [asdict(one) for one in near[:_ROWS]] if explanation.neighbours else [],
        "votes": summary if explanation.neighbours else "",
    }


def _rows(features: list[Feature]) -> list[dict[str, Any]]:
    return [asdict(feature) for feature in features[:_ROWS]]
