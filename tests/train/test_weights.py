"""Weights that are copied, averaged and put back; those that do not learn are left alone."""

import torch
from torch import nn

from umpteen.train.weights import Average, copied, put


def network() -> nn.Sequential:
    made = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 2))
    made[0].requires_grad_(False)
    return made


def test_what_does_not_learn_is_not_copied() -> None:
    made = network()
    kept = copied(made)
    assert {name.partition(".")[0] for name in kept} == {"1", "2"}
    assert "1.running_mean" in kept  # no gradient, but it changes
    with torch.no_grad():
        made[2].weight += 1
    before = kept["2.weight"].clone()
    put(made, kept)
    assert torch.equal(made[2].weight, before)


def test_means_are_of_what_learns() -> None:
    made, average = network(), Average()
    still, first = made[0].weight.clone(), made[2].weight.detach().clone()
    average.add(made)
    with torch.no_grad():
        made[2].weight += 2
    average.add(made)
    average.swap(made)
    assert torch.allclose(made[2].weight, first + 1) and torch.equal(made[0].weight, still)
    average.swap(made)
    assert torch.allclose(made[2].weight, first + 2)
