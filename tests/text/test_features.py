from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from toy import numeric, toy
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.store import Folder, new_folder
from umpteen.text.features import Features
from umpteen.text.tfidf import TfidfSettings

TEXTS, _ = toy(20)


def saved(features: Features, path: Path) -> Features:
    with new_folder(path) as folder:
        features.save(folder)
    return Features.load(Folder(path), TfidfSettings())


def test_rows_of_unit_length(tmp_path: Path) -> None:
    for corpus in (Corpus.from_texts(TEXTS), Corpus.from_matrix(3 * numeric(TEXTS))):
        features = Features(TfidfSettings())
        X = features.fit(corpus)
        assert np.allclose(sparse.linalg.norm(X, axis=1), 1)
        assert X.shape == (20, features.width)
        back = saved(features, tmp_path / "m")
        assert back.width == features.width
        for same in (features.transform(corpus), back.transform(corpus)):
            assert np.array_equal(same.data, X.data)
            assert np.array_equal(same.indices, X.indices)


def test_given_features_stay_as_they_were() -> None:
    X = 3 * numeric(TEXTS)
    before = X.data.copy()
    Features(TfidfSettings()).fit(Corpus.from_matrix(X))
    assert np.array_equal(X.data, before)


def test_rows_of_nothing_stay_empty() -> None:
    X = Features(TfidfSettings()).fit(Corpus.from_matrix(sparse.csr_array((2, 3), dtype=np.float32)))
    assert X.shape == (2, 3)
    assert not X.nnz


def test_names(tmp_path: Path) -> None:
    by_text = Features(TfidfSettings())
    by_text.fit(Corpus.from_texts(["bread", "bread oven"]))
    named, plain = Features(TfidfSettings()), Features(TfidfSettings())
    matrix = sparse.csr_array(np.eye(2, dtype=np.float32))
    named.fit(Corpus.from_matrix(matrix, feature_names=["height", "width"]))
    plain.fit(Corpus.from_matrix(matrix))
    for features, names in (
        (by_text, ["bread", "oven"]),
        (named, ["height", "width"]),
        (plain, ["feature 0", "feature 1"]),
    ):
        assert [features.name(column) for column in range(2)] == names
        assert [saved(features, tmp_path / "m").name(column) for column in range(2)] == names


def test_documents_of_another_kind() -> None:
    features = Features(TfidfSettings())
    features.fit(Corpus.from_texts(TEXTS))
    with pytest.raises(DataError, match="trained on text, and shop holds ready features"):
        features.transform(Corpus.from_matrix(numeric(TEXTS), name="shop"))
