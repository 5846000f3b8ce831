"""Seeded splits: parts of a corpus in exact sizes, streamed, the same each time they are gone through."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from umpteen.core.corpus import Corpus
from umpteen.core.errors import SettingError
from umpteen.core.space import LabelSpace

Parts = NDArray[np.uint8]  # the number of the part that each document belongs to; one byte a document


def split(corpus: Corpus, fractions: Mapping[str, float], *, seed: int = 0, cover: bool = False) -> dict[str, Corpus]:
    """Part name -> its documents, in the order they stand in `corpus`, drawn at random by `seed`.

    `fractions` adds up to 1, such as `{"train": 0.8, "valid": 0.1, "test": 0.1}`. With `cover`, every label that
    occurs at least twice has a document in the first part. A corpus whose size is not known is counted first.
    """
    sizes = np.array([*fractions.values()])
    if not len(sizes) or len(sizes) > 255 or (sizes < 0).any() or abs(sizes.sum() - 1) > 1e-6:
        raise SettingError(f"The fractions of a split must add up to 1, not {dict(fractions)}.")
    order = np.random.default_rng((seed,)).permutation(_size(corpus))
    parts = _drawn(order, sizes)
    if cover:
        _cover(parts, order, corpus)
    return {name: corpus.take(parts == number) for number, name in enumerate(fractions)}


def splits(corpus: Corpus, count: int, *, test: float = 0.2, seed: int = 0) -> Iterator[tuple[Corpus, Corpus]]:
    """`count` independent pairs of training and test documents, for studies over many splits."""
    if not 0 < test < 1:
        raise SettingError(f"The test fraction of a split must lie between 0 and 1, not at {test}.")
    documents = _size(corpus)
    for number in range(count):
        parts = _drawn(np.random.default_rng((seed, number)).permutation(documents), np.array([1 - test, test]))
        yield corpus.take(parts == 0), corpus.take(parts == 1)


def _size(corpus: Corpus) -> int:
    return corpus.size if corpus.size is not None else sum(1 for _ in corpus)


def _drawn(order: NDArray[np.int64], fractions: NDArray[np.float64]) -> Parts:
    ends = np.rint(np.cumsum(fractions) * len(order)).astype(int)
    parts = np.empty(len(order), np.uint8)
    parts[order] = np.searchsorted(ends[:-1], np.arange(len(order)), side="right")
    return parts


def _cover(parts: Parts, order: NDArray[np.int64], corpus: Corpus) -> None:
    """Bring a document of each label into part 0, for one that part 0 can spare where there is any."""
    Y = LabelSpace.learn(corpus.labels())[1]
    columns = Y.tocsc()
    there = np.bincount(Y[parts == 0].indices, minlength=Y.shape[1])
    missing = np.flatnonzero((there == 0) & (np.diff(columns.indptr) > 1))
    spare = iter(order[parts[order] == 0].tolist())
    for label in missing.tolist():
        if there[label]:
            continue  # came with another label's document
        wanted = columns.indices[columns.indptr[label]]
        there[Y.indices[Y.indptr[wanted] : Y.indptr[wanted + 1]]] += 1
        for other in spare:
            labels = Y.indices[Y.indptr[other] : Y.indptr[other + 1]]
            if (there[labels] > 1).all():
                there[labels] -= 1
                parts[other] = parts[wanted]
                break
        parts[wanted] = 0
