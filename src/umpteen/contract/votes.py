"""A label explained by the training documents whose labels voted on it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from umpteen.contract.explanation import Explanation, Neighbour
from umpteen.core.space import LabelSpace

Labelled = tuple[
    NDArray[np.integer], NDArray[np.int32]
]  # labels of document d are the second's [first[d]:first[d + 1]]


def share_of_votes(label: int, documents: NDArray[np.int32], votes: NDArray[np.floating], Y: Labelled) -> float:
    """The share of the votes that come from documents with a label."""
    has = [label in Y[1][Y[0][document] : Y[0][document + 1]] for document in documents.tolist()]
    total = float(votes.sum())
    return float(votes[has].sum()) / total if total else 0.0


def by_votes(
    space: LabelSpace,
    label: int,
    score: float,
    text: str,
    *,
    documents: NDArray[np.int32],
    similarities: NDArray[np.floating],
    Y: Labelled,
    title: Callable[[int], str],
) -> Explanation:
    """All documents that voted, nearest first, with what they are called and their labels."""
    neighbours = list[Neighbour]()
    for document, near in zip(documents.tolist(), similarities.tolist(), strict=True):
        labels = Y[1][Y[0][document] : Y[0][document + 1]].tolist()
        called, keys = tuple(map(space.name, labels)), tuple(space.keys[n] for n in labels)
        neighbours.append(Neighbour(title(document), float(near), called, keys))
    return Explanation(space.keys[label], space.name(label), score, text, neighbours=tuple(neighbours))
