import time

import pytest

from umpteen.kernels.threads import each, ranges


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


def test_ranges() -> None:
    assert [*ranges(7, 3)] == [(0, 3), (3, 6), (6, 7)]
    assert [*ranges(0, 3)] == []
