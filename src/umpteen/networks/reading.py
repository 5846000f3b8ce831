"""Reading: self-attention with many heads, word by word or over all of a text, as TReaderXML reads.

Read word by word, a word sees those before it and itself; read as a whole, every word sees all. Padding is never seen.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

WAYS = ("none", "MMHSA+R", "MHSA+R", "MHSA+R+MMHSA", "MMHSA+MHSA", "MMHSA+R+MHSA")  # as the paper writes them
_SHORT, _HALF = 64, 512  # places up to which plain products are faster on a processor, with 32 bits and with 16
_MASKED, _OPEN, _RESIDUAL = "MMHSA", "MHSA", "R"


class SelfAttention(nn.Module):
    """States (documents, longest, width) to states of the same shape, through tanh; `masked` hides what comes later."""

    def __init__(self, width: int, heads: int, *, masked: bool) -> None:
        super().__init__()
        self.heads, self.masked = heads, masked
        inner = heads * max(1, width // heads)
        self.queries, self.keys, self.values = (nn.Linear(width, inner, bias=False) for _ in range(3))
        self.joined = nn.Linear(inner, width, bias=False)
        for layer in (self.queries, self.keys, self.values, self.joined):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, states: Tensor, there: Tensor) -> Tensor:
        """`there` says where there are words, (documents, longest)."""
        queries, keys, values = self._parted(states)
        short = _SHORT if queries.dtype == torch.float32 else _HALF
        if states.device.type == "cpu" and there.shape[1] <= short:
            return self._together(self._weights(queries, keys, there) @ values)
        seen = F.scaled_dot_product_attention(queries, keys, values, attn_mask=self._allowed(there))
        return self._together(seen)

    def looked(self, states: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
        """The same, and the weights that led to it, (documents, heads, longest, longest)."""
        queries, keys, values = self._parted(states)
        weights = self._weights(queries, keys, there)
        return self._together(weights @ values), weights

    def _weights(self, queries: Tensor, keys: Tensor, there: Tensor) -> Tensor:
        scores = queries @ keys.transpose(2, 3) / queries.shape[3] ** 0.5
        weights: Tensor = scores.masked_fill(~self._allowed(there), -torch.inf).softmax(dim=3)
        return weights.to(queries.dtype)

    def _parted(self, states: Tensor) -> list[Tensor]:
        """Queries, keys and values by head, (documents, heads, longest, width / heads)."""
        made: list[Tensor] = [layer(states) for layer in (self.queries, self.keys, self.values)]
        return [part.view(*part.shape[:2], self.heads, -1).transpose(1, 2) for part in made]

    def _together(self, seen: Tensor) -> Tensor:
        return torch.tanh(self.joined(seen.transpose(1, 2).flatten(2)))

    def _allowed(self, there: Tensor) -> Tensor:
        """What each place may look at, (documents, 1, longest, longest); padding looks at itself, so at something."""
        own = torch.eye(there.shape[1], dtype=torch.bool, device=there.device)
        seen = there[:, None, None, :] | own
        return seen.tril() if self.masked else seen.expand(-1, 1, there.shape[1], -1)


class Reading(nn.Module):
    """One branch's layers, in one of WAYS: R adds to the layer before it what that layer was given."""

    def __init__(self, way: str, width: int, heads: int) -> None:
        super().__init__()
        parts = [] if way == "none" else way.split("+")
        self.layers = nn.ModuleList(
            SelfAttention(width, heads, masked=part == _MASKED) for part in parts if part != _RESIDUAL
        )
        self.residual = [after == _RESIDUAL for part, after in pairwise([*parts, ""]) if part != _RESIDUAL]

    def forward(self, states: Tensor, there: Tensor) -> Tensor:
        for layer, residual in zip(self.layers, self.residual, strict=True):
            made = layer(states, there)
            states = states + made if residual else made
        return states
