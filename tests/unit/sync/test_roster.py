from itertools import pairwise
from random import Random

import pytest

from replica.ids import DeviceId
from sync.address import Address
from sync.neighbours import LinkLimits
from sync.new_places import WITHIN_MS
from sync.roster import (
    ADDRESSES_PER_CALL_MAX,
    BACKOFF_MS_MAX,
    BACKOFF_MS_MIN,
    CALLS_MAX,
    CROWDED_MS,
    LASTING_MS,
    SIGHTED_AGAIN_MS,
    SIGHTINGS_MAX,
    SIMULTANEOUS_MS,
    SOMEBODY_ELSE_MAX,
    STRANGER_MS,
    DialTarget,
    DuplicateLink,
    LinkRank,
    Roster,
    backoff_ms,
    duplicate,
)

OWN, ANN, BOB = (DeviceId(bytes([n]) * 32) for n in (1, 2, 3))
HERE, THERE, ELSEWHERE = Address("10.0.0.1", 7411), Address("10.0.0.2", 7411), Address("10.0.0.3", 7411)


def roster_of(*members: DeviceId) -> Roster:
    roster = Roster(OWN)
    roster.admit(members, now_ms=0)
    return roster


def only(contacts: list[DialTarget]) -> DialTarget:
    (contact,) = contacts
    return contact


def test_without_contacts_there_is_nothing_to_wake_for() -> None:
    roster = roster_of(ANN)
    assert roster.due(now_ms=0) == []
    assert roster.next_wake_ms(now_ms=0) is None


def test_a_fixed_address_is_called_at_once() -> None:
    roster = roster_of(ANN)
    roster.fix(HERE, now_ms=5)
    assert roster.next_wake_ms(now_ms=5) == 5
    assert only(roster.due(now_ms=5)) == DialTarget(f"fixed {HERE}", (HERE,), None)


def test_nobody_is_called_by_a_device_without_members() -> None:
    roster = roster_of()
    roster.fix(HERE, now_ms=0)
    roster.sight("x", [THERE], now_ms=0)
    assert roster.due(now_ms=0) == []
    assert roster.next_wake_ms(now_ms=0) is None
    roster.admit([OWN], now_ms=0)
    assert roster.due(now_ms=0) == []


def test_strangers_are_not_called_once_every_member_is_linked() -> None:
    roster = roster_of(ANN)
    roster.linked(ANN, now_ms=0)
    roster.sight("stranger", [THERE], now_ms=0)
    assert roster.due(now_ms=0) == []
    roster.lost(ANN, now_ms=1, random=Random(1))
    assert only(roster.due(now_ms=1)).addresses == (THERE,)


def test_a_contact_that_is_being_called_is_left_alone() -> None:
    roster = roster_of(ANN)
    roster.fix(HERE, now_ms=0)
    roster.calling(only(roster.due(now_ms=0)).key, now_ms=0)
    assert roster.due(now_ms=BACKOFF_MS_MAX) == []
    assert roster.next_wake_ms(now_ms=0) is None


