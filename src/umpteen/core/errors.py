"""Errors a user can put right: each says what is wrong, what was expected and what to do next."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class UmpteenError(Exception):
    """The root of all errors whose text is meant for the user."""


class UmpteenWarning(UserWarning):
    """Something went on, but not quite as asked for."""


class DataError(UmpteenError, ValueError):
    """Input that cannot be read as what it claims to be."""

    def __init__(self, problem: str, *, file: str | Path | None = None, line: int | None = None) -> None:
        self.file = file
        self.line = line
        place = "" if file is None else f"{file}: " if line is None else f"{file} line {line}: "
        super().__init__(place + problem)


class SettingError(UmpteenError, ValueError):
    """A setting that does not exist or a value that it cannot take."""


class FolderError(UmpteenError):
    """A model folder that is missing, damaged, foreign or cannot be written."""


class FetchError(UmpteenError):
    """A data set that cannot be fetched, or is not what was expected."""


class MissingExtraError(UmpteenError, ImportError):
    """A part of the product whose libraries are not installed."""


class NotFittedError(UmpteenError, ValueError, AttributeError):
    """A model asked for answers before it was trained; the bases are those of scikit-learn's own."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The hint behind an unknown name: its near match, else all there are."""
    options = sorted(known)
    match = get_close_matches(name, options, n=1) or [o for o in options if name and o.startswith(name)][:1]
    if match:
        return f"Did you mean {match[0]!r}?"
    return f"There are: {', '.join(options)}." if options else "There are none."


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise where an option is given a value that it cannot take."""
    known = [*choices]
    if value not in known:
        raise SettingError(f"{name!r} cannot be {value!r}. {did_you_mean(str(value), known)}")


def spelt(value: object) -> str:
    """Any value, kept short, for the words of an error."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits, lists in lists in lists
        return f"such a {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:197]}..."


def shown(text: str) -> str:
    """A piece of input, quoted and kept short, for the words of an error."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
