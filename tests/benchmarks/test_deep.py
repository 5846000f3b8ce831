"""The comparison of deep systems: data, options and tables; nothing here is about time, and no peer is installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

COMMAND = Path(__file__).parents[2] / "benchmarks" / "deep.py"


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(COMMAND.parent)


def row(system: str, **figures: Any) -> dict[str, Any]:
    known = {"data": "d", "labels": 600, "documents": 100, "epochs": 2, "seen": 200, "train_s": 21.0, "valid_s": 1.0}
    known |= {"steps_s": 16.0, "peak_mb": 1000.0, "docs_s": 50.0, "tag_mb": 800.0, "all_s": 30.0}
    return known | {"system": system, "P@1": 50.0, "P@3": 40.0, "P@5": 30.0} | figures


def cells(table: str) -> list[str]:
    return [cell.strip() for cell in table.splitlines()[-1].split("|")[1:-1]]


def test_speed_leaves_validation_out() -> None:
    from peers.network_tables import measured

    found = cells(measured([row("libmultilabel")]))
    assert found[:6] == ["d", "libmultilabel", "600", "100", "2", "10.00 (12.50)"]
    assert found[-4:] == ["50.00", "40.00", "30.00", "30"]


def test_a_run_cut_short_says_how_far_it_came() -> None:
    from peers.network_tables import measured, ratios

    short = row("libmultilabel", seen=50)
    for name in ("docs_s", "tag_mb", "P@1", "P@3", "P@5"):
        del short[name]
    assert cells(measured([short]))[4] == "0.50 of 2"
    assert cells(measured([short]))[7:12] == ["-"] * 5
    found = cells(ratios([row("umpteen"), short]))
    assert found == ["d", "umpteen", "libmultilabel", "4.00 +", "-", "1.00 -", "-", "-", "-", "-"]


@pytest.mark.parametrize(("labels", "sign"), [(600, "+"), (20_000, "-")])
def test_goals_rise_with_labels(labels: int, sign: str) -> None:
    from peers.network_tables import ratios

    ours = row("umpteen", labels=labels, train_s=6.0, docs_s=200.0, peak_mb=400.0, **{"P@3": 39.5})
    found = cells(ratios([ours, row("libmultilabel", labels=labels)]))
    assert found[3:] == [f"4.00 {sign}", "4.00 +", "2.50 +", "1.00 -", "+0.00 +", "-0.50 -", "+0.00 +"]


def test_labels_are_those_of_the_documents_used(tmp_path: Path) -> None:
    from peers.network import part
    from peers.texts import GENERATED, Cut, make

    assert make(GENERATED, tmp_path, tmp_path / "all", Cut(), "random")
    assert make(GENERATED, tmp_path, tmp_path / "few", Cut(10, 7), "random")
    assert json.loads((tmp_path / "all" / "labels.json").read_text()) == 20
    assert [len(part(tmp_path / "few", name)) for name in ("train", "valid", "test")] == [9, 1, 7]
    used = {label for document in part(tmp_path / "few", "train") for label in document["labels"]}
    assert used == set(range(json.loads((tmp_path / "few" / "labels.json").read_text())))
    words = [line.split() for line in (tmp_path / "few" / "vectors.txt").read_text().splitlines()]
    assert {len(line) for line in words} == {257}
    assert not make("nowhere", tmp_path, tmp_path / "no", Cut(), "random")


def test_scores_are_precision_in_percent(tmp_path: Path) -> None:
    from deep import scores

    (tmp_path / "test.jsonl").write_text('{"text": "", "labels": [3, 1]}\n{"text": "", "labels": []}\n')
    found = scores(tmp_path, np.array([[1, 0, 3, 2, 4], [0, 1, 2, 3, 4]], np.int32), 5)
    assert found == pytest.approx({"P@1": 50, "P@3": 100 / 3, "P@5": 20})


def test_clock_counts_and_tells() -> None:
    from peers.network import Clock

    told: list[dict[str, float]] = []
    clock = Clock(10, told.append)
    clock.saw(40, 2.0)
    clock.saw(40, 3.0)
    assert len(told) == 1  # not at every step
    assert clock.figures()["seen"] == 80
    assert clock.figures()["steps_s"] == 5


@pytest.mark.parametrize("wrong", [("--systems", "other"), ("--documents", "0"), ("--limit", "-1")])
def test_wrong_options_are_refused(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    from deep import parsed

    with pytest.raises(SystemExit):
        parsed([*wrong])
    assert "there are umpteen" in (said := capsys.readouterr().err) or "must be above 0" in said


def test_absent_data_are_left_out_with_a_line(tmp_path: Path) -> None:
    command = [sys.executable, COMMAND, "--data", "nowhere", "--systems", "umpteen", "--folder", tmp_path]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout
    assert "nowhere: left out" in said
    assert "Nothing was measured" in said
