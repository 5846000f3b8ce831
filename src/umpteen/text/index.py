"""Index: document vectors in clusters, and the nearest of them to others, looked for in the nearest clusters alone.

Vectors that stand behind each other, as several networks lay a document in one space, can be folded: then their mean
is what counts as near, which is as many times quicker.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError
from umpteen.core.extras import need
from umpteen.core.sound import check_kind
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels.threads import cores

_ROUNDS = 20  # of k-means
_SAMPLE = 256  # documents per cluster that k-means looks at, at most
_TOGETHER = 1000  # numbers in vectors to look for together, from which on faiss had better multiply matrices

_MAKING = Lock()

Vectors = NDArray[np.float32]  # (documents, width)


class Index:
    """Vectors, the centres of their clusters, and faiss, which is made of both when first asked.

    Centres are as wide as vectors are once folded.
    """

    def __init__(self, vectors: Vectors, centres: Vectors) -> None:
        self.vectors, self.centres = vectors, centres
        self._made: Any = None

    @classmethod
    def of(cls, vectors: Vectors, *, clusters: int, folds: int = 1, seed: int, jobs: int = 0) -> "Index":
        """Vectors in `clusters` clusters by k-means, or fewer where there are few vectors."""
        count = max(1, min(clusters, len(vectors)))
        given = np.ascontiguousarray(vectors, np.float32)
        near = folded(given, folds)
        if count == 1:
            return cls(given, near.mean(axis=0, keepdims=True))
        with _faiss(jobs) as faiss:
            few = {"min_points_per_centroid": 1, "max_points_per_centroid": _SAMPLE}
            means = faiss.Kmeans(near.shape[1], count, niter=_ROUNDS, seed=seed, **few)
            means.train(near)
        return cls(given, means.centroids)

    @property
    def folds(self) -> int:
        """How many vectors stand behind each other in one."""
        return int(self.vectors.shape[1] // self.centres.shape[1])

    def __len__(self) -> int:
        return len(self.vectors)

    def with_more(self, vectors: Vectors) -> "Index":
        """These vectors and others behind them, each in the cluster whose centre is nearest; centres stay."""
        return Index(np.concatenate([self.vectors, np.asarray(vectors, np.float32)]), self.centres)

    def nearest(
        self, vectors: Vectors, k: int, *, probes: int, jobs: int = 0
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The k nearest in the `probes` nearest clusters, (vectors, k), -1 for none, and squared distances, rising."""
        with _faiss(jobs) as faiss:
            if self._made is None:
                with _MAKING:
                    self._made = self._made or self._built(faiss)
            if len(self.centres) > 1:
                self._made.nprobe = min(probes, len(self.centres))
            squares, found = self._made.search(folded(vectors, self.folds), min(k, len(self)))
        return found.astype(np.int32), np.where(found < 0, np.float32(0), np.maximum(squares, 0))

    def _built(self, faiss: Any) -> Any:
        width = self.centres.shape[1]
        flat = faiss.IndexFlatL2(width)
        if len(self.centres) == 1:
            made = flat
        else:
            flat.add(np.ascontiguousarray(self.centres))
            made = faiss.IndexIVFFlat(flat, width, len(self.centres))
            made.train(np.ascontiguousarray(self.centres))  # the centres are there: nothing is left to learn
        made.add(folded(self.vectors, self.folds))
        return made

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        folder.array("index_vectors", self.vectors)
        folder.array("index_centres", self.centres)

    @classmethod
    def load(cls, folder: Folder) -> "Index":
        """The same as was saved."""
        made = cls(folder.array("index_vectors"), folder.array("index_centres"))
        check_kind(made.vectors, "f4", 2)
        check_kind(made.centres, "f4", 2)
        width = made.centres.shape[1]
        if not width or made.vectors.shape[1] % width or not made.folds or not len(made.centres):
            raise DataError("The vectors and the centres of their clusters are of different widths.")
        return made


def folded(vectors: Vectors, folds: int) -> Vectors:
    """The means of vectors that stand behind each other, of unit length; one alone stays as it is."""
    if folds == 1:
        return np.ascontiguousarray(vectors, np.float32)
    sums: Vectors = vectors.reshape(len(vectors), folds, vectors.shape[1] // folds).sum(axis=1, dtype=np.float32)
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-12))
    return sums


@contextmanager
def _faiss(jobs: int) -> Iterator[Any]:
    """The library on so many threads; others that share its runtime, as torch does, find theirs as they were.

    From when on it multiplies matrices is for the whole process, and stays.
    """
    faiss = need("faiss", extra="deep", what="Looking for the nearest documents")
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(jobs or cores())
    usual = faiss.cvar.distance_compute_blas_threshold  # newer versions wait for 128,000 numbers, which is slower
    faiss.cvar.distance_compute_blas_threshold = min(usual, _TOGETHER)
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(before)
