"""What a line shows to people: a bar for a share, how many, how long, and text on one line that steers no terminal."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def meter(share: float, width: int = 10) -> str:
    """A bar for a share between 0 and 1, to an eighth of a character, padded to `width`."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def one_line(text: str, width: int = 0) -> str:
    """A text on one line without signs that steer a terminal, cut to `width` where that is given."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if not width or len(flat) <= width else f"{flat[: width - 1]}…"


def number_of(count: int, noun: str) -> str:
    """`1 document`, `2,000 documents`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def spoken_seconds(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
