"""The space of a search: which values each setting may take, as a user writes them or as the model's settings say."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import exp, log
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from umpteen.core.errors import SettingError
from umpteen.core.settings import Settings
from umpteen.study.keys import Keys

_FACTOR = 10  # between the ends of a range that is drawn from by magnitude
_PATIENCE = 100  # draws of a trial that was drawn before


class Values(Protocol):
    """What a setting may be."""

    def draw(self, random: np.random.Generator) -> Any:
        """One value."""

    @property
    def ends(self) -> tuple[Any, ...]:
        """Values that must be allowed for all of them to be."""


@dataclass(frozen=True)
class Choices:
    """One of a list."""

    values: tuple[Any, ...]

    def draw(self, random: np.random.Generator) -> Any:
        """One of them."""
        return self.values[int(random.integers(len(self.values)))]

    @property
    def ends(self) -> tuple[Any, ...]:
        """All of them."""
        return self.values

    def __str__(self) -> str:
        return ", ".join(spelt(value) for value in self.values)


@dataclass(frozen=True)
class Span:
    """Any number between two, by magnitude where they lie far apart."""

    low: float
    high: float
    whole: bool

    def draw(self, random: np.random.Generator) -> Any:
        """A number of four digits."""
        by_magnitude = self.low > 0 and self.high / self.low >= _FACTOR
        share = float(random.random())
        if by_magnitude:
            value = exp(log(self.low) + share * (log(self.high) - log(self.low)))
        else:
            value = self.low + share * (self.high - self.low)
        return round(value) if self.whole else float(f"{value:.4g}")

    @property
    def ends(self) -> tuple[Any, ...]:
        """The two."""
        return (int(self.low), int(self.high)) if self.whole else (self.low, self.high)

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"


Space = dict[str, Values]


def space_of(
    params: type[Settings],
    given: Sequence[str],
    file: Path | None,
    *,
    owner: str,
    text: bool,
    preset: str | None = None,
) -> Space:
    """What the user names, in a file or as name=values; without either, what the model's settings say.

    Of data without text, settings of how text is read are left out. Values go together with those of the preset.
    """
    if not given and file is None:
        usual = {name: Choices(values) for name, values in params.searched().items()}
        return {name: values for name, values in usual.items() if text or name not in _of_text(params)}
    found: dict[str, Any] = dict(Keys.read(file).rest()) if file is not None else {}
    for one in given:
        name, equals, values = one.partition("=")
        if not equals or not values.strip():
            raise SettingError(f"--set takes NAME=VALUES, such as cost=0.3,1,3 or rate=0.0005..0.005, not {one!r}.")
        found[name.strip()] = values
    params.check_names(found, owner=owner)
    wanted = {name: _values(params, name, values) for name, values in found.items()}
    first = {name: values.ends[0] for name, values in wanted.items()}

    def checked(name: str, values: Values) -> Values:
        """The same with values of the setting's type; raises where it does not take one."""
        made = (params.made({**first, name: value}, owner=owner, preset=preset) for value in values.ends)
        typed = tuple(getattr(one, name) for one in made)
        return Choices(typed) if isinstance(values, Choices) else values

    return {name: checked(name, values) for name, values in wanted.items()}


def _of_text(params: type[Settings]) -> set[str]:
    """Settings that do nothing where documents are ready features."""
    named = [base.__dict__.get("space", {}) for base in params.__mro__ if base.__name__ == "TfidfSettings"]
    return {name for space in named for name in space}


def _values(params: type[Settings], name: str, given: Any) -> Values:
    default = next(item.default for item in fields(params) if item.name == name)
    if not isinstance(given, str):
        listed = given if isinstance(given, list) and given and not _is_one(given, default) else [given]
        return Choices(tuple(tuple(value) if isinstance(value, list) else value for value in listed))
    low, dots, high = given.partition("..")
    if dots:
        types = next(row.type for row in params.rows() if row.name == name)
        return _span(name, low, high, whole="whole number" in types)
    parts = given.split(",")
    if isinstance(default, tuple):  # folders of models have slashes of their own
        parts = [given] if any(Path(part.strip()).exists() for part in parts) else given.split("/")
    return Choices(tuple(part.strip() for part in parts if part.strip()))


def _is_one(given: list[Any], default: object) -> bool:
    """Whether a list is a single value, of a setting that takes lists."""
    return isinstance(default, tuple) and not any(isinstance(value, list) for value in given)


def _span(name: str, low: str, high: str, *, whole: bool) -> Span:
    try:
        found = Span(float(low), float(high), whole)
    except ValueError:
        raise SettingError(f"{name!r} goes from one number to another, such as 0.1..10, not {low}..{high}.") from None
    if not found.low < found.high:
        raise SettingError(f"{name!r} must go up, and {low}..{high} does not.")
    return found


def parted(space: Space) -> tuple[dict[str, Any], Space]:
    """What has one value alone, and what is left to be searched."""
    alone = {name: values.ends[0] for name, values in space.items() if len(values.ends) == 1}
    return alone, {name: values for name, values in space.items() if name not in alone}


def drawn(space: Space, trials: int, *, seed: int) -> Iterator[dict[str, Any]]:
    """So many different settings, each drawn from the space; fewer where it has no more. More trials begin the same."""
    random, seen = np.random.default_rng(seed), set[str]()
    for _ in range(trials):
        for _ in range(_PATIENCE):
            settings = {name: values.draw(random) for name, values in space.items()}
            mark = json.dumps(settings)
            if mark not in seen:
                seen.add(mark)
                yield settings
                break


def spelt(value: Any) -> str:
    """A setting's value as one writes it."""
    if isinstance(value, tuple | list):
        return ",".join(map(spelt, value))
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def toml(model: str, preset: str | None, settings: Mapping[str, Any], *, about: Sequence[str]) -> str:
    """A configuration that `umpteen train --config` takes."""
    lines = [*(f"# {line}" for line in about), f"model = {json.dumps(model)}"]
    lines += [f"preset = {json.dumps(preset)}"] if preset is not None else []
    lines += ["", "[settings]", *(f"{name} = {_toml(value)}" for name, value in settings.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps("none" if value is None else value, ensure_ascii=False)
