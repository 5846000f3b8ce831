"""Tf-idf against scikit-learn's TfidfVectorizer on words by the book: the same features, the same numbers."""

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from tokenizers import Tokenizer

from toy import WORDS
from umpteen.core.errors import DataError, SettingError
from umpteen.core.store import Folder, new_folder
from umpteen.data.generate import generate
from umpteen.text.tfidf import Tfidf, TfidfSettings

NASTY = [
    "Straße STRASSE ẞ ß groß Größe",
    "İstanbul ISTANBUL ıstanbul Diyarbakır İ",
    "σοφος Οδυσσευς λόγος",  # no final capital sigma, see the module
    "cafe\u0301 café na\u00efve nai\u0308ve \u0301 e\u0301e",
    "你好世界 東京都 한국어 ひらがな カタカナ ｶﾀｶﾅ １２３ ＡＢＣ",
    "😀 👨‍👩‍👧 a😀b emoji😀 🇩🇪",
    "\ud800 lone \udfff surrogate\ud83d",
    "x 1 12 3.14 a1 1a 2024-01-31 ½ ² x² Ⅻ ⅻ ①② ٣٤ ०१",
    "_ __ _a a_ snake_case __init__ -dash- don't it's",
    "ǅ ǆ Ǆ ŉ ﬁ ﬀi ﬃ ǰ Ω K Å",
    "अनुच्छेद हिन्दी ไทย ภาษา עברית العربية مُحَمَّد",
    "tabs\tand\nlines\r\nand\x0bmore\x0c\x1cand\x85nbsp\u00a0thin\u2009ideographic\u3000zero\u200bwidth\u2028line",
    "𝐀𝐁𝐂 𝒳𝓎 𐐀𐐁 𐐨𐐩 𠮷野家 \U0001f130\U0001f131",
    "soft\u00adhyphen zero\u200djoiner \ufeffbom \x00nul\x00 ctrl\x07",
    "",
    " ",
    "a",
    "THE the The tHE thE",
    "the the cat and the cat and the dog",
]


@pytest.fixture(scope="module")
def catalogue() -> list[str]:
    return [*generate(labels=40, documents=400, seed=3).texts()]


def theirs(texts: list[str], other: list[str], **options: Any) -> tuple[TfidfVectorizer, Any, Any]:
    if "analyzer" not in options:
        options |= WORDS
    elif options["analyzer"] == "char_wb":
        options |= {"preprocessor": lambda text: unicodedata.normalize("NFC", text).lower()}
    vectorizer = TfidfVectorizer(dtype=np.float32, **options)
    return vectorizer, vectorizer.fit_transform(texts), vectorizer.transform(other)


def agree(ours: sparse.csr_array, names: list[str], vectorizer: Any, expected: Any) -> None:
    """Equal but for the order of columns."""
    vocabulary = vectorizer.vocabulary_
    assert set(names) == set(vocabulary)
    assert len(names) == len(vocabulary) == ours.shape[1]
    assert ours.dtype == np.float32
    assert ours.has_sorted_indices
    order = np.array([vocabulary[name] for name in names])
    difference = ours - sparse.csr_array(expected)[:, order]
    assert abs(difference).max() < 2e-7 if difference.nnz else True
    assert ours.nnz == expected.nnz


def compare(texts: list[str], settings: dict[str, Any], options: dict[str, Any], *, other: list[str]) -> None:
    tfidf = Tfidf(TfidfSettings(**settings))
    X = tfidf.fit(texts)
    vectorizer, expected, transformed = theirs(texts, other, **options)
    agree(X, tfidf.names(), vectorizer, expected)
    agree(tfidf.transform(other), tfidf.names(), vectorizer, transformed)


