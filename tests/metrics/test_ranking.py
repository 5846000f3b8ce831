from math import log, log2

import numpy as np
import pytest
from scipy import sparse

from metrics.cases import Case
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.metrics.ranking import Judged, coverage, hits, inverse_propensity

AT = (1, 2, 3, 5, 7)


def padded_weights(case: Case) -> np.ndarray:
    return inverse_propensity(np.pad(case.counts, (0, case.Y.shape[1] - len(case.counts))), case.documents)


def ranking_of(*rows: list[int]) -> Ranking:
    labels = np.array(rows, np.int32)
    return Ranking(labels, np.where(labels < 0, 0, np.linspace(1, 0.1, labels.shape[1])).astype(np.float32))


def test_literal_formulas(case: Case) -> None:
    weights = padded_weights(case)
    judged = Judged.of(case.ranking, case.Y, k=7, weights=weights)
    truth, ranked = case.lists
    for k in AT:
        precision = recall = dcg = ndcg = got = best = got_dcg = best_dcg = 0.0
        for true, order in zip(truth, ranked, strict=True):
            right = [(place, label) for place, label in enumerate(order[:k], start=1) if label in true]
            reach = sum(1 / log2(place + 1) for place in range(1, min(k, len(true)) + 1))
            largest = sorted((weights[label] for label in true), reverse=True)[:k]
            precision += len(right) / k
            got += sum(weights[label] for _, label in right)
            best += sum(largest)
            gain = sum(1 / log2(place + 1) for place, _ in right)
            dcg += gain
            if true:
                recall += len(right) / len(true)
                ndcg += gain / reach
                got_dcg += sum(weights[label] / log2(place + 1) for place, label in right) / reach
                best_dcg += sum(w / log2(place + 1) for place, w in enumerate(largest, start=1)) / reach
        n = len(truth)
        assert judged.precision(k).value == pytest.approx(precision / n)
        assert judged.recall(k).value == pytest.approx(recall / n)
        assert judged.dcg(k).value == pytest.approx(dcg / n)
        assert judged.ndcg(k).value == pytest.approx(ndcg / n)
        assert judged.psp(k).value == pytest.approx(got / best)
        assert judged.psndcg(k).value == pytest.approx(got_dcg / best_dcg)


def test_agrees_with_napkinxc(case: Case) -> None:
    oracle = pytest.importorskip("napkinxc.metrics", reason="napkinxc is the oracle here")
    weights = padded_weights(case)
    judged = Judged.of(case.ranking, case.Y, k=7, weights=weights)
    truth, ranked = case.lists
    for name, mine in (
        ("precision", judged.precision),
        ("recall", judged.recall),
        ("dcg", judged.dcg),
        ("ndcg", judged.ndcg),
    ):
        theirs = getattr(oracle, f"{name}_at_k")(truth, ranked, k=7)
        assert [mine(k).value for k in range(1, 8)] == pytest.approx(theirs.tolist()), name
    for name, mine in (("psprecision", judged.psp), ("psndcg", judged.psndcg)):
        theirs = getattr(oracle, f"{name}_at_k")(truth, ranked, weights, k=7)
        assert [mine(k).value for k in range(1, 8)] == pytest.approx(theirs.tolist()), name
    theirs = oracle.coverage_at_k(truth, ranked, k=7)
    assert [coverage(case.ranking, case.Y, k=k) for k in range(1, 8)] == pytest.approx(theirs.tolist())


def test_propensity_agrees_with_napkinxc() -> None:
    oracle = pytest.importorskip("napkinxc.metrics", reason="napkinxc is the oracle here")
    Y = (np.random.default_rng(0).random((50, 9)) < 0.3).astype(float)
    for a, b in ((0.55, 1.5), (0.5, 0.4), (0.6, 2.6)):
        theirs = oracle.Jain_et_al_inverse_propensity(Y, A=a, B=b)
        assert inverse_propensity(Y.sum(axis=0), 50, a=a, b=b) == pytest.approx(theirs)


def test_propensity_by_hand() -> None:
    assert inverse_propensity([0, 7], 100) == pytest.approx(
        [1 + (log(100) - 1) * (2.5 / (n + 1.5)) ** 0.55 for n in (0, 7)]
    )
    with pytest.raises(DataError, match="training documents"):
        inverse_propensity([1], 0)


def test_precision_divides_by_k_however_few_labels_there_are() -> None:
    judged = Judged.of(ranking_of([1, 0, -1]), sparse.csr_array([[0, 1, 0]]), k=5)
    assert judged.precision(5).value == pytest.approx(1 / 5)
    assert judged.recall(5).value == judged.ndcg(5).value == judged.psp(5).value == 1


def test_documents_without_labels_count_as_nothing_right() -> None:
    judged = Judged.of(ranking_of([0], [0]), sparse.csr_array([[1, 0], [0, 0]]), k=1)
    assert judged.precision(1).value == judged.recall(1).value == judged.ndcg(1).value == 0.5
    assert judged.psp(1).value == 1  # a ratio of sums: nothing was to be got from the second


def test_labels_never_seen_are_missed() -> None:
    judged = Judged.of(ranking_of([0, -1]), sparse.csr_array([[1, 0, 1]]), k=2, weights=np.array([1.0, 1.0, 3.0]))
    assert judged.recall(2).value == 0.5
    assert judged.psp(2).value == 0.25


def test_stored_zeros_and_unsorted_rows_do_not_matter() -> None:
    Y = sparse.csr_array((np.array([1.0, 0.0, 1.0]), np.array([3, 1, 0]), np.array([0, 3])), shape=(1, 4))
    assert hits(ranking_of([1, 3, 0, -1]), Y).tolist() == [[False, True, True, False]]
    assert Y.nnz == 3


def test_no_truth_at_all() -> None:
    judged = Judged.of(ranking_of([0]), sparse.csr_array((1, 2)), k=1)
    assert judged.precision(1).value == judged.psp(1).value == 0
    assert coverage(ranking_of([0]), sparse.csr_array((1, 2)), k=1) == 0


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(DataError, match="1 documents but the truth of 2"):
        hits(ranking_of([0]), sparse.csr_array((2, 3)))
    with pytest.raises(DataError, match="label 3 but the truth has only 3"):
        hits(ranking_of([3]), sparse.csr_array((1, 3)))
    with pytest.raises(DataError, match="k cannot be 2"):
        Judged.of(ranking_of([0]), sparse.csr_array((1, 3)), k=1).precision(2)
