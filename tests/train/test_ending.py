"""Requests to stop wait, once, and none is lost."""

import signal

import pytest

from umpteen.train.ending import Ending


def test_a_request_after_the_last_look_is_heeded_at_the_end() -> None:
    with pytest.raises(KeyboardInterrupt), Ending() as ending:
        signal.raise_signal(signal.SIGINT)
        assert ending.asked
    with pytest.raises(ValueError, match="mine"), Ending():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("mine")


def test_a_handler_that_does_not_raise_is_called_once() -> None:
    called: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: called.append(number))
    try:
        with Ending() as ending:
            signal.raise_signal(signal.SIGTERM)
            for _ in range(3):
                ending.heed()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert called == [signal.SIGTERM]
