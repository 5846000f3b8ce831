"""Word vectors from every kind of source, and what is said of files that are none."""

import gzip
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.typing import NDArray

from umpteen.core.errors import DataError, MissingExtraError, UmpteenWarning
from umpteen.data.cache import kept
from umpteen.text import vectorfile
from umpteen.text.vectors import aligned

KNOWN = ["the", "cat", "Berlin", "berlin", "Musik", "größe", ". . ."]
WANTED = ["cat", "unheard", "musik", "größe", "berlin", "the"]
WIDTH = 7
VECTORS = np.random.default_rng(1).normal(0, 0.4, (len(KNOWN), WIDTH)).astype(np.float32)
EXPECTED = VECTORS[[1, 4, 5, 3, 0]]
FOUND = [True, False, True, True, True, True]


def printed(*, header: bool, end: str = "\n") -> bytes:
    first = f"{len(KNOWN)} {WIDTH}\n" if header else ""
    lines = (f"{word} {' '.join(map(repr, row.tolist()))}{end}" for word, row in zip(KNOWN, VECTORS, strict=True))
    return (first + "".join(lines)).encode()


def packed(*, end: bytes = b"\n", words: list[str] = KNOWN, vectors: NDArray[np.float32] = VECTORS) -> bytes:
    rows = (word.encode() + b" " + row.tobytes() + end for word, row in zip(words, vectors, strict=True))
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(rows)


NO_BLANKS = [word for word in KNOWN if " " not in word]
KINDS = {
    "glove": printed(header=False),
    "word2vec": printed(header=True),
    "fasttext": printed(header=True, end=" \n"),
    "windows": printed(header=False, end="\r\n"),
    "a mark of the byte order": b"\xef\xbb\xbf" + printed(header=True),
    "several blanks": printed(header=False).replace(b" ", b"  "),
    "tabs": printed(header=True).replace(b". . .", b"dots").replace(b" ", b"\t"),
    "empty lines": printed(header=True, end="\n\n") + b"\n",
    "binary": packed(words=NO_BLANKS, vectors=VECTORS[:-1]),
    "gensim's binary": packed(end=b"", words=NO_BLANKS, vectors=VECTORS[:-1]),
}


@pytest.mark.parametrize("packing", ["plain", "gz"])
@pytest.mark.parametrize("kind", KINDS)
def test_files(tmp_path: Path, kind: str, packing: str) -> None:
    file = tmp_path / "vectors"
    file.write_bytes(KINDS[kind] if packing == "plain" else gzip.compress(KINDS[kind]))
    vectors, found = aligned(WANTED, str(file), seed=0)
    assert found.tolist() == FOUND and vectors.dtype == np.float32
    assert np.array_equal(vectors[found], EXPECTED)


def test_a_binary_file_longer_than_what_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorfile, "CHUNK", 1000)
    monkeypatch.setattr(vectorfile, "_WORD", 16)
    words = [f"w{n}" for n in range(3000)]
    rows = np.random.default_rng(2).normal(size=(3000, 20)).astype(np.float32)
    (tmp_path / "v.bin").write_bytes(packed(words=words, vectors=rows))
    vectors, found = aligned(words[::-7], str(tmp_path / "v.bin"), seed=0)
    assert found.all() and np.array_equal(vectors, rows[::-7])


