"""A consensus on the command line: one command trains it, another goes on after a stop, another says how it voted."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import umpteen as library
from umpteen import Neighbours

Command = Callable[..., Any]


def test_one_command(umpteen: Command, data: Path, tmp_path: Path) -> None:
    done = umpteen(
        "train",
        data,
        "--model",
        "consensus",
        "--set",
        "members=plt,neighbours",
        "--set",
        "plt.trees=1",
        "--out",
        tmp_path / "m",
    )
    assert done.code == 0, done.err
    assert "Trained consensus" in done.out
    assert not (tmp_path / "m.run").exists()
    assert library.load(tmp_path / "m")._members[0].params.trees == 1
    shown = umpteen("explain", tmp_path / "m", "--text", "iron and copper", "--label", "metal").out
    assert "Why plt said so" in shown
    assert "place 2, score" in shown
    assert umpteen("tag", tmp_path / "m" / "plt", "--text", "iron", "-k", 1, "--tsv").code == 0


def test_a_stopped_training_goes_on(
    umpteen: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("train", data, "--model", "consensus", "--set", "members=plt,neighbours", "--out", tmp_path / "m")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Neighbours, "_fit", stop)
        done = umpteen(*command)
    assert done.code == 130
    assert f"umpteen train --out {tmp_path / 'm'} --resume" in done.err
    assert "holds a training that was stopped" in umpteen(*command).err
    assert umpteen("train", "--out", tmp_path / "m", "--resume").code == 0
    assert library.load(tmp_path / "m").suggest(["iron copper"], k=1)[0][0][0] in ("Metals", "Things")
    assert not (tmp_path / "m.run").exists()


def test_calibrated_in_training(umpteen: Command, data: Path, tmp_path: Path) -> None:
    options = ("--set", "members=plt,neighbours", "--set", "how=learnt", "--valid", data / "test.jsonl")
    done = umpteen("train", data, "--model", "consensus", *options, "--out", tmp_path / "m")
    assert done.code == 0, done.err
    assert "Calibrated (isotonic) on 6 documents." in done.out
    assert library.load(tmp_path / "m").tuning_ is not None


def test_what_is_kept_aside_is_told(umpteen: Command, data: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.jsonl"
    lines = (data / "train.jsonl").read_text().replace('"thing"]', '"thing", "NEW"]').splitlines() * 2
    many.write_text("".join(f"{line.replace('NEW', str(n))}\n" for n, line in enumerate(lines)))
    options = ("--set", "members=plt,neighbours", "--calibrate", "--out", tmp_path / "m")
    done = umpteen("train", many, "--model", "consensus", *options)
    assert done.code == 0, done.err
    found = re.search(
        r"Kept aside to calibrate by: (\d) documents\. Labels only they have cannot be given: (\d)", done.err
    )
    assert found and found[1] == found[2]  # each has one of its own


def test_saved_members_are_not_calibrated_by_what_they_know(umpteen: Command, data: Path, tmp_path: Path) -> None:
    assert umpteen("train", data, "--out", tmp_path / "tree").code == 0
    members = ("--model", "consensus", "--set", f"members={tmp_path / 'tree'},neighbours")
    done = umpteen("train", data, *members, "--calibrate", "--out", tmp_path / "m")
    assert done.code == 1 and "name others with --valid" in done.err
    assert not (tmp_path / "m.run").exists()
    assert umpteen("train", data, *members, "--valid", data / "test.jsonl", "--out", tmp_path / "m").code == 0


def test_wrong_members_are_told_before_work(umpteen: Command, data: Path, tmp_path: Path) -> None:
    done = umpteen("train", data, "--model", "consensus", "--set", "members=plt,neighbors", "--out", tmp_path / "m")
    assert done.code == 1
    assert (
        "There is no model 'neighbors' to join, nor a folder with a saved one. Did you mean 'neighbours'?" in done.err
    )
    assert not (tmp_path / "m.run").exists()
