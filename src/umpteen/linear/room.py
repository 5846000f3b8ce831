"""How many classifiers can be trained side by side where memory has a limit."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.errors import UmpteenError
from umpteen.core.memory import spoken
from umpteen.core.spill import spill
from umpteen.kernels.lanes import LANES
from umpteen.kernels.threads import cores

_ROW, _WEIGHED = 34 + 4 * LANES, 8 * LANES  # bytes for a document of a node; more where labels weigh unlike
_ANSWER = 64 * 2**20  # bytes for what a piece of work answers


def threads(
    X: sparse.csr_array, t_bounds: NDArray[np.int64], work: list[NDArray[np.int64]], jobs: int, *, weighed: bool
) -> int:
    """As many of `jobs` as find room in what the limit leaves; the answer is the same with any number."""
    limit = spill()
    if limit is None or not work:
        return jobs
    items = np.concatenate(work)
    documents, width = X.shape
    rows = np.minimum(t_bounds[items[:, 1]] - t_bounds[items[:, 0]], documents)
    values = np.where(4 * rows < documents, rows * (X.nnz / max(documents, 1)), 0)  # copied for small nodes
    known = np.where(values > 0, np.minimum(values, width), width)
    own = int((rows * (_ROW + weighed * _WEIGHED) + 8 * values + 4 * LANES * known).max())
    needed = own + 4 * documents + 8 * width + _ANSWER
    left = limit.left()
    if needed > left:
        raise UmpteenError(
            f"The limit of {spoken(limit.limit)} leaves {spoken(max(left, 0))}, and one group of classifiers on "
            f"{int(rows.max()):,} documents needs {spoken(needed)}. Raise --memory, or use fewer features."
        )
    return min(jobs or cores(), left // needed)
