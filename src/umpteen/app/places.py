"""Where work is done: within a limit of memory, on the machines of a cluster, or simply here."""

from collections.abc import Iterator
from contextlib import contextmanager

from umpteen.app.tables import show


@contextmanager
def within(limit: str | None) -> Iterator[None]:
    """Keep to a limit of memory, if there is one, and say at the end how much was taken."""
    from umpteen.core.memory import bytes_of, peak, spoken
    from umpteen.core.spill import limited

    if limit is None:
        yield
        return
    with limited(bytes_of(limit)) as made:
        yield
    most = peak()
    taken = f"At most {spoken(most)} of memory were taken" if most is not None else "Memory was kept"
    show(f"{taken}, with a limit of {spoken(made.limit)}; {spoken(made.written)} went to disk on the way.")
