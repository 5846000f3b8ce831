"""The benchmark of label trees: its profiles and what it says of groups; nothing here is about time."""

from pathlib import Path

import numpy as np
import pytest

from umpteen.labels.tree import balanced


def test_profiles_are_of_length_one_and_group_by_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    from tree import generated, likeness

    vectors = generated(3000, 1000, 20)
    assert vectors.shape == (3000, 1000)
    assert vectors.has_canonical_format
    np.testing.assert_allclose(vectors.multiply(vectors).sum(axis=1), 1, rtol=1e-5)
    near, far = likeness(vectors, balanced(vectors, branch=16, leaf=16, height=1, jobs=1))
    assert near > 1.1 * far
