"""Tagging on a cluster: documents stream out to its machines and labels back, in order, a few batches at a time."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from umpteen.app.cluster.folders import packed, unpacked
from umpteen.app.cluster.machines import Cluster

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.core.corpus import Corpus, Document
    from umpteen.core.ranking import Ranking
    from umpteen.kernels.spread import Shared

    Block = tuple[list[Document], int | None, str, int]  # documents, features, the corpus's name, labels wanted

_latest: "dict[str, Classifier]" = {}  # by mark; a process keeps the model it used last


def ranked(
    cluster: Cluster, model: Path, corpus: "Corpus", k: int, *, batch: int
) -> "Iterator[tuple[Corpus, Ranking]]":
    """Consecutive documents, and the k best labels of each, as the model in a folder ranks them."""
    waiting = deque["Corpus"]()

    def blocks() -> "Iterator[Block]":
        for part in corpus.batches(batch):
            waiting.append(part)
            yield list(part), part.width, part.name, k

    for ranking in cluster.each(_ranked, packed(model), blocks()):
        yield waiting.popleft(), ranking


def _ranked(shared: "Shared", block: "Block") -> "Ranking":
    from umpteen.core.corpus import Corpus

    documents, width, name, k = block
    return _model(shared).rank(Corpus(documents, width=width, name=name), k)


def _model(shared: "Shared") -> "Classifier":
    """The model that came, loaded once in a process and used with one core, which is what a task has."""
    from umpteen.models import load

    mark = shared[0]
    if mark not in _latest:
        _latest.clear()
        _latest[mark] = load(unpacked(*shared)).set_params(jobs=1)
    return _latest[mark]
