"""Umpteen tags a document with the right few labels out of umpteen: dozens, thousands or millions.

    import umpteen
    model = umpteen.Neighbours().fit(texts, labels)
    model.rank(["a new text"], k=5)

Names are imported when first used, so `import umpteen` is quick and never loads torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier as Classifier
    from umpteen.contract.cross import cross_validate as cross_validate
    from umpteen.core.corpus import Corpus as Corpus
    from umpteen.core.corpus import Document as Document
    from umpteen.core.errors import UmpteenError as UmpteenError
    from umpteen.core.ranking import Ranking as Ranking
    from umpteen.core.space import Label as Label
    from umpteen.core.space import LabelSpace as LabelSpace
    from umpteen.data.convert import convert as convert
    from umpteen.data.generate import generate as generate
    from umpteen.data.read import read as read
    from umpteen.labels.files import read_labels as read_labels
    from umpteen.models import load as load
    from umpteen.models import model as model

_PLACES = {
    "Classifier": "contract.classifier",
    "Corpus": "core.corpus",
    "Document": "core.corpus",
    "Label": "core.space",
    "LabelSpace": "core.space",
    "Ranking": "core.ranking",
    "UmpteenError": "core.errors",
    "convert": "data.convert",
    "cross_validate": "contract.cross",
    "generate": "data.generate",
    "load": "models",
    "model": "models",
    "read": "data.read",
    "read_labels": "labels.files",
}

__all__ = [*_PLACES, "__version__"]  # and every model by its class name


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f"umpteen.{_PLACES[name]}"), name)
    if not name.startswith("_"):
        from umpteen.models import entries

        for entry in entries().values():
            if entry.class_name == name:
                return entry.load()
    raise AttributeError(f"module 'umpteen' has no attribute {name!r}")


def __dir__() -> list[str]:
    from umpteen.models import entries

    return sorted([*__all__, *(entry.class_name for entry in entries().values())])
