"""umpteen train: learn from documents with labels and save the model."""

import math
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from umpteen.app import options
from umpteen.app.border import keeping, note
from umpteen.app.choosing import show_tuning
from umpteen.app.config import DEFAULT_MODEL, Config, assignments, read_config
from umpteen.app.inputs import labels_for, report_bad
from umpteen.app.places import spread_over, within
from umpteen.app.tables import show, spoken_seconds
from umpteen.app.teaching import taught
from umpteen.core.errors import UmpteenError
from umpteen.core.legible import number_of
from umpteen.core.progress import bar
from umpteen.data.folder import VALID, corpus_at

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.core.run import Run
    from umpteen.core.store import Folder


def train(
    data: Annotated[
        Path | None,
        Argument(
            metavar="DATA", help="Documents with labels: a file, or a folder with a train file.", show_default=False
        ),
    ] = None,
    model: Annotated[
        str | None, Option("--model", "-m", metavar="NAME", help="One of `umpteen models`.", show_default=DEFAULT_MODEL)
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="DIR", help="Where to save the model.", show_default=False)
    ] = None,
    valid: Annotated[
        Path | None,
        Option(
            "--valid", metavar="FILE", help="Documents to watch progress on and to calibrate by.", show_default=False
        ),
    ] = None,
    calibrate: Annotated[
        bool | None,
        Option(
            "--calibrate/--no-calibrate",
            help="Make scores probabilities, by --valid or by a tenth of the documents kept aside.",
            show_default="with --valid",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        Option("--from", metavar="DIR", help="An older model of the same kind to go on from.", show_default=False),
    ] = None,
    resume: Annotated[
        bool, Option("--resume", help="Go on with the stopped training of --out, as it was begun.")
    ] = False,
    labels: options.Labels = None,
    language: options.Language = None,
    preset: Annotated[
        str | None, Option("--preset", metavar="NAME", help="A set of settings the model offers.", show_default=False)
    ] = None,
    set: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="A setting of the model; may be repeated.", show_default=False),
    ] = None,
    config: Annotated[
        Path | None,
        Option(
            "--config", metavar="FILE", help="A TOML file with the same; the command line wins.", show_default=False
        ),
    ] = None,
    seed: Annotated[int | None, Option("--seed", help="Same seed, same data: same model.", show_default="0")] = None,
    jobs: Annotated[int | None, Option("--jobs", "-j", help="Threads to use.", show_default="every core")] = None,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
    anyway: Annotated[bool, Option("--anyway", help="Train even if memory will probably not suffice.")] = False,
    memory: Annotated[
        str | None,
        Option(
            "--memory",
            metavar="SIZE",
            help="Keep to so much memory, e.g. 4GiB, the rest on disk (plt, ovr).",
            show_default=False,
        ),
    ] = None,
    cluster: options.Cluster = None,
) -> None:
    """Learn from documents with labels and save the model.

    Example: umpteen train articles.tsv --out m
    """
    settings: dict[str, Any] = assignments(set or ())
    settings |= {name: value for name, value in (("seed", seed), ("jobs", jobs)) if value is not None}
    begun, reading = _begun(out) if resume else (Config(), {})
    calibrate = calibrate if calibrate is not None else reading.get("calibrate")
    base, skip_bad = base if base is not None else reading.get("base"), skip_bad or bool(reading.get("skip_bad"))
    wanted = (read_config(config, onto=begun) if config else begun).over(
        settings=settings,
        model=model,
        preset=preset,
        train=data,
        valid=valid,
        labels=labels,
        language=language,
        out=out,
        format=format,
    )
    if wanted.train is None:
        raise BadParameter("Name the documents to learn from: umpteen train DATA --out DIR", param_hint="DATA")
    if wanted.out is None:
        raise BadParameter("Say where to save the model: --out DIR", param_hint="--out")
    began, replaced = time.perf_counter(), _is_taken(wanted.out)
    with within(memory), spread_over(cluster):
        trained = fitted(
            wanted, start=start, base=base, skip_bad=skip_bad, anyway=anyway, resume=resume, calibrate=calibrate
        )
        _summary(trained, wanted.out, time.perf_counter() - began, replaced=replaced)


