"""Lists of numbers as people write them: 0,0.1..0.6 is 0, 0.1, 0.2, ... 0.6."""

from decimal import Decimal, DecimalException

from umpteen.core.errors import SettingError

_MOST, _LARGEST = 10_000, 10**12  # numbers in a list, and how large; more is a slip of the pen


def numbers(text: str, *, what: str, whole: bool = False) -> tuple[float, ...]:
    """The numbers that `text` stands for; `a,b..c` goes on from b by the step between a and b, `b..c` alone by 1."""
    example = "0,1,2 or 0..4" if whole else "0,0.1..0.6 or 0.1,0.3"
    wrong = SettingError(f"{what} takes numbers such as {example}, not {text!r}.")
    found: list[Decimal] = []
    try:
        for part in text.split(","):
            first, dots, last = part.partition("..")
            start = Decimal(first.strip())
            if not dots:
                found.append(start)
                continue
            step, end = start - found[-1] if found else Decimal(1), Decimal(last.strip())
            if not (start.is_finite() and end.is_finite()) or step <= 0 or end < start or (end - start) / step > _MOST:
                raise wrong
            found.extend(start + step * n for n in range(int((end - start) / step) + 1))
    except DecimalException:  # no number, or one beyond all bounds
        raise wrong from None
    if any(not n.is_finite() or abs(n) > _LARGEST or (whole and n != int(n)) for n in found):
        raise wrong
    if len({*found}) < len(found):
        raise SettingError(f"{what} has a number twice in {text!r}.")
    return tuple(int(n) if n == int(n) else float(n) for n in found)
