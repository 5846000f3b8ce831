"""Weights of a network as named tensors: copied, put back, averaged along the way."""

from collections.abc import Iterable, Mapping

from torch import Tensor, nn

from umpteen.train.aside import Aside

Weights = dict[str, Tensor]


def learning(network: nn.Module) -> Weights:
    """What training may change: all but parameters that have no gradient, such as word vectors that stay."""
    still = {name for name, weight in network.named_parameters(remove_duplicate=False) if not weight.requires_grad}
    return {name: tensor for name, tensor in network.state_dict(keep_vars=True).items() if name not in still}


def copied(network: nn.Module) -> Weights:
    """What a network has learnt so far."""
    return {name: tensor.detach().clone() for name, tensor in learning(network).items()}


def put(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Make a network have these weights; what does not learn stays."""
    network.load_state_dict({**network.state_dict(), **weights})


class Average:
    """The mean of all weights added: stochastic weight averaging."""

    def __init__(self) -> None:
        self.count = 0
        self._mean: Aside | None = None

    def swap(self, network: nn.Module) -> None:
        """Exchange a network's weights with the mean, and back the second time."""
        assert self._mean is not None
        self._mean.swap(learning(network))

    def add(self, network: nn.Module) -> None:
        """Count a network's weights in."""
        self.count += 1
        if self._mean is None:
            self._mean = Aside(learning(network))
        else:
            self._mean.near(learning(network), 1 / self.count)

    def items(self) -> Iterable[tuple[str, Tensor]]:
        """The mean by name, nothing if nothing was added, each to be used before the next is asked for."""
        return self._mean.items() if self._mean is not None else ()

    def restore(self, mean: Mapping[str, Tensor], count: int) -> None:
        """Be the mean of so many."""
        self.count, self._mean = count, Aside(mean) if mean else None
