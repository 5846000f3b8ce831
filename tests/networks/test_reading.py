"""Self-attention and the ways to read, against the printed formulas, one place at a time; padding changes nothing."""

import math

import pytest
import torch
from torch import Tensor

from umpteen.networks.reading import WAYS, Reading, SelfAttention

torch.manual_seed(0)
STATES, THERE = torch.randn(3, 5, 8, dtype=torch.float64), torch.ones(3, 5, dtype=torch.bool)
THERE[1, 3:] = THERE[2, 1:] = False


def literal(layer: SelfAttention, states: Tensor) -> Tensor:
    """Equations 3 to 13 for one document without padding, (longest, width)."""
    heads = []
    size = states.shape[1] // layer.heads
    for head in range(layer.heads):
        part = slice(head * size, (head + 1) * size)
        q, k, v = (states @ w.weight[part].T for w in (layer.queries, layer.keys, layer.values))
        rows = []
        for place in range(len(states)):
            seen = range(place + 1) if layer.masked else range(len(states))
            scores = torch.stack([q[place] @ k[other] / math.sqrt(size) for other in seen])
            rows.append(sum(weight * v[other] for weight, other in zip(scores.softmax(0), seen, strict=True)))
        heads.append(torch.stack(rows))  # type: ignore[arg-type]
    return torch.tanh(torch.cat(heads, dim=1) @ layer.joined.weight.T)


@pytest.mark.parametrize("masked", [True, False])
def test_attention_is_as_printed(masked: bool) -> None:
    layer = SelfAttention(8, 4, masked=masked).double()
    found = layer(STATES, THERE)
    for number, row in enumerate(STATES):
        length = int(THERE[number].sum())
        assert torch.allclose(found[number, :length], literal(layer, row[:length]), atol=1e-10)


@pytest.mark.parametrize("masked", [True, False])
def test_long_texts_are_read_as_short_ones_are(masked: bool) -> None:
    layer, states, there = (
        SelfAttention(8, 4, masked=masked),
        torch.randn(2, 100, 8),
        torch.ones(2, 100, dtype=torch.bool),
    )
    there[1, 70:] = False
    assert torch.allclose(layer(states, there)[there], layer.looked(states, there)[0][there], atol=1e-5)


def test_with_16_bits_it_is_about_the_same() -> None:
    layer = SelfAttention(8, 4, masked=True)
    states = STATES.float()
    with torch.autocast("cpu", torch.bfloat16):
        found = layer(states, THERE)
    assert found.dtype == torch.bfloat16
    assert torch.allclose(found.float()[THERE], layer(states, THERE)[THERE], atol=0.05)


@pytest.mark.parametrize("masked", [True, False])
def test_what_is_padded_is_never_seen(masked: bool) -> None:
    layer = SelfAttention(8, 2, masked=masked).double()
    changed = STATES.masked_fill(~THERE.unsqueeze(2), 1e6)
    assert torch.allclose(layer(STATES, THERE)[THERE], layer(changed, THERE)[THERE])
    none = layer(STATES, torch.zeros_like(THERE))
    assert torch.isfinite(none).all()


def test_word_by_word_the_future_is_hidden() -> None:
    layer, later = SelfAttention(8, 2, masked=True).double(), STATES.clone()
    later[:, 3:] = 7
    there = torch.ones_like(THERE)
    assert torch.equal(layer(STATES, there)[:, :3], layer(later, there)[:, :3])
    assert not torch.allclose(layer(STATES, there)[:, 3:], layer(later, there)[:, 3:])


def test_weights_are_those_that_were_used() -> None:
    layer = SelfAttention(8, 4, masked=True).double()
    made, weights = layer.looked(STATES, THERE)
    assert torch.allclose(made, layer(STATES, THERE))
    assert torch.allclose(weights.sum(dim=3), torch.ones(3, 4, 5, dtype=torch.float64))
    assert not weights.triu(1).any()


def test_widths_that_heads_do_not_divide() -> None:
    layer = SelfAttention(10, 4, masked=False)
    assert layer.queries.out_features == 8
    assert layer(torch.randn(2, 3, 10), torch.ones(2, 3, dtype=torch.bool)).shape == (2, 3, 10)


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_read(way: str) -> None:
    reading = Reading(way, 8, 4).double()
    first, second = [*reading.layers, None, None][:2]
    x = STATES
    wanted = {
        "none": lambda: x,
        "MMHSA+R": lambda: x + first(x, THERE),
        "MHSA+R": lambda: x + first(x, THERE),
        "MHSA+R+MMHSA": lambda: second(x + first(x, THERE), THERE),
        "MMHSA+MHSA": lambda: second(first(x, THERE), THERE),
        "MMHSA+R+MHSA": lambda: second(x + first(x, THERE), THERE),
    }[way]()
    assert torch.allclose(reading(x, THERE), wanted)
    assert [layer.masked for layer in reading.layers] == [part == "MMHSA" for part in way.split("+") if "HSA" in part]
