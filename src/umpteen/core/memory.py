"""How much memory there is and was taken, and a warning before work that needs more."""

import mmap
import os
import re
import sys
import warnings
from pathlib import Path

from umpteen.core.errors import SettingError, UmpteenWarning


class MemoryWarning(UmpteenWarning):
    """Work that will probably not fit into memory."""


def free() -> int | None:
    """Bytes that this process can still take, or None where the system does not say."""
    limits = [limit for limit in (_available(), _group_rest()) if limit is not None]
    return min(limits, default=None)


def check(needed: int, *, what: str) -> None:
    """Warn when `what` needs more than there is."""
    rest = free()
    if rest is not None and needed > rest:
        warnings.warn(
            f"{what} needs about {spoken(needed)} of memory, and {spoken(rest)} are free. "
            "Use fewer documents or features (--set max_features=...), or a machine with more memory.",
            MemoryWarning,
            stacklevel=2,
        )


def spoken(size: float) -> str:
    """A number of bytes as a person says it."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def bytes_of(text: str) -> int:
    """A size as people write it: 4GiB, 512 MiB, 1.5g, or plain bytes."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if found is None:
        raise SettingError(f"{text!r} is not a size of memory. Write, for example, 4GiB or 512MiB.")
    return int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " "))


def resident() -> int | None:
    """Bytes that this process holds now, mapped files counted; None where the system does not say."""
    return _pages(1)


def mapped() -> int | None:
    """Bytes of files that this process holds now."""
    return _pages(2)


def peak() -> int | None:
    """The most bytes that this process has held at once; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _pages(place: int) -> int | None:
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (a hundred times a second)
            return int(file.read().split()[place]) * mmap.PAGESIZE
    except OSError:
        return None


def _available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return None
    except OSError:
        names = os.sysconf_names
        if "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return None


def _group_rest() -> int | None:
    """What the control group of a container leaves, where there is one."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        return None if limit == "max" else int(limit) - int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return None
