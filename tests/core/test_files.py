import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from umpteen.core import files
from umpteen.core.errors import DataError
from umpteen.core.files import Staging, blocks, lines, raw_lines

PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, "": bytes}


@pytest.mark.parametrize("ending", PACKED)
def test_compression_is_told_by_content(tmp_path, ending):
    file = tmp_path / "no_ending"
    file.write_bytes(PACKED[ending](b"\xef\xbb\xbfone\r\ntwo\n\nfour"))
    assert list(lines(file)) == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("spoil", [lambda b: b[: len(b) // 2], lambda b: b[:20] + b"\x00\xff" * 20 + b[60:]])
def test_damaged_compression(tmp_path, ending, spoil):
    file = tmp_path / f"a{ending}"
    file.write_bytes(spoil(PACKED[ending](bytes(range(256)) * 50)))
    with pytest.raises(DataError, match=str(file)):
        list(raw_lines(file))


def test_what_cannot_be_opened(tmp_path):
    (tmp_path / "train.txt").write_text("a")
    with pytest.raises(DataError, match=r"no file .*trian.txt. Did you mean 'train.txt'"):
        list(raw_lines(tmp_path / "trian.txt"))
    with pytest.raises(DataError, match="folder"):
        list(raw_lines(tmp_path))


def test_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LINE_LIMIT", 100)
    monkeypatch.setattr(files, "CHUNK", 16)
    file = tmp_path / "a"
    file.write_bytes(b"short\n" + b"x" * 1000)
    for stream in (raw_lines(file), blocks(file)):
        with pytest.raises(DataError, match="line 2: Expected a line of at most"):
            list(stream)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_blocks_hold_whole_lines(tmp_path, monkeypatch, size):
    monkeypatch.setattr(files, "CHUNK", size)
    file = tmp_path / "a"
    text = b"head\n" + b"".join(b"x" * n + b"\n" for n in range(12)) + b"end"
    file.write_bytes(text)
    found = list(blocks(file, after=1))
    assert b"".join(block for _, block in found) == text[5:]
    assert all(block.endswith(b"\n") for _, block in found[:-1])
    for number, block in found:
        assert text.split(b"\n")[number - 1] == block.split(b"\n")[0]


@pytest.mark.parametrize("ending", PACKED)
def test_written_file_appears_when_complete(tmp_path, ending):
    file = tmp_path / f"out.txt{ending}"
    file.write_bytes(b"old")
    with Staging() as staging:
        staging.open(file).write(b"new\n")
        assert file.read_bytes() == b"old"
    assert list(raw_lines(file)) == [b"new"]
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_failure_leaves_all_as_it_was(tmp_path):
    file = tmp_path / "out.txt"
    file.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), Staging() as staging:
        staging.open(file).write(b"new\n")
        (staging.folder(tmp_path / "folder") / "a").write_text("a")
        raise KeyboardInterrupt
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_folder_is_never_written_over(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine").write_text("precious")
    with pytest.raises(DataError, match="exists already"), Staging() as staging:
        staging.folder(tmp_path / "a")
    with Staging() as staging:
        (staging.folder(tmp_path / "b") / "x").write_text("x")
    assert (tmp_path / "b" / "x").read_text() == "x"


def test_no_place_to_write(tmp_path):
    with pytest.raises(DataError, match="no folder"), Staging() as staging:
        staging.open(tmp_path / "none" / "a")
    with pytest.raises(DataError, match="cannot be written"), Staging():
        raise OSError(28, "No space left on device")


def test_same_content_same_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        with Staging() as staging:
            staging.open(tmp_path / name).write(b"x" * 1000)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_path_is_a_path(tmp_path):
    assert files.plain_name(Path("a/train.txt.GZ")) == "train.txt"
    assert files.existing(tmp_path / "none") is None
