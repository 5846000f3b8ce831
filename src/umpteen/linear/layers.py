"""Training the classifiers of a label tree, node by node on all cores, and ranking labels with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.tail import Tail
from umpteen.core.corpus import Rows
from umpteen.core.errors import SettingError
from umpteen.core.progress import bar
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Space, setting
from umpteen.core.spill import growing
from umpteen.kernels import beam as search
from umpteen.kernels import solver
from umpteen.kernels.lanes import LANES
from umpteen.kernels.spread import Shared, spread
from umpteen.kernels.threads import cores, each, evenly
from umpteen.labels.tree import Tree
from umpteen.linear.room import threads
from umpteen.linear.weights import Bounds, Triples, Weights, packed
from umpteen.text.tfidf import RUNS, TfidfSettings

_BLOCK = 128, 1024  # documents ranked in a piece of work, at least and at most
_LOSSES = {"hinge": 0, "logistic": 1}
_LISTED = 10, 100  # labels that each tree lists at least, with chances that fall steeply and with others
_FEW = 2000  # labels, up to which smaller weights rank better


@dataclass(frozen=True, kw_only=True)
class LinearSettings(TfidfSettings, Tail):
    """How linear classifiers are trained and kept."""

    space: ClassVar[Space] = {
        "cost": (0.1, 0.3, 1.0, 3.0, 10.0),
        "threshold": (0.01, 0.03, 0.1),
        "hinge_power": (2, 3),
        "label_weight": (0.25, 0.5, 1.0),
    }

    ngrams: int | None = setting(None, RUNS, least=0, most=8)
    loss: str = setting("hinge", "Squared hinge, or logistic.", choices=("hinge", "logistic"))
    cost: float | None = setting(
        None,
        "Weight of errors against small weights (C); none: 0.5 for hinge with at most 2,000 labels, no pairs of words, "
        "else 1.",
        least=1e-6,
    )
    eps: float = setting(0.2, "Training of a classifier stops when its gradients differ by less.", least=0)
    rounds: int = setting(20, "Passes over a node's documents at most.", least=1)
    threshold: float = setting(0.1, "Weights not above this in size are dropped.", least=0)
    bits: int = setting(8, "Bits of a stored weight, 8 or 16.", least=8, most=16)
    label_text: bool = setting(True, "A label's name, where a label file gives one, is one more training document.")
    label_weight: float = setting(0.5, "Length of such a document; others have 1.", least=0, most=1)
    hinge_power: int = setting(3, "A child's chance is exp(-hinge ** this).", least=2, most=3)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits not in (8, 16):
            raise SettingError(f"Setting 'bits' must be 8 or 16, not {self.bits}.")

    def cost_of(self, labels: int, ngrams: int) -> float:
        """What errors weigh where there are so many labels, and runs of so many words are features."""
        usual = 0.5 if self.loss == "hinge" and labels <= _FEW and ngrams < 2 else 1.0
        return float(usual if self.cost is None else self.cost)

    @property
    def chance_power(self) -> int:
        """What the search takes: the hinge's power, 0 for logistic."""
        return self.hinge_power if self.loss == "hinge" else 0


Start = tuple[Bounds, NDArray[np.int32], NDArray[np.float32]]  # by child: bounds, features, weights


def trained(
    X: sparse.csr_array,
    T: sparse.csr_array,
    tree: Tree,
    settings: LinearSettings,
    *,
    seed: int,
    ngrams: int = 1,
    start: list[Start] | None = None,
    worth: NDArray[np.float32] | None = None,
) -> Weights:
    """Classifiers for all nodes of a tree; T is (labels, documents), `start` what each layer's children start from.

    `ngrams` is the longest run of words among the features. `worth` says how much a document of each label counts where
    it is right; without it, all alike.
    """
    ordered = T[tree.order]
    x = X.indptr, X.indices, X.data, X.shape[1]
    t = ordered.indptr.astype(np.int64), ordered.indices
    begin = start or [_nothing(len(below)) for _, below in tree.layers()]
    own = worth[tree.order] if worth is not None else np.empty(0, np.float32)
    rest = (
        _LOSSES[settings.loss],
        settings.cost_of(len(tree.order), ngrams),
        np.float32(settings.eps),
        settings.rounds,
        np.float32(settings.threshold),
        seed,
    )

    def layers() -> Iterator[Triples]:
        for (groups, below), initial in zip(tree.layers(), begin, strict=True):
            work = [*_work(groups, below, t[0], least=1 if len(tree.levels) == 1 else 2)]
            parts = growing(np.int32), growing(np.int32), growing(np.float32)
            jobs = threads(X, t[0], work, settings.jobs, weighed=worth is not None)
            with bar(f"Training {len(below) - 1:,} classifiers", len(work)) as line:
                for triples in spread(_solved, (*x, *t, below, *initial, own, rest), work, jobs=jobs):
                    for part, values in zip(parts, triples, strict=True):
                        part.add(values)
                    line.advance()
            yield parts[0].whole(), parts[1].whole(), parts[2].whole()

    starts = [np.searchsorted(below, groups) for groups, below in tree.layers()]
    return packed(layers(), starts, width=X.shape[1], bits=settings.bits)


