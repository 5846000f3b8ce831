"""Where answers go: to stdout as they come, or to a file that appears when all of them are there."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from umpteen.app.border import keeping
from umpteen.core.files import Staging

Sink = Callable[[Iterable[str]], None]


@contextmanager
def sink(out: Path | None) -> Iterator[Sink]:
    """What takes rows of text."""
    if out is None:
        yield _print
        return
    with keeping(f"{out} is as it was." if out.exists() else f"{out} was not written."), Staging() as staging:
        stream = staging.open(out)
        yield lambda rows: stream.writelines(f"{row}\n".encode("utf-8", "backslashreplace") for row in rows)


def _print(rows: Iterable[str]) -> None:
    sys.stdout.writelines(f"{row}\n" for row in rows)
    sys.stdout.flush()
