"""Titles are taken down as documents pass, grow and come back from disk."""

from pathlib import Path

import numpy as np
from scipy import sparse

from umpteen.core.corpus import Corpus, Document
from umpteen.core.store import Folder, new_folder
from umpteen.text.titles import Titles

DOCUMENTS = [Document("Bread\n and flour", id="a1"), Document("Boats " * 100), Document(id="only"), Document()]


def noted(corpus: Corpus) -> Titles:
    titles = Titles()
    passed = titles.noting(corpus)
    for _ in range(2):  # a second pass counts nothing twice
        assert [*passed.texts()] == [*corpus.texts()]
    return titles


def test_titles_are_ids_and_beginnings() -> None:
    titles = noted(Corpus(DOCUMENTS))
    assert len(titles) == 4
    assert titles[0] == "a1: Bread and flour"
    assert titles[1].startswith("Boats Boats") and len(titles[1]) == 100 and titles[1].endswith("…")
    assert [titles[2], titles[3]] == ["only", "document 4"]


def test_rows_of_a_matrix_are_called_by_number() -> None:
    corpus = Corpus.from_matrix(sparse.csr_array(np.eye(3, dtype=np.float32)))
    titles = Titles()
    assert titles.noting(corpus) is corpus
    assert (len(titles), titles[1]) == (3, "document 2")


def test_titles_grow_and_come_back(tmp_path: Path) -> None:
    titles = noted(Corpus(DOCUMENTS)).with_more(noted(Corpus([Document(), Document("Ünïcode", id="z")])))
    assert [titles[n] for n in (0, 4, 5)] == ["a1: Bread and flour", "document 5", "z: Ünïcode"]
    with new_folder(tmp_path / "m") as folder:
        titles.save(folder)
    back = Titles.load(Folder(tmp_path / "m"), 6)
    assert [back[n] for n in range(6)] == [titles[n] for n in range(6)]
