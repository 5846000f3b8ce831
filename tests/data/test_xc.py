import gzip
import os
import tracemalloc

import numpy as np
import pytest

from umpteen.core.errors import DataError
from umpteen.data.pairs import careful_pairs, pair_text
from umpteen.data.read import read

SMALL = "4 6 3\n0,2 1:0.5 3:1\n 0:2\n1\n2 5:-1e-3 2:4\n"


@pytest.fixture
def put(tmp_path):
    def write(text, name="train.txt"):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path / name

    return write


def content(corpus):
    return [(d.labels, dict(zip(d.features[0].tolist(), d.features[1].tolist(), strict=True))) for d in corpus]


@pytest.mark.parametrize(
    "change", [lambda t: t, lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t + "\n\n"]
)
def test_reads(put, change):
    corpus = read(put(change(SMALL)))
    assert (corpus.size, corpus.width, len(corpus.space)) == (4, 6, 3)
    minus = float(np.float32(-1e-3))
    wanted = [(("0", "2"), {1: 0.5, 3: 1.0}), ((), {0: 2.0}), (("1",), {}), (("2",), {5: minus, 2: 4.0})]
    assert content(corpus) == content(corpus) == wanted
    assert corpus.matrix().shape == (4, 6)


def test_names_beside_are_used_where_their_number_fits(put):
    put("cat\ndog\nfish\n", "labels.txt")
    put("a\nb\n", "features.txt")
    corpus = read(put(SMALL))
    assert [corpus.space.name(n) for n in range(3)] == ["cat", "dog", "fish"]
    assert corpus.space.keys == ["0", "1", "2"]
    assert corpus.feature_names is None
    put("a\nb\nc\nd\ne\nf\n", "features.txt")
    assert read(put(SMALL)).feature_names == list("abcdef")
    put("a\nb\nc\nd\n", "labels.txt")
    assert read(put(SMALL)).space.name(0) == "0"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("x7 1:1", "Expected labels numbered from 0 to 2, .* got 'x7'"),
        ("3 1:1", "Expected labels from 0 to 2, .* got '3'"),
        ("-1 1:1", "got '-1'"),
        ("1,1 1:1", "each label once"),
        ("1, 1:1", "got ''"),
        ("1 6:1", "Expected features from 0 to 5, got 6"),
        ("1 -2:1", "Expected features from 0 to 5, got -2"),
        ("1 99999999999999:1", "got 99999999999999"),
        ("1 2:nan", "finite number as value of feature 2, got 'nan'"),
        ("1 2:inf", "got 'inf'"),
        ("1 2:1e99", "got '1e99'"),
        ("1 2:", "got ''"),
        ("1 2:1_0", "got '1_0'"),
        ("1 2:1 2:1", "each feature once, got 2 twice"),
        ("1 3:1 2:1 3:4", "each feature once, got 3 twice"),
        ("1 2", "Expected feature:value, got '2'"),
        ("1 2:1:3", "got '1:3'"),
        ("1 x:1", "Expected a whole number as feature, got 'x'"),
        ("1 ٣:1", "Expected a whole number as feature"),
    ],
)
def test_bad_rows(put, row, words):
    file = put(f"3 6 3\n0 1:1\n{row}\n1 1:1\n")
    with pytest.raises(DataError, match=f"train.txt line 3: .*{words}"):
        list(read(file, format="xc"))
    corpus = read(file, format="xc", skip_bad=True)
    for _ in range(2):
        assert content(corpus) == [(("0",), {1: 1.0}), (("1",), {1: 1.0})]
        assert corpus.bad.count == 1
        assert "train.txt line 3" in corpus.bad.first[0]
    assert corpus.take(np.array([0])).bad is corpus.bad


@pytest.mark.parametrize(
    "row", ["1\t2:3", "1  2:3", "1 2:3 ", "1 2:+3", "01 2:3.0", "1 02:3", "1 2:30e-1", "1 2:.3e1", "1 2:3."]
)
def test_unusual_but_right(put, row):
    assert content(read(put(f"1 6 3\n{row}\n"), format="xc")) == [(("1",), {2: 3.0})]


def test_line_may_begin_with_features(put):
    assert content(read(put("1 6 3\n1:2 2:3\n"))) == [((), {1: 2.0, 2: 3.0})]


@pytest.mark.parametrize("promised", [3, 5])
def test_header_that_lies(put, promised):
    file = put(SMALL.replace("4 6", f"{promised} 6"))
    with pytest.raises(DataError, match=f"promises {promised} documents, got 4"):
        list(read(file))
    corpus = read(file, skip_bad=True)
    assert len(content(corpus)) == 4
    assert corpus.bad.count == 1


@pytest.mark.parametrize("header", ["4 6", "4 6 x", "4 -6 3", "4 6 99999999999", ""])
def test_bad_header(put, header):
    with pytest.raises(DataError, match="line 1: Expected a header"):
        read(put(f"{header}\n0 1:1\n"), format="xc")


def test_nothing_is_allocated_on_promise(put):
    with pytest.raises(DataError, match="2,000,000,000 labels"):
        read(put("1 2000000000 2000000000\n0 1:1\n"))
    with pytest.raises(DataError, match="promises 1,000,000,000,000 documents, which a file of 30 bytes"):
        read(put("1000000000000 2000000 3\n0 1:1\n"))
    with pytest.raises(DataError, match="promises 1000000 documents, got 1"):
        list(read(put("1000000 2000000000 3\n0 1:1\n")))
    with pytest.raises(DataError, match="got '000000000000000000007'"):
        list(read(put("1 2 3\n000000000000000000007 1:1\n")))


