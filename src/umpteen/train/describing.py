"""Describing labels and their parents by words, and finding what stands above labels, before a network is taught."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import Corpus
from umpteen.core.space import LabelSpace
from umpteen.labels.hierarchy import hierarchy_of
from umpteen.labels.tree import profiles
from umpteen.text.descriptions import Ids, bags, described, parts, rarity, strongest
from umpteen.text.readers import Reader
from umpteen.text.tokens import SPECIAL
from umpteen.text.vectors import begun
from umpteen.text.vocabulary import Tokens
from umpteen.train.knowledge import SENTENCES, Knowledge, TeacherSettings


def said_of(space: LabelSpace, keys: Iterable[str]) -> list[str]:
    """What a label space tells of labels: names, or else keys, and descriptions."""
    known = [space.label(key) for key in keys]
    return [f"{label.name or label.key} {label.description}" for label in known]


def all_said(space: LabelSpace) -> list[str]:
    """What is told of all labels and of what stands right above them."""
    above = (key for number in range(len(space)) for key in space.parents(number))
    return said_of(space, dict.fromkeys([*space.keys, *above]))


def knowledge_of(
    space: LabelSpace,
    known: NDArray[np.int32],
    documents: Tokens,
    Y: sparse.csr_array,
    vectors: NDArray[np.float32],
    *,
    reader: Reader,
    settings: TeacherSettings,
) -> Knowledge:
    """All that a teacher needs but the documents that teach; labels with ids `known` are the columns of Y.

    `vectors` are those that the network's words begin with, padding and the unknown word first.
    """
    p, idf = settings, rarity(documents, len(vectors))
    keys = [space.keys[label] for label in known.tolist()]
    own = [*parts(_read(reader, said_of(space, keys)))]
    telling = _telling(documents, Y, idf, own, p)
    labels = described(own, telling if p.fill else _for_nameless(own, telling), p.description)
    plain = described(own, _for_nameless(own, telling), p.description)  # does not depend on who has which label
    hierarchy = hierarchy_of(space, known, lambda: vectors[plain].mean(axis=1), seed=p.seed)
    below = sparse.csr_array(hierarchy.reach()[:, hierarchy.labels :].T)
    members = (sorted(part.tolist(), key=keys.__getitem__) for part in np.split(below.indices, below.indptr[1:-1]))
    children = (plain[part].T.ravel() for part in members)
    named = parts(_read(reader, hierarchy.names))
    parents = described(named, children, p.description) if hierarchy.names else labels[:0]
    return Knowledge(p, reader, hierarchy, np.concatenate([labels, parents]), _compared(vectors, reader, p), idf)


def _telling(
    documents: Tokens, Y: sparse.csr_array, idf: NDArray[np.float32], own: Sequence[Ids], p: TeacherSettings
) -> list[Ids]:
    """Words that tell each label's documents apart; none where nobody asks for them."""
    if not p.fill and all(_has_words(words) for words in own):
        return [words[:0] for words in own]
    X = sparse.csr_array(bags(documents, len(idf)) @ sparse.diags_array(idf))
    return [*strongest(profiles(X, Y.T.tocsr(), most=p.description, jobs=p.jobs))]


def _for_nameless(own: Sequence[Ids], telling: Sequence[Ids]) -> list[Ids]:
    """Telling words for labels without any words of their own, and none for the others."""
    return [more[:0] if _has_words(words) else more for words, more in zip(own, telling, strict=True)]


def _has_words(words: Ids) -> bool:
    return bool((words >= len(SPECIAL)).any())


def _read(reader: Reader, texts: Sequence[str]) -> Tokens:
    return reader.read(Corpus.from_texts(texts))


def _compared(vectors: NDArray[np.float32], reader: Reader, p: TeacherSettings) -> NDArray[np.float32]:
    """The vectors whose mean documents are compared by; none where sentences are encoded."""
    if p.compare == SENTENCES:
        return np.empty((0, 0), np.float32)
    return vectors if p.compare == "words" else begun(reader.words, p.compare, width=p.width, seed=p.seed)
