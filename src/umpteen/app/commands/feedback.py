"""umpteen feedback: the corrections that a server has kept, as a corpus to learn from."""

import json
from pathlib import Path
from shlex import quote
from typing import Annotated

from typer import Argument, Option

from umpteen.app.tables import show
from umpteen.core.files import Staging


def feedback(
    store: Annotated[
        Path, Argument(metavar="STORE", help="The file that `umpteen serve` keeps corrections in.", show_default=False)
    ],
    out: Annotated[
        Path, Option("--out", "-o", metavar="FILE", help="Where to write the corpus, JSON lines.", show_default=False)
    ],
    project: Annotated[
        str, Option("--project", metavar="ID", help="Only corrections of this model.", show_default="all")
    ] = "",
) -> None:
    """Write corrections of labels as a corpus, for `umpteen learn` or `umpteen train`.

    Of a text that was corrected several times, the last counts. The store itself is never changed.

    Example: umpteen feedback feedback.sqlite --out corrected.jsonl
    """
    from umpteen.app.server.feedback import corrections

    count = 0
    with Staging() as staging:
        stream = staging.open(out)
        for one in corrections(store, project=project):
            line = {"id": one.hash, "text": one.text, "labels": [*one.labels]}
            stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            count += 1
    show(f"Wrote {count:,} corrected documents to {out}.")
    if count:
        show(f"Next: umpteen learn MODEL {quote(str(out))}")
