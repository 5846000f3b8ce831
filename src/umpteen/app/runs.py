"""A training beside its model: where it keeps what it has learnt, whether it was stopped, how it was begun."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from typer import BadParameter

from umpteen.app.config import Config
from umpteen.core.errors import UmpteenError

if TYPE_CHECKING:
    from umpteen.core.run import Run


def check_stopped(out: Path) -> None:
    """A training that was stopped is not lost by starting another in its place."""
    from umpteen.core.run import Run

    place = _place(out)
    if not (place / "run.json").is_file():
        return
    with (run := Run(place, resume=True)).held():  # else it goes on in another process
        started = run.started
    if started:
        raise UmpteenError(
            f"{place} holds a training that was stopped. Go on with it by --resume, or delete {place} to start over."
        )


def run_of(wanted: Config, resume: bool, reading: dict[str, Any]) -> "Run":
    """The folder beside the model in which a long training keeps its checkpoints."""
    from umpteen.core.run import Run

    assert wanted.out is not None
    place = _place(wanted.out)
    if resume and (stopped := Run(place, resume=True)).started:
        return stopped
    return Run(place, wanted.to_json() | reading)


def _place(out: Path) -> Path:
    return out.with_name(f"{out.name}.run")


def begun_with(out: Path | None, model: str | None) -> tuple[Config, dict[str, Any]]:
    """What the training to be resumed, of a model if one is named, was begun with, and how its files were read."""
    from umpteen.core.run import Run
    from umpteen.core.store import check_free

    if out is None:
        raise BadParameter(
            "Say which training to go on with, by where it saves its model: --out DIR", param_hint="--out"
        )
    check_free(out)
    place = _place(out)
    if not place.exists() and is_taken(out):
        raise UmpteenError(
            f"The training of {out} was not stopped, or it has gone on to its end: there is nothing to resume. "
            "To train anew, leave --resume out."
        )
    run = Run(place, resume=True)
    wanted = run.wanted
    reading = {name: wanted.pop(name, None) for name in ("base", "skip_bad", "calibrate")}
    try:
        begun = Config.from_json(wanted)
    except TypeError:
        raise run.damaged from None
    if model not in (None, begun.model):
        raise UmpteenError(
            f"{place} is a stopped training of {begun.model}, not {model}. Go on without --model, or delete {place}."
        )
    return begun, reading


def is_taken(out: Path) -> bool:
    """Whether there is a model already."""
    return out.is_dir() and any(out.iterdir())


def kept_of(out: Path, run: "Run | None") -> str:
    """What a user who stops the training still has."""
    model = f"The model that was in {out} is unchanged." if is_taken(out) else "No model was saved."
    again = f" Go on with: umpteen train --out {quote(str(out))} --resume" if run is not None else ""
    return model + again
