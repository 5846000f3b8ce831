"""The optimiser: Adam, or steps with momentum, for networks whose word vectors have sparse gradients or dense ones."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from umpteen.train.settings import Learning, WholeSettings

_USUAL = 1e-8  # Adam's epsilon
_MOMENTS = ("step", "exp_avg", "exp_avg_sq", "momentum_buffer")


class Optimiser:
    """One for dense and one for sparse gradients as one, with clipping and a state of named tensors."""

    def __init__(self, network: nn.Module, settings: Learning) -> None:
        thin = {id(m.weight) for m in network.modules() if isinstance(m, nn.Embedding | nn.EmbeddingBag) and m.sparse}
        self._named = {name: p for name, p in network.named_parameters() if p.requires_grad}
        sparse = [p for p in self._named.values() if id(p) in thin]
        dense = [p for p in self._named.values() if id(p) not in thin]
        rate, decay, led = settings.rate, settings.decay, {id(p) for p in getattr(network, "led", ())}
        calm = settings.calm if isinstance(settings, WholeSettings) else _USUAL

        def parted(parameters: list[nn.Parameter]) -> list[dict[str, Any]]:
            """Those that know something already, and the others."""
            known = [p for p in parameters if id(p) in led]
            others = [p for p in parameters if id(p) not in led]
            return [{"params": part, "eps": eps} for part, eps in ((known, calm), (others, _USUAL)) if part]

        self._parts: list[torch.optim.Optimizer] = []
        if dense and settings.optimiser == "sgd":
            self._parts.append(torch.optim.SGD(dense, lr=rate, momentum=settings.momentum, weight_decay=decay))
        elif dense:
            self._parts.append(torch.optim.AdamW(parted(dense), lr=rate, weight_decay=decay))
        if sparse and settings.optimiser == "sgd":
            self._parts.append(torch.optim.SGD(sparse, lr=rate, momentum=settings.momentum))
        elif sparse:
            self._parts.append(torch.optim.SparseAdam(parted(sparse), lr=rate))
        self._clip = settings.clip

    def step(self, rate: float) -> None:
        """Change the weights by the gradients at hand, which are then gone."""
        if self._clip:
            self._shorten()
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
            part.zero_grad(set_to_none=True)

    @torch.no_grad()
    def _shorten(self) -> None:
        """Scale the gradients so that together they are at most `clip` long."""
        found = []
        for parameter in self._named.values():
            if parameter.grad is None:
                continue
            if parameter.grad.is_sparse:
                parameter.grad = parameter.grad.coalesce()
                found.append(parameter.grad.values())
            else:
                found.append(parameter.grad)
        length = torch.stack([torch.linalg.vector_norm(g) for g in found]).norm()
        torch._foreach_mul_(found, (self._clip / (length + 1e-6)).clamp(max=1.0))

    def state(self) -> dict[str, Tensor]:
        """Where each parameter's moments stand."""
        found = {}
        for part in self._parts:
            for name, parameter in self._named.items():
                known = part.state.get(parameter, {})
                for key, value in known.items():
                    if value is not None:
                        found[f"{name}.{key}"] = torch.as_tensor(value).detach().to_dense()
        return found

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Stand where `state` says."""
        for part in self._parts:
            whole = isinstance(part, torch.optim.SparseAdam)  # counts its steps by a plain number
            for group in part.param_groups:
                for parameter in group["params"]:
                    name = next(n for n, p in self._named.items() if p is parameter)
                    known = {key: state[f"{name}.{key}"] for key in _MOMENTS if f"{name}.{key}" in state}
                    if known:
                        part.state[parameter] = {
                            key: int(value) if key == "step" and whole else value.clone()
                            for key, value in known.items()
                        }
