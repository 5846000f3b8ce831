"""Whatever happens, the old state or the new one is there, a sentence says what went wrong, and one can go on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are forked and killed as Unix does it")

HARNESS = Path(__file__).with_name("run.py")
QUICK = "kill at a file,kill at a time,full disk,read-only,damaged model,damaged checkpoint,damaged cache"


def report(faults: int, seed: int, *options: str) -> str:
    """What the harness prints after so many faults, none of which may do harm."""
    command = [sys.executable, str(HARNESS), "--faults", str(faults), "--seed", str(seed), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_handful_of_faults() -> None:
    printed = report(8, 3, "--kinds", QUICK)
    assert "8 faults, seed 3, 0 of them did harm" in printed


@pytest.mark.slow
def test_two_hundred_faults() -> None:
    seed = int.from_bytes(os.urandom(3))
    printed = report(200, seed)
    print(printed)  # noqa: T201
    assert f"200 faults, seed {seed}, 0 of them did harm" in printed
