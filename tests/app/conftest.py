import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from umpteen.app.border import guarded
from umpteen.app.cli import app

TOPICS = {"fruit": "apple pear plum cherry", "metal": "iron copper zinc silver", "bird": "heron finch raven swallow"}


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def umpteen(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Runs a command as the user would, without a new process."""

    def run(*arguments: object) -> Run:
        capsys.readouterr()
        code = guarded(lambda: app([str(argument) for argument in arguments]))
        return Run(code, *capsys.readouterr())

    return run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with train and test files and label names; a label's words stand in no other label's texts."""
    folder = tmp_path / "toy"
    folder.mkdir()
    for part, copies in (("train", 6), ("test", 2)):
        lines = [
            {"id": f"{topic}{number}", "text": f"{words} {words.split()[number % 4]}", "labels": [topic, "thing"]}
            for number in range(copies)
            for topic, words in TOPICS.items()
        ]
        (folder / f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    names = ["thing\tThings", "fruit\tFruit to eat\tthing", "metal\tMetals\tthing", "bird\tBirds\tthing"]
    (folder / "labels.tsv").write_text("".join(f"{name}\n" for name in names))
    return folder


@pytest.fixture
def model(umpteen: Callable[..., Run], data: Path, tmp_path: Path) -> Path:
    """A model trained on the toy folder."""
    assert umpteen("train", data, "--out", tmp_path / "m", "--model", "neighbours").code == 0
    return tmp_path / "m"
