"""What every model says when it is given something wrong: one sentence that names the fault."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from toy import indicator, numeric, toy
from umpteen.contract.classifier import Classifier
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError, FolderError, NotFittedError, SettingError
from umpteen.models import entries

TEXTS, LABELS = toy(40)
BROKEN = numeric(TEXTS)
BROKEN.data[3] = np.nan

FIT = {
    "no documents": (([], []), "no labelled document"),
    "no labels at all": ((TEXTS, [[]] * 40), "no labelled document"),
    "no y": ((TEXTS,), "no labelled document"),
    "too few label lists": ((TEXTS, LABELS[:-1]), "40 documents but 39"),
    "too few rows of Y": ((numeric(TEXTS), indicator(LABELS)[:-1]), "40 documents but 39"),
    "a bare text": (("bread", [["baking"]]), r"write \[text\]"),
    "bare labels": ((TEXTS, ["baking"] * 40), "not a list of labels"),
    "one number a document": ((TEXTS, np.arange(40)), "not a list of labels"),
    "labels that are no labels": ((TEXTS, [[0.5]] * 40), "texts or whole numbers"),
    "labels of yes and no": ((TEXTS, [[True]] * 40), "texts or whole numbers"),
    "documents that are numbers": (([1, 2], [["a"], ["b"]]), "Document 1 is a int"),
    "documents that are missing": ((["a", None], [["a"], ["b"]]), "Document 2 is a NoneType"),
    "a Corpus and y": ((Corpus.from_texts(TEXTS, LABELS), LABELS), "leave y out"),
    "Y of other numbers": ((TEXTS, 2 * indicator(LABELS)), "0 and 1 only"),
    "features that are no numbers": ((BROKEN, LABELS), "finite numbers"),
}


@pytest.mark.parametrize("case", FIT)
def test_fit_says_what_is_wrong(cls: type[Classifier], case: str) -> None:
    given, message = FIT[case]
    with pytest.raises(DataError, match=message):
        cls().fit(*given)


SETTINGS = {
    "unknown, near match": ({"sede": 1}, "no setting 'sede'. Did you mean 'seed'"),
    "unknown": ({"zzz": 1}, "no setting 'zzz'. There are: .*jobs"),
    "a text for a number": ({"seed": "one"}, "'seed' takes a whole number, not 'one'"),
    "a fraction": ({"jobs": 1.5}, "'jobs' takes a whole number, not 1.5"),
    "yes or no": ({"seed": True}, "'seed' takes a whole number, not True"),
    "below the least": ({"jobs": -1}, "'jobs' must be 0 to 4096, not -1"),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_settings_are_checked_when_made(cls: type[Classifier], case: str) -> None:
    given, message = SETTINGS[case]
    with pytest.raises(SettingError, match=message):
        cls(**given)
    with pytest.raises(SettingError, match=message):
        cls().set_params(**given)


def test_unknown_preset(cls: type[Classifier]) -> None:
    with pytest.raises(SettingError, match="has no preset 'zzz'"):
        cls.preset("zzz")


def test_k(cls: type[Classifier]) -> None:
    model = cls().fit(TEXTS, LABELS)
    for k in (0, -3, 2.5, "5", None):
        with pytest.raises(DataError, match="k is how many labels to give"):
            model.rank(TEXTS, k=k)


def test_documents_of_another_kind(cls: type[Classifier]) -> None:
    if not cls.reads:
        pytest.skip("takes any document, since it does not look at them")
    by_text = cls().fit(TEXTS, LABELS)
    with pytest.raises(DataError, match=r"trained on text, and .* ready features"):
        by_text.rank(numeric(TEXTS))
    with pytest.raises(DataError, match=r"write \[text\]"):
        by_text.rank("bread")
    with pytest.raises(DataError, match="Document 1 is a bytes"):
        by_text.rank([b"bread"])
    if not cls.reads_features:
        with pytest.raises(DataError, match=r"reads text, and .* ready features"):
            cls().fit(numeric(TEXTS), LABELS)
        return
    by_number = cls().fit(numeric(TEXTS), LABELS)
    with pytest.raises(DataError, match=r"trained on ready features, and .* text"):
        by_number.rank(TEXTS)
    with pytest.raises(DataError, match=r"trained on 48 features, and .* 3"):
        by_number.rank(sparse.csr_array(np.ones((2, 3))))


@pytest.mark.parametrize("ask", ["rank", "suggest", "predict", "predict_proba", "score"])
def test_not_fitted(cls: type[Classifier], ask: str) -> None:
    with pytest.raises(NotFittedError, match=f"{cls.__name__} has not learnt anything yet: call fit first"):
        getattr(cls(), ask)(TEXTS)


def test_not_fitted_cannot_be_saved(cls: type[Classifier], tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        cls().save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_folder_of_another_model(cls: type[Classifier], tmp_path: Path) -> None:
    other = next(entry for entry in entries().values() if entry.class_name != cls.__name__).load()
    cls().fit(TEXTS, LABELS).save(tmp_path / "m")
    with pytest.raises(FolderError, match=r"Use umpteen\.load"):
        other.load(tmp_path / "m")


def test_failed_fit_leaves_nothing_half_learnt(cls: type[Classifier]) -> None:
    for texts, labels in (([], []), (["", "?"], [["a"], ["b"]])):
        model = cls()
        try:
            model.fit(texts, labels)
        except DataError:
            with pytest.raises(NotFittedError):
                model.rank(TEXTS)
        else:
            assert not cls.reads
