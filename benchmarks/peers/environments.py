"""An environment for each peer, made once with venv and pip."""

import subprocess
import sys
from pathlib import Path

from peers.systems import SYSTEMS


class Missing(Exception):
    """A peer that cannot be installed here."""


def python_of(system: str, folder: Path) -> str:
    """The interpreter that has a system installed; its environment is made in `folder` where it is not there yet."""
    kind = SYSTEMS[system].func
    if not kind.installs:  # type: ignore[attr-defined]
        return sys.executable
    place = folder / kind.__name__.lower()
    python, ready = place / "bin" / "python", place / "installed.txt"
    wanted = "\n".join(kind.installs)  # type: ignore[attr-defined]
    if not ready.exists() or ready.read_text() != wanted:
        print(f"Setting up {place} (once) ...", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(place)])
        for packages in kind.installs:  # type: ignore[attr-defined]
            _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages.split()])
        ready.write_text(wanted)
    return str(python)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Missing((done.stderr.strip().splitlines() or ["pip failed"])[-1])
