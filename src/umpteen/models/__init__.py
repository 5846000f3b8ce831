"""The models: one file each, in `sparse`, `deep` and `fusion`; the file's name is the model's name.

Files are read, not imported, to know which models there are, so a list of models never loads torch.
"""

import ast
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from umpteen.contract.classifier import Classifier
from umpteen.core.errors import FolderError, SettingError, did_you_mean
from umpteen.core.extras import need
from umpteen.core.store import Folder

_NEEDS = {"deep": "torch"}  # libraries of a family's extra


@dataclass(frozen=True)
class Entry:
    """A model as a list shows it."""

    name: str
    family: str  # sparse, deep or fusion
    class_name: str
    meaning: str  # the first line of its file

    def load(self) -> type[Classifier]:
        """Import the model's class."""
        if self.family in _NEEDS:
            need(_NEEDS[self.family], extra=self.family, what=f"The model {self.name}")
        module = import_module(f"umpteen.models.{self.family}.{self.name}")
        cls: type[Classifier] = getattr(module, self.class_name)
        return cls


@cache
def entries() -> dict[str, Entry]:
    """All models by name."""
    found = {}
    for file in sorted(Path(__file__).parent.glob("*/*.py")):
        entry = _entry(file)
        if entry is not None:
            found[entry.name] = entry
    return found


def model(name: str) -> type[Classifier]:
    """The model class of this name."""
    if name not in entries():
        raise SettingError(f"There is no model {name!r}. {did_you_mean(name, entries())}")
    return entries()[name].load()


def load(path: str | Path) -> Classifier:
    """The model saved in a folder, whichever it is."""
    folder = Folder(path, verify=False)
    entry = _entry_of(folder)
    with ThreadPoolExecutor(1) as pool:  # both take their time
        verified = pool.submit(folder.verify)
        kind = entry.load()
        verified.result()
    return kind.from_folder(folder)


def from_folder(folder: Folder) -> Classifier:
    """The model in an open folder that was verified."""
    return _entry_of(folder).load().from_folder(folder)


def _entry_of(folder: Folder) -> Entry:
    name = folder.facts.get("model")
    if not isinstance(name, str) or name not in entries():
        hint = did_you_mean(str(name), entries())
        raise FolderError(f"{folder.path} holds a model {name!r}, which this version does not know. {hint}")
    return entries()[name]


def _entry(file: Path) -> Entry | None:
    """What a file says of its model: the class in it that has settings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(part, ast.ClassDef) and part.name == "Params" for part in node.body
        ):
            meaning = (ast.get_docstring(tree) or "").partition("\n")[0]
            return Entry(file.stem, file.parent.name, node.name, meaning)
    return None