def test_bad_bytes(put):
    with pytest.raises(DataError, match="line 2: Expected UTF-8, got byte 0xff"):
        list(read(put(b"1 6 3\n\xff 1:1\n"), format="xc"))
    with pytest.raises(DataError, match="cut off or damaged"):
        list(read(put(gzip.compress(os.urandom(5000))[:2000], "a.gz"), format="xc"))


def test_fast_path_agrees_with_careful_path(put):
    rng = np.random.default_rng(1)
    styles = (str, "{:.6f}".format, "{:.17g}".format, "{:.3e}".format, "{:.0f}".format, "{:.25f}".format)
    rows = []
    for _ in range(400):
        features = rng.permutation(5000)[: rng.integers(0, 30)]
        values = rng.standard_normal(len(features)) * 10.0 ** rng.integers(-30, 30, len(features))
        pairs = (f"{i}:{styles[rng.integers(len(styles))](v)}" for i, v in zip(features, values, strict=True))
        rows.append(f"{rng.integers(9)} {' '.join(pairs)}")
    found = list(read(put(f"400 5000 9\n{chr(10).join(rows)}\n")))
    for row, document in zip(rows, found, strict=True):
        field, (indices, values) = careful_pairs(row, width=5000)
        assert document.labels == (field,)
        np.testing.assert_array_equal(document.features[0], indices)
        np.testing.assert_array_equal(document.features[1], values)
        literal = [np.float32(float(pair.split(":")[1])) for pair in row.split()[1:]]
        np.testing.assert_array_equal(document.features[1], np.array(literal, np.float32))


def test_values_come_back_to_the_last_bit(put):
    bits = np.random.default_rng(2).integers(0, 2**32, 50_000, dtype=np.uint32)
    values = bits.view(np.float32)
    values = np.concatenate([values[np.isfinite(values)], np.float32([0, 1, 0.25, 1e-45, 3.4028235e38, 0.1])])
    file = put(f"1 {len(values)} 1\n0 {pair_text((np.arange(len(values), dtype=np.int32), values))}\n")
    (document,) = read(file)
    np.testing.assert_array_equal(document.features[1], values)
    assert pair_text((np.array([3, 4]), np.float32([1, 0.25]))) == "3:1 4:0.25"


def test_memory_does_not_grow(put):
    row = "1 " + " ".join(f"{i}:0.5" for i in range(0, 1000, 10)) + "\n"
    small, large = put("2000 1000 3\n" + row * 2000, "a.txt"), put("20000 1000 3\n" + row * 20000, "b.txt")
    peaks = []
    for file in (small, small, large):
        tracemalloc.start()
        assert sum(1 for _ in read(file)) >= 2000
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] * 1.5 + 2**20


def test_split_files(put, tmp_path):
    put("3 4\n0:1 2:0.5\n\n3:1\n", "trn_X_Xf.txt")
    put("3 2\n0:1 1:1\n1:0.5\n\n", "trn_X_Y.txt")
    put("cat\ndog\n", "Y.txt")
    for path in ("trn_X_Xf.txt", "trn_X_Y.txt", "trn", ""):
        corpus = read(tmp_path / path)
        assert content(corpus) == [(("0", "1"), {0: 1.0, 2: 0.5}), (("1",), {}), ((), {3: 1.0})]
        assert corpus.space.name(1) == "dog"
        assert [d.metadata for d in corpus] == [{}, {"target_rel": [0.5]}, {}]
    put("3 2\n0:1 1:1\n2:1\n\n", "trn_X_Y.txt")
    with pytest.raises(DataError, match=r"trn_X_Y.txt line 3: Expected features from 0 to 1, got 2"):
        list(read(tmp_path / "trn"))
    corpus = read(tmp_path / "trn", skip_bad=True)
    assert [d.labels for d in corpus] == [("0", "1"), ()]
    assert corpus.bad.count == 1
    put("2 2\n0:1\n1:1\n", "trn_X_Y.txt")
    with pytest.raises(DataError, match="line 1: Expected 3 rows"):
        read(tmp_path / "trn")
    put("3 2\n0:1\n1:1\n", "trn_X_Y.txt")
    with pytest.raises(DataError, match="promises 3 rows, got 2"):
        list(read(tmp_path / "trn"))
    put("1 2\n0:1\n", "tst_X_Xf.txt")
    with pytest.raises(DataError, match=r"trn, .*tst. Name one"):
        read(tmp_path)
    with pytest.raises(DataError, match=r"no file .*tst_X_Y.txt"):
        read(tmp_path / "tst_X_Xf.txt")


def test_libsvm_base(put):
    zero, unclear = put("a,b 0:1 3:2\n\nc 1:1\n", "a.svm"), put("a,b 1:1 3:2\n 2:1\n", "b.svm")
    assert content(read(zero)) == [(("a", "b"), {0: 1.0, 3: 2.0}), (("c",), {1: 1.0})]
    assert read(zero).width == 4
    with pytest.raises(DataError, match="--base 0 or --base 1"):
        read(unclear)
    assert content(read(unclear, base=1)) == [(("a", "b"), {0: 1.0, 2: 2.0}), ((), {1: 1.0})]
    assert read(unclear, base=1).width == 3
    assert content(read(unclear, base=0))[0] == (("a", "b"), {1: 1.0, 3: 2.0})
    with pytest.raises(DataError, match="Feature 0 occurs"):
        read(zero, base=1)
    with pytest.raises(DataError, match="base 0 or 1"):
        read(zero, base=2)
    with pytest.raises(DataError, match=r"c.svm line 2: .*got 'x'"):
        read(put("a 0:1\na 1:x\n", "c.svm"), format="libsvm")
