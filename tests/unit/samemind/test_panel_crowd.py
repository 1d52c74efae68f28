"""Who makes room at the panel's door, and how long a body may take."""

import pytest
import trio
import trio.testing

from samemind.panel.crowd import (
    KNOWN_MAX,
    STRANGERS_MAX,
    STRANGERS_PER_HOST_MAX,
    Caller,
    OpenConnections,
    caller_of,
)
from samemind.panel.guard import BODY_SECONDS_MAX, TooSlow, bounded


def test_one_machine_makes_room_for_itself_only() -> None:
    crowd = OpenConnections()
    browser = Caller("192.0.2.7", 1)
    assert crowd.enter(browser) is None
    gone = [crowd.enter(Caller("192.0.2.66", port)) for port in range(100)]
    assert gone[:STRANGERS_PER_HOST_MAX] == [None] * STRANGERS_PER_HOST_MAX
    assert gone[STRANGERS_PER_HOST_MAX:] == [
        Caller("192.0.2.66", port) for port in range(100 - STRANGERS_PER_HOST_MAX)
    ]
    assert len(crowd) == STRANGERS_PER_HOST_MAX + 1


def test_many_machines_push_out_whoever_stood_longest_and_never_who_was_let_in() -> None:
    crowd = OpenConnections()
    owner, early = Caller("192.0.2.7", 1), Caller("192.0.2.8", 1)
    crowd.enter(owner)
    assert crowd.know(owner) is None
    crowd.enter(early)
    gone = [crowd.enter(Caller(f"198.51.100.{number}", 9)) for number in range(200)]
    assert owner not in gone
    assert gone.index(early) == STRANGERS_MAX - 1
    assert len(crowd) == STRANGERS_MAX + 1
    crowd.leave(owner)
    assert len(crowd) == STRANGERS_MAX


def test_those_who_were_let_in_are_bounded_too() -> None:
    crowd = OpenConnections()
    gone = []
    for port in range(KNOWN_MAX + 2):
        crowd.enter(Caller("192.0.2.7", port))
        gone.append(crowd.know(Caller("192.0.2.7", port)))
    assert gone[KNOWN_MAX:] == [Caller("192.0.2.7", 0), Caller("192.0.2.7", 1)]
    assert set(gone[:KNOWN_MAX]) == {None}
    assert crowd.know(Caller("192.0.2.9", 1)) is None, "it has gone meanwhile"
    assert len(crowd) == KNOWN_MAX


def test_an_address_is_the_same_by_either_family() -> None:
    assert (
        caller_of(("::ffff:192.0.2.7", 80, 0, 0)) == caller_of(["192.0.2.7", 80]) == Caller("192.0.2.7", 80)
    )
    assert caller_of(None) is None


def test_a_body_that_never_ends_is_not_waited_for_and_a_hang_up_is() -> None:
    async def main() -> None:
        pieces = iter([{"type": "http.request", "body": b"{", "more_body": True}])

        async def stalled() -> dict[str, object]:
            for piece in pieces:
                return piece
            return await trio.sleep_forever()

        began, receive = trio.current_time(), bounded(stalled)
        await receive()
        with pytest.raises(TooSlow):
            await receive()
        assert trio.current_time() - began == BODY_SECONDS_MAX

        async def whole_then_quiet() -> dict[str, object]:
            if trio.current_time() == began + BODY_SECONDS_MAX:
                await trio.sleep(1)
                return {"type": "http.request", "body": b"{}"}
            await trio.sleep(2 * BODY_SECONDS_MAX)
            return {"type": "http.disconnect"}

        receive = bounded(whole_then_quiet)
        await receive()
        assert (await receive())["type"] == "http.disconnect"

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
