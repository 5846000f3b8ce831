"""Settings: frozen dataclasses whose fields carry meaning and limits, checked when made.

A model's nested `Params` is the only place where a default is written; the command line, configuration files,
documentation and the saved folder all read it there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, ClassVar, Self, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from umpteen.core.errors import SettingError, did_you_mean, spelt

PASSING = (
    "jobs",
    "device",
    "compile",
)  # settings of the work, not of what comes out of it: a saved model does not have them
LARGEST = 1e18  # what compiled code can count to, with room to spare

Value = bool | int | float | str | tuple[Any, ...] | None
Space = Mapping[str, tuple[Value, ...]]  # setting -> values that a search tries


def setting(
    default: Value,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: Iterable[str] = (),
) -> Any:
    """A settings field with what it means and which values it takes."""
    return field(default=default, metadata={"meaning": meaning, "least": least, "most": most, "choices": [*choices]})


@dataclass(frozen=True)
class Row:
    """One setting as a table shows it."""

    name: str
    type: str
    default: Value
    limits: str
    meaning: str


class Times(tuple[float, ...]):
    """Values to try, as multiples of a setting's default."""


def times(*factors: float) -> Times:
    """Values to try: the default of a setting times each of these."""
    return Times(factors)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every model can be told."""

    presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {}
    space: ClassVar[Space] = {}  # what a search tries, beside what base classes name

    seed: int = setting(0, "Same seed, same data: same model.", least=0, most=4_000_000_000)
    jobs: int = setting(0, "Threads to use; 0 takes every core. Never changes a result.", least=0, most=4096)

    def __post_init__(self) -> None:
        hints = _hints(type(self))
        for item in fields(self):
            object.__setattr__(self, item.name, _several(getattr(self, item.name), hints[item.name]))
            _check(item, hints[item.name], getattr(self, item.name))

    @classmethod
    def made(cls, values: Mapping[str, object] | None = None, *, owner: str, preset: str | None = None) -> Self:
        """Settings from a preset and named values on top; values may be text, as from the command line."""
        chosen: dict[str, Any] = {}
        if preset is not None:
            if preset not in cls.presets:
                raise SettingError(f"{owner} has no preset {preset!r}. {did_you_mean(preset, cls.presets)}")
            chosen.update(cls.presets[preset])
        chosen.update(values or {})
        cls.check_names(chosen, owner=owner)
        hints = _hints(cls)
        for name, value in chosen.items():
            if isinstance(value, str | list):
                chosen[name] = _parsed(name, value, hints[name])
        return cls(**chosen)

    @classmethod
    def check_names(cls, names: Iterable[str], *, owner: str) -> None:
        """Raise at the first name that is no setting."""
        known = [item.name for item in fields(cls)]
        for name in names:
            if name not in known:
                raise SettingError(f"{owner} has no setting {name!r}. {did_you_mean(name, known)}")

    @classmethod
    def searched(cls) -> dict[str, tuple[Value, ...]]:
        """The values of each setting that a search tries where it is not told which."""
        declared: dict[str, tuple[Value, ...]] = {}
        for base in reversed(cls.__mro__):
            declared |= base.__dict__.get("space", {})
        found = {}
        for item in cast(tuple[Any, ...], fields(cls)):
            values = declared.get(item.name, ())
            if isinstance(values, Times):
                values = tuple(_near(item.default * factor, whole=isinstance(item.default, int)) for factor in values)
            if len({*values}) > 1:
                found[item.name] = values
        return found

    @classmethod
    def rows(cls) -> list[Row]:
        """The table of settings, in the order they are written."""
        hints, items = _hints(cls), cast(tuple[Any, ...], fields(cls))
        return [Row(f.name, _type_name(hints[f.name]), f.default, _limits(f), f.metadata["meaning"]) for f in items]


def _near(value: float, *, whole: bool) -> float:
    """A number without digits that only come of arithmetic."""
    return round(value) if whole else float(f"{value:.6g}")


def _hints(cls: type[Settings]) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}


def _limits(item: Any) -> str:
    least, most, choices = (item.metadata[key] for key in ("least", "most", "choices"))
    if choices:
        return " | ".join(choices)
    if least is not None and most is not None:
        return f"{least:g} to {most:g}"
    return f"{least:g} or more" if least is not None else f"{most:g} or less" if most is not None else ""


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _type_name(hint: Any) -> str:
    names = {int: "whole number", float: "number", bool: "true/false", str: "text", NoneType: "none"}
    return " or ".join(
        names.get(o, f"{names.get(get_args(o)[0])}s" if get_origin(o) is tuple else str(o)) for o in _options(hint)
    )


def _a(kind: str) -> str:
    return kind if kind.endswith("s") or kind == "true/false" else f"a {kind}"


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_fits(v, get_args(hint)[0]) for v in value)
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return isinstance(value, hint)


def _several(value: object, hint: Any) -> object:
    """A list, or a single number where any count of them would do, as the tuple that it stands for.

    Numbers of numpy become Python's, which can be saved.
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    for option in _options(hint):
        if get_origin(option) is tuple:
            if isinstance(value, list):
                return tuple(value)
            whole = get_args(option)[1:] == (Ellipsis,)
            if whole and not isinstance(value, str) and _fits(value, get_args(option)[0]):
                return (value,)
    return value


def _check(item: Any, hint: Any, value: Any) -> None:
    if not any(_fits(value, option) for option in _options(hint)):
        raise SettingError(f"Setting {item.name!r} takes {_a(_type_name(hint))}, not {spelt(value)}.")
    least, most, choices = (item.metadata[key] for key in ("least", "most", "choices"))
    if choices and value not in choices and value is not None:
        raise SettingError(f"Setting {item.name!r} cannot be {spelt(value)}. {did_you_mean(str(value), choices)}")
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, str) or number is None:
            continue
        is_finite = -LARGEST < number < LARGEST
        if not is_finite or (least is not None and number < least) or (most is not None and number > most):
            wanted = _limits(item) or "a number"
            wanted += ", and finite" if not is_finite and most is None else ""
            raise SettingError(f"Setting {item.name!r} must be {wanted}, not {spelt(number)}.")


def _parsed(name: str, value: str | list[object], hint: Any) -> object:
    """The value that `value`, a text or a configuration file's list, stands for."""
    for option in _options(hint):
        try:
            return _read(value, option)
        except ValueError:
            continue
    raise SettingError(f"Setting {name!r} takes {_a(_type_name(hint))}, not {spelt(value)}.")


def _read(value: str | list[object], hint: Any) -> object:
    if get_origin(hint) is tuple:
        parts: Iterable[object] = (
            (p.strip() for p in value.split(",") if p.strip()) if isinstance(value, str) else value
        )
        return tuple(_read(p, get_args(hint)[0]) if isinstance(p, str) else p for p in parts)
    if not isinstance(value, str):
        raise ValueError
    text = value.strip()
    if hint is NoneType or hint is bool:
        words = (
            {"none": None}
            if hint is NoneType
            else {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        )
        if text.lower() not in words:
            raise ValueError
        return words[text.lower()]
    return hint(text)
