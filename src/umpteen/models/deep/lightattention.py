"""LightAttention: a generator picks groups of like labels, and only their labels attend to the words.

Zhu, Teng and Huang, after AttentionXML and LightXML; their paper has no results. Preset `paper` is what it describes,
with sizes that it leaves open. What goes beyond it are settings.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Size
from umpteen.contract.explanation import Explanation, Kind, Step
from umpteen.core.corpus import Corpus
from umpteen.core.errors import FolderError, SettingError
from umpteen.core.settings import Value, setting
from umpteen.core.store import Folder, NewFolder
from umpteen.labels.tree import Tree, balanced, profiles
from umpteen.linear.reasons import group_name
from umpteen.networks.descent import Descent, Frozen
from umpteen.networks.generator import Attending, Discriminator, Pooled
from umpteen.networks.nodes import Nodes
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words
from umpteen.text.features import Features
from umpteen.text.tfidf import TfidfSettings
from umpteen.train.advised import AdvisedClassifier
from umpteen.train.settings import PAPER, AdvisedSettings
from umpteen.train.stages import Stage

_TOP = 13  # halvings that make as many groups as a generator may score
_MEET = ((2_000, 256), (100_000, 1024), (500_000, 256), (math.inf, 128))  # most labels, and a width that suits them
_RARER = 64.0  # times as likely as among all documents a candidate is thought to be right, at most

Shares = list[NDArray[np.float32]]  # of documents below each node, by level


class LightAttention(AdvisedClassifier):
    """Suits many thousands of labels, up to a million: a step costs about the same however many there are."""

    @dataclass(frozen=True, kw_only=True)
    class Params(AdvisedSettings):
        """The tree, the network's shape, and what labels are told apart from."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {
                **PAPER,
                "label_text": False,
                "votes": False,
                "hidden": 256,
                "layers": (512, 256, 256),
                "generator": "attention",
                "bag": 0,
                "meet": 0,
                "path": 1.0,
                "beam": 10,
                "leaf": 64,
                "branch": 64,
                "height": 1,
                "profile": 0,
                "epochs": 30,
            },
            "quick": {"hidden": 64, "layers": (64,), "meet": 64, "epochs": 6},
        }

        calm: float = setting(
            1e-5, "Weights that begin there are hardly moved by gradients below this (Adam's epsilon).", least=1e-12
        )
        hidden: int = setting(128, "Units of the LSTM in each direction.", least=1)
        layers: tuple[int, ...] = setting(
            (128,), "Widths of the fully connected layers that all labels share.", least=1
        )
        dropout: float = setting(0.5, "Share of the states' numbers left out in a step.", least=0, most=0.9)
        generator: str = setting(
            "pooled",
            "How groups are scored: from the document as a whole, or each attending to the words.",
            choices=("pooled", "attention"),
        )
        meet: int | None = setting(
            None,
            "Width of vectors by which labels also meet the document as a whole; 0: they attend, no more; none: 256, "
            "with 2,000 to 100,000 labels 1024, with more than 500,000 128.",
            least=0,
        )
        sampling: str = setting(
            "dynamic",
            "Labels that true ones are told apart from: of the groups best just now, of those that a network trained "
            "before likes best, all, or random ones.",
            choices=("dynamic", "static", "all", "random"),
        )
        path: float = setting(
            0.25,
            "Power to which the chance of a label's group counts in its score: 1 for the product, 0: not at all.",
            least=0,
            most=1,
        )
        beam: int = setting(32, "Groups whose labels are looked at (b), in training and tagging.", least=1)
        leaf: int = setting(8, "Labels of a lowest group at most.", least=1)
        branch: int = setting(16, "Groups in a group (K), a power of two, where there are several levels.", least=2)
        height: int = setting(
            0, "Levels of groups (H), trained one after the other; 0: as few as leave the top at most 8,192.", least=0
        )
        profile: int = setting(
            512, "Features kept of a label's profile for clustering, those most above the mean; 0 keeps all.", least=0
        )
        level_epochs: int = setting(0, "Epochs for each level above the last; 0: as many as for it.", least=0)

        def __post_init__(self) -> None:
            super().__post_init__()
            if self.branch & (self.branch - 1):
                raise SettingError(f"Setting 'branch' must be a power of two, not {self.branch}.")

    params: Params
    reasons: ClassVar[tuple[Kind, ...]] = ("attention", "leaning")

    def survey(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        X = Features(TfidfSettings(jobs=self.params.jobs)).fit(corpus)
        self.grow(profiles(X, Y.T.tocsr(), most=self.params.profile, jobs=self.params.jobs))

    def grow(self, vectors: sparse.csr_array) -> None:
        """Make the tree of labels with these profiles, (labels, features)."""
        p, height = self.params, self.params.height
        if not height:
            halvings = (-(-vectors.shape[0] // p.leaf) - 1).bit_length()
            height = 1 + max(0, -(-(halvings - _TOP) // (p.branch.bit_length() - 1)))
        tree = balanced(vectors, branch=p.branch, leaf=p.leaf, height=height, seed=p.seed, jobs=p.jobs)
        self._tree = tree if len(tree.levels) > 1 else Tree(tree.order, 2 * tree.levels)  # few labels are one group

    def stages(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Iterator[Stage]:
        p, last = self.params, len(self._tree.levels) - 1
        upper: Descent | None = None
        for level in range(0 if p.sampling == "static" else 1, last + 1):
            network = self._descent(vectors, self._shares(shares), level)
            if upper is not None:
                network.inherit(upper)
            upper = network
            if level == last:
                yield Stage(network, p)
            else:
                yield Stage(network, replace(p, epochs=p.level_epochs or p.epochs), self._tree.groups(level + 1))

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Descent:
        return self._descent(vectors, self._shares(shares), len(self._tree.levels) - 1)

    def _descent(self, vectors: NDArray[np.float32], shares: Shares, last: int) -> Descent:
        """A network that ends with the nodes of a level; the labels are the last."""
        p, tree = self.params, self._tree if last == len(self._tree.levels) - 1 else self._tree.above(last + 1)
        words = Words(vectors, learn=p.learn_vectors, dropout=p.word_dropout)
        encoder = Recurrent(words.width, p.hidden, length=p.length, dropout=p.dropout)
        meet, nodes, whole = (
            self._meets(len(shares[-1])),
            Nodes(tree),
            Whole(encoder.width, words, p.bag, dropout=p.dropout),
        )

        def discriminator(level: int) -> Discriminator:
            dense, own = p.sampling == "all", shares[level]
            seen = len(own) if dense else p.beam * nodes.widest[level - 1]
            odds = min(max(1.0, len(own) / seen), _RARER) * own / np.maximum(1 - own, 1e-6)
            chance = (odds / (1 + odds)).astype(np.float32)  # of a node that is a candidate to be right
            attends = level == len(self._tree.levels) - 1 or p.generator == "attention" or not meet
            return Discriminator(encoder.width, whole.width, p.layers, chance, meet=meet, dense=dense, attends=attends)

        top: Frozen | Pooled | Attending
        if p.sampling == "static" and last:
            top, under = Frozen(self._descent(vectors, shares, last - 1)), [discriminator(last)]
        else:
            pooled = p.generator == "pooled"
            top = Pooled(whole.width, shares[0]) if pooled else Attending(encoder.width, p.layers, shares[0])
            under = [discriminator(level) for level in range(1, last + 1)]
        return Descent(words, encoder, nodes, top, under, whole=whole, beam=p.beam, sampling=p.sampling, power=p.path)

    def _meets(self, labels: int) -> int:
        """The width in which this many labels meet documents."""
        if self.params.meet is not None:
            return self.params.meet
        return next(width for most, width in _MEET if labels <= most)

    def _shares(self, shares: NDArray[np.float32]) -> Shares:
        """Which share of the documents has a label below each node, as if labels did not depend on each other."""
        own = shares[self._tree.order]
        none = np.log1p(-np.minimum(own, 1 - 1e-6))
        return [*(1 - np.exp(np.add.reduceat(none, level[:-1])) for level in self._tree.levels[1:]), own]

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        explanation = super()._explain(corpus, label, by)
        place, network = int(np.searchsorted(self._known, label)), self._network
        assert isinstance(network, Descent)
        with torch.inference_mode():
            chances = network.path(self._source(corpus).batch(np.zeros(1, np.int64)), place)
        steps = []
        for level, chance in enumerate(chances, 1):
            members = self._members(level, place)
            steps.append(Step(group_name(members, self.labels_), len(members), float(chance[0].exp())))
        return replace(explanation, paths=(tuple(steps),), power=self.params.path)

    def _members(self, level: int, place: int) -> NDArray[np.int32]:
        """The labels that share a group with one; below the groups it is alone."""
        groups = self._tree.groups(level) if level < len(self._tree.levels) else np.arange(len(self._known))
        return np.compress(groups == groups[place], self._known)

    def trees(self) -> list[Tree]:
        return [Tree(self._known[self._tree.order], self._tree.levels)]

    def _memory(self, size: Size) -> int:
        p = self.params
        vectors = size.labels * 4 * (2 * p.hidden + self._meets(size.labels)) * (1 if p.sampling != "static" else 2)
        known = 8 * min(size.labels * (p.profile or 4096), size.occurrences * 100)  # profiles
        return super()._memory(replace(size, labels=0)) + self._copies * vectors + known + 200 * size.labels

    def _save(self, folder: NewFolder) -> None:
        super()._save(folder)
        self._tree.save(folder, "tree")

    def _load(self, folder: Folder) -> None:
        if "path" not in folder.facts["settings"]:
            raise FolderError(f"{folder.path} was saved by an older version, which scored otherwise. Train it again.")
        self._tree = Tree.load(folder, "tree")
        super()._load(folder)
