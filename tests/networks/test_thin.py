"""Sums over rows of a table and their gradients, beside torch's own."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from umpteen.networks.thin import coalesced, products, summed
from umpteen.train.adam import BETAS, LONGER, RowAdam, ThinAdam

ROWS = torch.tensor([3, 1, 3, 7, 1, 1])
STARTS = torch.tensor([0, 2, 2])  # the second bag is empty
VALUES = torch.tensor([0.5, 2.0, 1.0, -1.0, 0.25, 3.0])


@pytest.mark.parametrize("sparse", [True, False])
def test_sums_and_their_gradient_are_torchs(sparse):
    given = torch.randn(3, 4)
    tables = [nn.Parameter(torch.arange(36.0).reshape(9, 4)) for _ in range(2)]
    mine = summed(tables[0], ROWS, STARTS, VALUES, sparse=sparse)
    theirs = F.embedding_bag(ROWS, tables[1], STARTS, mode="sum", sparse=sparse, per_sample_weights=VALUES)
    assert torch.equal(mine, theirs)
    for made in (mine, theirs):
        (made * given).sum().backward()
    assert tables[0].grad.is_sparse == sparse
    torch.testing.assert_close(tables[0].grad.to_dense(), tables[1].grad.to_dense())


def test_values_that_learn_get_their_gradient():
    table, values = nn.Parameter(torch.randn(9, 4)), VALUES.clone().requires_grad_()
    summed(table, ROWS, STARTS, values, sparse=True).sum().backward()
    torch.testing.assert_close(values.grad, table.detach()[ROWS].sum(dim=1))


@pytest.mark.parametrize("sparse", [True, False])
def test_products_and_their_gradients_are_torchs(sparse):
    rows, given = torch.tensor([[3, 1, 3], [7, 1, 1]]), torch.randn(2, 3)
    tables = [nn.Parameter(torch.arange(36.0).reshape(9, 4)) for _ in range(2)]
    views = [torch.tensor([[1.0, 2, 3, 4], [-1, 0, 1, 2]]).requires_grad_() for _ in range(2)]
    mine = products(tables[0], rows, views[0], sparse=sparse)
    theirs = (tables[1][rows] * views[1][:, None]).sum(dim=2)
    for made in (mine, theirs):
        (made * given).sum().backward()
    torch.testing.assert_close(mine, theirs)
    assert tables[0].grad.is_sparse == sparse
    torch.testing.assert_close(tables[0].grad.to_dense(), tables[1].grad)
    torch.testing.assert_close(views[0].grad, views[1].grad)


def test_views_of_16_bits_get_gradients_of_16_bits():
    table, rows = nn.Parameter(torch.randn(9, 4)), torch.tensor([[3, 1, 3], [7, 1, 1]])
    views = torch.randn(2, 4).bfloat16().requires_grad_()
    products(table, rows, views, sparse=True).sum().backward()
    torch.testing.assert_close(views.grad, table.detach()[rows].sum(dim=1).bfloat16())


def test_each_row_of_a_gradient_stands_once():
    gradient = torch.sparse_coo_tensor(ROWS[None], torch.randn(6, 4), (9, 4), check_invariants=True)
    once = coalesced(gradient)
    assert once.is_coalesced() and once.indices().tolist() == [[1, 3, 7]]
    torch.testing.assert_close(once.to_dense(), gradient.to_dense())


def test_steps_are_those_of_torchs_adam():
    torch.manual_seed(0)
    tables = [nn.Embedding(9, 4, sparse=True) for _ in range(2)]
    tables[1].load_state_dict(tables[0].state_dict())
    mine = ThinAdam([{"params": [tables[0].weight], "eps": 1e-4}], lr=0.1)
    theirs = torch.optim.SparseAdam(tables[1].parameters(), lr=0.1, eps=1e-4)
    for _ in range(4):
        rows, given = torch.randint(0, 9, (6,)), torch.randn(6, 4)
        for table, optimiser in zip(tables, (mine, theirs), strict=True):
            (table(rows) * given).sum().backward()
            table.weight.grad = coalesced(table.weight.grad)
            optimiser.step()
            optimiser.zero_grad()
    torch.testing.assert_close(tables[0].weight, tables[1].weight)
    assert mine.state[tables[0].weight].keys() == theirs.state[tables[1].weight].keys()


def test_moments_of_another_table_are_refused():
    table = nn.Embedding(9, 4, sparse=True)
    steps = ThinAdam([{"params": [table.weight]}], lr=0.1)
    steps.state[table.weight] = {"step": 1, "exp_avg": torch.zeros(5, 4), "exp_avg_sq": torch.zeros(5, 4)}
    table(ROWS).sum().backward()
    table.weight.grad = coalesced(table.weight.grad)
    with pytest.raises(ValueError, match="moments of a table"):
        steps.step()


def test_steps_by_rows_are_the_formula():
    torch.manual_seed(0)
    table = nn.Embedding(9, 4, sparse=True)
    steps = RowAdam([{"params": [table.weight], "eps": 1e-4}], lr=0.1)
    weights, squares = table.weight.detach().clone(), [0.0] * 9
    for number in range(1, 5):
        rows, given = torch.randint(0, 9, (6,)), torch.randn(6, 4)
        (table(rows) * given).sum().backward()
        table.weight.grad = coalesced(table.weight.grad)
        gradient = table.weight.grad.to_dense().clone()
        steps.step()
        steps.zero_grad()
        for row in set(rows.tolist()):
            squares[row] += (1 - BETAS[1]) * (gradient[row].square().mean().item() - squares[row])
            rate = LONGER * 0.1 * (1 - BETAS[1] ** number) ** 0.5
            weights[row] -= rate * gradient[row] / (squares[row] ** 0.5 + 1e-4)
    torch.testing.assert_close(table.weight, weights)
    kept = steps.state[table.weight]
    torch.testing.assert_close(kept["row_sq"], torch.tensor(squares))
    assert set(kept) == {"step", "row_sq"}


def test_moments_of_another_table_by_rows_are_refused():
    table = nn.Embedding(9, 4, sparse=True)
    steps = RowAdam([{"params": [table.weight]}], lr=0.1)
    steps.state[table.weight] = {"step": 1, "row_sq": torch.zeros(5)}
    table(ROWS).sum().backward()
    table.weight.grad = coalesced(table.weight.grad)
    with pytest.raises(ValueError, match="moments of a table"):
        steps.step()
