import os
import subprocess
import sys
import warnings

import pytest

from umpteen.app.border import guarded, keeping
from umpteen.core.errors import DataError, UmpteenWarning


def raising(error: BaseException) -> int:
    def work() -> None:
        raise error

    return guarded(work)


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (DataError("expected 3.", file="f", line=2), 1, "umpteen: f line 2: expected 3.\n"),
        (PermissionError(13, "Permission denied", "f"), 1, "umpteen: f: Permission denied.\n"),
        (MemoryError(), 1, "umpteen: There is not enough memory."),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:127] err == 0."), 1, "umpteen: There is not enough memory."),
        (KeyError("x"), 1, "Something unexpected went wrong (KeyError: 'x')."),
        (KeyboardInterrupt(), 130, "umpteen: Stopped. Files are as they were.\n"),
        (SystemExit(2), 2, ""),
    ],
)
def test_errors_become_sentences(
    error: BaseException, code: int, sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UMPTEEN_DEBUG", raising=False)
    assert raising(error) == code
    assert sentence in capsys.readouterr().err


def test_debugging_shows_where(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UMPTEEN_DEBUG", "1")
    assert raising(DataError("no")) == 1
    assert "Traceback" in capsys.readouterr().err


def test_stopping_says_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        with keeping("The model is unchanged."):
            raise KeyboardInterrupt

    assert guarded(work) == 130
    assert capsys.readouterr().err == "umpteen: Stopped. The model is unchanged.\n"


def test_only_own_warnings_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        warnings.warn("mine", UmpteenWarning, stacklevel=1)
        warnings.warn("theirs", UserWarning, stacklevel=1)

    assert guarded(work) == 0
    assert capsys.readouterr().err == "umpteen: Note: mine\n"


def test_a_closed_pipe_is_quiet() -> None:
    code = "from umpteen.app.border import guarded\nguarded(lambda: [print('x' * 99) for _ in range(9999)])"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.stderr == b""


def test_usage_errors_have_code_2() -> None:
    done = subprocess.run([sys.executable, "-m", "umpteen", "trian"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Did you mean 'train'?" in done.stderr
