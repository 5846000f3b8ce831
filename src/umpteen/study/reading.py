"""Reading a study from its TOML file, so strictly that a slip of the pen shows before any training."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from umpteen.core.errors import SettingError, did_you_mean
from umpteen.data.noise import KINDS
from umpteen.study import measures
from umpteen.study.keys import Keys
from umpteen.study.plan import Data, Noise, Plot, Published, Split, Study, Table, Variant

RESERVED = ("data", "split", "noise", "rate", "model", "seed", "measure", "value", "jobs")
_FILE_NAME = re.compile(r"[\w][\w.-]*")


def read_study(path: Path, *, name: str | None = None) -> Study:
    """The study in a file; paths in it are seen from the file's folder unless it came with a `name` of its own."""
    keys = Keys.read(path)
    keys.text("model", None, what="the model that this variant of the study is about")
    split, folder = _split(keys.table("split")), path.parent if name is None else None
    study = Study(
        name=name or path.stem,
        file=str(path) if name is None else f"study {name}",
        title=keys.text("title", what="a line that says what the study shows"),
        about=keys.text("about", ""),
        data=tuple(_data(table, split, folder) for table in keys.tables("data", what="names or tables", short="path")),
        models=tuple(_variant(table) for table in keys.tables("models", what="tables, each a model", short="model")),
        seeds=cast(tuple[int, ...], keys.numbers("seeds", [0], whole=True)),
        valid=keys.number("valid", 0.1, least=0, most=0.9),
        noise=_noise(keys.table("noise")),
        published=tuple(_published(table) for table in keys.tables("published", what="tables, each a row")),
        tables=tuple(_table(table) for table in keys.tables("tables", what="tables")),
        plots=tuple(_plot(table) for table in keys.tables("plots", what="tables, each a plot")),
    )
    keys.end()
    check(study)
    known = [data.name for data in study.data]
    for row in study.published:
        if row.data not in known:
            hint = did_you_mean(row.data, known)
            keys.wrong(f"{row.name!r} was published for {row.data!r}, which is not among the data. {hint}")
    return study


def check(study: Study) -> None:
    """Raise where the parts of a study do not go together."""

    def wrong(problem: str) -> SettingError:
        return SettingError(f"{study.file}: {problem}")

    if not study.models:
        raise wrong("there is no model. Add one with [[models]], name = ... and model = ...")
    if min(study.seeds) < 0:
        raise wrong(f"'seeds' must be 0 or more, not {min(study.seeds)}.")
    if not study.data:
        raise wrong('there are no data. Name some with --data PATH, or data = ["..."] in the file.')
    if not study.tables and not study.plots:
        raise wrong('there is nothing to show. Add [[tables]] with measures = ["P@1"] or [[plots]].')
    for what, names in (
        ("data set", [data.name for data in study.data]),
        ("model", [variant.name for variant in study.models] + [*{p.name for p in study.published}]),
        ("published row", [f"{p.name} on {p.data}" for p in study.published]),
        ("table or plot", [part.name for part in study.outputs]),
    ):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise wrong(f"two have the name {twice!r}. Give each {what} its own, by name = ...")
    for part in study.outputs:
        _check_dimensions(study, part)


def _check_dimensions(study: Study, part: Table | Plot) -> None:
    known = (*study.dimensions, "measure")
    used = (part.columns, part.apart) if isinstance(part, Table) else (part.x, part.series)
    for dimension in used:
        if dimension is not None and dimension not in known:
            raise SettingError(
                f"{study.file}: {part.name!r} cannot tell figures apart by {dimension!r}, which does not vary. "
                f"{did_you_mean(dimension, known)}"
            )
    if used[0] == used[1]:
        raise SettingError(f"{study.file}: {part.name!r} uses {used[0]!r} twice.")
    if study.noise is None and (left := [m for m in part.measures if measures.without_noise(m)]):
        raise SettingError(f"{study.file}: {part.name!r} shows {left[0]!r}, and there is no [noise] in this study.")


def _data(keys: Keys, usual: Split | None, folder: Path | None) -> Data:
    name = keys.text("name", None)
    path = keys.text("path", what="a file, a folder or a name to look for")
    where, labels = keys.table("where"), keys.text("labels", None, what="a file of label names")
    found = Data(
        name=name or spoken(path),
        path=_beside(path, folder),
        split=_split(keys.table("split")) or usual,
        where=_where(where) if where else {},
        format=keys.text("format", None),
        labels=_beside(labels, folder) if labels else None,
    )
    keys.end()
    return found


def _beside(path: str, folder: Path | None) -> str:
    """A path in a file is seen from the file's folder, if it leads anywhere from there."""
    return str(folder / path) if folder is not None and (folder / path).exists() else path


