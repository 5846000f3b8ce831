import pytest

from umpteen.core.errors import SettingError
from umpteen.study.ranges import numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0,0.1..0.6", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
        ("0.1,0.3", (0.1, 0.3)),
        ("0..3", (0, 1, 2, 3)),
        ("1, 3..8, 20", (1, 3, 5, 7, 20)),
        ("0.5", (0.5,)),
    ],
)
def test_numbers_as_people_write_them(text: str, found: tuple[float, ...]) -> None:
    assert numbers(text, what="--rates") == found


@pytest.mark.parametrize(
    "text", ["", "a", "0,,1", "0..", "3..1", "0,0..1", "1e9999", "nan", "0..99999999", "0-3", "0,1e99900016..6"]
)
def test_what_is_no_list_of_numbers(text: str) -> None:
    with pytest.raises(SettingError, match=r"--rates takes numbers such as 0,0.1..0.6"):
        numbers(text, what="--rates")


def test_whole_numbers_alone_and_each_once() -> None:
    assert numbers("0,2..4", what="--seeds", whole=True) == (0, 2, 4)
    with pytest.raises(SettingError, match="--seeds takes numbers such as 0,1,2"):
        numbers("0.5", what="--seeds", whole=True)
    with pytest.raises(SettingError, match="has a number twice"):
        numbers("1,1.0", what="--rates")
