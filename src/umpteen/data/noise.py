"""Label noise: labels lost and wrong labels added at a given rate, the same each time for the same seed.

- `missing`: each label of a document is lost with the rate.
- `symmetric`: missing and invalid labels, literally: every label of the label space, there or not, flips with the
  rate. Above a rate of 0.5 this inverts the labels, and over many labels even small rates bury the right ones.
- `balanced`: missing and invalid labels: labels are lost with the rate, and as many wrong ones, drawn evenly from
  the label space, take their places.

Documents stay, even those that lose all their labels, so that noisy and clean data stand side by side.
"""

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import SettingError, UmpteenWarning, did_you_mean
from umpteen.core.space import LabelSpace

KINDS = ("missing", "symmetric", "balanced")
Ids = NDArray[np.int32]


def noisy(corpus: Corpus, rate: float, *, kind: str = "missing", seed: int = 0) -> Corpus:
    """The documents with noise in their labels; wrong labels come from `corpus.space`, else from all labels seen."""
    _check(rate, kind)
    space = corpus.space
    if space is None and kind != "missing":
        space = LabelSpace.learn(corpus.labels())[0]

    def documents() -> Iterator[Document]:
        for number, document in enumerate(corpus):
            keys = tuple(dict.fromkeys(document.labels))
            rng = np.random.default_rng((seed, number))
            kept = tuple(key for key, lost in zip(keys, _lost(len(keys), rate, rng), strict=True) if not lost)
            if space is not None and kind != "missing":
                true = np.sort(np.array([space.id(key) for key in keys if key in space], np.int32))
                wrong = _wrong(true, len(keys) - len(kept), len(space), rate, kind, rng)
                kept += tuple(space.keys[label] for label in wrong.tolist())
            yield replace(document, labels=kept)

    return corpus.changed(documents, size=corpus.size)


def noisy_matrix(Y: sparse.csr_array, rate: float, *, kind: str = "missing", seed: int = 0) -> sparse.csr_array:
    """The same for a 0/1 label matrix (documents, labels)."""
    _check(rate, kind)
    rows: list[Ids] = []
    for number in range(Y.shape[0]):
        true = np.sort(Y.indices[Y.indptr[number] : Y.indptr[number + 1]])
        rng = np.random.default_rng((seed, number))
        kept = true[~_lost(len(true), rate, rng)]
        wrong = _wrong(true, len(true) - len(kept), Y.shape[1], rate, kind, rng)
        rows.append(np.sort(np.concatenate([kept, wrong])))
    ids = np.concatenate(rows) if rows else np.empty(0, np.int32)
    starts = np.cumsum([0, *map(len, rows)])
    return sparse.csr_array((np.ones(len(ids), np.float32), ids, starts), shape=Y.shape)


def _check(rate: float, kind: str) -> None:
    if kind not in KINDS:
        raise SettingError(f"There is no label noise {kind!r}. {did_you_mean(kind, KINDS)}")
    if not 0 <= rate <= 1:
        raise SettingError(f"The rate of label noise must be 0 to 1, not {rate!r}.")
    if kind == "symmetric" and rate > 0.5:
        warnings.warn(
            f"Symmetric noise at a rate of {rate:g} inverts the labels: most labels that are not there appear.",
            UmpteenWarning,
            stacklevel=3,
        )


def _lost(count: int, rate: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    return rng.random(count) < rate


def _wrong(true: Ids, lost: int, labels: int, rate: float, kind: str, rng: np.random.Generator) -> Ids:
    """Distinct labels that are not among `true`, which is sorted; never takes time or memory for those not drawn."""
    others = labels - len(true)
    if kind == "missing":
        return np.empty(0, np.int32)
    count = min(lost, others) if kind == "balanced" else rng.binomial(others, rate)
    drawn = np.sort(rng.choice(others, count, replace=False, shuffle=False))
    shift = np.searchsorted(true - np.arange(len(true)), drawn, side="right")  # steps over the true labels
    return (drawn + shift).astype(np.int32)
