"""Why a network gives a document a label: where it attends to, or how its logit leans on each word."""

from collections.abc import Sequence

import torch
from torch import Tensor

from umpteen.contract.explanation import Explanation, Feature, Kind, Span
from umpteen.networks.network import Network
from umpteen.train.batches import Batch


def explained(
    network: Network,
    batch: Batch,
    label: int,
    text: str,
    spans: Sequence[tuple[int, int]],
    *,
    by: Kind,
    key: str,
    name: str,
) -> Explanation:
    """Explain one label of the only document of a batch, whose tokens stand at `spans` of its text."""
    network.eval()
    with torch.no_grad():
        score = float(network.score(batch, label)[0])
        seen = network.attention(batch, label) if by == "attention" else leaning(network, batch, label)
    weights = seen[0].tolist()
    found = [(*span, weight) for span, weight in zip(spans, weights, strict=False) if weight]
    by_word: dict[str, float] = {}
    for start, end, weight in found:
        word = text[start:end].lower()
        by_word[word] = by_word.get(word, 0.0) + weight
    return Explanation(
        label=key,
        name=name,
        score=score,
        text=text,
        spans=tuple(Span(*part) for part in found),
        features=tuple(Feature(*item) for item in sorted(by_word.items(), key=lambda item: -abs(item[1]))),
        kind=by,
    )


def leaning(network: Network, batch: Batch, label: int) -> Tensor:
    """What each word adds to a label's logit to first order: its vector times the gradient, (documents, longest)."""
    held: list[Tensor] = []

    def keep(module: object, given: object, vectors: Tensor) -> Tensor:
        held.append(vectors.detach().requires_grad_())
        return held[0]

    hook = network.words.register_forward_hook(keep)
    try:
        with torch.enable_grad():
            total = network.logit(batch, label).sum()
            (slope,) = torch.autograd.grad(total, held)
    finally:
        hook.remove()
    return (slope * held[0]).sum(dim=2).detach()
