"""Tables, plots and the page, from results that are made up so that the right figures are obvious."""

import csv
import io
import re
from collections.abc import Callable
from html import unescape
from itertools import count, islice
from pathlib import Path

import pytest

from study.plans import NOISY, PLAIN, toy_folder, written
from umpteen.study import page
from umpteen.study.cells import Cell, cells
from umpteen.study.charts import draw
from umpteen.study.figures import points
from umpteen.study.plan import Study
from umpteen.study.reading import read_study
from umpteen.study.results import Result, Results
from umpteen.study.sheet import Sheet
from umpteen.study.sources import found
from umpteen.study.style import HATCHES, strokes
from umpteen.study.tables import sheets

Made = tuple[Study, Results]
PUBLISHED = '[[published]]\nname = "Theirs"\ndata = "toy"\nsource = "Paper, Table 2"\nscores = { "P@1" = 55 }\n'


def value(cell: Cell) -> float:
    """kNN has 60 and 62 by seed, less with noise; popular has 30 throughout."""
    return 30.0 if cell.at["model"] == "popular" else 60 + 2 * cell.seed - 20 * cell.at.get("rate", 0)


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Made]:
    toy_folder(tmp_path)

    numbers = count()

    def make(text: str, *, missing: Callable[[Cell], bool] = lambda cell: False) -> Made:
        study = read_study(written(tmp_path, text))
        all_cells = cells(study, [found(data) for data in study.data])
        results = Results(tmp_path / f"out{next(numbers)}", all_cells)
        for cell in all_cells:
            results.folder(cell).mkdir(parents=True, exist_ok=True)
            scores = {"P@1": value(cell), "nDCG@3": 50.0, "train-seconds": 2.0 if cell.at["model"] == "kNN" else 1.0}
            if not missing(cell):
                Result(cell.mark, scores).save(results.folder(cell))
            results.look(cell)
        return study, results

    return make


def shown(made: Made) -> list[Sheet]:
    study, results = made
    return [sheet for table in study.tables for sheet in sheets(table, study, points(study, results))]


def text(sheet: Sheet) -> list[list[str]]:
    return [[entry.text + ("*" if entry.best else "") for entry in row] for row in sheet.rows]


def test_means_deviations_and_the_best(made: Callable[..., Made]) -> None:
    (sheet,) = shown(made('seeds = "0,1"\n' + PLAIN.replace('"nDCG@3"', '"train-seconds"')))
    assert sheet.heads == ("model", "P@1", "training, s")
    assert text(sheet) == [["kNN", "61.00 ± 1.41*", "2.0 ± 0.0"], ["popular", "30.00", "1.0*"]]
    assert sheet.markdown().splitlines() == [
        "| model | P@1 | training, s |",
        "| --- | ---: | ---: |",
        "| kNN | **61.00 ± 1.41** | 2.0 ± 0.0 |",
        "| popular | 30.00 | **1.0** |",
    ]
    assert [*csv.reader(io.StringIO(sheet.csv()))] == [
        ["model", "P@1", "P@1 deviation", "training, s", "training, s deviation"],
        ["kNN", "61.0000", "1.4142", "2.0000", "0.0000"],
        ["popular", "30.0000", "", "1.0000", ""],
    ]


def test_runs_that_are_missing(made: Callable[..., Made]) -> None:
    (sheet,) = shown(made("seeds = [0, 1]\n" + PLAIN, missing=lambda cell: cell.seed == 1))
    assert text(sheet)[0] == ["kNN", "60.00 (1 of 2)*", "50.00 (1 of 2)"]
    (sheet,) = shown(made(PLAIN, missing=lambda cell: cell.at["model"] == "kNN"))
    assert text(sheet) == [["kNN", "-", "-"], ["popular", "30.00", "50.00"]]


def test_models_as_columns_and_what_noise_leaves(made: Callable[..., Made]) -> None:
    columns = NOISY.replace('["P@1", "nDCG@3"]', '["P@1", "kept P@1"]\ncolumns = "model"\napart = "measure"')
    first, left = shown(made(columns + PUBLISHED))
    assert (first.title, left.title) == ("scores: P@1, percent", "scores: kept P@1, percent")
    assert first.heads == ("noise", "rate", "kNN", "popular", "Theirs")
    assert text(first) == [
        ["missing", "0", "60.00*", "30.00", "-"],
        ["missing", "0.5", "50.00*", "30.00", "-"],
        ["balanced", "0", "60.00*", "30.00", "-"],
        ["balanced", "0.5", "50.00*", "30.00", "-"],
        ["", "", "-", "-", "55.00"],
    ]
    assert [row[2:4] for row in text(left)][:2] == [["100.00", "100.00"], ["83.33", "100.00*"]]


