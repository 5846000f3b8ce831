"""umpteen study: a paper's table or figure made anew, from one file that says what to run and what to show."""

import sys
import time
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from umpteen.app.border import keeping, note
from umpteen.app.tables import show, spoken_seconds, table
from umpteen.core.errors import UmpteenError
from umpteen.core.progress import bar

if TYPE_CHECKING:
    from rich.text import Text

    from umpteen.study.cells import Cell
    from umpteen.study.plan import Study
    from umpteen.study.results import Results
    from umpteen.study.tables import Entry, Sheet

_DRAWN = 10.0  # seconds between two drawings while runs go on


def study(
    name: Annotated[
        str | None,
        Argument(metavar="NAME|FILE.toml", help="A study; without it, those that there are.", show_default=False),
    ] = None,
    data: Annotated[
        list[str] | None,
        Option(
            "--data",
            "-d",
            metavar="PATH",
            help="Data in place of the study's: a path, or a name below UMPTEEN_DATA; may be repeated.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="DIR", help="Where results go.", show_default="study-NAME")
    ] = None,
    seeds: Annotated[
        str | None, Option("--seeds", metavar="LIST", help="Such as 0,1,2 or 0..4.", show_default=False)
    ] = None,
    models: Annotated[
        str | None, Option("--models", metavar="LIST", help="Some of its models, by name.", show_default=False)
    ] = None,
    rates: Annotated[
        str | None,
        Option("--rates", metavar="LIST", help="Rates of label noise, such as 0,0.1..0.6.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        Option("--model", "-m", metavar="NAME", help="Which model's, where a study has several.", show_default=False),
    ] = None,
    set: Annotated[
        list[str] | None,
        Option("--set", metavar="MODEL.NAME=VALUE", help="A setting; may be repeated.", show_default=False),
    ] = None,
    jobs: Annotated[int, Option("--jobs", "-j", min=1, help="Runs at a time, which share the cores.")] = 1,
    svg: Annotated[bool, Option("--svg", help="Write plots as SVG as well.")] = False,
    keep_models: Annotated[bool, Option("--keep-models", help="Keep the models of all runs.")] = False,
    anyway: Annotated[bool, Option("--anyway", help="Train even if memory will probably not suffice.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Print the runs and do none.")] = False,
) -> None:
    """Train and compare models as a study says, and write its tables and plots.

    The same command again goes on where it was stopped, and redoes only what has changed.

    Example: umpteen study noise --data movies --rates 0,0.1..0.6
    """
    if name is None:
        _list()
        return
    from umpteen.study.narrowing import narrowed
    from umpteen.study.ranges import numbers
    from umpteen.study.shelf import study_named

    wanted = narrowed(
        study_named(name, model=model),
        data=[part for text in data or () for part in _parts(text)],
        seeds=cast(tuple[int, ...], numbers(seeds, what="--seeds", whole=True)) if seeds is not None else (),
        models=[part.strip() for part in (models or "").split(",") if part.strip()],
        rates=numbers(rates, what="--rates") if rates is not None else (),
        settings=set or (),
    )
    results = _planned(wanted, out or Path(f"study-{wanted.name}"))
    if dry_run:
        _show_runs(results)
    else:
        _done(wanted, results, jobs=jobs, keep=keep_models, anyway=anyway, svg=svg)


def _parts(text: str) -> list[str]:
    """Data may be named with commas between, unless there is a file of such a name."""
    return [text] if Path(text).exists() else [part.strip() for part in text.split(",") if part.strip()]


def _list() -> None:
    from umpteen.study.shelf import shipped

    table(["study", "what it shows"], [(one.call, one.title) for one in shipped()])
    show("\nRun one with: umpteen study NAME. A file of your own works as well: umpteen study FILE.toml")


def _planned(study: "Study", out: Path) -> "Results":
    """All runs, with those that are done; every mistake there is shows here."""
    from umpteen.core.extras import need
    from umpteen.study.cells import cells
    from umpteen.study.results import Results
    from umpteen.study.sources import found

    if study.plots:
        need("matplotlib", extra="study", what="Drawing plots")
    with bar("Looking at the data"):
        sources = [found(data) for data in study.data]
        return Results(out, cells(study, sources))


def _show_runs(results: "Results") -> None:
    cells = [*{cell.key: cell for cell in results.cells}.values()]
    rows = [(cell.data, cell.about, _state(results, cell)) for cell in cells]
    table(["data", "run", "state"], rows)
    show(f"\n{len(cells)} runs, {len(cells) - len(results.to_do)} of them done. Results go to {results.out}.")


def _state(results: "Results", cell: "Cell") -> str:
    found = results.of(cell)
    if found is not None:
        return "done" if found.error is None else "failed"
    folder = results.folder(cell)
    if (folder / "run" / "checkpoint").is_dir():
        return "stopped"
    return "changed" if (folder / "result.json").is_file() else "to do"


def _done(study: "Study", results: "Results", *, jobs: int, keep: bool, anyway: bool, svg: bool) -> None:
    from umpteen.core.lock import held
    from umpteen.study import page
    from umpteen.study.results import claimed
    from umpteen.study.runner import Runner

    claimed(results.out, study)
    todo, total = results.to_do, len({cell.key for cell in results.cells})
    done, drawn = total - len(todo), time.monotonic()

    def after(cell: "Cell") -> None:
        nonlocal done, drawn
        pictures = time.monotonic() - drawn > _DRAWN
        page.write(study, results, pictures=pictures, svg=svg)
        done, drawn = done + 1, time.monotonic() if pictures else drawn
        note(f"{done} of {total}: {cell.name}: {_told(results, cell, study)}")

    with (
        held(results.out / ".lock", by="another study"),
        keeping(f"What has ended is in {results.out}. Go on with the same command: {_command()}"),
    ):
        note(f"{study.title}: {total} runs" + (f", {done} of them done before." if done else "."))
        Runner(results, jobs=jobs, keep=keep, anyway=anyway).run(todo, after)
        files = page.write(study, results, svg=svg)
    _show(study, results, files)


def _command() -> str:
    return " ".join(["umpteen", *map(quote, sys.argv[1:])])


def _told(results: "Results", cell: "Cell", study: "Study") -> str:
    """How a run ended, in a line."""
    from umpteen.study import measures

    found = results.of(cell)
    if found is None or found.error is not None:
        return f"failed: {found.error if found else ''}"
    first = [name for name in study.measures if name in found.measures and measures.is_percent(name)][:3]
    scores = ", ".join(f"{name} {measures.written(name, found.measures[name])}" for name in first)
    return f"{scores}, trained in {spoken_seconds(found.measures['train-seconds'])}"


def _show(study: "Study", results: "Results", files: list[Path]) -> None:
    from umpteen.study.figures import points
    from umpteen.study.page import sources
    from umpteen.study.tables import sheets

    found = points(study, results)
    for each in study.tables:
        for sheet in sheets(each, study, found):
            _show_sheet(sheet)
            show()
    for line in sources(found):
        show(line)
    show(f"Written: {', '.join(str(file) for file in files)}")
    if results.failed:
        count = len({cell.key for cell in results.cells})
        cell, error = results.failed[0]
        raise UmpteenError(
            f"{len(results.failed)} of {count} runs failed; the same command tries them again. "
            f"The first: {cell.name}: {error}"
        )


def _show_sheet(sheet: "Sheet") -> None:
    rows = [[*(e.text for e in row[: sheet.labels]), *(map(_cell, row[sheet.labels :]))] for row in sheet.rows]
    table(sheet.heads, rows, title=sheet.title)


def _cell(entry: "Entry") -> "Text":
    """A figure, the best bold, or with a star where there is no bold."""
    from rich.text import Text

    bold = sys.stdout.isatty()
    return Text(entry.text + ("*" if entry.best and not bold else " "), style="bold" if entry.best and bold else "")
