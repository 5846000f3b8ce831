"""Bags of words against the literal sum, what their size does to gradients, and what words add to a logit."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from umpteen.networks.bag import Sized, WordBag
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words
from umpteen.train.batches import Batch
from umpteen.train.reasons import leaning

TOKENS = torch.tensor([[2, 3, 2, 0], [4, 0, 0, 0], [0, 0, 0, 0]])
RARITY = np.array([0, 0, 1.5, 2, 3], np.float32)


def bag(**changes: float) -> WordBag:
    torch.manual_seed(0)
    made = WordBag(5, 6, **{"dropout": 0.0, **changes}).eval()
    made.weigh(RARITY)
    return made


def test_a_bag_is_the_sum_of_its_words_vectors_by_their_rarity() -> None:
    made = bag()
    table = made.table.table.weight
    found = made(TOKENS)
    assert torch.allclose(found[0], 3 * table[2] + 2 * table[3], atol=1e-6)
    assert torch.allclose(found[1], 3 * table[4], atol=1e-6)
    assert not found[2].any()


def test_words_are_left_out_only_in_training() -> None:
    made = bag(dropout=0.5)
    assert torch.equal(made(TOKENS), made(TOKENS))
    many = torch.full((200, 1), 4)
    torch.manual_seed(0)
    left = made.train()(many).abs().sum(dim=1) > 0
    assert 60 < int(left.sum()) < 140


def test_sized_vectors_are_of_one_size_whatever_they_were() -> None:
    made, vectors = Sized(6), torch.randn(3, 6)
    assert torch.allclose(made(vectors), made(5 * vectors), atol=1e-5)
    assert made(vectors).square().mean(dim=1).tolist() == pytest.approx([1, 1, 1], abs=1e-4)
    assert torch.isfinite(made(torch.zeros(1, 6))).all()


@pytest.mark.parametrize("training", [True, False])
def test_the_size_has_a_gradient_only_in_training(training: bool) -> None:
    made, vectors = Sized(6).train(training), torch.randn(1, 6, requires_grad=True)
    answer = made(vectors)[0, 0]
    (slope,) = torch.autograd.grad(answer, vectors)
    added = (slope * vectors).sum().item()
    assert added == pytest.approx(0.0 if training else answer.item(), abs=1e-5)


class OneLabel(torch.nn.Module):
    """A network of a bag and nothing else, for one label."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(2)
        self.words = Words(np.zeros((5, 2), np.float32))
        self.whole = Whole(2, self.words, 6, dropout=0.0)
        next(part for part in self.modules() if isinstance(part, WordBag)).weigh(RARITY)
        self.out = torch.nn.Linear(self.whole.width, 1, bias=False)

    def parts(self) -> tuple["OneLabel"]:
        return (self,)

    def logit(self, batch: Batch, label: int) -> torch.Tensor:
        states = self.words(batch.tokens).sum(dim=1)
        return self.out(self.whole(states, batch.tokens))[:, 0]  # type: ignore[no-any-return]


def test_what_words_add_is_the_logit_in_parts() -> None:
    network = OneLabel().eval()
    batch = Batch(TOKENS, torch.empty(0, 2, dtype=torch.int64))
    found = leaning(network, batch, 0)  # type: ignore[arg-type]
    assert found.shape == TOKENS.shape and not found[TOKENS == 0].any()
    assert torch.allclose(found.sum(dim=1), network.logit(batch, 0), atol=1e-5)
    assert found[0, 0] == pytest.approx(float(found[0, 2]))  # the same word twice


def test_whole_without_a_bag_is_what_was_given() -> None:
    words, states = Words(np.zeros((5, 2), np.float32)), torch.randn(3, 4)
    assert torch.equal(Whole(4, words, 0, dropout=0.5)(states, TOKENS), states)
    beside = Whole(4, words, 6, dropout=0.0)
    assert torch.equal(beside(states, TOKENS)[:, :4], states) and beside.width == 10
    assert beside.bag is not None
    counted, sized, *_ = beside.bag
    assert torch.allclose(beside(states, TOKENS)[:, 4:], F.relu(sized(counted(TOKENS))))