def spoken(path: str) -> str:
    """What tables call data at a path: the folder, or the file where it is not just named train or test."""
    place = Path(path)
    stem = place.name.partition(".")[0] or place.absolute().name
    return place.absolute().parent.name if stem in ("train", "trn", "test", "tst") else stem


def _where(keys: Keys) -> dict[str, tuple[Any, ...]]:
    found = {key: tuple(value) if isinstance(value, list) else (value,) for key, value in keys.rest().items()}
    for key, values in found.items():
        if not values or any(not isinstance(value, str | int | float | bool) for value in values):
            keys.wrong(f"{key!r} must be a value or a list of values that documents are to have, such as 'en'.")
    return found


def _split(keys: Keys | None) -> Split | None:
    if keys is None:
        return None
    found = Split(count=keys.whole("count", 1, least=1), test=keys.number("test", 0.2, least=0.001, most=0.999))
    keys.end()
    return found


def _variant(keys: Keys) -> Variant:
    model = keys.text("model", what="one of `umpteen models`")
    settings, vary = keys.table("settings"), keys.table("vary")
    found = Variant(
        name=keys.text("name", model, what="what tables call the model"),
        model=model,
        preset=keys.text("preset", None),
        settings=settings.rest() if settings else {},
        vary=_vary(vary) if vary else {},
        seeded=keys.value("seeded", True, kind=bool, what="true or false"),
    )
    keys.end()
    if "seed" in found.settings:
        keys.wrong("'seed' is no setting here: the study's seeds = [...] says which there are.")
    return found


def _vary(keys: Keys) -> dict[str, tuple[Any, ...]]:
    found = keys.rest()
    for key, values in found.items():
        if key in RESERVED:
            keys.wrong(f"{key!r} cannot be varied here.")
        if not isinstance(values, list) or not values:
            keys.wrong(f"{key!r} must be a list of values to try, not {values!r}.")
    return {key: tuple(values) for key, values in found.items()}


def _noise(keys: Keys | None) -> Noise | None:
    if keys is None:
        return None
    found = Noise(kinds=keys.texts("kinds", what="kinds of noise", choices=KINDS), rates=keys.numbers("rates"))
    keys.end()
    if not found.kinds:
        keys.wrong(f"'kinds' is empty. There are: {', '.join(KINDS)}.")
    check_rates(found.rates, f"{keys.file}: 'rates'")
    return found


def check_rates(rates: Sequence[float], what: str) -> None:
    """Raise where a rate of noise is none."""
    for rate in rates:
        if not 0 <= rate <= 1:
            raise SettingError(f"{what} must lie between 0 and 1, not at {rate:g}.")


def _published(keys: Keys) -> Published:
    scores = keys.table("scores")
    found = Published(
        name=keys.text("name", what="the method's name"),
        data=keys.text("data", what="the name of the data that it was measured on"),
        source=keys.text("source", what="where it was printed"),
        scores=scores.rest() if scores else keys.wrong("'scores' is missing, such as {\"P@1\" = 69.26}."),
    )
    keys.end()
    for name, score in found.scores.items():
        _check_measure(name, keys)
        if isinstance(score, bool) or not isinstance(score, int | float):
            keys.wrong(f"{name!r} must be a number, not {score!r}.")
    return found


def _table(keys: Keys) -> Table:
    name = _file_name(keys)
    found = Table(
        name=name,
        title=keys.text("title", name),
        measures=_measures(keys),
        columns=keys.text("columns", "measure"),
        apart=keys.text("apart", None),
        ranks=keys.value("ranks", False, kind=bool, what="true or false"),
    )
    keys.end()
    return found


def _plot(keys: Keys) -> Plot:
    name = _file_name(keys)
    found = Plot(
        name=name,
        title=keys.text("title", name),
        kind=keys.text("kind", choices=("lines", "bars")),
        measures=_measures(keys),
        x=keys.text("x", "measure", what="what stands along the x axis"),
        series=keys.text("series", "model"),
    )
    keys.end()
    if found.kind == "lines" and found.x in ("measure", "model", "data", "noise"):
        keys.wrong(f'lines go over numbers, and {found.x!r} is none: say x = "rate" or a varied setting, or use bars.')
    return found


def _file_name(keys: Keys) -> str:
    name: str = keys.text("name", what="a name for its file, without ending")
    if not _FILE_NAME.fullmatch(name) or name in ("report", "results"):
        keys.wrong(f"'name' is the name of a file without its ending, and cannot be {name!r}.")
    return name


def _measures(keys: Keys) -> tuple[str, ...]:
    found = keys.texts("measures", what='measures, such as "P@1"')
    if not found:
        keys.wrong("'measures' is empty.")
    for name in found:
        _check_measure(name, keys)
    return found


def _check_measure(name: str, keys: Keys) -> None:
    try:
        measures.check(name)
    except SettingError as error:
        keys.wrong(str(error))
