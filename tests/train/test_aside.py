"""Copies of weights that lie in a file are the same as copies in memory, and so they are where there is no room."""

import os
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from umpteen.train.aside import Aside

Weights = dict[str, Tensor]


def weights() -> Weights:
    random = torch.Generator().manual_seed(0)
    return {
        "large": torch.randn(700, 1700, generator=random).requires_grad_(),  # more than a block
        "half": torch.randn(300, 300, generator=random).bfloat16(),
        "turned": torch.randn(300, 200, generator=random).T,
        "small": torch.randn(3, generator=random),
        "count": torch.tensor(3),
    }


def full(*_: int) -> None:
    raise OSError("No space left on device")


@pytest.fixture(params=["room", "no room"], autouse=True)
def disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no room":
        monkeypatch.setattr(os, "posix_fallocate", full, raising=False)


def other(given: Weights, change: Callable[[Tensor], Tensor]) -> Weights:
    return {name: change(tensor.detach()) for name, tensor in given.items()}


def same(one: Weights, two: Weights) -> bool:
    return all(torch.equal(one[name], two[name]) for name in two)


def test_a_copy_is_taken_and_given() -> None:
    given = weights()
    aside = Aside(given)
    assert same(dict(aside.items()), given)
    later = other(given, lambda tensor: tensor + 1)
    aside.take(later)
    assert same(dict(aside.items()), later)
    aside.give(given)
    assert same(given, later)


def test_an_exchange_and_a_second_one() -> None:
    given = weights()
    before, later = other(given, torch.clone), other(given, lambda tensor: tensor + 1)
    aside = Aside(later)
    aside.swap(given)
    assert same(given, later) and same(dict(aside.items()), before)
    aside.swap(given)
    assert same(given, before) and same(dict(aside.items()), later)


def test_means_are_those_of_torch() -> None:
    given = weights()
    aside, later = Aside(given), other(given, lambda tensor: 3 * tensor)
    aside.near(later, 1 / 3)
    found = dict(aside.items())
    for name in ("large", "half", "turned", "small"):
        assert torch.equal(found[name], torch.lerp(given[name].detach(), later[name], 1 / 3))
    assert found["count"] == 9
