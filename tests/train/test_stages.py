"""Stages: documents with the groups of their labels instead of these."""

import numpy as np
import torch
from scipy import sparse

from umpteen.networks.network import Network
from umpteen.text.vocabulary import Tokens
from umpteen.train.batches import Source
from umpteen.train.settings import Learning
from umpteen.train.stages import Stage


def test_documents_have_each_group_of_their_labels_once() -> None:
    Y = np.array([[1, 1, 0, 0, 1], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1], [0, 1, 0, 1, 0]])  # of the last no group is known
    tokens = Tokens(np.ones(4, np.int32), np.arange(5))
    source = Source(tokens, sparse.csr_array(Y), torch.device("cpu"))
    seen = Stage(Network(), Learning(), np.array([2, 2, 0, 1])).seen(source)
    assert seen.Y.toarray().tolist() == [[0, 0, 1], [1, 1, 0], [0, 0, 0], [0, 1, 1]]
    assert seen.batch(np.array([1])).positives.tolist() == [[0, 0], [0, 1]]
    assert source.Y.toarray().tolist() == Y.tolist()
    assert Stage(Network(), Learning()).seen(source).Y is source.Y
