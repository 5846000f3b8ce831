"""Model folders: JSON and .npy files with checksums, written beside their place and renamed into it.

No pickle, no code: arrays are memory-mapped, all else is JSON. A folder is the old one or the new one, never in
between.
"""

import ctypes
import json
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from umpteen.core.arrays import mapped_array, save_array
from umpteen.core.beside import beside, clear, remove
from umpteen.core.errors import DataError, FolderError
from umpteen.core.files import sync
from umpteen.core.legible import one_line

FORMAT = 1
MANIFEST = "model.json"
ADVICE = "Copy it again or train again."
_FEW = 3
_PART = 1 << 20  # bytes of a file in memory at a time


class NewFolder:
    """A folder being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts: dict[str, Any] = {}  # what the manifest says besides the files

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Write an array as `name`.npy."""
        save_array(self.path / f"{name}.npy", values)

    def json(self, name: str, value: Any) -> None:
        """Write anything JSON holds as `name`.json."""
        self.text(f"{name}.json", json.dumps(value, ensure_ascii=False))

    def text(self, file: str, text: str) -> None:
        """Write a text."""
        (self.path / file).write_bytes(text.encode("utf-8", "surrogatepass"))  # as json.loads takes it

    @contextmanager
    def inner(self, name: str) -> Iterator["NewFolder"]:
        """Write a folder inside, with a manifest of its own."""
        (self.path / name).mkdir()
        folder = NewFolder(self.path / name)
        yield folder
        folder._seal()

    def _seal(self) -> None:
        there = sorted(self.path.iterdir())
        files = {file.name: _state(file) for file in there if not file.is_dir()}
        folders = {folder.name: _state(folder / MANIFEST) for folder in there if folder.is_dir()}
        manifest = {"umpteen": FORMAT, **self.facts, **({"folders": folders} if folders else {}), "files": files}
        manifest["crc32"] = _own_checksum(manifest)
        (self.path / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False), encoding="utf-8")
        for file in self.path.iterdir():
            sync(file)
        sync(self.path)


class Folder:
    """A saved folder, checked when opened, or by `verify` before anything is read from it."""

    def __init__(self, path: str | Path, *, verify: bool = True) -> None:
        self.path = Path(path)
        recover(self.path)
        if not self.path.is_dir():
            stopped = self.path.with_name(f"{self.path.name}.run").is_dir()
            how = f"train --out {self.path} --resume" if stopped else f"train DATA --out {self.path}"
            what = "Its training was stopped. Go on with" if stopped else "Train one with"
            raise FolderError(f"There is no model folder {self.path}. {what}: umpteen {how}")
        self.facts = _manifest(self.path)
        if verify:
            self.verify()

    def array(self, name: str) -> NDArray[Any]:
        """An array of numbers, memory-mapped: pages are shared between processes, and changes never reach the disk."""
        file = self._file(f"{name}.npy")
        try:
            return mapped_array(file)
        except DataError as error:
            raise FolderError(f"{error} {ADVICE}") from error

    def json(self, name: str) -> Any:
        """What was written as `name`.json."""
        try:
            return json.loads(self._file(f"{name}.json").read_bytes())
        except (ValueError, RecursionError) as error:
            raise FolderError(f"{self.path / name}.json is not JSON ({error}). {ADVICE}") from error

    def text(self, file: str) -> str:
        """What was written as a text."""
        return self._file(file).read_bytes().decode("utf-8", "replace")

    def inner(self, name: str) -> "Folder":
        """The folder that was written inside as `name`."""
        if name not in self.facts.get("folders", {}):
            raise FolderError(f"{self.path} has no folder {name}, which this model needs. It was changed.")
        return Folder(self.path / name, verify=False)

    @property
    def size(self) -> int:
        """Bytes of all its files, and of those in folders inside."""
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())

    def has(self, file: str) -> bool:
        """Whether a file of this name belongs to the folder."""
        return file in self.facts["files"]

    def _file(self, name: str) -> Path:
        if not self.has(name):
            raise FolderError(
                f"{self.path} has no file {name}, which this model needs. It was written by another version or changed."
            )
        return self.path / name

    def verify(self) -> None:
        """Compare every file with what the manifest says of it, sizes first."""
        files = self.facts["files"]
        for name, known in files.items():
            file = self.path / name
            if not is_plain(name) or file.is_symlink() or not file.is_file():
                raise FolderError(f"{self.path} is damaged: {name!r} is missing or not a plain file. {ADVICE}")
            if not isinstance(known, dict) or known.get("bytes") != file.stat().st_size:
                raise FolderError(f"{self.path} is damaged: {name} is not what was saved. {ADVICE}")
        with ThreadPoolExecutor() as pool:
            sums = pool.map(_state, [self.path / name for name in files])
            for (name, known), found in zip(files.items(), sums, strict=True):
                if known != found:
                    raise FolderError(f"{self.path} is damaged: {name} is not what was saved. {ADVICE}")
        for name, known in self.facts.get("folders", {}).items():
            file = self.path / name / MANIFEST
            plain = is_plain(name) and not file.parent.is_symlink() and not file.is_symlink() and file.is_file()
            if not plain or _state(file) != known:
                raise FolderError(
                    f"{self.path} is damaged: the folder {name!r} is missing or not what was saved. {ADVICE}"
                )
            self.inner(name).verify()

    @contextmanager
    def sound(self) -> Iterator[None]:
        """Say that the folder is damaged where what it holds does not go together."""
        try:
            yield
        except FolderError:
            raise
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
            why = one_line(f"{type(error).__name__}: {error}", 200).rstrip(".")
            raise FolderError(
                f"{self.path} is damaged or of another version: its parts do not go together ({why}). {ADVICE}"
            ) from error


