"""The runs of a study, and what makes one run another."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from study.plans import NOISY, PLAIN, toy_folder, written
from umpteen.core.errors import DataError, MissingExtraError, SettingError
from umpteen.models import model
from umpteen.study.cells import Cell, cells
from umpteen.study.reading import read_study
from umpteen.study.sources import found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    return toy_folder(tmp_path)


def runs(root: Path, text: str) -> list[Cell]:
    study = read_study(written(root, text))
    return cells(study, [found(data) for data in study.data])


def test_every_combination_and_runs_that_are_the_same_once(tmp_path: Path) -> None:
    seeded = runs(tmp_path, "seeds = [3, 4]\n" + NOISY)
    assert len(seeded) == 2 * 2 * (2 + 1)
    assert len({cell.key for cell in seeded}) == 3 * (2 + 1)  # both kinds of noise are the same at rate 0
    assert [cell.name for cell in seeded[:3]] == ["toy, kNN, seed 3", "toy, kNN, seed 4", "toy, popular, seed 3"]
    assert seeded[-1].name == "toy, popular, balanced 0.5, seed 3"
    assert {cell.wanted["settings"]["seed"] for cell in seeded} == {3, 4}
    split = runs(tmp_path, "split = { count = 2 }\n" + PLAIN)
    assert [cell.data for cell in split] == ["toy, split 0", "toy, split 0", "toy, split 1", "toy, split 1"]


def test_varied_settings(tmp_path: Path) -> None:
    text = PLAIN.replace(
        'model = "neighbours"', 'model = "neighbours"\nvary = { min_df = [1, 2], characters = [[3, 5]] }'
    )
    made = runs(tmp_path, text)
    assert [cell.about for cell in made] == [
        "kNN, min_df 1, characters 3,5, seed 0",
        "kNN, min_df 2, characters 3,5, seed 0",
        "popular, seed 0",
    ]
    assert made[1].wanted["settings"]["characters"] == [3, 5]


def test_marks_change_with_what_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mark(text: str) -> str:
        return runs(tmp_path, text)[0].mark

    known = mark(PLAIN)
    assert known == mark(PLAIN.replace('"kNN"', '"another name"').replace('title = "A toy"', 'title = "B"'))
    assert known == mark(
        PLAIN.replace('model = "neighbours"', 'model = "neighbours"\nsettings = { jobs = 2, min_df = 1 }')
    )
    for change in ("valid = 0.2", "split = { count = 2 }", "seeds = [1]"):
        assert known != mark(f"{change}\n{PLAIN}")
    assert known != mark(PLAIN.replace('model = "neighbours"', 'model = "neighbours"\nsettings = { min_df = 2 }'))
    assert known != mark(PLAIN.replace("nDCG@3", "nDCG@7"))
    joint = PLAIN.replace('model = "neighbours"', 'model = "consensus"\nsettings = { members = ["plt:fast"] }')
    before = mark(joint)
    monkeypatch.setitem(model("plt").Params.presets["fast"], "trees", 2)  # type: ignore[misc]
    assert before != mark(joint)
    (tmp_path / "toy" / "labels.tsv").write_text("baking\tBaking\n")
    assert known != mark(PLAIN)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            "settings = { min_fd = 1 }",
            "s.toml: model 'kNN': neighbours has no setting 'min_fd'. Did you mean 'min_df'?",
        ),
        ("settings = { min_df = 0 }", "s.toml: model 'kNN': Setting 'min_df' must be 1 or more, not 0."),
        ("vary = { min_df = [1, 0] }", "s.toml: model 'kNN': Setting 'min_df' must be 1 or more, not 0."),
        ('preset = "quick"', "s.toml: model 'kNN': neighbours has no preset 'quick'."),
    ],
)
def test_mistakes_in_settings(tmp_path: Path, settings: str, sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        runs(tmp_path, PLAIN.replace('model = "neighbours"', f'model = "neighbours"\n{settings}'))
    assert sentence in str(error.value)


def test_models_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match=r"model 'kNN': There is no model 'neighbors'. Did you mean 'neighbours'\?"):
        runs(tmp_path, PLAIN.replace('"neighbours"', '"neighbors"'))
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"model 'kNN': The model xmlcnn needs torch. Install it with"):
        runs(tmp_path, PLAIN.replace('"neighbours"', '"xmlcnn"'))


def test_features_are_not_given_to_a_model_that_reads_text(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    rows = sparse.csr_array(np.eye(4))
    lines = [f"{n} " + " ".join(f"{f}:1" for f in rows.indices[rows.indptr[n] : rows.indptr[n + 1]]) for n in range(4)]
    (tmp_path / "numbers.txt").write_text("4 4 4\n" + "\n".join(lines) + "\n")
    text = PLAIN.replace('"toy"', '"numbers.txt"').replace('"neighbours"', '"xmlcnn"')
    (only,) = runs(tmp_path, text)
    assert only.at["model"] == "popular"
    joint = text.replace('model = "xmlcnn"', 'model = "consensus"\nsettings = { members = ["plt", "xmlcnn"] }')
    assert [cell.at["model"] for cell in runs(tmp_path, joint)] == ["popular"]
    text = text.replace('"popular"', '"xmlrnn"')
    with pytest.raises(DataError, match="numbers holds ready features, which no model reads"):
        runs(tmp_path, text)
