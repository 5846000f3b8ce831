"""Logs of trainings, as the engine writes them, and as they must not be."""

from pathlib import Path

import pytest

from umpteen.core.errors import UmpteenError
from umpteen.core.run import Run
from umpteen.core.store import new_folder
from umpteen.study.history import histories

ROWS = [
    {"step": 25, "epoch": 0.5, "loss": 0.3, "ndcg@5": 0.41, "best": 1, "documents/s": 100.0, "seconds": 10.0},
    {"step": 50, "epoch": 1.0, "loss": 0.1, "ndcg@5": 0.52, "best": 1, "documents/s": 110.0, "seconds": 20.0},
    {"step": 75, "epoch": 1.5, "loss": 0.05, "ndcg@5": 0.52, "best": 1, "documents/s": 90.0, "seconds": 28.0},
    {"step": 100, "epoch": 2.0, "loss": 0.04, "ndcg@5": 0.50, "best": 0, "documents/s": 80.0, "seconds": 36.0},
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run in the making, of the model m."""
    made = Run(tmp_path / "m.run")
    for row in ROWS:
        made.record(row)
    return tmp_path / "m.run"


def model(path: Path, log: str | None) -> Path:
    with new_folder(path) as folder:
        folder.facts["model"] = "plt"
        if log is not None:
            (folder.path / "log.tsv").write_text(log)
    return path


def test_a_run_under_its_own_name_and_its_models(run: Path, tmp_path: Path) -> None:
    for path in (run, tmp_path / "m"):
        (found,) = histories([path])
        assert (found.name, found.ended) == ("m", False)
        assert [look.step for look in found.looks] == [25, 50, 75, 100]
        assert found.best == found.looks[2]  # of equals the later, whose weights are kept
        assert found.looks[0].loss == 0.3 and found.looks[0].best and not found.looks[3].best


def test_time_and_speed_are_those_of_the_whole(run: Path) -> None:
    (found,) = histories([run])
    assert (found.seconds, found.rate) == (36, 80)


def test_a_model_and_names_told_apart(run: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    saved = model(tmp_path / "other" / "m", (run / "log.tsv").read_text())
    last = model(tmp_path / "n", (run / "log.tsv").read_text())
    found = histories([run, saved, last])
    assert [history.name for history in found] == [str(tmp_path / "m"), str(saved), "n"]
    assert [history.ended for history in found] == [False, True, True]
    assert found[0].looks == found[1].looks


def test_a_line_in_the_making_does_not_count(run: Path) -> None:
    log = run / "log.tsv"
    log.write_text(log.read_text() + "125\t2.5\t0.0")
    assert [look.step for look in histories([run])[0].looks] == [25, 50, 75, 100]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("125\t2.5", r"log.tsv line 6: Expected 7 numbers between tabs, got '125\t2.5'"),
        ("125\t2.5\tx\t0\t1\t1\t1", "log.tsv line 6: Expected 7 numbers"),
        ("nan\t2.5\t1\t0\t1\t1\t1", "log.tsv line 6: Expected 7 numbers"),
        ("", "log.tsv line 6: Expected 7 numbers between tabs, got ''"),
    ],
)
def test_damaged_lines(run: Path, line: str, sentence: str) -> None:
    log = run / "log.tsv"
    log.write_text(log.read_text() + f"{line}\n")
    with pytest.raises(UmpteenError) as caught:
        histories([run])
    assert sentence in str(caught.value)


def test_a_foreign_log(run: Path) -> None:
    (run / "log.tsv").write_text("step\tloss\n1\t2\n")
    with pytest.raises(UmpteenError, match=r"log.tsv line 1: Expected a column 'epoch', got 'step"):
        histories([run])


def test_where_there_are_no_curves(tmp_path: Path) -> None:
    Run(tmp_path / "new.run")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "file").touch()
    model(tmp_path / "sparse", None)
    model(tmp_path / "alone", "")
    for name, sentence in {
        "forein": "There is no folder .*forein. Did you mean 'foreign'?",
        "x/y": "There is no folder .*y.$",
        "file": "file is a file. Name the folder of a model or of a run.",
        "foreign": "foreign is neither a model nor a run: it has no log.tsv.",
        "sparse": "sparse has no curves: plt trains in one go and leaves no log",
        "alone": "log.tsv is empty: the model was trained without a run.",
        "new": "The training in .*new.run has not come to its first look",
    }.items():
        with pytest.raises(UmpteenError, match=sentence):
            histories([tmp_path / name])
