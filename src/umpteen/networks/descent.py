"""Descent: down a label tree, from groups that a generator picks to labels that a discriminator tells apart.

Zhu et al., LightAttention. A label's score is the product of the chances on its path, in the paper; here those above
may count less. What the discriminator learns to tell its labels from is chosen anew in each step: what stands below the
generator's favourites of the moment.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce

import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.candidates import Beam, Candidates, below, everything, random
from umpteen.networks.generator import Attending, Discriminator, Pooled, Reading
from umpteen.networks.network import Documents, Network
from umpteen.networks.nodes import Nodes, Truth
from umpteen.networks.pooling import largest_of
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.scorer import Scorer
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words

_SAMPLE = 10_000  # nodes whose directions say along which axes to look
_SURE = -1e-7  # logarithm of the largest chance that still has a logit


class Frozen(nn.Module):
    """A network that has learnt: it answers and stays as it is."""

    def __init__(self, network: "Descent") -> None:
        super().__init__()
        self.network = network.requires_grad_(False)

    def train(self, mode: bool = True) -> "Frozen":
        """Stay as in tagging."""
        return super().train(False)


class Descent(Network):
    """A level for the `top`, which scores all its nodes or is a network of the levels above, and one for each `below`.

    `sampling` says what true nodes are told from: those below the best nodes one level up ("dynamic", or "static" where
    these are a frozen network's), as many by chance ("random"), or "all". The chance of the path above a node counts in
    its own path's to the `power`.
    """

    def __init__(
        self,
        words: Words,
        encoder: Recurrent,
        nodes: Nodes,
        top: Pooled | Attending | Frozen,
        under: Sequence[Discriminator],
        *,
        whole: Whole,
        beam: int,
        sampling: str,
        power: float = 1.0,
    ) -> None:
        super().__init__()
        self.words, self.encoder, self.nodes, self.top = words, encoder, nodes, top
        self.below = nn.ModuleList(under)
        self.whole, self.beam, self.sampling, self.power = whole, beam, sampling, power
        self.labels = nodes.sizes[-1]
        self._first = len(nodes.sizes) - len(under)  # level of the first below
        self._inherits = False

    def _under(self) -> Iterator[tuple[int, Discriminator]]:
        """The levels below the top."""
        for level, discriminator in enumerate(self.below, self._first):
            assert isinstance(discriminator, Discriminator)
            yield level, discriminator

    def _read(self, batch: Documents) -> Reading:
        states = self.encoder.read(self.words, batch.tokens)
        return Reading(states, batch.mask, self.whole(largest_of(states, batch.mask), batch.tokens))

    def loss(self, batch: Documents) -> Tensor:
        """Summed cross-entropies of all levels, by the number of nodes told apart on the last."""
        reading, truths = self._read(batch), self.nodes.truths(batch.positives, len(batch.tokens), batch.worth)
        if isinstance(self.top, Frozen):
            total, count = reading.states.new_zeros(()), 1
            with torch.no_grad():
                best = self.top.network.found(batch, self.beam, truths)
        else:
            targets = truths[0].dense()
            total, logits = self.top.judged(reading, targets, truths[0].counts())
            best, count = self._everything(batch).best(logits, self.beam, truths[0]), targets.numel()
        for level, discriminator in self._under():
            truth = truths[level]
            if self.sampling == "all":
                added, _ = discriminator.judged(reading, truth.dense(), counts=truth.counts())
                total, count = total + added, truth.documents * truth.size
                continue
            told = self._candidates(level, best, truth)
            right, worth, there = truth.holds(told.nodes).float(), truth.counts(told.nodes), told.there.float()
            counts = there if worth is None else there * worth
            added, logits = discriminator.judged(reading, right, nodes=told.nodes, counts=counts)
            total, count = total + added, int(told.there.sum())
            if level < self.nodes.last:
                best = told.best(logits, self.beam, truth)
        return total / count

    def _candidates(self, level: int, best: Beam, truth: Truth) -> Candidates:
        if self.sampling == "random":
            return random(self.beam * self.nodes.widest[level - 1], truth)
        return below(self.nodes, level, best, truth, power=self.power)

    def _everything(self, batch: Documents) -> Candidates:
        return everything(len(batch.tokens), self.nodes.sizes[0], batch.tokens.device)

    def found(self, batch: Documents, most: int, truths: Sequence[Truth] = ()) -> Beam:
        """The `most` best nodes of the last level by their paths' chances; on each level those in `truths` first."""
        reading, widths = self._read(batch), self._widths(most)
        known: Sequence[Truth | None] = truths or [None] * len(widths)
        if isinstance(self.top, Frozen):
            best = self.top.network.found(batch, widths[self._first - 1], truths)
        else:
            best = self._everything(batch).best(self.top(reading), widths[0], known[0])
        for level, discriminator in self._under():
            near = below(self.nodes, level, best, known[level], power=self.power)
            best = near.best(discriminator(reading, near.nodes), widths[level], known[level])
        return best

    def _widths(self, most: int) -> list[int]:
        """How many nodes to follow on each level, so that there are `most` on the last."""
        widths = [most]
        for fewest in reversed(self.nodes.narrowest):
            widths.append(max(self.beam, -(-widths[-1] // fewest)))
        return widths[::-1]

    def best(self, batch: Documents, k: int) -> tuple[Tensor, Tensor]:
        found = self.found(batch, k)
        return self.nodes.labels(found.nodes).masked_fill(~found.there, -1), found.chances.exp()

    def path(self, batch: Documents, label: int) -> list[Tensor]:
        """Logarithms of the chances on a label's path, each given the one above, (documents,) each, from the top."""
        reading = self._read(batch)
        place = self.nodes.places(torch.full((len(batch.tokens), 1), label, device=batch.tokens.device))
        if isinstance(self.top, Frozen):
            chances = self.top.network.path(batch, int(self.nodes.above(place[0, 0], self._first - 1)))
        else:
            chances = [F.logsigmoid(self.top(reading).gather(1, self.nodes.above(place, 0))[:, 0])]
        for level, discriminator in self._under():
            chances.append(F.logsigmoid(discriminator(reading, self.nodes.above(place, level))[:, 0]))
        return chances

    def logit(self, batch: Documents, label: int) -> Tensor:
        chance = reduce(lambda above, own: self.power * above + own, self.path(batch, label)).clamp(max=_SURE)
        return chance - torch.log(-torch.expm1(chance))

    def attention(self, batch: Documents, label: int) -> Tensor:
        reading, place = self._read(batch), int(self.nodes.places(torch.tensor(label)))
        lowest = self.below[-1]
        assert isinstance(lowest, Discriminator) and lowest.attend is not None  # labels attend
        return lowest.attend.weights(reading.states, reading.mask, place)

    def inherit(self, upper: "Descent") -> None:
        """Begin with what a network of the levels above has learnt; vectors of the lowest nodes begin afresh."""
        self._inherits = True
        if isinstance(self.top, Frozen):
            self.top = Frozen(upper)
            self.words.load_state_dict(upper.words.state_dict())
            self.encoder.load_state_dict(upper.encoder.state_dict())
            self.whole.load_state_dict(upper.whole.state_dict())
        else:
            self.load_state_dict(upper.state_dict(), strict=False)
        mine, theirs = self._layers(), upper._layers()
        if mine is not None and theirs is not None:
            mine.load_state_dict(theirs.state_dict())

    def lead(self, documents: Callable[[], Iterable[Tensor]], Y: sparse.csr_array) -> None:
        if self.whole.bag is None:
            return
        self.led = []
        if isinstance(self.top, Pooled):
            self.led += [self.top.scorer.last.weight, self.top.scorer.last.bias]
            if not self._inherits:
                self.whole.lying(documents(), self.nodes.having(Y, 0)).into(self.top.scorer.last)
        for level, discriminator in self._under():
            if discriminator.met is None or discriminator.usual is None:
                continue
            self.led += [discriminator.met.weight, discriminator.usual.weight]
            if self._inherits and level < self.nodes.last:
                continue
            there = self.nodes.having(Y, level)
            some = there[:, :: -(-there.shape[1] // _SAMPLE)]
            axes = self.whole.lying(documents(), some).axes(discriminator.met.embedding_dim)
            discriminator.lead(self.whole.lying(documents(), there, axes), axes)

    def _layers(self) -> Scorer | None:
        """The fully connected layers of the lowest level that attends."""
        lowest = self.below[-1] if len(self.below) else self.top
        if isinstance(lowest, Discriminator | Attending) and lowest.attend is not None:
            return lowest.attend.scorer
        return None
