"""The benchmark of many labels: its cases, one of them run small, and the table; nothing here is about time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[2] / "benchmarks" / "scale.py"


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(COMMAND.parent)


def test_cases_are_variants_times_labels() -> None:
    from scale import cases, parsed

    found = [
        *cases(parsed(["--labels", "10,20", "--try", "lightattention", "--try", "attentionxml:shortlist=0;hidden=8"]))
    ]
    assert [(case.name, case.labels) for case in found] == [
        ("lightattention", 10), ("lightattention", 20),
        ("attentionxml shortlist=0;hidden=8", 10), ("attentionxml shortlist=0;hidden=8", 20),
    ]  # fmt: skip
    assert [case.model for case in cases(parsed(["--labels", "5"]))] == ["lightattention"]


def test_a_case_is_measured_in_a_process_of_its_own() -> None:
    small = "hidden=4;layers=4;meet=2;batch=4;precision=fp32"
    case = {"model": "lightattention", "settings": small, "labels": 300, "words": 5, "steps": 6, "threads": 1}
    command = [sys.executable, COMMAND, "--case", json.dumps(case)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    row = json.loads(said.splitlines()[-1])
    assert set(row) == {"step_ms", "documents", "documents_s", "p50_ms", "p99_ms", "tagged_s", "peak_gb"}
    assert all(value > 0 for value in row.values())


def test_ratios_are_to_the_fewest_labels_of_a_variant() -> None:
    from scale import report

    same = {"documents": 40, "documents_s": 1.0, "p50_ms": 1.0, "p99_ms": 1.0, "tagged_s": 1.0, "peak_gb": 1.0}
    rows = [{"name": n, "labels": 10, "step_ms": ms, **same} for n, ms in (("a", 10.0), ("a", 15.0), ("b", 40.0))]
    cells = [line.split(" | ")[4] for line in report(rows).splitlines()[2:]]
    assert cells == ["1.00", "1.50", "1.00"]
