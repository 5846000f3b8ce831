"""Consistency: whether the parts of a study go together, said before any training."""

from collections.abc import Sequence

from umpteen.core.errors import SettingError, did_you_mean
from umpteen.study import measures
from umpteen.study.plan import Plot, Study, Table


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
    for table in study.tables:
        if any(variant.name == table.against and variant.vary for variant in study.models):
            raise wrong(f"{table.name!r} compares with {table.against!r}, which is several models, since it varies.")
    for part in study.outputs:
        _check_dimensions(study, part)


def _check_dimensions(study: Study, part: Table | Plot) -> None:
    known = (*study.dimensions, "measure")
    if isinstance(part, Table) and part.kind != "figures":
        return
    used = (part.columns, part.apart) if isinstance(part, Table) else (part.x, part.series)
    for dimension in used:
        if dimension is not None and dimension not in known:
            raise SettingError(
                f"{study.file}: {part.name!r} cannot tell figures apart by {dimension!r}, which does not vary. "
                f"{did_you_mean(dimension, known)}"
            )
    if used[0] == used[1]:
        raise SettingError(f"{study.file}: {part.name!r} uses {used[0]!r} twice.")
    if isinstance(part, Plot) and part.kind == "lines":
        tried = [value for variant in study.models for value in variant.vary.get(part.x, ())]
        if word := next((value for value in tried if isinstance(value, bool | str | list | tuple)), None):
            raise SettingError(
                f"{study.file}: {part.name!r} draws lines over {part.x!r}, and {word!r} is no number: use bars."
            )
    if study.noise is None and (left := [m for m in part.measures if measures.without_noise(m)]):
        raise SettingError(f"{study.file}: {part.name!r} shows {left[0]!r}, and there is no [noise] in this study.")


def check_rates(rates: Sequence[float], what: str) -> None:
    """Raise where a rate of noise is none."""
    for rate in rates:
        if not 0 <= rate <= 1:
            raise SettingError(f"{what} must lie between 0 and 1, not at {rate:g}.")
