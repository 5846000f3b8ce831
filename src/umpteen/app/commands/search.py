"""umpteen search: the settings of a model that suit some documents best, found by successive halving."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.border import keeping, note
from umpteen.app.commands.study import budget as budget_of
from umpteen.app.commands.study import command, say
from umpteen.app.searches import outcome, show_plan, written
from umpteen.app.studies import told
from umpteen.core.errors import DataError, SettingError
from umpteen.core.files import missing
from umpteen.data.folder import VALID, corpus_at, member

if TYPE_CHECKING:
    from umpteen.study.cells import Cell
    from umpteen.study.results import Results
    from umpteen.study.runner import Runner
    from umpteen.study.search import Rung, Search


def search(
    data: Annotated[Path, Argument(metavar="DATA", help="Documents with labels, or a folder of them.")],
    model: Annotated[str, Option("--model", "-m", metavar="NAME", help="One of `umpteen models`.")] = "plt",
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="DIR", help="Where results go.", show_default="search-MODEL")
    ] = None,
    trials: Annotated[int, Option("--trials", "-n", min=1, help="Settings to try, besides the default.")] = 27,
    set: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUES",
            help="Values to try, as cost=0.3,1,3 or rate=0.0005..0.005; may be repeated.",
            show_default="the model's own",
        ),
    ] = None,
    space: Annotated[
        Path | None, Option("--space", metavar="FILE", help="A TOML file of the same.", show_default=False)
    ] = None,
    preset: Annotated[
        str | None, Option("--preset", metavar="NAME", help="A preset to begin with.", show_default=False)
    ] = None,
    metric: Annotated[
        str, Option("--metric", metavar="NAME", help="What is best: P@1, PSP@5, micro-F1, ...")
    ] = "nDCG@5",
    budget: Annotated[
        Literal["documents", "epochs"], Option("--budget", help="What early rounds get less of.")
    ] = "documents",
    valid: Annotated[
        Path | None,
        Option("--valid", metavar="FILE", help="Documents to judge by.", show_default="a fifth of DATA"),
    ] = None,
    seed: Annotated[int, Option("--seed", min=0, help="Same seed, same trials.")] = 0,
    jobs: Annotated[int, Option("--jobs", "-j", min=1, help="Runs at a time, which share the cores.")] = 1,
    memory: Annotated[
        str | None,
        Option("--memory", metavar="SIZE", help="What runs at a time may need together.", show_default=False),
    ] = None,
    format: options.Format = None,
    anyway: Annotated[bool, Option("--anyway", help="Train even if memory will probably not suffice.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Print what would be tried and do nothing.")] = False,
) -> None:
    """Find the settings of a model that suit some documents best.

    Early rounds learn from few documents; the best third goes on. The same command again goes on where it was stopped.

    Example: umpteen search articles --model plt --trials 27 --out found
    """
    from umpteen.models import model as model_class
    from umpteen.study.counted import counted
    from umpteen.study.measures import check
    from umpteen.study.needs import Needs
    from umpteen.study.plan import Data
    from umpteen.study.reading import spoken
    from umpteen.study.results import Results, claimed
    from umpteen.study.runner import Runner
    from umpteen.study.search import Search, Trial, rungs, searched
    from umpteen.study.sources import found
    from umpteen.study.space import drawn, parted, space_of

    check(metric)
    source = found(Data(name=spoken(str(data)), path=str(data), format=format))
    kind = model_class(model)
    valid = _judging(valid, format)
    values = space_of(kind.Params, set or (), space, owner=model, text=source.is_text, preset=preset)
    fixed, values = parted(values)
    usual = kind(**vars(kind.Params.made(fixed, owner=model, preset=preset)))
    if not source.is_text and not usual.takes_features():
        raise DataError(f"{model} reads text, and {source.data.name} holds ready features. Choose another --model.")
    if not values:
        raise SettingError(f"There is nothing to search in {model}: name settings with --set NAME=VALUES.")
    wanted = Search(
        source=source,
        model=model,
        preset=preset,
        fixed=fixed,
        trials=tuple(Trial(settings) for settings in drawn(values, trials, seed=seed)),
        metric=metric,
        budget=budget,
        validation=str(valid.absolute()) if valid is not None else None,
        seed=seed,
    )
    place = out or Path(f"search-{model}")
    for trial in wanted.trials:
        wanted.cell(trial, 1.0)  # so that a mistake shows before the work
    if not dry_run:
        claimed(place, f"search {model} on {source.data.name}", f"Settings of {model} for {source.data.name}")
    counts = counted([source], place)
    documents = counts[source.data.name].size.documents
    rounds = rungs(len(wanted.trials), int(documents * (1 if valid else 1 - wanted.valid)), budget)
    if dry_run:
        show_plan(wanted, values, rounds)
        return

    def run(cells: "Sequence[Cell]", rung: "Rung") -> "Results":
        results = Results(place, cells)
        needs = Needs(results, counts)
        runner = Runner(results, jobs, budget_of(memory, jobs), needs, False, anyway, say())
        return _round(runner, cells, rung, wanted)

    with keeping(f"What has ended is in {place}. Go on with the same command: {command()}"):
        judged = searched(wanted, rounds, run)
    outcome(wanted, judged, written(wanted, judged, place), data)


def _round(runner: "Runner", cells: "Sequence[Cell]", rung: "Rung", wanted: "Search") -> "Results":
    from umpteen.core.lock import held

    results = runner.results
    todo, share = results.to_do, f"{100 * rung.share:.3g}% of the {wanted.budget}"
    done = f", {len(cells) - len(todo)} of them done before" if len(todo) < len(cells) else ""
    note(f"{len(cells)} trials with {share}{done}.")
    with held(results.out / ".lock", by="another search"):
        runner.run(todo, lambda cell: note(f"{cell.at['trial']}: {told(results, cell, (wanted.metric,))}"))
    return results


def _judging(valid: Path | None, format: str | None) -> Path | None:
    """The file with validation documents, which may be named by its folder."""
    if valid is None:
        return None
    file = member(valid, VALID) or valid
    if not file.exists():
        raise DataError(missing(file))
    next(iter(corpus_at(file, format=format)), None)  # so that a mistake in it shows before the work
    return file
