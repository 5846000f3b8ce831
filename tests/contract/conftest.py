from collections.abc import Iterator

import pytest

from umpteen.contract.classifier import Classifier
from umpteen.models import entries


@pytest.fixture(scope="module", params=sorted(entries()))
def cls(request: pytest.FixtureRequest) -> Iterator[type[Classifier]]:
    """Every model there is, one after the other; those whose libraries are missing are skipped."""
    try:
        yield entries()[request.param].load()
    except ImportError as missing:
        pytest.skip(f"{request.param}: {missing}")
