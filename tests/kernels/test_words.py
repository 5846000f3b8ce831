"""Counting words against the book and Python's `Counter`."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from toy import words_in
from umpteen.kernels import words

LETTERS = list("abAB_1 .,-ßÉéπΩ你好😀\u0301İ\n\t½")


def texts(seed: int, count: int) -> list[str]:
    random = np.random.default_rng(seed)
    return ["".join(random.choice(LETTERS, random.integers(0, 30))) for _ in range(count)]


def run(given: list[str], form: tuple[int, int, int, int]) -> Any:
    """What the kernel counts in an empty table: rows, keys and names of features."""
    parts = [text.encode() for text in given]
    bounds = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    table, numbers = words.table_of(np.empty(0, np.uint64))
    data = np.frombuffer(b"".join(parts), np.uint8)
    return words.count(data, bounds, *words.characters(), form, table, numbers, 0, True)[1:]


def counted(given: list[str], form: tuple[int, int, int, int]) -> list[Counter[str]]:
    """The features of each text by name, with their counts."""
    (features, counts, ends), keys, (letters, stops) = run(given, form)
    names = ["".join(map(chr, letters[a:b])) for a, b in pairwise(stops)]
    assert len(set(keys.tolist())) == len(keys) == len(names)
    return [
        Counter({names[f]: int(c) for f, c in zip(features[a:b], counts[a:b], strict=True)}) for a, b in pairwise(ends)
    ]


def word_grams(text: str, shortest: int, longest: int) -> Counter[str]:
    found = words_in(text, 2, compose=False)
    return Counter(
        " ".join(found[at : at + n]) for n in range(shortest, longest + 1) for at in range(len(found) - n + 1)
    )


def character_grams(text: str, low: int, high: int) -> Counter[str]:
    made: list[str] = []
    for word in text.lower().split():
        padded = f" {word} "
        for n in range(low, high + 1):
            made.extend(padded[at : at + n] for at in range(max(1, len(padded) - n + 1)))
            if len(padded) <= n:
                break
    return Counter(made)


@pytest.mark.parametrize("longest", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_word_grams(seed: int, longest: int) -> None:
    given = texts(seed, 200)
    assert counted(given, (1, longest, 0, 0)) == [word_grams(text, 1, longest) for text in given]


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 4), (3, 5)])
def test_character_grams(low: int, high: int) -> None:
    given = texts(7, 200)
    assert counted(given, (0, 0, low, high)) == [character_grams(text, low, high) for text in given]


def test_which_of_two_words_comes_first_matters() -> None:
    assert counted(["ab cd ef", "cd ab", "ab ab"], (2, 3, 0, 0)) == [
        Counter({"ab cd": 1, "cd ef": 1, "ab cd ef": 1}),
        Counter({"cd ab": 1}),
        Counter({"ab ab": 1}),
    ]


def test_a_growing_table_keeps_what_it_has() -> None:
    given = [f"word{n} other{n // 2}" for n in range(5000)]
    assert counted(given, (1, 1, 0, 0)) == [word_grams(text, 1, 1) for text in given]


def test_keys_of_a_table_are_found() -> None:
    keys = np.unique(np.random.default_rng(0).integers(1, 2**63, 3000).astype(np.uint64) | np.uint64(1))
    table, numbers = words.table_of(keys)
    assert [int(numbers[words.find(table, key)]) for key in keys] == [*range(len(keys))]
    assert np.count_nonzero(table) == len(keys)


def test_words_and_characters_never_share_a_key() -> None:
    _, keys, _ = run(["ab"], (1, 1, 2, 2))
    assert words.of_words(keys).tolist() == [True, False, False, False]  # "ab", then " a", "ab", "b "
