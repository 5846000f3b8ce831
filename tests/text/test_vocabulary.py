"""Vocabulary against the book and Python's `Counter`, and against the standard file that it writes."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from toy import words_in
from umpteen.core.errors import DataError, FolderError
from umpteen.core.store import Folder, new_folder
from umpteen.data.generate import generate
from umpteen.data.read import read
from umpteen.text.vocabulary import Tokens, Vocabulary

TOY = ["The cat's hat - a cat", "a DOG, the cat", "", "x-ray: the dog 7", "?!"]
NASTY = [
    "Straße GROẞ İstanbul ısı Οδυσσευς",
    "cafe\u0301 na\u00efve e\u0301e 你好世界 １２ 😀 a😀b x² Ⅻ ٣٤ _ __init__",
    "\ud800 lone \udfff surrogate\ud83d \x00nul \ufeffbom",
    "",
    "𝐀𝐁 𐐀𐐁 𠮷野家 अनुच्छेद \U0001f130 مُحَمَّد ❤\ufe0f 1\ufe0f\u20e3 \u0301 Ha\u0308user \u1112\u1161\u11ab\u1100\u116e\u11a8",
]


@pytest.fixture(scope="module")
def catalogue() -> list[str]:
    return [*generate(labels=40, documents=3000, seed=3).texts()]


def spelt(vocabulary: Vocabulary, tokens: Tokens) -> list[list[str]]:
    names = ["[PAD]", "?", *vocabulary.words]
    return [[names[number] for number in tokens.ids[a:b]] for a, b in pairwise(tokens.bounds)]


def test_words_by_document_frequency_then_alphabet() -> None:
    assert Vocabulary.fit(TOY, most=100, min_df=1).words == ["the", "a", "cat", "dog", "7", "hat", "ray", "s", "x"]
    assert Vocabulary.fit(TOY, most=100, min_df=2).words == ["the", "a", "cat", "dog"]
    assert Vocabulary.fit(TOY, most=3, min_df=1).words == ["the", "a", "cat"]


def test_the_same_as_counting_in_python(catalogue: list[str]) -> None:
    df = Counter(word for text in catalogue for word in set(words_in(text)))
    expected = sorted((word for word in df if df[word] >= 3), key=lambda word: (-df[word], word))
    vocabulary = Vocabulary.fit(iter(catalogue), most=150, min_df=3, size=len(catalogue))
    assert vocabulary.words == expected[:150] and len(vocabulary) == 152
    tokens = vocabulary.tokens(iter(catalogue), most=20)
    known = {word: number for number, word in enumerate(vocabulary.words, start=2)}
    literal = [[known.get(word, 1) for word in words_in(text)[:20]] for text in catalogue]
    assert [tokens.ids[a:b].tolist() for a, b in pairwise(tokens.bounds)] == literal
    assert tokens.ids.dtype == np.int32 and tokens.bounds.dtype == np.int64


def test_unknown_words_and_texts_without_any() -> None:
    vocabulary = Vocabulary(["the", "cat"])
    tokens = vocabulary.tokens([*TOY, "the cat the cat"], most=3)
    assert spelt(vocabulary, tokens) == [
        ["the", "cat", "?"],
        ["?", "?", "the"],
        ["?"],
        ["?", "?", "the"],
        ["?"],
        ["the", "cat", "the"],
    ]
    assert len(tokens) == 6 and tokens.lengths.tolist() == [3, 3, 1, 3, 1, 3]
    assert len(vocabulary.tokens([], most=3)) == 0


def test_padded_rows_against_a_loop(catalogue: list[str]) -> None:
    tokens = Vocabulary.fit(catalogue, most=100, min_df=1).tokens(catalogue, most=30)
    rows = np.random.default_rng(0).integers(0, len(tokens), 50)
    expected = np.zeros((50, tokens.lengths[rows].max()), np.int64)
    for place, row in enumerate(rows):
        ids = tokens.ids[tokens.bounds[row] : tokens.bounds[row + 1]]
        expected[place, : len(ids)] = ids
    ids, values = tokens.padded(rows)
    assert np.array_equal(ids, expected) and ids.dtype == np.int64
    assert values is None
    assert tokens.padded(rows[:0])[0].shape == (0, 0)


def test_spans_are_the_characters_of_the_tokens() -> None:
    vocabulary = Vocabulary.fit(NASTY, most=1000, min_df=1)
    for text in (*NASTY, *TOY):
        spans = vocabulary.spans(text)
        ids = vocabulary.tokens([text], most=1000).ids.tolist()
        if not spans:
            assert ids == [1]
            continue
        again = [vocabulary.tokens([text[start:end]], most=9).ids.tolist() for start, end in spans]
        assert again == [[number] for number in ids]
    assert vocabulary.spans("Ein x-förmiges Ü") == [(0, 3), (4, 5), (6, 14), (15, 16)]


@pytest.mark.parametrize("text", [*NASTY, *(unicodedata.normalize("NFD", text) for text in NASTY)])
def test_words_and_their_places_are_the_same_however_letters_are_composed(text: str) -> None:
    vocabulary = Vocabulary.fit(NASTY, most=1000, min_df=1)
    composed = unicodedata.normalize("NFC", text)
    assert vocabulary.tokens([text], most=99).ids.tolist() == vocabulary.tokens([composed], most=99).ids.tolist()
    pieces, whole = ([t[a:b] for a, b in vocabulary.spans(t)] for t in (text, composed))
    assert [unicodedata.normalize("NFC", piece) for piece in pieces] == whole


def test_a_letter_and_its_mark_are_one_word() -> None:
    text = unicodedata.normalize("NFD", "Häuser müssen schön sein")
    vocabulary = Vocabulary.fit(["Häuser müssen schön sein"], most=9, min_df=1)
    assert [text[a:b] for a, b in vocabulary.spans(text)] == text.split()
    assert (vocabulary.tokens([text], most=9).ids > 1).all()
    for text in ("हिन्दी में लेख", "مُحَمَّد", "İstanbul"):
        assert [text[a:b] for a, b in vocabulary.spans(text)] == text.split()


def test_odd_unicode_is_what_python_finds() -> None:
    vocabulary = Vocabulary.fit(NASTY, most=1000, min_df=1)
    plain = [text for text in NASTY if text]
    assert spelt(vocabulary, vocabulary.tokens(plain, most=1000)) == [words_in(text) for text in plain]


def test_saved_and_loaded_as_a_standard_file(tmp_path: Path, catalogue: list[str]) -> None:
    vocabulary = Vocabulary.fit([*catalogue, *NASTY], most=200, min_df=1)
    with new_folder(tmp_path / "m") as folder:
        vocabulary.save(folder)
    again = Vocabulary.load(Folder(tmp_path / "m"))
    assert again.words == vocabulary.words
    tokens = again.tokens(catalogue, most=9999)
    assert np.array_equal(tokens.ids, vocabulary.tokens(catalogue, most=9999).ids)
    theirs = Tokenizer.from_file(str(tmp_path / "m" / "tokenizer.json")).encode_batch(catalogue)
    assert [encoding.ids for encoding in theirs] == [tokens.ids[a:b].tolist() for a, b in pairwise(tokens.bounds)]


def test_a_folder_without_a_vocabulary(tmp_path: Path) -> None:
    with new_folder(tmp_path / "m"):
        pass
    with pytest.raises(FolderError, match=r"no file tokenizer\.json"):
        Vocabulary.load(Folder(tmp_path / "m"))


def test_nothing_to_learn_from() -> None:
    with pytest.raises(DataError, match="no letters"):
        Vocabulary.fit(["", "?"], most=10, min_df=1)
    with pytest.raises(DataError, match="lower min_df, which is 4"):
        Vocabulary.fit(TOY, most=10, min_df=4)
    with pytest.raises(DataError, match="lower case, each once"):
        Vocabulary(["the", "Cat"])


def test_real_texts(real: Callable[..., Path]) -> None:
    texts = [*read(real("debtags", "test.jsonl.gz")).texts()]
    vocabulary = Vocabulary.fit(texts, most=20_000, min_df=1)
    known = set(vocabulary.words)
    assert spelt(vocabulary, vocabulary.tokens(texts[:300], most=9999)) == [
        [word if word in known else "?" for word in words_in(text)] for text in texts[:300]
    ]


def test_documents_without_a_known_word_are_blank() -> None:
    tokens = Tokens(np.array([1, 5, 1, 1, 0, 2], np.int32), np.array([0, 2, 4, 5, 6, 6]))
    assert tokens.blank().tolist() == [False, True, True, False, True]


def test_signs_of_how_a_letter_is_drawn_belong_to_no_word() -> None:
    vocabulary = Vocabulary(["café"])
    for text in ("cafe\u0301\ufe0f x", "café\ufe0f x", "cafe\u0301\u20dd x"):
        (first, *_) = vocabulary.spans(text)
        assert unicodedata.normalize("NFC", text[slice(*first)]) == "café"
