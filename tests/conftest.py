"""What tests share: real data where it is there, a toy corpus whose right answers are obvious."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

os.environ.setdefault("GOMP_SPINCOUNT", "1000")  # as the command sets it, before torch is loaded: machines may be busy

DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def real() -> Callable[..., Path]:
    """The path of a real data file, or a skip that says what is missing."""

    def path(*parts: str) -> Path:
        found = DATA.joinpath(*parts)
        if not found.exists():
            pytest.skip(f"real data {'/'.join(parts)} is not here")
        return found

    return path