def fitted(
    wanted: Config,
    *,
    start: Path | None = None,
    base: int | None = None,
    skip_bad: bool = False,
    anyway: bool = False,
    resume: bool = False,
    calibrate: bool | None = None,
) -> "Classifier":
    """The model that a configuration asks for, trained and saved."""
    from umpteen.core.store import check_free
    from umpteen.models import load
    from umpteen.models import model as model_class

    assert wanted.train is not None and wanted.out is not None
    check_free(wanted.out)
    if not resume:
        _check_stopped(wanted.out)
    kind = model_class(wanted.model)
    older = load(start) if start else None
    kept = dict(older.get_params()) if isinstance(older, kind) and wanted.preset is None else {}
    made = kind(**vars(kind.Params.made(kept | dict(wanted.settings), owner=wanted.model, preset=wanted.preset)))
    read = partial(corpus_at, format=wanted.format, base=base, skip_bad=skip_bad)
    corpus, valid = read(wanted.train), read(wanted.valid, part=VALID) if wanted.valid else None
    known = labels_for(wanted.train, wanted.labels, wanted.language)
    reading = {"base": base, "skip_bad": skip_bad, "calibrate": calibrate}
    run = _run(wanted, resume, reading) if kind.resumable else None
    if resume and run is None:
        raise UmpteenError(f"{wanted.model} trains in one go and leaves nothing to resume: train it without --resume.")
    with run.held() if run is not None else nullcontext(), keeping(_kept(wanted.out, run)):
        if run is not None and resume:
            note(run.reached)
        try:
            with _enough_memory(anyway), bar(f"Training {wanted.model}"):
                taught(made, corpus, valid, calibrate=calibrate, labels=known, start=older, run=run)
        except UmpteenError:
            if run is not None and not run.started:
                run.remove()  # nothing to go on with
            raise
        finally:
            for part in (corpus, valid):
                if part is not None:
                    report_bad(part)
        with bar(f"Saving {wanted.out}"):
            made.save(wanted.out)
        if run is not None:
            run.remove()
    if older is not None and older.tuning_ is not None and made.tuning_ is None:
        note("The older model was calibrated, this one is not: add --calibrate, or use `umpteen calibrate`.")
    learnt = made.documents_ - (older.documents_ if older else 0)
    aside = made.tuning_.found.documents if made.tuning_ is not None and valid is None and kind.watches else 0
    if aside:
        lost = {label for labels in corpus.labels() for label in labels} - {*made.labels_.keys}
        also = f" Labels only they have cannot be given: {len(lost):,}." if lost else ""
        note(f"Kept aside to calibrate by: {number_of(aside, 'document')}.{also}")
    if left := (corpus.size or 0) - learnt - aside:
        note(f"Left out: {number_of(left, 'document')} without labels.")
    if known and not any(key in known for key in made.labels_.keys):
        note(f"The label file names none of the {len(made.labels_):,} labels: are its ids those of the documents?")
    return made


def _check_stopped(out: Path) -> None:
    """A training that was stopped is not lost by starting another in its place."""
    from umpteen.core.run import Run

    place = _run_place(out)
    if not (place / "run.json").is_file():
        return
    with (run := Run(place, resume=True)).held():  # else it goes on in another process
        started = run.started
    if started:
        raise UmpteenError(
            f"{place} holds a training that was stopped. Go on with it by --resume, or delete {place} to start over."
        )


def _run(wanted: Config, resume: bool, reading: dict[str, Any]) -> "Run":
    """The folder beside the model in which a long training keeps its checkpoints."""
    from umpteen.core.run import Run

    assert wanted.out is not None
    place = _run_place(wanted.out)
    if resume and (stopped := Run(place, resume=True)).started:
        return stopped
    return Run(place, wanted.to_json() | reading)


