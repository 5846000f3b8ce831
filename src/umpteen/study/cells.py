"""Cells: the single runs of a study, each with all that decides its result."""

import hashlib
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from umpteen.contract.classifier import Classifier
from umpteen.core.errors import DataError, SettingError, UmpteenError
from umpteen.models import model
from umpteen.study.measures import depths
from umpteen.study.plan import Study, Variant
from umpteen.study.sources import Source, marks

FORMAT = 1  # changes when runs are done in another way
_OTHERS = "Choose other data with --data or other models with --models."


@dataclass(frozen=True)
class Cell:
    """One run, and where its figures belong."""

    at: Mapping[str, Any]  # dimension -> value; those of the study that concern it
    split: int | None
    seed: int
    wanted: Mapping[str, Any]  # decides the result
    files: Mapping[str, str]
    threads: int  # 0: every core

    @property
    def about(self) -> str:
        """What is run, without the data."""
        noise = [f"{self.at['noise']} {self.at['rate']:g}"] if self.wanted["noise"] else []
        varied = [f"{key} {value}" for key, value in self.at.items() if key not in ("data", "noise", "rate", "model")]
        return ", ".join((self.at["model"], *varied, *noise, f"seed {self.seed}"))

    @property
    def data(self) -> str:
        """The data, and the split where there are any."""
        return self.at["data"] if self.split is None else f"{self.at['data']}, split {self.split}"

    @property
    def name(self) -> str:
        """All of it, for people."""
        return f"{self.data}, {self.about}"

    @property
    def key(self) -> str:
        """The name of its folder; runs that are the same by definition share it."""
        plain = unicodedata.normalize("NFKD", self.name).encode("ascii", "ignore").decode().lower()
        return f"{re.sub(r'[^a-z0-9.]+', '-', plain).strip('-')[:100]}-{zlib.crc32(self.name.encode()):08x}"

    @property
    def mark(self) -> str:
        """Changes with anything that may change the result."""
        return hashlib.sha256(json.dumps(self.wanted, sort_keys=True).encode()).hexdigest()[:16]


def cells(study: Study, sources: Sequence[Source]) -> list[Cell]:
    """All runs of a study, checked: nothing wrong with models or settings shows later than here.

    Models that read text are left out where there are ready features instead.
    """
    settings = {variant.name: [*_settings(study, variant)] for variant in study.models}
    kinds = {variant.name: _made(variant) for variant in study.models}
    found = []
    for source in sources:
        models = [variant for variant in study.models if is_for(variant, source)]
        if not models:
            what = "has no models" if source.is_text else "holds ready features, which no model reads"
            raise DataError(f"{source.data.name} {what}. {_OTHERS}")
        shared = {
            "umpteen": FORMAT,
            "files": marks(source),
            "where": {key: [*values] for key, values in source.data.where.items()},
            "format": source.data.format,
            "valid": study.valid,
            "at": [*depths(study.measures)],
        }
        for noise, split, variant in product(_noises(study), _splits(source), models):
            for (varied, values), seed in product(settings[variant.name], _seeds(study, variant)):
                own = {key: value for key, value in values.items() if key != "jobs"}  # which changes no result
                wanted = {
                    **shared,
                    "split": split,
                    "noise": noise if noise and noise["rate"] else None,
                    "model": variant.model,
                    "settings": {**own, "seed": seed},
                    "seed": seed,
                }
                if beneath := kinds[variant.name].beneath():
                    wanted["beneath"] = beneath
                place = {"data": source.data.name, **_place(noise), **varied, "model": variant.name}
                number = split["number"] if split else None
                found.append(Cell(place, number, seed, wanted, source.files, values["jobs"]))
    return found


def is_for(variant: Variant, source: Source) -> bool:
    """Whether a model is to learn from some data: it can read them, and the study wants it to."""
    wanted = not variant.data or source.data.name in variant.data
    return wanted and (source.is_text or _made(variant).takes_features())


def _made(variant: Variant) -> Classifier:
    """A model with the settings of a variant, the first of those that vary."""
    kind, first = model(variant.model), {name: values[0] for name, values in variant.vary.items()}
    return kind(**vars(kind.Params.made({**variant.settings, **first}, owner=variant.model, preset=variant.preset)))


def _settings(study: Study, variant: Variant) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each combination of varied settings, and all settings with it."""
    try:
        params = model(variant.model).Params
        for values in product(*variant.vary.values()):
            varied = dict(zip(variant.vary, values, strict=True))
            made = params.made({**variant.settings, **varied}, owner=variant.model, preset=variant.preset)
            yield {name: _shown(value) for name, value in varied.items()}, json.loads(json.dumps(asdict(made)))
    except SettingError as error:
        raise SettingError(f"{study.file}: model {variant.name!r}: {error}") from None
    except UmpteenError as error:
        raise type(error)(f"{study.file}: model {variant.name!r}: {error}") from None


def _shown(value: Any) -> Any:
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _seeds(study: Study, variant: Variant) -> tuple[int, ...]:
    return study.seeds if variant.seeded else study.seeds[:1]


def _noises(study: Study) -> list[dict[str, Any] | None]:
    if study.noise is None:
        return [None]
    return [{"kind": kind, "rate": rate} for kind, rate in product(study.noise.kinds, study.noise.rates)]


def _place(noise: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"noise": noise["kind"], "rate": noise["rate"]} if noise else {}


def _splits(source: Source) -> list[dict[str, Any] | None]:
    if source.split is None:
        return [None]
    return [{"number": number, "test": source.split.test} for number in range(source.split.count)]
