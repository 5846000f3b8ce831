"""Adam, for dense gradients and for thin ones, of which it may keep less.

torch's own classes import its compiler when they are made, which takes a second and 60 MB and is not used.
"""

from typing import Any

import torch
from torch import Tensor

from umpteen.kernels import thin

BETAS = (0.9, 0.999)
USUAL = 1e-8  # epsilon
LONGER = 2  # times as long as Adam's are steps without momentum: what was best on documents kept aside
_OTHERS = "The moments of a table are not those of its rows."

Groups = list[dict[str, Any]]  # of parameters ("params") with settings of their own, such as "eps"


class Adam:
    """What both share: parameters in groups, and what is known of each of them, by torch's names."""

    def __init__(self, groups: Groups, *, lr: float) -> None:
        self.param_groups: Groups = [{"lr": lr, "eps": USUAL, **group} for group in groups]
        self.state: dict[Tensor, dict[str, Any]] = {}

    @torch.no_grad()
    def step(self) -> None:
        """Move all parameters that have a gradient."""
        for group in self.param_groups:
            if learning := [parameter for parameter in group["params"] if parameter.grad is not None]:
                self._move(learning, group)

    def zero_grad(self) -> None:
        """Let gradients go."""
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None

    def _move(self, learning: list[Tensor], group: dict[str, Any]) -> None:
        raise NotImplementedError

    def _known(self, parameter: Tensor, begin: Any) -> dict[str, Any]:
        """How many steps a parameter took, counted from `begin`, and its moments."""
        if parameter not in self.state:
            self.state[parameter] = {"step": begin, **self._moments(parameter)}
        return self.state[parameter]

    def _moments(self, parameter: Tensor) -> dict[str, Tensor]:
        return {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}


class DenseAdam(Adam):
    """All numbers of the parameters in one go (AdamW, by torch's own kernel)."""

    def __init__(self, groups: Groups, *, lr: float, decay: float) -> None:
        super().__init__(groups, lr=lr)
        self._decay = decay

    def _move(self, learning: list[Tensor], group: dict[str, Any]) -> None:
        known = [self._known(p, torch.zeros((), device=p.device)) for p in learning]
        steps = [each["step"] for each in known]
        torch._foreach_add_(steps, 1)
        torch._fused_adamw_(
            learning,
            [p.grad for p in learning if p.grad is not None],
            [each["exp_avg"] for each in known],
            [each["exp_avg_sq"] for each in known],
            [],
            steps,
            lr=group["lr"],
            beta1=BETAS[0],
            beta2=BETAS[1],
            weight_decay=self._decay,
            eps=group["eps"],
            amsgrad=False,
            maximize=False,
        )


class ThinAdam(Adam):
    """Only the rows that a step saw, in one pass over them: tables on a processor whose gradients are coalesced."""

    def _move(self, learning: list[Tensor], group: dict[str, Any]) -> None:
        for parameter in learning:
            self._move_rows(parameter, group)

    def _move_rows(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state = self._known(parameter, 0)
        if not parameter.shape == state["exp_avg"].shape == state["exp_avg_sq"].shape:
            raise ValueError(_OTHERS)  # which compiled code does not ask
        state["step"] += 1
        first, second = BETAS
        rate = group["lr"] * (1 - second ** state["step"]) ** 0.5 / (1 - first ** state["step"])
        gradient = parameter.grad
        assert gradient is not None
        arrays = (parameter, state["exp_avg"], state["exp_avg_sq"], gradient._indices()[0], gradient._values())
        thin.moved(
            *(array.detach().numpy() for array in arrays),
            betas=BETAS,
            rate=rate,
            least=group["eps"],
            jobs=torch.get_num_threads(),
        )


class RowAdam(Adam):
    """Only the rows that a step saw, each by how large its gradients were: of a row it keeps a single number.

    As Adam without momentum whose squares are means over the row, in steps twice as long. Squares begin at 0 and are
    corrected by the steps of the table, as in sparse Adam; without momentum a row that is seen late and seldom so
    moves far, up to thirty times the step of one that is always seen. On any device; gradients are coalesced.
    """

    def _moments(self, parameter: Tensor) -> dict[str, Tensor]:
        return {"row_sq": parameter.new_zeros(len(parameter))}

    def _move(self, learning: list[Tensor], group: dict[str, Any]) -> None:
        for parameter in learning:
            state, gradient = self._known(parameter, 0), parameter.grad
            assert gradient is not None
            if state["row_sq"].shape != (len(parameter),):
                raise ValueError(_OTHERS)
            state["step"] += 1
            rows, slopes = gradient._indices()[0], gradient._values()
            now = torch.linalg.vector_norm(slopes, dim=1).square_() / slopes.shape[1]
            squares = state["row_sq"][rows].lerp_(now, 1 - BETAS[1])
            state["row_sq"][rows] = squares
            rate = LONGER * group["lr"] * (1 - BETAS[1] ** state["step"]) ** 0.5
            parameter.index_add_(0, rows, slopes.mul_((-rate / (squares.sqrt_() + group["eps"])).unsqueeze(1)))
