"""Which runs go on side by side, and what is told of them meanwhile; no process is started here."""

import threading
import time
from pathlib import Path

import pytest

from study.plans import PLAIN, toy_folder, written
from umpteen.study.cells import Cell, cells
from umpteen.study.counted import counted
from umpteen.study.needs import Needs
from umpteen.study.reading import read_study
from umpteen.study.results import Result, Results
from umpteen.study.runner import Runner
from umpteen.study.sources import found
from umpteen.study.watch import Watch

SEVERAL = "seeds = [0, 1, 2]\n" + PLAIN.replace("seeded = false\n", "")


class Sizes(Needs):
    """Runs of kNN need 4, others 3."""

    def memory(self, cell: Cell) -> int:
        return 4 if cell.at["model"] == "kNN" else 3


@pytest.fixture
def results(tmp_path: Path) -> Results:
    toy_folder(tmp_path)
    study = read_study(written(tmp_path, SEVERAL))
    return Results(tmp_path / "out", cells(study, [found(data) for data in study.data]))


def run(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Do all runs, none of which does anything; what those at a time needed together."""
    lock, going, most = threading.Lock(), list[Cell](), list[int]()

    def done(self: Runner, cell: Cell) -> None:
        with lock:
            going.append(cell)
            most.append(sum(map(self._need, going)))
        time.sleep(0.05)
        with lock:
            going.remove(cell)

    monkeypatch.setattr(Runner, "_done", done)
    ended = list[Cell]()
    runner.run(runner.results.cells, ended.append)
    assert sorted(cell.key for cell in ended) == sorted(cell.key for cell in runner.results.cells)
    return most


@pytest.mark.parametrize(("jobs", "budget", "most"), [(1, None, 4), (3, 7, 7), (6, 9, 9), (3, 100, 12), (4, 1, 4)])
def test_runs_side_by_side_fit_into_the_budget(
    results: Results, monkeypatch: pytest.MonkeyPatch, jobs: int, budget: int | None, most: int
) -> None:
    assert max(run(Runner(results, jobs, budget, Sizes(results)), monkeypatch)) <= most


def test_a_run_that_does_not_fit_alone_fails_and_says_so(results: Results) -> None:
    runner = Runner(results, 1, 1, Sizes(results))
    runner._done(results.cells[0])
    result = results.of(results.cells[0])
    assert result is not None and result.error is not None
    assert result.error.startswith("It needs about 4 bytes of memory, and 1 bytes are allowed (--memory).")


def test_lines_tell_what_begins(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    run(Runner(results, 2, None, Sizes(results), say=said.append), monkeypatch)
    assert said[0] == "1 of 6 begins: toy, kNN, seed 0 (about 4 bytes)"
    assert len(said) == 6


def test_needs_are_measured_where_a_like_run_has_ended(results: Results, tmp_path: Path) -> None:
    study = read_study(tmp_path / "s.toml")
    counts = counted([found(data) for data in study.data], tmp_path)
    assert counted([found(data) for data in study.data], tmp_path) == counts  # from the file
    needs = Needs(results, counts, {("toy", "popular"): 7.0})
    first, second, other = results.cells[0], results.cells[1], results.cells[3]
    assert (first.at["model"], second.at["model"], other.at["model"]) == ("kNN", "kNN", "popular")
    assert 300 * 2**20 < needs.memory(second) < 400 * 2**20
    assert needs.seconds(second) is None and needs.seconds(other) == 7
    results.folder(first).mkdir(parents=True)
    Result(first.mark, {"memory": 64, "train-seconds": 100, "tag-seconds": 10}).save(results.folder(first))
    results.look(first)
    assert needs.memory(second) == 64 * 2**20
    assert needs.seconds(second) == 115


def test_the_watch_guesses_what_is_left(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("umpteen.study.watch.time.monotonic", lambda: now[0])
    first, second, third = results.cells[:3]
    watch = Watch(lambda cell: {first.key: 50.0}.get(cell.key))
    assert Watch().left([first], 1) is None
    watch.begin(first)
    now[0] += 10
    assert watch.lines() == ["toy, kNN, seed 0: starting, 10 s so far, about 40 s left"]
    watch.tell(first, {"what": "Learning", "done": 1, "total": 5, "note": "loss 1"})
    assert watch.lines() == ["toy, kNN, seed 0: Learning 20%, loss 1, 10 s so far, about 40 s left"]
    now[0] += 10
    assert watch.left([second, third], 1) == 80 + 2 * 80  # of the others nothing is known
    watch.end(first)
    assert watch.left([second], 1) == 20
    assert watch.lines() == []
