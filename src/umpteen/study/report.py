"""A report: all that a study has to say of the results there are, before it takes any form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from umpteen.study.counted import Counts, statistics_sheet
from umpteen.study.figures import Point, about, points
from umpteen.study.overlap import overlap_sheet
from umpteen.study.plan import Study, Table, Variant
from umpteen.study.results import Results
from umpteen.study.sheet import Sheet
from umpteen.study.space import spelt
from umpteen.study.tables import sheets


@dataclass(frozen=True)
class Report:
    """The parts of the page, in order."""

    study: Study
    remarks: tuple[str, ...]
    tables: Mapping[str, tuple[Sheet, ...]]  # by the name of the study's table
    points: Sequence[Point]  # what plots are drawn from
    sources: tuple[str, ...]
    failures: tuple[str, ...]

    @property
    def sheets(self) -> list[Sheet]:
        """All tables."""
        return [sheet for parts in self.tables.values() for sheet in parts]


def report(study: Study, results: Results, counts: Mapping[str, Counts]) -> Report:
    """What there is to say now; `counts` are of the data, for tables of statistics."""
    found = points(study, results)
    return Report(
        study,
        tuple(_remarks(study, results)),
        {table.name: tuple(_sheets(table, study, results, found, counts)) for table in study.tables},
        found,
        tuple(_sources(found)),
        tuple(f"{cell.name}: {error}" for cell, error in results.failed),
    )


def _sheets(
    table: Table, study: Study, results: Results, found: Sequence[Point], counts: Mapping[str, Counts]
) -> Iterator[Sheet]:
    if table.kind == "figures":
        yield from sheets(table, study, about(table, found))
        return
    if table.kind == "overlap":
        sheet = overlap_sheet(table, study, results)
    else:
        sheet = statistics_sheet(table, [counts[data.name] for data in study.data if data.name in counts])
    if sheet.rows:
        yield sheet


def _remarks(study: Study, results: Results) -> Iterator[str]:
    """How the figures came about, a sentence each."""
    runs = {cell.key for cell in results.cells}
    done = len(runs) - len(results.to_do)
    yield f"{done} of {len(runs)} runs have ended well." if done < len(runs) else f"{done} runs."
    seeds = ", ".join(map(str, study.seeds))
    spread = " Figures are means, and ± is the standard deviation over runs." if _repeated(study, results) else ""
    yield f"Seed{'s' if len(study.seeds) > 1 else ''} {seeds}.{spread}"
    yield "Settings that are not the defaults: " + "; ".join(map(_made_of, study.models)) + "."
    alone = [variant.name for variant in study.models if not variant.seeded]
    if alone and len(study.seeds) > 1:
        yield f"{', '.join(alone)}: seed {study.seeds[0]} alone."
    if study.valid:
        noise = ", without noise" if study.noise else ""
        yield f"{100 * study.valid:g}% of the training documents are validation documents{noise}."
    yield from left_out(study, results)
    for data in study.data:
        if data.where:
            yield f"{data.name}: {' and '.join(f'{k} is {_or(v)}' for k, v in data.where.items())} only."
    drawn = {cell.at["data"]: cell.wanted["split"]["test"] for cell in results.cells if cell.split is not None}
    for name, share in drawn.items():
        count = len({cell.split for cell in results.cells if cell.at["data"] == name})
        yield f"{name}: {count} random split{'s' if count > 1 else ''}, {100 * share:g}% test documents."


def _made_of(variant: Variant) -> str:
    """A model of the study, with what it was told."""
    given = {**variant.settings, **{name: " | ".join(map(spelt, values)) for name, values in variant.vary.items()}}
    parts = [*([f"preset {variant.preset}"] if variant.preset else []), *(f"{k}={spelt(v)}" for k, v in given.items())]
    of = "" if variant.name == variant.model else f" ({variant.model})"
    return f"{variant.name}{of}: {', '.join(parts) or 'none'}"


def left_out(study: Study, results: Results) -> Iterator[str]:
    """Which models cannot read which data, a sentence for each data set."""
    there = {(cell.at["data"], cell.at["model"]) for cell in results.cells}
    for data in study.data:
        asked = [variant.name for variant in study.models if not variant.data or data.name in variant.data]
        missing = [name for name in asked if (data.name, name) not in there]
        if missing:
            yield f"{data.name} holds ready features without text, which {_and(missing)} cannot read: left out there."


def _or(values: tuple[object, ...]) -> str:
    return " or ".join(map(str, values))


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _repeated(study: Study, results: Results) -> bool:
    return len(study.seeds) > 1 or any(cell.split for cell in results.cells)


def _sources(found: Sequence[Point]) -> Iterator[str]:
    """Where published rows come from, rows of one source together."""
    together: dict[tuple[str, str], list[str]] = {}
    for row in (point.source for point in found if point.source is not None):
        together.setdefault((row.data, row.source), []).append(row.name)
    for (data, source), names in together.items():
        yield f"{', '.join(names)} on {data}: {source}, as printed"
