"""A lock on a folder, so that two processes never work in it at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

from umpteen.core.errors import FolderError


@contextmanager
def held(file: Path, *, by: str, wait: bool = False) -> Iterator[None]:
    """Keep others out who hold the same file; a process that dies lets go of it. `by` says who else it may be.

    With `wait`, wait until they are done.
    """
    if fcntl is None:
        yield  # nor would the folder go while a file in it is open
        return
    with file.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            raise FolderError(f"{file.parent} is in use by {by}. Wait for its end.") from None
        yield
