"""What a study shows, read from its TOML file: tables and plots."""

import re
from typing import get_args

from umpteen.core.errors import SettingError
from umpteen.study import measures
from umpteen.study.keys import Keys
from umpteen.study.plan import Plot, Shown, Table

_FILE_NAME = re.compile(r"[\w][\w.-]*")


def read_table(keys: Keys) -> Table:
    """A table: of figures, of the data's statistics, or of overlaps."""
    name, kind = _file_name(keys), keys.text("kind", "figures", choices=get_args(Shown))
    title = keys.text("title", name)
    models = keys.texts("models", [], what="models' names") if kind != "statistics" else ()
    if kind == "figures":
        found = Table(
            name=name,
            title=title,
            models=models,
            measures=_measures(keys),
            columns=keys.text("columns", "measure"),
            apart=keys.text("apart", None),
            ranks=keys.value("ranks", False, kind=bool, what="true or false"),
            against=keys.text("against", None, what="the model that p-values compare with"),
        )
    else:
        found = Table(name=name, title=title, kind=kind, models=models)
    keys.end()
    return found


def read_plot(keys: Keys) -> Plot:
    """A plot: lines or bars."""
    name = _file_name(keys)
    found = Plot(
        name=name,
        title=keys.text("title", name),
        kind=keys.text("kind", choices=("lines", "bars")),
        measures=_measures(keys),
        x=keys.text("x", "measure", what="what stands along the x axis"),
        series=keys.text("series", "model"),
        models=keys.texts("models", [], what="models' names"),
    )
    keys.end()
    if found.kind == "lines" and found.x in ("measure", "model", "data", "noise"):
        keys.wrong(f'lines go over numbers, and {found.x!r} is none: say x = "rate" or a varied setting, or use bars.')
    return found


def _file_name(keys: Keys) -> str:
    name: str = keys.text("name", what="a name for its file, without ending")
    if name in ("report", "results"):
        keys.wrong(f"'name' cannot be {name!r}: a file of that name is written anyway.")
    if not _FILE_NAME.fullmatch(name):
        keys.wrong(f"'name' is the name of a file without its ending, and cannot be {name!r}.")
    return name


def _measures(keys: Keys) -> tuple[str, ...]:
    found = keys.texts("measures", what='measures, such as "P@1"')
    if not found:
        keys.wrong("'measures' is empty.")
    for name in found:
        check_measure(name, keys)
    return found


def check_measure(name: str, keys: Keys) -> None:
    """Raise where there is no such measure, with the place of the mistake."""
    try:
        measures.check(name)
    except SettingError as error:
        keys.wrong(str(error))
