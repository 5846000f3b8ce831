"""Arrays that take long to make, kept beside a run, so that a training that goes on need not make them again."""

import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import FolderError
from umpteen.core.run import Run
from umpteen.core.store import Folder, new_folder

Arrays = dict[str, NDArray[Any]]


def kept_beside(run: Run | None, name: str, mark: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
    """What `make` gives, or gave before for the same `mark`, which names the data and settings it depends on."""
    if run is None:
        return make()
    place = run.path / name
    found = _read(place, mark) if place.is_dir() else None
    if found is None:
        found = make()
        with new_folder(place) as folder:
            folder.facts |= {"mark": dict(mark), "arrays": list(found)}
            for part, values in found.items():
                folder.array(part, values)
    return found


def _read(place: Any, mark: Mapping[str, Any]) -> Arrays | None:
    """The arrays kept, unless they are damaged or of other data or settings."""
    try:
        folder = Folder(place)
        if folder.facts["mark"] != mark:
            return None
        return {name: folder.array(name) for name in folder.facts["arrays"]}
    except (FolderError, KeyError):
        return None


def checksum(parts: Iterable[NDArray[Any] | str]) -> int:
    """A number that any change to texts or arrays would change."""
    total = 0
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else np.ascontiguousarray(part).tobytes()
        total = zlib.crc32(data, total)
    return total
