"""Measures: what a run is judged by, under the names that a study's tables and plots use."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from umpteen.core.errors import SettingError, did_you_mean
from umpteen.metrics.report import AT_K, is_error

_AT = re.compile(r"([\w-]+)@([1-9]\d{0,3})")
_LEFT = "kept "  # before a measure: what is left of its value without noise
_SETS = tuple(f"{kind}-{name}" for kind in ("micro", "macro", "document") for name in ("P", "R", "F1"))
_LISTED = (*AT_K, "coverage", "ECE", *(f"macro-{name}" for name in ("P", "R", "F1")))  # those at k
_GROUPS = tuple(f"{group}-{area}" for group in ("tail", "torso", "head") for area in ("AUC", "AUPR"))


@dataclass(frozen=True)
class Cost:
    """A measure of effort."""

    heading: str
    digits: int
    less: bool = True  # is better


COSTS = {
    "train-seconds": Cost("training, s", 1),
    "tag-seconds": Cost("tagging, s", 2),
    "documents/s": Cost("tagged documents/s", 0, less=False),
    "train-documents/s": Cost("training documents/s", 0, less=False),
    "memory": Cost("peak memory, MiB", 0),
    "size": Cost("model size, MiB", 1),
}
USUAL = ("P@1", "P@3", "P@5")


def check(name: str) -> None:
    """Raise where there is no such measure."""
    plain = name.removeprefix(_LEFT)
    at = _AT.fullmatch(plain)
    if plain in (*COSTS, *_SETS, *_GROUPS) or (at and at[1] in _LISTED):
        return
    known = [f"{metric}@{k}" for metric in _LISTED for k in (1, 3, 5)]
    hint = did_you_mean(name, [*known, *COSTS, *_SETS, *_GROUPS])
    if not hint.startswith("Did you"):
        hint = (
            f"There are P@k, nDCG@k, PSP@k and others at k, {', '.join((*COSTS, _SETS[2], _GROUPS[0]))} and the like."
        )
    raise SettingError(f"There is no measure {name!r}. {hint}")


def depths(names: Iterable[str]) -> tuple[int, ...]:
    """The k that must be measured so that all these are known, the usual ones among them."""
    found = [_AT.fullmatch(name.removeprefix(_LEFT)) for name in (*USUAL, *names)]
    return tuple(sorted({int(at[2]) for at in found if at}))


def heading(name: str) -> str:
    """What a table or an axis calls it."""
    return COSTS[name].heading if name in COSTS else f"{name}, percent"


def written(name: str, value: float) -> str:
    """A value with as many digits as one reads."""
    return f"{value:,.{COSTS[name].digits if name in COSTS else 2}f}"


def less_is_better(name: str) -> bool:
    """Whether a lower value is the better one."""
    return is_error(name) or (name in COSTS and COSTS[name].less)


def is_percent(name: str) -> bool:
    """Whether it lies between 0 and 100."""
    return name not in COSTS


def without_noise(name: str) -> str | None:
    """The measure that this is what is left of, where it is such a one."""
    return name.removeprefix(_LEFT) if name.startswith(_LEFT) else None


def of_report(report: Mapping[str, Any]) -> dict[str, float]:
    """The measures in a report's JSON: its scores, and the areas of its groups."""
    found = {name: value for name, value in report.items() if "@" in name or name in _SETS}
    for group in report["groups"]:
        found |= {f"{group['name']}-AUC": group["auc"], f"{group['name']}-AUPR": group["aupr"]}
    return {name: value for name, value in found.items() if value is not None}
