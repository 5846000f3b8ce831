"""Work on blocks of shared arrays, in this process or on machines that the caller has brought.

The work is a function of the shared arrays and one block, the same everywhere, so where it is done never shows in the
answer.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from umpteen.kernels.threads import each

A = TypeVar("A")
B = TypeVar("B")

Shared = tuple[Any, ...]  # arrays, and small values


class Machines(Protocol):
    """Others that can do such work; the cluster is one."""

    def each(self, work: Callable[[Shared, A], B], shared: Shared, blocks: Iterable[A]) -> Iterator[B]:
        """`work` on each block, answers in order. Functions are told by their names, so they stand in a module."""


_machines: ContextVar[Machines | None] = ContextVar("machines", default=None)


@contextmanager
def working_on(machines: Machines) -> Iterator[None]:
    """Have what is spread inside done by `machines`."""
    before = _machines.set(machines)
    try:
        yield
    finally:
        _machines.reset(before)


def spread(work: Callable[[Shared, A], B], shared: Shared, blocks: Iterable[A], *, jobs: int = 0) -> Iterator[B]:
    """`work` on the shared arrays and each block, answers in order: on the machines, else on `jobs` threads here."""
    machines = _machines.get()
    if machines is not None:
        return machines.each(work, shared, blocks)
    return each(partial(work, tuple(map(fixed, shared))), blocks, jobs=jobs)


def fixed(part: Any) -> Any:
    """An array as other machines get it too, not to be written to: one compiled loop then serves everywhere."""
    if not isinstance(part, np.ndarray):
        return part
    view = part.view(np.ndarray)
    view.flags.writeable = False
    return view
