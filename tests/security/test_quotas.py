"""How much may come from one peer in an hour: an honest import passes, a flood waits at whoever sends it."""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import samemind
from replica.compaction import compact
from replica.core import Core
from replica.evidence import Accused, Fault
from replica.frame import encode_frame
from replica.ids import DeviceId, MemoryId
from replica.limits import NAMES_MAX
from replica.membership import introduce
from replica.ops import Body, Erase, Forget, Remember, Write
from replica.outbox import Outbox
from replica.quotas import HOUR_MS, KEPT_MAX, PASSED_ON_TIMES, Limits, Quotas, What
from replica.snapshot_adds import AddedRow
from replica.storage.memory_store import MemoryStore
from samemind.cli.printing import show
from samemind.commands.device._checks import quota_checks
from samemind.commands.group._parts import PeerView
from samemind.commands.group.peers_list import Peers
from samemind.config import Settings
from samemind.formats.plain import to_json
from sync.exchange import Exchange
from sync.identity import Identity
from sync.session import CREDITS
from sync.wire.messages import Heads, Ops, decode_message, encode_message
from tests.support.links import identity
from tests.support.lying import Lie
from tests.support.replicas import (
    NOW_MS,
    Hand,
    MakeStore,
    agree,
    converse,
    group,
    remember,
    rows_of,
    say,
    sqlite_store,
    sync,
    texts,
)


def test_the_settings_begin_with_the_quotas_as_they_are() -> None:
    chosen = Settings()
    found = Limits(chosen.quota_ops, chosen.quota_mb << 20, chosen.quota_packed_mb << 20)
    assert found == Limits()
    assert found.ops >= 200_000, "an import of a hundred thousand passes, with as many facts beside"


def test_what_is_over_its_quota_waits_at_its_author_and_comes_when_there_is_room() -> None:
    """It is named, nothing is lost, and the taker's own writes go the other way all the while."""
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    for n in range(3):
        remember(ben, *(f"word {n} {m}" for m in range(80)))
        sync(ben, ann, NOW_MS + n)
    remember(ann, "an answer")
    one, _ = sync(ben, ann, NOW_MS + 3)
    assert "an answer" in texts(ben)
    held = len([row for row in rows_of(ann) if ann.feeds.origin_of(row.feed).device == ben.device])
    assert held == 160, "a frame may put it into debt, and the next one waits"
    assert Accused(ben.device, Fault.QUOTA) in ann.evidence
    assert any("over the quota of ops" in each.reason for each in one.refusals), "its author is told"
    assert one.unsent() == 80
    sync(ben, ann, NOW_MS + HOUR_MS)
    assert agree(ann, ben)


def test_a_link_that_stands_asks_for_what_waits_when_there_is_room_and_not_before() -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=100))
    remember(ben, *(f"word {n}" for n in range(120)))
    ours, _ = sync(ann, ben)
    remember(ben, "one more")
    (frame,) = [
        encode_message(Ops(encode_frame(said), True)) for said in [Outbox({}, 120).next_frame(ben)] if said
    ]
    ours.receive(frame, NOW_MS)
    asked = [
        minutes
        for minutes in range(60)
        if any(isinstance(decode_message(said), Heads) for said in ours.more(NOW_MS + minutes * 60_000))
    ]
    assert asked[0] > 15, "it is a fifth of an hour in debt, and waits for a tenth more"
    assert asked[0] < 25


def test_of_what_waits_for_room_no_more_is_sent_before_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of it was sent once more each time that there was room for a tenth, and read, and refused."""
    monkeypatch.setattr("replica.outbox.FRAME_OPS_TARGET", 100)
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=200))
    for n in range(20):
        remember(ben, *(f"word {n} {m}" for m in range(100)))
    ours, theirs = Exchange(ann, ben.device, NOW_MS), Exchange(ben, ann.device, NOW_MS)
    for minutes in range(0, 18 * 60, 7):
        theirs.refusals.clear()
        converse(ours, theirs, NOW_MS + minutes * 60_000)
        assert len(theirs.refusals) <= CREDITS
        assert theirs.unsent() == ben.position - ann.position
    assert agree(ann, ben)


def test_a_frame_that_is_held_already_is_no_more_over_any_quota() -> None:
    ann, ben = group("ann", "ben")
    ann.quotas = Quotas(Limits(ops=10))
    remember(ben, *(f"word {n}" for n in range(50)))
    sync(ben, ann)
    sync(ben, ann)
    assert Accused(ben.device, Fault.QUOTA) not in ann.evidence
    assert agree(ann, ben)


def test_what_others_wrote_passes_ten_times_as_far() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    ann.quotas = Quotas(Limits(ops=100))
    for n in range(6):
        remember(eve, *(f"word {n} {m}" for m in range(80)))
        sync(eve, ben, NOW_MS + n)
        sync(ben, ann, NOW_MS + n)
    assert agree(ann, ben)
    assert ann.quotas.left(ben.device, What.OPS_PASSED_ON, NOW_MS) == pytest.approx(
        100 * PASSED_ON_TIMES - 480, abs=1
    )
    assert ann.quotas.left(ben.device, What.OPS, NOW_MS) == 100


@pytest.mark.parametrize("body", [Forget, Erase])
def test_a_write_that_names_many_memories_counts_as_one_for_each(
    body: Callable[[tuple[MemoryId, ...]], Body],
) -> None:
    """Each leaves something behind on every disk, and what was erased in everybody's memory, for ever."""
    ann, eve = group("ann", "eve")
    ann.quotas = Quotas(Limits(ops=25_000))
    for number in range(4):
        names = tuple(MemoryId((number * NAMES_MAX + n + 1).to_bytes(16)) for n in range(NAMES_MAX))
        say(eve, body(names))
        sync(eve, ann, NOW_MS + number)
    held = [row for row in rows_of(ann) if ann.feeds.origin_of(row.feed).device == eve.device]
    assert len(held) == 3
    assert Accused(eve.device, Fault.QUOTA) in ann.evidence


