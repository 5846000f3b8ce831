"""Circumstances: with what, on what and in how much memory a run was done."""

import os
import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from umpteen import __version__


def facts(job: Mapping[str, Any]) -> dict[str, Any]:
    """What a result should say beside its measures."""
    libraries = ("numpy", "scipy", "numba", "torch")
    return {
        "name": job["name"],
        "wanted": job["wanted"],
        "files": job["files"],
        "threads": job["threads"],
        "versions": {"umpteen": __version__, "python": platform.python_version(), **_versions(libraries)},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _versions(libraries: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in libraries:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def peak() -> int:
    """The most memory that this process had so far; of its own, where the system tells it from its parent's."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
