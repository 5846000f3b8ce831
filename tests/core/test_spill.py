"""Arrays that grow on disk are the same as in memory, and a limit of memory is kept to."""

from pathlib import Path

import numpy as np
import pytest

from umpteen.core.errors import SettingError, UmpteenError
from umpteen.core.memory import bytes_of, peak, resident
from umpteen.core.spill import Growing, growing, limited, spill


def grown(parts: list[list[int]], kind: type) -> np.ndarray:
    made = growing(kind)
    for part in parts:
        made.add(np.array(part, np.int64))
    return made.whole()


@pytest.mark.parametrize("parts", [[], [[]], [[1, 2]], [[1], [], [2, 3], [4]]])
def test_on_disk_as_in_memory(parts: list[list[int]], tmp_path: Path) -> None:
    here = grown(parts, np.int32)
    with limited(1 << 30, tmp_path) as limit:
        there = grown(parts, np.int32)
        assert spill() is limit
    assert spill() is None
    np.testing.assert_array_equal(here, there)
    assert here.dtype == there.dtype == np.int32
    assert limit.written == there.nbytes
    assert not any(tmp_path.iterdir())  # files have no names


def test_one_part_is_not_copied() -> None:
    part = np.arange(5)
    made = Growing(part.dtype)
    made.add(part)
    assert made.whole() is part


def test_mapped_pages_are_let_go_near_the_limit(tmp_path: Path) -> None:
    size = 1 << 24  # 128 MiB
    with limited(1 << 40, tmp_path) as limit:
        made = growing(np.float64)
        made.add(np.ones(size))
        array = made.whole()
        assert array.sum() == size  # read, so in memory
        before = resident() or 0
        limit.look()
        assert (resident() or 0) > before - size  # far from the limit, nothing happens
        limit.limit = before
        limit.look()
        assert (resident() or 0) < before - 4 * size
        assert array.sum() == size


def test_a_limit_too_small_to_work_with() -> None:
    with pytest.raises(UmpteenError, match="too small"), limited(1 << 20):
        pass


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    with limited(1 << 30, tmp_path):
        made = growing(np.float64)
        made._file = Path("/dev/full").open("wb", buffering=0)  # type: ignore[attr-defined]  # noqa: SIM115
        with pytest.raises(UmpteenError, match=r"cannot hold .* No space left"):
            made.add(np.ones(10))


@pytest.mark.parametrize(
    ("text", "size"), [("4GiB", 4 << 30), ("512 MiB", 512 << 20), ("1.5g", 3 << 29), ("100", 100), ("2TB", 2 << 40)]
)
def test_sizes_as_people_write_them(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "much", "-4GiB", "4 XB", "GiB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(SettingError, match="Write, for example, 4GiB"):
        bytes_of(text)


def test_peak_is_at_least_what_is_held() -> None:
    assert (peak() or 1 << 62) >= (resident() or 0) // 2
