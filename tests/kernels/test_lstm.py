"""The compiled LSTM against its formula, a document and a word at a time."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from umpteen.kernels import lstm

Array = NDArray[np.float32]
WORDS = 7
SIZES = np.array([9, 9, 7, 7, 6, 5, 5, 4, 3, 2, 2, 1, 1])


def alone(weights: Array, brought: Array) -> NDArray[np.float64]:
    """States of one document, whose words bring so much to the gates, (words, 4 * hidden)."""
    state = memory = np.zeros(weights.shape[1])
    states = []
    for brings in brought.astype(np.float64):
        enters, stays, cell, leaves = np.split(brings + weights @ state, 4)
        memory = expit(stays) * memory + expit(enters) * np.tanh(cell)
        state = expit(leaves) * np.tanh(memory)
        states.append(state)
    return np.array(states)


def read(weights: list[Array], brings: list[Array], ids: NDArray[np.int64], sizes: NDArray[np.int64]) -> Array:
    """States by the compiled loop of documents that stand one behind the other, a place between them."""
    hidden = weights[0].shape[1]
    firsts = np.concatenate([[0], np.cumsum(sizes + 1)[:-1]])
    given = np.stack([lstm.blocked(each.T, hidden).reshape(-1, WORDS).T for each in brings], axis=1)
    states = np.full((len(ids), 2 * hidden), 7.0, np.float32)
    for way in range(2):
        packed = lstm.packed(weights[way], hidden)
        lstm.read(*packed, np.ascontiguousarray(given.reshape(WORDS, -1)), ids, firsts, sizes, hidden, way, states)
    return states


def drawn(hidden: int, spread: float) -> tuple[list[Array], list[Array], NDArray[np.int64]]:
    random = np.random.default_rng(hidden)
    weights = [random.normal(0, spread, (4 * hidden, hidden)).astype(np.float32) for _ in range(2)]
    brings = [random.normal(0, 2 * spread, (WORDS, 4 * hidden)).astype(np.float32) for _ in range(2)]
    return weights, brings, random.integers(0, WORDS, SIZES.sum() + len(SIZES))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 7, len(SIZES)])
@pytest.mark.parametrize("hidden", [1, 16, 21])
def test_states_are_those_of_the_formula(hidden: int, count: int) -> None:
    weights, brings, ids = drawn(hidden, 0.5)
    sizes = SIZES[-count:]
    states, first = read(weights, brings, ids, sizes), 0
    for size in sizes:
        own = ids[first : first + size]
        forth, back = alone(weights[0], brings[0][own]), alone(weights[1], brings[1][own[::-1]])[::-1]
        assert np.allclose(states[first : first + size], np.hstack([forth, back]), atol=5e-4)
        assert (states[first + size] == 7).all()  # what stands between documents is left alone
        first += size + 1


def test_a_document_is_read_as_if_it_were_alone() -> None:
    weights, brings, ids = drawn(21, 0.5)
    together, first = read(weights, brings, ids, SIZES), 0
    for size in SIZES:
        found = read(weights, brings, ids[first : first + size + 1], np.array([size]))
        assert np.array_equal(found[:size], together[first : first + size])
        first += size + 1


@pytest.mark.parametrize("size", [3.0, 100.0, 1e6])
def test_gates_that_are_wide_open_stay_numbers(size: float) -> None:
    """All weights of one sign: sums are as large as they can become, and must not run over."""
    weights = [np.full((64, 16), sign * size, np.float32) for sign in (1, -1)]
    brings = [np.full((WORDS, 64), 30, np.float32)] * 2
    states = read(weights, brings, np.zeros(10, np.int64), np.array([9]))
    assert np.allclose(states[:9, :16], alone(weights[0], brings[0][np.zeros(9, int)]), atol=1e-3)
    assert np.allclose(states[:9, 16:][::-1], alone(weights[1], brings[1][np.zeros(9, int)]), atol=1e-3)


def test_nothing_to_remember() -> None:
    weights = [np.zeros((64, 16), np.float32)] * 2
    _, brings, ids = drawn(16, 0.5)
    states = read(weights, brings, ids[:4], np.array([3]))
    assert np.allclose(states[:3, :16], alone(weights[0], brings[0][ids[:3]]), atol=1e-5)


@pytest.mark.skipif("NUMBA_CPU_NAME" in os.environ, reason="this is that test")
def test_any_processor_reads_the_same() -> None:
    """Without the instructions that this one may have."""
    plain = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    chosen = f"{__file__}::test_states_are_those_of_the_formula"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "21", chosen], env=plain, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
