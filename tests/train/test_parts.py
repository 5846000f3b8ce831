"""Batches that come in parts have the gradient of the whole, and longer padding changes no answer."""

import numpy as np
import pytest
import torch
from scipy import sparse

from umpteen.models import model
from umpteen.networks.network import Network
from umpteen.text.vocabulary import Tokens
from umpteen.train.batches import Source, fit_for, parts
from umpteen.train.settings import Learning

CPU = torch.device("cpu")
LABELS = 7


def source(documents: int = 9) -> Source:
    random = np.random.default_rng(0)
    lengths = random.integers(2, 12, documents)
    tokens = Tokens(random.integers(2, 30, lengths.sum()).astype(np.int32), np.concatenate([[0], lengths.cumsum()]))
    return Source(tokens, sparse.csr_array((random.random((documents, LABELS)) < 0.4).astype(np.float32)), CPU)


def network(shortlist: int) -> Network:
    torch.manual_seed(0)
    settings = {"hidden": 4, "layers": (5,), "bag": 6, "dropout": 0.0, "word_dropout": 0.0, "shortlist": shortlist}
    vectors = torch.randn(30, 8).numpy()
    made = model("attentionxml")(**settings).network(vectors, np.full(LABELS, 0.3, np.float32))  # type: ignore[attr-defined]
    assert isinstance(made, Network)
    return made


def test_parts_are_all_documents_and_no_longer_than_told() -> None:
    lengths = np.array([5, 7, 9, 3, 8, 40])
    rows = np.array([0, 1, 2, 3, 4])
    assert [part.tolist() for part in parts(rows, lengths, 45)] == [rows.tolist()]
    assert [part.tolist() for part in parts(rows, lengths, 20)] == [[0, 1], [2, 3], [4]]
    assert [part.tolist() for part in parts(np.array([5, 0]), lengths, 3)] == [[5], [0]]


def test_a_processor_takes_less_at_once() -> None:
    usual = Learning().tokens
    assert fit_for(CPU, usual) < fit_for(torch.device("cuda"), usual) == usual
    assert fit_for(CPU, 10) == 10


@pytest.mark.parametrize("shortlist", [0, 3])
def test_the_gradient_of_parts_is_that_of_the_whole(shortlist: int) -> None:
    made, given = network(shortlist), source()
    assert made.divisible
    rows, found = np.arange(len(given)), []
    for pieces in ([rows], np.array_split(rows, 4)):
        made.zero_grad()
        for part in pieces:
            (len(part) / len(rows) * made.loss(given.batch(part))).backward()
        found.append([p.grad.to_dense() for p in made.parameters() if p.grad is not None])
    assert found[0]
    for whole, added in zip(*found, strict=True):
        torch.testing.assert_close(added, whole, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("shortlist", [0, 3])
@torch.inference_mode()
def test_longer_padding_changes_no_answer(shortlist: int) -> None:
    made, given, rows = network(shortlist).eval(), source(), np.arange(9)
    assert given.batch(rows, step=8).tokens.shape[1] == 16
    (labels, scores), (others, same) = (made.best(given.batch(rows, step=step), 3) for step in (1, 8))
    assert torch.equal(labels, others)
    torch.testing.assert_close(scores, same, atol=1e-6, rtol=1e-5)
