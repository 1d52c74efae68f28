"""What has begun goes to its end before the handler of a signal runs."""

import os
import signal
import threading

import pytest

from replica.storage.interrupts import uninterrupted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a program there cannot send itself these signals")


def stop_me(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def test_ctrl_c_is_raised_once_the_work_is_done() -> None:
    done: list[int] = []

    def work() -> None:
        stop_me()
        done.extend(range(1_000))

    with pytest.raises(KeyboardInterrupt):
        uninterrupted(work)
    assert len(done) == 1_000
    with pytest.raises(KeyboardInterrupt):  # by the handler that was there before
        stop_me()


def test_the_owners_own_handlers_run_in_the_order_of_their_signals() -> None:
    came: list[int] = []
    numbers = [signal.SIGUSR2, signal.SIGUSR1]
    before = [signal.signal(number, lambda number, _: came.append(number)) for number in numbers]
    try:

        def work() -> str:
            for number in numbers:
                stop_me(number)
            assert came == []
            return "done"

        assert uninterrupted(work) == "done"
        assert came == numbers
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def test_what_the_work_raises_is_raised_and_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)

    def fail() -> None:
        raise ValueError("of its own")

    with pytest.raises(ValueError, match="of its own"):
        uninterrupted(fail)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        uninterrupted(lambda: stop_me(signal.SIGUSR1))
        assert signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_another_thread_leaves_the_handlers_alone() -> None:
    seen: list[object] = []
    thread = threading.Thread(
        target=lambda: uninterrupted(lambda: seen.append(signal.getsignal(signal.SIGINT)))
    )
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
