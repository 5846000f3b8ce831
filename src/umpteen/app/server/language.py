"""Which of some languages a text is in, by py3langid: 140 languages, four megabytes, no pickle."""

from functools import cache
from typing import TYPE_CHECKING

from umpteen.core.errors import DataError, shown

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


def detected(text: str, candidates: list[str]) -> list[tuple[str | None, float]]:
    """The chance of each candidate and, as None, of all other languages; the most likely first."""
    identifier = _identifier()
    for code in candidates:
        if code not in identifier.labels:
            raise DataError(f"unsupported candidate languages: there is no {shown(code)}")
    chances = dict(identifier.rank(text)) if text.strip() else {}
    found: list[tuple[str | None, float]] = [(code, chances.get(code, 0.0)) for code in dict.fromkeys(candidates)]
    found.append((None, max(0.0, 1.0 - sum(chance for _, chance in found))))
    return sorted(found, key=lambda one: -one[1])


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
