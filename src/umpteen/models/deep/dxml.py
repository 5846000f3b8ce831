"""DXML: documents are laid where their labels lie in the label graph, and the nearest of them vote.

Zhang et al. (2018). Preset `paper` is the paper's: DeepWalk on the unweighted label graph, two layers, SGD, the plain
mean of the k nearest documents' labels. What goes beyond it are settings of their own.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.contract.votes import by_votes
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError, SettingError, UmpteenWarning
from umpteen.core.legible import number_of
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Space, Value, setting
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels.threads import apart, evenly
from umpteen.labels.graph import Graph
from umpteen.labels.vectors import factored, informed, of_unit_length, placed_beside, walked
from umpteen.networks.embedder import Embedder, Member
from umpteen.networks.network import Network
from umpteen.networks.words import MANY
from umpteen.text.panel import LISTED, Panel
from umpteen.text.readers import Bag, Reader
from umpteen.text.regression import LIFT, Regression, Weight, is_feasible, of_features
from umpteen.text.titles import Titles
from umpteen.text.voters import Own, Rule, Voters
from umpteen.train.batches import Source
from umpteen.train.deep import DeepClassifier
from umpteen.train.heads import teach_heads
from umpteen.train.laid import laid
from umpteen.train.settings import Refitted
from umpteen.train.voting import chosen_clusters, chosen_rule, chosen_weight

_USUAL = Rule(neighbours=20, sharpness=20.0, balance=0.5)  # while the network learns, and where nothing can be chosen
_JUDGED = 2000  # documents kept aside that regression is judged by, at most
_PART = 64, 640  # documents tagged at a time
_LOOKED = 20_000  # training documents among which neighbours are looked for while the network learns


class DXML(DeepClassifier):
    """Suits features and short texts with labels that go together; learns more documents and labels as it goes."""

    @dataclass(frozen=True, kw_only=True)
    class Params(Refitted):
        """Where labels lie, the network's shape, and how neighbours vote."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {
                "targets": "walks",
                "walks": 10,
                "window": 5,
                "width": 100,
                "unit": False,
                "unit_targets": False,
                "hidden": 256,
                "batch_norm": False,
                "hidden_dropout": 0.0,
                "feature_dropout": 0.0,
                "last_dropout": 0.5,
                "head": 0.0,
                "members": 1,
                "regression": 0.0,
                "sharpness": 0.0,
                "probes": 1,
                "optimiser": "sgd",
                "rate": 0.015,
                "momentum": 0.9,
                "decay": 0.0005,
                "schedule": "constant",
                "clip": 0.0,
                "average_from": 1.0,
                "batch": 128,
                "epochs": 200,
                "patience": 20,
                "refit": False,
            },
        }

        space: ClassVar[Space] = {
            "hidden_dropout": (0.2, 0.35, 0.5, 0.65),
            "last_dropout": (0.0, 0.25, 0.5),
            "head": (0.0, 0.03, 0.1, 0.3),
        }

        targets: str = setting(
            "factors",
            "Where labels lie: DeepWalk on the label graph, factors of the label matrix, or of its information (PPMI).",
            choices=("walks", "factors", "information"),
        )
        graph: str = setting(
            "documents",
            "Edges to walk: labels that meet in a document, alike or by how often they do; or the given hierarchy.",
            choices=("documents", "counts", "hierarchy"),
        )
        walks: int = setting(80, "Walks from each label.", least=1)
        walk_length: int = setting(40, "Labels in a walk.", least=2)
        walk_epochs: int = setting(5, "Times that label vectors learn from all walks.", least=1)
        window: int = setting(1, "Labels before and after one in a walk that its vector foretells.", least=1)
        width: int = setting(300, "Numbers in a label vector; factors have no more than there are labels.", least=1)
        unit_targets: bool = setting(True, "Draw documents to the mean of their label vectors scaled to unit length.")

        unit: bool = setting(True, "Scale a document's ready feature values to unit length.")
        hidden: int = setting(512, "Width of the hidden layer.", least=1)
        relu: bool = setting(True, "ReLU after the hidden layer; without it the network is linear.")
        batch_norm: bool = setting(True, "Normalise the hidden layer over the batch.")
        hidden_dropout: float = setting(0.5, "Share of the hidden layer left out in a step.", least=0, most=0.9)
        last_dropout: float = setting(0.0, "Share of the last layer left out in a step.", least=0, most=0.9)
        head: float = setting(0.1, "Weight of the cross-entropy of a head that learns label vectors too.", least=0)
        members: int = setting(
            4, "Networks trained side by side, the means of whose vectors say what is near.", least=1
        )

        neighbours: int | None = setting(None, "Nearest documents that vote; none: what ranks best.", least=1)
        sharpness: float | None = setting(
            None, "Votes weigh exp(sharpness x (cosine - 1)); none: what ranks best.", least=0, most=1000
        )
        balance: float | None = setting(
            None, "Share of the head's scores in a label's; none: what ranks best.", least=0, most=1
        )
        regression: float | None = setting(
            None,
            "Share of kernel regression over all training documents' features in a label's score; none: what ranks "
            "best, with up to 30,000 documents.",
            least=0,
            most=1,
        )
        lift: float | None = setting(
            None,
            "Where regression counts, odds of a label are multiplied by how much rarer than the mean it is, to this "
            "power; none: what ranks best.",
            least=0,
            most=LIFT,
        )
        clusters: int | None = setting(
            None,
            "Clusters of documents; none: as many as cost next to nothing in what ranks best, where that is quicker.",
            least=1,
        )
        lessons: int = setting(
            20,
            "Times that the head reads documents learnt later, and older ones for them not to be forgotten.",
            least=0,
        )
        probes: int = setting(4, "Nearest clusters in which neighbours are looked for.", least=1)

        feature_dropout: float = setting(0.3, "Share of a document's features left out in a step.", least=0, most=0.9)
        epochs: int = setting(
            30, "Times that training reads all documents, at most, but at least `least_steps`.", least=1
        )
        decay: float = setting(0.01, "Weight decay.", least=0)
        precision: str = setting(
            "fp32", "Numbers of 32 or 16 bits; auto tries what is faster here.", choices=("auto", "fp32", "bf16")
        )
        batch: int = setting(128, "Documents in a step.", least=1)

        def __post_init__(self) -> None:
            super().__post_init__()
            if self.graph != "documents" and self.targets != "walks":
                raise SettingError(
                    f"The label graph is only walked with targets=walks: set it, or leave graph={self.graph} out."
                )
            if self.lift and self.regression == 0:
                raise SettingError("Labels are only lifted where regression counts: leave lift or regression=0 out.")

    params: Params
    _network: Network
    _panel: Panel
    reads_features = True
    learns = True
    reasons: ClassVar[tuple[Kind, ...]] = ("sum",)

    # The network ----------------------------------------------------------------------------------------------------

    def reader(self) -> Reader:
        return Bag(self.params, unit=self.params.unit)

    def vectors(self, words: list[str]) -> NDArray[np.float32]:
        return np.zeros((len(words) + 2, self.params.hidden), np.float32)  # drawn in `prepare`

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        p = self.params
        members = [
            Member(
                vectors,
                shares,
                width=self._width,
                relu=p.relu,
                normed=p.batch_norm,
                dropouts=(p.feature_dropout, p.hidden_dropout, p.last_dropout),
                head=p.head > 0,
                sparse=len(vectors) > MANY and p.optimiser == "adam",
            )
            for _ in range(p.members)
        ]
        return Embedder(members, len(shares), unit=p.unit_targets, head=p.head)

    def prepare(self, network: Network, source: Source) -> None:
        assert isinstance(network, Embedder) and source.Y is not None
        network.begin(self._label_vectors(source.Y))

    def _label_vectors(self, Y: sparse.csr_array) -> NDArray[np.float32]:
        p = self.params
        if p.targets != "walks":
            return (factored if p.targets == "factors" else informed)(Y, width=p.width, seed=p.seed)
        from_above = p.graph == "hierarchy"
        if from_above and not any(self.labels_.label(key).parents for key in self.labels_.keys):
            raise DataError(
                "No label has another above it to walk to: give a hierarchy with --labels, or another graph."
            )
        graph = Graph.of_hierarchy(self.labels_) if from_above else Graph.of_documents(Y, weighted=p.graph == "counts")
        walk = {"rounds": p.walks, "length": p.walk_length, "window": p.window, "epochs": p.walk_epochs}
        found = walked(graph, width=p.width, seed=p.seed, jobs=p.jobs, **walk)
        return of_unit_length(found[self._known] if from_above else found)

    def ranker(self, source: Source) -> Callable[[Source, int], Ranking]:
        """By votes of training documents, of many a sample."""
        p, random = self.params, np.random.default_rng(self.params.seed)
        sample = np.sort(random.permutation(len(source))[:_LOOKED])
        rule = self._given(_USUAL)

        def rank(kept: Source, k: int) -> Ranking:
            assert source.Y is not None
            voters = self._voting(self._laid(source, sample), source.Y[sample], clusters=1)
            own = self._own(np.arange(source.Y.shape[1]))
            return voters.rank(self._laid(kept), k, rule, own, probes=1, jobs=p.jobs)

        return rank

    def conclude(self, source: Source, kept: Source | None) -> dict[str, Any]:
        """Choose how neighbours vote; of too few documents to keep some aside, as usual."""
        p, rule, clusters = self.params, self._given(_USUAL), self.params.clusters or 1
        if kept is None:
            return asdict(rule) | {"clusters": clusters} | Weight(p.regression or 0.0, lift=p.lift or 0.0).told()
        assert source.Y is not None and kept.Y is not None
        voters = self._voting(self._laid(source), source.Y, clusters=1)
        vectors, own = self._laid(kept), self._own(np.arange(source.Y.shape[1]))
        free = [name for name in asdict(_USUAL) if getattr(p, name) is None and (p.head or name != "balance")]
        rule = chosen_rule(voters, vectors, kept.Y, own, usual=rule, free=free, jobs=p.jobs)
        if p.clusters is None:
            how = {"probes": p.probes, "seed": p.seed, "jobs": p.jobs}
            clusters = chosen_clusters(voters, vectors, kept.Y, own, rule, **how)
        part = Weight()
        if p.regression != 0 and is_feasible(self.documents_, len(self.labels_)):
            ranking = voters.rank(vectors, LISTED, rule, own, probes=1, jobs=p.jobs)
            some = np.arange(0, len(kept), -(-len(kept) // _JUDGED))
            ranking = Ranking(ranking.labels[some], ranking.scores[some])
            given = self._features(source), source.Y, ranking, self._features(kept)[some], kept.Y[some]
            part = chosen_weight(*given, share=p.regression, lift=p.lift, jobs=p.jobs)
        return asdict(rule) | {"clusters": clusters} | part.told()

    def _given(self, usual: Rule) -> Rule:
        """The usual rule with what is set."""
        p = self.params
        return Rule(
            neighbours=usual.neighbours if p.neighbours is None else p.neighbours,
            sharpness=usual.sharpness if p.sharpness is None else p.sharpness,
            balance=0.0 if not p.head else usual.balance if p.balance is None else p.balance,
        )

    # Documents and their votes --------------------------------------------------------------------------------------

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        self._titles, p = Titles(), self.params
        if p.regression and not is_feasible(*Y.shape):
            raise DataError(
                f"{Y.shape[0]:,} documents with {Y.shape[1]:,} labels are too many for regression: set regression=0."
            )
        noted = self._titles.noting(corpus)
        self._width = p.width if p.targets == "walks" else min(p.width, len(np.unique(Y.indices)))  # for good
        super()._fit(noted, Y, valid)
        rule, weight = Rule.checked(self._chosen), Weight.checked(self._chosen)
        source = self._source(noted)  # documents kept aside vote too
        voters = self._voting(self._laid(source), Y, clusters=int(self._chosen["clusters"]))
        regression = None
        if weight.share:
            regression = Regression.of(self._features(source), Y, damping=weight.damping, jobs=p.jobs)
        self._panel = Panel.of(voters, rule, self._heads(), regression, weight, self.labels_.counts)

    def _features(self, source: Source) -> sparse.csr_array:
        """Documents' features, (documents, features), of unit length."""
        return of_features(source.tokens, len(self._reader.words) + 2)

    def _laid(self, source: Source, rows: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """Where documents lie, (documents, members x width)."""
        assert isinstance(self._network, Embedder)
        return laid(self._network, source, rows, tokens=self.params.tokens)

    def _voting(self, vectors: NDArray[np.float32], Y: sparse.csr_array, *, clusters: int) -> Voters:
        """Documents that vote; members lay them in one space, so the means of what they say are near or far."""
        p = self.params
        return Voters.of(vectors, Y, clusters=clusters, folds=p.members, seed=p.seed, jobs=p.jobs)

    def _own(self, place: NDArray[np.integer]) -> Own:
        """The heads, where `place` is the row of each label."""
        assert isinstance(self._network, Embedder)
        return Own(*self._network.heads(), place.astype(np.int64))

    def _heads(self) -> Own:
        """The heads as they stand."""
        place = np.full(len(self.labels_), -1)
        place[self._known] = np.arange(len(self._known))
        return self._own(place)

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        p, source, panel = self.params, self._source(corpus), self._panel
        features, parts = self._features(source), evenly(len(source), *_PART, jobs=p.jobs)

        def part(rows: tuple[int, int]) -> Ranking:
            vectors = self._laid(source, np.arange(*rows))
            return panel.rank(vectors, features[slice(*rows)], k, probes=p.probes, jobs=1)

        ranking = Ranking.joined(apart(part, parts, jobs=p.jobs), k)
        told = ~source.tokens.blank()[:, None]  # of nothing that is known nothing follows
        return Ranking(np.where(told, ranking.labels, np.int32(-1)), np.where(told, ranking.scores, np.float32(0)))

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        p, source, panel = self.params, self._source(corpus), self._panel
        vectors = self._laid(source)
        found, cosines, votes = panel.voters.nearest(vectors, panel.rule, probes=p.probes, jobs=p.jobs)
        ranking = panel.counted(found, votes, vectors, self._features(source), len(self.labels_), jobs=p.jobs)
        score = float(ranking.scores[0][ranking.labels[0] == label].sum())  # 0 for a label that nobody votes for
        there = found[0] >= 0
        return by_votes(
            self.labels_,
            label,
            score,
            next(corpus.texts()),
            documents=found[0][there],
            similarities=cosines[0][there],
            Y=panel.voters.Y,
            title=self._titles.__getitem__,
        )

    def _extend(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        assert isinstance(self._network, Embedder)
        titles, panel = Titles(), self._panel
        source = self._source(titles.noting(corpus))
        if blank := int(source.tokens.blank().sum()):
            warnings.warn(
                f"Of {number_of(len(source), 'document')} to learn {blank:,} without a word or feature that the model "
                "knows: of these nothing is learnt. Train anew for their words to be read.",
                UmpteenWarning,
                stacklevel=3,
            )
            Y = sparse.csr_array(sparse.diags_array((~source.tokens.blank()).astype(Y.dtype)) @ Y)
            Y.eliminate_zeros()  # what lies anywhere would speak for its labels everywhere
        vectors = self._laid(source)
        voters = panel.voters.with_more(vectors, Y)
        known, kept = self._known, self._network.kept()
        try:
            self._grow(Y, vectors)
            self._teach(voters, Y.shape[0])
            regression = panel.regression
            if regression is not None:
                more = self._features(source), voters.matrix(Y.shape[1])
                regression = regression.with_more(*more, damping=panel.weight.damping, jobs=self.params.jobs)
        except BaseException:
            self._known = known
            self._network.restore(kept)
            raise
        self._panel = Panel.of(voters, panel.rule, self._heads(), regression, panel.weight, self.labels_.counts)
        self._titles = self._titles.with_more(titles)

    def _grow(self, Y: sparse.csr_array, vectors: NDArray[np.float32]) -> None:
        """Make room for labels that were never seen: begin them where their neighbours and documents lie."""
        assert isinstance(self._network, Embedder)
        fresh = np.setdiff1d(np.unique(Y.indices), self._known).astype(np.int32)
        if not len(fresh):
            return
        lie = np.asarray(Y[:, fresh].T @ vectors, np.float32)
        known = self._network.label_vectors.numpy(force=True)
        alone = of_unit_length(of_unit_length(lie).reshape(len(lie), self.params.members, -1).mean(axis=1))
        placed = placed_beside(sparse.csr_array(Y[:, fresh].T @ Y[:, self._known]), known, alone)
        places = np.searchsorted(self._known, fresh)
        self._network.grow(places, placed, lie)
        self._known = np.insert(self._known, places, fresh)

    def _teach(self, voters: Voters, new: int) -> None:
        """Let the heads learn from the last documents of `voters`."""
        assert isinstance(self._network, Embedder)
        p, Y = self.params, voters.matrix(int(self._known[-1]) + 1)[:, self._known]
        teach_heads(self._network, voters.index.vectors, Y, new=new, epochs=p.lessons, seed=p.seed)

    def _memory(self, size: Size) -> int:
        vectors = 4 * self.params.members * min(self.params.width, size.labels)  # of a document, or of a label
        regresses = self.params.regression != 0 and is_feasible(size.documents, size.labels)
        alike = 4 * size.documents * (size.documents + 2 * size.labels) if regresses else 0
        return super()._memory(size) + vectors * (3 * size.documents + 8 * size.labels) + alike

    def _save(self, folder: NewFolder) -> None:
        super()._save(folder)
        folder.facts["width"] = self._width
        folder.facts["chosen"] = self._panel.told()
        self._panel.save(folder)
        self._titles.save(folder)

    def _load(self, folder: Folder) -> None:
        self._width = folder.facts["width"]
        super()._load(folder)
        size = {"labels": len(self.labels_), "width": self._width, "features": len(self._reader.words) + 2}
        own, counts = self._heads(), self.labels_.counts
        self._panel = Panel.load(folder, folder.facts["chosen"], own, counts, folds=self.params.members, **size)
        self._titles = Titles.load(folder, len(self._panel.voters.index))
