"""What every model that learns as it goes must do, and what the others say: more documents, new labels, same ids."""

from pathlib import Path

import numpy as np
import pytest

import umpteen
from toy import NAMES, numeric, toy
from umpteen.contract.classifier import Classifier
from umpteen.core.errors import DataError, UmpteenError
from umpteen.core.space import Label

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
WORDS = ["violin", "chord", "melody", "opera"], ["star", "telescope", "galaxy", "orbit"]  # known, in a new mixture
NEW = [" ".join(word for half in WORDS for word in np.random.default_rng(n).permutation(half)[:3]) for n in range(8)]


def learning(cls: type[Classifier]) -> None:
    if not cls.learns:
        pytest.skip("learns in one go")


def best(model: Classifier, X: object) -> list[str]:
    return [model.labels_.keys[label] for label in model.rank(X, 1).labels[:, 0]]


def test_models_that_cannot_say_so(cls: type[Classifier]) -> None:
    if cls.learns:
        pytest.skip("learns as it goes")
    with pytest.raises(UmpteenError, match="cannot learn more documents"):
        cls().partial_fit(TEXTS, LABELS)


def test_the_first_lesson_is_a_training(cls: type[Classifier]) -> None:
    learning(cls)
    model = cls().partial_fit(TEXTS, LABELS)
    assert model.documents_ == len(TEXTS)
    assert model.score(TEST, TRUTH) > (0.95 if cls.reads else 0.3)


def test_a_new_label_is_found_and_old_answers_stay(cls: type[Classifier], tmp_path: Path) -> None:
    learning(cls)
    model = cls().fit(TEXTS, LABELS)
    before, score = list(model.labels_.keys), model.score(TEST, TRUTH)
    model.partial_fit(
        [*NEW[:5], "without any label"], [["opera in space"]] * 5 + [[]], labels={"opera in space": Label("x", "X")}
    )
    assert model.labels_.keys == [*before, "opera in space"]
    assert model.labels_.name(len(before)) == "X"
    assert model.labels_.counts[-1] == 5
    assert model.documents_ == len(TEXTS) + 5
    if cls.reads:
        assert best(model, NEW[5:]) == ["opera in space"] * 3
        assert model.score(TEST, TRUTH) > score - 0.05
    model.save(tmp_path / "m")
    back = umpteen.load(tmp_path / "m").partial_fit(NEW[5:], [["opera in space", "later"]] * 3)
    assert back.labels_.keys == [*before, "opera in space", "later"]
    assert back.documents_ == len(TEXTS) + 8
    back.save(tmp_path / "m")  # over the folder that it lies in
    again = umpteen.load(tmp_path / "m")
    assert again.documents_ == len(TEXTS) + 8
    if cls.reads:
        assert "later" in {name for row in again.suggest(NEW, 2) for name, _ in row}


def test_learning_the_rest_is_like_learning_all(cls: type[Classifier]) -> None:
    learning(cls)
    model = cls().fit(TEXTS[:90], LABELS[:90]).partial_fit(TEXTS[90:], LABELS[90:])
    assert model.labels_.counts.sum() == sum(map(len, LABELS))
    assert model.score(TEST, TRUTH) > (0.95 if cls.reads else 0.3)


def test_features_are_learnt_too(cls: type[Classifier]) -> None:
    learning(cls)
    model = cls().fit(numeric(TEXTS), LABELS).partial_fit(numeric(NEW[:5]), [["new"]] * 5)
    if cls.reads:
        assert best(model, numeric(NEW[5:])) == ["new"] * 3


def test_a_lesson_that_fails_leaves_the_model_as_it_was(cls: type[Classifier]) -> None:
    learning(cls)
    model = cls().fit(TEXTS, LABELS)
    expected = model.rank(TEST)
    with pytest.raises(DataError, match="no labelled document"):
        model.partial_fit(TEXTS, [[]] * len(TEXTS))
    if cls.reads:
        with pytest.raises(DataError, match="trained on text"):
            model.partial_fit(numeric(TEXTS), [["new"]] * len(TEXTS))
    assert (len(model.labels_), model.documents_) == (len(NAMES), len(TEXTS))
    assert np.array_equal(model.rank(TEST).labels, expected.labels)
