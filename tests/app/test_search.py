"""`umpteen search` as a user meets it; few real child processes, since each takes seconds to start."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from study.plans import toy_folder

Command = Callable[..., Any]


def no_child(*_: object, **__: object) -> None:
    raise AssertionError("a child was started")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user is in, with data."""
    monkeypatch.chdir(tmp_path)
    toy_folder(tmp_path)
    return tmp_path


def test_from_nothing_to_a_model_and_again(umpteen: Command, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ("search", "toy", "-m", "neighbours", "--set", "min_df=1,2", "--set", "ngrams=2", "--trials", 5, "-o", "o")
    done = umpteen(*wanted, "--jobs", 2)
    assert done.code == 0, done.err
    assert "3 trials with 100% of the documents." in done.err
    assert done.out.splitlines()[0].split() == ["min_df", "with", "nDCG@5", "trained", "in"]
    assert "Next: umpteen train toy --config o/best.toml --out MODEL" in done.out
    assert umpteen("train", "toy", "--config", "o/best.toml", "--out", "m").code == 0
    assert len((here / "o" / "trials.csv").read_text().splitlines()) == 4
    monkeypatch.setattr("subprocess.Popen", no_child)
    again = umpteen(*wanted)
    assert (again.code, again.out) == (0, done.out)
    assert "3 of them done before" in again.err


def test_what_would_be_tried(umpteen: Command, here: Path) -> None:
    done = umpteen("search", "toy", "--model", "plt", "--set", "cost=0.1..10", "--trials", 9, "--dry-run")
    assert done.code == 0, done.err
    assert "cost     0.1 to 10" in done.out
    assert "100% of the documents" in done.out  # there are too few for more rounds
    assert [path.name for path in here.iterdir()] == ["toy"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "There are no data 'nowhere'"),
        (["toy", "--model", "pit"], "There is no model 'pit'. Did you mean 'plt'?"),
        (["toy", "--metric", "P@"], "There is no measure 'P@'."),
        (["toy", "--model", "popular"], "There is nothing to search in popular: name settings with --set NAME=VALUES."),
        (["toy", "--set", "leaf=a,b"], "Setting 'leaf' takes a whole number, not 'a'."),
        (["toy", "--budget", "epochs"], "plt has no epochs to go through fewer of: use --budget documents."),
        (["toy", "--out", "toy"], "toy holds other files, not a study."),
        (["toy", "--space", "s.toml"], "There is no file s.toml."),
        (["toy", "--valid", "none.jsonl"], "none.jsonl: The file is empty."),
    ],
)
def test_mistakes_get_one_sentence(
    umpteen: Command, here: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.setattr("subprocess.Popen", no_child)
    (here / "none.jsonl").touch()
    done = umpteen("search", *arguments)
    assert done.code == 1
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in (here / "toy").iterdir()) == ["test.jsonl", "train.jsonl"]
