import gzip

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError
from umpteen.core.space import Label, LabelSpace
from umpteen.data.convert import convert
from umpteen.data.read import read

TEXTS = {
    "jsonl": "a.jsonl",
    "annif_jsonl": "a.txt",
    "annif_csv": "a.csv",
    "annif_tsv": "a.tsv",
    "annif_dir": "folder",
    "libmultilabel": "a.txt",
    "fasttext": "a.ft",
    "paired": "a_texts.txt",
    "xc_raw": "trn.json",
    "arff": "a.arff",
}
FEATURES = {"xc": "a.xc", "xc_split": "trn_X_Xf.txt", "libsvm": "a.svm", "arff": "a.arff"}
WITH_BREAKS = ("jsonl", "annif_jsonl", "annif_csv", "annif_dir", "xc_raw", "arff")
WITH_IDS = ("jsonl", "annif_jsonl", "annif_csv", "annif_dir", "xc_raw", "libmultilabel")
WITH_METADATA = ("jsonl", "annif_jsonl", "annif_csv", "annif_dir", "xc_raw")

PLAIN = [
    Document('Cats purr; dogs don\'t, "mostly" <b>.', ("animal", "http://ex.org/cat"), "d1"),
    Document("  Ein Käfer: 100% \\n 'echt' {x} \U0001f41e ", ("animal",), "d2"),
    Document("no labels here", (), "d3"),
    Document("", ("animal", "zoo-x"), "d4"),
    Document("", (), "d5"),
]
BROKEN = [Document("two\nlines\r\nand\ta tab", ("big cat",), "d1"), Document("one, 'two'", ("x",), "d2")]


def contents(corpus, *, ids=False, metadata=False):
    def one(d):
        active = None if d.features is None else (d.features[0].tolist(), d.features[1].tolist())
        return (d.text, d.labels, active, d.id if ids else "", dict(d.metadata) if metadata else {})

    return [one(d) for d in corpus]


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", TEXTS)
def test_text_comes_back(tmp_path, name, ending):
    ending = "" if name == "annif_dir" else ending
    path = tmp_path / f"{TEXTS[name]}{ending}"
    summary = convert(Corpus(PLAIN), path, format=name)
    assert summary.documents == 5
    assert summary.dropped == ({} if name in WITH_IDS else {"ids": 5})
    assert not summary.changed
    back = read(path, format=name)
    assert contents(back, ids=name in WITH_IDS) == contents(PLAIN, ids=name in WITH_IDS)


@pytest.mark.parametrize("second", TEXTS)
@pytest.mark.parametrize("first", TEXTS)
def test_text_goes_between_all_formats(tmp_path, first, second):
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    path, again = tmp_path / "1" / TEXTS[first], tmp_path / "2" / TEXTS[second]
    convert(Corpus(PLAIN), path, format=first)
    convert(read(path, format=first), again, format=second)
    ids = first in WITH_IDS and second in WITH_IDS
    assert contents(read(again, format=second), ids=ids) == contents(PLAIN, ids=ids)


@pytest.mark.parametrize("name", WITH_BREAKS)
def test_line_breaks_and_spaces_in_labels_come_back(tmp_path, name):
    path = tmp_path / TEXTS[name]
    assert not convert(Corpus(BROKEN), path, format=name).changed
    assert contents(read(path, format=name)) == contents(BROKEN)


@pytest.mark.parametrize("name", ["annif_tsv", "libmultilabel", "fasttext", "paired"])
def test_line_breaks_become_spaces_where_there_is_no_way(tmp_path, name):
    path = tmp_path / TEXTS[name]
    summary = convert(Corpus([Document("a\r\nb\nc", ("x",)), Document("d", ("x",))]), path, format=name)
    assert list(summary.changed.values()) == [1]
    assert "became spaces (1)" in str(summary)
    assert contents(read(path, format=name)) == contents([Document("a b c", ("x",)), Document("d", ("x",))])


@pytest.mark.parametrize("name", WITH_METADATA)
def test_metadata_comes_back(tmp_path, name):
    documents = [
        Document("Cats\nThey purr.", ("a",), "1", metadata={"title": "Cats", "lang": "en"}),
        Document("Other\nstory", ("b",), "../2", metadata={"lang": "de"}),
        Document("Third", (), "3"),
        Document("Again", (), "3"),
    ]
    path = tmp_path / TEXTS[name]
    summary = convert(Corpus(documents), path, format=name)
    assert not summary.dropped
    found = contents(read(path, format=name), ids=True, metadata=True)
    assert sorted(found, key=str) == sorted(contents(documents, ids=True, metadata=True), key=str)


