"""Blind runs of every fuzz target, each in a process of its own, so that a crash is seen as one."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).with_name("fuzz.py")


def fuzzed(runs: int, target: str = "") -> str:
    """What the fuzzer says after so many runs of each target."""
    command = [sys.executable, str(FUZZ), "--runs", str(runs), "--target", target]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("target", ["read xc", "read anything", "packed", "folder plt"])
def test_changed_input_never_breaks_anything(target: str) -> None:
    assert "0 targets with mistakes" in fuzzed(150, target)


@pytest.mark.slow
def test_no_target_breaks() -> None:
    assert "0 targets with mistakes" in fuzzed(2000)
