"""Scenes: work that a fault may fall into, what is there before and after it, and how one goes on."""

import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

STOPPED = -signal.SIGKILL  # exit code of a process that was killed
_TIMES = ("log.tsv", "model.json")  # hold how long a deep model took, or a checksum of it

State = dict[str, str]  # file -> checksum


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def is_clean(self) -> bool:
        """Whether it went well, was killed, or said in one sentence why not."""
        told = [line for line in self.err.splitlines() if line.startswith("umpteen: ") and "Note: " not in line]
        odd = "Traceback" in self.err or "unexpected" in self.err
        return not odd and (self.code in (0, STOPPED) or (self.code == 1 and len(told) == 1))


@dataclass(frozen=True)
class Scene:
    """A command, and the file or folder that it changes."""

    name: str
    place: str
    command: tuple[str, ...]
    again: tuple[str, ...] = ()  # how to go on after a stop; the command itself unless said

    def state(self, folder: Path) -> State:
        """What is there, by file; times aside."""
        return {name: mark for name, mark in contents(folder / self.place).items() if not self._told(name)}

    def _told(self, name: str) -> bool:
        return self.name == "deep" and name in _TIMES


SMALL = tuple(
    part
    for text in ("batch=8", "epochs=3", "least_steps=0", "every=5", "min_df=1", "precision=fp32", "layers=8")
    for part in ("--set", text)
)
SCENES = {
    scene.name: scene
    for scene in (
        Scene("train", "m", ("train", "more.jsonl", "--out", "m", "--model", "plt", "--set", "trees=2", "--jobs", "2")),
        Scene("learn", "n", ("learn", "n", "new.jsonl")),
        Scene(
            "deep",
            "d",
            ("train", "more.jsonl", "--out", "d", "--model", "mlp", "--jobs", "1", *SMALL),
            ("train", "--out", "d", "--resume"),
        ),
        Scene("tag", "answers.jsonl", ("tag", "o", "more.jsonl", "--json", "--out", "answers.jsonl")),
        Scene("convert", "copy.tsv.gz", ("convert", "more.jsonl", "copy.tsv.gz", "--to", "annif_tsv")),
        Scene("study", "s", ("study", "two.toml", "--out", "s")),
    )
}


def contents(place: Path) -> State:
    """The checksum of each file at a place."""
    if place.is_file():
        return {place.name: sha256(place.read_bytes()).hexdigest()}
    files = sorted(file for file in place.rglob("*") if file.is_file())
    return {str(file.relative_to(place)): sha256(file.read_bytes()).hexdigest() for file in files}


def run(folder: Path, command: tuple[str, ...], before: Callable[[], object] = lambda: None) -> Done:
    """Run a command in a process of its own that has all code loaded; `before` happens in it first."""
    process = start(folder, command, before)
    _, status = os.waitpid(process, 0)
    return ended(folder, process, status)


def start(folder: Path, command: tuple[str, ...], before: Callable[[], object] = lambda: None) -> int:
    """The process that runs a command; what it prints goes to files beside the folder."""
    process = os.fork()
    if process:
        return process
    try:
        _redirected(folder, os.getpid())
        os.chdir(folder)
        from umpteen.app.border import guarded
        from umpteen.app.cli import app

        sys.argv = ["umpteen", *command]
        before()
        code = guarded(lambda: app([*command]))
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        code = 70
    os._exit(code)


def ended(folder: Path, process: int, status: int) -> Done:
    """How a process of `start` ended."""
    texts = []
    for stream in ("out", "err"):
        file = _printed(folder, process, stream)
        texts.append(file.read_text(errors="replace") if file.exists() else "")
        file.unlink(missing_ok=True)
    return Done(os.waitstatus_to_exitcode(status), *texts)


def _printed(folder: Path, process: int, stream: str) -> Path:
    return PRINTED / f"{folder.name}.{process}.{stream}"


PRINTED = Path(os.environ.get("FAULTS_PRINTED", tempfile.gettempdir()))


def _redirected(folder: Path, process: int) -> None:
    for number, stream in ((1, "out"), (2, "err")):
        os.dup2(os.open(_printed(folder, process, stream), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)


def template(folder: Path) -> None:
    """All that scenes begin with: data, older models and files."""
    from toy import toy

    for name, count, seed in (("older", 60, 0), ("more", 120, 1), ("new", 20, 2)):
        texts, labels = toy(count, seed=seed)
        rows = ({"id": str(n), "text": t, "labels": ls} for n, (t, ls) in enumerate(zip(texts, labels, strict=True)))
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "two.toml").write_text(_STUDY)
    for command in (
        ("train", "older.jsonl", "--out", "m", "--model", "plt", "--set", "trees=2", "--jobs", "1"),
        ("train", "older.jsonl", "--out", "n", "--model", "neighbours", "--jobs", "1"),
        ("train", "older.jsonl", "--out", "o", "--model", "neighbours", "--jobs", "1"),
        ("train", "older.jsonl", "--out", "d", "--model", "mlp", "--jobs", "1", *SMALL),
        ("tag", "o", "older.jsonl", "--json", "--out", "answers.jsonl"),
        ("convert", "older.jsonl", "copy.tsv.gz", "--to", "annif_tsv"),
    ):
        done = run(folder, command)
        if done.code:
            raise RuntimeError(f"{command} failed: {done.err}")


def fresh(source: Path, place: Path) -> Path:
    """A copy of the template to do harm to."""
    shutil.copytree(source, place, symlinks=True)
    return place


_STUDY = """
title = "Two models"
data = ["more.jsonl"]
models = ["popular", "neighbours"]
split = { count = 1, test = 0.3 }
[[tables]]
name = "scores"
measures = ["P@1"]
"""
