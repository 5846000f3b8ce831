"""Votes joined with labels' own scores against the literal formula."""

import numpy as np
import pytest
from scipy import sparse

from umpteen.kernels.votes import joined
from umpteen.text.voters import Own

RANDOM = np.random.default_rng(0)
Y = sparse.csr_array((RANDOM.random((50, 12)) < 0.2).astype(np.float32))
PLACE = np.array([3, 0, -1, 5, 1, 2, 4, 6, 7, 8, 9, 10])
WEIGHTS = RANDOM.normal(size=(11, 6)).astype(np.float32)
BIASES = RANDOM.normal(size=(11, 2)).astype(np.float32)


@pytest.mark.parametrize("balance", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("k", [1, 4, 30])
@pytest.mark.parametrize("few", [True, False])
def test_joined(balance: float, k: int, few: bool) -> None:
    known = Y.toarray()
    known[:, 2] = 0  # a label without a row votes for nothing
    bounds, labels = sparse.csr_array(known).indptr, sparse.csr_array(known).indices
    found = np.array([RANDOM.permutation(50)[:8] for _ in range(20)]).astype(np.int32)
    votes = RANDOM.random((20, 8)).astype(np.float32)
    found[3, 5:], found[4] = -1, -1
    vectors = RANDOM.normal(size=(20, 6)).astype(np.float32)
    of_all = Own(WEIGHTS, BIASES, PLACE).chances(vectors)[:, : None if few else 0]
    best, worth = joined(found, votes, bounds, labels, vectors, WEIGHTS, BIASES, PLACE, of_all, balance, k)
    for query in range(20):
        there = found[query] >= 0
        cast = votes[query][there] @ known[found[query][there]]
        share = cast / max(votes[query][there].sum(), 1e-9)
        logits = np.stack([WEIGHTS[:, m * 3 : m * 3 + 3] @ vectors[query, m * 3 : m * 3 + 3] for m in (0, 1)], axis=1)
        own = (1 / (1 + np.exp(-(logits + BIASES)))).mean(axis=1)
        score = np.where(cast > 0, (1 - balance) * share + balance * own[PLACE], -1)
        expected = np.lexsort((np.arange(12), -score))[: min(k, (cast > 0).sum())]
        given = best[query][best[query] >= 0]
        assert len(given) == len(expected)
        assert np.allclose(worth[query, : len(given)], score[expected], atol=1e-5)
        assert np.allclose(score[given], score[expected], atol=1e-5)
        assert not worth[query, len(given) :].any()
