"""What a study writes: a Markdown page with all tables and pictures, each table as CSV, each picture, all results."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from umpteen.core.files import Staging
from umpteen.study.charts import draw
from umpteen.study.figures import Point, points
from umpteen.study.plan import Study
from umpteen.study.results import Results
from umpteen.study.tables import Sheet, sheets

PAGE, RESULTS = "report.md", "results.csv"


def write(study: Study, results: Results, *, pictures: bool = True, svg: bool = False) -> list[Path]:
    """Write everything anew from the results that there are; the files, the page first."""
    found, out = points(study, results), results.out
    tables = {table.name: [*sheets(table, study, found)] for table in study.tables}
    texts = {PAGE: _page(study, results, found, tables, svg=svg)}
    texts |= {f"{name}.csv": _joined(parts) for name, parts in tables.items()}
    texts[RESULTS] = results.table(study)
    formats = ("png", "svg") if svg else ("png",)
    with Staging() as staging:
        for name, text in texts.items():
            staging.open(out / name).write(text.encode())
        for plot in study.plots if pictures else ():
            for format in formats:
                draw(plot, study, found, staging.open(out / f"{plot.name}.{format}"), format=format)
    return [out / name for name in (*texts, *(f"{plot.name}.{format}" for plot in study.plots for format in formats))]


def _joined(parts: Sequence[Sheet]) -> str:
    """Several tables of one kind in one file, each under its title."""
    if len(parts) == 1:
        return parts[0].csv()
    return "\n".join(f"{part.title}\n{part.csv()}" for part in parts)


def _page(study: Study, results: Results, found: Sequence[Point], tables: dict[str, list[Sheet]], *, svg: bool) -> str:
    lines = [f"# {study.title}", ""]
    if study.about:
        lines += [study.about.strip(), ""]
    lines += [" ".join(remarks(study, results)), ""]
    for name in tables:
        for sheet in tables[name]:
            lines += [f"## {sheet.title}", "", sheet.markdown(), ""]
    for plot in study.plots:
        lines += [f"## {plot.title}", "", f"![{plot.title}]({plot.name}.{'svg' if svg else 'png'})", ""]
    lines += sources(found)
    if results.failed:
        lines += ["## Runs that failed", "", *(f"- {cell.name}: {error}" for cell, error in results.failed), ""]
    return "\n".join(lines)


def remarks(study: Study, results: Results) -> Iterator[str]:
    """How the figures came about, a sentence each."""
    runs = {cell.key for cell in results.cells}
    done = len(runs) - len(results.to_do)
    yield f"{done} of {len(runs)} runs have ended well." if done < len(runs) else f"{done} runs."
    seeds = ", ".join(map(str, study.seeds))
    spread = " Figures are means, and ± is the standard deviation over runs." if _repeated(study, results) else ""
    yield f"Seed{'s' if len(study.seeds) > 1 else ''} {seeds}.{spread}"
    alone = [variant.name for variant in study.models if not variant.seeded]
    if alone and len(study.seeds) > 1:
        yield f"{', '.join(alone)}: seed {study.seeds[0]} alone."
    if study.valid:
        noise = ", without noise" if study.noise else ""
        yield f"{100 * study.valid:g}% of the training documents are validation documents{noise}."
    for data in study.data:
        if data.where:
            yield f"{data.name}: {' and '.join(f'{k} is {_or(v)}' for k, v in data.where.items())} only."
    drawn = {cell.at["data"]: cell.wanted["split"]["test"] for cell in results.cells if cell.split is not None}
    for name, share in drawn.items():
        count = len({cell.split for cell in results.cells if cell.at["data"] == name})
        yield f"{name}: {count} random split{'s' if count > 1 else ''}, {100 * share:g}% test documents."


def _or(values: tuple[object, ...]) -> str:
    return " or ".join(map(str, values))


def _repeated(study: Study, results: Results) -> bool:
    return len(study.seeds) > 1 or any(cell.split for cell in results.cells)


def sources(found: Sequence[Point]) -> list[str]:
    """Where published rows come from."""
    rows = [point.source for point in found if point.source is not None]
    return [*(f"- {row.name} on {row.data}: {row.source}, as printed" for row in rows), ""] if rows else []
