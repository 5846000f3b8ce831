"""The studies that come with the product: TOML files in `shipped`, each under a short name."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from umpteen.core.errors import SettingError, did_you_mean
from umpteen.study.plan import Study
from umpteen.study.reading import read_study

_FOLDER = Path(__file__).parent / "shipped"


@dataclass(frozen=True)
class Shipped:
    """A study as a list shows it."""

    name: str
    model: str | None  # that it is about, where there is such a study for several
    title: str
    file: Path

    @property
    def call(self) -> str:
        """What one types to run it."""
        return f"{self.name} --model {self.model}" if self.model else self.name


def shipped() -> list[Shipped]:
    """All of them."""
    found = []
    for file in sorted(_FOLDER.glob("*.toml")):
        head = tomllib.loads(file.read_text(encoding="utf-8"))
        model = head.get("model")
        found.append(Shipped(file.stem.removesuffix(f"-{model}"), model, head["title"], file))
    return found


def study_named(name: str, *, model: str | None = None) -> Study:
    """The study in a TOML file, or the shipped one of this name."""
    if name.endswith(".toml") or "/" in name:
        if model is not None:
            raise SettingError("--model chooses among shipped studies. To choose among a file's models, use --models.")
        return read_study(Path(name))
    known = [one for one in shipped() if one.name == name]
    if not known:
        hint = did_you_mean(name, {one.name for one in shipped()})
        raise SettingError(f"There is no study {name!r}. {hint} A file of your own must end in .toml.")
    fitting = [one for one in known if model in (None, one.model)]
    if model is not None and not fitting:
        models = [one.model for one in known if one.model]
        if not models:
            raise SettingError(f"The study {name!r} is not about one model. To choose among its models, use --models.")
        raise SettingError(f"The study {name!r} has nothing about {model!r}. {did_you_mean(model, models)}")
    if len(fitting) > 1:
        models = [one.model for one in fitting if one.model]
        raise SettingError(f"The study {name!r} is about one model: say which with --model: {', '.join(models)}.")
    return read_study(fitting[0].file, name=fitting[0].file.stem)
