"""Readers on a few texts and matrices whose ids are plain to see."""

from pathlib import Path

import numpy as np
import pytest

from umpteen.contract.inputs import corpus_of
from umpteen.core.errors import DataError
from umpteen.core.store import Folder, new_folder
from umpteen.text.readers import Bag, Ordered, Reader
from umpteen.text.tfidf import TfidfSettings

TEXTS = ["red house, blue car", "blue house", "", "red red car"]
MATRIX = np.array([[0, 2.0, 0], [0, 0, 0], [3.0, 0, 4.0], [0, 0, 0]])


def ordered() -> Ordered:
    return Ordered(words=100, min_df=1, length=5, owner="Mine")


@pytest.mark.parametrize("made", [ordered, lambda: Bag(TfidfSettings())])
def test_ids_name_the_words_at_their_places(made: type[Reader], tmp_path: Path) -> None:
    reader = made()
    read = reader.fit(corpus_of(TEXTS))
    names = ["", "?", *reader.words]
    text = "The red HOUSE"
    found = reader.read(corpus_of([text]))
    for start, end, number in reader.places(text, found).tolist():
        word = text[start:end].lower()
        assert names[found.ids[number]] == (word if word in reader.words else "?")
    assert read.ids[read.bounds[2] : read.bounds[3]].tolist() == [1]  # an empty text
    with new_folder(tmp_path / "r") as folder:
        reader.save(folder)
    again = made()
    again.load(Folder(tmp_path / "r"))
    assert again.read(corpus_of(TEXTS)).ids.tolist() == read.ids.tolist()


def test_order_is_kept_and_long_texts_are_cut() -> None:
    reader = ordered()
    read = reader.fit(corpus_of(TEXTS))
    assert [reader.words[id - 2] for id in read.ids[:3]] == ["red", "house", "blue"]
    with pytest.raises(DataError, match="Mine reads text"):
        ordered().fit(corpus_of(MATRIX))


@pytest.mark.parametrize("unit", [True, False])
def test_features_keep_their_values(unit: bool) -> None:
    reader = Bag(TfidfSettings(), unit=unit)
    read = reader.fit(corpus_of(MATRIX))
    assert read.ids.tolist() == [3, 1, 2, 4, 1]
    assert read.bounds.tolist() == [0, 1, 2, 4, 5]
    values = [1, 0, 0.6, 0.8, 0] if unit else [2, 0, 3, 4, 0]
    assert read.values is not None and np.allclose(read.values, values)
    ids, padded = read.padded(np.array([2, 0]))
    assert ids.tolist() == [[2, 4], [3, 0]]
    assert padded is not None and np.allclose(padded, [values[2:4], [values[0], 0]])
    taken = read.take(np.array([2]))
    assert taken.values is not None and taken.ids.tolist() == [2, 4] and np.allclose(taken.values, values[2:4])
    assert reader.words == ["feature 0", "feature 1", "feature 2"]