def _solved(shared: Shared, items: NDArray[np.int64]) -> Triples:
    """A piece of work: the classifiers of some nodes' children."""
    x, t, below, initial, (worth, rest) = shared[:4], shared[4:6], shared[6], shared[7:10], shared[10:]
    return solver.solve(x, t, items, below, initial, worth, *rest)  # type: ignore[no-any-return]


def _nothing(bounds: int) -> Start:
    return np.zeros(bounds, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)


def carried(weights: Weights, tree: Tree, place: NDArray[np.int64]) -> list[Start]:
    """What the classifiers of an older tree give to one with more labels; `place` has the old labels' places in it."""
    start = []
    for number, (_, below) in enumerate(tree.layers()):
        features, children, values = weights.layer(number)
        places = place[children] if number == len(tree.levels) - 1 else children
        order = np.argsort(places, kind="stable")
        bounds = np.searchsorted(places[order], np.arange(len(below)))
        start.append((bounds, features[order], values[order]))
    return start


def _work(groups: Bounds, below: Bounds, t_bounds: Bounds, *, least: int) -> Iterator[NDArray[np.int64]]:
    """A layer's nodes with enough children in pieces of like cost, the dearest first.

    Pieces are rows of (labels from, to, children from, to).
    """
    first, last = np.searchsorted(below, groups[:-1]), np.searchsorted(below, groups[1:])
    items = np.stack([groups[:-1], groups[1:], first, last], axis=1)[last - first >= least]
    cost = (t_bounds[items[:, 1]] - t_bounds[items[:, 0]]) * -(-(items[:, 3] - items[:, 2]) // LANES)
    share = cost.sum() / (16 * cores())
    pieces, load = list[NDArray[np.int64]](), 0.0
    for place in np.argsort(-cost, kind="stable"):
        low, high, start, stop = items[place]
        parts = int(min(-(-cost[place] // max(share, 1)), -(-(stop - start) // LANES))) if cost[place] > share else 1
        step = -(-(stop - start) // (parts * LANES)) * LANES
        for begin in range(start, stop, step):
            pieces.append(np.array([low, high, begin, min(begin + step, stop)]))
            load += cost[place] / parts
            if load >= share:
                yield np.stack(pieces)
                pieces, load = [], 0.0
    if pieces:
        yield np.stack(pieces)


def ranked(
    X: Rows | sparse.csr_array, trees: list[tuple[Tree, Weights]], *, power: int, beam: int, k: int, jobs: int
) -> Ranking:
    """The k best labels of each row, by the mean score over trees; a label that a tree did not reach counts 0 there."""
    listed = _LISTED[0] if power == 3 else _LISTED[1]  # a label low in one tree may stand high in the mean
    depth = k if len(trees) == 1 else max(listed, k + min(k, 20))

    def block(part: tuple[int, int]) -> Ranking:
        bounds = X.indptr[part[0] : part[1] + 1]
        found = [search.search(w.parts, t.order, power, bounds, X.indices, X.data, beam, depth) for t, w in trees]
        if len(found) == 1:
            return Ranking(*found[0])
        indices, scores = (np.stack(parts) for parts in zip(*found, strict=True))
        return Ranking(*search.mean(indices, scores, k))

    if X.shape[0] <= _BLOCK[0]:
        return Ranking.joined([block((0, X.shape[0]))], k)
    return Ranking.joined(each(block, evenly(X.shape[0], *_BLOCK, jobs=jobs), jobs=jobs), k)
