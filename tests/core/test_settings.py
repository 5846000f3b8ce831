from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass
from typing import ClassVar

import numpy as np
import pytest

from umpteen.core.errors import SettingError
from umpteen.core.settings import Settings, Value, setting


@dataclass(frozen=True, kw_only=True)
class Oven(Settings):
    """Settings of all types."""

    presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {"pizza": {"heat": 300, "fan": True}, "bread": {"heat": 230}}

    heat: int = setting(200, "Degrees.", least=50, most=300)
    share: float = setting(0.5, "Of the oven.", least=0, most=1)
    fan: bool = setting(False, "Air moves.")
    mode: str = setting("top", "Which side.", choices=("top", "bottom"))
    minutes: int | None = setting(None, "None: until done.", least=1)
    trays: tuple[int, ...] = setting((), "Which are in.", least=1)
    dish: str = setting("", "What is in it.")


def test_values_stand_as_given() -> None:
    oven = Oven(heat=250, share=1, fan=True, mode="bottom", minutes=5, trays=(1, 2))
    assert (oven.heat, oven.share, oven.fan, oven.mode, oven.minutes, oven.trays) == (250, 1, True, "bottom", 5, (1, 2))
    with pytest.raises(FrozenInstanceError):
        oven.heat = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        Oven(200)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"heat": "hot"}, "'heat' takes a whole number, not 'hot'"),
        ({"heat": 200.0}, "'heat' takes a whole number, not 200.0"),
        ({"heat": True}, "'heat' takes a whole number, not True"),
        ({"heat": None}, "'heat' takes a whole number, not None"),
        ({"heat": 301}, "'heat' must be 50 to 300, not 301"),
        ({"heat": 49}, "'heat' must be 50 to 300, not 49"),
        ({"share": float("nan")}, "'share' must be 0 to 1, not nan"),
        ({"share": "0.5"}, "'share' takes a number, not '0.5'"),
        ({"fan": 1}, "'fan' takes true/false, not 1"),
        ({"mode": "botom"}, "'mode' cannot be 'botom'. Did you mean 'bottom'"),
        ({"mode": 3}, "'mode' takes a text, not 3"),
        ({"minutes": 0}, "'minutes' must be 1 or more, not 0"),
        ({"minutes": 1.5}, "'minutes' takes a whole number or none, not 1.5"),
        ({"trays": [1.5]}, r"'trays' takes whole numbers, not"),
        ({"trays": (1, 0)}, "'trays' must be 1 or more, not 0"),
        ({"trays": (1, "2")}, "'trays' takes whole numbers"),
        ({"jobs": -1}, "'jobs' must be 0 to 4096, not -1"),
    ],
)
def test_wrong_values_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Oven(**given)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ({"heat": "210"}, 210),
        ({"share": "0.25"}, 0.25),
        ({"share": "1e-1"}, 0.1),
        ({"fan": "yes"}, True),
        ({"fan": "False"}, False),
        ({"fan": "0"}, False),
        ({"mode": "bottom"}, "bottom"),
        ({"minutes": "none"}, None),
        ({"minutes": " 7 "}, 7),
        ({"trays": "1, 2"}, (1, 2)),
        ({"trays": ""}, ()),
        ({"trays": [1, 2]}, (1, 2)),
        ({"trays": ["1", 2]}, (1, 2)),
        ({"dish": "17"}, "17"),
    ],
)
def test_text_becomes_the_value_it_stands_for(text: dict[str, object], value: object) -> None:
    assert getattr(Oven.made(text, owner="Oven"), next(iter(text))) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ({"heat": "2e2"}, "'heat' takes a whole number, not '2e2'"),
        ({"fan": "perhaps"}, "'fan' takes true/false, not 'perhaps'"),
        ({"share": "nan"}, "'share' must be 0 to 1"),
        ({"heat": [1]}, r"'heat' takes a whole number, not \[1\]"),
        ({"trays": "1,x"}, "'trays' takes whole numbers, not '1,x'"),
        ({"haet": "1"}, "Oven has no setting 'haet'. Did you mean 'heat'"),
        ({"presets": "1"}, "Oven has no setting 'presets'"),
    ],
)
def test_wrong_text_is_refused(text: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Oven.made(text, owner="Oven")


def test_named_values_win_over_the_preset() -> None:
    oven = Oven.made({"heat": "280"}, owner="Oven", preset="pizza")
    assert (oven.heat, oven.fan) == (280, True)
    with pytest.raises(SettingError, match=r"Oven has no preset 'piza'\. Did you mean 'pizza'"):
        Oven.made(owner="Oven", preset="piza")


def test_table_of_settings() -> None:
    rows = {row.name: row for row in Oven.rows()}
    assert [*rows] == ["seed", "jobs", "heat", "share", "fan", "mode", "minutes", "trays", "dish"]
    assert rows["heat"].limits == "50 to 300"
    assert rows["mode"].limits == "top | bottom"
    assert rows["minutes"].type == "whole number or none"
    assert rows["trays"].type == "whole numbers"
    assert (rows["share"].default, rows["share"].meaning) == (0.5, "Of the oven.")


def test_lists_and_single_numbers_stand_for_several() -> None:
    assert Oven(trays=[1, 2]).trays == (1, 2)  # type: ignore[arg-type]
    assert Oven(trays=3).trays == (3,)  # type: ignore[arg-type]
    assert Oven(trays=np.array([4, 5])).trays == (4, 5)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="'trays' takes whole numbers, not"):
        Oven(trays=[1.5])  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="must be 1 or more"):
        Oven(trays=[0])  # type: ignore[arg-type]


def test_numbers_of_numpy_become_pythons() -> None:
    oven = Oven(trays=np.arange(1, 3), heat=np.int64(70), share=np.float32(0.5))  # type: ignore[arg-type]
    assert [type(value) for value in (*oven.trays, oven.heat, oven.share)] == [int, int, int, float]
    assert Oven(trays=np.array(3)).trays == (3,)  # type: ignore[arg-type]
