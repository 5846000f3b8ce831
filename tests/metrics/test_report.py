import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from metrics.cases import Case
from umpteen.core.errors import DataError, SettingError
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.metrics.bootstrap import intervals
from umpteen.metrics.per_label import per_label, write_per_label
from umpteen.metrics.ranking import Judged, Ratio
from umpteen.metrics.report import evaluate
from umpteen.metrics.sets import Counts


def test_report_holds_every_metric_in_percent(case: Case) -> None:
    chosen = case.ranking.above(0.8), "score 0.8 or more"
    report = evaluate(case.ranking, case.Y, counts=case.counts, documents=case.documents, chosen=chosen, resamples=50)
    at_k = ("P", "R", "nDCG", "PSP", "PSnDCG", "coverage", "macro-P", "macro-R", "macro-F1", "ECE")
    for name in [f"{name}@{k}" for name in at_k for k in (1, 3, 5)]:
        assert 0 <= report[name] <= 100
    assert report["P@3"] == pytest.approx(100 * Judged.of(case.ranking, case.Y, k=3).precision(3).value)
    sets = Counts.per_label(case.ranking.above(0.8), case.Y)
    assert report["micro-F1"] == pytest.approx(100 * sets.total().f1()[0])
    assert report["macro-F1"] == pytest.approx(100 * sets.f1().mean())
    truth, _ = case.lists
    assert report.documents_without_labels == sum(not labels for labels in truth)
    seen = {label for label, count in enumerate(case.counts) if count}
    assert report.labels_never_seen == len({label for labels in truth for label in labels} - seen)
    for name, (low, high) in report.intervals.items():
        assert low <= report[name] <= high


def test_json_is_flat_and_valid(case: Case) -> None:
    report = evaluate(case.ranking, case.Y, counts=case.counts, documents=case.documents, resamples=10)
    saved = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert saved["P@1"] == pytest.approx(report["P@1"], abs=1e-4)
    assert (saved["documents"], saved["labels"], saved["ties"]) == (60, 12, "half")
    assert {"name", "least", "most", "labels", "percent", "auc", "aupr"} == set(saved["groups"][0])
    assert len(saved["intervals"]["PSP@5"]) == 2


def test_a_perfect_ranking_scores_a_hundred() -> None:
    Y = sparse.csr_array(np.eye(6))
    report = evaluate(Ranking.from_csr(Y, 1), Y, counts=np.ones(6, int), documents=60, at=(1,), least=1)
    assert {value for name, value in report.scores.items() if name != "ECE@1"} == {100.0}
    assert report["ECE@1"] == 0
    assert report.intervals["P@1"] == (100.0, 100.0)


def test_groups_can_follow_training_counts(case: Case) -> None:
    kind = {"counts": case.counts, "documents": case.documents, "resamples": 0}
    by_train = evaluate(case.ranking, case.Y, **kind, group_by="train").groups
    assert by_train[-1].most == case.counts[np.isin(np.arange(12), case.Y.indices)].max()


def test_refuses_what_cannot_be_evaluated(case: Case) -> None:
    nothing = Ranking(np.empty((0, 1), np.int32), np.empty((0, 1), np.float32))
    with pytest.raises(DataError, match="no documents"):
        evaluate(nothing, sparse.csr_array((0, 3)), counts=np.ones(3, int), documents=5)
    with pytest.raises(DataError, match="fewer than the 99"):
        evaluate(case.ranking, case.Y, counts=np.ones(99, int), documents=5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ties": "halve"}, "'ties' cannot be 'halve'"),
        ({"group_by": "tets"}, r"'group_by' cannot be 'tets'\. Did you mean 'test'"),
        ({"at": ()}, "'at' takes one k or more"),
        ({"at": (0, 1)}, "'at' takes one k or more"),
    ],
)
def test_refuses_unknown_choices(case: Case, given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        evaluate(case.ranking, case.Y, counts=case.counts, documents=case.documents, resamples=2, **given)


def test_bootstrap_agrees_with_drawing_documents_one_by_one() -> None:
    random = np.random.default_rng(1)
    ratio = Ratio(random.random(80), 1 + random.random(80))
    found = intervals({"x": ratio}, resamples=4000, seed=3)["x"]
    draws = [random.integers(80, size=80) for _ in range(4000)]
    values = [ratio.above[rows].sum() / ratio.below[rows].sum() for rows in draws]
    assert found == pytest.approx(np.quantile(values, [0.025, 0.975]), rel=0.02)
    assert intervals({"x": ratio}, resamples=4000, seed=3)["x"] == found
    assert intervals({"x": ratio}, resamples=0) == {}


def test_bootstrap_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ratios = {"x": Ratio.mean(np.random.default_rng(1).random(30))}
    whole = intervals(ratios, resamples=100)
    monkeypatch.setattr("umpteen.metrics.bootstrap._DRAWS", 30 * 7)
    assert intervals(ratios, resamples=100)["x"] == whole["x"]


def test_label_rows(case: Case, tmp_path: Path) -> None:
    space = LabelSpace([f"k{n}" for n in range(15)], counts=np.pad(case.counts, (0, 3)).astype(np.int64))
    rows = list(per_label(case.ranking, case.Y, space, k=3))
    truth, ranked = case.lists
    for number, row in enumerate(rows):
        true = {d for d, labels in enumerate(truth) if number in labels}
        said = {d for d, labels in enumerate(ranked) if number in labels[:3]}
        assert (row.key, row.train, row.test, row.predicted) == (
            f"k{number}",
            space.counts[number],
            len(true),
            len(said),
        )
        assert row.right == len(true & said)
        assert row.recall == pytest.approx(100 * len(true & said) / len(true) if true else np.nan, nan_ok=True)
    path = tmp_path / "labels.tsv"
    write_per_label(path, case.ranking, case.Y, space, k=3)
    lines = path.read_text().splitlines()
    assert lines[0].replace("\t", " ") == "key name train test predicted right precision recall f1 auc"
    assert len(lines) == 16
    assert all(len(line.split("\t")) == 10 for line in lines)
    with pytest.raises(DataError, match="15 labels but the label space 1"):
        list(per_label(case.ranking, case.Y, LabelSpace(["a"])))