def test_zeros_count_for_what_they_cost_and_not_for_what_they_were_packed_to() -> None:
    """3,730 bytes became 136 MB on every disk: fifteen ops of a kind that nobody knows, four million zeros each."""
    ann, eve = group("ann", "eve")
    hand = Hand("eve")
    for n in range(15):
        op = hand.write(kind=60_000, plain=bytes(4 << 20 if n < 14 else 1000))
        eve.take(hand.frame(op), NOW_MS)
    sync(eve, ann)
    taken = sum(len(row.payload or b"") for row in rows_of(ann))
    assert taken <= 16 << 20, "one frame of them, and the quota of an hour is used up"
    assert ann.quotas.over(eve.device, NOW_MS) is not None
    assert Accused(eve.device, Fault.QUOTA) in ann.evidence
    remember(ann, "and on")
    sync(eve, ann)
    assert "and on" in texts(eve)


@given(st.lists(st.tuples(st.integers(0, 2 * HOUR_MS), st.integers(0, 50)), max_size=20))
def test_over_any_hour_no_more_passes_than_twice_a_quota_and_a_frame(steps: list[tuple[int, int]]) -> None:
    quotas, peer, now = Quotas(Limits(ops=100)), group("ann")[0].device, NOW_MS
    spent: list[tuple[int, int]] = []
    for wait, amount in steps:
        now += wait
        if not quotas.wait_ms(peer, What.OPS, now):
            quotas.spend(peer, What.OPS, amount, now)
            spent.append((now, amount))
    for at, _ in spent:
        assert sum(amount for when, amount in spent if at <= when < at + HOUR_MS) <= 2 * 100 + 50


