"""A clone of a device that lives is seen, whatever the clocks say, and a device's own past is not taken for one."""

import pytest

from replica.clone_detection import live_clone, parting
from replica.incarnations import ChainEvent
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.links import identity
from tests.support.replicas import DAY_MS, NOW_MS, acquaint, agree, core_of, remember, say, sync, texts

MINUTE_MS = 60_000


def test_two_live_clones_are_told_apart_and_the_later_one_has_to_part() -> None:
    """A cloned machine: nonce, twin and all. They meet only through a third device."""
    phone = core_of("phone")
    acquaint(phone, "phone", "laptop")
    original = core_of("laptop", SqliteStore(connect(":memory:")))
    acquaint(original, "laptop", "phone")
    remember(original, "before the clone")
    disk = connect(":memory:")
    original.store.connection.backup(disk)  # type: ignore[attr-defined]
    clone = core_of("laptop", SqliteStore(disk), seed="clone")
    now = NOW_MS
    for _ in range(3):  # they write, and meet the phone, in turns
        for each, name in ((original, "original"), (clone, "clone")):
            now += MINUTE_MS
            remember(each, f"by the {name} at {now}", now_ms=now)
            sync(each, phone, now)
    sync(original, phone, now)
    found = [live_clone(each, now) for each in (original, clone)]
    assert all(found), "each knows of the other"
    assert sorted(each.is_original for each in found if each) == [False, True], "one of them is told"
    assert agree(original, clone, phone)
    assert verify_replica(original).ok
    late = now + 8 * 24 * 60 * MINUTE_MS
    assert live_clone(original, late) is None, "a clone that has been silent for a week was ended"
    say(clone, parting(clone.origin, identity("tablet").device_id), now_ms=now)
    sync(clone, phone, now)
    sync(original, phone, now)
    assert live_clone(original, now) is None, "it has become a device of its own, and said so"
    for core in (original, clone):
        core.store.connection.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("days", [-30, 365])
def test_a_device_whose_clock_was_stepped_is_not_told_that_it_has_a_clone(days: int) -> None:
    """What it wrote before is its own past, whatever its clock said then or says now."""
    laptop, stepped = core_of("laptop"), NOW_MS + days * 24 * 60 * MINUTE_MS
    for now in (NOW_MS, stepped, NOW_MS + MINUTE_MS, NOW_MS + 2 * MINUTE_MS):
        laptop.begin(now)
        remember(laptop, f"written at {now}", now_ms=now)
        assert live_clone(laptop, now) is None
    assert [incident.why for incident in laptop.incidents] == [ChainEvent.CLOCK], (
        "of the two steps one is back"
    )
    assert verify_replica(laptop).ok


@pytest.mark.parametrize("days", [2, 365, 27_000], ids=lambda days: f"{days} days")
@pytest.mark.parametrize("copied", ["a key in another store", "a machine, log and all"])
def test_a_clone_is_seen_though_the_clock_once_leapt(days: int, copied: str) -> None:
    """A minute of a wrong year hid a clone for that year: what it wrote seemed older than the device's own."""
    phone = core_of("phone")
    acquaint(phone, "phone", "laptop")
    laptop = core_of("laptop", SqliteStore(connect(":memory:")))
    acquaint(laptop, "laptop", "phone")
    remember(laptop, "before")
    sync(laptop, phone)
    disk = connect(":memory:")
    if copied == "a machine, log and all":
        laptop.store.connection.backup(disk)  # type: ignore[attr-defined]
        clone = core_of("laptop", SqliteStore(disk), seed="clone")
    else:
        clone = core_of("laptop", seed="clone")
        acquaint(clone, "laptop", "phone")
        sync(clone, phone)
    for now in (NOW_MS + days * DAY_MS, NOW_MS + MINUTE_MS):
        laptop.begin(now)
        remember(laptop, f"written at {now}", now_ms=now)
        assert live_clone(laptop, now) is None
    laptop = core_of("laptop", laptop.store, seed="opened again")
    for day in (4, 30, 200):
        now = NOW_MS + day * DAY_MS
        assert live_clone(laptop, now) is None, "what it wrote last was told a week ago"
        for _ in range(3):  # who hears of itself begins anew, and knows more once it has written
            for each, name in ((clone, "clone"), (laptop, "laptop")):
                now += MINUTE_MS
                each.begin(now)
                remember(each, f"by the {name} at {now}", now_ms=now)
                sync(each, phone, now)
        sync(clone, phone, now)
        found = [live_clone(each, now) for each in (laptop, clone)]
        assert sorted(each.is_original for each in found if each) == [False, True], "one of them is told"
    disk.close()
    laptop.store.connection.close()  # type: ignore[attr-defined]


def test_a_restored_device_without_a_clone_is_not_told_to_part() -> None:
    phone, laptop = core_of("phone"), core_of("laptop", SqliteStore(connect(":memory:")))
    acquaint(phone, "phone", "laptop")
    acquaint(laptop, "laptop", "phone")
    remember(laptop, "before the backup")
    disk = connect(":memory:")
    laptop.store.connection.backup(disk)  # type: ignore[attr-defined]
    remember(laptop, "after the backup", now_ms=NOW_MS + MINUTE_MS)
    sync(laptop, phone, NOW_MS + MINUTE_MS)
    laptop.store.connection.close()  # type: ignore[attr-defined]
    restored = core_of("laptop", SqliteStore(disk), seed="restored")
    later = NOW_MS + 2 * MINUTE_MS
    sync(restored, phone, later)
    assert [incident.why for incident in restored.incidents] == [ChainEvent.ECHO]
    remember(restored, "written on", now_ms=later)
    sync(restored, phone, later)
    assert live_clone(restored, later) is None
    assert live_clone(phone, later) is None
    assert "after the backup" in texts(restored)
    restored.store.connection.close()  # type: ignore[attr-defined]