def test_published_rows_and_ranks(made: Callable[..., Made]) -> None:
    scores, ranks = shown(made(PLAIN + "ranks = true\n" + PUBLISHED))
    assert text(scores)[2] == ["Theirs", "55.00", "-"]
    assert ranks.heads == ("model", "rank P@k", "rank nDCG@k")
    assert text(ranks) == [["kNN", "1.00*", "1.00*"], ["popular", "3.00", "1.00*"], ["Theirs", "2.00", "-"]]
    assert ranks.note.startswith("Average over the rows that a model has (1 of P@k, 1 of nDCG@k); 1 is the best.")


def test_the_smallest_error_and_the_shortest_time_rank_first(made: Callable[..., Made]) -> None:
    study = made(PLAIN.replace('["P@1", "nDCG@3"]', '["ECE@5", "train-seconds"]\nranks = true'))
    for cell in study[1].cells:
        first = cell.at["model"] == "kNN"
        Result(cell.mark, {"ECE@5": 1.0 if first else 20.0, "train-seconds": 9.0 if first else 3.0}).save(
            study[1].folder(cell)
        )
        study[1].look(cell)
    assert text(shown(study)[1]) == [["kNN", "1.00*", "2.00"], ["popular", "2.00", "1.00*"]]


def test_the_page_and_its_files(made: Callable[..., Made], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = '[[plots]]\nname = "lines"\nkind = "lines"\nx = "rate"\nmeasures = ["P@1"]\n'
    study, results = made("seeds = [0, 1]\n" + NOISY + PUBLISHED + plot)
    Result(results.cells[0].mark, error="It broke.").save(results.folder(results.cells[0]))
    results.look(results.cells[0])
    files = page.write(study, results, svg=True)
    names = ["report.md", "report.html", "scores.csv", "scores.tex", "results.csv", "lines.png", "lines.svg"]
    assert [file.name for file in files] == names
    assert {file.name for file in (tmp_path / "out0").iterdir()} == {"runs", *(file.name for file in files)}
    told = (tmp_path / "out0" / "report.md").read_text()
    assert told.startswith("# A toy\n\n8 of 9 runs have ended well. Seeds 0, 1. Figures are means")
    assert "popular: seed 0 alone." in told
    assert "- Theirs on toy: Paper, Table 2, as printed" in told
    assert "## Runs that failed\n\n- toy, kNN, seed 0: It broke." in told
    assert "![lines](lines.svg)" in told
    rows = [*csv.DictReader((tmp_path / "out0" / "results.csv").open())]
    assert rows[0] == {
        "data": "toy",
        "noise": "missing",
        "rate": "0",
        "model": "kNN",
        "split": "",
        "seed": "1",
        "measure": "P@1",
        "value": "62",
    }
    assert len(rows) == 3 * (12 - 2)  # three measures; one run failed that stands for two cells


def words(study: Study, results: Results) -> set[str]:
    out = io.BytesIO()
    draw(study.plots[0], study, points(study, results), out, format="svg")
    return {*re.findall(r"<!--  ?(.*?) -->", unescape(out.getvalue().decode()))}


def test_lines_have_a_panel_for_each_kind_of_noise(made: Callable[..., Made]) -> None:
    pytest.importorskip("matplotlib")
    plot = '[[plots]]\nname = "p"\ntitle = "Noise"\nkind = "lines"\nx = "rate"\nmeasures = ["P@1"]\n'
    said = words(*made(NOISY + plot))
    assert said >= {"Noise", "missing", "balanced", "noise rate", "P@1, percent", "kNN", "popular", "0", "0.5"}


def test_bars_stand_in_groups_beside_what_was_published(made: Callable[..., Made]) -> None:
    pytest.importorskip("matplotlib")
    plot = '[[plots]]\nname = "p"\nkind = "bars"\nmeasures = ["P@1", "nDCG@3"]\n'
    assert words(*made(PLAIN + PUBLISHED + plot)) >= {"P@1", "nDCG@3", "percent", "kNN", "popular", "Theirs"}
    assert "no run has ended yet" in words(*made(PLAIN + plot + 'title = "x"\n', missing=lambda cell: True))


def test_a_model_that_does_not_vary_is_in_every_panel(made: Callable[..., Made]) -> None:
    pytest.importorskip("matplotlib")
    varied = PLAIN.replace('model = "neighbours"', 'model = "neighbours"\nvary = { min_df = [1, 2] }')
    plot = '[[plots]]\nname = "p"\nkind = "bars"\nmeasures = ["P@1"]\n'
    said = words(*made(varied + plot))
    assert {"min_df 1", "min_df 2"} <= said
    lines = '[[plots]]\nname = "p"\nkind = "lines"\nx = "min_df"\nmeasures = ["P@1", "train-seconds"]\n'
    assert {"P@1, percent", "training, s", "min_df"} <= words(*made(varied + lines))


def test_no_two_bars_look_alike() -> None:
    looks = [*islice(strokes(), 24)]
    assert len({*looks}) == 24
    assert len({(HATCHES[dash], colour) for dash, colour in looks}) == 24
