"""The BiLSTM on padded batches against torch's own on each document alone."""

import pytest
import torch

from umpteen.networks.pooling import in_parts, largest_of
from umpteen.networks.recurrent import Recurrent

WIDTH, HIDDEN = 5, 4
LENGTHS = torch.tensor([9, 1, 4, 6])
MASK = torch.arange(9) < LENGTHS[:, None]


@pytest.fixture
def vectors() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(4, 9, WIDTH).masked_fill(~MASK.unsqueeze(2), 7.0)  # whatever stands in padding must not matter


def alone(encoder: Recurrent, words: torch.Tensor) -> torch.Tensor:
    """States of one document without padding, in pieces of the encoder's length."""
    plain = torch.cat([words, torch.zeros(len(words), 1)], dim=1)
    return torch.cat([encoder.lstm(piece[None])[0][0] for piece in plain.split(encoder.length)])


@pytest.mark.parametrize("length", [3, 4, 9, 100])
def test_padding_does_not_matter(vectors: torch.Tensor, length: int) -> None:
    encoder = Recurrent(WIDTH, HIDDEN, length=length, dropout=0.0)
    states = encoder(vectors, MASK)
    for document, size in enumerate(LENGTHS.tolist()):
        expected = alone(encoder, vectors[document, :size])
        assert torch.allclose(states[document, :size], expected, atol=1e-6)


@pytest.mark.parametrize("length", [4, 100])
def test_gradients_are_those_of_documents_alone(vectors: torch.Tensor, length: int) -> None:
    encoder = Recurrent(WIDTH, HIDDEN, length=length, dropout=0.0)
    (encoder(vectors, MASK) * MASK.unsqueeze(2)).square().sum().backward()
    found = {name: p.grad.clone() for name, p in encoder.named_parameters()}
    encoder.zero_grad()
    sum(alone(encoder, vectors[d, :n]).square().sum() for d, n in enumerate(LENGTHS.tolist())).backward()
    for name, parameter in encoder.named_parameters():
        assert torch.allclose(found[name], parameter.grad, atol=1e-5), name
        if name.startswith("lstm.weight_ih"):
            assert not found[name][:, -1].any()  # the column that shuts the gate stays as it is


def test_largest_leaves_padding_out(vectors: torch.Tensor) -> None:
    expected = torch.stack([v[:n].amax(dim=0) for v, n in zip(vectors, LENGTHS.tolist(), strict=True)])
    assert torch.equal(largest_of(vectors, MASK), expected)


@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_dynamic_pooling_goes_by_each_documents_length(vectors: torch.Tensor, parts: int) -> None:
    found = in_parts(vectors, LENGTHS, parts)
    for document, size in enumerate(LENGTHS.tolist()):
        for part in range(parts):
            first = part * size // parts
            last = max((part + 1) * size // parts, first + 1)
            assert torch.equal(found[document, part], vectors[document, first:last].amax(dim=0))
