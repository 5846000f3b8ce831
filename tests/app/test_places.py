"""Where work is done, as the user says it: a limit of memory, a cluster, a pipe."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Umpteen = Callable[..., Any]


def test_a_limit_of_memory_changes_no_byte_and_is_reported(umpteen: Umpteen, data: Path, tmp_path: Path) -> None:
    assert umpteen("train", data, "--out", tmp_path / "here").code == 0
    limited = umpteen("train", data, "--out", tmp_path / "there", "--memory", "32GiB")
    assert limited.code == 0
    assert "of memory were taken, with a limit of 32.0 GiB" in limited.out
    for file in (tmp_path / "here").iterdir():
        assert file.read_bytes() == (tmp_path / "there" / file.name).read_bytes(), file.name


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--memory", "much"), "'much' is not a size of memory"),
        (("--memory", "1KiB"), "too small to work with"),
        (("--memory", "4GiB", "--model", "popular"), "cannot keep to a limit of memory"),
    ],
)
def test_limits_that_cannot_be(umpteen: Umpteen, data: Path, tmp_path: Path, given: tuple[str, ...], said: str) -> None:
    failed = umpteen("train", data, "--out", tmp_path / "m", *given)
    assert failed.code == 1
    assert said in failed.err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("command", ["train", "tag"])
def test_no_cluster_is_told_in_one_sentence(umpteen: Umpteen, data: Path, model: Path, command: str) -> None:
    pytest.importorskip("ray")
    given = ("train", data, "--out", model) if command == "train" else ("tag", model, data)
    failed = umpteen(*given, "--cluster", "127.0.0.1:1")
    assert failed.code == 1
    assert "There is no Ray cluster at '127.0.0.1:1'" in failed.err


def test_without_ray_the_extra_is_named(
    umpteen: Umpteen, data: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    failed = umpteen("tag", model, data, "--cluster", "auto")
    assert failed.code == 1
    assert "umpteen[cluster]" in failed.err


def test_documents_are_generated_into_a_pipe(
    umpteen: Umpteen, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = umpteen("generate", "-", "--documents", 30, "--labels", 20)
    assert made.code == 0
    lines = [json.loads(line) for line in made.out.splitlines()]
    assert [line["id"] for line in lines] == [str(number) for number in range(1, 31)]
    assert all(line["text"] and line["labels"] for line in lines)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(made.out.encode())))
    tagged = umpteen("tag", model, "-", "--json")
    assert [json.loads(row)["id"] for row in tagged.out.splitlines()] == [line["id"] for line in lines]
