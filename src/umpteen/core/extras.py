"""Optional libraries, imported when first needed and missed with one clear line."""

from importlib import import_module
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
        raise MissingExtraError(f"{what} needs {package}. Install it with: pip install 'umpteen[{extra}]'") from error
