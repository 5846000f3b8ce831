"""umpteen study: a paper's table or figure made anew, from one file that says what to run and what to show."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from umpteen.app.border import keeping, note
from umpteen.app.studies import show_report, show_runs, show_shipped, told
from umpteen.app.tables import show
from umpteen.core.progress import bar

if TYPE_CHECKING:
    from umpteen.study.cells import Cell
    from umpteen.study.counted import Counts
    from umpteen.study.plan import Study
    from umpteen.study.results import Results
    from umpteen.study.runner import Runner
    from umpteen.study.sources import Source

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
    memory: Annotated[
        str | None,
        Option(
            "--memory",
            metavar="SIZE",
            help="What runs at a time may need together, such as 8GiB.",
            show_default="nine tenths of what is free",
        ),
    ] = None,
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
        show_shipped()
        return
    from umpteen.study.counted import counted
    from umpteen.study.narrowing import narrowed
    from umpteen.study.needs import Needs
    from umpteen.study.ranges import numbers
    from umpteen.study.report import left_out
    from umpteen.study.results import claimed
    from umpteen.study.runner import Runner
    from umpteen.study.shelf import study_named

    wanted = narrowed(
        study_named(name, model=model),
        data=[part for text in data or () for part in _parts(text)],
        seeds=cast(tuple[int, ...], numbers(seeds, what="--seeds", whole=True)) if seeds is not None else (),
        models=[part.strip() for part in (models or "").split(",") if part.strip()],
        rates=numbers(rates, what="--rates") if rates is not None else (),
        settings=set or (),
    )
    results, sources = _planned(wanted, out or Path(f"study-{wanted.name}"))
    if not dry_run:
        claimed(results.out, wanted.name, wanted.title)
    count = dry_run or jobs > 1 or memory is not None or any(table.kind == "statistics" for table in wanted.tables)
    counts = counted(sources, results.out) if count else {}
    takes = {(data, v.name): seconds for v in wanted.models for data, seconds in v.takes.items()}
    needs, most = Needs(results, counts, takes), budget(memory, jobs)
    if dry_run:
        show_runs(results, needs, jobs=jobs)
        for sentence in left_out(wanted, results):
            show(sentence)
    else:
        runner = Runner(results, jobs, most, needs, keep_models, anyway, say())
        _done(wanted, results, runner, counts, svg=svg)


def _parts(text: str) -> list[str]:
    """Data may be named with commas between, unless there is a file of such a name."""
    return [text] if Path(text).exists() else [part.strip() for part in text.split(",") if part.strip()]


def budget(memory: str | None, jobs: int) -> int | None:
    """Bytes that runs may need together: as told, or most of what is free where several run at a time."""
    from umpteen.core.memory import bytes_of, free

    if memory is not None:
        return bytes_of(memory)
    there = free()
    return int(0.9 * there) if jobs > 1 and there is not None else None


def say() -> Callable[[str], None] | None:
    """What gets a line now and then about how far runs are: where nobody sees bars."""
    return None if sys.stderr.isatty() else note


def _planned(study: "Study", out: Path) -> "tuple[Results, list[Source]]":
    """All runs, with those that are done, and the data; every mistake there is shows here."""
    from umpteen.core.extras import need
    from umpteen.study.cells import cells
    from umpteen.study.results import Results
    from umpteen.study.sources import found

    if study.plots:
        need("matplotlib", extra="study", what="Drawing plots")
    with bar("Looking at the data"):
        sources = [found(data) for data in study.data]
        return Results(out, cells(study, sources)), sources


def _done(study: "Study", results: "Results", runner: "Runner", counts: "dict[str, Counts]", *, svg: bool) -> None:
    from umpteen.core.lock import held
    from umpteen.study import page
    from umpteen.study.report import left_out, report

    todo, total = results.to_do, len({cell.key for cell in results.cells})
    done, drawn = total - len(todo), time.monotonic()

    def after(cell: "Cell") -> None:
        nonlocal done, drawn
        pictures = time.monotonic() - drawn > _DRAWN
        page.write(study, results, counts, pictures=pictures, svg=svg)
        done, drawn = done + 1, time.monotonic() if pictures else drawn
        note(f"{done} of {total}: {cell.name}: {told(results, cell, study.measures)}")

    with (
        held(results.out / ".lock", by="another study"),
        keeping(f"What has ended is in {results.out}. Go on with the same command: {command()}"),
    ):
        note(f"{study.title}: {total} runs" + (f", {done} of them done before." if done else "."))
        for sentence in left_out(study, results):
            note(sentence)
        runner.run(todo, after)
        files = page.write(study, results, counts, svg=svg)
    show_report(report(study, results, counts), results, files)


def command() -> str:
    """What the user typed."""
    return " ".join(["umpteen", *map(quote, sys.argv[1:])])
