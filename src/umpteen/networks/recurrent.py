"""Recurrent: a bidirectional LSTM over documents of any length, exact for each whatever is padded beside it."""

from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.kernels import lstm
from umpteen.kernels.threads import each
from umpteen.networks.dropping import Dropping
from umpteen.networks.words import Words

_PARTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
_TOGETHER = 12  # documents that a thread reads together
_SHUT = -1e4  # what the input gate adds where there is no word: it lets nothing in


class Recurrent(nn.Module):
    """States (documents, longest, 2 * hidden) of word vectors (documents, longest, width).

    Read backwards, a document begins in its padding. A column that says "padding" shuts the input gate there, so the
    state stays zero until the last word, as if there were no padding, and the LSTM can run on plain matrices. The
    column's weights have no gradient, since nothing they do changes.
    """

    def __init__(self, width: int, hidden: int, *, length: int, dropout: float) -> None:
        super().__init__()
        self.length = length  # words read at once; a longer document is read in pieces of this length
        self.lstm = nn.LSTM(width + 1, hidden, batch_first=True, bidirectional=True)
        self.dropout = Dropping(dropout)
        self._learnt: tuple[object, _Learnt] | None = None
        with torch.no_grad():
            for name, weight in self.lstm.named_parameters():
                if name.startswith("weight_ih"):
                    weight[:, -1] = 0
                    weight[:hidden, -1] = _SHUT  # gates stand in the order input, forget, cell, output

    @property
    def width(self) -> int:
        """Numbers in a state."""
        return 2 * self.lstm.hidden_size

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        flagged = torch.cat([vectors, (~mask).unsqueeze(2).to(vectors.dtype)], dim=2)
        documents, longest, width = flagged.shape
        if longest <= self.length:
            return self._dropped(self.lstm(flagged)[0])
        missing = -longest % self.length
        if missing:
            flagged = F.pad(flagged, (0, 0, 0, missing))
            flagged[:, longest:, -1] = 1
        pieces = flagged.reshape(-1, self.length, width)
        real = (pieces[:, 0, -1] == 0).nonzero()[:, 0]  # pieces with words in them
        made = self.lstm(pieces[real])[0]  # perhaps with fewer bits than what it is given
        states = made.new_zeros(len(pieces), self.length, self.width).index_copy(0, real, made)
        return self._dropped(states.reshape(documents, -1, self.width)[:, :longest])

    def _dropped(self, states: Tensor) -> Tensor:
        return self.dropout(states)  # type: ignore[no-any-return]

    def read(self, words: Words, tokens: Tensor) -> Tensor:
        """States of documents' words, (documents, longest) of them filled up with 0.

        Where nothing learns, a compiled loop reads them on a processor, and padding has states of 0.
        """
        if self.training or not torch.is_inference_mode_enabled() or tokens.device.type != "cpu":
            return self(words(tokens), tokens != 0)  # type: ignore[no-any-return]
        return self._as_learnt().read(words, tokens, self.length)

    def train(self, mode: bool = True) -> "Recurrent":
        if mode:
            self._learnt = None
        return super().train(mode)

    def _as_learnt(self) -> "_Learnt":
        """Weights as the compiled loop reads them, made again where they are no longer what they were."""
        now = [(w.data_ptr(), 0 if w.is_inference() else w._version) for w in self.parameters()]
        known = self._learnt
        if known is None or known[0] != now:
            known = self._learnt = now, _Learnt.of(self.lstm)
        return known[1]


@dataclass(frozen=True)
class _Learnt:
    """An LSTM's weights as the compiled loop takes them, both directions one behind the other."""

    words: Tensor  # (gates, width), for what words bring
    biases: Tensor  # (gates)
    states: list[tuple[NDArray[np.int16], NDArray[np.float32]]]  # of each direction
    hidden: int

    @classmethod
    def of(cls, layer: nn.LSTM) -> "_Learnt":
        """All but the column for padding, of which nothing is read."""
        hidden, words, biases, states = layer.hidden_size, [], [], []
        for way in ("", "_reverse"):
            own = {name: getattr(layer, f"{name}_l0{way}").numpy(force=True) for name in _PARTS}
            words.append(lstm.blocked(own["weight_ih"][:, :-1], hidden).reshape(-1, layer.input_size - 1))
            biases.append(lstm.blocked(own["bias_ih"] + own["bias_hh"], hidden).ravel())
            states.append(lstm.packed(own["weight_hh"], hidden))
        return cls(torch.from_numpy(np.concatenate(words)), torch.from_numpy(np.concatenate(biases)), states, hidden)

    def read(self, words: Words, tokens: Tensor, length: int) -> Tensor:
        """States of documents, read in pieces of a length. What a word brings is computed once for all its places."""
        different, ids = torch.unique(tokens, return_inverse=True)
        given, ids = F.linear(words(different), self.words, self.biases).numpy(), ids.view(-1).numpy()
        firsts, sizes = _pieces((tokens != 0).sum(dim=1).numpy(), tokens.shape[1], length)
        states = torch.zeros(len(ids), 2 * self.hidden)

        def work(block: tuple[int, int]) -> None:
            rows, way = slice(block[0], block[0] + _TOGETHER), block[1]
            lstm.read(*self.states[way], given, ids, firsts[rows], sizes[rows], self.hidden, way, states.numpy())

        blocks = [(start, way) for start in range(0, len(firsts), _TOGETHER) for way in range(2)]
        deque(each(work, blocks, jobs=torch.get_num_threads()), maxlen=0)
        return states.view(*tokens.shape, -1)


def _pieces(sizes: NDArray[np.int64], longest: int, length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where pieces of documents that stand `longest` places apart begin, and their words; the longest first."""
    starts = np.arange(0, longest, length)
    words = np.clip(sizes[:, None] - starts, 0, length)
    firsts = (np.arange(len(sizes)) * longest)[:, None] + starts
    order = np.argsort(-words[words > 0], kind="stable")
    return firsts[words > 0][order], words[words > 0][order]
