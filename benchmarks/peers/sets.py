"""The data compared on, as one set of features for all systems: sparse rows of unit length.

Text becomes tf-idf of words; ready features stay what they are. Labels are those of the training documents: test
documents keep only these, and count, with nothing to be right about, where they have no other.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

import umpteen
from peers.systems import matrix
from umpteen.text.tfidf import Tfidf, TfidfSettings

Matrices = tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array, sparse.csr_array]  # X, Y, Xt, Yt

TFIDF = TfidfSettings(min_df=2, max_features=200_000, sublinear=True)
GENERATED = {
    "generated": {"documents": 150_000, "features": 200_000, "labels": 13_000},
    "generated-small": {"documents": 3_000, "features": 4_000, "labels": 200},
}


def make(name: str, source: Path, folder: Path) -> bool:
    """Write a data set's matrices to `folder`; False where there is no such data."""
    if name in GENERATED:
        matrices = generated(**GENERATED[name])
    else:
        train = sorted(source.glob(f"{name}/train.*"))
        test = sorted(source.glob(f"{name}/test.*")) or sorted(source.glob(f"{name}/dev.*"))
        if not train or not test:
            return False
        matrices = read(train[0], test[0])
    folder.mkdir(parents=True)
    for part, values in zip(("X", "Y", "Xt", "Yt"), usable(*matrices), strict=True):
        sparse.save_npz(folder / f"{part}.npz", sparse.csr_matrix(values, dtype=np.float32), compressed=False)
    return True


def read(train: Path, test: Path) -> Matrices:
    """Real documents."""
    known, asked = umpteen.read(train), umpteen.read(test)
    space, Y = umpteen.LabelSpace.learn(known.labels())
    Yt = space.encode(asked.labels())
    if not known.is_text:
        return normalize(known.matrix()), Y, normalize(asked.matrix()), Yt
    tfidf = Tfidf(TFIDF)
    return tfidf.fit(known.texts()), Y, tfidf.transform(asked.texts()), Yt


def usable(X: sparse.csr_array, Y: sparse.csr_array, Xt: sparse.csr_array, Yt: sparse.csr_array) -> Matrices:
    """Training documents that have both features and labels, and the labels they have."""
    kept = np.flatnonzero((np.diff(X.indptr) > 0) & (np.diff(Y.indptr) > 0))
    X, Y = X[kept], Y[kept]
    labels = np.flatnonzero(np.bincount(Y.indices, minlength=Y.shape[1]))
    return X, Y[:, labels], Xt, Yt[:, labels]


def generated(*, documents: int, features: int, labels: int, seed: int = 0) -> Matrices:
    """Documents whose labels follow a power law and show in words of their own and of their group of labels.

    A tenth as many documents again are for testing.
    """
    rng = np.random.default_rng(seed)
    total = documents + documents // 10
    group = rng.integers(labels // 40, size=labels)
    pool = rng.integers(features, size=(labels // 40, 30))
    words = np.hstack(
        [rng.integers(features, size=(labels, 8)), pool[group[:, None], rng.integers(30, size=(labels, 8))]]
    )
    doc, label = _labelled(rng, total, group)
    said = np.flatnonzero(rng.random(len(label)) < 0.9)  # some labels do not show
    shown = words[label[said, None], rng.integers(16, size=(len(said), 5))]  # (labels, words of each)
    other = np.exp(rng.random((total, 60)) * np.log(features)).astype(np.int64) % features  # by Zipf's law
    rows = np.concatenate([np.repeat(doc[said], shown.shape[1]), np.repeat(np.arange(total), other.shape[1])])
    columns = np.concatenate([shown.ravel(), other.ravel()])
    X = _weighted(sparse.csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(total, features)))
    Y = sparse.csr_array((np.ones(len(doc), np.float32), (doc, label)), shape=(total, labels))
    Y.data[:] = 1  # a label drawn twice
    return X[:documents], Y[:documents], X[documents:], Y[documents:]


def _labelled(
    rng: np.random.Generator, total: int, group: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(document, label) pairs; after the first, half of a document's labels are of the first one's group."""
    chance = (np.arange(len(group)) + 10.0) ** -0.9
    counts = 1 + rng.poisson(3.6, total)
    doc = np.repeat(np.arange(total), counts)
    label = rng.choice(len(group), size=len(doc), p=chance / chance.sum())
    first = np.cumsum(counts) - counts
    members, starts = np.argsort(group, kind="stable"), np.searchsorted(np.sort(group), np.arange(group.max() + 2))
    company = np.flatnonzero((rng.random(len(doc)) < 0.5) & (np.arange(len(doc)) != first[doc]))
    near = group[label[first[doc[company]]]]
    label[company] = members[starts[near] + (rng.random(len(company)) * (starts[near + 1] - starts[near])).astype(int)]
    return doc, label


def _weighted(counts: sparse.csr_array) -> sparse.csr_array:
    """Sublinear tf-idf of counts."""
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log((1 + counts.shape[0]) / (1 + df)) + 1
    counts.data = ((1 + np.log(counts.data)) * idf[counts.indices]).astype(np.float32)
    return sparse.csr_array(normalize(counts))


def write_text(folder: Path) -> None:
    """The training data of a folder as text in the XC repository's form, for systems that read no other."""
    X, Y = matrix(folder, "X"), matrix(folder, "Y")
    with (folder / "train.txt").open("w") as out:
        out.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for row in range(X.shape[0]):
            a, b = X.indptr[row : row + 2]
            labels = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]].tolist()))
            pairs = zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)
            out.write(f"{labels} {' '.join(f'{column}:{value:.8g}' for column, value in pairs)}\n")
