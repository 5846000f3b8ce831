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
    last = torch.maximum((edges + 1) * lengths[:, None] // parts, first + 1)
    place = torch.arange(states.shape[1], device=states.device)
    inside = (place >= first[..., None]) & (place < last[..., None])  # (documents, parts, longest)
    return torch.stack([largest_of(states, inside[:, part]) for part in range(parts)], dim=1)