@pytest.mark.parametrize("again", [THERE, HERE], ids=["the same addresses", "others"])
def test_an_announcement_that_changes_while_it_is_called_is_not_called_twice_at_once(again: Address) -> None:
    """A busy machine announces its interfaces one by one: the second call once ended the daemon."""
    roster = roster_of(ANN)
    roster.sight("phone", [THERE], now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.lose_sight("phone")
    roster.sight("phone", [again], now_ms=SIGHTED_AGAIN_MS)
    assert roster.due(now_ms=SIGHTED_AGAIN_MS) == []
    roster.failed(key, now_ms=SIGHTED_AGAIN_MS, random=Random(1))
    assert only(roster.due(now_ms=SIGHTED_AGAIN_MS + BACKOFF_MS_MIN)).addresses == (again,)


def test_failures_double_the_wait_up_to_the_limit() -> None:
    assert [backoff_ms(n) for n in (1, 2, 3, 4)] == [1_000, 2_000, 4_000, 8_000]
    assert backoff_ms(9) == 256_000
    assert backoff_ms(10) == backoff_ms(10_000) == BACKOFF_MS_MAX


def test_a_failed_call_is_repeated_after_between_half_and_all_of_the_wait() -> None:
    roster, random, now_ms = roster_of(ANN), Random(7), 0
    roster.fix(HERE, now_ms=0)
    for failures in range(1, 15):
        key = only(roster.due(now_ms=now_ms)).key
        roster.calling(key, now_ms=now_ms)
        roster.failed(key, now_ms=now_ms, random=random)
        wake_ms = roster.next_wake_ms(now_ms=now_ms)
        assert wake_ms is not None
        assert backoff_ms(failures) // 2 <= wake_ms - now_ms <= backoff_ms(failures)
        assert roster.due(now_ms=wake_ms - 1) == []
        now_ms = wake_ms


def test_a_linked_member_is_not_called_and_a_lost_one_is() -> None:
    roster = roster_of(ANN)
    roster.fix(HERE, now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.reached(key, ANN, HERE, now_ms=1, random=Random(1))
    assert roster.due(now_ms=10**9) == []
    roster.lost(ANN, now_ms=LASTING_MS + 1, random=Random(1))
    wake_ms = roster.next_wake_ms(now_ms=LASTING_MS + 1)
    assert wake_ms is not None
    assert LASTING_MS + 500 < wake_ms <= LASTING_MS + 1_001
    assert only(roster.due(now_ms=LASTING_MS + 1_001)).member == ANN


def test_links_that_fall_at_once_are_called_less_and_less_often() -> None:
    roster, now_ms, calls = roster_of(ANN), 0, 0
    roster.fix(HERE, now_ms=0)
    while now_ms < 600_000:
        for contact in roster.due(now_ms=now_ms):
            roster.calling(contact.key, now_ms=now_ms)
            roster.reached(contact.key, ANN, HERE, now_ms=now_ms, random=Random(1))
            roster.lost(ANN, now_ms=now_ms + 10, random=Random(calls))
            calls += 1
        now_ms += 10
    assert calls < 30


def test_a_lasting_link_forgives_earlier_failures() -> None:
    roster, random = roster_of(ANN), Random(3)
    roster.remember(ANN, HERE, now_ms=0)
    key = only(roster.due(now_ms=0)).key
    for _ in range(12):
        roster.failed(key, now_ms=0, random=random)
    roster.reached(key, ANN, HERE, now_ms=0, random=Random(1))
    roster.lost(ANN, now_ms=LASTING_MS, random=random)
    wake_ms = roster.next_wake_ms(now_ms=LASTING_MS)
    assert wake_ms is not None
    assert wake_ms <= LASTING_MS + 1_000


def test_a_stranger_is_left_alone_until_somebody_new_is_admitted() -> None:
    roster = roster_of(ANN)
    roster.sight("x", [THERE], now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.refused(key, now_ms=0, random=Random(1))
    assert only(roster.due(now_ms=BACKOFF_MS_MIN)).key == key, "perhaps we were just pairing"
    for _ in range(STRANGER_MS.bit_length()):
        roster.calling(key, now_ms=0)
        roster.refused(key, now_ms=0, random=Random(1))
    assert roster.due(now_ms=STRANGER_MS // 2 - 1) == []
    assert only(roster.due(now_ms=STRANGER_MS)).key == key
    roster.admit([ANN, BOB], now_ms=50)
    assert only(roster.due(now_ms=50)).key == key


def test_where_somebody_else_lives_one_calls_as_rarely_as_a_stranger() -> None:
    roster = roster_of(ANN)
    roster.fix(HERE, now_ms=0, member=ANN)
    (key,) = (contact.key for contact in roster.due(now_ms=0))

    def call(*, by_other: bool, times: int) -> None:
        for _ in range(times):
            roster.calling(key, now_ms=0)
            roster.failed(key, now_ms=0, random=Random(1), by_other=by_other)

    call(by_other=False, times=STRANGER_MS.bit_length())
    assert only(roster.due(now_ms=BACKOFF_MS_MAX)).key == key
    call(by_other=True, times=SOMEBODY_ELSE_MAX - 1)
    assert only(roster.due(now_ms=BACKOFF_MS_MAX)).key == key, "who is called may just be restarting"
    call(by_other=True, times=1)
    assert roster.due(now_ms=STRANGER_MS // 2 - 1) == []
    assert only(roster.due(now_ms=STRANGER_MS)).key == key
    call(by_other=False, times=1)
    assert only(roster.due(now_ms=BACKOFF_MS_MAX)).key == key, "nobody lives there any more"
    call(by_other=True, times=SOMEBODY_ELSE_MAX - 1)
    roster.calling(key, now_ms=0)
    roster.reached(key, ANN, HERE, now_ms=0, random=Random(1))
    roster.lost(ANN, now_ms=0, random=Random(1))
    call(by_other=True, times=1)
    assert roster._entries[key].due_ms <= BACKOFF_MS_MAX, "whom it is meant for has answered in between"


def test_a_new_sighting_is_called_at_once_though_the_last_address_is_waiting() -> None:
    roster = roster_of(ANN)
    roster.remember(ANN, HERE, now_ms=0)
    for _ in range(12):
        roster.failed(
            only(roster.due(now_ms=0)).key if roster.due(now_ms=0) else "", now_ms=0, random=Random(1)
        )
    roster.sight("fresh", [THERE], now_ms=100)
    assert only(roster.due(now_ms=100)).addresses == (THERE,)


def test_an_announcement_that_comes_and_goes_does_not_cause_a_storm() -> None:
    roster, calls = roster_of(ANN), []
    for now_ms in range(0, 60_000, 50):
        roster.sight(f"name {now_ms}", [THERE], now_ms=now_ms)
        for contact in roster.due(now_ms=now_ms):
            roster.calling(contact.key, now_ms=now_ms)
            roster.failed(contact.key, now_ms=now_ms, random=Random(now_ms))
            calls.append(now_ms)
        roster.lose_sight(f"name {now_ms}")
    assert len(calls) <= 60_000 // SIGHTED_AGAIN_MS + 1


def test_a_name_that_rotates_stays_the_same_contact() -> None:
    roster = roster_of(ANN, BOB)
    roster.sight("old", [THERE], now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.reached(key, ANN, THERE, now_ms=0, random=Random(1))
    roster.sight("new", [THERE], now_ms=10)
    roster.lose_sight("old")
    assert roster.due(now_ms=10) == []  # Bob is missing, but this is Ann and she is linked
    roster.lost(ANN, now_ms=20, random=Random(1))
    assert {contact.member for contact in roster.due(now_ms=5_000)} == {ANN}


def test_who_is_announced_at_an_address_of_one_that_is_away_is_called_in_a_moment() -> None:
    """The network gave Bob the address that Ann had; Bob waited for as long as Ann had been called in vain."""
    roster = roster_of(ANN, BOB)
    roster.sight("Ann", [THERE], now_ms=0)
    for now_ms in range(0, 1_800_000, 1_000):
        for contact in roster.due(now_ms=now_ms):
            roster.calling(contact.key, now_ms=now_ms)
            roster.failed(contact.key, now_ms=now_ms, random=Random(now_ms))
    assert roster.due(now_ms=1_800_000) == []
    roster.sight("Bob", [THERE], now_ms=1_800_000)
    assert only(roster.due(now_ms=1_800_000 + SIGHTED_AGAIN_MS)).addresses == (THERE,)


def test_one_member_is_called_by_one_contact_at_a_time_sighting_first() -> None:
    roster = roster_of(ANN)
    roster.fix(HERE, now_ms=0, member=ANN)
    roster.remember(ANN, ELSEWHERE, now_ms=0)
    contact = only(roster.due(now_ms=0))
    assert contact.addresses == (ELSEWHERE,)
    roster.calling(contact.key, now_ms=0)
    assert roster.due(now_ms=0) == []
    roster.failed(contact.key, now_ms=0, random=Random(1))
    assert only(roster.due(now_ms=0)).addresses == (HERE,)


def test_a_revoked_member_is_not_called_where_it_answered_last() -> None:
    roster = roster_of(ANN, BOB)
    roster.remember(ANN, HERE, now_ms=0)
    roster.fix(THERE, now_ms=0, member=ANN)
    roster.admit([BOB], now_ms=1)
    assert only(roster.due(now_ms=1)) == DialTarget(f"fixed {THERE} for {ANN.hex()}", (THERE,), None)


def test_a_member_whose_revocation_does_not_count_is_called_again_where_it_answered_last() -> None:
    """Of two that revoke each other one stays, and perhaps nobody else knows where it is."""
    roster = roster_of(ANN, BOB)
    roster.remember(ANN, HERE, now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.failed(key, now_ms=0, random=Random(1))
    roster.admit([], now_ms=1)  # one's own revocation: nobody is called
    assert roster.due(now_ms=1) == []
    roster.admit([ANN, BOB], now_ms=2)
    assert only(roster.due(now_ms=2)) == DialTarget(key, (HERE,), ANN)


def test_an_address_where_somebody_else_answers_is_not_the_members_any_more() -> None:
    roster = roster_of(ANN, BOB)
    roster.remember(ANN, HERE, now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.reached(key, BOB, HERE, now_ms=0, random=Random(1))
    roster.lost(BOB, now_ms=LASTING_MS, random=Random(1))
    assert only(roster.due(now_ms=LASTING_MS + 5_000)) == DialTarget(f"known {BOB.hex()}", (HERE,), BOB)


def test_what_the_owner_typed_is_called_for_whoever_is_missing_whoever_answered_there_last() -> None:
    """A name with many addresses, or a router that sends its port on to one device today and to another tomorrow."""
    roster = roster_of(ANN, BOB)
    roster.fix(HERE, now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.reached(key, ANN, HERE, now_ms=0, random=Random(1))
    assert roster.due(now_ms=0) == [], "not within the same moment"
    assert only(roster.due(now_ms=BACKOFF_MS_MIN)) == DialTarget(key, (HERE,), None), "Bob may be there too"
    roster.linked(BOB, now_ms=BACKOFF_MS_MIN)
    assert roster.due(now_ms=10**9) == [], "everybody is linked"
    roster.lost(ANN, now_ms=10**9, random=Random(1))
    wanted = {contact.member for contact in roster.due(now_ms=10**9 + BACKOFF_MS_MIN)}
    assert wanted == {ANN}


def test_a_place_where_one_answers_for_another_is_called_less_and_less_often() -> None:
    roster, now_ms, calls = roster_of(ANN, BOB), 0, 0
    roster.fix(HERE, now_ms=0)
    roster.linked(ANN, now_ms=0)
    while now_ms < 1_800_000:
        for contact in roster.due(now_ms=now_ms):
            roster.calling(contact.key, now_ms=now_ms)
            roster.failed(contact.key, now_ms=now_ms, random=Random(calls))
            calls += 1
        now_ms = max(now_ms + 1, roster.next_wake_ms(now_ms=now_ms) or 0)
    assert calls < 25


def test_what_was_typed_for_one_device_stays_that_devices_though_another_answers() -> None:
    roster = roster_of(ANN, BOB)
    roster.fix(HERE, now_ms=0, member=ANN)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.reached(key, BOB, HERE, now_ms=0, random=Random(1))
    assert only(roster.due(now_ms=BACKOFF_MS_MIN)) == DialTarget(key, (HERE,), ANN)
    roster.fix(HERE, now_ms=0, member=BOB)
    roster.lost(BOB, now_ms=1, random=Random(1))
    wanted = [contact.member for contact in roster.due(now_ms=10**6)]
    assert sorted(filter(None, wanted)) == [ANN, BOB], "one address may be given for both"


def test_a_member_that_moved_frees_its_old_sighting_for_others() -> None:
    roster = roster_of(ANN, BOB)
    roster.sight("one", [HERE], now_ms=0)
    key = only(roster.due(now_ms=0)).key
    roster.calling(key, now_ms=0)
    roster.reached(key, ANN, HERE, now_ms=0, random=Random(1))
    roster.lost(ANN, now_ms=1, random=Random(1))
    roster.sight("two", [THERE], now_ms=2)
    roster.calling("sighted two", now_ms=2)
    roster.reached("sighted two", ANN, THERE, now_ms=3, random=Random(1))
    assert only(roster.due(now_ms=10_000)) == DialTarget("sighted one", (HERE,), None)


def test_a_flood_of_announcements_is_bounded_and_keeps_the_tied_ones() -> None:
    roster = roster_of(ANN, BOB)
    roster.sight("ann", [HERE], now_ms=0)
    roster.calling("sighted ann", now_ms=0)
    roster.reached("sighted ann", ANN, HERE, now_ms=0, random=Random(1))
    for number in range(500):
        roster.sight(f"fake {number}", [Address("10.9.9.9", number + 1)], now_ms=1)
    roster.lost(ANN, now_ms=LASTING_MS, random=Random(1))
    keys = set()
    for _ in range(500):
        contacts = roster.due(now_ms=LASTING_MS + 5_000)
        assert len(contacts) <= CALLS_MAX
        for contact in contacts:
            roster.calling(contact.key, now_ms=LASTING_MS + 5_000)
            roster.refused(contact.key, now_ms=LASTING_MS + 5_000, random=Random(1))
            keys.add(contact.key)
    assert "sighted ann" in keys
    assert len(keys) <= SIGHTINGS_MAX + 1


@pytest.mark.parametrize("first", [0, 7, 20])
def test_places_that_a_stranger_adds_to_a_name_keep_nobody_from_whose_name_it_is(first: int) -> None:
    """All are called, a few together, and that of the device not much more often because of the others."""
    roster, others = roster_of(ANN), [Address("10.9.9.9", port) for port in range(1, 25)]
    calls: list[int] = []
    for now_ms in range(0, 600_000, 1_000):
        added = others[: first + now_ms // 10_000]
        roster.sight("ann", [*added[:first], HERE, *added[first:]], now_ms=now_ms)
        for contact in roster.due(now_ms=now_ms):
            assert len(contact.addresses) <= ADDRESSES_PER_CALL_MAX
            roster.calling(contact.key, now_ms=now_ms)
            roster.failed(contact.key, now_ms=now_ms, random=Random(now_ms))
            calls += [now_ms] if HERE in contact.addresses else []
    assert calls[0] == 0
    assert 10 < len(calls) < 40


def test_what_was_added_to_a_name_goes_with_it() -> None:
    roster = roster_of(ANN)
    roster.sight("ann", [Address("10.9.9.9", port) for port in range(1, 25)], now_ms=0)
    assert len(roster.due(now_ms=0)) == 3
    roster.sight("ann", [HERE], now_ms=0)
    assert only(roster.due(now_ms=0)).addresses == (HERE,)
    roster.sight("ann", [Address("10.9.9.9", port) for port in range(1, 25)], now_ms=0)
    roster.lose_sight("ann")
    assert roster.due(now_ms=0) == []


def test_of_announcements_that_were_called_and_taken_back_the_latest_are_remembered() -> None:
    roster = roster_of(ANN)
    places = [Address(f"10.9.9.{number}", 7411) for number in range(SIGHTINGS_MAX + 1)]
    for at_ms, place in enumerate(places):
        roster.sight("fake", [place], now_ms=at_ms)
        roster.calling("sighted fake", now_ms=at_ms)
        roster.refused("sighted fake", now_ms=at_ms, random=Random(1))
        roster.lose_sight("fake")
    forgotten, remembered, *_ = places
    roster.sight("again", [forgotten], now_ms=100)
    assert roster.next_wake_ms(now_ms=100) == 1 + WITHIN_MS, (
        "as a place that is new, of which there were many"
    )
    roster.lose_sight("again")
    roster.sight("again", [remembered], now_ms=100)
    assert roster.next_wake_ms(now_ms=100) == 1 + SIGHTED_AGAIN_MS


def test_a_nudge_makes_everything_due_but_not_twice_in_a_second() -> None:
    roster = roster_of(ANN)
    roster.remember(ANN, HERE, now_ms=0)
    key = only(roster.due(now_ms=0)).key
    for _ in range(12):
        roster.calling(key, now_ms=100)
        roster.failed(key, now_ms=100, random=Random(1))
    roster.nudge(now_ms=200)
    assert roster.next_wake_ms(now_ms=200) == 1_100
    roster.nudge(now_ms=2_000)
    assert roster.next_wake_ms(now_ms=2_000) == 2_000


@pytest.mark.parametrize("dialled", [(True, False), (False, True), (True, True), (False, False)])
@pytest.mark.parametrize("same_order", [True, False])
def test_of_two_links_that_came_up_together_the_ends_never_drop_both(
    dialled: tuple[bool, bool], same_order: bool
) -> None:
    """Each end may see either of the two come up first; `dialled` says of each whether OWN, the smaller, did."""

    def kept(own: DeviceId, peer: DeviceId, order: tuple[int, int]) -> set[int]:
        first, second = order
        old, new = (LinkRank(dialled[link] == (own == OWN), n) for n, link in enumerate(order))
        match duplicate(old, new, own=own, peer=peer):
            case DuplicateLink.OLD_STAYS:
                return {first}
            case DuplicateLink.NEW_STAYS:
                return {second}
            case _:
                return {first, second}

    one, other = kept(OWN, ANN, (0, 1)), kept(ANN, OWN, (0, 1) if same_order else (1, 0))
    assert len(one & other) == 1, "a link stands while neither end drops it"
    if dialled[0] != dialled[1]:
        assert one & other == {dialled.index(True)}


@pytest.mark.parametrize("dialled_by_us", [True, False])
@pytest.mark.parametrize("dialled_before", [True, False])
def test_a_peer_that_dials_again_later_replaces_the_link_it_has_lost(
    dialled_by_us: bool, dialled_before: bool
) -> None:
    standing, later = LinkRank(dialled_before, 0), LinkRank(dialled_by_us, SIMULTANEOUS_MS)
    assert duplicate(standing, later, own=OWN, peer=ANN) is DuplicateLink.NEW_STAYS
    assert duplicate(standing, later, own=ANN, peer=OWN) is DuplicateLink.NEW_STAYS


def test_devices_that_lost_each_other_together_do_not_call_together() -> None:
    """Each wait is drawn anew, from the half of it to the whole."""
    waits = []
    for seed in range(40):
        roster = roster_of(ANN)
        roster.fix(HERE, now_ms=0)
        key = only(roster.due(now_ms=0)).key
        roster.calling(key, now_ms=0)
        for _ in range(4):
            roster.failed(key, now_ms=0, random=Random(seed))
        wake_ms = roster.next_wake_ms(now_ms=0)
        assert wake_ms is not None
        waits.append(wake_ms)
    longest = backoff_ms(4)
    assert all(longest // 2 <= wait <= longest for wait in waits)
    assert len(set(waits)) > 20


def test_who_holds_as_many_links_as_it_can_is_left_alone_for_long_wherever_it_is_known() -> None:
    roster = roster_of(ANN, BOB)
    roster.remember(ANN, THERE, now_ms=0)
    roster.fix(HERE, now_ms=0)
    roster.calling(f"fixed {HERE}", now_ms=0)
    roster.crowded(f"fixed {HERE}", ANN, now_ms=0, random=Random(1))
    assert roster.due(now_ms=CROWDED_MS // 2 - 1) == []
    assert only(roster.due(now_ms=CROWDED_MS)).member == ANN


def test_an_address_given_for_one_device_waits_where_another_answers_that_has_no_room() -> None:
    roster = roster_of(ANN, BOB)
    roster.fix(HERE, now_ms=0, member=ANN)
    contact = only(roster.due(now_ms=0))
    roster.calling(contact.key, now_ms=0)
    roster.crowded(contact.key, BOB, now_ms=0, random=Random(1))
    assert roster.due(now_ms=CROWDED_MS // 2 - 1) == []
    assert only(roster.due(now_ms=CROWDED_MS)).member == ANN


def test_where_links_are_enough_only_whom_the_owner_asks_for_is_called() -> None:
    roster = linked_ring()
    roster.ask_for(AHEAD_3, now_ms=0)
    roster.ask_for(AHEAD_3, now_ms=0)
    roster.ask_no_more(AHEAD_3)
    assert called(roster) == {AHEAD_3}
    roster.ask_no_more(AHEAD_3)
    assert called(roster) == set()


# Around the ring from here: one step, two and three, and in the other direction one and two.
AHEAD_1, AHEAD_2, AHEAD_3, BACK_2, BACK_1 = (DeviceId(bytes([n]) * 32) for n in (10, 20, 30, 200, 210))
RING = (AHEAD_1, AHEAD_2, AHEAD_3, BACK_2, BACK_1)


def ring_roster() -> Roster:
    """Of a group so large that not everybody is called; the owner gave an address for each."""
    roster = Roster(OWN, LinkLimits(mesh=2, look_s=600))
    roster.admit(RING, now_ms=0)
    for port, member in enumerate(RING, 1):
        roster.fix(Address("10.0.0.1", port), now_ms=0, member=member)
    return roster


def called(roster: Roster, *, now_ms: int = 0) -> set[DeviceId | None]:
    return {contact.member for contact in roster.due(now_ms=now_ms)}


def call(roster: Roster, member: DeviceId, *, now_ms: int = 0) -> None:
    """Reach a member that is due."""
    (contact,) = (each for each in roster.due(now_ms=now_ms) if each.member == member)
    roster.calling(contact.key, now_ms=now_ms)
    roster.reached(contact.key, member, contact.addresses[0], now_ms=now_ms, random=Random(1))


def test_in_a_large_group_the_next_one_is_called_for_a_place_where_the_first_does_not_answer() -> None:
    roster = ring_roster()
    assert called(roster) == {AHEAD_1, AHEAD_2, BACK_1, BACK_2}
    for contact in roster.due(now_ms=0):
        roster.calling(contact.key, now_ms=0)
        if contact.member == AHEAD_2:
            roster.failed(contact.key, now_ms=0, random=Random(1))
        elif contact.member is not None:
            roster.reached(contact.key, contact.member, HERE, now_ms=0, random=Random(1))
    assert called(roster) == {AHEAD_3}
    call(roster, AHEAD_3)
    assert called(roster, now_ms=BACKOFF_MS_MAX) == set()
    assert roster.next_wake_ms(now_ms=0) is None


def test_whoever_is_full_leaves_its_place_to_the_next() -> None:
    roster = ring_roster()
    (contact,) = (each for each in roster.due(now_ms=0) if each.member == AHEAD_2)
    roster.calling(contact.key, now_ms=0)
    roster.crowded(contact.key, AHEAD_2, now_ms=0, random=Random(1))
    assert AHEAD_3 in called(roster)


def linked_ring() -> Roster:
    roster = ring_roster()
    for member in (AHEAD_1, AHEAD_2, BACK_1, BACK_2):
        call(roster, member)
    roster.admit((*RING, BOB), now_ms=0)
    roster.fix(HERE, now_ms=0, member=BOB)  # at one step now
    call(roster, BOB)
    return roster


def test_those_whom_no_place_names_are_looked_at_one_after_another_the_one_met_longest_ago_first() -> None:
    roster = linked_ring()
    roster.lost(AHEAD_2, now_ms=LASTING_MS, random=Random(1))
    now_ms = LASTING_MS + BACKOFF_MS_MAX
    assert roster.spare == frozenset()
    assert called(roster, now_ms=now_ms) == set(), "the place is held by another"
    assert roster.look(now_ms=now_ms)
    assert called(roster, now_ms=now_ms) == {AHEAD_3}, "the other was linked a moment ago"
    call(roster, AHEAD_3, now_ms=now_ms)
    roster.lost(AHEAD_3, now_ms=now_ms, random=Random(1))
    assert roster.look(now_ms=now_ms + 60_000)
    assert called(roster, now_ms=now_ms + 60_000) == {AHEAD_2}
    assert not roster.look(now_ms=now_ms + 120_000), "everybody was met"
    assert called(roster, now_ms=now_ms + 120_000) == set()
    roster.forget_meetings()
    assert roster.look(now_ms=now_ms + 180_000), "but in another network"
    assert roster.look(now_ms=now_ms + 240_000)
    assert roster.look(now_ms=now_ms + 300_000), "the first that is met again"
    assert not roster.look(now_ms=now_ms + 899_999)
    assert roster.look(now_ms=now_ms + 900_000)


def test_nobody_is_looked_at_where_all_are_linked_or_all_are_called() -> None:
    roster = Roster(OWN, LinkLimits(mesh=2))
    roster.admit([ANN, BOB], now_ms=0)
    roster.fix(HERE, now_ms=0, member=ANN)
    assert not roster.look(now_ms=0)
    assert called(roster) == {ANN}
    roster = linked_ring()
    roster.linked(AHEAD_3, now_ms=0)
    assert not roster.look(now_ms=0)


def test_nobody_is_looked_at_who_is_being_called_or_waits_after_a_call_that_failed() -> None:
    roster = linked_ring()
    assert roster.look(now_ms=0)
    (contact,) = roster.due(now_ms=0)
    roster.calling(contact.key, now_ms=0)
    assert not roster.look(now_ms=60_000), "nobody else is missing"
    roster.failed(contact.key, now_ms=60_000, random=Random(1))
    assert not roster.look(now_ms=60_001)
    roster.forget_meetings()
    assert roster.look(now_ms=60_000 + BACKOFF_MS_MIN)


def test_a_link_that_holds_no_place_is_spare_unless_somebody_asks_for_it() -> None:
    roster = linked_ring()
    assert roster.spare == {AHEAD_2}, "another is nearer since the group has grown"
    roster.ask_for(AHEAD_2, now_ms=0)
    assert roster.spare == frozenset()


def test_a_peer_whose_lost_link_was_needed_is_called_again_though_no_place_names_it() -> None:
    roster = linked_ring()
    roster.linked(AHEAD_3, now_ms=0)
    roster.lost(AHEAD_3, now_ms=0, random=Random(1), needed=True)
    assert called(roster, now_ms=BACKOFF_MS_MIN) == {AHEAD_3}
    roster.linked(AHEAD_3, now_ms=BACKOFF_MS_MIN)
    roster.lost(AHEAD_3, now_ms=BACKOFF_MS_MIN, random=Random(1))
    assert called(roster, now_ms=BACKOFF_MS_MAX) == set()


def test_devices_do_not_call_all_in_one_order() -> None:
    places = [Address("10.0.0.1", port) for port in range(1, 50)]
    first = set()
    for own in range(10, 20):
        roster = Roster(DeviceId(bytes([own]) * 32))
        roster.admit([ANN, BOB], now_ms=0)
        for place in places:
            roster.fix(place, now_ms=0)
        first |= {contact.addresses[0] for contact in roster.due(now_ms=0)}
    assert len(first) > 2 * CALLS_MAX


def test_places_that_are_announced_again_and_again_and_stay_silent_keep_nobody_from_a_member() -> None:
    """Of those that answer and say nothing, all calls were under way, for as long as somebody announced them."""
    roster, random, now_ms = roster_of(ANN), Random(1), 0
    under_way: list[tuple[int, str]] = []
    called: list[int] = []
    while now_ms < 3_600_000:
        if now_ms % 5_000 == 0:
            for number in range(SIGHTINGS_MAX):
                roster.lose_sight(f"{number} {now_ms - 5_000}")
                roster.sight(f"{number} {now_ms}", [Address(f"10.0.1.{number}", 7411)], now_ms=now_ms)
        if now_ms == 600_000:
            roster.remember(ANN, HERE, now_ms=now_ms)
        for call in [call for call in under_way if call[0] <= now_ms]:
            under_way.remove(call)
            roster.failed(call[1], now_ms=now_ms, random=random)
        for contact in roster.due(now_ms=now_ms):
            roster.calling(contact.key, now_ms=now_ms)
            called += [now_ms] * (HERE in contact.addresses)
            under_way.append((now_ms + 10_000, contact.key))
        wake_ms = roster.next_wake_ms(now_ms=now_ms)
        assert wake_ms is None or wake_ms > now_ms, "nothing is left that could be called now"
        assert len(under_way) <= CALLS_MAX
        now_ms += 500
    assert called[0] == 600_000
    assert max(after - before for before, after in pairwise(called)) <= BACKOFF_MS_MAX + 20_000
