"""Why a network gives a document a label: where it attends to, or how its logit leans on each word or feature."""

import threading
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from umpteen.contract.explanation import Explanation, Feature, Kind, spread
from umpteen.networks.bag import WordBag
from umpteen.networks.network import Felt, Network
from umpteen.text.readers import Places
from umpteen.train.batches import Batch

_WITHOUT_CUDNN = threading.Lock()  # whether torch uses it holds for all threads


def explained(
    network: Network,
    batch: Batch,
    label: int,
    text: str,
    places: Places,
    *,
    by: Kind,
    key: str,
    name: str,
    words: Sequence[str],
) -> Explanation:
    """Explain one label of the only document of a batch, whose ids, called `words`, stand at `places` of its text."""
    network.eval()
    with torch.no_grad():
        score = float(network.score(batch, label)[0])
        seen = network.attention(batch, label) if by == "attention" else leaning(network, batch, label)
    weights = seen[0].tolist()
    by_word: dict[str, float] = {}
    for word, weight in zip(words, weights, strict=False):
        by_word[word] = by_word.get(word, 0.0) + weight
    return Explanation(
        label=key,
        name=name,
        score=score,
        text=text,
        spans=spread(places[:, :2], [weights[number] for number in places[:, 2].tolist()]),
        features=tuple(Feature(*item) for item in sorted(by_word.items(), key=lambda item: -abs(item[1])) if item[1]),
        kind=by,
    )


def leaning(network: Network, batch: Batch, label: int) -> Tensor:
    """What each word adds to a label's logit to first order, (documents, longest).

    It is a feature's value, or else a word's vector, times the gradient, with what a bag of words adds.
    """
    with _WITHOUT_CUDNN, torch.backends.cudnn.flags(enabled=False):  # it gives LSTMs gradients in training alone
        parts = [_leaning(part, batch, label) for part in network.parts()]
    return torch.stack(parts).mean(dim=0)


def _leaning(network: Network, batch: Batch, label: int) -> Tensor:
    if batch.values is not None:
        values = batch.values.detach().requires_grad_()
        with torch.enable_grad():
            (slope,) = torch.autograd.grad(network.logit(replace(batch, values=values), label).sum(), values)
        return (slope * values).detach()
    seen = [
        *{part.words: 1 for part in network.modules() if isinstance(part, Network)},  # of those inside it too
        *(part.dropout for part in network.modules() if isinstance(part, WordBag)),
        *(part for part in network.modules() if isinstance(part, Felt)),
    ]
    held: dict[nn.Module, Tensor] = {}
    asker = threading.get_ident()

    def keep(module: nn.Module, given: object, made: Tensor) -> Tensor | None:
        if threading.get_ident() != asker:  # who asks the same network something else
            return None
        held[module] = made.detach().requires_grad_()
        return held[module]

    hooks = [part.register_forward_hook(keep) for part in seen]
    try:
        with torch.enable_grad():
            total = network.logit(batch, label).sum()
            slopes = torch.autograd.grad(total, [*held.values()], allow_unused=True, materialize_grads=True)
    finally:
        for hook in hooks:
            hook.remove()
    found = [(slope * value).detach() for slope, value in zip(slopes, held.values(), strict=True)]
    return torch.stack([part.sum(dim=2) if part.dim() == 3 else part for part in found]).sum(dim=0)
