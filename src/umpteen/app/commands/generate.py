"""umpteen generate: readable catalogue texts with as many labels as wanted."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.border import keeping
from umpteen.app.documents import PIPE
from umpteen.app.outputs import write_corpus
from umpteen.app.tables import show
from umpteen.core.files import Staging


def generate(
    target: Annotated[
        str, Argument(metavar="DIR|-", help="The folder to write, or - to print JSON lines.", show_default=False)
    ],
    documents: Annotated[int, Option("--documents", "-n", help="Training documents.")] = 5_000,
    labels: Annotated[int, Option("--labels", "-l", help="Labels in the catalogue.")] = 300,
    test: Annotated[
        int | None, Option("--test", help="Test documents.", show_default="a tenth of the training documents")
    ] = None,
    seed: options.Seed = 0,
    world: Annotated[int, Option("--world", help="Another number has other labels.")] = 0,
    words: Annotated[int, Option("--words", help="Words of a document, about.")] = 40,
    power: Annotated[float, Option("--power", help="How steeply label frequency falls with rank.")] = 0.9,
    noise: Annotated[float, Option("--noise", help="Chance that a hint at a label is withheld.")] = 0.3,
) -> None:
    """Write a made-up catalogue of any size to try things on.

    Example: umpteen generate catalogue --documents 100000 --labels 10000
    Or, as a stream: umpteen generate - --documents 1000000 | umpteen tag m - --tsv
    """
    made: dict[str, Any] = {"labels": labels, "world": world, "words": words, "power": power, "noise": noise}
    if target == PIPE:
        _print(documents=documents, seed=2 * seed, **made)
        return
    asked = documents // 10 if test is None else test
    with keeping(f"{target} was not written."):
        write_catalogue(Path(target), documents=documents, test=asked, seed=seed, **made)
    show(f"{documents:,} training and {asked:,} test documents with {labels:,} labels written to {target}.")
    show(f"Next: umpteen train {target} --out m")


def _print(**wanted: Any) -> None:
    """The training documents alone, one after the other, for a command that reads a pipe."""
    from umpteen.data.generate import generate as generated

    for document in generated(**wanted):
        record = {"id": document.id, "text": document.text, "labels": document.labels}
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_catalogue(
    target: Path, *, documents: int, test: int, labels: int, seed: int = 0, world: int = 0, **style: Any
) -> None:
    """The folder of a generated corpus, complete or not at all."""
    from umpteen.core.progress import track
    from umpteen.data.catalogue import Catalogue
    from umpteen.data.generate import generate as generated
    from umpteen.data.labels import write_labels

    target.absolute().parent.mkdir(parents=True, exist_ok=True)
    with Staging() as staging:
        folder = staging.folder(target)
        parts = (("train", documents, 2 * seed), ("test", test, 2 * seed + 1))
        for name, count, number in parts:
            corpus = generated(documents=count, labels=labels, seed=number, world=world, **style)
            write_corpus(corpus, folder / f"{name}.jsonl.gz")
        write_labels(track(Catalogue(labels, world=world), "Writing labels.tsv", labels), folder / "labels.tsv")
