"""An environment for each peer, made once with venv and pip."""

import subprocess
import sys
from pathlib import Path


class MissingError(Exception):
    """A peer that cannot be installed here."""


def python_of(name: str, installs: tuple[str, ...], folder: Path) -> str:
    """The interpreter that has a peer's packages; its environment is made in `folder` where it is not there yet."""
    if not installs:
        return sys.executable
    place = folder / name.lower()
    python, ready = place / "bin" / "python", place / "installed.txt"
    wanted = "\n".join(installs)
    if not ready.exists() or ready.read_text() != wanted:
        print(f"Setting up {place} (once) ...", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(place)])
        for packages in installs:
            _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages.split()])
        ready.write_text(wanted)
    return str(python)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise MissingError((done.stderr.strip().splitlines() or ["pip failed"])[-1])
