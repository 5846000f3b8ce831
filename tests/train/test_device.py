import shutil

import pytest

torch = pytest.importorskip("torch")

from umpteen.train.device import compiled, device_of  # noqa: E402


def test_what_cannot_be_compiled_runs_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise RuntimeError("no compiler here")

    table = torch.nn.Embedding(5, 3, sparse=True)
    words = torch.tensor([[1, 2], [3, 3]])

    def loss(tokens: "torch.Tensor") -> "torch.Tensor":
        return table(tokens).sum(dim=1).square().mean()

    expected = loss(words).item()
    whole = torch.compile
    monkeypatch.setattr(torch, "compile", lambda given, **options: whole(given, backend=refused, **options))
    found = compiled(loss)(words)
    found.backward()
    assert found.item() == pytest.approx(expected)
    assert table.weight.grad is not None and table.weight.grad.is_sparse


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_compiled_losses_are_the_same() -> None:
    layer = torch.nn.Linear(4, 3)
    x = torch.randn(6, 4)
    fast = compiled(lambda rows: layer(rows).relu().sum())
    assert fast(x).item() == pytest.approx(layer(x).relu().sum().item(), rel=1e-5)
    fast(x).backward()
    assert layer.weight.grad is not None


def test_auto_is_a_device() -> None:
    assert device_of("auto").type in ("cpu", "cuda", "mps")
