"""A machine that moved, or slept, is told from one that did not."""

import os
import socket
from functools import partial

import pytest
import trio
import trio.testing

from sync import network
from sync.network import (
    LOOK_SECONDS,
    SLEPT_SECONDS_MIN,
    AddressesNow,
    Change,
    Looks,
    on_interface,
    own_addresses,
    url_hosts,
)
from tests.support.descriptors import none_left

HOME = frozenset({"192.168.1.7", "fe80::7"})


def looks() -> Looks:
    return Looks(HOME, wall_seconds=1_000.0, seconds=50.0)


def test_nothing_changes_while_both_clocks_go_on_alike() -> None:
    seen = looks()
    for n in range(1, 5):
        assert seen.look(HOME, wall_seconds=1_000.0 + 3 * n, seconds=50.0 + 3 * n) is Change.NOTHING


def test_an_address_that_came_or_went_is_noticed_once() -> None:
    seen = looks()
    away = frozenset({"10.0.0.9"})
    assert seen.look(away, wall_seconds=1_003.0, seconds=53.0) is Change.ADDRESSES
    assert seen.look(away, wall_seconds=1_006.0, seconds=56.0) is Change.NOTHING
    assert seen.look(HOME, wall_seconds=1_009.0, seconds=59.0) is Change.ADDRESSES


def test_a_machine_that_slept_is_noticed_though_it_woke_in_the_same_network() -> None:
    seen = looks()
    assert seen.look(HOME, wall_seconds=1_003.0 + 600, seconds=53.0) is Change.SLEPT
    assert seen.look(HOME, wall_seconds=1_006.0 + 600, seconds=56.0) is Change.NOTHING


def test_a_busy_machine_and_a_corrected_clock_are_no_sleep() -> None:
    seen = looks()
    assert seen.look(HOME, wall_seconds=1_060.0, seconds=110.0) is Change.NOTHING, (
        "late by a minute on both clocks"
    )
    assert seen.look(HOME, wall_seconds=1_063.0 - 50, seconds=113.0) is Change.NOTHING, "corrected"
    nearly = SLEPT_SECONDS_MIN - 1
    assert seen.look(HOME, wall_seconds=1_016.0 + nearly, seconds=116.0) is Change.NOTHING


def test_a_clock_that_is_set_back_or_stands_still_is_noticed_once_for_each_minute() -> None:
    """Links were kept, and with them what was known of how far the clocks are apart."""
    seen = looks()
    assert seen.look(HOME, wall_seconds=1_003.0 - 86_400, seconds=53.0) is Change.SET_BACK
    assert seen.look(HOME, wall_seconds=1_006.0 - 86_400, seconds=56.0) is Change.NOTHING
    stands = [seen.look(HOME, wall_seconds=1_006.0 - 86_400, seconds=56.0 + 3 * n) for n in range(1, 41)]
    assert stands.count(Change.SET_BACK) == 2
    assert stands.count(Change.NOTHING) == 38


def test_a_machine_that_cannot_say_its_addresses_is_where_it_was() -> None:
    """A daemon that ran out of descriptors for three seconds ended: the question takes one."""
    with none_left():
        with pytest.raises(OSError, match="Too many open files"):
            own_addresses()
        assert AddressesNow()(HOME) == HOME


def test_all_who_look_on_one_beat_ask_the_system_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[frozenset[str]] = []
    elsewhere = frozenset({"10.0.0.9"})

    def ask() -> frozenset[str]:
        asked.append(elsewhere if asked else HOME)
        return asked[-1]

    monkeypatch.setattr(network, "own_addresses", ask)
    at = [100.0]
    addresses = AddressesNow(lambda: at[0])
    assert [addresses(frozenset()), addresses(frozenset())] == [HOME, HOME]
    assert len(asked) == 1
    at[0] += LOOK_SECONDS
    assert [addresses(HOME), addresses(HOME)] == [elsewhere, elsewhere]
    assert len(asked) == 2


def test_changes_are_told_on_after_a_moment_without_descriptors() -> None:
    told: list[Change] = []

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            addresses = AddressesNow(trio.current_time)
            follow = partial(network.follow, addresses=addresses)
            nursery.start_soon(follow, lambda change, _: told.append(change))
            await trio.testing.wait_all_tasks_blocked()
            with none_left():
                await trio.sleep(3 * LOOK_SECONDS)  # the clock jumps
            assert told == []
            await trio.sleep(2 * LOOK_SECONDS)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize(
    "host",
    [
        "fe80::1",
        "fe80::1%eth0",
        "fe80::1%",
        "fe80::1%0",
        "fe80::1%99999999999999999999",
        "10.0.0.2",
        "x.local",
    ],
)
def test_a_host_without_the_number_of_an_interface_stays_as_it_is(host: str) -> None:
    """Also with a number that is no interface's, which whoever announces it may make up."""
    assert on_interface(host) == host


@pytest.mark.skipif(os.name == "nt", reason="there interfaces have no other name than a number")
def test_the_number_of_an_interface_becomes_its_name() -> None:
    for index, name in socket.if_nameindex():
        assert on_interface(f"fe80::1%{index}") == f"fe80::1%{name}"


def test_a_url_names_no_address_of_the_link_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its interface it leads nowhere, and in a URL no program takes one."""
    monkeypatch.setattr(network, "own_addresses", lambda: HOME | {"169.254.1.2", "2001:db8::7"})
    assert url_hosts() == ["169.254.1.2", "192.168.1.7", "2001:db8::7"]
