"""Label names as documents: which labels get one, with which words."""

import numpy as np

from umpteen.core.corpus import Corpus
from umpteen.core.space import Label, LabelSpace
from umpteen.text.features import Features
from umpteen.text.names import with_names
from umpteen.text.tfidf import TfidfSettings

TEXTS = ["sun and moon", "moon and soup", "soup with bread"]


def test_each_label_with_a_name_gives_a_document() -> None:
    labels = {
        "sky": Label("sky", "moon", names={"en": "moon", "de": "sun"}),  # the same name once
        "food": Label("food", "bread soup"),
        "and": Label("and", "and"),  # called what its key says
        "rest": Label("rest", "moon"),  # in no document
    }
    space = LabelSpace(["rest", "sky", "and", "food", "odd"], labels=labels)
    Y = space.encode([["sky", "and"], ["food", "odd"], ["food"]])
    features = Features(TfidfSettings())
    X = features.fit(Corpus.from_texts(TEXTS))
    grown, own = with_names(X, Y, features, space.counted(Y), weight=0.5)
    assert own[3:].toarray().tolist() == [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0]]
    assert (own[:3] != Y).nnz == 0
    expected = features.transform(Corpus.from_texts([*TEXTS, "moon sun", "bread soup"]))
    np.testing.assert_array_equal(grown.toarray(), expected.toarray() * [[1], [1], [1], [0.5], [0.5]])


def test_without_names_nothing_changes() -> None:
    features = Features(TfidfSettings())
    X = features.fit(Corpus.from_texts(TEXTS))
    space, Y = LabelSpace.learn([["sky"], ["sky"], ["food"]])
    assert with_names(X, Y, features, space, weight=1) == (X, Y)
