"""Candidates: which nodes of a level a document is held against, all documents at once.

In training these are its own and others for contrast: those below the nodes that score best one level up, or random
ones. What stands there twice, or only fills a row up, is marked and counts nothing.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from umpteen.networks.nodes import Nodes, Truth


@dataclass(frozen=True)
class Beam:
    """The best nodes of a level."""

    nodes: Tensor  # (documents, most)
    chances: Tensor  # (documents, most), logarithms of their paths' chances; -inf where there is no node

    @property
    def there(self) -> Tensor:
        """Which are there."""
        return self.chances > -torch.inf


@dataclass(frozen=True)
class Candidates:
    """Nodes of one level, some for each document."""

    nodes: Tensor  # (documents, candidates)
    there: Tensor  # (documents, candidates): no padding, and none twice
    above: Tensor  # (documents, candidates), what their parents' paths bring to the logarithms of theirs; 0: none

    def best(self, logits: Tensor, most: int, truth: Truth | None = None) -> Beam:
        """The `most` best by the chance of their path, true ones before all others."""
        chances = (self.above + torch.nn.functional.logsigmoid(logits.float())).masked_fill(~self.there, -torch.inf)
        worth = chances
        if truth is not None:
            worth = worth.masked_fill(truth.holds(self.nodes) & self.there, torch.inf)
        chosen = worth.topk(min(most, worth.shape[1]), dim=1).indices
        return Beam(self.nodes.gather(1, chosen), chances.gather(1, chosen))


def everything(documents: int, size: int, device: torch.device) -> Candidates:
    """All nodes of a level below the root."""
    nodes = torch.arange(size, device=device).expand(documents, size)
    return Candidates(nodes, torch.ones_like(nodes, dtype=torch.bool), torch.zeros(nodes.shape, device=device))


def below(nodes: Nodes, level: int, beam: Beam, truth: Truth | None = None, *, power: float = 1.0) -> Candidates:
    """The nodes of `level` below those of the beam; and the true ones, wherever they stand.

    The chance of a path counts below to the `power`: 1 for products.
    """
    found, there = nodes.beneath(beam.nodes, level - 1)
    there = there & beam.there.unsqueeze(2)
    above = power * beam.chances.masked_fill(~beam.there, 0).unsqueeze(2).expand(found.shape)
    made = Candidates(found.flatten(1), there.flatten(1), above.flatten(1))
    if truth is None:
        return made
    own, there = truth.padded()
    parents = nodes.parents(own, level)
    known = ((parents.unsqueeze(2) == beam.nodes.unsqueeze(1)) & beam.there.unsqueeze(1)).any(dim=2)
    return _with(made, own, there & ~known)


def random(count: int, truth: Truth) -> Candidates:
    """The true nodes of a level and up to `count` others by chance."""
    drawn = torch.randint(truth.size, (truth.documents, count), device=truth.node.device).sort(dim=1).values
    there = ~truth.holds(drawn)
    there[:, 1:] &= drawn[:, 1:] != drawn[:, :-1]
    return _with(Candidates(drawn, there, torch.zeros(drawn.shape, device=drawn.device)), *truth.padded())


def _with(made: Candidates, own: Tensor, there: Tensor) -> Candidates:
    """More candidates, which have no parent at hand; columns that no document needs are left out."""
    needed = there.any(dim=0)
    own, there = own[:, needed], there[:, needed]
    return Candidates(
        torch.cat([made.nodes, own], dim=1),
        torch.cat([made.there, there], dim=1),
        torch.cat([made.above, torch.zeros(own.shape, device=own.device)], dim=1),
    )
