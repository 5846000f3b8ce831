"""The word tokenizer: Unicode words of two or more characters, lower-cased, as a standard `tokenizer.json`."""

from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

PADDING, UNKNOWN = "[PAD]", "[UNK]"  # ids 0 and 1
SPECIAL = (PADDING, UNKNOWN)


def word_tokenizer(words: Sequence[str]) -> Tokenizer:
    """A tokenizer that knows `words`, numbered from 2 in the order given; all else is unknown."""
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\p{L}\p{N}_]{2,}"), behavior="removed", invert=True)
    return tokenizer


def known_words(tokenizer: Tokenizer) -> list[str]:
    """The words a tokenizer knows, in order of their ids."""
    vocabulary = tokenizer.get_vocab(with_added_tokens=False)
    return sorted((word for word in vocabulary if word not in SPECIAL), key=vocabulary.__getitem__)