def test_what_has_no_place_is_counted(tmp_path):
    documents = [
        Document("a", ("x",), "1", metadata={"lang": "en"}),
        Document("b", ("x",), metadata={"id": 5, "n": [1]}),
    ]
    summary = convert(Corpus(documents), tmp_path / "a.ft")
    assert summary.dropped == {"ids": 1, "metadata 'lang'": 1, "metadata 'id'": 1, "metadata 'n'": 1}
    assert "metadata 'lang' (1)" in str(summary)
    assert convert(Corpus(documents), tmp_path / "a.jsonl").dropped == {"metadata 'id'": 1}
    assert sum(convert(Corpus(documents), tmp_path / "a.csv").changed.values()) == 2
    space = LabelSpace(["x"], labels={"x": Label("x", "The X")})
    assert convert(Corpus(documents, space=space), tmp_path / "b.ft").dropped["label names"] == 1


@pytest.mark.parametrize(
    ("name", "document", "words"),
    [
        ("libmultilabel", Document("a", ("big cat",), "7"), r"Document 2 \('7'\) has the label 'big cat'.*jsonl"),
        ("fasttext", Document("a", ("big cat",)), "Document 2 has the label 'big cat'"),
        ("paired", Document("a", ("",)), "has the label ''"),
        ("fasttext", Document("__label__x", ()), "begins with __label__"),
        ("annif_tsv", Document("a", ("a>b",)), "cannot stand between"),
        ("jsonl", Document("\ud800", ()), "surrogate"),
        ("jsonl", Document("a", (), metadata={"x": object()}), "JSON cannot hold"),
        ("xc_raw", Document("a", ("x",), metadata={"target_rel": [1, 2]}), "has 1 labels, but as target_rel"),
    ],
)
def test_what_cannot_be_held(tmp_path, name, document, words):
    path = tmp_path / TEXTS[name]
    path.write_text("old")
    with pytest.raises(DataError, match=words):
        convert(Corpus([Document("fine", ("x",)), document]), path, format=name)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_wrong_kind(tmp_path):
    features = Corpus.from_matrix(sparse.csr_array(np.eye(2)))
    with pytest.raises(
        DataError, match=r"document 1 holds ready features, but jsonl takes text. .*arff, libsvm, xc, xc_split"
    ):
        convert(features, tmp_path / "a.jsonl")
    with pytest.raises(DataError, match=r"document 1 \('d1'\) holds text, but xc takes ready features. .*jsonl"):
        convert(Corpus(PLAIN), tmp_path / "a.xc")


def test_format_by_name(tmp_path):
    with pytest.raises(DataError, match=r"'a.txt' does not say which format.*--format"):
        convert(Corpus(PLAIN), tmp_path / "a.txt")
    with pytest.raises(DataError, match="Did you mean 'fasttext'"):
        convert(Corpus(PLAIN), tmp_path / "a.txt", format="fastext")
    assert convert(Corpus(PLAIN), tmp_path / "a.jsonl.gz").format == "jsonl"
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).startswith(b'{"id": "d1"')


def ready(labels, *, space=None, names=None):
    rng = np.random.default_rng(5)
    documents = []
    for given in labels:
        indices = rng.permutation(20)[: rng.integers(0, 8)].astype(np.int32)
        documents.append(
            Document(labels=given, features=(np.sort(indices), rng.standard_normal(len(indices)).astype(np.float32)))
        )
    documents[-1] = Document(labels=labels[-1], features=(np.int32([19]), np.float32([1])))
    return Corpus(lambda: iter(documents), space=space, width=20, feature_names=names)


