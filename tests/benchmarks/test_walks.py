"""The benchmark of walks: its graph has as many edges as asked for, in both directions; nothing here is about time."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse


def test_the_graph_has_so_many_edges_in_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    from walks import generated

    graph = generated(200, 3000, weighted=True)
    met = sparse.csr_array((graph.weights, graph.neighbours, graph.bounds), shape=(200, 200))
    assert len(graph.neighbours) == 6000 and (met != met.T).nnz == 0 and not met.diagonal().any()
    assert np.diff(graph.bounds)[:20].mean() > np.diff(graph.bounds)[-20:].mean()  # the frequent ones meet more often
