"""Tail, torso and head: AUC and AUPR of labels, averaged within three groups of like frequency.

The areas come from truncated rankings: of a label, all documents whose ranking leaves it out tie at one lowest score.
`ties="half"` takes that for the tie it is: in AUC a pair within it earns one half, in AUPR it is the last threshold.
`ties="strict"` gives no credit for what was not listed, so that an AUC can fall below one half.
Equal scores among listed documents are an ordinary tie either way.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import check_choice
from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Floats, Truth, hits, true_labels
from umpteen.metrics.sets import mean

Ties = Literal["half", "strict"]


@dataclass(frozen=True)
class Group:
    """Labels of like frequency and how well they are told apart; shares and areas in percent."""

    name: str  # tail, torso or head
    least: int  # frequency of its rarest label
    most: int  # frequency of its commonest label
    labels: int
    percent: float  # of all occurrences in the truth
    auc: float
    aupr: float


def frequency_groups(
    ranking: Ranking,
    Y: Truth,
    *,
    frequency: NDArray[np.integer] | None = None,
    least: int = 5,
    ties: Ties = "half",
) -> tuple[Group, ...]:
    """Tail, torso and head, the sums of frequencies as equal as can be; fewer groups where too few frequencies differ.

    The frequency of a label is how often it occurs in the truth, or what `frequency` says, e.g. training counts.
    Labels below `least`, or absent from the truth, belong to no group.
    """
    Y = true_labels(ranking, Y)
    occurrences = np.bincount(Y.indices, minlength=Y.shape[1])
    rate = occurrences if frequency is None else np.pad(frequency, (0, Y.shape[1] - len(frequency)))
    auc, aupr = label_areas(ranking, Y, ties=ties)
    eligible = (rate >= least) & (occurrences > 0)
    ranges, found = _ranges(rate[eligible]), []
    names = ("tail", "torso", "head")[:: 2 if len(ranges) == 2 else 1]
    for name, (low, high) in zip(names, ranges, strict=False):
        chosen = eligible & (rate >= low) & (rate <= high)
        parts = (float(occurrences[chosen].sum() / len(Y.indices)), mean(auc[chosen]), mean(aupr[chosen]))
        found.append(Group(name, low, high, int(chosen.sum()), *(100 * part for part in parts)))
    return tuple(found)


def label_areas(ranking: Ranking, Y: Truth, *, ties: Ties = "half") -> tuple[Floats, Floats]:
    """AUC and AUPR (average precision) of each label, (labels,) each; nan where the truth does not define them."""
    check_choice("ties", ties, get_args(Ties))
    Y = true_labels(ranking, Y)
    documents, width = Y.shape
    given = ranking.labels >= 0
    labels, scores, right = ranking.labels[given], ranking.scores[given], hits(ranking, Y)[given]
    of, size, up, above, place = _steps(labels, scores, right)

    def per_label(values: NDArray[np.generic]) -> Floats:
        return np.bincount(of, weights=values.astype(np.float64), minlength=width).astype(np.float64)

    true = np.bincount(Y.indices, minlength=width).astype(np.float64)
    false = documents - true
    unlisted_true, unlisted_false = true - per_label(up), false - per_label(size - up)
    credit = 0.5 if ties == "half" else 0.0
    pairs = per_label((size - up) * (above - 0.5 * up))
    pairs += unlisted_false * (true - unlisted_true + credit * unlisted_true)
    steps = per_label(up * above / place)
    steps += unlisted_true * true / documents if ties == "half" else 0.0
    return _shares(pairs, true * false), _shares(steps, true)


def _steps(
    labels: NDArray[np.int32], scores: NDArray[np.float32], right: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], ...]:
    """Each label's listed documents, best first, a step for each score they have.

    Of every step: its label, its documents, the right ones among them, and the label's right and listed ones so far.
    """
    order = np.lexsort((-scores, labels))
    labels, scores, right = labels[order], scores[order], right[order]
    last = np.append((labels[1:] != labels[:-1]) | (scores[1:] != scores[:-1]), True)[: len(labels)]
    of = labels[last].astype(np.int64)
    listed, ups = np.flatnonzero(last) + 1, np.cumsum(right)[last]  # counted on from label to label
    size, up = np.diff(listed, prepend=0), np.diff(ups, prepend=0)
    begins = np.append(True, of[1:] != of[:-1])[: len(of)]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(of)), 0))  # each step's label's first step
    return of, size, up, ups - (ups - up)[first], listed - (listed - size)[first]


def _shares(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def _ranges(frequency: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Lowest and highest frequency of each of three groups whose totals differ least (in squares)."""
    values, numbers = np.unique(frequency, return_counts=True)
    if len(values) < 3:
        return [(int(v), int(v)) for v in values]
    totals = np.concatenate([[0], np.cumsum(values * numbers)])  # what the first n frequencies hold
    first = np.tile(np.arange(1, len(values) - 1), 2)
    even = np.searchsorted(totals, (totals[first] + totals[-1]) / 2)  # halves what the first cut leaves, from above ...
    even[len(even) // 2 :] -= 1  # ... or from below
    second = np.clip(even, first + 1, len(values) - 1)
    spread = totals[first] ** 2.0 + (totals[second] - totals[first]) ** 2.0 + (totals[-1] - totals[second]) ** 2.0
    best = np.argmin(spread)
    edges = [0, int(first[best]), int(second[best]), len(values)]
    return [(int(values[low]), int(values[high - 1])) for low, high in pairwise(edges)]
