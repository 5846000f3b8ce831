"""What the command line changes of a study: other data, fewer models, other seeds, rates and settings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from umpteen.core.errors import SettingError, did_you_mean
from umpteen.study.consistency import check, check_rates
from umpteen.study.plan import Data, Study, Variant
from umpteen.study.reading import RESERVED, spoken


def narrowed(
    study: Study,
    *,
    data: Sequence[str] = (),
    seeds: Sequence[int] = (),
    models: Sequence[str] = (),
    rates: Sequence[float] = (),
    settings: Sequence[str] = (),
) -> Study:
    """The study with what the command line says in place of what the file says."""
    if rates and study.noise is None:
        raise SettingError(f"{study.file} has no label noise, so there are no --rates to choose.")
    check_rates(rates, "--rates")
    given = tuple(_given(study, path) for path in data)
    chosen = [variant.name for name in models for variant in _meant(study, name)]
    study = replace(
        study,
        data=given or study.data,
        seeds=tuple(seeds) or study.seeds,
        models=tuple(_for(v, study, given) for v in study.models if not models or v.name in chosen),
        noise=replace(study.noise, rates=tuple(rates)) if study.noise is not None and rates else study.noise,
    )
    for text in settings:
        study = _set(study, text)
    study = replace(
        study,
        tables=tuple(table for table in study.tables if _has(study, table.columns, table.apart)),
        plots=tuple(plot for plot in study.plots if _has(study, plot.x, plot.series)),
    )
    check(study)
    return study


def _has(study: Study, *dimensions: str | None) -> bool:
    """Whether these still vary: a choice of models or settings may leave a plot with nothing to show."""
    return all(name in (None, "measure", *study.dimensions) for name in dimensions)


def _given(study: Study, path: str) -> Data:
    """Data of the command line; those that the file names as well keep what it says of them."""
    name = spoken(path)
    known = next((data for data in study.data if name.casefold() in _names(data)), None)
    if known is not None:
        called = path.casefold() == known.name.casefold() and not Path(path).exists()
        return known if called else replace(known, path=path)
    return Data(name=next((other for other in study.others if other.casefold() == name.casefold()), name), path=path)


def _for(variant: Variant, study: Study, given: Sequence[Data]) -> Variant:
    """The same for data that the file does not name as well."""
    others = tuple(data.name for data in given if data.name not in [known.name for known in study.data])
    return replace(variant, data=(*variant.data, *others)) if variant.data else variant


def _names(data: Data) -> tuple[str, str]:
    return data.name.casefold(), spoken(data.path).casefold()


def _called(study: Study, name: str) -> list[Variant]:
    """The models that a name means: that of a row, or of a model and so all its rows."""
    named = [v for v in study.models if v.name.casefold() == name.casefold()]
    return named or [v for v in study.models if v.model == name]


def _meant(study: Study, name: str) -> list[Variant]:
    """The same; there must be some."""
    if not (found := _called(study, name)):
        known = {v.name for v in study.models} | {v.model for v in study.models}
        raise SettingError(f"{study.file} has no model {name!r}. {did_you_mean(name, known)}")
    return found


def _set(study: Study, text: str) -> Study:
    place, equals, value = text.partition("=")
    model, dot, name = place.strip().rpartition(".")
    while "." in model and not _called(study, model):  # both.plt.trees: a setting of a member of `both`
        model, _, owner = model.rpartition(".")
        name = f"{owner}.{name}"
    if not (equals and dot and model and name):
        raise SettingError(
            f"--set takes MODEL.NAME=VALUE here, such as {study.models[0].model}.min_df=2, not {text!r}."
        )
    meant = _meant(study, model)
    if name in RESERVED:
        raise SettingError(
            f"--set cannot change {name!r}: --seeds says which seeds there are, and runs at a time (--jobs) share the "
            "cores."
        )
    changed = [
        replace(v, settings={**v.settings, name: value}, vary={k: w for k, w in v.vary.items() if k != name})
        if v in meant
        else v
        for v in study.models
    ]
    return replace(study, models=tuple(changed))
