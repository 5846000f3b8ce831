"""umpteen evaluate: how well a model ranks the labels of documents whose labels are known."""

import json as json_text
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.choosing import ByPolicy, choice
from umpteen.app.inputs import report_bad
from umpteen.app.scores import show_report
from umpteen.app.tables import show
from umpteen.contract.judgement import Judgement, judge
from umpteen.core.errors import DataError, SettingError
from umpteen.core.progress import bar
from umpteen.data.folder import TEST, corpus_at, spoken_name
from umpteen.study.style import check_ending

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.core.corpus import Corpus

_KEPT = 5  # labels of each document in a saved evaluation


def evaluate(
    model: options.ModelFolder,
    test: Annotated[
        Path,
        Argument(
            metavar="TEST", help="Documents with labels: a file, or a folder with a test file.", show_default=False
        ),
    ],
    json: Annotated[bool, Option("--json", help="Print one JSON object.")] = False,
    per_label: Annotated[
        Path | None,
        Option("--per-label", metavar="FILE", help="Write a TSV file with a row for each label.", show_default=False),
    ] = None,
    save: Annotated[
        Path | None,
        Option("--save", metavar="FILE", help="Keep the evaluation for `umpteen compare`.", show_default=False),
    ] = None,
    name: Annotated[
        str | None, Option("--name", help="What `umpteen compare` calls it.", show_default="the model's name")
    ] = None,
    at: Annotated[str, Option("--at", help="The k of metrics at k.")] = "1,3,5",
    depth: Annotated[int, Option("--depth", help="Labels ranked for each document.")] = 100,
    k: Annotated[
        int | None, Option("-k", help="How many labels count as given in F1.", show_default="the model's policy")
    ] = None,
    threshold: Annotated[
        float | None,
        Option(
            "--threshold",
            help="Score from which a label counts as given in F1.",
            show_default="the model's policy, else 0.5",
        ),
    ] = None,
    policy: ByPolicy = None,
    plot: Annotated[
        Path | None,
        Option(
            "--plot", metavar="FILE", help="Draw scores against what they keep: .png, .svg, .pdf.", show_default=False
        ),
    ] = None,
    ties: Annotated[
        Literal["half", "strict"], Option("--ties", help="What a tie is worth in the AUC of groups.")
    ] = "half",
    groups: Annotated[
        Literal["test", "train"], Option("--groups", help="Where label frequency is counted for groups.")
    ] = "test",
    a: Annotated[float, Option("--a", help="Propensity constant A.")] = 0.55,
    b: Annotated[float, Option("--b", help="Propensity constant B.")] = 1.5,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Measure a model on documents whose labels are known.

    Example: umpteen evaluate m test.tsv
    """
    places = _places(at)
    if plot is not None:
        check_ending(plot)
    for path in (per_label, save, plot):
        if path is not None and not path.absolute().parent.is_dir():
            raise DataError(f"There is no folder {path.parent} to write {path.name} into.")
    corpus = corpus_at(test, part=TEST, format=format, base=base, skip_bad=skip_bad)
    from umpteen.contract.classifier import model_name
    from umpteen.metrics.evaluation import Evaluation
    from umpteen.metrics.per_label import write_per_label
    from umpteen.metrics.report import HALF
    from umpteen.metrics.report import evaluate as report_on
    from umpteen.models import load

    loaded = load(model)
    if depth < 1:
        raise DataError(f"--depth is how many labels to rank, at least 1, not {depth}.")
    deep = max(*places, _KEPT, min(depth, len(loaded.labels_)))
    wanted = choice(loaded, k=k, threshold=threshold, policy=policy, usual=(deep, HALF))
    found = judge(loaded, corpus, depth=max(deep, wanted.depth))
    with bar("Measuring"):
        report = report_on(
            found.ranking,
            found.truth,
            counts=loaded.labels_.counts,
            documents=loaded.documents_,
            at=places,
            chosen=(wanted.pick(found.ranking), wanted.words),
            a=a,
            b=b,
            group_by=groups,
            ties=ties,
        )
    name = name or model_name(type(loaded))
    try:
        if per_label is not None:
            write_per_label(per_label, found.ranking, found.truth, found.space, ties=ties)
        if save is not None:
            about: dict[str, Any] = {
                "name": name,
                "data": spoken_name(corpus.name),
                "documents": found.ids if all(found.ids) else None,
            }
            Evaluation.of(report, found.ranking, found.space, **about, k=_KEPT).save(save)
        if plot is not None:
            _draw(plot, loaded, corpus, found)
    finally:  # figures are not lost where a file cannot be written
        if json:
            beside = {"seconds": round(found.seconds, 4), "model": name, "data": corpus.name}
            show(json_text.dumps({**report.to_json(), **beside}, ensure_ascii=False))
        else:
            show_report(report, model=name, data=corpus.name, seconds=found.seconds)
    report_bad(corpus)


def _draw(plot: Path, model: "Classifier", corpus: "Corpus", found: Judgement) -> None:
    """Reliability of the first five labels; of a calibrated model, before and after."""
    from umpteen.core.files import Staging
    from umpteen.metrics.calibration import Reliability
    from umpteen.study.reliability import draw

    sides = {"scores": found} if model.tuning_ is None else {"before": _before(model, corpus), "after": found}
    curves = {name: Reliability.at(side.ranking, side.truth, k=_KEPT) for name, side in sides.items()}
    with Staging() as staging:
        draw(curves, staging.open(plot), format=plot.suffix.lower().removeprefix("."))


def _before(model: "Classifier", corpus: "Corpus") -> Judgement:
    plain = copy(model)
    plain.tuning_ = None
    return judge(plain, corpus, depth=_KEPT)


def _places(at: str) -> list[int]:
    try:
        found = sorted({int(k) for k in at.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        raise SettingError(f"--at takes whole numbers from 1 with commas between them, such as 1,3,5, not {at!r}.")
    return found