@contextmanager
def new_folder(path: str | Path) -> Iterator[NewFolder]:
    """Write a folder that appears at `path` only when the block ends well, in place of an older model there."""
    place = Path(path)
    check_free(place)
    new = beside(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        clear(place)
        new.mkdir()
        folder = NewFolder(new)
        yield folder
        folder._seal()
        _put(new, place)
    except OSError as error:
        raise FolderError(
            f"{place} could not be written: {error.strerror or error}. What was there before is unchanged."
        ) from error
    finally:
        remove(new)


def check_free(path: str | Path) -> None:
    """Say now, not after hours of training, that a model cannot be saved at `path`."""
    place = Path(path)
    if place.name in ("", ".."):
        raise FolderError(f"A model's folder needs a name of its own, not {str(place)!r}. Name one with --out.")
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise FolderError(f"{place} is not a folder. Choose another place with --out.")
    if place.is_dir() and any(place.iterdir()) and not (place / MANIFEST).is_file():
        raise FolderError(f"{place} holds other files, not an Umpteen model. Choose another place with --out.")
    if strange := _strange(place):
        few = ", ".join(strange[:_FEW]) + (", ..." if len(strange) > _FEW else "")
        raise FolderError(
            f"{place} holds more than its model, which would be lost: {few}. Move that away, or choose another --out."
        )
    if within := next((parent for parent in place.absolute().parents if _listed(parent)), None):
        raise FolderError(f"{place} is inside the model {within}, which it would damage. Choose another --out.")
    parent = next(p for p in (place, *place.absolute().parents) if p.exists())
    if not os.access(parent if parent != place else place.absolute().parent, os.W_OK):
        raise FolderError(f"{place} cannot be written: no permission for {parent}. Choose another place with --out.")


def _listed(path: Path) -> set[str]:
    """What belongs to a model folder by its manifest; nothing where it has none that can be read."""
    try:
        facts = json.loads((path / MANIFEST).read_bytes())
        return {MANIFEST, *facts["files"], *facts.get("folders", {})} if "umpteen" in facts else set()
    except (OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return set()


def _strange(place: Path) -> list[str]:
    """What else lies in a model folder; hidden files are the system's."""
    known = _listed(place)
    return (
        sorted(file.name for file in place.iterdir() if file.name not in known and file.name[0] != ".") if known else []
    )


def _manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        raise FolderError(f"{path} is not an Umpteen model: it has no {MANIFEST}.")
    try:
        facts = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FolderError(f"{path} is damaged: {MANIFEST} is not JSON ({error}). {ADVICE}") from error
    parts = (facts.get("files"), facts.get("folders", {})) if isinstance(facts, dict) else (None,)
    if not isinstance(facts, dict) or "umpteen" not in facts or not all(isinstance(part, dict) for part in parts):
        raise FolderError(f"{path} is not an Umpteen model: its {MANIFEST} does not say so.")
    if facts["umpteen"] != FORMAT:
        raise FolderError(
            f"{path} has format {facts['umpteen']!r}, and this version reads format {FORMAT}. "
            "Use the version of Umpteen that wrote it, or train again."
        )
    known = facts.pop("crc32", None)
    if known is not None and known != _own_checksum(facts):
        raise FolderError(f"{path} is damaged: {MANIFEST} is not what was saved. {ADVICE}")
    return facts


def is_plain(name: str) -> bool:
    """Whether a name in a manifest leads nowhere but into its folder."""
    return (
        bool(name)
        and Path(name).name == name not in ("..", MANIFEST)
        and len(name.encode("utf-8", "surrogatepass")) < 256
    )


def _own_checksum(manifest: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(manifest, sort_keys=True).encode())


def _state(file: Path) -> dict[str, int]:
    """What the manifest says of a file; read in parts, since a mapped one would be in memory as a whole."""
    total, part = 0, memoryview(bytearray(min(_PART, file.stat().st_size + 1)))
    with file.open("rb", buffering=0) as stream:
        while count := stream.readinto(part):
            total = zlib.crc32(part[:count], total)
        return {"bytes": stream.tell(), "crc32": total}


def _put(new: Path, place: Path) -> None:
    """Move `new` to `place`; an older folder there is swapped out in one step where the system can."""
    if place.exists() and not any(place.iterdir()):
        place.rmdir()
    if not place.exists():
        new.rename(place)
    elif _exchanged(new, place):
        remove(new)
    else:
        old = place.with_name(f".{place.name}.old")
        remove(old)
        place.rename(old)
        new.rename(place)
        remove(old)
    sync(place.parent)


def recover(place: Path) -> None:
    """Bring back the old folder if a stop fell between the two renames."""
    old = place.with_name(f".{place.name}.old")
    if old.is_dir() and not place.exists():
        old.rename(place)


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two folders in one step; False where the system or the disk cannot."""
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of Linux
    try:
        swap = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(swap(here, os.fsencode(one.absolute()), here, os.fsencode(other.absolute()), exchange) == 0)
