import gzip
import json
import tracemalloc
from itertools import islice

import numpy as np
import pytest

from umpteen.core.errors import DataError
from umpteen.data.formats import format_named
from umpteen.data.read import detected, format_names, read

CONTENTS = {
    "jsonl": ("a.txt", '{"text": "cats purr", "labels": ["x"], "lang": "en"}\n'),
    "annif_jsonl": ("a.txt", '{"document_id": "1", "text": "cats purr", "subjects": [{"uri": "http://x"}]}\n'),
    "annif_tsv": ("a.txt", "cats purr\t<http://x> <http://y>\ndogs bark\t<http://x>\n"),
    "annif_csv": ("a.txt", 'text,subject_uris\n"cats, purr",<http://x>\n'),
    "libmultilabel": ("a.txt", "x y\tcats purr all day\nx\tdogs bark all day\n"),
    "fasttext": ("a.txt", "__label__x __label__y cats purr\n"),
    "xc_raw": ("a.txt", '{"uid": "1", "title": "cats", "content": "they purr", "target_ind": [0]}\n'),
    "xc": ("a.txt", "1 5 3\n0,1 2:1\n"),
    "libsvm": ("a.txt", "1,3 1:1 4:0.5\n 2:1\n"),
    "arff": ("a.txt", "% hi\n@relation 'x: -C 1'\n@attribute a {0,1}\n@data\n1\n"),
    "paired": ("train_texts.txt", "cats purr\n"),
    "xc_split": ("trn_X_Xf.txt", "1 5\n1:1\n"),
}


@pytest.fixture
def put(tmp_path):
    def write(text, name="a.txt"):
        raw = text.encode() if isinstance(text, str) else text
        (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return tmp_path / name

    return write


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("name", CONTENTS)
def test_formats_are_told_apart(put, name, ending):
    file, text = CONTENTS[name]
    put("x\n", "train_labels.txt")
    put("1 3\n0:1\n", "trn_X_Y.txt")
    assert detected(put(text, file + ending)).name == name


def test_every_format_is_found_and_says_what_it_is():
    assert set(format_names()) == {*CONTENTS, "annif_dir"}
    for name in format_names():
        assert format_named(name).name == name
        assert len(format_named(name).meaning) > 20


def test_texts_behind_or_before_labels(put):
    """Without brackets the longer column is the text."""
    assert detected(put("a long text here\tx y\nanother long text\tx\n")).name == "annif_tsv"
    assert detected(put("x y\ta long text here\nx\tanother long text\n")).name == "libmultilabel"
    assert detected(put("short\thttp://example.org/one http://example.org/two\n")).name == "annif_tsv"


def test_what_cannot_be_told(put, tmp_path):
    with pytest.raises(DataError, match=r"not clear .*--format: annif_csv, .*xc_split"):
        read(put("just some words\n"))
    with pytest.raises(DataError, match=r"There is no format 'jsnl'. Did you mean 'jsonl'"):
        read(put("x"), format="jsnl")
    with pytest.raises(DataError, match="empty"):
        read(put(""))
    with pytest.raises(DataError, match="empty"):
        read(put("", "b.gz"), format="jsonl")
    with pytest.raises(DataError, match=r"no file .*c.txt"):
        read(tmp_path / "c.txt")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="The format of this folder is not clear"):
        read(tmp_path / "folder")
    with pytest.raises(DataError, match="folder"):
        list(read(tmp_path / "folder", format="jsonl"))
    with pytest.raises(DataError, match="not clear"):
        read(put(bytes(range(256)) * 10))
    with pytest.raises(DataError, match="not clear"):
        read(put("x" * 300_000 + "\ra"))


def test_jsonl(put):
    lines = ['{"id": 7, "text": "a\\nb", "labels": [1, "x y"], "lang": "de"}', "", '{"text": "é"}']
    corpus = read(put("\ufeff" + "\r\n".join(lines)))
    first, second = corpus
    assert (first.id, first.text, first.labels, first.metadata) == ("7", "a\nb", ("1", "x y"), {"lang": "de"})
    assert (second.id, second.text, second.labels) == ("", "é", ())
    assert corpus.is_text
    assert corpus.size is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "Expected a JSON object"),
        ("[1]", "Expected a JSON object"),
        ("[" * 100_000, "Expected a JSON object"),
        ('{"labels": []}', "Expected 'text'"),
        ('{"text": 5}', "Expected text as 'text', got '5'"),
        ('{"text": "a", "labels": "x"}', "Expected a list as 'labels', got 'x'"),
        ('{"text": "a", "labels": [{}]}', "Expected text as label"),
        ('{"text": "\\ud800"}', "surrogate"),
        (b'{"text": "\xff"}', "Expected UTF-8, got byte 0xff at place 11"),
    ],
)
def test_bad_json_lines(put, line, words):
    raw = line if isinstance(line, bytes) else line.encode()
    file = put(b'{"text": "good", "labels": []}\n\n' + raw + b'\n{"text": "\\ud83d\\ude00"}')
    with pytest.raises(DataError, match=f"a.txt line 3: .*{words}"):
        list(read(file))
    corpus = read(file, skip_bad=True)
    view = corpus.where(lambda document: True)
    for _ in range(2):
        assert [d.text for d in view] == ["good", "\U0001f600"]
        assert view.bad.count == 1
        assert len(view.bad.first) == 1


