"""The word tokenizer: Unicode words, lower-cased, as a standard `tokenizer.json`."""

from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

PADDING, UNKNOWN = "[PAD]", "[UNK]"  # ids 0 and 1
SPECIAL = (PADDING, UNKNOWN)


def word_tokenizer(words: Sequence[str], *, least: int = 2) -> Tokenizer:
    """A tokenizer that knows `words`, numbered from 2 in the order given; all else of `least` letters is unknown."""
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    words_only = Regex(rf"[\p{{L}}\p{{N}}_]{{{least},}}")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(words_only, behavior="removed", invert=True)
    return tokenizer


def known_words(tokenizer: Tokenizer) -> list[str]:
    """The words a tokenizer knows, in order of their ids."""
    vocabulary = tokenizer.get_vocab(with_added_tokens=False)
    return sorted((word for word in vocabulary if word not in SPECIAL), key=vocabulary.__getitem__)
