"""scikit-learn's tools on every model: each combination of y and tool that scikit-learn itself can do."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import umpteen
from toy import NAMES, indicator, toy
from umpteen.contract.classifier import Classifier
from umpteen.core import errors

TEXTS, LABELS = toy(90)
OBJECTS = np.empty(len(LABELS), object)
OBJECTS[:] = LABELS
NUMBERS = [[NAMES.index(name) for name in row] for row in LABELS]
DENSE = indicator(LABELS)
FORMS = {"lists": LABELS, "objects": OBJECTS, "numbers": NUMBERS, "dense": DENSE}
FORMS |= {"csr_array": sparse.csr_array(DENSE), "csr_matrix": sparse.csr_matrix(DENSE)}
FOLDS = KFold(3, shuffle=True, random_state=0)


def least(cls: type[Classifier]) -> float:
    return 0.8 if cls.reads else 0.1


def test_clone_and_params(cls: type[Classifier]) -> None:
    model = cls(seed=4, jobs=2)
    twin = clone(model)
    assert type(twin) is cls
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert (model.seed, hasattr(model, "sead")) == (4, False)
    assert model.set_params(seed=9) is model
    assert (model.get_params()["seed"], twin.get_params()["seed"]) == (9, 4)
    assert repr(twin).startswith(f"{cls.__name__}(seed=4, jobs=2")
    assert is_classifier(model)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    check_is_fitted(clone(model).fit(TEXTS, LABELS))
    assert not hasattr(clone(model.fit(TEXTS, LABELS)), "labels_")


@pytest.mark.parametrize("form", ["lists", "objects", "numbers", "dense"])
def test_cross_val_score_with_folds(cls: type[Classifier], form: str) -> None:
    assert cross_val_score(cls(), TEXTS, FORMS[form], cv=FOLDS, error_score="raise").min() > least(cls)


def test_cross_val_score_with_a_number_of_folds(cls: type[Classifier]) -> None:
    assert cross_val_score(cls(), TEXTS, DENSE, cv=3, error_score="raise").min() > least(cls)


@pytest.mark.parametrize("form", ["dense", "csr_array", "csr_matrix"])
def test_grid_search(cls: type[Classifier], form: str) -> None:
    search = GridSearchCV(cls(), {"seed": [0]}, cv=3, error_score="raise").fit(TEXTS, FORMS[form])
    assert search.best_score_ > least(cls)
    assert search.predict(TEXTS[:4]).shape == (4, len(NAMES))


@pytest.mark.parametrize("form", ["lists", "objects"])
def test_grid_search_of_lists_with_folds(cls: type[Classifier], form: str) -> None:
    search = GridSearchCV(cls(), {"seed": [0]}, cv=FOLDS, error_score="raise").fit(TEXTS, FORMS[form])
    assert search.best_score_ > least(cls)


@pytest.mark.parametrize("form", FORMS)
def test_train_test_split(cls: type[Classifier], form: str) -> None:
    X, X_test, y, y_test = train_test_split(TEXTS, FORMS[form], random_state=0)
    model = cls().fit(X, y)
    assert model.score(X_test, y_test) > least(cls)


def test_predict_answers_in_the_form_of_y(cls: type[Classifier]) -> None:
    for form, y in FORMS.items():
        found = cls().fit(TEXTS, y).predict(TEXTS)
        if form in ("lists", "objects", "numbers"):
            kind = int if form == "numbers" else str
            assert found.shape == (len(TEXTS),)
            assert all(isinstance(row, list) and row and all(type(label) is kind for label in row) for row in found)
        else:
            assert isinstance(found, np.ndarray if form == "dense" else sparse.csr_array)
            assert found.shape == DENSE.shape
            dense = found if form == "dense" else found.toarray()
            assert set(np.unique(dense)) == {0, 1}
            assert not cls.reads or (dense * DENSE).sum() > 0.5 * DENSE.sum()


def test_predict_proba_is_sparse(cls: type[Classifier]) -> None:
    model = cls().fit(TEXTS, LABELS)
    chances = model.predict_proba(TEXTS, k=2)
    assert isinstance(chances, sparse.csr_array)
    assert chances.shape == (len(TEXTS), len(model.classes_))
    assert np.diff(chances.indptr).max() <= 2
    assert chances.dtype == np.float32
    assert np.allclose(chances.toarray().max(axis=1), model.rank(TEXTS, k=1).scores[:, 0])


def test_pipeline(cls: type[Classifier]) -> None:
    if not cls.reads_features:
        pytest.skip("reads text only")
    pipeline = make_pipeline(TfidfVectorizer(), cls())
    assert cross_val_score(pipeline, TEXTS, DENSE, cv=3, error_score="raise").min() > least(cls)
    step = pipeline.steps[-1][0]
    assert pipeline.set_params(**{f"{step}__seed": 5}).fit(TEXTS, LABELS)[-1].params.seed == 5
    assert clone(pipeline).get_params()[f"{step}__seed"] == 5


def test_labels_that_a_matrix_has_twice_count_once() -> None:
    Y = sparse.csr_array(np.array([[1, 0], [1, 1], [1, 0]]))
    twice = sparse.csr_array((np.ones(2 * Y.nnz), np.repeat(Y.indices, 2), 2 * Y.indptr), shape=Y.shape)
    model = umpteen.PopularLabels().fit(sparse.eye_array(3, format="csr"), twice)
    assert model.labels_.counts.tolist() == [3, 1]


def test_what_is_not_learnt_says_so_and_settings_are_attributes() -> None:
    with pytest.raises(errors.NotFittedError):
        umpteen.PopularLabels().classes_  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'sead'"):
        umpteen.PopularLabels().sead  # noqa: B018
    assert umpteen.PLT(ngrams=2).ngrams == 2
