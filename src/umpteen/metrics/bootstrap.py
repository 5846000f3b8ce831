"""Bootstrap intervals: how far a metric moves when the test documents are drawn again."""

from collections.abc import Mapping

import numpy as np

from umpteen.metrics.ranking import Ratio

_DRAWS = 2_000_000  # numbers drawn at once, to bound memory


def intervals(
    ratios: Mapping[str, Ratio], *, resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """The percentile interval of each metric; all metrics see the same redrawn documents."""
    if not ratios or not resamples:
        return {}
    sums = np.column_stack([r.above for r in ratios.values()] + [r.below for r in ratios.values()])
    documents = len(sums)
    random = np.random.default_rng(seed)
    found = []
    step = max(1, _DRAWS // documents)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = (
            random.integers(documents, size=(rows, documents), dtype=np.int32) + np.arange(rows)[:, None] * documents
        )
        times = np.bincount(drawn.ravel(), minlength=rows * documents).reshape(rows, documents)
        found.append(times.astype(np.float64) @ sums)  # (rows, 2 * metrics)
    above, below = np.split(np.concatenate(found), 2, axis=1)
    values = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    edges = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return {name: (float(low), float(high)) for name, low, high in zip(ratios, *edges, strict=True)}
