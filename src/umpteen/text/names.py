"""Label names as training documents: a label's own words speak for it, which helps labels with few documents."""

from itertools import compress

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.corpus import csr
from umpteen.core.space import LabelSpace
from umpteen.core.spill import growing
from umpteen.text.features import Features
from umpteen.text.titles import Titles

NONE = np.empty(0, np.int32)


def with_names(
    X: sparse.csr_array,
    Y: sparse.csr_array,
    features: Features,
    space: LabelSpace,
    *,
    weight: float = 1.0,
    but: NDArray[np.integer] = NONE,
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Documents and their labels, with one more document for each label that has a name besides its key.

    `weight` is how long these are; other documents have length one. Labels `but` have theirs already.
    """
    if features.tfidf is None:
        return X, Y
    words = [space.label(key).called for key in space.keys]
    named = (space.counts > 0) & np.fromiter(map(bool, words), bool, len(words))
    named[but] = False
    if not named.any():
        return X, Y
    found = features.tfidf.rows(compress(words, named.tolist()))
    rows = found._replace(data=found.data * np.float32(weight)).csr()
    labels = np.flatnonzero(named)
    own = csr(np.ones(len(labels)), labels, np.arange(len(labels) + 1), (len(labels), Y.shape[1]))
    return _stacked(X, rows), _stacked(Y, own)


def titles_of(named: sparse.csr_array, space: LabelSpace) -> Titles:
    """What documents are called that are the names of the one label each has."""
    return Titles.of([f"the name of {space.name(label)}" for label in named.indices.tolist()])


def _stacked(above: sparse.csr_array, below: sparse.csr_array) -> sparse.csr_array:
    values, columns = growing(np.float32), growing(np.int32)
    for part in (above, below):
        values.add(part.data)
        columns.add(part.indices)
    bounds = np.concatenate([above.indptr.astype(np.int64), above.nnz + below.indptr[1:].astype(np.int64)])
    return csr(values.whole(), columns.whole(), bounds, (above.shape[0] + below.shape[0], above.shape[1]))
