"""Blocks of work on several threads, answers in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[A], B], blocks: Iterable[A], *, jobs: int = 0) -> Iterator[B]:
    """`work` on each block, on `jobs` threads (0: every core), at most a few blocks ahead of the reader."""
    threads = jobs or cores()
    pending = iter(blocks)
    ahead = list(islice(pending, 2 * threads))
    if threads == 1 or len(ahead) < 2:  # one block needs no thread
        yield from map(work, chain(ahead, pending))
        return
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(work, block) for block in ahead]
        while running:
            done = running.pop(0).result()
            running.extend(pool.submit(work, block) for block in islice(pending, 1))
            yield done


def ranges(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Consecutive (start, end) blocks of `size`."""
    return ((start, min(start + size, total)) for start in range(0, total, size))
