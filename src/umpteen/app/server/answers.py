"""Ranked labels as JSON; what never changes of a label is written once and kept."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace

MOST = 1000  # labels of an answer
_CHOSEN = {True: ',"chosen":true', False: ',"chosen":false'}


class Answers:
    """Labels with their names in one language; their usual names where they have none in it."""

    def __init__(self, space: LabelSpace, language: str) -> None:
        self.space, self.language = space, language
        self._begun: dict[tuple[int, bool], str] = {}  # by label, without and with its path: all but the score

    def name(self, label: int) -> str:
        """What people call a label."""
        names = self.space.label(self.space.keys[label]).names
        return names.get(self.language) or self.space.name(label)

    def results(
        self, ranking: Ranking, *, threshold: float, paths: bool = False, given: NDArray[np.bool_] | None = None
    ) -> list[str]:
        """For each document a JSON array of labels that score at least the threshold.

        `given`, (documents, k), says which of them the document gets.
        """
        plain = [[""] * ranking.depth] * len(ranking)
        marks = plain if given is None else [[_CHOSEN[own] for own in row] for row in given.tolist()]
        rows = zip(ranking.labels.tolist(), ranking.scores.tolist(), marks, strict=True)
        return [f"[{','.join(self._written(*row, threshold, paths))}]" for row in rows]

    def _written(
        self, labels: list[int], scores: list[float], marks: list[str], threshold: float, paths: bool
    ) -> Iterable[str]:
        begun = self._begun
        for label, score, mark in zip(labels, scores, marks, strict=True):
            if label < 0 or score < threshold:
                break  # scores fall
            start = begun.get((label, paths)) or self._begin(label, paths)
            yield f"{start}{score:.6g}{mark}}}"

    def _begin(self, label: int, paths: bool) -> str:
        made: dict[str, Any] = {"uri": self.space.keys[label], "label": self.name(label), "notation": None}
        if paths:
            made["path"] = self.space.path(label)
        self._begun[label, paths] = start = json.dumps(made)[:-1] + ',"score":'
        return start
