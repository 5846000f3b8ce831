"""The report in its forms: what stands in it, that it is whole by itself, and that it follows the reader's colours."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from study.plans import PLAIN, toy_folder, written
from umpteen.metrics.evaluation import Evaluation
from umpteen.study import page
from umpteen.study.cells import cells
from umpteen.study.counted import counted
from umpteen.study.plan import Study
from umpteen.study.reading import read_study
from umpteen.study.results import Result, Results
from umpteen.study.sheet import Entry, Sheet
from umpteen.study.sources import found

TEXT = (
    PLAIN
    + """ranks = true
against = "popular"
[[tables]]
name = "data"
title = "The data & more"
kind = "statistics"
[[tables]]
name = "same"
kind = "overlap"
[[plots]]
name = "bars"
title = "Bars"
kind = "bars"
measures = ["P@1"]
[[published]]
name = "Theirs"
data = "toy"
source = "Paper, Table 2"
scores = { "P@1" = 55 }
"""
)


@pytest.fixture
def made(tmp_path: Path) -> tuple[Study, Results, Path]:
    toy_folder(tmp_path)
    study = read_study(written(tmp_path, TEXT))
    sources = [found(data) for data in study.data]
    results = Results(tmp_path / "out", cells(study, sources))
    for number, cell in enumerate(results.cells):
        folder = results.folder(cell)
        folder.mkdir(parents=True)
        Result(cell.mark, {"P@1": 50.0 + number, "nDCG@3": 60.0}).save(folder)
        top = [[0, 1, 2, 3, 4], [0, 1, 2, 4, 3]] if number else [[0, 1, 2, 3, 4], [5, 1, 2, 3, 4]]
        labels = tuple("abcdef")
        Evaluation("m", "toy", {}, ("1", "2"), labels, np.array(top, np.int32)).save(folder / "evaluation.json")
        results.look(cell)
    return study, results, tmp_path


class Checker(HTMLParser):
    """Notes what a page asks for from elsewhere, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.outside, self.ids = list[str](), list[str](), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href") and not (value or "").startswith("#"):
                self.outside.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_by_itself(made: tuple[Study, Results, Path]) -> None:
    pytest.importorskip("matplotlib")
    study, results, root = made
    files = page.write(study, results, counted([found(data) for data in study.data], root))
    told = (results.out / "report.html").read_text()
    checker = Checker()
    checker.feed(told)
    assert not checker.open and not checker.outside
    assert len({*checker.ids}) == len(checker.ids)
    assert "The data &amp; more" in told and "<script" not in told
    assert "http" not in told.replace("http://www.w3.org", "")
    assert "prefers-color-scheme: dark" in told
    drawing = told[told.index("<svg") : told.index("</svg>")]
    assert "var(--ink)" in drawing and "#1c1917" not in drawing
    assert {file.name for file in files} >= {"data.csv", "data.tex", "same.csv", "scores.tex", "bars.png"}


def test_statistics_overlap_and_p_values_are_tables(made: tuple[Study, Results, Path]) -> None:
    pytest.importorskip("matplotlib")
    study, results, root = made
    page.write(study, results, counted([found(data) for data in study.data], root))
    told = (results.out / "report.md").read_text()
    assert "| documents in training | 60 |" in told
    assert "| kNN | popular | 50.00 | 75.00 | 83.33 | 75.00 | 90.00 |" in told
    assert "| model | rank P@k | rank nDCG@k | p P@k | p nDCG@k |" in told
    assert "| Theirs | **1.00** | - | 1 | - |" in told
    assert "- Theirs on toy: Paper, Table 2, as printed" in told


def test_latex() -> None:
    sheet = Sheet("50% & more", ("a_b", "P@1"), ((Entry("x"), Entry("1.00 ± 0.10", True)),), 1, "A {note}.")
    lines = sheet.latex().splitlines()
    assert r"\caption{50\% \& more}" in lines
    assert r"a\_b & P@1 \\" in lines
    assert r"x & \textbf{1.00 $\pm$ 0.10} \\" in lines
    assert re.search(r"A \\\{note\\\}\.", sheet.latex())


def test_a_label_that_repeats_is_written_once() -> None:
    rows = tuple((Entry(a), Entry(b), Entry("1")) for a, b in (("one", "x"), ("one", "y"), ("two", "y")))
    told = Sheet("t", ("data", "model", "P"), rows, 2).html()
    assert told.count(">one<") == 1 and told.count(">y<") == 2 and told.count("class=next") == 1


def test_parts_of_a_table_are_files_of_their_own() -> None:
    titles = ("Scores", "Scores: average ranks", "Scores: P@1", "Scores: модель", "Scores: a+b", "Scores: a b")
    files = page._csv_files("scores", "Scores", [Sheet(title, ("x",), ((Entry(title),),), 1) for title in titles])
    names = ["scores", "scores-average-ranks", "scores-p-1", "scores-модель", "scores-a-b", "scores-a-b-6"]
    assert [*files] == [f"{name}.csv" for name in names]
    assert [text.splitlines()[1] for text in files.values()] == [*titles]
