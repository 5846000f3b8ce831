"""What a study writes: pages in Markdown and HTML, each table as CSV and LaTeX, each picture, all results."""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from umpteen.core.files import Staging
from umpteen.study.charts import draw
from umpteen.study.counted import Counts
from umpteen.study.figures import about
from umpteen.study.html import html_page
from umpteen.study.plan import Study
from umpteen.study.report import Report, report
from umpteen.study.results import Results
from umpteen.study.sheet import Sheet

MARKDOWN, HTML, RESULTS = "report.md", "report.html", "results.csv"


def write(
    study: Study,
    results: Results,
    counts: Mapping[str, Counts] | None = None,
    *,
    pictures: bool = True,
    svg: bool = False,
) -> list[Path]:
    """Write everything anew from the results that there are; the files, pages first. Without pictures, no HTML."""
    made, out = report(study, results, counts or {}), results.out
    texts = {MARKDOWN: markdown_page(made, svg=svg)}
    if pictures:
        texts[HTML] = html_page(made, {plot.name: _svg(plot.name, made) for plot in study.plots})
    for name, parts in made.tables.items():
        texts |= _csv_files(name, next(table.title for table in study.tables if table.name == name), parts)
        texts[f"{name}.tex"] = "\n".join(part.latex() for part in parts)
    texts[RESULTS] = results.table(study)
    formats = ("png", "svg") if svg else ("png",)
    with Staging() as staging:
        for name, text in texts.items():
            staging.open(out / name).write(text.encode())
        for plot in study.plots if pictures else ():
            for format in formats:
                draw(plot, study, about(plot, made.points), staging.open(out / f"{plot.name}.{format}"), format=format)
    return [out / name for name in (*texts, *(f"{plot.name}.{format}" for plot in study.plots for format in formats))]


def _svg(name: str, made: Report) -> str:
    out = io.BytesIO()
    plot = next(plot for plot in made.study.plots if plot.name == name)
    draw(plot, made.study, about(plot, made.points), out, format="svg")
    return out.getvalue().decode()


def _csv_files(name: str, title: str, parts: Sequence[Sheet]) -> dict[str, str]:
    """A file for each part of a table, named by what its title adds; of equal names the later are counted."""
    found: dict[str, str] = {}
    for part in parts:
        added = re.sub(r"[^\w.]+", "-", part.title.removeprefix(title).lower()).strip("-.")
        own = f"{name}-{added}" if added else name
        found[f"{own}.csv" if f"{own}.csv" not in found else f"{own}-{len(found) + 1}.csv"] = part.csv()
    return found


def markdown_page(made: Report, *, svg: bool = False) -> str:
    """The page in Markdown, which names the pictures' files."""
    study = made.study
    lines = [f"# {study.title}", ""]
    if study.about:
        lines += [study.about.strip(), ""]
    lines += [" ".join(made.remarks), ""]
    for sheet in made.sheets:
        lines += [f"## {sheet.title}", "", sheet.markdown(), ""]
    for plot in study.plots:
        lines += [f"## {plot.title}", "", f"![{plot.title}]({plot.name}.{'svg' if svg else 'png'})", ""]
    if made.sources:
        lines += ["## Sources", "", *(f"- {text}" for text in made.sources), ""]
    if made.failures:
        lines += ["## Runs that failed", "", *(f"- {text}" for text in made.failures), ""]
    return "\n".join(lines)
