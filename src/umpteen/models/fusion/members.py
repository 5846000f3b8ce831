"""Members of a joint model: what their names ask for, and where their settings stand.

A member is named `plt`, `plt:parabel` with a preset, or by the folder of a saved model. Its settings are named
`plt.trees` in the joint model's; where several members are of one model, `plt:parabel.trees` means one of them.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from umpteen.contract.classifier import Classifier
from umpteen.core.errors import SettingError, did_you_mean
from umpteen.core.settings import Settings
from umpteen.core.store import MANIFEST
from umpteen.models import entries, load, model


@dataclass(frozen=True)
class Member:
    """One of the models to join."""

    text: str  # as the user wrote it
    name: str  # of its folder, and for people

    @property
    def saved(self) -> bool:
        """Whether it is there already."""
        return self.text.partition(":")[0] not in entries()

    @property
    def mark(self) -> str:
        """Of a saved model: changes with what is in its folder."""
        return hashlib.sha256((Path(self.text) / MANIFEST).read_bytes()).hexdigest()[:16]

    def made(self, settings: Settings, options: Iterable[str], turn: int) -> Classifier:
        """The model, saved or yet to be trained; `turn` counts equal members, which differ by their seeds."""
        if self.saved:
            return load(self.text)
        kind, _, preset = self.text.partition(":")
        values: dict[str, Any] = {"seed": settings.seed + turn, "jobs": settings.jobs}
        for mine in (kind, self.text):  # what is said of this member alone wins
            values |= {name: value for owner, name, value in map(parted, options) if owner == mine}
        params = model(kind).Params.made(values, owner=kind, preset=preset or None)
        return model(kind)(**vars(params))


def members_of(texts: Iterable[str]) -> list[Member]:
    """The members by what the user wrote; each gets a name of its own."""
    found: list[Member] = []
    for text in texts:
        kind, known = text.partition(":")[0], entries()
        if kind not in known and not (Path(text) / MANIFEST).is_file():
            hint = did_you_mean(kind, known)
            raise SettingError(f"There is no model {text!r} to join, nor a folder with a saved one. {hint}")
        plain = text.replace(":", "-") if kind in known else Path(text).resolve().name
        taken = {member.name for member in found}
        names = (plain if number == 1 else f"{plain}-{number}" for number in range(1, len(found) + 2))
        found.append(Member(text, next(name for name in names if name not in taken)))
    return found


def folded(values: Mapping[str, Any], known: Iterable[str] = ()) -> dict[str, Any]:
    """Settings with those of members (`plt.trees`, `plt__trees`, or a table `plt`) among `options`.

    They join the options that are named, or else those `known` before; of two for the same setting the later counts.
    """
    own: dict[str, Any] = {}
    options: list[str] = []
    for key, value in values.items():
        dotted = key.replace("__", ".")
        if isinstance(value, Mapping):
            options += [f"{key}.{name}={_written(inner)}" for name, inner in value.items()]
        elif "." in dotted:
            options.append(f"{dotted}={_written(value)}")
        else:
            own[key] = value
    if options:
        kept = own.get("options", known) or ()
        every = (*(kept.split(",") if isinstance(kept, str) else kept), *options)
        own["options"] = tuple({option.partition("=")[0]: option for option in every}.values())
    return own


def check(members: Iterable[str], options: Iterable[str]) -> None:
    """Raise where an option is of no member, or no setting of it."""
    known = {name: text.partition(":")[0] for text in members for name in (text, text.partition(":")[0])}
    for owner, name, value in map(parted, options):
        if owner not in known or known[owner] not in entries():
            raise SettingError(f"No member is called {owner!r}. {did_you_mean(owner, known)}")
        try:
            model(known[owner]).Params.made({name: value}, owner=owner)
        except SettingError as error:
            raise SettingError(f"{owner}.{name}: {error}") from error


def parted(option: str) -> tuple[str, str, str]:
    """Member, setting and value of an option."""
    place, equals, value = option.partition("=")
    owner, dot, name = place.rpartition(".")
    if not equals or not dot:
        raise SettingError(f"A member's setting is written member.setting=value, not {option!r}.")
    return owner.strip(), name.strip(), value


def _written(value: Any) -> str:
    """A value as the command line would take it."""
    if isinstance(value, list | tuple):
        return ",".join(map(_written, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
