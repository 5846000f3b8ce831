"""Why a tree gives a document a label: the classifiers on the way down and what each feature adds to them."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.explanation import Explanation, Feature, Span, Step, spread
from umpteen.core.errors import DataError
from umpteen.core.space import LabelSpace
from umpteen.kernels import beam as kernel
from umpteen.labels.tree import Tree
from umpteen.linear.weights import Weights
from umpteen.text.features import Features

Trees = list[tuple[Tree, Weights]]


def explained(
    x: sparse.csr_array, text: str, label: int, trees: Trees, *, features: Features, space: LabelSpace, power: int
) -> Explanation:
    """Explain one label of one row: contributions summed over the path and averaged over trees."""
    if label not in trees[0][0].order:
        raise DataError(f"No training document has the label {space.name(label)!r}: nothing speaks for or against it.")
    columns = np.append(x.indices, features.width)  # the bias is the last
    values = np.append(x.data, np.float32(1))
    given = np.zeros(len(columns))
    paths, score = [], 0.0
    for tree, weights in trees:
        path, added, chance = _descent(tree, weights, label, columns, values, power, space)
        paths.append(path)
        given += added / len(trees)
        score += chance / len(trees)
    by_column = dict(zip(columns[:-1].tolist(), given[:-1].tolist(), strict=True))
    order = np.argsort(-np.abs(given[:-1]), kind="stable")
    return Explanation(
        label=space.keys[label],
        name=space.name(label),
        score=score,
        text=text,
        spans=_spans(text, features, by_column),
        features=tuple(Feature(features.name(int(columns[n])), float(given[n])) for n in order if given[n]),
        bias=float(given[-1]),
        paths=tuple(paths),
    )


def _descent(
    tree: Tree,
    weights: Weights,
    label: int,
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    power: int,
    space: LabelSpace,
) -> tuple[tuple[Step, ...], NDArray[np.float64], float]:
    """The steps to a label, what each feature adds on the way, and the chance of the whole path."""
    place = int(np.flatnonzero(tree.order == label)[0])
    steps, added, score = [], np.zeros(len(columns)), 1.0
    for layer, (groups, below) in enumerate(tree.layers()):
        node = int(np.searchsorted(groups, place, side="right")) - 1
        child = int(np.searchsorted(below, place, side="right")) - 1
        first, last = np.searchsorted(below, groups[node]), np.searchsorted(below, groups[node + 1])
        chance = 1.0
        if last - first > 1 or len(tree.levels) == 1:
            parts = kernel.weights_of(weights.parts, layer, node, child - int(first), columns) * values
            added += parts
            chance = float(kernel.chance(np.float32(parts.sum()), power))
        score *= chance
        members = tree.order[below[child] : below[child + 1]]
        steps.append(Step(group_name(members, space), len(members), chance))
    return tuple(steps), added, score


def group_name(members: NDArray[np.int32], space: LabelSpace, *, shown: int = 3) -> str:
    """What a group of labels is called: its most frequent labels."""
    best = members[np.lexsort((members, -space.counts[members]))][:shown]
    more = len(members) - len(best)
    return ", ".join(space.name(int(label)) for label in best) + (f" and {more:,} more" if more else "")


def _spans(text: str, features: Features, given: dict[int, float]) -> tuple[Span, ...]:
    """Where the features stand in the text; the words of a run have equal parts of what it adds."""
    if features.tfidf is None:
        return ()
    places, parts, single = list[tuple[int, int]](), list[float](), features.tfidf.words(text)
    for start, end, column in features.tfidf.spans(text).tolist():
        first, last = np.searchsorted(single[:, 0], (start, end))
        words = [(a, b) for a, b in single[first:last].tolist()] or [(start, end)]
        places += words
        parts += [given.get(column, 0.0) / len(words)] * len(words)
    return spread(np.array(places, np.int64).reshape(-1, 2), parts)
