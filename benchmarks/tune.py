"""Settings of a model compared on documents kept aside from training. Test data are never read.

    python benchmarks/tune.py --model plt --preset fast --data tate,generated --base "min_df=2" --try "leaf=100"

The first row of the table is the model as it is with --base; each --try changes it. A seed is a split and a model: all
rows see the same splits. Seconds are of all threads together, which other work on the machine disturbs least.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import umpteen
from peers import sets
from umpteen.contract.classifier import Classifier
from umpteen.core.corpus import Corpus
from umpteen.data.split import split
from umpteen.labels.files import read_labels
from umpteen.metrics.ranking import Judged

ROOT = Path(__file__).parents[1]
CUTS = (1, 3, 5)

Figures = tuple[float, ...]  # P@k in percent, then seconds of training


def corpus_of(name: str, folder: Path) -> Corpus:
    """The training documents of a set, in memory."""
    if name in sets.GENERATED:
        X, Y, _, _ = sets.generated(**sets.GENERATED[name])
        return Corpus.from_matrix(X, [[*map(str, row)] for row in np.split(Y.indices, Y.indptr[1:-1])])
    corpus = umpteen.read(next(iter(sorted((folder / name).glob("train.*")))))
    return corpus.changed([*corpus])


def names_of(name: str, folder: Path) -> Any:
    """What the labels of a set are called, where a file says so."""
    files = (folder / name / file for file in ("labels.tsv", "vocabulary.txt"))
    return next((read_labels(file) for file in files if file.exists()), None)


def tried(model: Classifier, train: Corpus, valid: Corpus, names: Any) -> Figures:
    """Train and judge."""
    began = time.process_time()
    model.fit(train, labels=names)
    seconds = time.process_time() - began
    judged = Judged.of(model.rank(valid, max(CUTS)), model.truth(valid), k=max(CUTS))
    return (*(100 * judged.precision(k).value for k in CUTS), seconds)


def compared(name: str, options: argparse.Namespace) -> Iterator[Figures]:
    """The mean over seeds of each variant on one set."""
    corpus, names = corpus_of(name, options.folder), names_of(name, options.folder)
    share = min(options.share, options.most / (corpus.size or 1))
    parts = [split(corpus, {"train": 1 - share, "valid": share}, seed=seed) for seed in range(options.seeds)]
    tried(made(options, options.variants[0]), parts[0]["valid"], parts[0]["valid"], names)  # compiles what must be
    for variant in options.variants:
        models = [made(options, {**variant, "seed": str(seed)}) for seed in range(options.seeds)]
        figures = [tried(model, p["train"], p["valid"], names) for model, p in zip(models, parts, strict=True)]
        yield tuple(np.mean(figures, axis=0).tolist())


def made(options: argparse.Namespace, settings: dict[str, str]) -> Classifier:
    """The model with these settings."""
    cls = umpteen.model(options.model)
    return cls(**vars(cls.Params.made(settings, owner=options.model, preset=options.preset)))


def table(options: argparse.Namespace, columns: dict[str, list[Figures]]) -> str:
    """Rows of variants: P@1/3/5 and seconds on each set, and the mean change of each P@k over the sets."""
    lines = [["settings", *columns, "mean change"], ["---"] * (len(columns) + 2)]
    for number, text in enumerate(["as it is", *options.tries]):
        cells = [" / ".join(f"{value:.2f}" for value in rows[number][:-1]) for rows in columns.values()]
        times = [f" ({rows[number][-1]:.1f} s)" for rows in columns.values()]
        change = np.mean([np.subtract(rows[number], rows[0])[:-1] for rows in columns.values()], axis=0)
        moved = " / ".join(f"{value:+.2f}" for value in change) if number else ""
        lines.append([f"`{text}`" if number else text, *map("".join, zip(cells, times, strict=True)), moved])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="plt", help="which model (%(default)s)")
    parser.add_argument("--preset", help="one of its presets")
    parser.add_argument("--data", default="bibtex,delicious", help="which sets, by folder, or generated (%(default)s)")
    parser.add_argument("--folder", type=Path, default=ROOT / ".." / "shared" / "data", help="where the sets are")
    parser.add_argument("--base", default="", help="settings of all rows, as name=value, with blanks between")
    parser.add_argument("--try", dest="tries", action="append", default=[], help="settings of one more row")
    parser.add_argument("--seeds", type=int, default=2, help="splits to average over (%(default)s)")
    parser.add_argument("--share", type=float, default=0.1, help="of the documents kept aside (%(default)s)")
    parser.add_argument("--most", type=int, default=5000, help="documents kept aside at most (%(default)s)")
    options = parser.parse_args()
    options.variants = [
        dict(pair.split("=", 1) for pair in f"{options.base} {text}".split()) for text in ("", *options.tries)
    ]
    for variant in options.variants:
        made(options, variant)  # so that a mistake shows before the work
    return options


def main() -> None:
    """Compare and print."""
    options = parsed()
    columns = {name: [*compared(name, options)] for name in options.data.split(",")}
    print(table(options, columns))


if __name__ == "__main__":
    main()
