import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from umpteen.kernels.threads import apart, each, evenly, ranges


@pytest.mark.parametrize("jobs", [0, 1, 2, 7])
def test_answers_come_in_order(jobs: int) -> None:
    def work(n: int) -> int:
        time.sleep(0.001 * (n % 3))
        return n * n

    assert [*each(work, range(25), jobs=jobs)] == [n * n for n in range(25)]
    assert [*each(work, [], jobs=jobs)] == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_errors_come_through(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError):
        [*each(lambda n: 1 // (n - 5), range(20), jobs=jobs)]


def test_reads_only_a_little_ahead() -> None:
    taken = []

    def source():
        for n in range(1000):
            taken.append(n)
            yield n

    answers = each(lambda n: n, source(), jobs=2)
    next(answers)
    assert len(taken) <= 6
    answers.close()


def threads_of(api: str) -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == api]


def test_libraries_keep_to_the_thread_of_a_block() -> None:
    torch = pytest.importorskip("torch")
    usual = torch.get_num_threads()
    torch.set_num_threads(2)  # as training does: torch then remembers it for threads to come
    before = threads_of("blas"), threads_of("openmp")

    def work(n: int) -> tuple[int, set[int]]:
        inner = apart(lambda m: m, [1, 2], jobs=2)  # another may end while this one goes on
        assert inner == [1, 2]
        np.ones((64, 64)) @ np.ones((64, 64))
        torch.ones(64, 64) @ torch.ones(64, 64)
        return n, {torch.get_num_threads(), *threads_of("blas"), *threads_of("openmp")}

    try:
        assert apart(work, [*range(5)], jobs=2) == [(n, {1}) for n in range(5)]
        with pytest.raises(ZeroDivisionError):
            apart(lambda n: 1 // n, [1, 0], jobs=2)
        assert (threads_of("blas"), threads_of("openmp")) == before and torch.get_num_threads() == 2
        assert apart(work, [], jobs=2) == [] and apart(lambda n: n, [3], jobs=2) == [3]
    finally:
        torch.set_num_threads(usual)


def test_whoever_leaves_last_raises_the_limit_again() -> None:
    before, left = threads_of("blas"), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        inside = threading.Barrier(2)

        def first(n: int) -> list[int]:
            if not n:
                inside.wait(10)
            return threads_of("blas")

        def second(n: int) -> list[int]:
            if not n:
                inside.wait(10)
            assert left.wait(10)
            return threads_of("blas")

        slow = pool.submit(apart, second, [0, 1], jobs=1)
        quick = pool.submit(apart, first, [0, 1], jobs=1)
        quick.result()
        left.set()
        assert {count for block in slow.result() for count in block} <= {1}
        assert threads_of("blas") == before
        again = pool.submit(apart, lambda n: threads_of("blas"), [0, 1], jobs=2).result()  # by a thread of its own
        assert {count for block in again for count in block} <= {1}
    assert threads_of("blas") == before


def test_ranges() -> None:
    assert [*ranges(7, 3)] == [(0, 3), (3, 6), (6, 7)]
    assert [*ranges(0, 3)] == []


def test_blocks_of_about_the_same_size() -> None:
    assert evenly(2515, 64, 640, jobs=2) == [(0, 629), (629, 1258), (1258, 1887), (1887, 2515)]
    assert evenly(2515, 64, 640, jobs=1) == [(0, 629), (629, 1258), (1258, 1887), (1887, 2515)]
    assert evenly(100, 64, 640, jobs=2) == [(0, 100)] and evenly(130, 64, 640, jobs=2) == [(0, 65), (65, 130)]
    assert evenly(9, 64, 640, jobs=0) == [(0, 9)] and evenly(0, 64, 640, jobs=2) == []
