"""How votes are counted is chosen by what ranks documents kept aside best; clusters only where they cost nothing."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.ranking import Ranking
from umpteen.text.voters import Own, Rule, Voters
from umpteen.train.voting import chosen_ballot, chosen_beside, chosen_clusters, chosen_rule, chosen_weight

pytest.importorskip("faiss")
RANDOM = np.random.default_rng(0)
USUAL = Rule(neighbours=20, sharpness=20.0, balance=0.5)
FREE = ("neighbours", "sharpness", "balance")
NONE = Own(np.empty((0, 0), np.float32), np.empty((0, 0), np.float32), np.arange(8))


def around(centres: np.ndarray, each: int, spread: float) -> tuple[np.ndarray, sparse.csr_array]:
    """Vectors of unit length around centres, whose label is their centre."""
    labels = np.repeat(np.arange(len(centres)), each)
    vectors = centres[labels] + spread * RANDOM.normal(size=(len(labels), centres.shape[1]))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    Y = sparse.csr_array((np.ones(len(labels), np.float32), (np.arange(len(labels)), labels)), shape=(len(labels), 8))
    return vectors.astype(np.float32), Y


CENTRES = np.eye(8)
VECTORS, Y = around(CENTRES, 250, 0.15)
KEPT, TRUTH = around(CENTRES, 10, 0.15)
VOTERS = Voters.of(VECTORS, Y, clusters=1, seed=0, jobs=1)


def test_what_is_not_free_stays() -> None:
    assert chosen_rule(VOTERS, KEPT, TRUTH, NONE, usual=USUAL, free=(), jobs=1) == USUAL
    found = chosen_rule(VOTERS, KEPT, TRUTH, NONE, usual=Rule(7, 3.0, 0.0), free=("sharpness",), jobs=1)
    assert (found.neighbours, found.balance) == (7, 0.0)


def test_scores_that_are_right_get_weight_and_wrong_ones_none() -> None:
    noisy = Y.toarray()[RANDOM.permutation(len(VECTORS))]  # votes say nothing
    voters = Voters.of(VECTORS, sparse.csr_array(noisy), clusters=1, seed=0, jobs=1)
    right = Own((20 * CENTRES).astype(np.float32), np.full((8, 1), -10, np.float32), np.arange(8))
    assert chosen_rule(voters, KEPT, TRUTH, right, usual=USUAL, free=FREE, jobs=1).balance > 0
    wrong = Own(np.roll(right.weights, 1, axis=0), right.biases, right.place)
    mixed = np.where(RANDOM.random((len(VECTORS), 1)) < 0.3, noisy, Y.toarray())  # votes are mostly right
    voters = Voters.of(VECTORS, sparse.csr_array(mixed), clusters=1, seed=0, jobs=1)
    assert chosen_rule(voters, KEPT, TRUTH, wrong, usual=Rule(20, 20.0, 0.9), free=FREE, jobs=1).balance == 0


def test_what_makes_no_difference_is_as_usual() -> None:
    for usual in (Rule(20, 20.0, 0.0), Rule(10, 5.0, 0.0)):  # documents lie so well that every rule ranks them rightly
        assert chosen_rule(VOTERS, KEPT, TRUTH, NONE, usual=usual, free=FREE[:2], jobs=1) == usual


def test_clusters_where_they_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Rule(10, 10.0, 0.0)
    assert chosen_clusters(VOTERS, VECTORS[::25], Y[::25], NONE, rule, probes=2, seed=0, jobs=1) == 1  # 4 are slower
    monkeypatch.setattr("umpteen.train.voting._SLOWER", 1)
    monkeypatch.setattr("umpteen.train.voting._CLUSTERS", (4, 16))
    found = chosen_clusters(VOTERS, KEPT, TRUTH, NONE, rule, probes=2, seed=0, jobs=1)
    assert found in (4, 1) and found * 200 <= len(VECTORS)
    clear = chosen_clusters(VOTERS, VECTORS[::25], Y[::25], NONE, Rule(1, 0.0, 0.0), probes=2, seed=0, jobs=1)
    assert clear == 4  # a document's nearest is itself, in its own cluster


def test_own_scores_need_not_be_there() -> None:
    ranking = VOTERS.rank(KEPT, 3, Rule(10, 10.0, 0.0), NONE, probes=1, jobs=1)
    assert np.mean(ranking.labels[:, 0] == TRUTH.indices) > 0.95


def test_votes_beside_a_ranking_only_where_it_ranks_better() -> None:
    right = Ranking.from_csr(TRUTH, 5)
    wrong = Ranking.from_dense(RANDOM.random(TRUTH.shape), 8)
    assert chosen_beside(VOTERS, KEPT, TRUTH, right, jobs=1) is None
    rule = chosen_beside(VOTERS, KEPT, TRUTH, wrong, jobs=1)
    assert rule is not None and rule.balance == 0.5
    joined = VOTERS.beside(KEPT, wrong, 1, rule, probes=1, jobs=1)
    assert (joined.labels[:, 0] == TRUTH.indices).mean() > 0.9


def test_regression_gets_a_share_where_it_ranks_better_and_none_where_it_does_not() -> None:
    X, queries = sparse.csr_array(VECTORS[::10]), sparse.csr_array(KEPT)
    right = Ranking.from_dense(TRUTH.toarray(), 5)
    wrong = Ranking.from_dense(np.roll(TRUTH.toarray(), 1, axis=1), 5)
    assert chosen_weight(X, Y[::10], right, queries, TRUTH, jobs=1).share == 0  # as good as can be already
    part = chosen_weight(X, Y[::10], wrong, queries, TRUTH, jobs=1)
    assert part.share >= 0.65 and part.damping in (0.1, 0.3, 1.0)
    given = chosen_weight(X, Y[::10], right, queries, TRUTH, share=0.1, lift=0.7, jobs=1)
    assert (given.share, given.lift) == (0.1, 0.7)


def test_rare_labels_are_lifted_where_that_ranks_better() -> None:
    X = sparse.csr_array(np.repeat(np.eye(2), [9, 3], axis=0).astype(np.float32))
    Y = sparse.csr_array(np.array([[1, 0]] * 9 + [[1, 1]] + [[0, 1]] * 2))  # the second kind is mostly of the rare one
    scores = np.tile(np.array([[0.9, 0.1], [0.6, 0.5]], np.float32), (20, 1))
    both, kept = Ranking(np.tile(np.array([[0, 1]], np.int32), (40, 1)), scores), X[[0, 11] * 20]
    assert chosen_weight(X, Y, both, kept, Y[[0, 11] * 20], share=0.1, jobs=1).lift > 0
    assert chosen_weight(X, Y, both, kept, Y[[0, 0] * 20], share=0.1, jobs=1).lift == 0
    few = Ranking(both.labels[:2], both.scores[:2])
    assert chosen_weight(X, Y, few, kept[:2], Y[[0, 0]], share=0.1, jobs=1).lift == 0.4  # two may be luck: as usual


def test_documents_with_like_words_get_a_share_where_they_rank_better():
    X, queries = sparse.csr_array(np.maximum(VECTORS, 0)), sparse.csr_array(np.maximum(KEPT, 0))
    right = Ranking.from_dense(TRUTH.toarray(), 5)
    wrong = Ranking.from_dense(np.roll(TRUTH.toarray(), 1, axis=1), 5)
    assert chosen_ballot(X, Y, queries, TRUTH, right, jobs=1)[1] == 0
    ballot, share = chosen_ballot(X, Y, queries, TRUTH, wrong, jobs=1)
    assert share == 0.75 and ballot.neighbours in (20, 50, 100)
