"""What people see of a study: its runs before they begin, how each ended, and the tables in the end."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from umpteen.app.tables import show, spoken_seconds, table
from umpteen.core.errors import UmpteenError

if TYPE_CHECKING:
    from rich.text import Text

    from umpteen.study.cells import Cell
    from umpteen.study.needs import Needs
    from umpteen.study.report import Report
    from umpteen.study.results import Results
    from umpteen.study.sheet import Entry, Sheet


def show_shipped() -> None:
    """The studies that come with the product."""
    from umpteen.study.shelf import shipped

    table(["study", "what it shows"], [(one.call, one.title) for one in shipped()])
    show("\nRun one with: umpteen study NAME. A file of your own works as well: umpteen study FILE.toml")


def show_runs(results: "Results", needs: "Needs", *, jobs: int) -> None:
    """All runs, what they need, and how long those that are left will roughly take."""
    from umpteen.core.memory import spoken

    cells = [*{cell.key: cell for cell in results.cells}.values()]
    rows = []
    for cell in cells:
        seconds = needs.seconds(cell)
        memory = spoken(needs.memory(cell))
        rows.append((cell.data, cell.about, memory, spoken_seconds(seconds) if seconds else "?", _state(results, cell)))
    table(["data", "run", "memory", "time", "state"], rows)
    show(f"\n{len(cells)} runs, {len(cells) - len(results.to_do)} of them done. Results go to {results.out}.")
    if left := _left(results, needs, jobs):
        show(left)


def _left(results: "Results", needs: "Needs", jobs: int) -> str:
    todo = [needs.seconds(cell) for cell in results.to_do]
    known = [seconds for seconds in todo if seconds is not None]
    if not known:
        return ""
    unknown = f", and {len(todo) - len(known)} runs of which nothing is known yet" if len(known) < len(todo) else ""
    return f"What is left takes about {spoken_seconds(sum(known) / jobs)}{unknown}."


def _state(results: "Results", cell: "Cell") -> str:
    found = results.of(cell)
    if found is not None:
        return "done" if found.error is None else "failed"
    folder = results.folder(cell)
    if (folder / "run" / "checkpoint").is_dir():
        return "stopped"
    return "changed" if (folder / "result.json").is_file() else "to do"


def told(results: "Results", cell: "Cell", names: tuple[str, ...]) -> str:
    """How a run ended, in a line: some of these measures."""
    from umpteen.study import measures

    found = results.of(cell)
    if found is None or found.error is not None:
        return f"failed: {found.error if found else ''}"
    first = [name for name in names if name in found.measures and measures.is_percent(name)][:3]
    scores = ", ".join(f"{name} {measures.written(name, found.measures[name])}" for name in first)
    return f"{scores}, trained in {spoken_seconds(found.measures['train-seconds'])}"


def show_report(made: "Report", results: "Results", files: list[Path]) -> None:
    """All tables and where they were written; an error if runs failed."""
    for sheet in made.sheets:
        show_sheet(sheet)
        show()
    for line in made.sources:
        show(f"- {line}")
    show(f"Written: {', '.join(str(file) for file in files)}")
    if results.failed:
        count = len({cell.key for cell in results.cells})
        cell, error = results.failed[0]
        raise UmpteenError(
            f"{len(results.failed)} of {count} runs failed; the same command tries them again. "
            f"The first: {cell.name}: {error}"
        )


def show_sheet(sheet: "Sheet") -> None:
    """A table, the best bold, or with a star where there is no bold."""
    rows = [[*(e.text for e in row[: sheet.labels]), *(map(_cell, row[sheet.labels :]))] for row in sheet.rows]
    table(sheet.heads, rows, title=sheet.title)
    if sheet.note:
        show(sheet.note)


def _cell(entry: "Entry") -> "Text":
    from rich.text import Text

    bold = sys.stdout.isatty()
    return Text(entry.text + ("*" if entry.best and not bold else " "), style="bold" if entry.best and bold else "")
