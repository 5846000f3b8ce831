"""TReaderXML: a text is read beside what a teacher says of it, the labels of similar documents and their parents.

Wang et al. (2022). Preset `printed` is the network as printed, with the errors of the print set right; `paper` learns
as printed too; `config-0` to `config-6` are the rows of its ablation. What goes beyond it are settings of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Size
from umpteen.contract.explanation import Brought, Explanation, Feature, Kind
from umpteen.contract.votes import by_votes
from umpteen.core.corpus import Corpus
from umpteen.core.settings import Value, setting
from umpteen.core.store import Folder, NewFolder
from umpteen.networks.reading import WAYS
from umpteen.networks.teaching import POOLINGS, Cooperating, Shape
from umpteen.networks.words import Words
from umpteen.text.readers import Ordered, Reader
from umpteen.text.teacher import Lessons, Near
from umpteen.text.titles import Titles
from umpteen.train.batches import Source
from umpteen.train.deep import DeepClassifier
from umpteen.train.describing import all_said, knowledge_of
from umpteen.train.knowledge import Knowledge, TeacherSettings
from umpteen.train.lessons import TaughtSource
from umpteen.train.settings import PAPER, WholeSettings

_PRINTED: Mapping[str, Value] = {
    "rare": False,
    "neighbours": 5,
    "weighing": "alike",
    "votes": False,
    "bag": 0,
    "relu": False,
    "dropout": 0.0,
    "decay": 0.0,
    "fill": False,
}
_FULL = "MMHSA+R+MHSA"


class TReaderXML(DeepClassifier):
    """Suits texts that resemble others with known labels, the more so with a hierarchy; shows who taught it what."""

    @dataclass(frozen=True, kw_only=True)
    class Params(TeacherSettings, WholeSettings):
        """How what is taught enters the network, and the network's shape."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {**PAPER, **_PRINTED, "length": 300, "description": 4, "rate": 0.0001, "pace": 1.0, "epochs": 50},
            "printed": _PRINTED,
            "config-0": {"teacher": False, "reading": "none", "bag": 0},
            **{f"config-{n}": {"reading": way, "bag": 0} for n, way in enumerate(WAYS, start=1)},
        }

        weighing: str = setting(
            "votes",
            "In what is taught, labels count by the votes of the neighbours, or all alike.",
            choices=("votes", "alike"),
        )
        votes: bool = setting(True, "Add what the neighbours' votes say to the labels' logits.")

        reading: str = setting(_FULL, "How text and teacher are read, each by itself.", choices=WAYS)
        heads: int = setting(4, "Heads of the attention.", least=1)
        pooling: str = setting("mean+max", "How states become one vector.", choices=POOLINGS)
        bottleneck: int = setting(512, "Width of the layer before the labels.", least=1)
        relu: bool = setting(True, "After the bottleneck, level each document's numbers and pass ReLU.")
        dropout: float = setting(0.5, "Share of the numbers left out before and after it.", least=0, most=0.9)
        decay: float = setting(0.01, "Weight decay.", least=0)
        batch: int = setting(128, "Documents in a step.", least=1)
        tokens: int = setting(
            16_000, "Words in a step, padding counted; where documents are long, it has fewer.", least=1
        )
        rate: float = setting(0.004, "Learning rate.", least=0)
        pace: float = setting(0.25, "What reads words in their order learns at this share of the rate.", least=0)
        skip: float = setting(
            0.3, "Share of the documents in a step without a bag, so that reading alone must answer.", least=0, most=0.9
        )

        pieces: int = setting(1, "A text is read up to `length` words times this, all at once.", least=1)

    params: Params
    reasons: ClassVar[tuple[Kind, ...]] = ("attention", "leaning")
    _knowledge: Knowledge | None = None  # nothing without a teacher

    # What it learns from --------------------------------------------------------------------------------------------

    def reader(self) -> Reader:
        p = self.params
        told = all_said(self.labels_) if p.teacher else ()
        owner = type(self).__name__
        return Ordered(words=p.vocabulary, min_df=p.min_df, length=p.length * p.pieces, owner=owner, also=told)

    def survey(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        p = self.params
        self._begun = super().vectors(self._reader.words)
        self._knowledge = None
        if p.teacher:
            self._titles, self._targets = Titles(), Y
            known = self.labels_, self._known, self._reader.read(self._titles.noting(corpus)), Y, self._begun
            self._knowledge = knowledge_of(*known, reader=self._reader, settings=p)

    def vectors(self, words: list[str]) -> NDArray[np.float32]:
        return self._begun

    def accompany(self, source: Source, kept: Source, corpus: Corpus, valid: Corpus | None) -> tuple[Source, Source]:
        if self._knowledge is None:
            return source, kept
        learnt, judged, self._places = self._knowledge.prepared(source, kept, corpus, valid, self._run)
        taught = self._taught(source, learnt)
        return taught, taught if kept is source else self._taught(kept, judged)

    def conclude(self, source: Source, kept: Source | None) -> dict[str, Any]:
        del self._begun
        if self._knowledge is not None:
            self._knowledge.conclude(self._places, self._targets)
            del self._places, self._targets
        return {}

    def _source(self, corpus: Corpus) -> Source:
        source, knowledge = super()._source(corpus), self._knowledge
        if knowledge is None:
            return source
        return self._taught(source, knowledge.lessons(knowledge.nearest(corpus, source.tokens)))

    def _taught(self, source: Source, lessons: Lessons) -> TaughtSource:
        return TaughtSource(source, lessons, alike=self.params.weighing == "alike")

    # The network ----------------------------------------------------------------------------------------------------

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Cooperating:
        p, knowledge = self.params, self._knowledge
        words = Words(vectors, learn=p.learn_vectors, dropout=p.word_dropout)
        shape = Shape(
            reading=p.reading,
            heads=p.heads,
            pooling=p.pooling,
            bottleneck=p.bottleneck,
            votes=p.votes,
            bag=p.bag,
            skip=p.skip,
            relu=p.relu,
            pace=p.pace,
            dropout=p.dropout,
            length=p.length * p.pieces,
        )
        return Cooperating(words, knowledge.descriptions if knowledge is not None else None, shares, shape)

    # Explanations ---------------------------------------------------------------------------------------------------

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        made, knowledge = super()._explain(corpus, label, by), self._knowledge
        if knowledge is None:
            return made
        near, Y = knowledge.nearest(corpus, self._reader.read(corpus)), knowledge.teacher.Y
        there = near.documents[0] >= 0
        told = by_votes(
            self.labels_,
            label,
            made.score,
            made.text,
            documents=near.documents[0][there],
            similarities=near.cosines[0][there],
            Y=(Y.indptr, self._known[Y.indices]),
            title=self._titles.__getitem__,
        )
        brought = self._brought(knowledge, near)
        if by == "attention":
            made = replace(made, features=_with_taught(made.features))
        return replace(made, neighbours=told.neighbours, brought=brought, above=knowledge.hierarchy.source)

    def _brought(self, knowledge: Knowledge, near: Near) -> tuple[Brought, ...]:
        """Labels that the neighbours bring, those of most votes first, with their parents."""
        votes = knowledge.lessons(near).labels
        there = near.documents[0][near.documents[0] >= 0]
        have = np.asarray(knowledge.teacher.Y[there].sum(axis=0)).ravel()
        found = []
        for at in np.argsort(-votes.data, kind="stable").tolist():
            place, share = int(votes.indices[at]), float(votes.data[at])
            parents = tuple(self._called_node(knowledge, node) for node in knowledge.hierarchy.above(place))
            found.append(Brought(self.labels_.name(int(self._known[place])), parents, int(have[place]), share))
        return tuple(found)

    def _called_node(self, knowledge: Knowledge, node: int) -> str:
        """What a label or something above labels is called; a group of a label tree by its words."""
        hierarchy = knowledge.hierarchy
        if node < hierarchy.labels:
            return self.labels_.name(int(self._known[node]))
        words = ("", "", *self._reader.words)
        described = " ".join(words[id] for id in knowledge.descriptions[node].tolist() if id)
        return hierarchy.names[node - hierarchy.labels] or described

    # On disk --------------------------------------------------------------------------------------------------------

    def _memory(self, size: Size) -> int:
        p = self.params
        documents = size.documents * (16 * max(p.width, 384) + 300 * p.neighbours)  # vectors, and what is taught
        return super()._memory(size) + p.teacher * documents + 16 * size.labels * p.bottleneck

    def _save(self, folder: NewFolder) -> None:
        super()._save(folder)
        if self._knowledge is not None:
            self._knowledge.save(folder)
            self._titles.save(folder)
            counts = "count more" if self._knowledge.rare else "count as all others do"
            folder.facts["notes"] = [
                f"Parents of labels were taken from {self._knowledge.hierarchy.source}.",
                f"Rare words {counts} where documents are compared.",
            ]

    def _load(self, folder: Folder) -> None:
        if self.params.teacher:
            reader = self.reader()
            reader.load(folder)
            self._knowledge = Knowledge.load(folder, self.params, reader)
            self._titles = Titles.load(folder, len(self._knowledge.teacher.index))
        super()._load(folder)


def _with_taught(words: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Shares of attention with that of what was taught, which is the rest."""
    rest = Feature("(what was taught)", max(0.0, 1 - sum(word.weight for word in words)))
    return tuple(sorted((*words, rest), key=lambda feature: -feature.weight))
