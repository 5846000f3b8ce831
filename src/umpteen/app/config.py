"""A training's configuration: a TOML file, with the command line on top."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from umpteen.core.errors import SettingError, did_you_mean, spelt
from umpteen.core.files import missing

DEFAULT_MODEL = "plt"
_PATHS = ("train", "valid", "labels", "out")


@dataclass(frozen=True)
class Config:
    """All that a training can be told; these names are the keys of the file."""

    model: str = DEFAULT_MODEL
    preset: str | None = None
    train: Path | None = None
    valid: Path | None = None
    labels: Path | None = None
    language: str | None = None
    out: Path | None = None
    format: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The same as plain values, paths from the root."""
        return {
            f.name: str(value.absolute()) if isinstance(value, Path) else value
            for f in fields(self)
            for value in (getattr(self, f.name),)
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Config":
        """What `to_json` gave; anything else is a TypeError."""
        found: dict[str, Any] = {k: Path(v) if k in _PATHS and v is not None else v for k, v in values.items()}
        made = cls(**found)
        if not all(isinstance(v, str | Path | None) for k, v in found.items() if k != "settings"):
            raise TypeError("Everything but settings is a text.")
        if not isinstance(made.settings, dict):
            raise TypeError("Settings are names with values.")
        return made

    def over(self, *, settings: Mapping[str, Any], **given: Any) -> "Config":
        """The same with what was given on the command line in place of what the file says."""
        chosen = {name: value for name, value in given.items() if value is not None}
        return replace(self, **chosen, settings={**self.settings, **_rooted(settings, Path())})


def read_config(path: Path, *, onto: Config) -> Config:
    """A configuration with what a file says on top; paths in the file are seen from its folder."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingError(missing(path)) from None
    except (ValueError, RecursionError) as error:
        raise SettingError(f"{path} is not TOML: {error}.") from None
    known = [item.name for item in fields(Config)]
    for name, value in found.items():
        if name not in known:
            raise SettingError(
                f"{path} has no use for {name!r}. {did_you_mean(name, known)} A model's settings go below [settings]."
            )
        wanted = dict if name == "settings" else str
        if not isinstance(value, wanted):
            raise SettingError(
                f"{path}: {name!r} must be a {'table' if wanted is dict else 'text'}, not {spelt(value)}."
            )
    paths: dict[str, Any] = {name: path.parent / found[name] for name in _PATHS if name in found}
    settings = {**onto.settings, **_rooted(found.get("settings", {}), path.parent)}
    values: dict[str, Any] = {**found, **paths, "settings": settings}
    return replace(onto, **values)


def _rooted(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Settings with the path to a file of word vectors from the root, which says the same wherever it is read."""
    vectors = settings.get("vectors")
    if isinstance(vectors, str):
        from umpteen.text.vectors import NAMED  # only here: it takes a while

        path = folder / Path(vectors).expanduser()
        if vectors not in NAMED and path.is_file():
            return {**settings, "vectors": str(path.absolute())}
    return {**settings}


def assignments(given: Sequence[str]) -> dict[str, str]:
    """Settings written as name=value."""
    for text in given:
        if "=" not in text:
            raise SettingError(f"--set takes name=value, not {text!r}. Write --set {text}=...")
    return {name.strip(): value for name, _, value in (text.partition("=") for text in given)}
