"""Ranked labels as JSON; what never changes of a label is written once and kept."""

import json
from collections.abc import Iterable
from typing import Any

from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace

MOST = 1000  # labels of an answer


class Answers:
    """Labels with their names in one language; their usual names where they have none in it."""

    def __init__(self, space: LabelSpace, language: str) -> None:
        self.space, self.language = space, language
        self._begun: dict[tuple[int, bool], str] = {}  # by label, without and with its path: all but the score

    def name(self, label: int) -> str:
        """What people call a label."""
        names = self.space.label(self.space.keys[label]).names
        return names.get(self.language) or self.space.name(label)

    def results(self, ranking: Ranking, *, threshold: float, paths: bool = False) -> list[str]:
        """For each document a JSON array of labels that score at least the threshold."""
        rows = zip(ranking.labels.tolist(), ranking.scores.tolist(), strict=True)
        return [f"[{','.join(self._written(*row, threshold, paths))}]" for row in rows]

    def _written(self, labels: list[int], scores: list[float], threshold: float, paths: bool) -> Iterable[str]:
        begun = self._begun
        for label, score in zip(labels, scores, strict=True):
            if label < 0 or score < threshold:
                break  # scores fall
            start = begun.get((label, paths)) or self._begin(label, paths)
            yield f"{start}{score:.6g}}}"

    def _begin(self, label: int, paths: bool) -> str:
        made: dict[str, Any] = {"uri": self.space.keys[label], "label": self.name(label), "notation": None}
        if paths:
            made["path"] = self.space.path(label)
        self._begun[label, paths] = start = json.dumps(made)[:-1] + ',"score":'
        return start
