from pathlib import Path

import numpy as np
import pytest

from metrics.cases import Case
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.metrics.evaluation import Evaluation, overlap
from umpteen.metrics.report import evaluate


def kept(name: str, documents: list[str], *tops: str, width: int = 3) -> Evaluation:
    labels = tuple(sorted(set("".join(tops))))
    rows = [[labels.index(letter) for letter in top] + [-1] * (width - len(top)) for top in tops]
    return Evaluation(name, "toy", {}, tuple(documents), labels, np.array(rows, np.int32))


def test_comes_back_from_disk(case: Case, tmp_path: Path) -> None:
    space = LabelSpace([f"größe {n}" for n in range(15)])
    report = evaluate(case.ranking, case.Y, counts=case.counts, documents=case.documents, resamples=10)
    saved = Evaluation.of(report, case.ranking, space, name="popular", data="toy", k=3)
    saved.save(tmp_path / "one.json")
    loaded = Evaluation.load(tmp_path / "one.json")
    assert (loaded.name, loaded.data, loaded.documents[:2]) == ("popular", "toy", ("1", "2"))
    assert loaded.scores["P@1"] == pytest.approx(report["P@1"], abs=1e-4)
    assert set(loaded.scores) == set(report.scores)
    assert loaded.top is not None
    for row, labels in zip(loaded.top, case.ranking.labels, strict=True):
        assert [loaded.labels[n] for n in row if n >= 0] == [space.keys[n] for n in labels[:3] if n >= 0]
    shared = min(case.ranking.depth, 3)
    assert overlap(loaded, saved, k=2) == pytest.approx((case.ranking.labels[:, :2] >= 0).mean())
    assert loaded.top.shape == (60, shared)


def test_overlap_by_hand() -> None:
    one, other = kept("one", ["x", "y"], "abc", "de"), kept("other", ["x", "y"], "acz", "zd")
    assert overlap(one, other, k=1) == 0.5
    assert overlap(one, other, k=2) == pytest.approx((1 + 1) / 2 / 2)
    assert overlap(one, other, k=3) == pytest.approx((2 + 1) / 3 / 2)
    assert overlap(other, one, k=3) == overlap(one, other, k=3)


def test_overlap_finds_documents_by_id() -> None:
    one, other = kept("one", ["x", "y"], "abc", "de"), kept("other", ["y", "x"], "zd", "acz")
    assert overlap(one, other, k=3) == pytest.approx((2 + 1) / 3 / 2)
    for documents in (["y", "q"], ["y", "y"]):
        with pytest.raises(DataError, match="different documents"):
            overlap(one, kept("other", documents, "zd", "acz"), k=1)


def test_what_was_not_kept_is_missed(tmp_path: Path) -> None:
    Evaluation("bare", "toy", {"P@1": 3.0}).save(tmp_path / "bare.json")
    bare = Evaluation.load(tmp_path / "bare.json")
    with pytest.raises(DataError, match="bare does not keep the first 1 labels"):
        overlap(bare, bare, k=1)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "a", "data": "b", "metrics": {}, "rankings": 3}'])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DataError, match=r"x\.json: This is not a saved evaluation"):
        Evaluation.load(tmp_path / "x.json")


def test_ids_must_match_the_ranking(case: Case) -> None:
    report = evaluate(case.ranking, case.Y, counts=case.counts, documents=9, resamples=0)
    short = Ranking(case.ranking.labels[:2], case.ranking.scores[:2])
    with pytest.raises(DataError, match="1 document ids but 2 documents"):
        Evaluation.of(report, short, LabelSpace(), name="a", data="b", documents=["x"])
