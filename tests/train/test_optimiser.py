"""SGD with momentum is the formula, and both optimisers stand again where their state says."""

import pytest
import torch
from torch import nn

from umpteen.train.optimiser import Optimiser
from umpteen.train.settings import Learning, WholeSettings


def stepped(settings: Learning, stop: int | None = None) -> torch.Tensor:
    """Weights after six steps downhill, with a pause in between where there is a `stop`."""
    layer = nn.Linear(3, 2, bias=False)
    nn.init.constant_(layer.weight, 1.0)
    optimiser = Optimiser(layer, settings)
    for step in range(6):
        if step == stop:
            state = optimiser.state()
            optimiser = Optimiser(layer, settings)
            optimiser.restore(state)
        (layer.weight**2).sum().backward()
        optimiser.step(settings.rate)
    return layer.weight.detach()


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_sgd_with_momentum_is_the_formula(decay: float) -> None:
    weight, speed = 1.0, 0.0
    for _ in range(6):
        speed = 0.9 * speed + 2 * weight + decay * weight
        weight -= 0.01 * speed
    settings = Learning(optimiser="sgd", rate=0.01, momentum=0.9, decay=decay, clip=0.0)
    assert torch.allclose(stepped(settings), torch.full((2, 3), weight), atol=1e-6)


@pytest.mark.parametrize("kind", ["sgd", "adam"])
def test_a_stop_changes_nothing(kind: str) -> None:
    settings = Learning(optimiser=kind, rate=0.01, decay=0.01)
    assert torch.equal(stepped(settings), stepped(settings, stop=3))


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_dense_steps_are_those_of_torchs_adam(decay: float) -> None:
    torch.manual_seed(0)
    mine, theirs = nn.Linear(3, 2), nn.Linear(3, 2)
    theirs.load_state_dict(mine.state_dict())
    optimiser = Optimiser(mine, Learning(rate=0.01, decay=decay, clip=0.0))
    usual = torch.optim.AdamW(theirs.parameters(), lr=0.01, weight_decay=decay, fused=True)
    for _ in range(4):
        x = torch.randn(5, 3)
        for layer, step in ((mine, lambda: optimiser.step(0.01)), (theirs, usual.step)):
            layer.zero_grad()
            layer(x).square().sum().backward()
            step()
    assert all(torch.equal(a, b) for a, b in zip(mine.parameters(), theirs.parameters(), strict=True))


@pytest.mark.parametrize(("settings", "kept"), [({}, 2 * 20), ({"row_moments": True}, 5)])
def test_of_tables_a_number_for_each_row_is_enough_where_that_is_wanted(settings: dict[str, bool], kept: int) -> None:
    table = nn.Embedding(5, 4, sparse=True)
    optimiser = Optimiser(table, Learning(rate=0.01, **settings))
    table(torch.tensor([1, 3])).sum().backward()
    optimiser.step(0.01)
    assert sum(moment.numel() for name, moment in optimiser.state().items() if not name.endswith("step")) == kept


def test_small_gradients_hardly_move_weights_that_know_something() -> None:
    moved = {}
    for led in (False, True):
        layer = nn.Linear(3, 2, bias=False)
        nn.init.constant_(layer.weight, 1.0)
        if led:
            layer.led = [layer.weight]  # type: ignore[assignment]
        optimiser = Optimiser(layer, WholeSettings(rate=0.01, calm=1e-4))
        for scale in (1e-7, 1e-7, 1.0):
            (scale * layer.weight.sum()).backward()
            optimiser.step(0.01)
            moved.setdefault(led, []).append(1 - layer.weight[0, 0].item())
    assert moved[False][:2] == pytest.approx([0.01 * 1e-7 / (1e-7 + 1e-8), 0.02 * 1e-7 / (1e-7 + 1e-8)], rel=1e-2)
    assert moved[True][:2] == pytest.approx([1e-5, 2e-5], rel=1e-2)
    assert moved[True][2] > 0.005


@pytest.mark.parametrize("kind", ["sgd", "adam"])
def test_some_weights_learn_at_a_pace_of_their_own(kind: str) -> None:
    layer = nn.Linear(3, 2)
    nn.init.constant_(layer.weight, 1.0)
    nn.init.constant_(layer.bias, 1.0)
    layer.slow, layer.pace = [layer.weight], 0.25  # type: ignore[assignment]
    optimiser = Optimiser(layer, Learning(optimiser=kind, rate=0.01, decay=0.0, clip=0.0))
    (layer.weight.sum() + layer.bias.sum()).backward()
    optimiser.step(0.01)
    moved, whole = 1 - layer.weight.detach(), 1 - layer.bias[0].item()
    assert whole == pytest.approx(0.01, rel=1e-3)
    assert torch.allclose(moved, torch.full((2, 3), whole / 4), rtol=1e-3)


@pytest.mark.parametrize("clip", [0.0, 5.0])
def test_what_sgd_goes_on_with_does_not_grow(clip: float) -> None:
    table = nn.EmbeddingBag(5, 2, mode="sum", sparse=True)
    optimiser = Optimiser(table, Learning(optimiser="sgd", rate=0.01, clip=clip))
    for _ in range(4):
        table(torch.tensor([[1, 1, 2]])).sum().backward()
        optimiser.step(0.01)
    (kept,) = optimiser._parts[0].state.values()
    assert kept["momentum_buffer"]._nnz() <= 5


def test_a_rate_of_nothing_moves_nothing() -> None:
    table = nn.EmbeddingBag(5, 2, mode="sum", sparse=True)
    before = table.weight.detach().clone()
    optimiser = Optimiser(table, Learning(rate=0.0))
    table(torch.tensor([[1, 2]])).sum().backward()
    optimiser.step(0.0)
    assert torch.equal(table.weight, before)
