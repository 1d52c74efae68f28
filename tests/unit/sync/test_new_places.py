from random import Random

from replica.ids import DeviceId
from sync import new_places
from sync.address import Address
from sync.roster import SIGHTINGS_MAX, DialTarget, Roster

OWN, ANN = DeviceId(bytes(32)), DeviceId(bytes([1]) * 32)
HERE = Address("10.0.0.1", 7411)


def roster_that_misses_ann() -> Roster:
    roster = Roster(OWN)
    roster.admit([ANN], now_ms=0)
    return roster


def called_through(roster: Roster, until_ms: int) -> list[tuple[int, DialTarget]]:
    """Call whoever is due, in vain, and wait as long as the roster says; return who was called when."""
    now_ms, called = 0, list[tuple[int, DialTarget]]()
    for _ in range(10_000):
        for contact in roster.due(now_ms=now_ms):
            called.append((now_ms, contact))
            roster.calling(contact.key, now_ms=now_ms)
            roster.refused(contact.key, now_ms=now_ms, random=Random(1))
        wake_ms = roster.next_wake_ms(now_ms=now_ms)
        if wake_ms is None or wake_ms > until_ms:
            return called
        assert wake_ms > now_ms or len(roster.due(now_ms=now_ms)) > 0, "it wakes for nothing"
        now_ms = wake_ms
    raise AssertionError("it calls without end")


def test_ever_new_ports_of_one_host_are_called_so_often_a_minute_and_no_more() -> None:
    roster = roster_that_misses_ann()
    first_calls: dict[int, set[Address]] = {}
    for now_ms in range(0, 10 * 60_000, 500):
        roster.sight("liar", [Address("10.9.9.9", 1 + now_ms // 500)], now_ms=now_ms)
        for contact in roster.due(now_ms=now_ms):
            first_calls.setdefault(now_ms // new_places.WITHIN_MS, set()).update(contact.addresses)
            roster.calling(contact.key, now_ms=now_ms)
            roster.failed(contact.key, now_ms=now_ms, random=Random(1))
    assert set(first_calls) == set(range(10))
    assert {len(calls) for calls in first_calls.values()} == {new_places.CALLS_EACH_HOST_MAX}


def test_a_host_that_announces_too_much_keeps_no_other_waiting() -> None:
    roster = roster_that_misses_ann()
    for number in range(40):
        roster.sight(f"fake {number}", [Address("10.9.9.9", number + 1)], now_ms=0)
    roster.sight("ann", [HERE], now_ms=0)
    at_once = [contact for now_ms, contact in called_through(roster, 0) if now_ms == 0]
    assert DialTarget("sighted ann", (HERE,), None) in at_once
    assert len(at_once) == new_places.CALLS_EACH_HOST_MAX + 1


def test_ever_new_hosts_are_called_so_often_a_minute_and_each_has_its_turn() -> None:
    roster = roster_that_misses_ann()
    hosts = [f"10.9.8.{number}" for number in range(SIGHTINGS_MAX)]
    for host in hosts:
        roster.sight(host, [Address(host, 7411)], now_ms=0)
    assert len(called_through(roster, 0)) == new_places.CALLS_MAX == SIGHTINGS_MAX
    roster.sight("one more", [HERE], now_ms=1)
    assert HERE not in [each for contact in roster.due(now_ms=1) for each in contact.addresses]
    later = new_places.WITHIN_MS
    assert HERE in [each for contact in roster.due(now_ms=later) for each in contact.addresses]
