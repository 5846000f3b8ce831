"""Where fetched data is kept, and whether it is still what was fetched."""

import hashlib
import json
import os
import sys
from pathlib import Path

MANIFEST = "manifest.json"


def cache_folder() -> Path:
    """What UMPTEEN_CACHE says, else the system's place for such things."""
    if given := os.environ.get("UMPTEEN_CACHE"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "umpteen"


def is_whole(folder: Path) -> bool:
    """Whether all files are there with the sizes and checksums that the manifest says."""
    try:
        files = json.loads((folder / MANIFEST).read_bytes())["files"].items()
        return all((folder / name).stat().st_size == known["bytes"] for name, known in files) and all(
            checksum(folder / name) == known["sha256"] for name, known in files
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def checksum(file: Path) -> str:
    """The SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
