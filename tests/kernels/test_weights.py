import numpy as np
import pytest

from umpteen.kernels.weights import unit_rows, weighted


@pytest.mark.parametrize("sublinear", [True, False])
def test_tf_times_idf_of_unit_length(sublinear: bool) -> None:
    features, counts = np.array([0, 2, 3, 1], np.int32), np.array([3, 1, 2, 5], np.int32)
    bounds = np.array([0, 3, 3, 4])
    column_of, idf = np.array([1, -1, 0, 2], np.int32), np.array([2.0, 1.5, 1.0], np.float32)
    columns, values, ends = weighted(features, counts, bounds, column_of, idf, sublinear)
    tf = 1 + np.log([1, 3, 2]) if sublinear else np.array([1, 3, 2])
    expected = tf * idf
    assert columns.tolist() == [0, 1, 2]
    assert np.allclose(values, expected / np.linalg.norm(expected))
    assert ends.tolist() == [0, 3, 3, 3]  # an empty row, and one whose feature was left out


def test_unit_rows() -> None:
    values = np.array([3, 4, 5, 0], np.float32)
    unit_rows(values, np.array([0, 2, 2, 3, 4]))
    assert np.allclose(values, [0.6, 0.8, 1, 0])
