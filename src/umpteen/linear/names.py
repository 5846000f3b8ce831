"""Label names as training documents: a label's own words speak for it, which helps labels with few documents."""

import numpy as np
from scipy import sparse

from umpteen.core.corpus import Corpus, csr
from umpteen.core.space import LabelSpace
from umpteen.text.features import Features


def with_names(
    X: sparse.csr_array, Y: sparse.csr_array, features: Features, space: LabelSpace
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Documents and their labels, with one more document for each label that has a name besides its key."""
    labels = [number for number in np.flatnonzero(space.counts).tolist() if _words(space, number)]
    if features.tfidf is None or not labels:
        return X, Y
    named = features.transform(Corpus.from_texts([_words(space, number) for number in labels]))
    ones = sparse.csr_array(
        (np.ones(len(labels), Y.dtype), (np.arange(len(labels)), labels)), shape=(len(labels), Y.shape[1])
    )
    grown = sparse.vstack([X, named], format="csr")
    return csr(grown.data, grown.indices, grown.indptr, grown.shape), sparse.csr_array(
        sparse.vstack([Y, ones], format="csr")
    )


def _words(space: LabelSpace, number: int) -> str:
    label = space.label(space.keys[number])
    return " ".join(dict.fromkeys(name for name in (label.name, *label.names.values()) if name and name != label.key))
