"""Settings are compared on documents kept aside, and only those of the training file."""

import subprocess
import sys
from pathlib import Path

COMMAND = Path(__file__).parents[2] / "benchmarks" / "tune.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, COMMAND, *arguments], capture_output=True, text=True, timeout=600)


def test_a_row_for_each_variant(tmp_path: Path) -> None:
    (tmp_path / "fruit").mkdir()
    lines = ['{"text": "red apple", "labels": ["a"]}', '{"text": "ripe banana", "labels": ["b"]}'] * 20
    (tmp_path / "fruit" / "train.jsonl").write_text("\n".join(lines) + "\n")
    done = run(
        "--model", "neighbours", "--folder", tmp_path, "--data", "fruit", "--base", "min_df=2", "--try", "power=2"
    )
    head, _, first, second = done.stdout.splitlines()
    assert head == "| settings | fruit | mean change |"
    assert first.startswith("| as it is | 100.00 / ")
    assert second.startswith("| `power=2` | 100.00 / ")
    assert second.endswith("| +0.00 / +0.00 / +0.00 |")


def test_an_unknown_setting_is_told_before_the_work(tmp_path: Path) -> None:
    done = run("--data", "nowhere", "--try", "leafs=3")
    assert "has no setting 'leafs'" in done.stderr
