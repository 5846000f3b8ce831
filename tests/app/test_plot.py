import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

Command = Callable[..., Any]
LOG = (
    "step\tepoch\tloss\tndcg@5\tbest\tdocuments/s\tseconds\n"
    "25\t0.5\t0.3\t0.41\t1\t99.5\t10\n"
    "50\t1\t0.1\t0.5234\t1\t110.2\t75.5\n"
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user is in, with a training m that goes on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.run").mkdir()
    (tmp_path / "m.run" / "run.json").write_text(json.dumps({}))
    (tmp_path / "m.run" / "log.tsv").write_text(LOG)
    return tmp_path


def test_a_picture_here_and_its_name(umpteen: Command, run: Path) -> None:
    done = umpteen("plot", "m")
    assert (done.code, done.out, done.err) == (0, "The curves are in m-curves.png.\n", "")
    assert (run / "m-curves.png").read_bytes().startswith(b"\x89PNG")
    assert umpteen("plot", "m", "m.run").out == "The curves are in curves.png.\n"
    assert umpteen("plot", run / "m.run", "-o", "a.pdf").out == "The curves are in a.pdf.\n"
    assert sorted(file.name for file in run.iterdir()) == ["a.pdf", "curves.png", "m-curves.png", "m.run"]


def test_a_summary_on_a_terminal(umpteen: Command, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    head, row, last = umpteen("plot", "m").out.splitlines()
    assert head.split() == ["run", "best", "nDCG@5", "at", "step", "epoch", "documents/s", "time"]
    assert row.split() == ["m", "(not", "ended)", "52.34", "50", "1.00", "110", "76", "s"]
    assert last == "The curves are in m-curves.png."
    assert umpteen("plot", "m", "--out", "a.svg").out == "The curves are in a.svg.\n"


def test_mistakes(umpteen: Command, run: Path, model: Path) -> None:
    (run / "bad.run").mkdir()
    (run / "bad.run" / "log.tsv").write_text(LOG + "75\n")
    (run / "m.run").rename(run / "x.run")
    for arguments, sentence in {
        ("x", "--out", "x.jpg"): "Expected a name that ends in .png, .svg, .pdf, got 'x.jpg'.",
        ("x", "--out", "no/x.png"): "There is no folder no to write x.png into.",
        ("absent",): "There is no folder absent.",
        (model,): f"{model} has no curves: neighbours trains in one go and leaves no log, as only deep models do.",
        ("x", "bad"): "bad.run/log.tsv line 4: Expected 7 numbers between tabs, got '75'. "
        "Delete the line or train again.",
    }.items():
        done = umpteen("plot", *arguments)
        assert (done.code, done.out, done.err) == (1, "", f"umpteen: {sentence}\n")
    assert not [*run.glob("*.png")]
