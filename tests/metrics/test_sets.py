import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from metrics.cases import Case
from umpteen.metrics.sets import Counts


def dense(case: Case, ranking: object = None) -> tuple[np.ndarray, np.ndarray]:
    predicted = np.zeros(case.Y.shape, int)
    for row, labels in enumerate(case.ranking.labels if ranking is None else ranking):
        predicted[row, labels[labels >= 0]] = 1
    return case.Y.toarray().astype(int), predicted


@pytest.mark.parametrize("empty", [0.0, 1.0, np.nan])
def test_agrees_with_scikit_learn(case: Case, empty: float) -> None:
    truth, predicted = dense(case)
    label, document = Counts.per_label(case.ranking, case.Y), Counts.per_document(case.ranking, case.Y)
    for average, counts in (
        ("macro", label),
        ("samples", document),
        ("micro", label.total()),
        ("micro", document.total()),
    ):
        mine = counts.averages(empty=empty)
        for name, score in (("P", precision_score), ("R", recall_score), ("F1", f1_score)):
            expected = score(truth, predicted, average=average, zero_division=empty)
            assert mine[name] == pytest.approx(expected, nan_ok=True), (average, name)


def test_agrees_with_napkinxc(case: Case) -> None:
    oracle = pytest.importorskip("napkinxc.metrics", reason="napkinxc is the oracle here")
    truth, ranked = case.lists
    label, document = Counts.per_label(case.ranking, case.Y), Counts.per_document(case.ranking, case.Y)
    assert label.total().averages()["F1"] == pytest.approx(oracle.f1_measure(truth, ranked, average="micro"))
    assert label.averages()["F1"] == pytest.approx(oracle.f1_measure(truth, ranked, average="macro"))
    assert document.averages()["F1"] == pytest.approx(oracle.f1_measure(truth, ranked, average="samples"))
    at_k = [Counts.per_label(case.ranking.top(k), case.Y) for k in range(1, 6)]
    for name, theirs in (
        ("P", oracle.macro_precision_at_k),
        ("R", oracle.macro_recall_at_k),
        ("F1", oracle.macro_f1_measure_at_k),
    ):
        for empty in (0.0, 1.0):
            expected = theirs(truth, ranked, k=5, zero_division=empty).tolist()
            assert [counts.averages(empty=empty)[name] for counts in at_k] == pytest.approx(expected), name


def test_nothing_to_average() -> None:
    nothing = np.zeros(2, np.int64)
    assert Counts(nothing, nothing, nothing).averages() == {"P": 0.0, "R": 0.0, "F1": 0.0}
    assert np.isnan(Counts(nothing, nothing, nothing).averages(empty=np.nan)["F1"])
