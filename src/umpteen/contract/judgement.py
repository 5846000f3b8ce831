"""Judgement: a model's rankings of a corpus beside the truth, from one pass over the documents."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING

from umpteen.core.progress import bar

if TYPE_CHECKING:
    from scipy import sparse

    from umpteen.contract.classifier import Classifier
    from umpteen.core.corpus import Corpus
    from umpteen.core.ranking import Ranking
    from umpteen.core.space import LabelSpace

_BATCH = 1024  # documents ranked at a time


@dataclass(frozen=True)
class Judgement:
    """What a model said of each document, and what is true."""

    ranking: "Ranking"
    truth: "sparse.csr_array"  # (documents, labels); labels the model never saw stand behind its own
    space: "LabelSpace"  # of the truth's columns
    ids: list[str]  # of the documents
    seconds: float  # that ranking took


def judge(model: "Classifier", corpus: "Corpus", *, depth: int) -> Judgement:
    """Rank the labels of each document, `depth` deep, and keep what is true beside it."""
    from umpteen.core.ranking import Ranking

    ids, lists, parts, seconds = list[str](), list[list[str]](), list[Ranking](), 0.0
    with bar(f"Ranking {Path(corpus.name).name}", _size(corpus)) as line:
        for part in corpus.batches(_BATCH):
            documents = list(part)
            ids.extend(document.id for document in documents)
            lists.extend([intern(label) for label in document.labels] for document in documents)
            began = time.perf_counter()
            parts.append(model.rank(part, depth))
            seconds += time.perf_counter() - began
            line.advance(len(documents))
    space = model.labels_.extended(label for labels in lists for label in labels)
    return Judgement(Ranking.joined(parts, depth), space.encode(lists), space, ids, seconds)


def _size(corpus: "Corpus") -> int | None:
    """How many documents there are; they are counted first only where a person looks on."""
    return sum(1 for _ in corpus) if corpus.size is None and sys.stderr.isatty() else corpus.size
