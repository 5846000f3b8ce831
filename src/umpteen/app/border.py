"""The border of the command line: errors become one sentence on stderr and an exit code, here and nowhere else."""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TextIO

from umpteen.core.errors import UmpteenError, UmpteenWarning
from umpteen.core.progress import stays

FAILED, STOPPED = 1, 130  # exit codes; usage errors are 2, as everywhere


class Stopped(BaseException):
    """The user pressed Ctrl-C; the text says what is kept."""


@contextmanager
def keeping(what: str) -> Iterator[None]:
    """Say `what` is kept, should the user stop the work inside."""
    try:
        yield
    except (KeyboardInterrupt, SystemError) as error:
        if _is_stop(error):
            raise Stopped(what) from None
        raise


def guarded(work: Callable[[], Any]) -> int:
    """Do the work and return the exit code, with the one sentence on stderr where it fails."""
    _prepare_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("default" if debugging() else "ignore")
        warnings.simplefilter("always", UmpteenWarning)
        warnings.showwarning = _show_warning
        try:
            work()
            sys.stdout.flush()
            return 0
        except SystemExit as end:
            return _ended(end)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at the end
            return FAILED
        except (Exception, KeyboardInterrupt, Stopped) as error:
            return _reported(error)


def end_politely() -> None:
    """A request to end cleans up as Ctrl-C does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for name in (signal.SIGTERM, signal.SIGINT):  # the second is ignored in scripts' background jobs otherwise
        signal.signal(name, stop)


def debugging() -> bool:
    """Whether the user wants to see where an error came from."""
    return os.environ.get("UMPTEEN_DEBUG", "") not in ("", "0")


def note(text: str) -> None:
    """A line for the user beside the output."""
    if not stays(text):
        print(text, file=sys.stderr)  # noqa: T201


def _is_stop(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error; compiled code wraps it in another."""
    return isinstance(error, KeyboardInterrupt) or (
        error is not None and _is_stop(error.__cause__ or error.__context__)
    )


def _sentence(error: BaseException) -> str:
    if isinstance(error, UmpteenError):
        return str(error)
    if isinstance(error, MemoryError) or "alloc_cpu" in str(error):  # torch has no error of its own for it
        return (
            "There is not enough memory. Use fewer documents or features, smaller settings, or a machine with more "
            "memory."
        )
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}."
    return (
        f"Something unexpected went wrong ({type(error).__name__}: {error}). This is a mistake in Umpteen. "
        "Please report it with what the same command prints after `umpteen --debug`."
    )


def _reported(error: BaseException) -> int:
    if isinstance(error, Stopped):
        return _failed(f"Stopped. {error}", STOPPED)
    if _is_stop(error):
        return _failed("Stopped. Files are as they were.", STOPPED)
    if debugging():
        traceback.print_exception(error)
    return _failed(_sentence(error), FAILED)


def _failed(sentence: str, code: int) -> int:
    note(f"umpteen: {sentence}")
    return code


def _ended(end: SystemExit) -> int:
    """The exit code of a command that ended by itself; the library for commands turns Ctrl-C into such an end."""
    code = end.code if isinstance(end.code, int) else 0 if end.code is None else FAILED
    return _failed("Stopped. Files are as they were.", STOPPED) if code == STOPPED else code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    known = issubclass(category, UmpteenWarning)
    note(
        f"umpteen: Note: {message}"
        if known
        else warnings.formatwarning(message, category, filename, lineno, line).strip()
    )


def _prepare_streams() -> None:
    """Never fail over a character that the terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
