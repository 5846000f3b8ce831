from itertools import combinations, product

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import average_precision_score, roc_auc_score

from metrics.cases import Case
from umpteen.core.errors import SettingError
from umpteen.core.ranking import Ranking
from umpteen.metrics.groups import _ranges, frequency_groups, label_areas


def dense_scores(case: Case) -> np.ndarray:
    scores = np.full(case.Y.shape, -1.0)
    for row in range(len(case.ranking)):
        given = case.ranking.labels[row] >= 0
        scores[row, case.ranking.labels[row][given]] = case.ranking.scores[row][given]
    return scores


def test_half_is_what_scikit_learn_computes(case: Case) -> None:
    truth, scores = case.Y.toarray() > 0, dense_scores(case)
    auc, aupr = label_areas(case.ranking, case.Y)
    for label in range(truth.shape[1]):
        if truth[:, label].any():
            assert auc[label] == pytest.approx(roc_auc_score(truth[:, label], scores[:, label]))
            assert aupr[label] == pytest.approx(average_precision_score(truth[:, label], scores[:, label]))
        else:
            assert np.isnan([auc[label], aupr[label]]).all()


def test_strict_gives_nothing_for_what_is_not_listed(case: Case) -> None:
    truth, scores = case.Y.toarray() > 0, dense_scores(case)
    auc, aupr = label_areas(case.ranking, case.Y, ties="strict")
    for label in range(truth.shape[1]):
        true, column = truth[:, label], scores[:, label]
        if not true.any():
            continue
        credit = sum(
            (up > down) + 0.5 * (up == down >= 0) for up, down in product(column[true], column[~true])
        )  # unlisted documents score -1
        assert auc[label] == pytest.approx(credit / (true.sum() * (~true).sum()))
        precise = [(true & (column >= s)).sum() / (column >= s).sum() for s in column[true] if s >= 0]
        assert aupr[label] == pytest.approx(sum(precise) / true.sum())


def test_a_label_on_every_document_has_no_auc() -> None:
    ranking = Ranking(np.array([[0], [-1]], np.int32), np.array([[1], [0]], np.float32))
    auc, aupr = label_areas(ranking, sparse.csr_array([[1, 0], [1, 0]]))
    assert np.isnan(auc).all()
    assert aupr[0] == 1


def test_an_empty_ranking_is_half_right_by_ties() -> None:
    nothing = Ranking(np.full((4, 3), -1, np.int32), np.zeros((4, 3), np.float32))
    Y = sparse.csr_array([[1], [0], [0], [0]])
    assert [areas[0] for areas in label_areas(nothing, Y)] == [0.5, 0.25]
    assert [areas[0] for areas in label_areas(nothing, Y, ties="strict")] == [0, 0]


def test_groups_are_as_equal_as_can_be() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        frequency = random.integers(1, 40, random.integers(3, 30)) ** 2
        values = np.unique(frequency)
        if len(values) < 3:
            continue
        totals = [frequency[(frequency >= low) & (frequency <= high)].sum() for low, high in _ranges(frequency)]
        cuts = combinations(values[1:], 2)
        best = min(
            sum(
                frequency[(frequency >= low) & (frequency < high)].sum() ** 2
                for low, high in ((0, a), (a, b), (b, 1e9))
            )
            for a, b in cuts
        )
        assert len(totals) == 3
        assert sum(totals) == frequency.sum()
        assert sum(total**2 for total in totals) == best


def staircase() -> tuple[Ranking, sparse.csr_array]:
    """Label n on n + 1 documents, ranked as it is true."""
    truth = np.triu(np.ones((12, 12)))
    return Ranking.from_dense(truth, 12).above(0.5), sparse.csr_array(truth)


def test_table_of_groups() -> None:
    tail, torso, head = frequency_groups(*staircase(), least=5)  # 5+6+7+8, 9+10, 11+12 of 78
    assert [(g.name, g.least, g.most, g.labels) for g in (tail, torso, head)] == [
        ("tail", 5, 8, 4),
        ("torso", 9, 10, 2),
        ("head", 11, 12, 2),
    ]
    assert [g.percent for g in (tail, torso, head)] == pytest.approx([100 * n / 78 for n in (26, 19, 23)])
    assert [g.auc for g in (tail, torso, head)] == [g.aupr for g in (tail, torso, head)] == [100, 100, 100]


def test_groups_by_training_frequency() -> None:
    ranking, Y = staircase()
    found = frequency_groups(ranking, Y, frequency=np.array([90, 30, 40, 0, 4, 5]), least=5)
    assert [(g.least, g.most, g.labels) for g in found] == [(5, 30, 2), (40, 40, 1), (90, 90, 1)]


def test_few_frequencies_make_few_groups() -> None:
    ranking, Y = staircase()
    assert [g.name for g in frequency_groups(ranking, Y, least=11)] == ["tail", "head"]
    assert frequency_groups(ranking, Y, least=13) == ()


@pytest.mark.parametrize("ties", ["halve", "", None, 0.5])
def test_unknown_ties_are_refused(ties: object) -> None:
    ranking, Y = Ranking.from_dense([[1.0, 0.5]], 2), sparse.csr_array(np.array([[1, 0]]))
    with pytest.raises(SettingError, match=r"'ties' cannot be .* (There are: half, strict|Did you mean 'half')"):
        label_areas(ranking, Y, ties=ties)  # type: ignore[arg-type]
