"""Saved: a model as a folder, written and read; what every model is on disk, besides what is its own."""

from dataclasses import asdict
from pathlib import Path
from typing import Self

from umpteen.contract.estimator import Estimator
from umpteen.contract.tuning import Tuning
from umpteen.core.errors import FolderError
from umpteen.core.settings import PASSING
from umpteen.core.space import LabelSpace
from umpteen.core.store import Folder, NewFolder, check_free, new_folder


class Saved(Estimator):
    """Something that has learnt and can be kept. A model adds `_save` and `_load`."""

    documents_: int  # documents learnt from
    y_form_: str  # in which labels came and answers go
    tuning_: Tuning | None = None  # probabilities and policies, once calibrated

    def _save(self, folder: NewFolder) -> None:
        """Write what `_load` needs."""
        raise NotImplementedError

    def _load(self, folder: Folder) -> None:
        """Become what `_save` wrote."""
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, in place of an older model there."""
        self._check_fitted()
        check_free(path)
        with new_folder(path) as folder:
            self.write(folder)

    def write(self, folder: NewFolder) -> None:
        """Fill a folder that is being written."""
        self._check_fitted()
        folder.facts |= {
            "model": model_name(type(self)),
            "settings": {name: value for name, value in asdict(self.params).items() if name not in PASSING},
            "documents": self.documents_,
            "answers": self.y_form_,
        }
        folder.json("labels", self.labels_.to_json())
        self._save(folder)
        if self.tuning_ is not None:
            self.tuning_.save(folder)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model saved in a folder; `umpteen.load` finds out by itself which model it is."""
        return cls.from_folder(Folder(path))

    @classmethod
    def from_folder(cls, folder: Folder) -> Self:
        """The model in an open folder."""
        if folder.facts.get("model") != model_name(cls):
            raise FolderError(
                f"{folder.path} holds a model {folder.facts.get('model')!r}, not {model_name(cls)!r}. Use umpteen.load."
            )
        with folder.sound():
            settings = {name: value for name, value in folder.facts["settings"].items() if name not in PASSING}
            made = cls(**cls.Params.made(settings, owner=cls.__name__).__dict__)
            made.documents_, made.y_form_ = folder.facts["documents"], folder.facts["answers"]
            made.labels_ = LabelSpace.from_json(folder.json("labels"))
            made._load(folder)
            made.tuning_ = Tuning.load(folder)
        return made


def model_name(cls: type[Saved]) -> str:
    """A model's name is its file's."""
    return cls.__module__.rpartition(".")[2]