NUMBERED = [("0", "2"), (), ("1",), ("2", "0"), ("1",)]


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("name", FEATURES)
def test_features_come_back(tmp_path, name, ending):
    corpus = ready([tuple(sorted(labels)) for labels in NUMBERED])
    path = tmp_path / f"{FEATURES[name]}{ending}"
    summary = convert(corpus, path)
    assert (summary.format, summary.documents) == (name, 5)
    back = read(path, base=1)
    assert contents(back) == contents(corpus)
    assert back.width == 20
    before = path.read_bytes()
    convert(back, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("second", FEATURES)
@pytest.mark.parametrize("first", FEATURES)
def test_features_go_between_all_formats(tmp_path, first, second):
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    corpus = ready([tuple(sorted(labels)) for labels in NUMBERED])
    convert(corpus, tmp_path / "1" / FEATURES[first], base=0)
    convert(read(tmp_path / "1" / FEATURES[first], base=0), tmp_path / "2" / FEATURES[second], base=1)
    assert contents(read(tmp_path / "2" / FEATURES[second], base=1)) == contents(corpus)


def test_label_order_stays_in_xc(tmp_path):
    corpus = ready(NUMBERED)
    convert(corpus, tmp_path / "a.xc")
    assert contents(read(tmp_path / "a.xc")) == contents(corpus)


@pytest.mark.parametrize("middle", ["xc", "xc_split"])
def test_names_travel(tmp_path, middle):
    space = LabelSpace(["Sci-Fi", "it's 5%", "c"])
    names = [f"word {n}" for n in range(20)]
    corpus = ready([("Sci-Fi",), ("it's 5%", "c"), (), ("c",)], space=space, names=names)
    convert(corpus, tmp_path / "a.arff")
    convert(read(tmp_path / "a.arff"), tmp_path / FEATURES[middle])
    numbered = read(tmp_path / FEATURES[middle])
    assert numbered.space.keys == ["0", "1", "2"]
    assert [numbered.space.name(n) for n in range(3)] == space.keys
    assert numbered.feature_names == names
    assert not convert(numbered, tmp_path / "b.arff").dropped
    back = read(tmp_path / "b.arff")
    assert contents(back) == contents(corpus)
    assert back.feature_names == names


def test_names_beside_are_never_written_over(tmp_path):
    (tmp_path / "labels.txt").write_text("mine\n")
    with pytest.raises(DataError, match=r"labels.txt holds other names"):
        convert(ready([("x",), ("y",)]), tmp_path / "a.xc")
    assert [path.name for path in tmp_path.iterdir()] == ["labels.txt"]
    (tmp_path / "labels.txt").write_text("x\ny\n")
    convert(ready([("x",), ("y",)]), tmp_path / "a.xc")
    assert [read(tmp_path / "a.xc").space.name(n) for n in range(2)] == ["x", "y"]


def test_relevance_travels(tmp_path):
    documents = [Document("a", ("x", "y"), metadata={"target_rel": [1.0, 0.25]}), Document("b", ("y",))]
    convert(Corpus(documents), tmp_path / "trn.json.gz")
    assert contents(read(tmp_path / "trn.json.gz"), metadata=True) == contents(documents, metadata=True)


@pytest.mark.parametrize(
    ("label", "words"), [("a b", "without spaces"), ("a,b", "without ,"), ("3:1", "takes for a feature")]
)
def test_labels_that_libsvm_cannot_hold(tmp_path, label, words):
    with pytest.raises(DataError, match=words):
        convert(ready([(label,)]), tmp_path / "a.svm")


def test_label_outside_the_list(tmp_path):
    with pytest.raises(DataError, match="Document 1 has the label 'z'"):
        convert(ready([("z",)], space=LabelSpace(["a"])), tmp_path / "a.xc")


def test_bad_source_leaves_nothing(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"text": "a"}\nbad\n')
    with pytest.raises(DataError, match=r"in.jsonl line 2"):
        convert(read(tmp_path / "in.jsonl"), tmp_path / "out.ft")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_file_onto_itself(tmp_path):
    file = tmp_path / "a.jsonl"
    convert(Corpus(PLAIN), file)
    convert(read(file), file)
    assert contents(read(file), ids=True) == contents(PLAIN, ids=True)


@pytest.mark.parametrize("name", ["arff", "xc_split", "libsvm"])
def test_real_features_come_back(real, tmp_path, name):
    corpus = read(real("bibtex", "test.txt.gz"))
    path = tmp_path / FEATURES[name]
    convert(corpus, path)
    convert(read(path, base=1), tmp_path / "back.xc")
    plain = gzip.decompress(real("bibtex", "test.txt.gz").read_bytes())
    assert (tmp_path / "back.xc").read_bytes().split(b"\n")[1:] == plain.split(b"\n")[1:]


@pytest.mark.parametrize("name", ["annif_jsonl", "annif_csv", "xc_raw"])
def test_real_texts_come_back(real, tmp_path, name):
    corpus = read(real("movies", "test.jsonl.gz"))
    path = tmp_path / TEXTS[name]
    convert(corpus, path, format=name)
    assert contents(read(path, format=name), ids=True) == contents(corpus, ids=True)