def test_bad_lines_are_counted_but_few_are_kept(put):
    corpus = read(put('{"text": "good"}\n' + "bad\n" * 100), skip_bad=True)
    assert sum(1 for _ in corpus) == 1
    assert corpus.bad.count == 100
    assert len(corpus.bad.first) == 5
    assert next(corpus.batches(10)).bad is corpus.bad


def test_annif_csv(put):
    text = 'document_id,text,subject_uris,lang\n1,"a\r\n""b"", c",<http://x> <http://y>,en\n2,plain,,\n'
    first, second = read(put(text))
    assert (first.id, first.text, first.labels) == ("1", 'a\r\n"b", c', ("http://x", "http://y"))
    assert first.metadata == {"lang": "en"}
    assert (second.labels, second.metadata) == ((), {})
    (only,) = read(put("text,labels\nhello,x <y z>\n"))
    assert only.labels == ("x", "y z")


def test_bad_csv(put):
    file = put(b'text,labels\n"a\nb",x\none\nc\xff,x\n"d"e,x\nf,x\n')
    with pytest.raises(DataError, match=r"a.txt line 4: Expected 2 fields \(text, labels\), got 1"):
        list(read(file))
    corpus = read(file, skip_bad=True)
    assert [d.text for d in corpus] == ["a\nb", "f"]
    assert [problem.partition("a.txt ")[2][:7] for problem in corpus.bad.first] == ["line 4:", "line 5:", "line 6:"]
    with pytest.raises(DataError, match="line 3: Expected quoted CSV"):
        list(read(put('text,labels\na,x\n"b,x\nc,x\n')))
    with pytest.raises(DataError, match="line 1: Expected a header"):
        read(put("a,b\n"), format="annif_csv")


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("annif_tsv", "no tab", "Expected text, a tab and labels"),
        ("libmultilabel", "a\tb\tc\td", "got 3 tabs"),
        ("annif_jsonl", '{"text": "a", "subjects": ["x"]}', "Expected subjects with a uri or a label"),
        ("annif_jsonl", '{"text": "a", "metadata": 5}', "Expected an object as 'metadata'"),
        ("xc_raw", '{"title": "a", "target_ind": ["x"]}', "Expected label numbers from 0 in target_ind, got 'x'"),
        ("xc_raw", '{"title": "a", "target_ind": [-1]}', "got '-1'"),
        ("xc_raw", '{"text": "a"}', "Expected 'title' or 'content', got a record with 'text'"),
        ("xc_raw", '{"title": "a", "target_ind": [9]}', "Expected labels from 0 to 1, .* got 9"),
        ("xc_raw", '{"title": "a", "target_ind": [0], "target_rel": [1, 1]}', "for each of 1 labels, got 2"),
    ],
)
def test_bad_lines(put, name, line, words):
    put('{"uid": "a", "title": "A"}\n{"uid": "b", "title": "B"}\n', "lbl.json.gz")
    with pytest.raises(DataError, match=f"a.txt line 1: .*{words}"):
        list(read(put(f"{line}\n"), format=name))


def test_xc_raw(put):
    lines = [
        {"uid": "1", "title": "Cats", "content": "They purr.", "target_ind": [1, 0], "target_rel": [1.0, 0.5]},
        {"uid": "2", "title": "Dogs", "content": "", "target_ind": [], "extra": 1},
    ]
    file = put("".join(json.dumps(line) + "\n" for line in lines), "trn.json.gz")
    first, second = read(file)
    assert (first.text, first.labels, first.id) == ("Cats\nThey purr.", ("1", "0"), "1")
    assert first.metadata == {"title": "Cats", "target_rel": [1.0, 0.5]}
    assert (second.text, second.metadata) == ("Dogs", {"extra": 1, "title": "Dogs"})
    put('{"uid": "B1", "title": "Small"}\n{"uid": "B2", "title": "Furry"}\n', "lbl.json.gz")
    corpus = read(file)
    assert next(iter(corpus)).labels == ("B2", "B1")
    assert [corpus.space.name(n) for n in range(2)] == ["Small", "Furry"]


