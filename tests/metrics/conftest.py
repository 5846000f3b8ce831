"""Random rankings with all that is awkward: padding, ties, documents without labels, labels never trained on."""

import numpy as np
import pytest
from scipy import sparse

from metrics.cases import Case
from umpteen.core.ranking import Ranking


@pytest.fixture(params=range(6))
def case(request: pytest.FixtureRequest) -> Case:
    random = np.random.default_rng(request.param)
    documents, known, unseen, depth = 60, 12, 3, (4 if request.param == 0 else 8)
    truth = random.random((documents, known + unseen)) < random.random(known + unseen) * 0.4
    truth[:3] = False
    truth[3, -1] = truth[4, 0] = True
    scores = np.round(random.random((documents, known)) + 0.6 * truth[:, :known], 1).astype(np.float32)
    ranking = Ranking.from_dense(scores, depth).above(0.4)
    return Case(ranking, sparse.csr_array(truth.astype(np.float32)), random.integers(0, 40, known), 200)
