"""Statistics of a corpus in one pass: the columns of the papers' Table 1, and how often labels occur."""

import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from umpteen.core.corpus import Corpus, Document
from umpteen.core.progress import track
from umpteen.core.space import LabelSpace

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Bucket:
    """Labels that occur in `least` to `most` documents."""

    least: int
    most: int
    labels: int
    share: float  # of all occurrences of labels


@dataclass(frozen=True)
class Statistics:
    """What a corpus looks like in numbers, and its test part beside it where there is one."""

    name: str
    documents: int
    text: bool
    features: int  # distinct words of text, else the width of ready features
    labels: int  # that occur
    promised: int | None  # labels the source says there are
    labels_per_document: float
    documents_per_label: float
    words_per_document: float  # of ready features: those that a document has
    longest: int  # document, in words
    unlabelled: int  # documents
    depth: int | None  # levels of the label hierarchy
    histogram: tuple[Bucket, ...]
    test: "Statistics | None" = None
    unseen: int | None = None  # labels of the test part that never occur in training

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def rows(self) -> list[tuple[str, int | float]]:
        """Table 1 of the papers for this data set: what a column means, and its value."""
        unit = "words" if self.text else "features"
        rows: list[tuple[str, int | float | None]] = [
            ("documents in training" if self.test else "documents", self.documents),
            ("documents in test", self.test.documents if self.test else None),
            ("distinct words" if self.text else "features", self.features),
            ("labels", self.labels),
            ("labels promised", self.promised),
            ("labels per document", self.labels_per_document),
            ("documents per label", self.documents_per_label),
            (f"{unit} per document", self.words_per_document),
            (f"{unit} per test document", self.test.words_per_document if self.test else None),
            (f"{unit} in the longest", self.longest),
            ("documents without labels", self.unlabelled),
            ("test labels never seen in training", self.unseen),
            ("levels of labels", self.depth),
        ]
        return [(name, value) for name, value in rows if value is not None]


@dataclass
class _Tally:
    documents: int = 0
    words: int = 0
    longest: int = 0
    unlabelled: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    vocabulary: set[str] = field(default_factory=set)

    def add(self, document: Document) -> None:
        if document.features is not None:
            length = len(document.features[0])
        else:
            words = _WORD.findall(document.text.lower())
            self.vocabulary.update(words)
            length = len(words)
        self.documents += 1
        self.words += length
        self.longest = max(self.longest, length)
        self.unlabelled += not document.labels
        self.labels.update(set(document.labels))


def statistics(corpus: Corpus, test: Corpus | None = None) -> Statistics:
    """Go through the documents once and count."""
    tally = _tallied(corpus)
    if test is None:
        return _statistics(corpus, tally)
    other = _tallied(test)
    return _statistics(
        corpus, tally, test=_statistics(test, other), unseen=len(other.labels.keys() - tally.labels.keys())
    )


def histogram(counts: Counter[str]) -> tuple[Bucket, ...]:
    """Labels by how often they occur: 1, 2, 3-4, 5-8 and on by powers of two."""
    labels, occurrences = Counter[int](), Counter[int]()
    for count in counts.values():
        power = (count - 1).bit_length()
        labels[power] += 1
        occurrences[power] += count
    total = occurrences.total()
    return tuple(
        Bucket(2**power // 2 + 1 if power else 1, 2**power, labels[power], occurrences[power] / total)
        for power in range(max(labels, default=-1) + 1)
    )


def _tallied(corpus: Corpus) -> _Tally:
    tally = _Tally()
    for document in track(corpus, f"Counting {corpus.name}", corpus.size):
        tally.add(document)
    return tally


def _statistics(corpus: Corpus, tally: _Tally, **beside: Any) -> Statistics:
    occurrences, documents = tally.labels.total(), max(tally.documents, 1)
    return Statistics(
        name=corpus.name,
        documents=tally.documents,
        text=corpus.is_text,
        features=len(tally.vocabulary) if corpus.width is None else corpus.width,
        labels=len(tally.labels),
        promised=None if corpus.space is None else len(corpus.space),
        labels_per_document=occurrences / documents,
        documents_per_label=occurrences / max(len(tally.labels), 1),
        words_per_document=tally.words / documents,
        longest=tally.longest,
        unlabelled=tally.unlabelled,
        depth=_depth(corpus.space),
        histogram=histogram(tally.labels),
        **beside,
    )


def _depth(space: LabelSpace | None) -> int | None:
    if space is None or not space.has_parents:
        return None
    return max((len(space.path(number)) for number in range(len(space))), default=0)
