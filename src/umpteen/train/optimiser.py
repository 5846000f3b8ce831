"""The optimiser: Adam, or steps with momentum, for networks whose word vectors have sparse gradients or dense ones."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from umpteen.networks.thin import by_hand, coalesced
from umpteen.train.adam import USUAL, Adam, DenseAdam, Groups, RowAdam, ThinAdam
from umpteen.train.settings import Learning, WholeSettings

_FUSED = ("cpu", "cuda")  # devices that take a step in one go in every version of torch
_MOMENTS = ("step", "exp_avg", "exp_avg_sq", "row_sq", "momentum_buffer")


def parted_by_gradient(network: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Parameters that learn by dense gradients, and by sparse ones."""
    tables = {id(m.weight) for m in network.modules() if isinstance(m, nn.Embedding | nn.EmbeddingBag) and m.sparse}
    learning = [p for p in network.parameters() if p.requires_grad]
    return [p for p in learning if id(p) not in tables], [p for p in learning if id(p) in tables]


class Optimiser:
    """One for dense and one for sparse gradients as one, with clipping and a state of named tensors."""

    def __init__(self, network: nn.Module, settings: Learning) -> None:
        self._named = {name: p for name, p in network.named_parameters() if p.requires_grad}
        dense, sparse = parted_by_gradient(network)
        rate, decay = settings.rate, settings.decay
        led, slow = ({id(p) for p in getattr(network, which, ())} for which in ("led", "slow"))
        calm, pace = settings.calm if isinstance(settings, WholeSettings) else USUAL, getattr(network, "pace", 1.0)

        def parted(parameters: list[nn.Parameter]) -> Groups:
            """Those that know something already, those that learn at a pace of their own, and the others."""
            groups: dict[tuple[float, float], list[nn.Parameter]] = {}
            for p in parameters:
                groups.setdefault((calm if id(p) in led else USUAL, pace if id(p) in slow else 1.0), []).append(p)
            return [{"params": part, "eps": eps, "pace": pace} for (eps, pace), part in groups.items()]

        self._parts: list[Adam | torch.optim.Optimizer] = []
        if dense and settings.optimiser == "sgd":
            self._parts.append(torch.optim.SGD(parted(dense), lr=rate, momentum=settings.momentum, weight_decay=decay))
        elif dense and all(p.device.type in _FUSED for p in dense):
            self._parts.append(DenseAdam(parted(dense), lr=rate, decay=decay))
        elif dense:
            self._parts.append(torch.optim.AdamW(parted(dense), lr=rate, weight_decay=decay, fused=False))
        if sparse and settings.optimiser == "sgd":
            self._parts.append(torch.optim.SGD(parted(sparse), lr=rate, momentum=settings.momentum))
        elif sparse and settings.row_moments:
            self._parts.append(RowAdam(parted(sparse), lr=rate))
        elif sparse and all(by_hand(p) for p in sparse):
            self._parts.append(ThinAdam(parted(sparse), lr=rate))
        elif sparse:
            self._parts.append(torch.optim.SparseAdam(parted(sparse), lr=rate or 1.0))
        self._clip = settings.clip

    def gather(self) -> None:
        """Let each row of sparse gradients stand once, or what is added to them lies behind, and they grow and grow."""
        for parameter in self._named.values():
            if parameter.grad is not None and parameter.grad.is_sparse:
                parameter.grad = coalesced(parameter.grad)

    def step(self, rate: float) -> None:
        """Change the weights by the gradients at hand, which are then gone."""
        self.gather()
        if self._clip:
            self._shorten()
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate * group["pace"]
            part.step()
            part.zero_grad()

    @torch.no_grad()
    def _shorten(self) -> None:
        """Scale the gradients so that together they are at most `clip` long."""
        given = (p.grad for p in self._named.values() if p.grad is not None)
        found = [gradient.values() if gradient.is_sparse else gradient for gradient in given]
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
            whole = isinstance(part, ThinAdam | RowAdam | torch.optim.SparseAdam)  # counts its steps by a plain number
            for group in part.param_groups:
                for parameter in group["params"]:
                    name = next(n for n, p in self._named.items() if p is parameter)
                    known = {key: state[f"{name}.{key}"] for key in _MOMENTS if f"{name}.{key}" in state}
                    if known:
                        part.state[parameter] = {
                            key: int(value) if key == "step" and whole else value.clone()
                            for key, value in known.items()
                        }
