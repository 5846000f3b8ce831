"""`umpteen study` as a user meets it; few real child processes, since each takes seconds to start."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from study.plans import NOISY, PLAIN, toy_folder, written

Command = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user is in, with data and a study."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UMPTEEN_DATA", raising=False)
    toy_folder(tmp_path)
    written(tmp_path, PLAIN)
    return tmp_path


def no_child(*_: object, **__: object) -> None:
    raise AssertionError("a child was started")


def test_the_list(umpteen: Command) -> None:
    done = umpteen("study")
    assert done.code == 0
    assert "noise " in done.out
    assert "ablation --model rankae" in done.out


def test_from_nothing_to_tables_and_again(umpteen: Command, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = umpteen("study", "s.toml", "--out", "o", "--jobs", 2)
    assert done.code == 0, done.err
    head, *rows = done.out.splitlines()[1:4]
    assert head.split() == ["model", "P@1", "nDCG@3"]
    assert [row.split()[0] for row in rows] == ["kNN", "popular"]
    assert rows[0].count("*") == 2
    assert "Written: o/report.md, o/report.html, o/scores.csv, o/scores.tex, o/results.csv" in done.out
    assert "A toy: 2 runs." in done.err
    assert "2 of 2: toy, " in done.err
    saved = sorted((here / "o" / "runs").glob("*/*"))
    assert [file.name for file in saved] == ["evaluation.json", "log.txt", "result.json"] * 2
    assert saved[1].read_text().splitlines()[0].endswith("  Reading")
    assert "begins: toy, kNN, seed 0 (about " in done.err
    assert umpteen("compare", *(here / "o" / "runs").glob("*/evaluation.json")).code == 0

    monkeypatch.setattr("subprocess.Popen", no_child)
    again = umpteen("study", "s.toml", "--out", "o")
    assert (again.code, again.out) == (0, done.out)
    assert "2 of them done before" in again.err
    changed = umpteen("study", "s.toml", "--out", "o", "--set", "kNN.neighbours=3", "--dry-run")
    assert [line.split()[-1] for line in changed.out.splitlines()[:3]] == ["state", "changed", "done"]
    assert "2 runs, 1 of them done. Results go to o." in changed.out
    other = written(here, PLAIN, "t.toml")
    assert "o holds another study, 's'." in umpteen("study", other, "--out", "o").err


def test_a_failed_run_leaves_the_others(umpteen: Command, here: Path) -> None:
    text = NOISY.replace('"0,0.5"', "[0, 1]").replace('"missing", "balanced"', '"missing"')
    written(here, text, "n.toml")
    done = umpteen("study", "n.toml", "--models", "popular")
    assert done.code == 1
    assert "\n1     popular       -       -\n" in done.out
    assert (
        "1 of 2 runs failed; the same command tries them again. The first: toy, popular, missing 1, seed 0:" in done.err
    )
    assert "no labelled document to learn from" in (here / "study-n" / "report.md").read_text()
    assert "failed" in umpteen("study", "n.toml", "--models", "popular", "--dry-run").out


def started(here: Path, slow: str) -> "subprocess.Popen[str]":
    """The command in a process of its own, whose runs are done by another program."""
    code = (
        "import subprocess as s, sys; import umpteen.study.runner; from umpteen.app.cli import main; real = s.Popen\n"
        f"s.Popen = lambda command, **more: real([sys.executable, '-c', {slow!r}, command[-1]], **more)\n"
        "sys.argv = ['umpteen', 'study', 's.toml']; main()"
    )
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, cwd=here)


def wait_for(found: Callable[[], object]) -> None:
    for _ in range(600):
        if found():
            return
        time.sleep(0.1)
    raise AssertionError("it takes too long")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_killed_in_the_middle_it_goes_on_where_it_was(umpteen: Command, here: Path) -> None:
    slow = (
        "import os, time, pathlib, umpteen.study.worker as w; real = w.done\n"
        "def done(job):\n"
        "    if 'first' in job['name']: return real(job)\n"
        "    pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(600)\n"
        "w.done = done; w.main()"
    )
    written(here, PLAIN.replace("[[models]]", '[[models]]\nmodel = "popular"\nname = "first"\n[[models]]', 1))
    command = started(here, slow)
    try:
        wait_for(lambda: [*(here / "study-s" / "runs").glob("*/result.json")] and (here / "pid").exists())
    finally:
        command.kill()  # as kill -9 does
    command.communicate(timeout=20)
    child = int((here / "pid").read_text())
    wait_for(lambda: not is_alive(child))  # no run outlives its study
    state = umpteen("study", "s.toml", "--dry-run")
    assert "3 runs, 1 of them done." in state.out
    done = umpteen("study", "s.toml")
    assert done.code == 0, done.err
    assert "A toy: 3 runs, 1 of them done before." in done.err
    assert (here / "study-s" / "report.html").is_file()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_the_children_and_says_how_to_go_on(here: Path) -> None:
    slow = "import time, umpteen.study.worker as w; w.done = lambda job: time.sleep(60); w.main()"
    command = started(here, slow)
    wait_for(lambda: [*(here / "study-s" / "runs").glob("*/job.json")])
    time.sleep(0.3)
    command.send_signal(signal.SIGINT)
    _, told = command.communicate(timeout=20)
    assert command.returncode == 130
    assert told.endswith("What has ended is in study-s. Go on with the same command: umpteen study s.toml\n")
    assert not [*(here / "study-s" / "runs").glob("*/result.json")]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nois"], "There is no study 'nois'. Did you mean 'noise'?"),
        (["missing.toml"], "There is no file missing.toml."),
        (
            ["noise", "--data", "nowhere"],
            "There are no data 'nowhere': looked here, in the folders here and in UMPTEEN_DATA",
        ),
        (["s.toml", "--seeds", "a"], "--seeds takes numbers such as 0,1,2 or 0..4, not 'a'."),
        (["s.toml", "--seeds", ""], "--seeds takes numbers such as 0,1,2 or 0..4, not ''."),
        (["s.toml", "--rates", "0.1"], "s.toml has no label noise, so there are no --rates to choose."),
        (["s.toml", "--models", "kNM"], "has no model 'kNM'."),
        (["s.toml", "--set", "kNN.neighbour=1"], "has no setting 'neighbour'. Did you mean 'neighbours'?"),
        (["s.toml", "--out", "toy"], "toy holds other files, not a study. Choose another place with --out."),
        (["s.toml", "--out", "s.toml"], "s.toml is not a folder."),
        (["ablation", "--model", "x"], "The study 'ablation' has nothing about 'x'."),
    ],
)
def test_mistakes_get_one_sentence(
    umpteen: Command, here: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.setattr("subprocess.Popen", no_child)
    before = sorted(here.iterdir())
    done = umpteen("study", *arguments)
    assert done.code == 1
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert sorted(here.iterdir()) == before


def test_several_data_with_commas_and_the_datas_own_names(umpteen: Command, here: Path) -> None:
    toy_folder(here / "more", name="b")
    done = umpteen("study", "s.toml", "--data", "toy,b", "--data", here / "toy" / "train.jsonl", "--dry-run")
    assert done.code == 1
    assert "two have the name 'toy'." in done.err
    done = umpteen("study", "s.toml", "--data", "toy,b", "--dry-run")
    assert [line.split()[0] for line in done.out.splitlines()[1:5]] == ["toy", "toy", "b", "b"]
    assert not (here / "study-s").exists()


def test_real_data(umpteen: Command, real: Callable[..., Path], here: Path) -> None:
    bibtex = real("bibtex")
    done = umpteen("study", "s.toml", "--data", bibtex, "--models", "popular")
    assert done.code == 0, done.err
    (result,) = (here / "study-s" / "runs").glob("*/result.json")
    assert json.loads(result.read_text())["measures"]["P@1"] == pytest.approx(13.96, abs=0.5)
