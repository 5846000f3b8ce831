"""umpteen get: named data sets and word vectors, fetched once into a cache."""

from typing import Annotated

from typer import Argument, Option

from umpteen.app.border import keeping
from umpteen.app.tables import show, table


def get(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="What to fetch; without it, what there is.", show_default=False)
    ] = None,
    force: Annotated[bool, Option("--force", help="Fetch again even if it is there.")] = False,
) -> None:
    """Fetch a named data set, check it and keep it.

    Example: umpteen get reuters
    """
    from umpteen.core.cache import cache_folder
    from umpteen.data import datasets

    if name is None:
        rows = [
            (key, meaning, "here" if (cache_folder() / key).is_dir() else "")
            for key, meaning in datasets.names().items()
        ]
        table(["name", "what it is", ""], rows)
        show(f"\nKept in {cache_folder()} (UMPTEEN_CACHE says where). Fetch one with: umpteen get NAME")
        return
    with keeping("The cache is as it was."):
        folder = datasets.get(name, again=force)
    for file in sorted(folder.iterdir()):
        show(str(file))
    if (folder / "train.jsonl.gz").is_file():
        show(f"\nNext: umpteen train {folder} --out m")
