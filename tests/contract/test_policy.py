"""Policies: each does what it says, is the best of its kind, and expected F1 is what enumerating all cases gives."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from umpteen.contract.expected import best_counts, expected_f1
from umpteen.contract.kinds import GOALS, POLICIES, Goal
from umpteen.contract.policy import Policies, Trial
from umpteen.core.errors import SettingError
from umpteen.core.ranking import Ranking
from umpteen.metrics.sets import Counts


def enumerated(chances: list[float], m: int) -> float:
    """The expected F1 of the first m labels by going through all cases."""
    total = 0.0
    for case in product((0, 1), repeat=len(chances)):
        weight = np.prod([p if true else 1 - p for p, true in zip(chances, case, strict=True)])
        total += weight * 2 * sum(case[:m]) / (m + sum(case))
    return total


def test_expected_f1_is_that_of_all_cases() -> None:
    chances = -np.sort(-np.random.default_rng(0).random((6, 7)), axis=1)
    chances[0, 4:] = 0  # a padded row
    found = expected_f1(chances)
    for row, values in zip(chances.tolist(), found, strict=True):
        assert values == pytest.approx([enumerated(row, m) for m in range(1, 8)])


def test_the_first_labels_are_the_best_set_there_is() -> None:
    chances = [0.9, 0.5, 0.45, 0.2]
    value = max(expected_f1(np.array([chances]))[0])
    for chosen in product((0, 1), repeat=4):
        if any(chosen):
            total = 0.0
            for case in product((0, 1), repeat=4):
                weight = np.prod([p if true else 1 - p for p, true in zip(chances, case, strict=True)])
                both = sum(a and b for a, b in zip(case, chosen, strict=True))
                total += weight * 2 * both / (sum(chosen) + sum(case))
            assert total <= value + 1e-12


def test_sure_labels_are_all_given() -> None:
    assert best_counts(np.array([[1.0, 1.0, 1.0, 0.0], [0.9, 0.1, 0.1, 0.1], [0.1, 0.0, 0.0, 0.0]])).tolist() == [
        3,
        1,
        1,
    ]
    assert best_counts(np.zeros((0, 3))).tolist() == []


def trial(documents: int = 400, *, seed: int = 0) -> tuple[Trial, sparse.csr_array]:
    random = np.random.default_rng(seed)
    dense = random.beta(0.4, 2.0, (documents, 12))
    Y = sparse.csr_array((random.random(dense.shape) < dense).astype(np.float32))
    return Trial.of(Ranking.from_dense(dense, 12), Y), Y


@pytest.mark.parametrize("goal", GOALS)
def test_f1_is_that_of_the_metrics(goal: Goal) -> None:
    seen, Y = trial()
    chosen = seen.ranking.above(0.3)
    literal = {
        "document": lambda: Counts.per_document(chosen, Y).f1().mean(),
        "micro": lambda: Counts.per_label(chosen, Y).total().f1()[0],
        "macro": lambda: Counts.per_label(chosen, Y).f1().mean(),
    }
    assert seen.f1(seen.ranking.scores >= 0.3, goal) == pytest.approx(literal[goal]())


@pytest.mark.parametrize("goal", GOALS)
def test_each_policy_is_the_best_of_its_kind(goal: Goal) -> None:
    seen, _ = trial()
    found = Policies.tuned(seen, goal)
    scores = {name: seen.f1(found.given(seen.ranking, name), goal) for name in POLICIES}
    place = np.arange(12)
    assert scores["top"] == max(seen.f1(np.tile(place < k, (400, 1)), goal) for k in range(1, 13))
    for threshold in np.linspace(0.05, 0.95, 19):
        assert scores["threshold"] >= seen.f1(seen.ranking.scores >= threshold, goal) - 0.005
    assert scores["labels"] >= scores["threshold"]
    if goal == "document":
        assert scores["expected-f1"] >= scores["threshold"] - 0.01


def test_labels_that_score_too_low_get_thresholds_of_their_own() -> None:
    random = np.random.default_rng(0)
    dense = random.random((600, 3))
    right = random.random(dense.shape) < dense
    dense[:, 2] /= 4  # says a quarter of what it means
    seen = Trial.of(Ranking.from_dense(dense, 3), sparse.csr_array(right.astype(np.float32)))
    found = Policies.tuned(seen, "macro")
    assert found.labels[2] < 0.2 < found.labels[0]
    assert seen.f1(found.given(seen.ranking, "labels"), "macro") > seen.f1(
        found.given(seen.ranking, "threshold"), "macro"
    )


def test_answers_are_rankings_padded_at_the_end() -> None:
    seen, _ = trial(50)
    found = Policies.tuned(seen, "micro")
    for name in POLICIES:
        given, chosen = found.given(seen.ranking, name), found(seen.ranking, name)
        assert ((chosen.labels >= 0).sum(axis=1) == given.sum(axis=1)).all()
        assert (np.diff((chosen.labels >= 0).astype(int), axis=1) <= 0).all()
        assert found.using(name).spoken() == found.spoken(name)
    grown = Ranking(seen.ranking.labels + np.int32(5), seen.ranking.scores)  # labels that came after the tuning
    assert found.given(grown, "labels").shape == grown.labels.shape
    with pytest.raises(SettingError, match=r"'policy' cannot be 'tops'\. Did you mean 'top'"):
        found(seen.ranking, "tops")  # type: ignore[arg-type]
