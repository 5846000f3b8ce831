"""Keys: a table of a TOML file whose values are taken one by one and checked; what is left over is a mistake."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from umpteen.core.errors import SettingError, did_you_mean, spelt
from umpteen.core.files import missing
from umpteen.study.ranges import numbers

_NEEDED: Any = object()


class Keys:
    """One table, and where it stands for the words of an error."""

    def __init__(self, found: Mapping[str, Any], *, file: str, place: str = "") -> None:
        self.file, self.place = file, place
        self._found = dict(found)
        self._asked: list[str] = []

    @classmethod
    def read(cls, path: Path) -> "Keys":
        """The whole of a file."""
        try:
            return cls(tomllib.loads(path.read_text(encoding="utf-8")), file=str(path))
        except FileNotFoundError:
            raise SettingError(missing(path)) from None
        except IsADirectoryError:
            raise SettingError(f"{path} is a folder. Name the TOML file of a study.") from None
        except (ValueError, RecursionError) as error:
            raise SettingError(f"{path} is not TOML: {error}.") from None

    def wrong(self, problem: str) -> NoReturn:
        """Raise with the place of the mistake."""
        raise SettingError(f"{self.file}: {f'{self.place}: ' if self.place else ''}{problem}")

    def value(self, key: str, default: Any = _NEEDED, *, kind: type | tuple[type, ...], what: str) -> Any:
        """The value of a key, which must be `what`."""
        self._asked.append(key)
        found = self._found.pop(key, default)
        if found is _NEEDED:
            near = [k for k in self._found if did_you_mean(k, [key]).startswith("Did you")]
            self.wrong(f"{key!r} is missing, {what}." + (f" Is {near[0]!r} meant to be it?" if near else ""))
        allows_bool = kind is bool or (isinstance(kind, tuple) and bool in kind)
        if found is not default and (not isinstance(found, kind) or (isinstance(found, bool) and not allows_bool)):
            self.wrong(f"{key!r} must be {what}, not {spelt(found)}.")
        return found

    def text(self, key: str, default: Any = _NEEDED, *, what: str = "a text", choices: Iterable[str] = ()) -> Any:
        """A text, one of `choices` where there are any."""
        found = self.value(key, default, kind=str, what=what)
        known = [*choices]
        if known and found not in known and found is not default:
            self.wrong(f"{key!r} cannot be {found!r}. {did_you_mean(found, known)}")
        if found == "" and found is not default:
            self.wrong(f"{key!r} is empty. Give {what}.")
        return found

    def number(self, key: str, default: float, *, least: float, most: float) -> float:
        """A number within limits."""
        what = f"a number from {least:g} to {most:g}"
        found = self.value(key, default, kind=(int, float), what=what)
        if not least <= found <= most:
            self.wrong(f"{key!r} must be {what}, not {spelt(found)}.")
        return float(found)

    def whole(self, key: str, default: int, *, least: int) -> int:
        """A whole number of at least `least`."""
        what = f"a whole number of {least} or more"
        found: int = self.value(key, default, kind=int, what=what)
        if found < least:
            self.wrong(f"{key!r} must be {what}, not {spelt(found)}.")
        return found

    def texts(self, key: str, default: Any = _NEEDED, *, what: str, choices: Iterable[str] = ()) -> tuple[str, ...]:
        """A list of different texts."""
        found = self.value(key, default, kind=list, what=f"a list of {what}")
        known = [*choices]
        for text in found:
            if not isinstance(text, str) or not text:
                self.wrong(f"{key!r} must be a list of {what}, and {text!r} is none.")
            if known and text not in known:
                self.wrong(f"{key!r} cannot have {text!r}. {did_you_mean(text, known)}")
            if [*found].count(text) > 1:
                self.wrong(f"{key!r} has {text!r} twice.")
        return tuple(found)

    def numbers(self, key: str, default: Any = _NEEDED, *, whole: bool = False) -> tuple[float, ...]:
        """Different numbers, as a list or as a text such as "0,0.1..0.6"."""
        what = f"a list of {'whole ' if whole else ''}numbers or a text such as {'0..4' if whole else '0,0.1..0.6'!r}"
        found = self.value(key, default, kind=(list, str), what=what)
        if isinstance(found, str):
            return numbers(found, what=f"{self.file}: {key!r}", whole=whole)
        kind = int if whole else (int, float)
        if found is not default and (not found or any(isinstance(n, bool) or not isinstance(n, kind) for n in found)):
            self.wrong(f"{key!r} must be {what}, not {spelt(found)}.")
        if len({*found}) < len(found):
            self.wrong(f"{key!r} has a number twice.")
        return tuple(found)

    def table(self, key: str) -> "Keys | None":
        """A table within this one, where there is one."""
        found = self.value(key, None, kind=dict, what="a table")
        return None if found is None else self._inner(found, key)

    def tables(self, key: str, *, what: str, short: str = "name") -> list["Keys"]:
        """A list of tables; a text stands for a table that has just the key `short`."""
        found = self.value(key, [], kind=list, what=f"a list of {what}")
        if any(not isinstance(one, dict | str) for one in found):
            self.wrong(f"{key!r} must be a list of {what}, not {spelt(found)}.")
        return [
            self._inner({short: one} if isinstance(one, str) else one, f"{key} {number}")
            for number, one in enumerate(found, start=1)
        ]

    def rest(self) -> dict[str, Any]:
        """All that was not asked for."""
        found, self._found = self._found, {}
        return found

    def end(self) -> None:
        """Raise at a key that nobody asked for."""
        for key in self._found:
            self.wrong(f"there is no use for {key!r}. {did_you_mean(key, self._asked)}")

    def _inner(self, found: Mapping[str, Any], key: str) -> "Keys":
        return Keys(found, file=self.file, place=f"{self.place}, {key}" if self.place else key)
