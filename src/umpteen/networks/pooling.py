"""Pooling: states of a document to one vector, or a few, padding left out."""

import torch
from torch import Tensor


def largest_of(states: Tensor, mask: Tensor) -> Tensor:
    """The largest of each number over the document, (documents, width)."""
    return states.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(dim=1)


def mean_of(states: Tensor, mask: Tensor) -> Tensor:
    """The mean over the document, (documents, width)."""
    there = mask.unsqueeze(2).to(states.dtype)
    return (states * there).sum(dim=1) / there.sum(dim=1).clamp(min=1)


def in_parts(states: Tensor, lengths: Tensor, parts: int) -> Tensor:
    """The largest of each number in each of `parts` equal stretches of the document, (documents, parts, width).

    Of a document shorter than `parts`, several stretches are the same word.
    """
    lengths = lengths.clamp(min=1)
    edges = torch.arange(parts, device=states.device)
    first = edges * lengths[:, None] // parts  # (documents, parts)
    last = torch.maximum((edges + 1) * lengths[:, None] // parts - 1, first)
    with torch.no_grad():  # gradients flow to what was found alone
        reach = torch.arange(int((last - first).max()) + 1, device=states.device)
        places = torch.minimum(first[..., None] + reach, last[..., None])  # (documents, parts, longest part)
        documents = torch.arange(len(states), device=states.device)
        found = states[documents[:, None, None], places].argmax(dim=2)  # (documents, parts, width)
        found = torch.minimum(first[..., None] + found, last[..., None])
    return states.gather(1, found)
