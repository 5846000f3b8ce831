"""What a folder tells of how votes count is checked."""

import pytest

from umpteen.core.errors import DataError
from umpteen.text.voters import Rule


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"neighbours": 0, "sharpness": 1.0, "balance": 0.5},
        {"neighbours": "3", "sharpness": 1.0, "balance": 0.5},
        {"neighbours": 2.5, "sharpness": 1.0, "balance": 0.5},
        {"neighbours": 3, "sharpness": -1.0, "balance": 0.5},
        {"neighbours": 3, "sharpness": 1.0, "balance": 7},
        {"neighbours": True, "sharpness": 1.0, "balance": 0.5},
        {"neighbours": 3, "sharpness": float("nan"), "balance": 0.5},
        {"neighbours": float("inf"), "sharpness": 1.0, "balance": 0.5},
    ],
)
def test_wrong_rules_are_refused(told: dict[str, object]) -> None:
    with pytest.raises(DataError):
        Rule.checked(told)


def test_a_right_one_comes_back() -> None:
    assert Rule.checked({"neighbours": 3, "sharpness": 1, "balance": 0.5, "clusters": 4}) == Rule(3, 1.0, 0.5)