def test_annif_folder(put, tmp_path):
    put("cats\n", "b.txt")
    put("furry animal\n\n purring \n", "b.key")
    put("dogs", "a.txt")
    put("<http://x>\tdog\n", "a.tsv")
    put("alone", "c.txt")
    put('{"text": "json", "subjects": [{"label": "j"}], "metadata": {"k": 1}}', "d.json")
    found = [(d.id, d.text, d.labels) for d in read(tmp_path)]
    assert found == [
        ("a", "dogs", ("http://x",)),
        ("b", "cats\n", ("furry animal", "purring")),
        ("c", "alone", ()),
        ("d", "json", ("j",)),
    ]
    put("x", "a.tsv")
    with pytest.raises(DataError, match=r"a.tsv line 1: Expected <uri>"):
        list(read(tmp_path))
    put(b"\xff", "c.txt")
    corpus = read(tmp_path, skip_bad=True)
    assert [d.id for d in corpus] == ["b", "d"]
    assert corpus.bad.count == 2


def test_paired_files(put, tmp_path):
    put("cats purr\n\n", "train_raw_texts.txt")
    put("x y\nz\n", "train_labels.txt")
    for name in ("train_raw_texts.txt", "train_labels.txt", "train"):
        assert [(d.text, d.labels) for d in read(tmp_path / name)] == [("cats purr", ("x", "y")), ("", ("z",))]
    put("x\n", "train_labels.txt")
    with pytest.raises(DataError, match=r"train_raw_texts.txt line 2: Expected as many lines as in train_labels.txt"):
        list(read(tmp_path / "train"))
    with pytest.raises(DataError, match="Expected two files"):
        read(put("a\n", "test_texts.txt"), format="paired")


def test_fasttext(put):
    corpus = read(put("__label__x\t__label__y-z cats __label__no\n\n__label__x\nplain\n"))
    assert [(d.text, d.labels) for d in corpus] == [("cats __label__no", ("x", "y-z")), ("", ("x",)), ("plain", ())]


def test_cut_off_file_is_an_error_even_when_skipping(tmp_path):
    text = "".join(json.dumps({"text": f"{n} {np.pi**n}", "labels": []}) + "\n" for n in range(500))
    (tmp_path / "a.gz").write_bytes(gzip.compress(text.encode())[:-300])
    for skip in (False, True):
        with pytest.raises(DataError, match="cut off or damaged"):
            list(read(tmp_path / "a.gz", skip_bad=skip))


def test_memory_does_not_grow(put):
    line = json.dumps({"text": "word " * 200, "labels": ["x"]}) + "\n"
    peaks = []
    for file in (put(line * 1000, "a.gz"), put(line * 10_000, "b.gz")):
        tracemalloc.start()
        assert sum(1 for _ in read(file)) >= 1000
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5 + 2**20


SIZES = [
    (("bibtex", "train.txt.gz"), 4_880, 159, 1_836),
    (("bibtex", "test.txt.gz"), 2_515, 159, 1_836),
    (("delicious", "train.txt.gz"), 12_920, 983, 500),
    (("delicious", "test.txt.gz"), 3_185, 983, 500),
    (("imdb", "Imdb.arff.bz2"), 120_919, 28, 1_001),
    (("movies", "train.jsonl.gz"), 18_646, 41, None),
    (("movies", "test.jsonl.gz"), 4_662, 41, None),
    (("debtags", "train.jsonl.gz"), 24_663, 596, None),
    (("debtags", "test.jsonl.gz"), 3_083, 509, None),
    (("tate", "train.jsonl.gz"), 47_040, 14_590, None),
    (("tate", "test.jsonl.gz"), 5_880, 4_855, None),
    (("tibkat", "train.jsonl.gz"), 90_452, 35_116, None),
    (("tibkat", "dev.jsonl.gz"), 19_949, 17_261, None),
]


@pytest.mark.parametrize(("parts", "documents", "labels", "width"), SIZES)
def test_real_sizes(real, parts, documents, labels, width):
    corpus = read(real(*parts))
    seen, found = 0, set()
    for document in corpus:
        seen += 1
        found.update(document.labels)
    assert (seen, corpus.width) == (documents, width)
    assert (len(corpus.space) if corpus.space is not None else len(found)) == labels
    if width is not None:
        assert len(corpus.feature_names) == width
        assert all(len(d.features[0]) for d in islice(corpus, 20))
