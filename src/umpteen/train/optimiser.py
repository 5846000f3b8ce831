"""Adam for a network whose word vectors have sparse gradients and all else dense ones."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

_MOMENTS = ("exp_avg", "exp_avg_sq")


class Adam:
    """Two optimisers as one, with clipping and a state of named tensors."""

    def __init__(self, network: nn.Module, *, rate: float, decay: float, clip: float) -> None:
        thin = {id(m.weight) for m in network.modules() if isinstance(m, nn.Embedding | nn.EmbeddingBag) and m.sparse}
        self._named = {name: p for name, p in network.named_parameters() if p.requires_grad}
        sparse = [p for p in self._named.values() if id(p) in thin]
        dense = [p for p in self._named.values() if id(p) not in thin]
        self._parts: list[torch.optim.Optimizer] = []
        if dense:
            self._parts.append(torch.optim.AdamW(dense, lr=rate, weight_decay=decay))
        if sparse:
            self._parts.append(torch.optim.SparseAdam(sparse, lr=rate))
        self._clip = clip

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
                    found[f"{name}.{key}"] = torch.as_tensor(value).detach()
        return found

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Stand where `state` says."""
        for part in self._parts:
            whole = isinstance(part, torch.optim.SparseAdam)  # counts its steps by a plain number
            for group in part.param_groups:
                for parameter in group["params"]:
                    name = next(n for n, p in self._named.items() if p is parameter)
                    if f"{name}.step" in state:
                        count = state[f"{name}.step"]
                        part.state[parameter] = {"step": int(count) if whole else count.clone()} | {
                            key: state[f"{name}.{key}"].clone() for key in _MOMENTS
                        }
