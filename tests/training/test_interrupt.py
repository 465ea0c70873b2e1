"""Ctrl-C while a run learns."""

import signal
import time

import pytest

from react_env.training.algorithms.learner import Stopped
from react_env.training.selfplay.interrupt import Interrupt


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_a_later_one_stops_at_once(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: `timeout` signals a process and then its group, and the run took that for two requests and was cut off."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    before = signal.getsignal(number)
    said: list[str] = []
    with Interrupt(said.append) as interrupt:
        interrupt.check()
        signal.raise_signal(number)
        now += 0.5
        signal.raise_signal(number)
        assert interrupt.requested and len(said) == 1
        with pytest.raises(Stopped):
            interrupt.check()
        now += 0.6
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) is before
