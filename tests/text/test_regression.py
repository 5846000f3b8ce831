"""Kernel regression beside the literal formula, its share beside rankings, and damaged folders."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.store import Folder, new_folder
from umpteen.text.regression import DOCUMENTS, Regression, Weight, is_feasible, joined, of_features
from umpteen.text.vocabulary import Tokens

X = of_features(Tokens(np.array([2, 3, 4, 2, 4, 5], np.int32), np.array([0, 2, 3, 6]), np.ones(6, np.float32)), 6)
Y = sparse.csr_array(np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1]], np.int8))
NOTHING = Ranking(np.full((3, 1), -1, np.int32), np.zeros((3, 1), np.float32))


def literal(queries, damping):
    """((1 + cosine) / 2)^4 of each with each, weights that solve for the labels."""
    dense = X.toarray()
    alike = ((1 + dense @ dense.T) / 2) ** 4
    weights = np.linalg.solve(alike + damping * np.eye(3), Y.toarray())
    return np.clip(((1 + queries.toarray() @ dense.T) / 2) ** 4 @ weights, 0, 1)


def scores(ranking):
    return ranking.csr(3).toarray()


def test_features_have_unit_length_and_what_was_read_stays():
    given = Tokens(np.array([2, 3], np.int32), np.array([0, 2, 2]), np.array([3, 4], np.float32))
    made = of_features(given, 4).toarray()
    np.testing.assert_allclose(made, [[0, 0, 0.6, 0.8], [0, 0, 0, 0]], rtol=1e-6)
    assert given.values.tolist() == [3, 4]


@pytest.mark.parametrize("jobs", [1, 2])
def test_scores_are_those_of_the_formula(jobs):
    found = Regression.of(X, Y, damping=0.3, jobs=jobs).beside(NOTHING, X, 3, 1.0, jobs=jobs)
    np.testing.assert_allclose(scores(found), literal(X, 0.3), atol=1e-5)


def test_many_documents_are_compared_block_by_block():
    random = np.random.default_rng(0)
    many = sparse.csr_array(sparse.random(700, 150, 0.03, random_state=1, dtype=np.float32, format="csr"))
    labels = sparse.csr_array((random.random((700, 5)) < 0.3).astype(np.int8))
    regression = Regression.of(many, labels, damping=0.5)
    dense = many.toarray().astype(np.float64)
    alike = ((1 + dense @ dense.T) / 2) ** 4
    wanted = np.clip(alike @ np.linalg.solve(alike + 0.5 * np.eye(700), labels.toarray()), 0, 1)
    nothing = Ranking(np.full((700, 1), -1, np.int32), np.zeros((700, 1), np.float32))
    np.testing.assert_allclose(regression.beside(nothing, many, 5, 1.0).csr(5).toarray(), wanted, atol=1e-3)


def test_a_share_stands_beside_what_a_ranking_says():
    ranking = Ranking(np.array([[2], [1], [3]], np.int32), np.full((3, 1), 0.5, np.float32))  # label 3 came later
    found = Regression.of(X, Y, damping=0.3).beside(ranking, X, 4, 0.25).csr(4).toarray()
    wanted = 0.25 * np.pad(literal(X, 0.3), ((0, 0), (0, 1)))
    wanted[[0, 1, 2], [2, 1, 3]] += 0.75 * 0.5
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_odds_of_rare_labels_are_lifted():
    counts = np.array([8, 2, 0, 2])
    odds = Weight(0.5, lift=0.5).odds(counts)
    np.testing.assert_allclose(
        odds, [(4 / 8) ** 0.5, 2**0.5, 2.0, 2**0.5]
    )  # a label without documents as if it had one
    assert Weight(0.5).odds(counts) is None
    ranking = Ranking(np.array([[2], [1], [3]], np.int32), np.full((3, 1), 0.5, np.float32))  # label 3 came later
    regression = Regression.of(X, Y, damping=0.3)
    plain = 0.25 * np.pad(np.clip(regression.scores(X), 0, 1), ((0, 0), (0, 1)))
    plain[[0, 1, 2], [2, 1, 3]] += 0.75 * 0.5
    wanted = odds * plain / (1 - plain + odds * plain)
    found = regression.beside(ranking, X, 4, 0.25, odds=odds).csr(4).toarray()
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(joined(ranking, regression.scores(X), 4, 0.25, odds).csr(4).toarray(), wanted, atol=1e-5)


def test_the_best_of_both_come_in_the_order_of_plain_sums():
    random = np.random.default_rng(3)
    scores = (random.integers(-2, 9, (40, 12)) / 8).astype(np.float32)  # below 0, above 1, and often the same
    listed = np.stack([random.permutation(14)[:5] for _ in range(40)]).astype(np.int32)
    listed[random.random(listed.shape) < 0.2] = -1
    ranking = Ranking(listed, (random.integers(0, 9, listed.shape) / 8).astype(np.float32))
    whole = 0.5 * np.pad(np.clip(scores, 0, 1), ((0, 0), (0, 2)))
    for document, place in zip(*np.nonzero(listed >= 0), strict=True):
        whole[document, listed[document, place]] += 0.5 * ranking.scores[document, place]
    order = np.argsort(-whole, axis=1, kind="stable")[:, :4]
    best = np.take_along_axis(whole, order, 1)
    found = joined(ranking, scores, 4, 0.5)
    assert np.array_equal(found.labels, np.where(best > 0, order, -1)) and np.allclose(found.scores, best)


WRONG = [{"regression": 2}, {"regression": np.nan}, {"damping": 0}, {"lift": -1}, {"lift": np.nan}, {"lift": 500}]


@pytest.mark.parametrize("wrong", [*WRONG, {"lift": "much"}, {"regression": True}])
def test_how_it_counts_is_checked(wrong):
    with pytest.raises(DataError, match=r"Regression cannot count as is told|not told in numbers"):
        Weight.checked({"regression": 0.5} | wrong)
    assert Weight.checked({}) == Weight() and Weight.checked({"regression": 0.5}) == Weight(0.5, 0.3, 0.0)
    told = Weight(0.65, 0.1, 0.4)
    assert Weight.checked(told.told()) == told and Weight(lift=0.4).told() == {"regression": 0.0}


def test_more_documents_and_labels_make_it_anew():
    labels = sparse.csr_array(np.vstack([np.pad(Y.toarray(), ((0, 0), (0, 1))), [[0, 0, 0, 1]]]))
    first = Regression.of(X, Y, damping=0.3)
    more = first.with_more(X[[1]], labels, damping=0.3)
    whole = Regression.of(sparse.csr_array(sparse.vstack([X, X[[1]]])), labels, damping=0.3)
    assert more is not None
    np.testing.assert_allclose(more.weights, whole.weights, atol=1e-6)


def test_too_many_documents_or_labels():
    assert is_feasible(DOCUMENTS, 1000) and not is_feasible(DOCUMENTS + 1, 2) and not is_feasible(DOCUMENTS, 100_000)


def test_it_comes_back_from_a_folder_and_damage_is_told(tmp_path):
    regression = Regression.of(X, Y, damping=0.3)
    with new_folder(tmp_path / "m") as new:
        regression.save(new)
    saved = Folder(tmp_path / "m")
    loaded = Regression.load(saved, features=6, labels=3)
    np.testing.assert_array_equal(
        scores(loaded.beside(NOTHING, X, 3, 1.0)), scores(regression.beside(NOTHING, X, 3, 1.0))
    )
    with pytest.raises(DataError, match="from 0 to 4"):
        Regression.load(saved, features=5, labels=3)
    with pytest.raises(DataError, match="other features or labels"):
        Regression.load(saved, features=6, labels=2)