@pytest.mark.parametrize("back_ms", [1, HOUR_MS, 10**12])
def test_a_clock_that_is_set_back_neither_frees_nor_holds_up(back_ms: int) -> None:
    quotas, peer = Quotas(Limits(ops=100)), group("ann")[0].device
    quotas.spend(peer, What.OPS, 60, NOW_MS)
    assert quotas.left(peer, What.OPS, NOW_MS - back_ms) == 40
    assert quotas.left(peer, What.OPS, NOW_MS - back_ms + HOUR_MS // 10) == 50


def test_an_hour_without_a_word_from_a_peer_leaves_its_whole_quota() -> None:
    quotas, peer = Quotas(Limits(ops=100)), group("ann")[0].device
    quotas.spend(peer, What.OPS, 10_000, NOW_MS)
    assert quotas.wait_ms(peer, What.OPS, NOW_MS) > 99 * HOUR_MS
    assert quotas.left(peer, What.OPS, NOW_MS + 200 * HOUR_MS) == 100


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_what_was_used_up_is_used_up_after_a_restart(make_store: MakeStore) -> None:
    """It was kept in memory alone: whoever could have the daemon started anew began with a whole hour."""
    ann, ben = group("ann", "ben", make_store=make_store)
    ann.quotas.limits = Limits(ops=100)
    remember(ben, *(f"word {n}" for n in range(120)))
    sync(ben, ann)
    assert ann.quotas.left(ben.device, What.OPS, NOW_MS) == -20
    again = Core(ann.store, device=ann.device, sign=ann.sign, random=Random(1))
    again.quotas.limits = Limits(ops=100)
    assert again.quotas.left(ben.device, What.OPS, NOW_MS) == -20
    what, share = again.quotas.fullest(ben.device, NOW_MS)
    assert (what, round(share, 3)) == (What.OPS, 1.2)
    remember(ben, "one more")
    sync(ben, again)
    assert "one more" not in texts(again)
    sync(ben, again, NOW_MS + HOUR_MS)
    assert "one more" in texts(again)


def test_what_is_kept_over_a_restart_is_bounded_and_of_the_fullest() -> None:
    quotas, (ann,) = Quotas(Limits(ops=100)), group("ann")
    for n in range(2 * KEPT_MAX):
        quotas.spend(DeviceId(n.to_bytes(32)), What.OPS, n, NOW_MS)
    kept = quotas.packed()
    assert len(kept) == KEPT_MAX
    assert min(spent for _, _, spent, _ in kept) == KEPT_MAX
    again = Quotas(Limits(ops=100))
    again.restore([*kept, [ann.device, "OF A LATER VERSION", 7, NOW_MS]])
    assert again.packed() == kept


def test_status_and_doctor_say_who_has_used_up_its_hour() -> None:
    (calm, busy, over) = (
        PeerView(device_id=name * 32, name=name, quota=quota, quota_of="ops passed on")
        for name, quota in (("aa", 0.1), ("bb", 0.8), ("cc", 1.25))
    )
    shown = show("peers list", to_json(Peers(peers=[calm, busy, over])))
    assert [line.partition("no direct sync yet")[2] for line in shown] == [
        "",
        ", 80% of its hour's ops passed on",
        ", 125% of its hour's ops passed on: the rest waits there",
    ]
    (check,) = quota_checks([calm, busy, over])
    assert (check.ok, "'cc'" in check.detail, "125%" in check.detail) == (False, True, True)


def test_a_device_shows_what_its_peers_have_used_up(tmp_path: Path) -> None:
    """From what is kept in its store, which another program may have written."""
    home = tmp_path / "home"
    other = identity("ben")
    with samemind.open_blocking(home):
        pass
    key = Identity.load(home / "identity.pem")
    core = Core(sqlite_store(str(home / "memory.db")), device=key.device_id, sign=key.sign, random=Random(1))
    introduction = introduce(
        key.sign, key.device_id, public_key=other.public_key, certificate=other.certificate, name="ben"
    )
    core.learn([introduction], [])
    now_ms = int(time.time() * 1000)
    core.quotas.spend(other.device_id, What.OPS, 2 * Settings().quota_ops, now_ms)
    core.commit([Write(Remember("kept with the next write", {}), MemoryId(bytes(16)))], now_ms)
    del core
    with samemind.open_blocking(home) as mind:
        (peer,) = mind.peers().peers
        assert peer.quota == pytest.approx(2, abs=0.1)
        assert [check.name for check in mind.doctor().checks if "of the ops that are taken" in check.detail]


def told_by_snapshot(ann: Core, eve: Core, ops: int) -> None:
    """Let a member tell memories on its own chain that no op of its has said, and link."""
    lie = Lie.of(eve)
    for feed in lie.feeds:
        assert feed[0] == eve.device
    first = lie.feeds[0][5]
    lie.invent(ops, Random(first))
    lie.adds += [
        AddedRow(
            MemoryId(Random(f"{first} {n}").randbytes(16)), 0, first + n, NOW_MS << 16, "zeros " * 100, {}
        )
        for n in range(1, ops + 1)
    ]
    snapshot = lie.sealed()
    theirs, once = Exchange(ann, eve.device, NOW_MS), [True]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sync.parts.make_snapshot", lambda core: snapshot)
        patch.setattr(Outbox, "lacks_base", lambda self, core: core is eve and once and once.pop())
        converse(Exchange(eve, ann.device, NOW_MS), theirs, NOW_MS)


def test_what_comes_within_a_snapshot_counts_like_what_comes_as_ops() -> None:
    """It did not count at all: a member told as much as it liked on its own chain, in words that pack to nothing."""
    ann, eve = group("ann", "eve")
    remember(eve, "a beginning")
    sync(eve, ann)
    ann.quotas = Quotas(Limits(ops=100, bytes=1 << 20))
    told_by_snapshot(ann, eve, 120)
    assert len(texts(ann)) > 1
    assert ann.quotas.left(eve.device, What.OPS, NOW_MS) == -20
    again = Core(ann.store, device=ann.device, sign=ann.sign, random=Random(1))
    again.quotas.limits = ann.quotas.limits
    assert again.quotas.left(eve.device, What.OPS, NOW_MS) == -20, "after a restart, too"


def test_a_snapshot_that_is_over_a_quota_waits_and_comes_when_there_is_room() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(ben, *(f"word {n}" for n in range(50)))
    sync(ben, eve)
    ben.heard(eve.device, ben.feeds.held(), NOW_MS)
    assert compact(ben, NOW_MS)
    ann.quotas = Quotas(Limits(ops=100))
    ann.quotas.spend(ben.device, What.OPS, 150, NOW_MS)
    ours, theirs = sync(ann, ben)
    assert texts(ann) == set()
    assert Accused(ben.device, Fault.QUOTA) in ann.evidence
    assert any("over the quota of ops" in each.reason for each in theirs.refusals), "its author is told"
    converse(ours, theirs, NOW_MS + 1_000)
    assert texts(ann) == set(), "it is not sent again and again meanwhile"
    converse(ours, theirs, NOW_MS + HOUR_MS)
    assert agree(ann, ben), "on the same link, when there is room"
