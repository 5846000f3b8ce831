"""Calibration of whole models: on disk and back, what `predict` and `choose` give then, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import umpteen
from toy import NAMES, indicator, numeric, toy
from umpteen.contract.classifier import Classifier
from umpteen.core.errors import DataError, SettingError, UmpteenError

TEXTS, LABELS = toy(200)
VALID, TRUTH = toy(150, seed=1)
TEST, ANSWERS = toy(100, seed=2)


@pytest.fixture
def model() -> Classifier:
    return umpteen.PLT().fit(TEXTS, LABELS)


def test_a_calibrated_model_gives_each_document_its_number_of_labels(model: Classifier) -> None:
    assert {len(row) for row in model.predict(TEST)} == {2}  # as training documents had on average, before
    before = model.score(TEST, ANSWERS)
    model.calibrate(VALID, TRUTH)
    found = model.predict(TEST)
    assert {len(row) for row in found} == {1, 2}
    assert np.mean([set(row) == set(truth) for row, truth in zip(found, ANSWERS, strict=True)]) > 0.9
    assert model.score(TEST, ANSWERS) > before - 0.02
    assert model.tuning_ is not None
    assert model.tuning_.found.documents == len(VALID)
    assert max(model.tuning_.found.f1.values()) > 0.95
    assert model.fit(TEXTS, LABELS).tuning_ is None


def test_comes_back_from_disk(model: Classifier, tmp_path: Path) -> None:
    model.calibrate(VALID, TRUTH, how="platt", goal="macro", policy="labels").save(tmp_path / "m")
    back = umpteen.load(tmp_path / "m")
    assert back.tuning_ is not None
    assert model.tuning_ is not None
    assert back.tuning_.found.to_json() == model.tuning_.found.to_json()
    assert back.tuning_.policies.to_json() == model.tuning_.policies.to_json()
    assert back.rank(TEST).scores.tobytes() == model.rank(TEST).scores.tobytes()
    for policy in (None, "top", "threshold", "labels", "expected-f1"):
        assert np.array_equal(back.choose(TEST, policy).labels, model.choose(TEST, policy).labels)


def test_rank_depth_and_explanations_agree(model: Classifier) -> None:
    model.calibrate(VALID, TRUTH)
    deep = model.rank(TEST, 6)
    assert np.array_equal(deep.labels[:, :2], model.rank(TEST, 2).labels)
    for place in range(6):
        key = model.labels_.keys[deep.labels[0, place]]
        assert model.explain(TEST[0], key).score == pytest.approx(deep.scores[0, place], abs=1e-6)


def test_every_form_of_labels(tmp_path: Path) -> None:
    model = umpteen.PLT().fit(numeric(TEXTS), indicator(LABELS)).calibrate(numeric(VALID), indicator(TRUTH))
    assert model.predict(numeric(TEST)).shape == (len(TEST), len(NAMES))
    corpus = umpteen.Corpus.from_texts(VALID, TRUTH)
    assert umpteen.PLT().fit(TEXTS, LABELS).calibrate(corpus).tuning_ is not None


def test_documents_without_labels_and_unknown_labels_do_no_harm(model: Classifier) -> None:
    model.calibrate([*VALID, "nothing"], [*TRUTH, []])
    assert model.tuning_ is not None
    assert model.tuning_.found.documents == len(VALID)
    model.calibrate(VALID, [[*row, "never seen"] for row in TRUTH])
    assert len(model.tuning_.policies.labels) == len(NAMES) + 1
    model.predict(TEST)


def test_what_cannot_be(model: Classifier) -> None:
    with pytest.raises(UmpteenError, match=r"no policies yet\. Tune them with: umpteen calibrate"):
        model.choose(TEST, "threshold")
    with pytest.raises(DataError, match="Calibration needs labelled documents"):
        model.calibrate(VALID, [[]] * len(VALID))
    with pytest.raises(SettingError, match=r"'goal' cannot be 'mikro'\. Did you mean 'micro'"):
        model.calibrate(VALID, TRUTH, goal="mikro")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="'how' cannot be"):
        model.calibrate(VALID, TRUTH, how="plat")  # type: ignore[arg-type]
    with pytest.raises(UmpteenError, match="'favour' to 0"):
        umpteen.PLT(favour=1.0).fit(TEXTS, LABELS).calibrate(VALID, TRUTH)
    assert model.tuning_ is None
