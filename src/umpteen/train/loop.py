"""The training loop: a generator of steps that can stop anywhere and go on from its state as if nothing had been."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from umpteen.core.errors import UmpteenError
from umpteen.networks.network import Network
from umpteen.train.aside import Aside
from umpteen.train.batches import Source, fit_for, mixed, parts, shuffled
from umpteen.train.device import compiled
from umpteen.train.optimiser import Optimiser
from umpteen.train.parallel import mean, place, share, together, weight
from umpteen.train.settings import Learning
from umpteen.train.weights import Average, Weights, learning, put

_SEEDS = 1_000_003  # steps of two seeds draw different numbers


@dataclass(frozen=True)
class Step:
    """One update of the weights."""

    number: int
    epoch: float
    documents: int  # in its batch
    loss: float  # of its batch; with a score, the mean since the score before
    score: float | None = None  # on validation documents, where the step ends with a look at them
    best: bool = False  # no earlier score is as good


def astray(step: float, what: str) -> UmpteenError:
    """What to say where weights have become too large."""
    return UmpteenError(
        f"Training went astray in step {step:.0f}: {what} no longer a number. "
        "Use a smaller rate, or shorten gradients (clip)."
    )


class Loop:
    """Trains a network; `best` are the weights with the best validation score so far."""

    def __init__(
        self,
        network: Network,
        source: Source,
        settings: Learning,
        judge: Callable[[], float],
        autocast: Any,
        until: float = math.inf,
    ) -> None:
        self.network, self.source, self.settings = network, source, settings
        self._judge, self._autocast = judge, autocast
        self._loss = together(network, compiled(network.loss) if settings.compile else network.loss)
        self._optimiser = Optimiser(network, settings)
        self._lengths = source.tokens.lengths
        self._average = Average()
        self.best = Aside(learning(network))
        self.counts: dict[str, float] = {
            "number": 0,
            "epoch": 0,
            "index": 0,
            "score": -1.0,
            "stale": 0,
            "averaged": 0,
            "best": 0,
            "ended": 0,
            "looks": 0,
            "losses": 0.0,  # of the steps since the last look, in sum
            "documents": 0,
            "seconds": 0.0,  # of training, those before a stop among them
        }
        per_epoch = len(self._order(0))
        self.epochs = max(settings.epochs, -(-settings.least_steps // per_epoch))
        self.until = min(self.epochs, until)  # the rate falls as if all epochs were to come
        self.every = settings.every or max(25, per_epoch // 2)

    @property
    def done(self) -> float:
        """Epochs so far."""
        epoch = int(self.counts["epoch"])
        return epoch + self.counts["index"] / len(self._order(epoch))

    def steps(self) -> Iterator[Step]:
        """Go on to the end: all epochs, or no better score for as long as patience says."""
        counts = self.counts
        while counts["epoch"] < self.until and not counts["ended"]:
            order = self._order(int(counts["epoch"]))
            while counts["index"] < len(order):
                rows = order[int(counts["index"])]
                done = counts["epoch"] + counts["index"] / len(order)
                if done >= self.until:
                    break
                loss = self._update(rows, done)
                counts["number"] += 1
                counts["index"] += 1
                counts["losses"] += loss
                counts["documents"] += len(rows)
                done = counts["epoch"] + counts["index"] / len(order)
                if counts["number"] % self.every:
                    yield Step(int(counts["number"]), done, len(rows), loss)
                    continue
                yield self._looked(done, len(rows))
                if counts["ended"]:
                    return
            counts["epoch"] += 1
            counts["index"] = 0
        if counts["number"] % self.every and not counts["ended"]:  # the last steps have not been looked at
            counts["ended"] = 1
            yield self._looked(min(self.until, counts["epoch"]), 0)

    def _order(self, epoch: int) -> list[Any]:
        p, deal = self.settings, shuffled if self.source.tokens.values is None else mixed
        return deal(self._lengths, batch=p.batch, tokens=p.tokens, seed=p.seed * _SEEDS + epoch)

    def _update(self, rows: Any, done: float) -> float:
        p = self.settings
        self.network.train()
        chance = p.seed * _SEEDS + int(self.counts["number"])  # depends on the step alone, and who takes which share
        self._seed(chance + place()[0] * _SEEDS**2)
        loss = sum(self._slope(part, len(part) / len(rows)) for part in self._parts(rows))
        self._optimiser.step(p.rate * (1 - done / self.epochs) if p.schedule == "linear" else p.rate)
        return mean(loss)

    def _parts(self, rows: Any) -> list[Any]:
        """A batch as it goes through the network: what is kept of it for the way back is most of a step's memory."""
        if not self.network.divisible or place()[1] > 1:
            return [rows]
        return parts(rows, self._lengths, fit_for(self.source.device, self.settings.tokens))

    def _slope(self, rows: Any, counts: float) -> float:
        """Add the gradient of the loss of some documents, times what they count; that loss."""
        with self._autocast():
            loss = counts * weight(rows) * self._loss(self.source.batch(share(rows)))
        if not torch.isfinite(loss):
            raise astray(self.counts["number"] + 1, "the loss is")
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.gather()
        return float(loss.detach())

    def _seed(self, chance: int) -> None:
        """Draw other random numbers; without a GPU, torch would note where each call of its own for this came from."""
        if self.source.device.type == "cpu":
            torch.default_generator.manual_seed(chance)
        else:
            torch.manual_seed(chance)

    def _looked(self, done: float, documents: int) -> Step:
        """A look at the validation documents, with averaged weights once averaging has begun.

        Whether patience is at its end is found here alone, so that a training resumed later ends at no other step.
        """
        p, counts, averaged = self.settings, self.counts, False
        if done > p.average_from * self.epochs:
            self._average.add(self.network)
            counts["averaged"], averaged = self._average.count, True
            self._average.swap(self.network)
        self.network.eval()
        score = self._judge()
        is_best = score >= counts["score"]  # of equals the later, which has learnt more
        counts["stale"] = 0 if score > counts["score"] else counts["stale"] + 1
        counts["looks"] += 1
        if counts["stale"] >= p.patience and counts["number"] >= p.least_steps:
            counts["ended"] = 1
        if is_best:
            counts["score"], counts["best"] = score, done
            self.best.take(learning(self.network))
        if averaged:
            self._average.swap(self.network)
        loss, counts["losses"] = counts["losses"] / (counts["number"] % self.every or self.every), 0.0
        return Step(int(counts["number"]), done, documents, loss, score, is_best)

    def state(self) -> Iterator[tuple[str, Tensor]]:
        """All tensors that `restore` needs beside `counts`, each to be used before the next is asked for."""
        parts: Mapping[str, Iterable[tuple[str, Tensor]]] = {
            "now": self.network.state_dict().items(),
            "best": self.best.items(),
            "mean": self._average.items(),
            "moments": self._optimiser.state().items(),
        }
        return ((f"{part}/{name}", tensor) for part, named in parts.items() for name, tensor in named)

    def restore(self, state: Mapping[str, Tensor], counts: Mapping[str, float]) -> None:
        """Stand where `state` and `counts` say."""

        def part(wanted: str) -> Weights:
            return {k.removeprefix(f"{wanted}/"): v for k, v in state.items() if k.startswith(f"{wanted}/")}

        self.counts.update(counts)
        put(self.network, part("now"))
        self.best.take(part("best"))
        self._average.restore(part("mean"), int(counts["averaged"]))
        self._optimiser.restore(part("moments"))
