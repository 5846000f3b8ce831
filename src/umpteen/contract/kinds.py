"""The kinds of calibration and policies by name: what the command line lists without loading anything."""

from typing import Literal, get_args

How = Literal["isotonic", "platt"]
Policy = Literal["top", "threshold", "labels", "expected-f1"]
Goal = Literal["document", "micro", "macro"]
HOWS: tuple[How, ...] = get_args(How)
POLICIES: tuple[Policy, ...] = get_args(Policy)
GOALS: tuple[Goal, ...] = get_args(Goal)
DEPTH = 50  # labels of a document that change places by their probability; those beyond stay behind them
