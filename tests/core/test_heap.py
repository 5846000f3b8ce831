"""Memory that stays with the process while it trains."""

import os
import resource
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from umpteen.core import heap


def faults_of_filling(times: int, megabytes: int = 64) -> int:
    """Pages that the system had to provide while an array was made and freed again and again."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(times):
        np.empty(megabytes << 17).fill(1.0)  # 8 bytes each
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only GNU's C library can be told")
def test_freed_memory_is_used_again_inside_and_given_back_after() -> None:
    if heap._library() is None:
        pytest.skip("another C library")
    with heap.kept():
        faults_of_filling(1)
        with heap.kept():  # as where members train side by side
            pass
        inside = faults_of_filling(5)
    outside = faults_of_filling(5)
    assert inside < outside / 4
    faults_of_filling(1, megabytes=8)
    assert faults_of_filling(5, megabytes=8) < 1000  # what is not large stays, as it did before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only GNU's C library can be told")
def test_gaps_that_fit_nothing_are_given_back() -> None:
    if heap._library() is None:
        pytest.skip("another C library")

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()

    with heap.kept():
        held = [np.ones(1 << 20) for _ in range(32)]  # 8 MiB each
        del held[::2]
        before = resident()
        heap._tidied = 0.0
        heap.tidy()
        assert before - resident() > 64 << 20


def test_memory_is_tidied_twice_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    given, clock = [], iter([10.0, 10.0, 10.4, 10.5, 10.6, 10.9])
    monkeypatch.setattr(heap, "_give_back", lambda: given.append(1))
    monkeypatch.setattr(heap, "_tidied", 0.0)
    monkeypatch.setattr(heap, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    for _ in range(4):
        heap.tidy()
    assert len(given) == 2


def test_an_error_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no"), heap.kept():
        raise ValueError("no")
    assert heap._inside == 0


def test_other_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap, "_library", lambda: None)
    with heap.kept():
        assert heap._inside == 1


def test_few_kernels_are_kept_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "500")
    monkeypatch.setenv("LRU_CACHE_CAPACITY", "")  # so that it is put back as it was
    monkeypatch.delenv("LRU_CACHE_CAPACITY")
    heap.keep_few_kernels()
    assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] == "500"
    assert os.environ["LRU_CACHE_CAPACITY"] == "16"