def test_a_zip_archive_is_named(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("glove.txt", printed(header=False))
    with pytest.raises(DataError, match="This is a zip archive"):
        aligned(WANTED, str(tmp_path / "glove.zip"), seed=0)


@pytest.mark.parametrize("value", [0.0, 1.0, np.frombuffer(b"\n\n\n\n", np.float32)[0]])
def test_numbers_whose_bytes_look_like_line_ends(tmp_path: Path, value: float) -> None:
    rows = np.array([[value, 0.3, -0.7, value]] * 2, np.float32)
    (tmp_path / "v.bin").write_bytes(packed(words=["the", "cat"], vectors=rows))
    assert np.array_equal(aligned(["cat", "the"], str(tmp_path / "v.bin"), seed=0)[0], rows)


@pytest.mark.filterwarnings("ignore:Only 2 of")
def test_words_not_found_are_drawn_with_the_same_spread(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(printed(header=False))
    words = ["cat", "the", *(f"unheard{n}" for n in range(4000))]
    vectors, found = aligned(words, str(tmp_path / "v.txt"), seed=0)
    spread = vectors[:2].std()
    assert vectors[2:].std() == pytest.approx(spread, rel=0.02) and abs(vectors[2:].mean()) < 0.02 * spread
    assert np.abs(vectors[2:]).max() <= spread * 3**0.5 * 1.0001 and not found[2:].any()
    assert np.array_equal(aligned(words, str(tmp_path / "v.txt"), seed=0)[0], vectors)
    assert not np.array_equal(aligned(words, str(tmp_path / "v.txt"), seed=1)[0], vectors)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"the 1 2 3\ncat 1 2\n", r"v line 2: Expected 3 numbers, got 2 for the word 'cat'"),
        (b"2 3\nthe 1 2 3\ncat 1 2\n", r"v line 3: Expected 3 numbers, got 2 for the word 'cat'"),
        (b"the 1 2 3\ncat 1 x 3\n", r"v line 2: Expected numbers .* 'cat'"),
        (b"2 3\nthe 1 2 3\ncat 1 x 3\n", r"v line 3: Expected numbers .* 'cat'"),
        (b"the 1 2 3\ncat 1 nan 3\n", r"v line 2: Expected finite numbers"),
        (b"3 3\nthe 1 2 3\ncat 1 2 3\n", r"v: The first line promises 3 words, and there are 2"),
        (b"", r"v line 1: Expected a word"),
        (b"cat\n", r"v line 1: Expected a word .* got 'cat'"),
        (b"made by me\nthe 1 2\n", r"v line 1: Expected a word .* If it is a heading"),
        (b"the 1 2\ncat 1 2 3\n", r"v line 1: Expected as many numbers as in the second line, 3, got 2"),
        (packed()[:-20], r"v: Expected 7 words with 7 numbers each, and word 7 is cut off"),
        (b"7 7\nthe " + bytes(10), r"v: Expected 7 words with 7 numbers each, and word 1 is cut off"),
        (b"dog 1 2 3\n", "none of the 6 words"),
        (gzip.compress(printed(header=True))[:-30], "cut off or damaged"),
    ],
)
def test_damaged_files(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(DataError, match=problem):
        aligned(WANTED, str(tmp_path / "v"), seed=0)


def test_sources_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"glove, wordllama, none or a file\. There is no file glvoe"):
        aligned(WANTED, "glvoe", seed=0)
    monkeypatch.setenv("UMPTEEN_CACHE", str(tmp_path))
    with pytest.raises(DataError, match="umpteen get glove"):
        aligned(WANTED, "glove", seed=0)
    monkeypatch.setattr("umpteen.core.extras.find_spec", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"needs wordllama\. Install it with: pip install 'umpteen\[deep\]'"):
        aligned(WANTED, "wordllama", seed=0)


def test_glove_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UMPTEEN_CACHE", str(tmp_path))

    def write(folder: Path) -> dict[str, int]:
        (folder / "words.txt").write_bytes("".join(f"{word}\n" for word in KNOWN).encode())
        np.save(folder / "vectors.npy", VECTORS)
        return {"words": len(KNOWN)}

    file = kept(tmp_path / "glove", write) / "vectors.npy"
    vectors, found = aligned(WANTED, "glove", seed=0)
    assert found.tolist() == FOUND and np.array_equal(vectors[found], EXPECTED)
    flipped = bytearray(file.read_bytes())
    flipped[-1] ^= 1
    file.write_bytes(flipped)
    with pytest.raises(DataError, match=r"are damaged\. Fetch them again with: umpteen get glove"):
        aligned(WANTED, "glove", seed=0)


@pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is not installed")
def test_wordllama_knows_what_words_mean() -> None:
    words = ["database", "databases", "db", "cat", "berlin", "germany", "musik", "musiker", "你", "qwxzqj"]
    vectors, found = aligned(words, "wordllama", seed=0)
    assert vectors.shape == (len(words), 256) and vectors.dtype == np.float32 and found.all()
    assert "wordllama" not in sys.modules  # its files are read, its code is not run
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    nearest = (unit @ unit.T - 2 * np.eye(len(words))).argmax(1)
    assert [words[nearest[n]] for n in (0, 4, 6)] == ["databases", "germany", "musiker"]


def test_vectors_of_few_of_the_words_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("cat 1 2\ndog 3 4\n")
    with pytest.warns(UmpteenWarning, match="Only 1 of 3 words have a vector in .*v.txt"):
        aligned(["cat", "katze", "hund"], str(tmp_path / "v.txt"), seed=0)
