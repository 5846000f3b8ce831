"""Searches: what is drawn, how rounds follow each other, and that test documents are never read."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from study.plans import toy_folder
from umpteen.app.searches import written
from umpteen.core.errors import SettingError
from umpteen.models import model
from umpteen.study.cells import Cell
from umpteen.study.plan import Data
from umpteen.study.results import Result, Results
from umpteen.study.search import Rung, Search, Trial, rungs, searched
from umpteen.study.sources import found, parts
from umpteen.study.space import Choices, Span, _values, drawn, parted, space_of, toml

PLT = model("plt").Params


def space(*given: str, file: Path | None = None, text: bool = True) -> dict[str, object]:
    return dict(space_of(PLT, given, file, owner="plt", text=text))


def test_values_as_one_writes_them(tmp_path: Path) -> None:
    found = space("cost=0.3,1", "leaf=10..1000", "characters=3,4/3,5", "balance=yes,no", "branch=4")
    assert found["cost"] == Choices((0.3, 1.0))
    assert found["leaf"] == Span(10, 1000, True)
    assert found["characters"] == Choices(((3, 4), (3, 5)))
    assert found["balance"] == Choices((True, False))
    voters = space_of(model("neighbours").Params, ["neighbours=5..100"], None, owner="neighbours", text=True)
    assert voters == {"neighbours": Span(5, 100, True)}
    (tmp_path / "s.toml").write_text('cost = [0.3, 1]\nleaf = "10..1000"\ncharacters = [[3, 4], [3, 5]]\nbranch = 4\n')
    assert space("balance=yes,no", file=tmp_path / "s.toml") == found
    for folder in ("m/x", "m/y"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "model.json").touch()
    pair = f"{tmp_path / 'm/x'},{tmp_path / 'm/y'}"
    assert _values(model("consensus").Params, "members", pair) == Choices((pair,))
    fixed, rest = parted(found)  # type: ignore[arg-type]
    assert fixed == {"branch": 4} and [*rest] == ["cost", "leaf", "characters", "balance"]


def test_values_go_together_with_the_preset_and_each_other() -> None:
    bonsai = space_of(PLT, ["branch=50,100"], None, owner="plt", text=True, preset="bonsai")
    assert bonsai == {"branch": Choices((50, 100))}
    assert space("balance=false", "branch=10,100")["branch"] == Choices((10, 100))
    with pytest.raises(SettingError, match="power of two"):
        space("branch=10,100")


def test_without_any_the_models_own_are_tried() -> None:
    usual = space()
    assert {"cost", "threshold", "leaf", "min_df"} <= {*usual}
    assert {*space(text=False)} == {*usual} - {"ngrams", "min_df"}  # there is no text to read otherwise
    rate = model("plt").Params.searched()["cost"]
    assert 1.0 in rate


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("cost", "--set takes NAME=VALUES"),
        ("costs=1,2", "has no setting 'costs'. Did you mean 'cost'"),
        ("cost=0,1", "must be 1e-06 or more"),
        ("leaf=5..1", "must go up"),
        ("leaf=5..x", "goes from one number to another"),
        ("loss=hinge,log", "cannot be 'log'"),
    ],
)
def test_mistakes(given: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        space(given)


def test_draws_are_different_lie_inside_and_more_begin_the_same() -> None:
    wanted = {"cost": Span(0.01, 100, False), "leaf": Span(2, 5, True), "bits": Choices((8, 16))}
    some, more = [*drawn(wanted, 5, seed=1)], [*drawn(wanted, 50, seed=1)]
    assert more[:5] == some
    assert all(0.01 <= s["cost"] <= 100 and s["leaf"] in (2, 3, 4, 5) and s["bits"] in (8, 16) for s in more)
    assert 10 < sum(s["cost"] < 1 for s in more) < 40  # by magnitude
    assert len([*drawn({"bits": Choices((8, 16))}, 10, seed=0)]) == 2  # there are no more


def test_rounds() -> None:
    assert rungs(27, 100_000, "documents") == [Rung(1 / 27, 27), Rung(1 / 9, 9), Rung(1 / 3, 3), Rung(1, 1)]
    assert rungs(10, 100_000, "documents") == [Rung(1 / 9, 10), Rung(1 / 3, 3), Rung(1, 1)]
    assert rungs(27, 2000, "documents") == [Rung(1 / 3, 27), Rung(1, 9)]  # few documents say little
    assert rungs(27, 2000, "epochs")[0].share == 1 / 27
    assert rungs(2, 9, "documents") == [Rung(1, 2)]


def made(root: Path, **more: object) -> Search:
    trials = tuple(Trial({"leaf": leaf}) for leaf in range(1, 10))
    source = found(Data(name="toy", path=str(toy_folder(root))))
    return Search(source=source, model="plt", trials=trials, metric="P@1", **more)  # type: ignore[arg-type]


def answered(root: Path, asked: list[tuple[float, list[int]]]) -> object:
    """Results that favour large leaves, and the default the least; leaf 9 fails."""

    def run(cells: Sequence[Cell], rung: Rung) -> Results:
        results = Results(root / "out", cells)
        asked.append((rung.share, [cell.wanted["settings"]["leaf"] for cell in cells]))
        for cell in cells:
            results.folder(cell).mkdir(parents=True, exist_ok=True)
            leaf = cell.wanted["settings"]["leaf"]
            fine = Result(cell.mark, {"P@1": 0.0 if leaf == 150 else float(leaf), "train-seconds": 1.0})
            (Result(cell.mark, error="broke") if leaf == 9 else fine).save(results.folder(cell))
            results.look(cell)
        return results

    return run


def test_the_best_third_goes_on_and_the_default_besides(tmp_path: Path) -> None:
    search, asked = made(tmp_path), list[tuple[float, list[int]]]()
    judged = searched(search, rungs(9, 100_000, "documents"), answered(tmp_path, asked))  # type: ignore[arg-type]
    default = PLT().leaf
    assert asked == [(1 / 9, [default, *range(1, 10)]), (1 / 3, [default, 8, 7, 6]), (1, [default, 8])]
    assert [one.trial.settings.get("leaf") for one in judged] == [8, None, 7, 6, 5, 4, 3, 2, 1, 9]
    assert [one.score for one in judged][-1] is None
    files = written(search, judged, tmp_path / "out")
    best = tomllib.loads(files[0].read_text())
    assert best == {"model": "plt", "settings": {"leaf": 8}}
    assert files[1].read_text().splitlines()[0] == "trial,share,P@1,train-seconds,leaf"


def test_a_trial_never_sees_test_documents_and_larger_shares_have_all_of_smaller_ones(tmp_path: Path) -> None:
    search = made(tmp_path)
    cells = [search.cell(Trial({"leaf": 5}), share) for share in (1 / 3, 1.0)]
    few, all_ = (parts(cell.files, cell.wanted) for cell in cells)
    ids = [{document.id for document in corpus} for corpus in (few.train, all_.train, all_.test)]
    assert all("test" not in cell.files for cell in cells)
    assert ids[0] < ids[1] and len(ids[0]) == round(48 / 3)
    assert not ids[1] & ids[2] and len(ids[1] | ids[2]) == 60
    assert all(name.startswith("train") for name in ids[1] | ids[2])
    assert few.valid is None
    assert cells[0].mark != cells[1].mark


def test_validation_documents_of_a_file(tmp_path: Path) -> None:
    search = made(tmp_path, validation=str(tmp_path / "toy" / "test.jsonl"))
    cell = search.cell(Trial({"leaf": 5}), 1.0)
    got = parts(cell.files, cell.wanted)
    assert len([*got.train]) == 60 and len([*got.test]) == 20


def test_fewer_epochs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    source = found(Data(name="toy", path=str(toy_folder(tmp_path))))
    search = Search(source=source, model="mlp", trials=(Trial({"rate": 0.1}),), budget="epochs")
    cell = search.cell(search.trials[0], 1 / 5)
    assert cell.wanted["settings"]["epochs"] == model("mlp").Params().epochs // 5
    assert cell.wanted["share"] == 1
    with pytest.raises(SettingError, match="plt has no epochs"):
        made(tmp_path / "other", budget="epochs").cell(Trial({}), 0.5)


def test_a_configuration_is_toml() -> None:
    told = toml("mlp", "quick", {"layers": (64, 32), "on": True, "rate": 0.1, "x": None, "s": "a"}, about=["One."])
    assert told.startswith("# One.\n")
    assert tomllib.loads(told) == {
        "model": "mlp",
        "preset": "quick",
        "settings": {"layers": [64, 32], "on": True, "rate": 0.1, "x": "none", "s": "a"},
    }
