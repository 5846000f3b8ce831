"""umpteen train: learn from documents with labels and save the model."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from umpteen.app import options
from umpteen.app.border import keeping, note
from umpteen.app.config import DEFAULT_MODEL, Config, assignments, read_config
from umpteen.app.inputs import labels_for, report_bad
from umpteen.app.places import spread_over, within
from umpteen.app.runs import begun_with, check_stopped, is_taken, kept_of, run_of
from umpteen.app.summary import summed_up
from umpteen.app.teaching import taught
from umpteen.core.errors import UmpteenError
from umpteen.core.legible import number_of
from umpteen.core.progress import bar
from umpteen.data.folder import VALID, corpus_at

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier


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
    begun, reading = begun_with(out, model) if resume else (Config(), {})
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
    began, replaced = time.perf_counter(), is_taken(wanted.out)
    with within(memory), spread_over(cluster):
        trained = fitted(
            wanted, start=start, base=base, skip_bad=skip_bad, anyway=anyway, resume=resume, calibrate=calibrate
        )
        summed_up(trained, wanted.out, time.perf_counter() - began, replaced=replaced)


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
        check_stopped(wanted.out)
    kind = model_class(wanted.model)
    older = load(start) if start else None
    kept = dict(older.get_params()) if isinstance(older, kind) and wanted.preset is None else {}
    made = kind(**vars(kind.Params.made(kept | dict(wanted.settings), owner=wanted.model, preset=wanted.preset)))
    read = partial(corpus_at, format=wanted.format, base=base, skip_bad=skip_bad)
    corpus, valid = read(wanted.train), read(wanted.valid, part=VALID) if wanted.valid else None
    known = labels_for(wanted.train, wanted.labels, wanted.language)
    reading = {"base": base, "skip_bad": skip_bad, "calibrate": calibrate}
    run = run_of(wanted, resume, reading) if kind.resumable else None
    if resume and run is None:
        raise UmpteenError(f"{wanted.model} trains in one go and leaves nothing to resume: train it without --resume.")
    with run.held() if run is not None else nullcontext(), keeping(kept_of(wanted.out, run)):
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
    return made


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