SAME = {
    "words": ({}, {"sublinear_tf": True}),
    "raw counts": ({"sublinear": False}, {}),
    "bigrams": ({"ngrams": 2}, {"ngram_range": (1, 2), "sublinear_tf": True}),
    "four words": ({"ngrams": 4, "sublinear": False}, {"ngram_range": (1, 4)}),
    "characters": (
        {"ngrams": 0, "characters": (3, 5)},
        {"analyzer": "char_wb", "ngram_range": (3, 5), "sublinear_tf": True},
    ),
    "single characters": (
        {"ngrams": 0, "characters": (1, 2), "sublinear": False},
        {"analyzer": "char_wb", "ngram_range": (1, 2)},
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_same_numbers_on_nasty_text(case: str) -> None:
    compare(NASTY, *SAME[case], other=[*NASTY[::-1], "unseen words", "the unseen cat"])


@pytest.mark.parametrize("case", SAME)
def test_same_numbers_on_a_catalogue(catalogue: list[str], case: str) -> None:
    compare(catalogue[:300], *SAME[case], other=catalogue[300:])


@pytest.mark.parametrize(("least", "most"), [(2, 1.0), (5, 0.5), (1, 0.1), (3, 0.25)])
def test_same_numbers_with_capped_frequencies(catalogue: list[str], least: int, most: float) -> None:
    settings = {"ngrams": 2, "min_df": least, "max_df": most}
    options = {"ngram_range": (1, 2), "min_df": least, "max_df": most, "sublinear_tf": True}
    compare(catalogue[:300], settings, options, other=catalogue[300:])


def test_same_numbers_with_words_and_characters(catalogue: list[str]) -> None:
    words = CountVectorizer(ngram_range=(1, 2), **WORDS).build_analyzer()
    inside = CountVectorizer(
        analyzer="char_wb", ngram_range=(3, 4), preprocessor=lambda text: unicodedata.normalize("NFC", text).lower()
    ).build_analyzer()

    def both(text: str) -> list[str]:
        return [*(f"w{word}" for word in words(text)), *(f"c{part}" for part in inside(text))]

    for texts in (NASTY, catalogue):
        tfidf = Tfidf(TfidfSettings(ngrams=2, characters=(3, 4)))
        X = tfidf.fit(texts)
        vectorizer, expected, _ = theirs(texts, texts, analyzer=both, sublinear_tf=True)
        assert sorted(tfidf.names()) == sorted(name[1:] for name in vectorizer.vocabulary_)
        assert X.shape == expected.shape
        assert X.nnz == expected.nnz
        gram, other = (X @ X.T).toarray(), (expected @ expected.T).toarray()  # free of the order of columns
        assert np.allclose(gram, other, atol=1e-6)


def test_every_word_character_is_one_of_pythons() -> None:
    points = [chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000 and n != 0x3A3]
    texts = [f"q{letter}q" for letter in points]
    tfidf = Tfidf(TfidfSettings(max_features=0))
    tfidf.fit(texts)
    assert set(tfidf.names()) == set(CountVectorizer(**WORDS).fit(texts).vocabulary_)


def test_a_final_capital_sigma_is_the_known_difference() -> None:
    tfidf = Tfidf(TfidfSettings())
    tfidf.fit(["ΟΔΟΣ ΣΑΣ"])
    assert sorted(tfidf.names()) == ["οδοσ", "σασ"]
    assert "ΟΔΟΣ".lower() == "οδος"


def test_most_frequent_features_are_kept(catalogue: list[str]) -> None:
    everything, few = Tfidf(TfidfSettings()), Tfidf(TfidfSettings(max_features=30))
    X = everything.fit(catalogue)
    frequency = np.diff(X.tocsc().indptr)
    assert (np.diff(frequency) <= 0).all()  # by falling frequency
    few.fit(catalogue)
    assert few.names() == everything.names()[:30]
    shuffled = Tfidf(TfidfSettings(max_features=30))
    shuffled.fit(catalogue[::-1])
    assert shuffled.names() == few.names()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_any_number_of_threads(catalogue: list[str], jobs: int) -> None:
    texts = catalogue * 20
    one, several = Tfidf(TfidfSettings(jobs=1)), Tfidf(TfidfSettings(jobs=jobs))
    A, B = one.fit(texts), several.fit(texts)
    for left, right in ((A, B), (one.transform(texts), several.transform(texts))):
        assert left.data.tobytes() == right.data.tobytes()
        assert left.indices.tobytes() == right.indices.tobytes()
    assert np.array_equal(A.data, one.transform(texts).data)


@pytest.mark.parametrize("settings", [{}, {"ngrams": 2}, {"ngrams": 0, "characters": (2, 3)}, {"characters": (3, 3)}])
def test_comes_back_from_disk(tmp_path: Path, settings: dict[str, Any]) -> None:
    tfidf = Tfidf(TfidfSettings(**settings))
    tfidf.fit(NASTY)
    for round_trip in ("one", "two"):  # what was loaded can be saved again
        with new_folder(tmp_path / round_trip) as folder:
            tfidf.save(folder)
        back = Tfidf.load(Folder(tmp_path / round_trip), TfidfSettings(**settings))
        assert back.transform(NASTY).data.tobytes() == tfidf.transform(NASTY).data.tobytes()
        assert back.names() == tfidf.names()
        tfidf = back


def test_tokens_are_those_of_the_saved_tokenizer(tmp_path: Path, catalogue: list[str]) -> None:
    analyzer = CountVectorizer(**WORDS).build_analyzer()
    for texts in (catalogue, [text for text in NASTY if not set(text) & set("\ud800\udfff\ud83d")]):
        tfidf = Tfidf(TfidfSettings())
        tfidf.fit(texts)
        with new_folder(tmp_path / "m") as folder:
            tfidf.save(folder)
        tokenizer = Tokenizer.from_file(str(tmp_path / "m" / "tokenizer.json"))
        for text in texts:
            found = tokenizer.encode(text)
            assert found.tokens == analyzer(text), text
            spans = tfidf.spans(text)
            assert [tfidf.names()[column] for column in spans[:, 2]] == found.tokens
            assert [number - 2 for number in found.ids] == spans[:, 2].tolist()
        assert tokenizer.encode("neverseen").tokens == ["[UNK]"]
        assert (tokenizer.token_to_id("[PAD]"), tokenizer.token_to_id("[UNK]")) == (0, 1)


def test_spans_lead_back_to_the_characters() -> None:
    tfidf = Tfidf(TfidfSettings(ngrams=2))
    tfidf.fit(NASTY)
    names = tfidf.names()
    for text in NASTY:
        for start, end, column in tfidf.spans(text).tolist():
            piece = text[start:end]
            folded = "".join(c.lower()[0] for c in piece)  # letter by letter: no change of length
            words = CountVectorizer(**WORDS).build_analyzer()(piece)
            assert names[column].split() == words or names[column] == folded, (piece, names[column])
    text = "ab 😀 the CAT"
    start, end, _ = next(span for span in tfidf.spans(text).tolist() if names[span[2]] == "cat")
    assert text[start:end] == "CAT"
    assert not len(tfidf.spans(""))


def test_nothing_to_learn_from() -> None:
    with pytest.raises(DataError, match="no words of two letters or more"):
        Tfidf(TfidfSettings()).fit(["", "a ?"])
    with pytest.raises(DataError, match="lower min_df or raise max_df"):
        Tfidf(TfidfSettings(min_df=2)).fit(["bread", "boat"])
    assert Tfidf(TfidfSettings(ngrams=1)).fit(["bread"]).shape == (1, 1)


@pytest.mark.parametrize("characters", [(3,), (5, 3), (1, 2, 3), (0, 2)])
def test_wrong_character_ranges(characters: tuple[int, ...]) -> None:
    with pytest.raises(SettingError, match="characters"):
        TfidfSettings(characters=characters)
    with pytest.raises(SettingError, match="leave no features"):
        TfidfSettings(ngrams=0)


@pytest.mark.parametrize(
    ("texts", "ngrams"), [(["green tea"] * 1000, 2), (["green tea"] * 999, 1), (["green tea " * 41] * 1000, 1)]
)
def test_pairs_of_words_count_where_many_texts_are_short(tmp_path: Path, texts: list[str], ngrams: int) -> None:
    settings = TfidfSettings(ngrams=None)
    tfidf = Tfidf(settings)
    X = tfidf.fit(iter(texts))
    same = Tfidf(TfidfSettings(ngrams=ngrams))
    np.testing.assert_array_equal(X.toarray(), same.fit(texts).toarray())
    with new_folder(tmp_path / "folder") as folder:
        tfidf.save(folder)
    back = Tfidf.load(Folder(tmp_path / "folder"), settings)
    np.testing.assert_array_equal(back.transform(["green tea"]).toarray(), same.transform(["green tea"]).toarray())


def test_such_pairs_occur_in_two_documents_and_words_in_any() -> None:
    tfidf = Tfidf(TfidfSettings(ngrams=None))
    tfidf.fit(["green tea"] * 999 + ["black coffee"])
    assert {*tfidf.names()} == {"green", "tea", "green tea", "black", "coffee"}


def test_the_edges_of_words_are_no_pairs(catalogue: list[str]) -> None:
    alone, chosen = (Tfidf(TfidfSettings(ngrams=n, characters=(3, 3))) for n in (1, None))
    assert alone.fit(catalogue[:100]).shape == chosen.fit(catalogue[:100]).shape
