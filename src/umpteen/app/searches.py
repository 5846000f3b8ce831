"""What people see of a search: what it will try, and what came of it."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from umpteen.app.tables import show, spoken_seconds, table
from umpteen.core.errors import UmpteenError
from umpteen.core.files import Staging

if TYPE_CHECKING:
    from umpteen.study.search import Judged, Rung, Search
    from umpteen.study.space import Space

_SHOWN = 10  # trials on the screen; the file has all


def show_plan(search: "Search", space: "Space", rounds: "Sequence[Rung]") -> None:
    """The space and the rounds."""
    table(["setting", "values"], [(name, str(values)) for name, values in space.items()])
    show()
    rows = [(n, rung.trials, f"{100 * rung.share:.3g}% of the {search.budget}") for n, rung in enumerate(rounds, 1)]
    table(["round", "trials", "each with"], rows)
    show(f"\nThe usual settings go through all rounds besides. What counts is {search.metric} on validation documents.")


def written(search: "Search", judged: "Sequence[Judged]", out: Path) -> list[Path]:
    """Write the trials, and the best of them as a configuration."""
    from umpteen.study.space import toml

    best, default = judged[0], next(one for one in judged if not one.trial.settings)
    if best.score is None:
        raise UmpteenError(f"No trial ended well. {out / 'runs'} has what each said.")
    about = [
        f"The best of {len(judged)} settings of {search.model} for {search.source.data.name}:",
        f"{search.metric} {best.score:.2f} on validation documents; with the usual settings {_score(default)}.",
    ]
    settings = {**search.fixed, **best.trial.settings}
    files = {
        out / "best.toml": toml(search.model, search.preset, settings, about=about),
        out / "trials.csv": _csv(search, judged),
    }
    with Staging() as staging:
        for file, text in files.items():
            staging.open(file).write(text.encode())
    return [*files]


def outcome(search: "Search", judged: "Sequence[Judged]", files: list[Path], data: Path) -> None:
    """The best trials, and what to do with them."""
    from umpteen.study.space import spelt

    names = _names(judged)
    rows = [
        (
            *(spelt(one.trial.settings[name]) if name in one.trial.settings else "default" for name in names),
            f"{100 * one.share:.3g}%",
            one.score,
            spoken_seconds(one.seconds),
        )
        for one in judged
        if one in judged[:_SHOWN] or not one.trial.settings
    ]
    table([*names, "with", search.metric, "trained in"], rows)
    default = next(one for one in judged if not one.trial.settings)
    show()
    if judged[0] is default:
        show(f"Nothing that was tried is better than the usual settings, {search.metric} {_score(default)}.")
    else:
        show(
            f"{search.metric} {_score(judged[0])}; with the usual settings {_score(default)}, on the same validation "
            "documents."
        )
    show(f"Written: {', '.join(map(str, files))}")
    show(f"Next: umpteen train {quote(str(data))} --config {quote(str(files[0]))} --out MODEL")


def _names(judged: "Sequence[Judged]") -> list[str]:
    return [*dict.fromkeys(name for one in judged for name in one.trial.settings)]


def _score(one: "Judged") -> str:
    return "none" if one.score is None else f"{one.score:.2f}"


def _csv(search: "Search", judged: "Sequence[Judged]") -> str:
    from umpteen.study.space import spelt

    text, names = io.StringIO(), _names(judged)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["trial", "share", search.metric, "train-seconds", *names])
    for one in judged:
        values: list[Any] = [spelt(one.trial.settings[n]) if n in one.trial.settings else "" for n in names]
        writer.writerow([one.trial.name, f"{one.share:.4g}", _score(one), f"{one.seconds:.2f}", *values])
    return text.getvalue()
