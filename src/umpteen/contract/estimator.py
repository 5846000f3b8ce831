"""Estimator: scikit-learn's contract (`get_params`, `clone`, `Pipeline`, `GridSearchCV`) by methods alone.

Tagging therefore need not load scikit-learn.
"""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from umpteen.core.errors import NotFittedError
from umpteen.core.settings import Settings
from umpteen.core.space import LabelSpace


class Estimator:
    """Something with settings that learns labels."""

    Params: ClassVar[type[Settings]]
    labels_: LabelSpace

    def __init__(self, **settings: Any) -> None:
        self.Params.check_names(settings, owner=type(self).__name__)
        self.params = self.Params(**settings)

    if not TYPE_CHECKING:  # else a checker would take any attribute for one that is there

        def __getattr__(self, name: str) -> Any:
            """A setting by its name, as scikit-learn's estimators have them."""
            params = self.__dict__.get("params")
            if params is not None and name in {f.name for f in fields(params)}:
                return getattr(params, name)
            return object.__getattribute__(self, name)  # says what is wrong, or what a property says of itself

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name."""
        return {f.name: getattr(self.params, f.name) for f in fields(self.params)}

    def set_params(self, **settings: Any) -> Self:
        """Change settings; counts for the next `fit`."""
        self.Params.check_names(settings, owner=type(self).__name__)
        self.params = self.Params(**{**self.get_params(), **settings})
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True, multi_output=True, single_output=False),
            classifier_tags=ClassifierTags(multi_class=False, multi_label=True),
            input_tags=InputTags(sparse=True, string=True, two_d_array=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    @property
    def classes_(self) -> np.ndarray[Any, Any]:
        """The labels by column of `predict_proba`."""
        self._check_fitted()
        return np.array(self.labels_.keys, dtype=object)

    def __repr__(self) -> str:
        changed = (f for f in fields(self.params) if getattr(self.params, f.name) != f.default)
        return f"{type(self).__name__}({', '.join(f'{f.name}={getattr(self.params, f.name)!r}' for f in changed)})"

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"{type(self).__name__} has not learnt anything yet: call fit first, or load a saved model."
            )
