"""Recurrent: a bidirectional LSTM over documents of any length, exact for each whatever is padded beside it."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.dropping import Dropping

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
        states = flagged.new_zeros(len(pieces), self.length, self.width)
        states = states.index_copy(0, real, self.lstm(pieces[real])[0])
        return self._dropped(states.reshape(documents, -1, self.width)[:, :longest])

    def _dropped(self, states: Tensor) -> Tensor:
        return self.dropout(states)  # type: ignore[no-any-return]
