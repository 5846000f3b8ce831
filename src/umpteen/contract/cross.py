"""Cross-validation for every form of documents and labels; scikit-learn's own refuses label lists and sparse `y`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.contract.classifier import Classifier
from umpteen.contract.inputs import corpus_of, labels_of
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.metrics.ranking import Judged, inverse_propensity


def cross_validate(
    model: Classifier, X: Any, y: Any = None, *, folds: int = 5, seed: int = 0, at: Sequence[int] = (1, 3, 5)
) -> dict[str, NDArray[np.float64]]:
    """P, nDCG and PSP at each k on every fold, between 0 and 1, by a fresh copy of `model` that learnt the others.

    Documents and labels come as for `fit`. Documents are dealt out by chance, the same for the same `seed`; those
    without labels are left out of it.
    """
    if folds < 2 or not at or min(at) < 1:
        raise DataError(f"Cross-validation takes 2 folds or more and k of 1 or more, not {folds} folds and k {at}.")
    lists, _, columns = labels_of(y) if y is not None else (None, "names", None)
    corpus = corpus_of(X, lists, space=columns)
    labelled = np.flatnonzero([len(labels) > 0 for labels in corpus.labels()])
    if len(labelled) < folds:
        raise DataError(f"{folds} folds need as many labelled documents, and {corpus.name} has {len(labelled)}.")
    parts = [np.sort(part) for part in np.array_split(np.random.default_rng(seed).permutation(labelled), folds)]
    rows = [
        _scores(model, corpus.take(np.setdiff1d(labelled, part, assume_unique=True)), corpus.take(part), at)
        for part in parts
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _scores(model: Classifier, train: Corpus, test: Corpus, at: Sequence[int]) -> dict[str, float]:
    fresh = type(model)(**model.get_params()).fit(train)
    truth = fresh.truth(test)
    counts = np.pad(fresh.labels_.counts, (0, truth.shape[1] - len(fresh.labels_)))
    weights = inverse_propensity(counts, fresh.documents_)
    judged = Judged.of(fresh.rank(test, max(at)), truth, k=max(at), weights=weights)
    metrics = {"P": judged.precision, "nDCG": judged.ndcg, "PSP": judged.psp}
    return {f"{name}@{k}": metric(k).value for name, metric in metrics.items() for k in at}
