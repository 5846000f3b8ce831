"""Pictures of trainings: what is in them, where the format lets one read it."""

import io
import re
import sys
from html import unescape
from pathlib import Path

import pytest

from umpteen.core.errors import MissingExtraError, UmpteenError
from umpteen.study.curves import draw
from umpteen.study.history import History, Look
from umpteen.study.style import check_ending

pytest.importorskip("matplotlib")

BEGINS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def history(name: str, *, ended: bool = True, per_epoch: int = 50, looks: int = 6, loss: float = 0.3) -> History:
    made = [
        Look(25 * n, 25 * n / per_epoch, loss / n, 0.6 - 0.02 * abs(n - 4), n <= 4, 100.0, 5.0 * n)
        for n in range(1, looks + 1)
    ]
    return History(name, tuple(made), ended)


def picture(*runs: History, format: str = "svg") -> bytes:
    out = io.BytesIO()
    draw(runs, out, format=format)
    return out.getvalue()


def words(svg: bytes) -> list[str]:
    """The texts of a picture, which stand as comments beside their outlines."""
    return re.findall(r"<!--  ?(.*?) -->", unescape(svg.decode()))


@pytest.mark.parametrize("format", BEGINS)
def test_same_runs_same_file(format: str) -> None:
    one = picture(history("a"), history("b"), format=format)
    assert one.startswith(BEGINS[format])
    assert one == picture(history("a"), history("b"), format=format)


def test_what_is_said() -> None:
    found = words(picture(history("plain"), history("long", looks=30, ended=False)))
    assert {"step", "epoch", "training loss", "validation nDCG@5, percent"} <= {*found}
    assert "plain: best 60.00 at step 100" in found
    assert "long: best 60.00 at step 100, not ended" in found


def test_any_name_is_shown_as_it_is() -> None:
    assert "_a$b$ <c>: best 60.00 at step 100" in words(picture(history("_a$b$ <c>")))


def test_epochs_of_different_lengths_have_no_axis() -> None:
    assert "epoch" not in words(picture(history("a"), history("b", per_epoch=80)))


@pytest.mark.parametrize("loss", [0.0, float("nan")])
def test_odd_losses_and_single_looks(loss: float) -> None:
    assert "a: best 54.00 at step 25" in words(picture(history("a", looks=1, loss=loss)))


def test_many_runs_are_told_apart() -> None:
    svg = picture(*(history(f"run{n}") for n in range(14))).decode()
    keys = svg[svg.index('id="legend_1"') :]
    styles = re.findall(r'style="fill: none; (stroke-dasharray: [^;]+; )?.*?stroke: (#\w+)', keys)
    assert len({*styles}) == len(styles) == 14


def test_endings() -> None:
    check_ending(Path("a.b/c.SVG"))
    with pytest.raises(UmpteenError, match=r"ends in .png, .svg, .pdf, got 'curves.jpg'"):
        check_ending(Path("curves.jpg"))


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"Drawing curves needs matplotlib. .*umpteen\[study\]"):
        picture(history("a"))
