"""Blocks of work on several threads, answers in order."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from threading import Event, Lock, Thread
from typing import TypeVar

from threadpoolctl import ThreadpoolController

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


def apart(work: Callable[[A], B], blocks: Sequence[A], *, jobs: int = 0) -> list[B]:
    """`each`, all at once, for work that calls libraries with threads of their own; these keep to the block's thread.

    Threads inside of threads would get in each other's way, and take longer than one.
    """
    if len(blocks) < 2:  # one block needs no thread
        return [work(block) for block in blocks]
    with _ALONE.held(), ThreadPoolExecutor(jobs or cores(), initializer=_alone) as pool:
        return list(pool.map(work, blocks))


def _alone() -> None:
    """Let OpenMP, of which each library may bring one, take no further thread for what the caller's thread asks."""
    for library in ThreadpoolController().select(user_api="openmp").lib_controllers:
        library.set_num_threads(1)


class _Limit:
    """BLAS and torch on one thread for as long as anyone holds it: for the whole process, as they know no other way.

    What a thread has limited only that thread may raise again. So one that lives as long as the limit does both.
    """

    def __init__(self) -> None:
        self._lock, self._holders = Lock(), 0

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock:
            if not self._holders:
                begun, self._over = Event(), Event()
                self._keeper = Thread(target=self._keep, args=(begun, self._over), daemon=True)
                self._keeper.start()
                begun.wait()
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._over.set()
                    self._keeper.join()

    @staticmethod
    def _keep(begun: Event, over: Event) -> None:
        torch = sys.modules.get("torch")  # where it is not loaded there is nothing to limit
        before = torch.get_num_threads() if torch is not None else 0
        try:
            with ThreadpoolController().select(user_api="blas").limit(limits=1):
                if torch is not None:
                    torch.set_num_threads(1)  # for threads that begin from now on
                begun.set()
                over.wait()
        finally:
            begun.set()
            if torch is not None:
                torch.set_num_threads(before)


_ALONE = _Limit()


def ranges(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Consecutive (start, end) blocks of `size`."""
    return ((start, min(start + size, total)) for start in range(0, total, size))


def evenly(total: int, least: int, most: int, *, jobs: int = 0) -> list[tuple[int, int]]:
    """Consecutive blocks of about the same size within limits, as many for each of `jobs` threads (0: every core)."""
    threads = jobs or cores()
    count = max(1, min(threads * -(-total // (threads * most)), total // least))
    return [*ranges(total, max(1, -(-total // count)))]
