"""What is done in a thread beside the caller is done once, is waited for, and has ended when the block has."""

import _thread
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from replica.beside import thread_beside


def test_a_function_runs_beside_the_caller_and_is_waited_for() -> None:
    going, may_end = threading.Event(), threading.Event()

    def work() -> int:
        going.set()
        assert may_end.wait(10)
        return threading.get_ident()

    with thread_beside() as begin:
        wait = begin(work)
        assert going.wait(10)  # though nobody has waited for it
        may_end.set()
        assert wait() != threading.get_ident()
        assert wait() == wait()


def test_whoever_begins_it_goes_on_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it waits for something, as for SQLite: what is begun would else have the interpreter for a whole turn."""
    monkeypatch.setattr("replica.beside._TURN_S", 10)
    before = sys.getswitchinterval()
    sys.setswitchinterval(10)
    order: list[str] = []
    try:
        with thread_beside() as begin:
            wait = begin(partial(order.append, "beside"))
            order.append("here")
            wait()
    finally:
        sys.setswitchinterval(before)
    assert order == ["here", "beside"]


def test_its_error_is_raised_where_it_is_waited_for() -> None:
    with thread_beside() as begin:
        wait = begin(lambda: [1, 2][5])
        with pytest.raises(IndexError):
            wait()


def test_what_nobody_waits_for_has_ended_when_the_block_has_failed() -> None:
    ended = []

    def fail() -> None:
        with thread_beside() as begin:
            begin(lambda: ended.append(threading.Event().wait(0.05)))
            raise OSError

    with pytest.raises(OSError):
        fail()
    assert ended == [False]


def test_without_threads_it_runs_once_when_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    ran = []
    with thread_beside() as begin:
        wait = begin(lambda: ran.append(threading.get_ident()))
        assert ran == []
        wait()
    assert ran == [threading.get_ident()]


def test_what_no_thread_took_is_not_run_again_by_one_that_could_be_begun_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, refusals = _thread.start_new_thread, [RuntimeError("can't start new thread")]

    def refuse_once(function: Callable[..., object], arguments: tuple[object, ...]) -> int:
        if refusals:
            raise refusals.pop()
        return start(function, arguments)

    monkeypatch.setattr(_thread, "start_new_thread", refuse_once)
    ran: list[str] = []
    with thread_beside() as begin:
        for name in ("first", "second"):
            begin(partial(ran.append, name))()
    assert ran == ["first", "second"]


@pytest.fixture
def turn() -> Iterator[float]:
    """How long a thread of this program computes before another gets its turn, which is put back afterwards."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.004)
    yield sys.getswitchinterval()
    sys.setswitchinterval(before)


def test_threads_take_short_turns_until_the_block_has_ended(turn: float) -> None:
    with thread_beside():
        assert sys.getswitchinterval() <= turn / 4
    assert sys.getswitchinterval() == turn
    with pytest.raises(OSError), thread_beside():
        raise OSError
    assert sys.getswitchinterval() == turn


def test_of_blocks_that_run_at_a_time_the_last_to_end_puts_turns_back(turn: float) -> None:
    first, second = thread_beside(), thread_beside()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.getswitchinterval() <= turn / 4
    second.__exit__(None, None, None)
    assert sys.getswitchinterval() == turn


def test_turns_that_are_shorter_stay() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    try:
        short = sys.getswitchinterval()
        with thread_beside():
            assert sys.getswitchinterval() == short
        assert sys.getswitchinterval() == short
    finally:
        sys.setswitchinterval(before)
