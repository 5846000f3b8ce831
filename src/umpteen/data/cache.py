"""Cache: fetched folders, each written beside its place and renamed into it, with sizes and checksums to check."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from umpteen.core.beside import beside, clear, remove
from umpteen.core.cache import MANIFEST, checksum, is_whole
from umpteen.core.errors import FetchError


def kept(folder: Path, write: Callable[[Path], Mapping[str, Any]], *, again: bool = False) -> Path:
    """The folder as it is where it is whole; else, or `again`, `write` fills a new one and tells facts about it."""
    if not again and is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        clear(folder)
        partial = beside(folder)
        partial.mkdir()
        try:
            _seal(partial, write(partial))
            _place(partial, folder, again=again)
        finally:
            remove(partial)
    except OSError as error:
        raise FetchError(
            f"{folder} cannot be written: {error.strerror or error}. "
            "Make room there, or set UMPTEEN_CACHE to another folder."
        ) from error
    return folder


def _seal(folder: Path, facts: Mapping[str, Any]) -> None:
    files = {file.name: {"bytes": file.stat().st_size, "sha256": checksum(file)} for file in sorted(folder.iterdir())}
    text = json.dumps({**facts, "files": files}, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _place(partial: Path, folder: Path, *, again: bool) -> None:
    try:
        partial.rename(folder)
    except OSError:
        if not again and is_whole(folder):
            return  # another process was first
        old = beside(folder)
        folder.rename(old)
        partial.rename(folder)
        remove(old)
