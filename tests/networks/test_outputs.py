"""Losses over label chunks against their literal formulas, in value and gradient."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from umpteen.networks import crossentropy, outputs
from umpteen.networks.crossentropy import Raised
from umpteen.networks.outputs import Outputs, best_of

MARGIN = 0.7


def literal_ranking(positives: Tensor, negatives: Tensor) -> Tensor:
    """Every pair is compared, O(|P| |N|)."""
    pairs = (MARGIN + negatives[:, None] - positives[None, :]).clamp(min=0)
    return pairs.max(dim=1).values.sum() + pairs.max(dim=0).values.sum()


def literal_exponential(positives: Tensor, negatives: Tensor) -> Tensor:
    return torch.exp(-5 * (positives[None, :] - negatives[:, None])).mean()


@pytest.fixture(params=[1 << 22, 25], ids=["at once", "in chunks"])
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    for module in (outputs, crossentropy):
        monkeypatch.setattr(module, "_ROOM", request.param)
    return int(request.param)


def case(*, bounded: bool) -> tuple[Outputs, Tensor, Tensor]:
    """A layer, hidden vectors, and labels: a document without any and one with all of them are among the documents."""
    torch.manual_seed(0)
    layer = Outputs(6, 11, bounded=bounded).double()
    Y = (torch.rand(5, 11) < 0.3).double()
    Y[1], Y[2] = 0, 1
    return layer, torch.randn(5, 6, dtype=torch.float64, requires_grad=True), Y


def agree(one: Tensor, other: Tensor, layer: Outputs, hidden: Tensor) -> None:
    assert torch.allclose(one, other)
    weights = torch.linspace(1, 2, len(one), dtype=torch.float64)  # documents count differently
    slopes = [torch.autograd.grad((values * weights).sum(), [hidden, *layer.parameters()]) for values in (one, other)]
    assert all(torch.allclose(a, b) for a, b in zip(*slopes, strict=True))


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize(
    ("loss", "literal"),
    [
        (lambda layer, *given: layer.ranking(*given, MARGIN), literal_ranking),
        (lambda layer, *given: layer.exponential(*given), literal_exponential),
    ],
    ids=["ranking", "exponential"],
)
def test_losses_of_pairs(
    room: int, bounded: bool, loss: Callable[..., Tensor], literal: Callable[[Tensor, Tensor], Tensor]
) -> None:
    layer, hidden, Y = case(bounded=bounded)
    scores = layer(hidden)
    rows = [
        literal(row[there], row[~there]) if there.any() and not there.all() else 0 * row.sum()
        for row, there in zip(scores, Y > 0, strict=True)
    ]
    agree(loss(layer, hidden, Y.nonzero()), torch.stack(rows), layer, hidden)


def test_cross_entropy(room: int) -> None:
    layer, hidden, Y = case(bounded=False)
    literal = F.binary_cross_entropy_with_logits(layer(hidden), Y, reduction="none").sum(dim=1)
    agree(layer.cross_entropy(hidden, Y.nonzero()), literal, layer, hidden)


def test_true_labels_weigh_what_they_are_worth(room: int) -> None:
    layer, hidden, Y = case(bounded=False)
    worth = torch.linspace(1, 5, 11, dtype=torch.float64)
    literal = F.binary_cross_entropy_with_logits(layer(hidden), Y, reduction="none", pos_weight=worth).sum(dim=1)
    agree(layer.cross_entropy(hidden, Y.nonzero(), worth), literal, layer, hidden)
    ones, twos = torch.ones(11).double(), torch.full((11,), 2.0).double()
    plain, same, double = (layer.ranking(hidden, Y.nonzero(), MARGIN, w) for w in (None, ones, twos))
    assert torch.equal(plain, same)
    assert (double >= plain).all() and (double > plain).any()


def test_scores_can_be_raised(room: int) -> None:
    layer, hidden, Y = case(bounded=False)
    pairs = torch.tensor([[0, 0], [0, 10], [2, 5], [4, 7], [3, 3]])
    plus = torch.tensor([0.5, 3.0, -1.0, 2.0, 0.0], dtype=torch.float64, requires_grad=True)
    scores = layer(hidden).index_put(tuple(pairs.T), plus, accumulate=True)
    literal = F.binary_cross_entropy_with_logits(scores, Y, reduction="none").sum(dim=1)
    found = layer.cross_entropy(hidden, Y.nonzero(), raised=Raised(pairs, plus))
    one, other = (torch.autograd.grad(loss.square().sum(), plus, retain_graph=True)[0] for loss in (found, literal))
    assert torch.allclose(one, other)
    agree(found, literal, layer, hidden)


def test_best_labels_of_one_layer_and_of_several(room: int) -> None:
    one, hidden, _ = case(bounded=False)
    other = Outputs(3, 11).double()
    second = torch.randn(5, 3, dtype=torch.float64)
    for layers, given in (([one], [hidden]), ([one, other], [hidden, second])):
        values, labels = (
            torch.stack([layer(x) for layer, x in zip(layers, given, strict=True)]).mean(dim=0).topk(4, dim=1)
        )
        found = best_of(layers, given, 4)
        assert torch.equal(found[0], labels)
        assert torch.allclose(found[1], values)


def test_gradients_are_the_same_every_time_with_several_threads() -> None:
    torch.manual_seed(0)
    made, hidden = Outputs(512, 2000), torch.randn(256, 512, requires_grad=True)
    pairs = torch.stack([torch.randint(256, (6000,)), torch.randint(2000, (6000,))], dim=1)

    def gradients() -> tuple[Tensor, ...]:
        loss = made.ranking(hidden, pairs, 1.0).sum() + made.cross_entropy(hidden, pairs).sum()
        return torch.autograd.grad(loss, [hidden, made.layer.weight, made.layer.bias])

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        first = gradients()
        assert all(torch.equal(a, b) for _ in range(3) for a, b in zip(first, gradients(), strict=True))
    finally:
        torch.set_num_threads(threads)


def test_many_labels_have_cross_entropy_with_16_bits_where_that_is_allowed() -> None:
    torch.manual_seed(0)
    outputs, hidden = Outputs(8, 1500), torch.randn(4, 8, requires_grad=True)
    positives = torch.tensor([[0, 3], [1, 1400], [3, 7]])
    exact = outputs.cross_entropy(hidden, positives)
    with torch.autocast("cpu", torch.bfloat16):
        about = outputs.cross_entropy(hidden, positives)
    assert not torch.equal(about, exact) and torch.allclose(about, exact, rtol=0.01)
    about.sum().backward()
    found, hidden.grad = hidden.grad, None
    exact.sum().backward()
    assert hidden.grad is not None and found is not None
    assert found.dtype == torch.float32 and torch.allclose(found, hidden.grad, rtol=0.05, atol=0.2)
