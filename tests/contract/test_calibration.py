"""Probabilities: they mean what they say, keep the ranking's form, and leave rare labels their share of doubt."""

import numpy as np
import pytest

from umpteen.contract.calibration import Calibration
from umpteen.contract.kinds import DEPTH, HOWS, How
from umpteen.core.ranking import Ranking
from umpteen.metrics.calibration import Reliability


def drawn(documents: int, *, seed: int) -> tuple[Ranking, np.ndarray, np.ndarray]:
    """Rankings whose true chances are score squared for frequent labels and half of that for rare ones."""
    random = np.random.default_rng(seed)
    counts = np.array([1, 2] * 20 + [300] * 40)
    labels = np.argsort(random.random((documents, len(counts))), axis=1)[:, :10].astype(np.int32)
    ranking = Ranking.best(labels, random.random((documents, 10)), 10)
    chance = ranking.scores**2 * np.where(counts[ranking.labels] > 2, 1.0, 0.5)
    return ranking, random.random(chance.shape) < chance, counts


@pytest.mark.parametrize("how", HOWS)
def test_probabilities_mean_what_they_say(how: How) -> None:
    ranking, right, counts = drawn(4000, seed=0)
    calibration = Calibration.fit(ranking, right, counts, how=how)
    other, truth, _ = drawn(4000, seed=1)
    before = Reliability.of(other.scores, truth).error
    found = calibration(other, counts)
    order = np.argsort(np.argsort(found.labels, axis=1), axis=1)
    by_label = np.take_along_axis(truth, np.argsort(other.labels, axis=1), 1)
    kept = np.take_along_axis(by_label, order, 1)
    assert before > 0.2
    assert Reliability.of(found.scores, kept).error < (0.02 if how == "isotonic" else 0.05)
    rare = counts[found.labels] <= 2
    for part in (rare, ~rare):
        assert Reliability.of(found.scores[part], kept[part]).error < (0.03 if how == "isotonic" else 0.08)


def test_rankings_stay_well_formed() -> None:
    ranking, right, counts = drawn(500, seed=0)
    calibration = Calibration.fit(ranking, right, counts)
    padded = Ranking(
        np.pad(ranking.labels[:, :6], ((0, 0), (0, 2)), constant_values=-1),
        np.pad(ranking.scores[:, :6], ((0, 0), (0, 2))),
    )
    found = calibration(padded, counts)
    assert found.labels.dtype == np.int32
    assert found.scores.dtype == np.float32
    assert (np.diff(found.scores, axis=1) <= 0).all()
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    assert (found.labels[:, 6:] == -1).all()
    assert (found.scores[:, 6:] == 0).all()
    assert (np.sort(found.labels, axis=1) == np.sort(padded.labels, axis=1)).all()


def test_depth_does_not_change_the_first() -> None:
    ranking, right, counts = drawn(300, seed=0)
    calibration = Calibration.fit(ranking, right, counts)
    wide = np.tile(np.arange(80, dtype=np.int32), (3, 1))
    deep = Ranking.best(wide, np.random.default_rng(5).random((3, 80)), 80)
    one, other = calibration(deep.top(DEPTH), counts), calibration(deep, counts)
    assert np.array_equal(one.labels, other.labels[:, :DEPTH])
    assert np.allclose(one.scores, other.scores[:, :DEPTH], atol=1e-6)


def test_few_suggestions_stay_near_what_holds_for_all() -> None:
    ranking, right, counts = drawn(10_000, seed=0)
    counts = counts.copy()
    counts[7] = 10_000  # alone in its group
    right = np.where(ranking.labels == 7, False, right)  # and never right
    first = Calibration.fit(Ranking(ranking.labels[:5], ranking.scores[:5]), right[:5], counts)
    many = Calibration.fit(ranking, right, counts)
    score = np.array([0.95])
    group = np.array([14])
    assert first.by_count(score, group)[0] > 0.2  # almost nothing is known of the label
    assert many.by_count(score, group)[0] < 0.2


def test_comes_back_from_json() -> None:
    ranking, right, counts = drawn(200, seed=0)
    calibration = Calibration.fit(ranking, right, counts)
    back = Calibration.from_json(calibration.to_json())
    assert np.array_equal(back(ranking, counts).scores, calibration(ranking, counts).scores)


@pytest.mark.parametrize("how", HOWS)
def test_survives_scores_that_are_all_the_same(how: How) -> None:
    labels = np.array([[0], [1], [0]], np.int32)
    for score, right in ((1.0, True), (0.0, False), (0.5, True)):
        ranking = Ranking(labels, np.full((3, 1), score, np.float32))
        found = Calibration.fit(ranking, np.full((3, 1), right), np.array([2, 1]), how=how)(ranking, np.array([2, 1]))
        assert np.isfinite(found.scores).all()
        assert (found.scores > 0.4).all() if right else (found.scores < 0.4).all()
