"""A study: which models learn from which data under which conditions, and what is shown of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Value = str | int | float | bool | tuple[Any, ...]
Shown = Literal["figures", "statistics", "overlap"]


@dataclass(frozen=True, kw_only=True)
class Split:
    """Random splits instead of the data's own."""

    count: int = 1
    test: float = 0.2  # share of the documents


@dataclass(frozen=True, kw_only=True)
class Data:
    """Documents, by path or by a name that is looked for."""

    name: str  # that tables show
    path: str
    split: Split | None = None
    where: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)  # metadata -> values to keep
    format: str | None = None
    labels: str | None = None  # a file of label names; else the one in the folder


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A model with its settings, under a name of its own."""

    name: str
    model: str
    preset: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    vary: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # settings that take several values in turn
    seeded: bool = True  # else it runs with the first seed alone
    data: tuple[str, ...] = ()  # that it is for, by name; without any, all
    takes: Mapping[str, float] = field(default_factory=dict)  # seconds by data, roughly, for estimates


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Label noise in training documents; validation and test documents stay clean."""

    kinds: tuple[str, ...]
    rates: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Published:
    """What a paper printed, shown beside the runs."""

    name: str
    data: str
    source: str
    scores: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Table:
    """Figures in rows and columns; what is not told apart by columns is told apart by rows.

    Or statistics of the data, or how far the rankings of each two `models` overlap.
    """

    name: str
    title: str
    kind: Shown = "figures"
    measures: tuple[str, ...] = ()
    models: tuple[str, ...] = ()  # that it is about, published rows by name as well; without any, all
    columns: str = "measure"
    apart: str | None = None  # a table for each value of this
    ranks: bool = False
    against: str | None = None  # the model that p-values compare with


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A picture with a panel for each value of what neither x nor series tell apart."""

    name: str
    title: str
    models: tuple[str, ...] = ()  # as of a table
    kind: Literal["lines", "bars"]
    measures: tuple[str, ...]
    x: str
    series: str = "model"


@dataclass(frozen=True, kw_only=True)
class Study:
    """All of it."""

    name: str
    file: str  # for the words of an error
    title: str
    about: str = ""
    data: tuple[Data, ...]
    models: tuple[Variant, ...]
    seeds: tuple[int, ...] = (0,)
    valid: float = 0.1  # share of the training documents
    noise: Noise | None = None
    published: tuple[Published, ...] = ()
    others: tuple[str, ...] = ()  # data that rows were published of, for users who have them
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """All that is shown anywhere."""
        return tuple(dict.fromkeys(name for part in self.outputs for name in part.measures))

    @property
    def outputs(self) -> tuple[Table | Plot, ...]:
        """What is shown: tables, then plots."""
        return (*self.tables, *self.plots)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What figures can be told apart by, besides the measure; seeds and splits are averaged over."""
        settings = dict.fromkeys(name for variant in self.models for name in variant.vary)
        return ("data", *(("noise", "rate") if self.noise else ()), *settings, "model")
