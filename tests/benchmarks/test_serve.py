"""The benchmark of the server: what it says without wrk, and how it sets figures beside the peer's."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[2] / "benchmarks" / "serve.py"


def test_says_what_is_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, COMMAND, "--folder", tmp_path], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1 and "apt-get install wrk" in done.stderr


def test_figures_stand_beside_the_peer_at_the_same_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(COMMAND.parent)
    from serve import table

    ours = {"system": "plt", "connections": 16, "requests_s": 500.0, "p50_ms": 1.0, "p99_ms": 4.0, "errors": 0}
    peer = ours | {"system": "annif", "requests_s": 50.0, "p99_ms": 20.0}
    other = peer | {"connections": 64, "requests_s": 1.0}
    cells = [cell.strip() for cell in table([ours, peer, other]).splitlines()[2].split("|")[1:-1]]
    assert cells == ["plt", "16", "500", "1.00", "4.00", "0", "10.00", "0.20"]
