"""The BiLSTM on padded batches against torch's own on each document alone."""

import numpy as np
import pytest
import torch

from umpteen.networks.pooling import in_parts, largest_of
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.words import Words

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


@pytest.mark.parametrize("length", [4, 100])
def test_states_have_the_bits_that_the_lstm_gives(vectors: torch.Tensor, length: int) -> None:
    """Where they were brought to those of the vectors, GPUs, which change no bits unasked, refused."""
    encoder = Recurrent(WIDTH, HIDDEN, length=length, dropout=0.0)
    encoder.lstm.forward = lambda given: (torch.zeros(*given.shape[:2], encoder.width, dtype=torch.bfloat16), None)
    assert encoder(vectors, MASK).dtype == torch.bfloat16


def told(hidden: int, length: int) -> tuple[Recurrent, Words, torch.Tensor]:
    """An encoder, vectors of six words and documents of them."""
    torch.manual_seed(0)
    words = Words(np.random.default_rng(0).normal(size=(8, WIDTH)).astype(np.float32))
    tokens = torch.randint(2, 8, MASK.shape).masked_fill(~MASK, 0)
    return Recurrent(WIDTH, hidden, length=length, dropout=0.5).eval(), words, tokens


@pytest.mark.parametrize("length", [3, 4, 9, 100])
@pytest.mark.parametrize("hidden", [4, 16, 33])
def test_tagging_reads_as_learning_does(hidden: int, length: int) -> None:
    encoder, words, tokens = told(hidden, length)
    learning = encoder.read(words, tokens)
    with torch.inference_mode():
        states = encoder.read(words, tokens)
    assert learning.requires_grad and not states.requires_grad
    assert torch.allclose(states[MASK], learning[MASK], atol=5e-4)
    assert not states[~MASK].any()


def test_tagging_follows_the_weights() -> None:
    encoder, words, tokens = told(4, 100)
    for change in (lambda w: w.mul_(-1), lambda w: setattr(w, "data", w.data + 1)):
        with torch.inference_mode():
            before = encoder.read(words, tokens)
        with torch.no_grad():
            change(encoder.lstm.weight_hh_l0_reverse)
        with torch.inference_mode():
            after = encoder.read(words, tokens)
        assert not torch.allclose(before, after, atol=1e-3)
        assert torch.allclose(after[MASK], encoder(words(tokens), MASK)[MASK], atol=5e-4)


def test_weights_that_a_step_changed_out_of_sight_are_seen() -> None:
    encoder, words, tokens = told(4, 100)
    with torch.inference_mode():
        encoder.read(words, tokens)
    encoder.train()
    encoder.lstm.weight_hh_l0.detach().numpy()[:] = 1  # as kernels of optimisers do
    encoder.eval()
    with torch.inference_mode():
        states = encoder.read(words, tokens)
    assert torch.allclose(states[MASK], encoder(words(tokens), MASK)[MASK], atol=5e-4)


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


def test_dynamic_pooling_sends_gradients_to_what_was_largest(vectors: torch.Tensor) -> None:
    given, weights = vectors.clone().requires_grad_(), torch.randn(len(vectors), 3, vectors.shape[2])
    (in_parts(given, LENGTHS, 3) * weights).sum().backward()
    naive = vectors.clone().requires_grad_()
    parts = [
        naive[document, part * size // 3 : max((part + 1) * size // 3, part * size // 3 + 1)].amax(dim=0)
        for document, size in enumerate(LENGTHS.tolist())
        for part in range(3)
    ]
    (torch.stack(parts) * weights.flatten(0, 1)).sum().backward()
    assert torch.allclose(given.grad, naive.grad)
