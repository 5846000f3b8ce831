"""Beside: what is being written lies hidden beside its place until it is whole; what dead processes left is removed."""

import os
import secrets
import shutil
import socket
import sys
import time
import zlib
from contextlib import suppress
from glob import escape
from pathlib import Path

_OLD = 24 * 3600  # seconds after which nobody writes to a hidden file or folder any more


def beside(place: Path) -> Path:
    """A hidden name beside `place` that nobody else uses; `clear` knows it as this process's."""
    return place.with_name(f".{place.name}~{_host()}~{os.getpid()}~{secrets.token_hex(4)}")


def clear(place: Path) -> None:
    """Remove what interrupted processes left beside `place`; what another one may still be writing stays."""
    for left in place.parent.glob(f".{escape(place.name)}~*~*~*"):
        _, host, process, _ = left.name.rsplit("~", 3)
        with suppress(OSError, ValueError):  # gone meanwhile, or not ours
            stale = time.time() - left.lstat().st_mtime > _OLD
            if stale or (host == _host() and not _runs(int(process))):
                remove(left)


def vanish(folder: Path) -> None:
    """Remove a folder at once: a stop in the middle leaves nothing of it under its name."""
    hidden = beside(folder)
    with suppress(FileNotFoundError):
        folder.rename(hidden)
        remove(hidden)


def remove(path: Path) -> None:
    """Delete a file or folder as far as that is possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _host() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"  # of one length, so that names never grow too long


def _runs(process: int) -> bool:
    if sys.platform == "win32":
        return True  # asking would end it; the age decides
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
