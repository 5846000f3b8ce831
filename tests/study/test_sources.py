"""A study's data: found, divided, filtered, and with noise in the training labels alone."""

from pathlib import Path
from typing import Any

import pytest

from study.plans import toy_folder
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.study.plan import Data, Split
from umpteen.study.sources import found, marks, parts

WANTED: dict[str, Any] = {"where": {}, "split": None, "format": None, "valid": 0, "noise": None, "seed": 0}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UMPTEEN_DATA", raising=False)
    monkeypatch.setenv("UMPTEEN_CACHE", str(tmp_path / "far" / "cache"))
    return toy_folder(tmp_path)


def data(path: str | Path, **more: Any) -> Data:
    return Data(name="toy", path=str(path), **more)


def ids(corpus: Corpus | None) -> list[str]:
    return [document.id for document in corpus] if corpus is not None else []


def test_where_data_are_looked_for(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(data("toy")).train == Path("toy/train.jsonl")
    assert found(data(folder / "train.jsonl")).test is None
    for place in ("sets/deep/other", "far/cache/fetched", "here/below"):
        toy_folder(tmp_path / Path(place).parent, name=Path(place).name)
    assert found(data("below")).train == Path("here/below/train.jsonl")
    assert found(data("fetched")).train == tmp_path / "far" / "cache" / "fetched" / "train.jsonl"
    with pytest.raises(DataError, match=r"There are no data 'other': .* in UMPTEEN_DATA, which is not set. .*Name"):
        found(data("other"))
    monkeypatch.setenv("UMPTEEN_DATA", str(tmp_path / "sets" / "deep"))
    assert found(data("other")).train == tmp_path / "sets" / "deep" / "other" / "train.jsonl"
    with pytest.raises(DataError, match=r"\(UMPTEEN_DATA\). Did you mean 'other'\?"):
        found(data("othr"))


def test_the_datas_own_split(folder: Path) -> None:
    source = found(data("toy"))
    whole = parts(source.files, WANTED)
    assert (len(ids(whole.train)), whole.valid, len(ids(whole.test))) == (60, None, 20)
    divided = parts(source.files, WANTED | {"valid": 0.2})
    assert len(ids(divided.valid)) == 12
    assert {*ids(divided.train), *ids(divided.valid)} == {*ids(whole.train)}
    assert ids(parts(source.files, WANTED | {"valid": 0.2, "seed": 1}).valid) != ids(divided.valid)


def test_random_splits_of_all_documents(folder: Path) -> None:
    source = found(data("toy", split=Split(count=2, test=0.25)))
    one, two = (parts(source.files, WANTED | {"split": {"number": n, "test": 0.25}}) for n in range(2))
    for part in (one, two):
        assert (len(ids(part.train)), len(ids(part.test))) == (60, 20)
        assert len({*ids(part.train), *ids(part.test)}) == 80
    assert ids(one.test) != ids(two.test)


def test_a_single_file_is_split_once(folder: Path) -> None:
    (folder / "test.jsonl").unlink()
    assert found(data("toy")).split == Split(count=1, test=0.2)


def test_documents_of_one_language(folder: Path) -> None:
    source = found(data("toy", where={"lang": ("en",)}))
    english = parts(source.files, WANTED | {"where": {"lang": ["en"]}})
    assert (len(ids(english.train)), len(ids(english.test))) == (20, 7)
    with pytest.raises(DataError, match=r"No document has lang = 'fr'. Beside their text they have: lang."):
        found(data("toy", where={"lang": ("fr",)}))


def test_noise_is_in_training_labels_alone(folder: Path) -> None:
    source = found(data("toy"))
    clean = {document.id: document.labels for document in parts(source.files, WANTED).train}
    noisy = parts(source.files, WANTED | {"valid": 0.5, "noise": {"kind": "missing", "rate": 0.5}})
    assert noisy.valid is not None
    assert all(document.labels == clean[document.id] for document in (*noisy.valid, *noisy.clean))
    kept = [len(document.labels) for document in noisy.train]
    assert 0.3 * sum(kept) < sum(len(clean[document.id]) for document in noisy.train) - sum(kept) < 2 * sum(kept)
    assert all({*document.labels} <= {*clean[document.id]} for document in noisy.train)


def test_marks_change_with_the_files(folder: Path) -> None:
    before = marks(found(data("toy")))
    assert before == marks(found(data(folder)))
    with (folder / "test.jsonl").open("a") as file:
        file.write('{"text": "bread", "labels": ["baking"]}\n')
    after = marks(found(data("toy")))
    assert (after["train"] == before["train"], after["test"] == before["test"]) == (True, False)


def test_mistakes(folder: Path) -> None:
    (folder / "empty.jsonl").write_text("")
    with pytest.raises(DataError, match="empty"):
        found(data(folder / "empty.jsonl"))
    with pytest.raises(DataError, match=r"There is no file names.tsv of label names for 'toy'"):
        found(data("toy", labels="names.tsv"))
