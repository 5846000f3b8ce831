"""The formats there are: every file in this folder is one, found by being here."""

import pkgutil
from functools import cache
from importlib import import_module

from umpteen.core.errors import DataError, did_you_mean
from umpteen.data.format import Format


@cache
def formats() -> dict[str, Format]:
    """All formats by name."""
    found: dict[str, Format] = {}
    for info in pkgutil.iter_modules(__path__, f"{__name__}."):
        for item in vars(import_module(info.name)).values():
            if isinstance(item, type) and issubclass(item, Format) and item.__module__ == info.name:
                found[info.name.rpartition(".")[2]] = item()
    return found


def format_names() -> list[str]:
    """The names that `--format` takes."""
    return sorted(formats())


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in formats():
        raise DataError(f"There is no format {name!r}. {did_you_mean(name, format_names())}")
    return formats()[name]
