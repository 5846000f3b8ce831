"""Input made to fill memory, to hang, or to lead astray: each piece gets its sentence, quickly and in little memory."""

import bz2
import gzip
import io
import json
import lzma
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from umpteen import load
from umpteen.core import files
from umpteen.core.errors import DataError, FolderError, SettingError, UmpteenError
from umpteen.core.settings import Settings
from umpteen.core.store import Folder, new_folder
from umpteen.data.read import read
from umpteen.labels.files import read_labels
from umpteen.models import entries, model

MIB = 2**20
PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def limited(code: str, *arguments: object, memory: int = 1500 * MIB) -> subprocess.CompletedProcess[str]:
    """Code in a process that has only so much memory for data."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, preexec_fn=limit)


@pytest.mark.parametrize("packing", PACKERS)
def test_decompression_bombs(packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PLENTY", 8 * MIB)
    layer = PACKERS[packing](b"\n" * (4 * MIB))
    bomb = tmp_path / f"bomb.{packing}"
    bomb.write_bytes(layer * 20)  # streams behind each other are one file
    with pytest.raises(DataError, match="unpacks to over 200 times its size"):
        for _ in files.blocks(bomb):
            pass
    with pytest.raises(DataError, match="unpacks to over 200 times its size"), files.opened(bomb) as stream:
        while stream.read(MIB):
            pass


def test_files_that_pack_well_are_no_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PLENTY", 1000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a line\n" * 500))
    assert sum(1 for _ in files.raw_lines(tmp_path / "a.gz")) == 500


def test_a_line_of_a_gigabyte(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    with file.open("wb") as stream:
        stream.write(b'{"text": "')
        stream.truncate(2**30)  # a hole in the file: zeros that take no room
    code = "import sys; from umpteen.data.read import read; print(sum(1 for _ in read(sys.argv[1], format='jsonl')))"
    done = limited(code, file)
    assert "Expected a line of at most 256 MiB, got a longer one" in done.stderr


def test_a_text_file_of_a_gigabyte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from umpteen.app.documents import documents_of

    monkeypatch.setattr(files, "LINE_LIMIT", 1000)
    (tmp_path / "a.txt").write_text("words and more words\n" * 100)
    with pytest.raises(DataError, match="Expected a document of at most"):
        documents_of(str(tmp_path / "a.txt"), None, lines=False, format=None, base=None, skip_bad=False)


def test_a_pipe_that_never_ends_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from umpteen.app.documents import documents_of

    monkeypatch.setattr(files, "LINE_LIMIT", 1000)
    for lines, start in ((True, b""), (False, b"{"), (False, b"plain\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(start + b"x" * 5000)))
        with pytest.raises(DataError, match="at most"):
            [*documents_of("-", None, lines=lines, format=None, base=None, skip_bad=False)]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.txt", "2 5 1000000000000\n0 0:1\n", "header of whole numbers"),
        ("a.txt", "2 5 1000000000\n0 0:1\n", "does not bear out"),
        ("a.txt", "1000000000000000 5 3\n0 0:1\n", "does not bear out"),
        ("a.txt", "1 5 3\n0 1:nan\n", "finite number"),
        ("a.txt", "1 5 3\n0 1:-inf\n", "finite number"),
        ("a.txt", "1 5 3\n0 1:1e60\n", "finite number"),
        ("a.txt", "1 5 3\n0 -1:1\n", "features from 0 to 4"),
        ("a.txt", "1 5 3\n0 5:1\n", "features from 0 to 4"),
        ("a.txt", "1 5 3\n0 1:1 1:2\n", "each feature once"),
        ("a.txt", "1 5 3\n0,0 1:1\n", "each label once"),
        ("a.txt", "1 5 3\n3 1:1\n", "labels from 0 to 2"),
        ("a.txt", "1 5 3\n-1 1:1\n", "labels numbered from 0"),
        ("a.jsonl", '{"text": "\\ud800", "labels": ["a"]}\n', "half of a surrogate pair"),
        ("a.jsonl", '{"text": "t", "labels": ' + "[" * 100_000 + "\n", "JSON object"),
        ("a.jsonl", '{"text": "t", "labels": [' + "9" * 5000 + "]}\n", "JSON object"),
    ],
)
def test_numbers_and_letters_out_of_bounds(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=problem):
        [*read(tmp_path / name, format="xc" if name.endswith("txt") else "jsonl")]


def test_letters_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "\xff\xfe", "labels": []}\n')
    with pytest.raises(DataError, match="Expected UTF-8, got byte 0xff"):
        [*read(tmp_path / "a.jsonl", format="jsonl")]


def test_entities_that_grow_without_end(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    head = f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}<!ENTITY own SYSTEM "file:///etc/hostname">]>'
    (tmp_path / "a.xml").write_text(f'<?xml version="1.0"?>{head}<labels><label name="&a11;"/></labels>')
    (tmp_path / "a.arff").write_text("@relation r\n@attribute x numeric\n@data\n1\n")
    with pytest.raises(DataError):
        read(tmp_path / "a.arff")
    rdf = 'xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://www.w3.org/2004/02/skos/core#"'
    for entity in ("a11", "own"):
        concept = f'<s:Concept r:about="u"><s:prefLabel>&{entity};</s:prefLabel></s:Concept>'
        (tmp_path / "a.rdf").write_text(f'<?xml version="1.0"?>{head}<r:RDF {rdf}>{concept}</r:RDF>')
        try:
            names = [label.name for label in read_labels(tmp_path / "a.rdf").values()]
        except UmpteenError:
            continue
        assert all(Path("/etc/hostname").read_text().strip() not in name for name in names if name)


# Settings -----------------------------------------------------------------------------------------------------------

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.integers() | st.text(max_size=5)),
)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.sampled_from(sorted(entries())), st.data())
def test_settings_take_what_fits_and_refuse_the_rest(name: str, data: st.DataObject) -> None:
    kind: type[Settings] = model(name).Params
    rows = kind.rows()
    chosen = data.draw(st.dictionaries(st.sampled_from([row.name for row in rows]) | st.text(max_size=5), VALUES))
    try:
        made = kind.made(chosen, owner=name)
    except SettingError as error:
        assert len(str(error)) < 5000
        return
    for item in chosen:
        value = getattr(made, item)
        assert not isinstance(value, float) or np.isfinite(value)


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e999", "9" * 5000, "1" + "0" * 40, str(10**20)])
def test_settings_beyond_all_bounds(value: str) -> None:
    for name in ("seed", "jobs", "cost", "beam", "eps"):
        with pytest.raises(SettingError, match=name):
            model("plt").Params.made({name: value}, owner="plt")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000, "seeds = " + "9" * 5000, "a = 0x" + "f" * 5000, "\x00", "a = nan"]
)
def test_toml_that_breaks_its_reader(text: str, tmp_path: Path) -> None:
    from umpteen.app.config import Config, read_config
    from umpteen.study.reading import read_study

    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(SettingError):
        read_config(tmp_path / "a.toml", onto=Config())
    with pytest.raises(SettingError):
        read_study(tmp_path / "a.toml")


# Model folders ------------------------------------------------------------------------------------------------------


def test_arrays_of_promises(tmp_path: Path) -> None:
    with new_folder(tmp_path / "m") as folder:
        for name, shape in (("vast", "(1000000000000,)"), ("odd", "(-1,)"), ("none", "(0, 100000000000000000000)")):
            head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
            (folder.path / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + head.encode())
        np.save(folder.path / "words.npy", np.array(["a", "b"]))
        np.save(folder.path / "other.npy", np.arange(4, dtype=">i4"))
        np.save(folder.path / "turned.npy", np.asfortranarray(np.ones((3, 4))))
    saved = Folder(tmp_path / "m")
    for name in ("vast", "odd", "none", "words", "other", "turned"):
        with pytest.raises(FolderError, match=r"not an array|Expected plain numbers"):
            saved.array(name)


def test_folders_inside_that_lead_out(tmp_path: Path) -> None:
    for name in ("..", "../x", "/", "a/b", ""):
        with new_folder(tmp_path / "x") as folder:
            folder.facts["folders"] = {name: {"bytes": 1, "crc32": 0}}
        with pytest.raises(FolderError, match="missing or not what was saved"):
            Folder(tmp_path / "x")


def test_facts_of_other_kinds(tmp_path: Path) -> None:
    from toy import toy

    model("popular")().fit(*toy(20)).save(tmp_path / "m")
    known = json.loads((tmp_path / "m" / "model.json").read_text())
    del known["crc32"]
    for change in (
        {"settings": None},
        {"settings": {"sed": 1}},
        {"model": ["a"]},
        {"documents": "x" * 9},
        {"settings": 3},
    ):
        (tmp_path / "m" / "model.json").write_text(json.dumps(known | change))
        try:
            load(tmp_path / "m").rank(["bread"])
        except UmpteenError as error:
            assert str(tmp_path) in str(error)
