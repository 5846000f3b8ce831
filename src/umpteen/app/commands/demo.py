"""umpteen demo: the product at work on real news, from data to tagged documents, in a few minutes."""

import shutil
import sys
import time
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from umpteen.app.answers import label_text
from umpteen.app.border import keeping, note
from umpteen.app.commands.generate import write_catalogue
from umpteen.app.commands.train import fitted
from umpteen.app.config import DEFAULT_MODEL, Config
from umpteen.app.tables import show, spoken_seconds, table
from umpteen.contract.judgement import Judgement, judge
from umpteen.core.errors import FetchError
from umpteen.core.legible import meter, one_line
from umpteen.data.folder import TEST, corpus_at

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.core.corpus import Corpus

YARDSTICK = "popular"  # what any model must beat
NETWORK, JOINT = "attentionxml", "consensus"
_SETTINGS = {  # the network is small, reads how stories begin, and learns for two or three minutes
    "members": (DEFAULT_MODEL, f"{NETWORK}:quick"),
    "how": "learnt",
    f"{NETWORK}.epochs": 8,
    f"{NETWORK}.length": 100,
    f"{NETWORK}.pieces": 1,
    f"{NETWORK}.rate": 0.005,
}
_METRICS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@5", "macro-F1@5")
_DEPTH = 100  # labels ranked


def demo(
    out: Annotated[Path, Option("--out", "-o", metavar="DIR", help="The folder to work in.")] = Path("demo"),
    name: Annotated[str, Option("--data", metavar="NAME", help="A data set of `umpteen get`.")] = "reuters",
) -> None:
    """Train a label tree, a network and both as one on real news, show the scores and tag three documents.

    Example: umpteen demo
    """
    data = _data(name, out)
    test = corpus_at(data, part=TEST)
    show(f"1. Train on {data}")
    if _has_torch():
        made = _joined(_trained(Config(model=JOINT, train=data, out=out / JOINT, settings=dict(_SETTINGS))))
    else:
        show(f"   torch is not installed, so there is no {NETWORK}. Install it with: pip install 'umpteen[deep]'")
        made = {DEFAULT_MODEL: _trained(Config(train=data, out=out / DEFAULT_MODEL))}
    best, place = [*made][-1], out / [*made][-1]
    show("\n2. Rank the labels of the test documents (percent; higher is better)")
    with keeping(f"The models in {out} are complete."):
        found = {name: (model, judge(model, test, depth=_DEPTH)) for name, model in made.items()}
        _show_scores({**found, YARDSTICK: _yardstick(data, test)})
        show(f"3. Tag three of them with {best} (+ marks a right label)\n")
        _show_documents(found[best][0], test, found[best][1])
    show(f'Tag your own text:  {_command()} tag {place} --text "..."')
    show(f"Tag on a page:      {_command()} serve {place}")
    show(f"Train on your own:  {_command()} train FILE --out DIR")


def _command() -> str:
    """How the user calls this command: by its name where the search path leads to it, else by its path."""
    return "umpteen" if shutil.which("umpteen") == sys.argv[0] else relpath(sys.argv[0])


def _data(name: str, out: Path) -> Path:
    """The data set's folder; a generated one where it cannot be fetched."""
    from umpteen.data.datasets import get

    try:
        with keeping("The cache is as it was."):
            return get(name)
    except FetchError as error:
        reason = str(error).partition(". ")[0]
        note(f"{name} cannot be fetched here ({reason}), so the demo uses generated texts.")
    folder = out / "catalogue"
    if not folder.is_dir():
        with keeping(f"{folder} was not written."):
            write_catalogue(folder, documents=10_000, test=2_000, labels=500)
    return folder


def _has_torch() -> bool:
    return find_spec("torch") is not None


def _trained(wanted: Config) -> "Classifier":
    """A model trained and saved; what a stopped demo had begun is gone on with."""
    assert wanted.out is not None
    began, stopped = time.perf_counter(), wanted.out.with_name(f"{wanted.out.name}.run") / "run.json"
    model = fitted(wanted, resume=stopped.is_file())
    took = spoken_seconds(time.perf_counter() - began)
    show(f"   {wanted.model}: {model.documents_:,} documents, {len(model.labels_):,} labels, {took}; in {wanted.out}")
    return model


def _joined(model: "Classifier") -> "dict[str, Classifier]":
    """Both members, and what they are together."""
    from umpteen.models.fusion.consensus import Consensus

    assert isinstance(model, Consensus)
    return {**model.members, JOINT: model}


def _yardstick(data: Path, test: "Corpus") -> "tuple[Classifier, Judgement]":
    from umpteen.models import model

    made = model(YARDSTICK)().fit(corpus_at(data))
    return made, judge(made, test, depth=_DEPTH)


def _show_scores(found: "dict[str, tuple[Classifier, Judgement]]") -> None:
    from umpteen.metrics.report import evaluate

    rows = []
    for name, (model, seen) in found.items():
        report = evaluate(
            seen.ranking, seen.truth, counts=model.labels_.counts, documents=model.documents_, resamples=0
        )
        rows.append((name, *(report[metric] for metric in _METRICS)))
    table(["   model", *_METRICS], [(f"   {name}", *cells) for name, *cells in rows])
    show()


def _show_documents(model: "Classifier", test: "Corpus", found: Judgement) -> None:
    """Three documents from all over the test part, never hand-picked ones."""
    chosen = [len(found.ids) * part // 6 for part in (1, 3, 5)]
    for row, document in enumerate(test):
        if row not in chosen:
            continue
        title, _, rest = document.text.partition("\n")
        show(f"   {one_line(title if rest else document.text, 90)}")
        true = set(document.labels)
        show(f"   true: {', '.join(found.space.name(found.space.id(key)) for key in document.labels)}")
        for label, score in zip(
            found.ranking.labels[row, :5].tolist(), found.ranking.scores[row, :5].tolist(), strict=True
        ):
            if label >= 0:
                mark = "+" if model.labels_.keys[label] in true else " "
                show(f"   {mark} {score:.2f} {meter(score)} {label_text(model.labels_, label)}")
        show()
