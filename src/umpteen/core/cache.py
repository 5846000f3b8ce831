"""Where fetched data is kept."""

import os
import sys
from pathlib import Path


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
