"""Label attention in chunks against the formula as it is printed, in value and gradient."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from umpteen.networks import attention
from umpteen.networks.attention import LabelAttention
from umpteen.train.device import half_gain

DOCUMENTS, LONGEST, WIDTH, LABELS = 5, 7, 6, 11


@pytest.fixture
def case() -> tuple[LabelAttention, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    attend = LabelAttention(WIDTH, (8, 4), np.full(LABELS, 0.1, np.float32)).double()
    states = torch.randn(DOCUMENTS, LONGEST, WIDTH, dtype=torch.double)
    lengths = torch.tensor([7, 1, 3, 6, 2])
    mask = torch.arange(LONGEST) < lengths[:, None]
    targets = (torch.rand(DOCUMENTS, LABELS) < 0.3).double()
    return attend, states, mask, targets


def literal(attend: LabelAttention, states: Tensor, mask: Tensor) -> Tensor:
    """Logits, one document and label at a time, over its words only."""
    rows = []
    for state, there in zip(states, mask, strict=True):
        words = state[there]
        row = []
        for query in attend.queries.weight:
            weights = torch.exp(words @ query)
            hidden = (weights / weights.sum()) @ words
            for layer in attend.scorer.layers[:-1]:
                hidden = torch.relu(layer(hidden))
            row.append(attend.scorer.layers[-1](hidden)[0])
        rows.append(torch.stack(row))
    return torch.stack(rows)


@pytest.mark.parametrize("room", [1, 400, 10**9])  # one label a chunk, a few, all
def test_logits_are_the_formula(case, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    attend, states, mask, _ = case
    monkeypatch.setattr(attention, "_ROOM", room)
    assert torch.allclose(attend(states, mask), literal(attend, states, mask))


@pytest.mark.parametrize("room", [1, 400, 10**9])
def test_loss_and_gradients_are_the_formula(case, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    attend, states, mask, targets = case
    monkeypatch.setattr(attention, "_ROOM", room)
    found, expected = states.clone().requires_grad_(), states.clone().requires_grad_()
    loss = attend.loss(found, mask, targets)
    (3 * loss).backward()
    gradients = [p.grad.clone() for p in attend.parameters()]
    attend.zero_grad()
    naive = F.binary_cross_entropy_with_logits(literal(attend, expected, mask), targets)
    (3 * naive).backward()
    assert torch.allclose(loss, naive)
    assert torch.allclose(found.grad, expected.grad)
    for one, other in zip(gradients, attend.parameters(), strict=True):
        assert torch.allclose(one, other.grad)


@pytest.mark.parametrize("room", [1, 400, 10**9])
def test_candidates_are_judged_by_the_formula(case, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    attend, states, mask, targets = case
    monkeypatch.setattr(attention, "_ROOM", room)
    chosen = torch.stack([torch.randperm(LABELS)[:4] for _ in range(DOCUMENTS)])
    counts = (torch.rand(DOCUMENTS, 4) < 0.7).double()
    states.requires_grad_()
    plus = torch.randn(DOCUMENTS, 4, dtype=torch.double, requires_grad=True)
    leaves = [states, plus, *attend.parameters()]
    loss, logits = attend.judged(states, mask, targets.gather(1, chosen), labels=chosen, counts=counts, plus=plus)
    found = torch.autograd.grad(2 * loss, leaves)
    expected = literal(attend, states, mask).gather(1, chosen) + plus
    naive = F.binary_cross_entropy_with_logits(expected, targets.gather(1, chosen), counts, reduction="sum")
    assert torch.allclose(loss, naive)
    assert torch.allclose(logits, expected)
    assert not logits.requires_grad
    for one, other in zip(found, torch.autograd.grad(2 * naive, leaves), strict=True):
        assert torch.allclose(one, other)


@pytest.mark.parametrize("layers", [(), (3,), (3, 4)])
def test_the_first_layer_may_come_before_the_mean(layers: tuple[int, ...]) -> None:
    """Few words and many labels: it reads the states once. Many words and few labels: each label's mean."""
    torch.manual_seed(1)
    attend = LabelAttention(WIDTH, layers, np.full(LABELS, 0.1, np.float32)).double()
    states, mask = torch.randn(2, 3, WIDTH, dtype=torch.double), torch.tensor([[True] * 3, [True, False, False]])
    whole = len([*attend.scorer.parameters()])
    assert len(attend._given(states, LABELS)) == whole  # the states, and what stands for two
    assert torch.allclose(attend(states, mask), literal(attend, states, mask))
    one = torch.tensor([[4], [2]])
    assert len(attend._given(states, 1)) == (whole if not layers else whole + 1)
    assert torch.allclose(attend.among(states, mask, one), literal(attend, states, mask).gather(1, one))


def test_candidates_get_the_logits_they_have_among_all(case) -> None:
    attend, states, mask, _ = case
    chosen = torch.stack([torch.randperm(LABELS)[:4] for _ in range(DOCUMENTS)])
    assert torch.allclose(attend.among(states, mask, chosen), attend(states, mask).gather(1, chosen))


def test_weights_are_shares_of_the_words(case) -> None:
    attend, states, mask, _ = case
    weights = attend.weights(states, mask, 3)
    assert torch.allclose(weights.sum(dim=1), torch.ones(DOCUMENTS, dtype=torch.double))
    assert not weights[~mask].any()
    assert torch.allclose(weights, attention.attention(states, mask, attend.queries.weight)[:, 3])


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tensor of (documents, labels, width) is ever made, neither forward nor backward."""
    attend = LabelAttention(64, (32,), np.full(500, 0.1, np.float32))
    states, mask = torch.randn(8, 20, 64, requires_grad=True), torch.ones(8, 20, dtype=torch.bool)
    monkeypatch.setattr(attention, "_ROOM", 8 * (20 + 64 + 32) * 50)
    largest = 0
    linear = F.linear

    def watched(x: Tensor, *rest: Tensor) -> Tensor:
        nonlocal largest
        largest = max(largest, x.numel())
        return linear(x, *rest)

    monkeypatch.setattr(F, "linear", watched)
    attend.loss(states, mask, torch.zeros(8, 500)).backward()
    assert 0 < largest <= 8 * 50 * 64


def test_many_chunks_add_up_with_few_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Summed with 16 bits, what each of many chunks adds to the states' gradient would be lost."""
    if half_gain() <= 0:
        pytest.skip("products of bf16 matrices end a process on this processor")
    torch.manual_seed(0)
    labels = 4000
    attend = LabelAttention(WIDTH, (8,), np.full(labels, 0.1, np.float32))
    states, mask = torch.randn(2, 5, WIDTH).bfloat16(), torch.ones(2, 5, dtype=torch.bool)
    targets = torch.zeros(2, labels)
    slopes = []
    for room, bits in ((10, torch.bfloat16), (10**9, torch.float32)):
        monkeypatch.setattr(attention, "_ROOM", room)
        found = states.to(bits).detach().clone().requires_grad_()
        with torch.autocast("cpu", torch.bfloat16, enabled=bits == torch.bfloat16):
            attend.loss(found, mask, targets).backward()
        slopes.append(found.grad.float())
    assert len(attend._parts(states, labels)) == 1
    assert (slopes[0] - slopes[1]).norm() < 0.05 * slopes[1].norm()
