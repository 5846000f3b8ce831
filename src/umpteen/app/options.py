"""Options that several commands share, worded once."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

Data = Annotated[
    Path,
    Argument(metavar="DATA", help="A corpus in any format, or a folder with train and test files.", show_default=False),
]
ModelFolder = Annotated[
    Path, Argument(metavar="MODEL", help="A folder that `umpteen train` wrote.", show_default=False)
]
Format = Annotated[
    str | None,
    Option(
        "--format", metavar="NAME", help="Format of the data; told from the file where not given.", show_default=False
    ),
]
Base = Annotated[
    int | None, Option("--base", metavar="0|1", help="The number LibSVM features begin with.", show_default=False)
]
SkipBad = Annotated[bool, Option("--skip-bad", help="Leave out malformed lines and say how many there were.")]
Labels = Annotated[
    Path | None,
    Option(
        "--labels",
        metavar="FILE",
        help="Names and parents of labels: TSV, SKOS or Debian's vocabulary.",
        show_default=False,
    ),
]
Language = Annotated[
    str | None,
    Option("--language", metavar="CODE", help="Take label names in this language, e.g. de.", show_default=False),
]
Cluster = Annotated[
    str | None,
    Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Ray cluster: auto for that of this machine, or ray://HOST:10001.",
        show_default=False,
    ),
]
Json = Annotated[bool, Option("--json", help="Print JSON.")]
Seed = Annotated[int, Option("--seed", help="Same seed, same result.")]
