"""Optional libraries, imported when first needed and missed with one clear line."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from umpteen.core.errors import MissingExtraError


def need(module: str, *, extra: str, what: str) -> ModuleType:
    """Import `module` of the optional `extra`, which `what` cannot do without."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is not None and error.name.partition(".")[0] != package:
            raise  # the library is there, something that it needs is not
        raise _missing(package, extra=extra, what=what) from error


def folder_of(package: str, *, extra: str, what: str) -> Path:
    """Where a package of the optional `extra` lies, whose files `what` reads without running its code."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise _missing(package, extra=extra, what=what)
    return Path(found.origin).parent


def _missing(package: str, *, extra: str, what: str) -> MissingExtraError:
    return MissingExtraError(f"{what} needs {package}. Install it with: pip install 'umpteen[{extra}]'")
