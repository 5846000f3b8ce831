"""Named data sets and word vectors, fetched once into the cache: one file here is one data set.

A data set's file says in its first line what it is, and its `write(folder)` fills a folder and tells facts about it.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from umpteen.core.cache import cache_folder
from umpteen.core.errors import FetchError, did_you_mean
from umpteen.data.cache import kept


def names() -> dict[str, str]:
    """The data sets there are: name -> one line that says what it is."""
    return {found.name: (_module(found.name).__doc__ or "").partition("\n")[0] for found in iter_modules(__path__)}


def get(name: str, *, cache: str | Path | None = None, again: bool = False) -> Path:
    """The folder of a data set, fetched unless it is in the cache already and whole; `again` fetches it anyway."""
    if name not in names():
        raise FetchError(f"There is no data set {name!r}. {did_you_mean(name, names())}")

    def write(folder: Path) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = _module(name).write(folder)
        return {"name": name, "about": names()[name], **facts}

    return kept((cache_folder() if cache is None else Path(cache)) / name, write, again=again)


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
