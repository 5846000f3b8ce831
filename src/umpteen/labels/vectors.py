"""Label vectors: labels that go together lie close to each other, by walks on the label graph or by factors of Y."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.extras import need
from umpteen.kernels.weights import unit_rows
from umpteen.labels.graph import Graph

_DENSE = 2000  # labels whose products are factored as one dense matrix

Vectors = NDArray[np.float32]  # (labels, width)


def walked(
    graph: Graph, *, width: int, rounds: int, length: int, window: int, epochs: int, seed: int, jobs: int = 0
) -> Vectors:
    """DeepWalk (Perozzi et al. 2014): skip-gram with hierarchical softmax on random walks as if they were sentences.

    A walk from a label without edges stays there, so that its vector learns to foretell itself and no other.
    """
    models = need("gensim.models", extra="deep", what="Walking the label graph")
    made = models.Word2Vec(
        vector_size=width, window=window, sg=1, hs=1, negative=0, min_count=0, sample=0, workers=1, seed=seed
    )  # one worker: the same vectors every time
    names = [str(node) for node in range(len(graph))]
    made.build_vocab_from_freq(dict.fromkeys(names, rounds))
    sentences = _Sentences(graph, names, rounds, length, seed, jobs)
    made.train(sentences, total_examples=rounds * len(graph), total_words=rounds * len(graph) * length, epochs=epochs)
    return np.asarray(made.wv[names], np.float32)


class _Sentences:
    """The walks as lists of words, anew in each pass and never all in memory."""

    def __init__(self, graph: Graph, names: list[str], rounds: int, length: int, seed: int, jobs: int) -> None:
        self._graph, self._names = graph, names
        self._rounds, self._length, self._seed, self._jobs = rounds, length, seed, jobs

    def __iter__(self) -> Iterator[list[str]]:
        name = self._names.__getitem__
        blocks = self._graph.walks(rounds=self._rounds, length=self._length, seed=self._seed, jobs=self._jobs)
        for block in blocks:
            for walk in block.tolist():
                yield [*map(name, walk)]


def factored(Y: sparse.csr_array, *, width: int, seed: int) -> Vectors:
    """The directions in which documents' labels vary most: right singular vectors of Y with rows of unit length.

    With no more labels than `width` this only turns the label space: nothing is lost.
    """
    rows = Y.astype(np.float64)
    rows.data /= np.repeat(np.sqrt(np.maximum(np.diff(Y.indptr), 1)), np.diff(Y.indptr))
    return _factors(sparse.csr_array(rows.T @ rows), width, seed)[0].astype(np.float32)


def informed(Y: sparse.csr_array, *, width: int, seed: int) -> Vectors:
    """Factors of how much more often labels meet than by chance: positive pointwise mutual information."""
    together = sparse.csr_array(Y.astype(np.float64).T @ Y.astype(np.float64)).tocoo()
    counts = np.asarray(Y.sum(axis=0)).ravel()
    chance = counts[together.row] * counts[together.col] / Y.shape[0]
    together.data = np.maximum(np.log(together.data / np.maximum(chance, 1e-12)), 0)
    vectors, values = _factors(sparse.csr_array(together), width, seed)
    return (vectors * np.sqrt(np.maximum(values, 0))).astype(np.float32)


def _factors(products: sparse.csr_array, width: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The eigenvectors (labels, width) of a symmetric matrix with the largest eigenvalues, and these, falling."""
    labels = products.shape[0]
    if labels <= max(_DENSE, width):
        values, vectors = np.linalg.eigh(products.toarray())
        return np.ascontiguousarray(vectors[:, ::-1][:, :width]), values[::-1][:width]
    from sklearn.utils.extmath import randomized_svd

    left, sizes, _ = randomized_svd(products, width, random_state=seed)
    return left, sizes


def mean_vectors(Y: sparse.csr_array, vectors: Vectors, *, unit: bool) -> Vectors:
    """The mean of each document's label vectors, (documents, width); of unit length where asked for."""
    sums: Vectors = Y @ vectors
    made = (sums / np.maximum(np.diff(Y.indptr), 1)[:, None]).astype(np.float32)
    return of_unit_length(made) if unit else made


def of_unit_length(vectors: Vectors) -> Vectors:
    """A copy with rows of length one; rows of zeros stay."""
    values = np.ascontiguousarray(vectors, np.float32).ravel().copy()
    unit_rows(values, np.arange(len(vectors) + 1) * vectors.shape[1])
    return values.reshape(vectors.shape)


def placed_beside(met: sparse.csr_array, known: Vectors, alone: Vectors) -> Vectors:
    """Vectors of new labels: the mean of those of the known labels they meet; without any, what they have alone."""
    found = mean_vectors(met, known, unit=True)
    lonely = np.diff(met.indptr) == 0
    found[lonely] = alone[lonely]
    return found
