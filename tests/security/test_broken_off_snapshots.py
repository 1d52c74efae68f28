"""Snapshots that break off must not stay in memory: each link that did so kept 150 MB, for good."""

import gc
import os
from pathlib import Path

import pytest

import replica.partial
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.ids import DeviceId
from replica.snapshot import make_snapshot
from replica.storage.memory_store import MemoryStore
from sync.exchange import Exchange
from sync.parts import parts_of
from sync.wire.messages import BASE_PART_BYTES, Base, decode_message, encode_message
from tests.support.replicas import NOW_MS, MakeStore, agree, group, remember, sqlite_store
from tests.unit.sync.test_snapshot_resumes import PART_BYTES, converse

PARTS, LINKS = 40, 5
MB = 1 << 20
PART = 4_096


def resident_bytes() -> int:
    """What this process holds of the machine's memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def broken_off(core: Core, peer: Core, link: int) -> Exchange:
    """A link on which forty parts of a thousand come, none of which packs, and then nothing."""
    ours, theirs = Exchange(core, peer.device, NOW_MS), Exchange(peer, core.device, NOW_MS)
    for message in theirs.more(NOW_MS):
        ours.receive(message, NOW_MS)
    ours.more(NOW_MS)
    for index in range(PARTS):
        part = Base(os.urandom(BASE_PART_BYTES), index, 1_000, bytes([link]) * 32)
        said = ours.receive(encode_message(part), NOW_MS)
        assert type(decode_message(said[-1])).__name__ == "Ack"
    return ours


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured by Linux's own count")
def test_what_came_of_a_snapshot_stays_in_the_store_alone_when_its_link_is_over(tmp_path: Path) -> None:
    laptop, phone = group("laptop", "phone")
    phone = Core(
        sqlite_store(str(tmp_path / "memory.db")), device=phone.device, sign=phone.sign, random=phone._random
    )
    phone.adopt(laptop.membership)
    held = []
    before = resident_bytes()
    for link in range(LINKS):
        exchange = broken_off(phone, laptop, link)
        exchange.close()
        held.append(exchange)  # as whatever shows why a link ended does
    gc.collect()
    assert phone.partials == {}
    assert resident_bytes() - before < 1.5 * PARTS * BASE_PART_BYTES
    assert len(phone.store.parts(laptop.device)) == PARTS, "the next link goes on where the last was"
    again = Exchange(phone, laptop.device, NOW_MS)
    assert again._incoming.tell() is not None


def leave(core: Core, peer: DeviceId, size: int, digest: bytes, count: int = 1_000) -> Exchange:
    """A link on which so many bytes of a snapshot come of a peer, and then nothing."""
    exchange = Exchange(core, peer, NOW_MS)
    incoming = exchange._incoming
    incoming.tell()
    for index in range(size // PART):
        incoming.take(Base(os.urandom(PART), index, count, digest * 32))
    incoming.close()
    return exchange


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> int:
    """As a limit a megabyte, or a test would write a quarter of a gigabyte."""
    monkeypatch.setattr(replica.partial, "PARTS_KEPT_BYTES_MAX", MB)
    return MB


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_what_waits_in_the_store_is_bounded_however_many_devices_leave_it(
    make_store: MakeStore, little_room: int
) -> None:
    laptop, *others = group("laptop", *(f"device {n}" for n in range(12)), make_store=make_store)
    for n, other in enumerate(others):
        leave(laptop, other.device, little_room // 4, bytes([n]))
        kept = laptop.store.parts_bytes()
        assert sum(kept.values()) <= little_room
        assert kept[other.device] == little_room // 4, "who comes last is not the one to go"
    assert len(laptop.store.parts_bytes()) == 4


def test_of_two_that_are_equally_large_neither_takes_the_room_of_the_other(little_room: int) -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    leave(laptop, phone.device, little_room // 2, b"a")
    leave(laptop, tablet.device, little_room, b"b")
    assert laptop.store.parts_bytes() == {each.device: little_room // 2 for each in (phone, tablet)}


def test_of_one_that_is_larger_than_the_room_the_first_parts_stay(little_room: int) -> None:
    laptop, phone = group("laptop", "phone", make_store=sqlite_store)
    leave(laptop, phone.device, 2 * little_room, b"a")
    kept = laptop.store.parts(phone.device)
    assert [row.no for row in kept] == list(range(little_room // PART))
    incoming = Exchange(laptop, phone.device, NOW_MS)._incoming
    told = incoming.tell()
    assert told is not None
    assert len(told.parts) == len(kept), "the next link goes on behind them"


def test_a_join_that_is_cut_goes_on_though_others_have_filled_the_room(little_room: int) -> None:
    """A hundred thousand memories are a twentieth of the room; here it is as small beside it."""
    laptop, phone, *others = group(
        "laptop", "phone", *(f"device {n}" for n in range(3)), make_store=sqlite_store
    )
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(600)))
    compact(laptop, NOW_MS + LEASE_MS)
    snapshot = make_snapshot(laptop)
    whole = list(parts_of(snapshot, part_bytes=PART_BYTES))
    assert len(snapshot) < little_room // 10
    for n, other in enumerate(others):
        leave(phone, other.device, little_room // 2, bytes([n]))
    came = converse(phone, laptop, parts_max=len(whole) // 2)
    leave(phone, others[2].device, little_room, b"z")
    phone = Core(phone.store, device=phone.device, sign=phone.sign, random=phone._random)
    assert sum(phone.store.parts_bytes().values()) <= little_room
    rest = converse(phone, laptop, parts_max=10_000)
    assert [part.index for part in came + rest] == list(range(len(whole)))
    assert agree(phone, laptop)
