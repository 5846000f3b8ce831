import os
import subprocess
import sys

import pytest

HEAVY = ("torch", "sklearn", "numba", "scipy", "numpy", "tokenizers")
PROBE = "import sys; print(*(m for m in {heavy!r} if m in sys.modules))"


@pytest.mark.parametrize(
    "work",
    [
        "import umpteen",
        "from umpteen.app.cli import app; app(['--help'], standalone_mode=False)",
        "from umpteen.app.cli import app; app(['train', '--help'], standalone_mode=False)",
    ],
)
def test_nothing_heavy_is_imported(work: str) -> None:
    code = f"{work}\n{PROBE.format(heavy=HEAVY)}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_help_is_quick() -> None:
    def used() -> float:
        times = os.times()
        return times.children_user + times.children_system

    def seconds() -> float:  # of computing: a busy machine changes nothing
        before = used()
        subprocess.run([sys.executable, "-m", "umpteen", "--help"], capture_output=True, check=True)
        return used() - before

    assert min(seconds() for _ in range(3)) < 0.5


def test_every_command_has_help_with_an_example(umpteen: object) -> None:
    done = umpteen("--help")  # type: ignore[operator]
    commands = done.out.partition("Commands:")[2].split("\n  ")[1:]
    assert len(commands) >= 12
    for command in commands:
        shown = umpteen(command.split()[0], "--help")  # type: ignore[operator]
        assert shown.code == 0
        assert f"Example: umpteen {command.split()[0]}" in shown.out


def test_version(umpteen: object) -> None:
    assert umpteen("--version").out.startswith("umpteen 0.")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, "None")],
)
def test_threads_wait_briefly_unless_told_otherwise(given: dict[str, str], expected: str) -> None:
    shown = "print(os.environ.get('GOMP_SPINCOUNT'))"
    code = f"import os, umpteen.app.cli as cli; cli.guarded = lambda app: {shown}; cli.main()"
    clean = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run([sys.executable, "-c", code], env=clean | given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
