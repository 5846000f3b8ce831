"""Knowledge: what a teacher draws on: labels in words, what stands above them, and the training documents.

Documents are compared by the cosine of their vectors. While a network learns, only the documents that it learns from
teach, and none of them itself; afterwards all training documents do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.run import Run
from umpteen.core.settings import setting
from umpteen.core.sound import check_bounds, check_kind, check_places
from umpteen.core.store import Folder, NewFolder
from umpteen.labels.hierarchy import Hierarchy
from umpteen.metrics.ranking import Judged
from umpteen.networks.sentences import Sentences
from umpteen.text.descriptions import bags
from umpteen.text.index import Index, Vectors
from umpteen.text.readers import Reader
from umpteen.text.teacher import Lessons, Near, Teacher, unit_rows
from umpteen.text.vocabulary import Tokens
from umpteen.train.batches import Source
from umpteen.train.keeping import Arrays, checksum, kept_beside
from umpteen.train.settings import DeepSettings

SENTENCES = "sentences"
_NEEDED = (
    *("vectors", "width", "vocabulary", "min_df", "length", "pieces"),
    *("compare", "rare", "neighbours", "duplicates", "seed"),
)


@dataclass(frozen=True, kw_only=True)
class TeacherSettings(DeepSettings):
    """Who teaches, and what."""

    teacher: bool = setting(True, "Read beside what similar documents teach; without it the text is read alone.")
    compare: str = setting(
        "words",
        "What documents are compared by: the mean of their word vectors (words: those of `vectors`; or wordllama, "
        "glove, a file), or the sentence encoder (sentences).",
    )
    rare: bool | None = setting(None, "Let rare words count more in that mean (idf); none: what ranks best.")
    neighbours: int = setting(20, "Nearest training documents that teach.", least=1)
    duplicates: float = setting(
        1.0, "A training document is not taught by others with a cosine above this; 1: by all.", least=0, most=1
    )
    sharpness: float = setting(10.0, "A neighbour's vote weighs exp(sharpness x cosine).", least=0, most=1000)
    orphans: bool = setting(True, "Teach labels that have no parent too; Algorithm 1 as printed leaves them out.")
    description: int = setting(4, "Words that describe a label.", least=1)
    fill: bool = setting(True, "Fill short descriptions up with words that tell the label's documents apart.")


class Knowledge:
    """Labels, parents and documents that teach, for labels by their places among those that occur."""

    teacher: Teacher  # all training documents, once there is nothing more to learn

    def __init__(
        self,
        settings: TeacherSettings,
        reader: Reader,
        hierarchy: Hierarchy,
        descriptions: NDArray[np.int32],
        table: NDArray[np.float32],
        rarity: NDArray[np.float32],
    ) -> None:
        self._settings, self._reader = settings, reader
        self.hierarchy = hierarchy
        self.descriptions = descriptions  # (nodes, words) ids of words
        self._table, self._rarity = table, rarity  # (words, width) what the mean is taken of, (words,) idf
        self.rare = bool(settings.rare)  # whether the latter counts
        self._reach = hierarchy.reach(orphans=settings.orphans)
        self._sentences: Sentences | None = None

    def placed(self, corpus: Corpus, tokens: Tokens | None = None) -> Vectors:
        """Where documents lie, (documents, width), of unit length; `tokens` are their words where they are read."""
        if self._settings.compare == SENTENCES:
            self._sentences = self._sentences or Sentences()
            return self._sentences(corpus.texts())
        words = bags(tokens if tokens is not None else self._reader.read(corpus), len(self._table))
        if self.rare:
            words.data *= self._rarity[words.indices]
        return unit_rows(words @ self._table)

    def nearest(self, corpus: Corpus, tokens: Tokens) -> Near:
        """Who teaches documents that are not among those learnt from."""
        p = self._settings
        return self.teacher.nearest(self.placed(corpus, tokens), p.neighbours, jobs=p.jobs)

    def lessons(self, near: Near) -> Lessons:
        """What these neighbours teach."""
        return self.teacher.lessons(near, self._settings.sharpness)

    def prepared(
        self, source: Source, kept: Source, corpus: Corpus, valid: Corpus | None, run: Run | None
    ) -> tuple[Lessons, Lessons, Vectors]:
        """Lessons of documents to learn from and of those kept aside, and where all of `corpus` lie.

        They are made once for a run, and anew when data or settings are others.
        """
        Y = _labels(source)
        mark, make = self._mark(source, kept, corpus, valid, run), self._found(source, kept, corpus, valid)
        found = kept_beside(run, "teacher", mark, make)
        places: Vectors = np.asarray(found["places"])
        self.rare = bool(found["rare"])
        teacher = Teacher.of(places[source.numbers], Y, self._reach)
        sharpness = self._settings.sharpness
        lessons = teacher.lessons(Near(found["near"], found["cosines"]), sharpness)
        return lessons, teacher.lessons(Near(found["kept"], found["kept_cosines"]), sharpness), places

    def _found(self, source: Source, kept: Source, corpus: Corpus, valid: Corpus | None) -> Callable[[], Arrays]:
        """Where documents lie and who is near whom, with rare words counting as documents kept aside prefer."""
        p, Y = self._settings, _labels(source)

        def asked(rare: bool) -> tuple[float, bool, Vectors, Teacher, Near]:
            self.rare = rare
            places = self.placed(corpus)
            teacher = Teacher.of(places[source.numbers], Y, self._reach)
            asking = places[kept.numbers] if valid is None else self.placed(valid)
            near = teacher.nearest(asking, p.neighbours, jobs=p.jobs)
            return _worth(teacher.lessons(near, p.sharpness), _labels(kept)), rare, places, teacher, near

        def make() -> Arrays:
            free = p.rare is None and p.compare != SENTENCES and kept is not source
            found = [asked(rare) for rare in ((False, True) if free else (bool(p.rare),))]
            _, rare, places, teacher, others = max(found, key=lambda one: one[0])
            near = teacher.nearest_others(p.neighbours, duplicates=p.duplicates, jobs=p.jobs)
            others = near if kept is source else others
            return {
                "places": places,
                "rare": np.array(rare),
                "near": near.documents,
                "cosines": near.cosines,
                "kept": others.documents,
                "kept_cosines": others.cosines,
            }

        return make

    def _mark(
        self, source: Source, kept: Source, corpus: Corpus, valid: Corpus | None, run: Run | None
    ) -> Mapping[str, Any]:
        """What the neighbours depend on."""
        if run is None:
            return {}
        texts = (text for part in (corpus, valid) if part is not None for text in part.texts())
        labels = (_labels(part).indices for part in (source, kept))
        data = checksum(chain(self._reader.words, texts, (source.numbers, *labels)))
        return {"settings": {name: getattr(self._settings, name) for name in _NEEDED}, "data": data}

    def conclude(self, places: Vectors, Y: sparse.csr_array) -> None:
        """Let all training documents teach from here on, those kept aside too."""
        self.teacher = Teacher.of(places, Y, self._reach)

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        h, Y = self.hierarchy, self.teacher.Y
        folder.facts |= {"hierarchy": h.source, "rare": self.rare}
        folder.json("above", h.names)
        folder.array("above_bounds", h.bounds)
        folder.array("above", h.parents)
        folder.array("descriptions", self.descriptions)
        folder.array("compared_by", self._table)
        folder.array("rarity", self._rarity)
        folder.array("document_bounds", Y.indptr)
        folder.array("document_labels", Y.indices)
        self.teacher.index.save(folder)

    @classmethod
    def load(cls, folder: Folder, settings: TeacherSettings, reader: Reader) -> "Knowledge":
        """The same as was saved."""
        above = tuple(folder.json("above")), folder.array("above_bounds"), folder.array("above")
        hierarchy = Hierarchy(folder.facts["hierarchy"], *above)
        check_bounds(hierarchy.bounds, len(folder.array("known")), len(hierarchy.parents))
        check_places(hierarchy.parents, hierarchy.nodes)
        descriptions, compared = folder.array("descriptions"), (folder.array("compared_by"), folder.array("rarity"))
        words = len(reader.words) + 2
        rows = 0 if settings.compare == SENTENCES else words
        _check_words(words, rows, hierarchy.nodes, descriptions, *compared)
        made = cls(settings, reader, hierarchy, descriptions, *compared)
        made.rare = bool(folder.facts["rare"])
        index, bounds, labels = Index.load(folder), folder.array("document_bounds"), folder.array("document_labels")
        if rows and compared[0].shape[1] != index.vectors.shape[1]:
            raise DataError("Word vectors and those of documents are of different widths.")
        check_bounds(bounds, len(index), len(labels))
        check_places(labels, hierarchy.labels)
        Y = sparse.csr_array((np.ones(len(labels), np.float32), labels, bounds), shape=(len(index), hierarchy.labels))
        made.teacher = Teacher(index, Y, made._reach)
        return made


def _check_words(
    words: int, rows: int, nodes: int, descriptions: NDArray[np.int32], table: Vectors, rarity: Vectors
) -> None:
    """Raise unless nodes are described by known words, and the table to compare documents by has so many rows."""
    check_kind(descriptions, "i4", 2)
    check_places(descriptions.ravel(), words)
    check_kind(table, "f4", 2)
    check_kind(rarity, "f4")
    if len(descriptions) != nodes or len(rarity) != words or len(table) != rows:
        raise DataError("Descriptions are not those of its labels, or word vectors not those of its words.")


def _labels(source: Source) -> sparse.csr_array:
    assert source.Y is not None
    return source.Y


def _worth(lessons: Lessons, Y: sparse.csr_array) -> float:
    """How well votes alone rank the labels of documents: nDCG@5."""
    votes = lessons.labels
    tokens = Tokens((votes.indices + 1).astype(np.int32), votes.indptr.astype(np.int64), votes.data)
    labels, scores = tokens.padded(np.arange(len(tokens)))
    assert scores is not None
    return Judged.of(Ranking.best(labels - 1, scores, 5), Y, k=5).ndcg(5).value
