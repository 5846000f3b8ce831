"""Explanations for clients: all that a model says, and the text in pieces, as a page shows it."""

from dataclasses import asdict
from typing import Any

from umpteen.contract.explanation import Explanation, Feature, Vote
from umpteen.explain.reading import balance, ballot, lesson, mixture, pieces, sides, trails, voters

_ROWS = 50  # features on each side, neighbours, labels that they brought


def as_json(explanation: Explanation) -> dict[str, Any]:
    """Plain values; `pieces` joined are the text, so that nobody needs to count characters."""
    return {
        "uri": explanation.label,
        "label": explanation.name,
        "score": explanation.score,
        "kind": explanation.kind,
        "spans": [asdict(span) for span in explanation.spans],
        "pieces": [asdict(piece) for piece in pieces(explanation)],
        "features": {side: _rows(found) for side, found in sides(explanation).items()},
        "bias": explanation.bias,
        "summary": "" if _speaks_otherwise(explanation) else balance(explanation),
        "paths": [
            {"heading": heading, "chance": whole, "steps": [asdict(step) for step in path]}
            for heading, whole, path in trails(explanation)
        ],
        **_neighbours(explanation),
        "members": [_member(vote) for vote in explanation.votes],
    }


def _speaks_otherwise(explanation: Explanation) -> bool:
    """Whether there is no sum of words to speak of."""
    return not explanation.features and bool(explanation.spans or explanation.neighbours or explanation.votes)


def _rows(features: list[Feature]) -> list[dict[str, Any]]:
    return [asdict(feature) for feature in features[:_ROWS]]


def _neighbours(explanation: Explanation) -> dict[str, Any]:
    if not explanation.neighbours:
        return {"neighbours": [], "neighbours_summary": "", "taught": [], "taught_summary": ""}
    summary, near = voters(explanation)
    told, taught = lesson(explanation)
    if parts := mixture(explanation):
        summary = f"{summary}. {parts}"
    return {
        "neighbours": [asdict(one) for one in near[:_ROWS]],
        "neighbours_summary": summary,
        "taught": [asdict(one) for one in taught[:_ROWS]],
        "taught_summary": told if taught else "",
    }


def _member(vote: Vote) -> dict[str, Any]:
    """What one of several models said, and why."""
    reasons = as_json(vote.reasons) if vote.reasons is not None else None
    return {"member": vote.member, "said": ballot(vote), "place": vote.place, "score": vote.score, "reasons": reasons}
