"""Dropout by seeds: shares, sizes, gradients that agree with what was left out, and the same again from one seed."""

import pytest

torch = pytest.importorskip("torch")
from umpteen.networks.dropping import Dropping, dropped  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_share_is_left_out_and_the_others_are_larger(dtype: torch.dtype, share: float) -> None:
    torch.manual_seed(0)
    made = dropped(torch.ones(200, 501, dtype=dtype), share, True).float()
    gone = (made == 0).float()
    assert abs(gone.mean() - share) < 0.005
    assert abs(gone.mean(dim=0) - share).max() < 0.15 and abs(gone.mean(dim=1) - share).max() < 0.12  # nowhere more
    assert torch.allclose(made[made > 0], torch.tensor(1 / (1 - share)).to(dtype).float())
    both = (gone[:, 1:] * gone[:, :-1]).mean()
    assert abs(both - share**2) < 0.006  # neighbours do not know of each other


def test_gradients_are_of_what_stayed() -> None:
    given = torch.randn(7, 13, requires_grad=True)
    made = dropped(given, 0.4, True)
    made.sum().backward()
    assert torch.equal(given.grad, torch.where(made == 0, 0, 1 / 0.6))
    assert torch.allclose(made, given * given.grad)


def test_the_same_seed_leaves_the_same_out_and_another_step_does_not() -> None:
    ones = torch.ones(1000)
    torch.manual_seed(3)
    first, second = dropped(ones, 0.5, True), dropped(ones, 0.5, True)
    torch.manual_seed(3)
    assert torch.equal(dropped(ones, 0.5, True), first)
    assert not torch.equal(first, second)


def test_nothing_is_left_out_in_tagging_or_of_no_share() -> None:
    module, given = Dropping(0.5), torch.randn(5, 4)
    assert torch.equal(module.eval()(given), given) and torch.equal(dropped(given, 0.0, True), given)
    assert not torch.equal(module.train()(given), given)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (0, 4), (2, 3, 5)])
def test_every_shape(shape: tuple[int, ...]) -> None:
    made = dropped(torch.ones(shape), 0.5, True)
    assert made.shape == shape and set(made.flatten().tolist()) <= {0.0, 2.0}
    turned = torch.randn(6, 4).T
    found = dropped(turned, 0.5, True)
    assert torch.equal(found[found != 0], 2 * turned[found != 0])


def test_numbers_that_it_does_not_know_are_left_to_torch() -> None:
    made = dropped(torch.ones(1000, dtype=torch.float64), 0.5, True)
    assert made.dtype == torch.float64 and 300 < int((made == 0).sum()) < 700
