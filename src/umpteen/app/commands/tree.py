"""umpteen tree: the label tree of a model, with names."""

import json as json_text
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from umpteen.app import options
from umpteen.app.tables import show
from umpteen.core.errors import DataError, UmpteenError
from umpteen.core.files import Staging, plain_name

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.labels.tree import Tree

_SHORT = 8  # groups or labels of a list on a terminal


def tree(
    model: options.ModelFolder,
    depth: Annotated[
        int | None,
        Option("--depth", metavar="N", help="Levels of groups to show.", show_default="all, and the labels"),
    ] = None,
    tree: Annotated[int, Option("--tree", metavar="N", help="Which tree, where a model has several.")] = 1,
    all: Annotated[bool, Option("--all", help="Show long lists whole on a terminal too.")] = False,
    json: options.Json = False,
    out: Annotated[
        Path | None,
        Option("--out", "-o", metavar="FILE", help="Write JSON to FILE.json, else text.", show_default=False),
    ] = None,
) -> None:
    """Print the label tree: groups by their most frequent labels, then the labels and how often they occur.

    Example: umpteen tree m --depth 2
    """
    if depth is not None and depth < 1:
        raise DataError(f"--depth is how many levels to show, at least 1, not {depth}.")
    from umpteen.explain import outline
    from umpteen.models import load

    loaded = load(model)
    chosen, space = _chosen(loaded, tree), loaded.labels_
    root = outline.outline(chosen, space, depth=depth)
    levels = [len(bounds) - 1 for bounds in chosen.levels if len(bounds) > 2]

    def lines() -> Iterator[str]:
        if json or (out is not None and plain_name(out).lower().endswith(".json")):
            yield json_text.dumps({"groups": levels, **outline.nested(root, space)}, ensure_ascii=False, indent=1)
        else:
            short = out is None and sys.stdout.isatty() and not all
            yield from outline.text(root, space, levels=levels, most=_SHORT if short else None)

    if out is None:
        sys.stdout.writelines(f"{line}\n" for line in lines())
        return
    with Staging() as staging:
        staging.open(out).write("".join(f"{line}\n" for line in lines()).encode("utf-8", "replace"))
    show(f"The tree of {root.size:,} labels is in {out}.")


def _chosen(model: "Classifier", number: int) -> "Tree":
    from umpteen.contract.classifier import model_name

    trees = model.trees()
    if not trees:
        raise UmpteenError(
            f"{model_name(type(model))} has no label tree: it looks at all labels alike. A model such as plt has one."
        )
    if not 1 <= number <= len(trees):
        known = "only tree 1" if len(trees) == 1 else f"trees 1 to {len(trees)}"
        raise DataError(f"There is no tree {number}: this model has {known}.")
    return trees[number - 1]
