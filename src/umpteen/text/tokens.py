"""The word tokenizer: Unicode words, lower-cased, as a standard `tokenizer.json`."""

from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from umpteen.core.errors import FolderError
from umpteen.core.store import ADVICE, Folder, NewFolder

_FILE = "tokenizer.json"
_MORE = r"[\p{L}\p{N}_[\p{Mn}\p{Mc}&&[^\uFE00-\uFE0F\x{E0100}-\x{E01EF}]]]"  # what goes on with a word
PADDING, UNKNOWN = "[PAD]", "[UNK]"  # ids 0 and 1
SPECIAL = (PADDING, UNKNOWN)


def word_tokenizer(words: Sequence[str], *, least: int = 2) -> Tokenizer:
    """A tokenizer that knows `words`, numbered from 2 in the order given; all else of `least` letters is unknown."""
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    words_only = Regex(rf"[\p{{L}}\p{{N}}_]{_MORE}{{{least - 1},}}")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(words_only, behavior="removed", invert=True)
    return tokenizer


def save_words(folder: NewFolder, words: Sequence[str], *, least: int = 2) -> None:
    """Write words as a tokenizer."""
    folder.text(_FILE, word_tokenizer(words, least=least).to_str())


def saved_words(folder: Folder) -> list[str]:
    """The words of the tokenizer in a folder, in order of their ids."""
    try:
        vocabulary = Tokenizer.from_str(folder.text(_FILE)).get_vocab(with_added_tokens=False)
    except FolderError:
        raise
    except Exception as error:  # the library has no others
        raise FolderError(f"{folder.path / _FILE} is not a tokenizer ({error}). {ADVICE}") from error
    return sorted((word for word in vocabulary if word not in SPECIAL), key=vocabulary.__getitem__)
