"""The warning before training that will not fit, whatever form the documents have."""

import pytest

from toy import numeric, toy
from umpteen import PLT, Neighbours, OneVsRest
from umpteen.contract.classifier import Classifier, Size
from umpteen.core import memory
from umpteen.core.corpus import Corpus, Document

TEXTS, LABELS = toy(40)
X = numeric(TEXTS)
ROWS = Corpus(
    [Document(features=(X[[n]].indices, X[[n]].data), labels=tuple(LABELS[n])) for n in range(40)], width=X.shape[1]
)
CHARACTERS = sum(map(len, TEXTS))
FORMS = {
    "text": ((TEXTS, LABELS), (CHARACTERS, 0)),
    "a matrix": ((X, LABELS), (0, X.nnz + X.shape[1])),
    "documents of features": ((ROWS,), (0, X.nnz + X.shape[1])),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [PLT, OneVsRest, Neighbours])
def test_training_that_does_not_fit_is_warned_of(
    kind: type[Classifier], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents, (characters, values) = FORMS[form]
    fitted = kind().fit(*documents)
    used = sum(map(len, LABELS))
    size = Size(40, characters, values, len(fitted.labels_), used)
    needed = fitted._memory(size)
    assert needed > fitted._memory(Size(40, 0, 0, len(fitted.labels_), used))
    monkeypatch.setattr(memory, "free", lambda: needed)
    kind().fit(*documents)  # enough: pytest makes warnings errors
    monkeypatch.setattr(memory, "free", lambda: needed - 1)
    with pytest.warns(memory.MemoryWarning, match="needs about"):
        kind().fit(*documents)