def _run_place(out: Path) -> Path:
    return out.with_name(f"{out.name}.run")


def _begun(out: Path | None) -> tuple[Config, dict[str, Any]]:
    """What the training to be resumed was begun with, and how its files were read."""
    from umpteen.core.run import Run
    from umpteen.core.store import check_free

    if out is None:
        raise BadParameter(
            "Say which training to go on with, by where it saves its model: --out DIR", param_hint="--out"
        )
    check_free(out)
    place = _run_place(out)
    if not place.exists() and _is_taken(out):
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
    return begun, reading


def _is_taken(out: Path) -> bool:
    """Whether there is a model already."""
    return out.is_dir() and any(out.iterdir())


def _kept(out: Path, run: "Run | None") -> str:
    """What a user who stops the training still has."""
    model = f"The model that was in {out} is unchanged." if _is_taken(out) else "No model was saved."
    again = f" Go on with: umpteen train --out {quote(str(out))} --resume" if run is not None else ""
    return model + again


@contextmanager
def _enough_memory(anyway: bool) -> Iterator[None]:
    """Too little memory is an error, unless the user wants to go on."""
    from umpteen.core.memory import MemoryWarning

    try:
        with warnings.catch_warnings():
            if not anyway:
                warnings.simplefilter("error", MemoryWarning)
            yield
    except MemoryWarning as warning:
        raise UmpteenError(f"{warning} To train nevertheless, add --anyway.") from None


def _kind(facts: dict[str, Any]) -> str:
    """What the features of a model are."""
    settings = facts["settings"]
    if not facts["features"]["text"] or settings.get("characters"):
        return "features"
    longest = facts.get("ngrams", settings.get("ngrams", 1))
    return {1: "words", 2: "words and pairs of words"}.get(longest, "words and runs of words")


def _summary(trained: "Classifier", out: Path, seconds: float, *, replaced: bool) -> None:
    from umpteen.core.memory import spoken
    from umpteen.core.store import Folder

    folder = Folder(out, verify=False)
    facts = folder.facts
    features = facts.get("features", {})
    width = f", {features['width']:,} {_kind(facts)}" if features else ""
    show(
        f"Trained {facts['model']} in {spoken_seconds(seconds)}: "
        f"{number_of(trained.documents_, 'document')}, {number_of(len(trained.labels_), 'label')}{width}."
    )
    settings = facts["settings"]
    if _epochs(folder) > settings.get("epochs", math.inf):
        often, steps = number_of(settings["epochs"], "time"), settings["least_steps"]
        show(f"So few are read more than {often}, until there are {steps} steps (least_steps).")
    if chosen := facts.get("chosen"):
        show("Chosen for these documents: " + ", ".join(f"{name} {value:g}" for name, value in chosen.items()) + ".")
    for line in facts.get("notes", ()):
        show(line)
    if (score := facts.get("score")) is not None:
        show(f"nDCG@5 on documents that the best weights were chosen by: {100 * score:.1f}.")
    if trained.tuning_ is not None:
        show_tuning(trained.tuning_)
        show()
    show(f"Saved in {out} ({spoken(folder.size)}){', in place of the model that was there' if replaced else ''}.")
    reads_text = not features or features["text"]
    show(
        f'Next: umpteen tag {quote(str(out))} --text "..."'
        if reads_text
        else f"Next: umpteen tag {quote(str(out))} FILE"
    )
    show(f"      umpteen evaluate {quote(str(out))} TEST")


def _epochs(folder: "Folder") -> float:
    """How often a network's training read the documents, by its log."""
    from umpteen.core.run import LOG

    rows = folder.text(LOG).splitlines() if folder.has(LOG) else []
    return float(rows[-1].split("\t")[1]) if len(rows) > 1 else 0.0
