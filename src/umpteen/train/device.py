"""Where and how precisely to compute. Reduced precision is tried in a child process first: some CPUs die of it."""

import logging
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor

from umpteen.core.errors import SettingError

_TRIAL = """
import time, torch
torch.set_num_threads({threads})
a = torch.rand(512, 512)
def taken(x):
    x @ x
    start = time.perf_counter()
    for _ in range(20): x @ x
    return time.perf_counter() - start
print(taken(a) / taken(a.bfloat16()))
"""


def device_of(wanted: str) -> torch.device:
    """The device a setting means."""
    if wanted == "auto":
        return torch.device(
            "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        )
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device).cpu()  # of some, nothing can be had back
    except (RuntimeError, AssertionError) as error:
        raise SettingError(f"There is no device {wanted!r} here. Set device=auto, or cpu.") from error
    return device


def precision_of(wanted: str, device: torch.device) -> str:
    """The precision that a setting means: fp32 or bf16."""
    if wanted == "auto":
        return "bf16" if _half_is_better(device) else "fp32"
    if wanted == "bf16" and device.type == "cpu" and half_gain() <= 0:
        raise SettingError("This processor cannot compute with bf16: a trial of it failed. Set precision=fp32.")
    return wanted


def autocast_of(precision: str, device: torch.device) -> Callable[[], Any]:
    """A context in which networks compute with fp32 or bf16."""
    if precision == "fp32":
        return nullcontext
    return partial(torch.autocast, device_type=device.type, dtype=torch.bfloat16)


def compiled(loss: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A loss whose parts are compiled where that works; the others, as those with sparse gradients, run as usual."""
    import torch._dynamo  # only here: it takes a second

    made = torch.compile(loss, dynamic=True)

    def run(*given: Any) -> Tensor:
        with torch._dynamo.config.patch(suppress_errors=True):
            return made(*given)

    for name in ("torch._dynamo", "torch._subclasses.fake_tensor"):  # which tell of what cannot be compiled
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return run


def _half_is_better(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return device.type == "cpu" and _says_it_can() and half_gain() > 1.2


def _says_it_can() -> bool:
    """Whether the processor promises bf16; if not, there is no need for a trial."""
    return any(
        getattr(torch.cpu, name, lambda: False)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )


@cache
def half_gain() -> float:
    """How many times as fast as fp32 a product of bf16 matrices is on this processor; 0 if it kills the process."""
    command = [sys.executable, "-c", _TRIAL.format(threads=torch.get_num_threads())]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return float(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError):
        return 0.0
