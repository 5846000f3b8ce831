"""Model folders on other machines: files travel as bytes through the object store, and are written there once."""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from umpteen.core.errors import FolderError
from umpteen.core.store import MANIFEST

Packed = tuple[str, list[str], "np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]  # mark, names, bounds, bytes

_OLD = 24 * 3600  # seconds after which a copy that nobody used goes


def packed(folder: Path) -> Packed:
    """A model folder, with those inside it, as a mark that no other has, the names of its files and their bytes."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    names = [file.relative_to(folder).as_posix() for file in files]
    bounds = np.cumsum([0, *(file.stat().st_size for file in files)])
    manifests = b"".join(file.read_bytes() for file in files if file.name == MANIFEST)  # with checksums of all files
    mark = hashlib.sha256(manifests + repr((names, bounds.tolist())).encode()).hexdigest()
    content = np.empty(bounds[-1], np.uint8)
    for file, start, end in zip(files, bounds, bounds[1:], strict=False):
        content[start:end] = np.fromfile(file, np.uint8)
    return mark, names, bounds, content


def unpacked(mark: str, names: Sequence[str], bounds: Any, content: Any) -> Path:
    """The folder again, on this machine, in a place that belongs to this user alone."""
    place = _own_folder() / mark
    if not (place / MANIFEST).is_file():
        _forget_old(place.parent)
        beside = Path(tempfile.mkdtemp(dir=place.parent))
        for name, start, end in zip(names, bounds, bounds[1:], strict=False):
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise FolderError(f"A model folder cannot hold a file named {name!r}.")
            (beside / name).parent.mkdir(parents=True, exist_ok=True)
            (beside / name).write_bytes(content[start:end].data)
        try:
            beside.rename(place)
        except OSError:  # another process was first
            shutil.rmtree(beside, ignore_errors=True)
    with suppress(OSError):
        os.utime(place)
    return place


def _own_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"umpteen-{getattr(os, 'getuid', int)()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    known = folder.lstat()
    if folder.is_symlink() or (hasattr(os, "getuid") and (known.st_uid != os.getuid() or known.st_mode & 0o022)):
        raise FolderError(f"{folder} is not a folder of this user alone. Remove it, or set TMPDIR to another place.")
    return folder


def _forget_old(folder: Path) -> None:
    for place in folder.iterdir():
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > _OLD:
                shutil.rmtree(place, ignore_errors=True)
