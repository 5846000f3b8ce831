import numpy as np
import pytest

from umpteen.core.errors import DataError
from umpteen.data.read import read

HEAD = """% made by hand
@RELATION 'toy: -C 2'
@Attribute 'Sci-Fi' {0,1}
@attribute "it\\'s" {0, 1}

@attribute a numeric
@attribute 'b c' {0,1}
@attribute d REAL
@DATA
% rows
"""
MULAN = """<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">
<label name="top"><label name="low"/></label></labels>"""


@pytest.fixture
def put(tmp_path):
    def write(text, name="toy.arff"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def content(corpus):
    return [(d.labels, dict(zip(d.features[0].tolist(), d.features[1].tolist(), strict=True))) for d in corpus]


@pytest.mark.parametrize(
    "rows",
    [
        "{0 1,2 0.5,4 3}\n{1 1,3 1}\n{}\n",
        "{0 1, 2 0.5, 4 3}\n\n{ 1 1 , 3 1 }\n% comment\n{}",
        "1,0,0.5,0,3\n0, 1, 0, 1, 0\n0,0,0,0,0\n",
        "1,0,0.5,'0',3\r\n{1 1,3 1}\r\n{}\r\n",
        "{4 3,2 0.5,0 1}\n{3 '1',1 1}\n{}\n",
    ],
)
def test_rows_in_every_style(put, rows):
    corpus = read(put(HEAD + rows))
    assert content(corpus) == [(("Sci-Fi",), {0: 0.5, 2: 3.0}), (("it's",), {1: 1.0}), ((), {})]
    assert corpus.space.keys == ["Sci-Fi", "it's"]
    assert corpus.feature_names == ["a", "b c", "d"]
    assert corpus.width == 3


def test_labels_last(put):
    corpus = read(put("@relation x-C -1\n@attribute a numeric\n@attribute y {0,1}\n@data\n2,1\n{0 3}\n", "x.txt"))
    assert content(corpus) == [(("y",), {0: 2.0}), ((), {0: 3.0})]


def test_mulan(put):
    kinds = {"a": "numeric", "low": "{0,1}", "b": "numeric", "top": "{0,1}"}
    attributes = "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items())
    text = f"@relation toy\n{attributes}@data\n2,1,0,1\n"
    with pytest.raises(DataError, match="expected `-C n`"):
        read(put(text))
    put(MULAN, "toy.xml")
    corpus = read(put(text))
    assert content(corpus) == [(("low", "top"), {0: 2.0})]
    assert corpus.space.parents(0) == ("top",)
    put(MULAN.replace("low", "lwo"), "toy.xml")
    with pytest.raises(DataError, match="Did you mean 'low'"):
        read(put(text))
    put("<labels", "toy.xml")
    with pytest.raises(DataError, match=r"toy.xml: Expected XML"):
        read(put(text))


def test_text(put):
    head = "@relation 'x: -C 1'\n@attribute 'a b' {0,1}\n@attribute t string\n@attribute n numeric\n@data\n"
    corpus = read(put(head + "1,'it\\'s, 5\\% \\n {well}',2\n{1 \"so, what\"}\n{0 1}\n"))
    assert corpus.is_text
    assert [(d.text, d.labels) for d in corpus] == [("it's, 5% \n {well}", ("a b",)), ("so, what", ()), ("", ("a b",))]
    assert next(iter(corpus)).metadata == {"n": 2.0}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{0 1,2 0.5", "Expected } at the end"),
        ("{0 1,5 1}", "Expected columns from 0 to 4, got 5"),
        ("{0 1,0 1}", "each column once, got 0 twice"),
        ("{0 1,-2 1}", "Expected `column value`"),
        ("{0 2}", "Expected 0 or 1 for label 'Sci-Fi', got 2"),
        ("{2 x}", "finite number as value of a, got 'x'"),
        ("{2 nan}", "got 'nan'"),
        ("1,0,?,0,3", "value of a, got '?'".replace("?", "\\?")),
        ("1,0,inf,0,3", "got 'inf'"),
        ("1,0,3", "Expected 5 values, got 3"),
        ("0 1,2 1", "Expected 5 values, or a sparse row in braces, got neither"),
        ("hello", "Expected 5 values, .* got 'hello'"),
        ("0:1 2:3", "Expected"),
    ],
)
def test_bad_rows(put, row, words):
    file = put(HEAD + f"{{0 1}}\n{row}\n{{1 1}}\n")
    with pytest.raises(DataError, match=f"toy.arff line 12: .*{words}"):
        list(read(file))
    corpus = read(file, skip_bad=True)
    assert [d.labels for d in corpus] == [("Sci-Fi",), ("it's",)]
    assert corpus.bad.count == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@relation x\n@attribute a {red,green}\n@data\n", "line 2: Expected attribute 'a' as numeric"),
        ("@relation x\n@attribute a date\n@data\n", "line 2"),
        ("@relation x\n@attribute\n@data\n", "line 2: Expected @attribute name type"),
        ("@relation x\n@attribute a numeric\n", "Expected a line @data"),
        ("@relation x\nnonsense\n", "line 2: Expected @relation"),
        ("@relation '-C 3'\n@attribute a numeric\n@data\n", "at most 1 labels"),
        ("@relation '-C 0'\n@attribute a string\n@attribute b string\n@data\n", "at most one string"),
        ("@relation '-C 2'\n@attribute a {0,1}\n@attribute a {0,1}\n@data\n", "twice"),
    ],
)
def test_bad_heads(put, text, words):
    with pytest.raises(DataError, match=words):
        read(put(text))


def test_first_value_is_the_default_of_sparse_rows(put):
    head = "@relation '-C 1'\n@attribute y {1,0}\n@attribute a numeric\n@data\n"
    assert content(read(put(head + "1,2\n0,3\n"))) == [(("y",), {0: 2.0}), ((), {0: 3.0})]
    with pytest.raises(DataError, match=r"line 5: Expected \{0,1\} for attribute 'y'"):
        list(read(put(head + "{1 2}\n")))


def test_dense_rows_agree_with_sparse_ones(put):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((50, 8)) * (rng.random((50, 8)) < 0.4)
    rows[:, :3] = rows[:, :3] != 0
    head = "@relation '-C 3'\n" + "".join(f"@attribute x{n} numeric\n" for n in range(8)) + "@data\n"
    dense = "".join(",".join(map(str, row.tolist())) + "\n" for row in rows)
    sparse = "".join("{" + ",".join(f"{i} {row[i].item()}" for i in np.flatnonzero(row)) + "}\n" for row in rows)
    assert content(read(put(head + dense, "a.arff"))) == content(read(put(head + sparse, "b.arff")))
