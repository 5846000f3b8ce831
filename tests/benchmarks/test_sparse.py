"""The comparison with peers runs from end to end; nothing here is about time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[2] / "benchmarks" / "sparse.py"


def run(*arguments: str | Path) -> str:
    command = [sys.executable, COMMAND, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout


def test_quick_run_prints_a_table_and_resumes(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    printed = run("--quick", "--systems", "umpteen", "--out", out)
    (row,) = json.loads(out.read_text())["rows"]
    assert (row["data"], row["system"]) == ("generated-small", "umpteen")
    assert row["P@1"] > 90
    assert 0 < row["PSP@5"] <= 100
    assert out.with_suffix(".md").read_text() in printed
    assert "done in" in printed
    assert "done in" not in run("--quick", "--systems", "umpteen", "--out", out, "--resume")
    assert json.loads(out.read_text())["rows"] == [row]


def test_absent_data_are_left_out_with_a_line(tmp_path: Path) -> None:
    assert "nowhere: left out" in run("--quick", "--data", "nowhere", "--systems", "umpteen", "--folder", tmp_path)


@pytest.mark.parametrize("name", ["X", "Y"])
def test_generated_data_are_the_same_every_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(COMMAND.parent)
    from peers.sets import GENERATED, generated

    place = "XY".index(name)
    first, second = (generated(**GENERATED["generated-small"])[place] for _ in range(2))
    assert (first != second).nnz == 0


def test_ratios_are_to_the_best_peer_of_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(COMMAND.parent)
    from peers.tables import ratios

    figures = {
        "docs_s": 1.0,
        "p50_ms": 8.0,
        "p99_ms": 8.0,
        "size_mb": 4.0,
        "peak_mb": 9.0,
        "P@1": 1,
        "P@3": 1,
        "P@5": 1,
    }
    ours = figures | {"data": "d", "system": "umpteen", "train_s": 2.0, "P@1": 3}
    slow = figures | {"data": "d", "system": "pecos", "train_s": 9.0, "P@1": 2}
    fast = figures | {"data": "d", "system": "napkinxc", "train_s": 6.0}
    other = figures | {"data": "e", "system": "napkinxc", "train_s": 1.0}
    cells = [cell.strip() for cell in ratios([ours, slow, fast, other]).splitlines()[-1].split("|")[1:-1]]
    assert cells[:3] == ["d", "umpteen", "3.00 +"]
    assert cells[3] == "1.00 -"
    assert cells[7:9] == ["1.00 +", "+1.00 +"]


def test_means_and_errors_of_several_trainings(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    command = [
        sys.executable,
        COMMAND.with_name("precision.py"),
        "--data",
        "generated-small",
        "--systems",
        "umpteen-fast",
    ]
    command += ["--times", "2", "--out", str(out)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout
    first, second = json.loads(out.read_text())
    assert (first["seed"], second["seed"]) == (0, 1)
    assert first["P@5"] != second["P@5"]  # a seed that is passed on
    mean, error = (first["P@5"] + second["P@5"]) / 2, abs(first["P@5"] - second["P@5"]) / 2
    assert f"{mean:.2f} ± {error:.2f}" in printed
