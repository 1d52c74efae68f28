"""What a merged base does to the device that takes it, beside what it brings."""

from contextlib import closing

import pytest

from replica.compaction import compact
from replica.core import Core
from replica.incarnations import Why
from replica.oplog import Changes, PartRow
from replica.ops import Erase
from replica.partial import partial_from
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.state.cells import memory_key
from replica.storage.memory_store import MemoryStore
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    MakeStore,
    acquaint,
    agree,
    core_of,
    group,
    remember,
    say,
    sqlite_store,
    sync,
    texts,
)


def absorbs(core: Core, snapshot: bytes, now_ms: int = NOW_MS) -> bool:
    return absorb(core, read_snapshot(snapshot, core), now_ms)


def test_who_finds_later_ops_of_its_own_in_a_base_goes_on_as_another() -> None:
    with closing(connect(":memory:")) as disk, closing(connect(":memory:")) as backup:
        laptop, phone = core_of("laptop", SqliteStore(disk)), core_of("phone")
        acquaint(laptop, "laptop", "phone")
        acquaint(phone, "phone", "laptop")
        remember(laptop, "before the backup")
        disk.backup(backup)
        remember(laptop, "after the backup")
        for _ in range(2):
            sync(laptop, phone)
        assert compact(phone, NOW_MS) == 2
        restored = core_of("laptop", SqliteStore(backup), seed="restored")
        assert absorbs(restored, make_snapshot(phone))
        assert restored.origin != laptop.origin
        assert [incident.why for incident in restored.incidents] == [Why.ECHO]
        assert texts(restored) == texts(laptop)


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_a_proof_of_erasure_acts_on_a_base_that_was_made_before_it(make_store: MakeStore) -> None:
    """The proof came ahead, and the snapshot holds the words: they must not come to rest in the base."""
    laptop, phone = group("laptop", "phone", make_store=make_store)
    erased, kept = remember(laptop, "erased soon", "kept")
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 2
    snapshot = make_snapshot(laptop)
    say(laptop, Erase((erased,)))
    phone.learn([], [], laptop.proofs.values(), NOW_MS)
    assert absorbs(phone, snapshot)
    assert phone.store.load_base([memory_key(erased)]) == {}
    assert memory_key(kept) in phone.store.load_base([memory_key(kept)])
    assert erased in phone.store.base_tombstones()
    sync(laptop, phone)
    assert agree(laptop, phone)
    assert verify_replica(phone).ok


def test_a_base_folded_by_a_clock_that_is_ahead_hides_nothing_that_is_yet_to_come() -> None:
    laptop, phone = group("laptop", "phone")
    ahead = NOW_MS + 366 * DAY_MS
    remember(laptop, "by a clock that is a year ahead", now_ms=ahead)
    assert compact(laptop, ahead) == 1
    assert laptop.horizon_ms == ahead
    assert absorbs(phone, make_snapshot(laptop))
    assert phone.horizon_ms == NOW_MS


def test_a_merged_base_is_news_though_it_is_no_op() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 1
    before = phone.news, phone.position
    assert absorbs(phone, make_snapshot(laptop))
    assert (phone.news, phone.position) == (before[0] + 1, before[1])


@pytest.mark.parametrize("odd", [(2, 4), (1, 5)])
def test_of_what_is_kept_of_a_snapshot_the_first_parts_of_one_are_used(odd: tuple[int, int]) -> None:
    laptop, phone = group("laptop", "phone")
    no, count = odd
    for row in (
        PartRow(laptop.device, 0, b"d" * 32, 4, b"first"),
        PartRow(laptop.device, no, b"d" * 32, count, b"odd"),
    ):
        phone.write(Changes(part=row), now_ms=0)
    partial = partial_from(phone, laptop.device)
    assert partial is not None
    assert (partial.digest, partial.count, partial.parts) == (b"d" * 32, 4, [b"first"])
