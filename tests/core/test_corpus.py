import numpy as np
import pytest
from scipy import sparse

from umpteen.core.corpus import Corpus, Document, csr
from umpteen.core.errors import DataError

TEXTS = ["a", "b", "c", "d", "e"]
LABELS = [["x"], [], ["y", "x"], ["z"], []]
X = sparse.random_array((5, 4), density=0.6, format="csr", dtype=np.float32, rng=np.random.default_rng(0))


def test_a_corpus_is_gone_through_again_and_again() -> None:
    passes = [0]

    def documents():
        passes[0] += 1
        yield from (Document(text) for text in TEXTS)

    corpus = Corpus(documents)
    assert [*corpus.texts()] == [*corpus.texts()] == TEXTS
    assert passes[0] == 2
    assert corpus.size is None
    assert corpus.is_text


def test_parts() -> None:
    corpus = Corpus.from_texts(TEXTS, LABELS, name="toy")
    assert corpus.size == 5
    assert [*corpus.where(lambda d: bool(d.labels)).texts()] == ["a", "c", "d"]
    assert [*corpus.take(np.array([3, 0])).texts()] == ["a", "d"]
    assert [*corpus.take(np.array([True, False, False, False, True])).texts()] == ["a", "e"]
    assert [*corpus.take(np.array([], int)).texts()] == []
    assert [*corpus.mapped(lambda d: Document(d.text * 2)).texts()] == ["aa", "bb", "cc", "dd", "ee"]
    assert [[*part.texts()] for part in corpus.batches(2)] == [["a", "b"], ["c", "d"], ["e"]]
    assert {part.name for part in corpus.batches(2)} == {"toy"}
    assert [*corpus.labels()] == [tuple(labels) for labels in LABELS]


def test_a_matrix_and_its_documents_are_the_same() -> None:
    corpus = Corpus.from_matrix(X, LABELS)
    assert (corpus.width, corpus.size, corpus.is_text) == (4, 5, False)
    plain = corpus.changed([*corpus])
    assert not (plain.matrix() != X).nnz
    assert plain.matrix().dtype == np.float32
    rows = np.array([4, 1, 2])
    assert not (corpus.take(rows).matrix() != plain.take(rows).matrix()).nnz
    assert [*corpus.take(rows).labels()] == [*plain.take(rows).labels()] == [(), ("y", "x"), ()]
    for one, other in zip(corpus.batches(2), plain.batches(2), strict=True):
        assert not (one.matrix() != other.matrix()).nnz
        assert [*one.labels()] == [*other.labels()]


def test_says_what_is_wrong() -> None:
    with pytest.raises(DataError, match="5 documents but 4 lists of labels"):
        Corpus.from_texts(TEXTS, LABELS[:4])
    with pytest.raises(DataError, match="5 documents but 4 lists of labels"):
        Corpus.from_matrix(X, LABELS[:4])
    with pytest.raises(DataError, match="holds text where ready features are needed"):
        Corpus.from_texts(TEXTS).matrix()
    with pytest.raises(DataError, match="document 1 has no features"):
        Corpus([Document("a")], width=3).matrix()


def test_rows_are_sorted_and_small() -> None:
    matrix = csr(np.array([1.0, 2.0]), np.array([3, 1]), np.array([0, 2]), (1, 4))
    assert matrix.indices.tolist() == [1, 3]
    assert (matrix.dtype, matrix.indices.dtype, matrix.indptr.dtype) == (np.float32, np.int32, np.int32)
