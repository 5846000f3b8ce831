"""Reading a study from its TOML file, so strictly that a slip of the pen shows before any training."""

from pathlib import Path
from typing import Any, cast

from umpteen.core.errors import did_you_mean
from umpteen.data.noise import KINDS
from umpteen.study.consistency import check, check_rates
from umpteen.study.keys import Keys
from umpteen.study.plan import Data, Noise, Published, Split, Study, Table, Variant
from umpteen.study.shown import check_measure, read_plot, read_table

RESERVED = ("data", "split", "noise", "rate", "model", "seed", "measure", "value", "jobs")


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
        published=_all_published(keys, path.parent),
        others=keys.texts("others", [], what="data that rows were published of, besides the study's own"),
        tables=tuple(read_table(table) for table in keys.tables("tables", what="tables")),
        plots=tuple(read_plot(table) for table in keys.tables("plots", what="tables, each a plot")),
    )
    keys.end()
    check(study)
    _check_names(study, keys)
    return study


def _check_names(study: Study, keys: Keys) -> None:
    """Raise where a name leads nowhere."""
    known = [*(data.name for data in study.data), *study.others]
    for row in study.published:
        if row.data not in known:
            hint = did_you_mean(row.data, known)
            keys.wrong(f"{row.name!r} was published for {row.data!r}, which is not among the data. {hint}")
    rivals = [*(variant.name for variant in study.models), *(row.name for row in study.published)]
    for part in study.outputs:
        against = part.against if isinstance(part, Table) else None
        for name in (*part.models, *([against] if against is not None else [])):
            if name not in rivals:
                keys.wrong(
                    f"{part.name!r} is about {name!r}, which is not among the models. {did_you_mean(name, rivals)}"
                )


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
    settings, vary, takes = keys.table("settings"), keys.table("vary"), keys.table("takes")
    found = Variant(
        name=keys.text("name", model, what="what tables call the model"),
        model=model,
        preset=keys.text("preset", None),
        settings=settings.rest() if settings else {},
        vary=_vary(vary) if vary else {},
        seeded=keys.value("seeded", True, kind=bool, what="true or false"),
        data=keys.texts("data", [], what="data sets that the model is for"),
        takes=_seconds(takes) if takes else {},
    )
    keys.end()
    if "seed" in found.settings:
        keys.wrong("'seed' is no setting here: the study's seeds = [...] says which there are.")
    return found


def _seconds(keys: Keys) -> dict[str, float]:
    found = keys.rest()
    for key, seconds in found.items():
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
            keys.wrong(f"{key!r} must be how many seconds a run takes on these data, roughly, not {seconds!r}.")
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


def _all_published(keys: Keys, folder: Path) -> tuple[Published, ...]:
    """The file's own rows, and those that studies beside it have; what two have is the same and counts once."""
    found = [_published(table) for table in keys.tables("published", what="tables, each a row")]
    for name in keys.texts("published_from", [], what="studies whose published rows are shown here too"):
        beside = Keys.read(folder / f"{name}.toml")
        rows = [_published(table) for table in beside.tables("published", what="tables, each a row")]
        found += [row for row in rows if (row.name, row.data) not in {(one.name, one.data) for one in found}]
    return tuple(found)


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
        check_measure(name, keys)
        if isinstance(score, bool) or not isinstance(score, int | float):
            keys.wrong(f"{name!r} must be a number, not {score!r}.")
    return found
