"""Cache: fetched folders, each written beside its place and renamed into it, with sizes and checksums to check."""

import hashlib
import json
import os
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from umpteen.core.errors import FetchError

MANIFEST = "manifest.json"
_OLD = 24 * 3600  # seconds after which nobody writes to a partial folder any more


def kept(folder: Path, write: Callable[[Path], Mapping[str, Any]], *, again: bool = False) -> Path:
    """The folder as it is where it is whole; else, or `again`, `write` fills a new one and tells facts about it."""
    if not again and is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _clear_leftovers(folder.parent)
        partial = _beside(folder)
        partial.mkdir()
        try:
            _seal(partial, write(partial))
            _place(partial, folder, again=again)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise FetchError(
            f"{folder} cannot be written: {error.strerror or error}. "
            "Make room there, or set UMPTEEN_CACHE to another folder."
        ) from error
    return folder


def is_whole(folder: Path) -> bool:
    """Whether all files are there with the sizes and checksums that the manifest says."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = manifest["files"].items()
        return all((folder / name).stat().st_size == known["bytes"] for name, known in files) and all(
            _checksum(folder / name) == known["sha256"] for name, known in files
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _seal(folder: Path, facts: Mapping[str, Any]) -> None:
    files = {file.name: {"bytes": file.stat().st_size, "sha256": _checksum(file)} for file in sorted(folder.iterdir())}
    text = json.dumps({**facts, "files": files}, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _place(partial: Path, folder: Path, *, again: bool) -> None:
    try:
        partial.rename(folder)
    except OSError:
        if not again and is_whole(folder):
            return  # another process was first
        damaged = _beside(folder)
        folder.rename(damaged)
        partial.rename(folder)
        shutil.rmtree(damaged, ignore_errors=True)


def _beside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}~{socket.gethostname()}~{os.getpid()}~{secrets.token_hex(4)}")


def _clear_leftovers(cache: Path) -> None:
    """Remove what interrupted processes left; what another one may still be writing stays."""
    for partial in cache.glob(".*~*~*~*"):
        _, host, process, _ = partial.name.rsplit("~", 3)
        with suppress(OSError, ValueError):  # gone meanwhile, or not ours
            stale = time.time() - partial.stat().st_mtime > _OLD
            if stale or (host == socket.gethostname() and not _runs(int(process))):
                shutil.rmtree(partial, ignore_errors=True)


def _runs(process: int) -> bool:
    if sys.platform == "win32":
        return True  # asking would end it; the folder's age decides
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
