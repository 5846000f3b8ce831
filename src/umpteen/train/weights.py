"""Weights of a network as named tensors: copied, put back, averaged along the way."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

Weights = dict[str, Tensor]


def learning(network: nn.Module) -> Weights:
    """What training may change: all but parameters that have no gradient, such as word vectors that stay."""
    still = {name for name, weight in network.named_parameters(remove_duplicate=False) if not weight.requires_grad}
    return {name: tensor for name, tensor in network.state_dict(keep_vars=True).items() if name not in still}


def copied(network: nn.Module) -> Weights:
    """What a network has learnt so far."""
    return {name: tensor.detach().clone() for name, tensor in learning(network).items()}


@torch.no_grad()
def copy_into(weights: Weights, network: nn.Module) -> None:
    """Overwrite older copies, so that there is never one more."""
    for name, tensor in learning(network).items():
        weights[name].copy_(tensor)


def put(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Make a network have these weights; what does not learn stays."""
    network.load_state_dict({**network.state_dict(), **weights})


class Average:
    """The mean of all weights added: stochastic weight averaging."""

    def __init__(self) -> None:
        self.count = 0
        self.mean: Weights = {}

    def swap(self, network: nn.Module) -> None:
        """Exchange a network's weights with the mean, and back the second time."""
        for name, tensor in learning(network).items():
            tensor.data, self.mean[name] = self.mean[name], tensor.data

    @torch.no_grad()
    def add(self, network: nn.Module) -> None:
        """Count a network's weights in."""
        self.count += 1
        if self.count == 1:
            self.mean = copied(network)
            return
        for name, tensor in learning(network).items():
            if tensor.is_floating_point():
                self.mean[name].lerp_(tensor, 1 / self.count)
            else:
                self.mean[name].copy_(tensor)
