"""A store that was copied, restored or rolled back finds out when it is opened, and meets what it had forgotten."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from replica.core import Core
from replica.incarnations import INCIDENTS_MAX, ChainEvent, Incident, Opened, Twin, judge, pardoned
from replica.membership import introduce, name_root, revoke
from replica.missing import missing
from replica.ops import Erase
from replica.rollback_guard import RollbackGuard
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.links import identity
from tests.support.replicas import DAY_MS, NOW_MS, acquaint, agree, core_of, remember, say, sync, texts

MINUTE_MS = 60_000


@contextmanager
def open_store(path: Path, outside: Path, *, now_ms: int = NOW_MS) -> Iterator[tuple[Core, RollbackGuard]]:
    """Open laptop's store as a device does."""
    connection = connect(str(path))
    core = core_of("laptop", SqliteStore(connection), seed=f"{path} {os.urandom(4).hex()}")
    beside = RollbackGuard(outside, core.device, path)
    beside.open(core, Random(), now_ms)
    try:
        yield core, beside
    finally:
        beside.note(core)
        connection.close()


def whys(core: Core) -> list[ChainEvent]:
    """What happened to a device, in order."""
    return [incident.why for incident in core.incidents]


def test_ten_openings_are_one_origin(tmp_path: Path) -> None:
    origins = set()
    for n in range(10):
        with open_store(tmp_path / "a.db", tmp_path / "outside") as (core, _):
            remember(core, f"note {n}")
            origins.add(core.origin)
            assert whys(core) == []
    assert len(origins) == 1


def test_a_backup_that_is_put_back_starts_a_new_incarnation_before_it_writes(tmp_path: Path) -> None:
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    with open_store(store, outside) as (core, _):
        remember(core, "before the backup")
        first = core.origin
    shutil.copy(store, tmp_path / "backup")
    for n in range(2):  # of the last opening but one it cannot be told from a store that lost the last one
        with open_store(store, outside) as (core, _):
            remember(core, f"after the backup {n}")
            assert core.origin == first
    shutil.copy(tmp_path / "backup", store)
    with open_store(store, outside) as (core, _):
        assert core.origin != first
        assert whys(core) == [ChainEvent.COPIED]
        remember(core, "on the backup")
        assert verify_replica(core).ok
    with open_store(store, outside) as (core, _):
        assert whys(core) == [ChainEvent.COPIED], "once"


def test_a_copy_at_another_path_goes_its_own_way_and_the_original_goes_on(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    with open_store(tmp_path / "a.db", outside) as (core, _):
        remember(core, "shared")
        first = core.origin
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    for _ in range(2):
        with open_store(tmp_path / "b.db", outside, now_ms=NOW_MS + MINUTE_MS) as (copy, beside):
            assert copy.origin != first
            assert whys(copy) == [ChainEvent.COPIED]
            (sibling,) = beside.siblings()
            assert sibling.store == tmp_path / "a.db"
            assert sibling.began_ms < copy.began_ms
        with open_store(tmp_path / "a.db", outside) as (core, _):
            assert core.origin == first


def test_a_disk_that_was_rolled_back_while_a_daemon_ran_is_found_out(tmp_path: Path) -> None:
    """The nonce is that of the opening, but the twin knows that the store had come further."""
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    with open_store(store, outside) as (core, beside):
        remember(core, "early")
        core.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[attr-defined]
        shutil.copy(store, tmp_path / "image")
        remember(core, "late")
        beside.note(core)
        first = core.origin
    shutil.copy(tmp_path / "image", store)
    with open_store(store, outside) as (core, _):
        assert core.origin != first
        assert whys(core) == [ChainEvent.ROLLED_BACK]


def test_a_crash_between_the_two_writes_costs_nothing() -> None:
    opened = Opened(b"before", b"now")

    def twin(nonce: bytes, incarnation: bytes, seq: int) -> Twin:
        return Twin(b"before that one", nonce, incarnation, seq)

    assert judge(opened, b"i", 3, twin(b"before", b"i", 3)) is None
    assert judge(opened, b"i", 3, twin(b"now", b"i", 3)) is None
    assert judge(opened, b"i", 3, twin(b"now", b"i", 2)) is None, "what is behind is the twin, not the store"
    assert judge(opened, b"i", 3, twin(b"now", b"i", 4)) is ChainEvent.ROLLED_BACK
    assert judge(opened, b"i", 3, twin(b"now", b"j", 0)) is ChainEvent.ROLLED_BACK
    assert judge(opened, b"i", 3, twin(b"now", b"j", 2)) is None, (
        "an incarnation began, and the twin was not told"
    )
    assert judge(opened, b"i", 3, twin(b"later", b"i", 3)) is ChainEvent.COPIED
    assert judge(opened, b"i", 3, Twin(b"now", b"later", b"i", 4)) is ChainEvent.ROLLED_BACK, (
        "the last opening is lost whole"
    )
    assert judge(opened, b"i", 3, None) is ChainEvent.COPIED
    assert judge(None, b"i", 0, None) is None
    assert judge(None, b"i", 0, twin(b"now", b"j", 3)) is ChainEvent.ROLLED_BACK, (
        "nothing is left of the store"
    )
    assert judge(None, b"i", 3, twin(b"now", b"j", 3)) is None


def killed_with_damage(store: Path, outside: Path, cut: float) -> int:
    """Be killed after five commits, and lose the end of the log beside the store; return how many are left."""
    with open_store(store, outside) as (core, beside):
        for n in range(5):
            remember(core, f"note {n}")
            beside.note(core)
        left = {name: (store.parent / name).read_bytes() for name in (store.name, f"{store.name}-wal")}
    wal = f"{store.name}-wal"
    at = int(len(left[wal]) * cut)
    left[wal] = left[wal][:at] + bytes([left[wal][at] ^ 1]) + left[wal][at + 1 :]
    (store.parent / f"{store.name}-shm").unlink(missing_ok=True)
    for name, data in left.items():
        (store.parent / name).write_bytes(data)
    with open_store(store, outside) as (core, _):
        return len(texts(core))


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.6, 0.9])
def test_bits_that_flip_in_the_log_of_a_killed_store_are_told_by_verify(tmp_path: Path, cut: float) -> None:
    """SQLite takes the log to end where its checksums do; `verify` said that all was well."""
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    left = killed_with_damage(store, outside, cut)
    assert left < 5
    with open_store(store, outside) as (core, _):
        assert whys(core) == [ChainEvent.ROLLED_BACK]
        (problem,) = verify_replica(core).problems
        assert problem.startswith(f"this device misses {5 - left} of its 5 writes: ")
        core.incidents = pardoned(core.incidents)
        assert verify_replica(core).ok


def test_a_store_that_is_killed_before_its_new_incarnation_is_noted_goes_on(tmp_path: Path) -> None:
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    with open_store(store, outside) as (core, beside):
        remember(core, "by the first")
        beside.note(core)
        (told,) = outside.rglob("twin-*")
        twin = told.read_bytes()
        core.incarnate(ChainEvent.CLOCK, NOW_MS)
        remember(core, "by the second")
        second = core.origin
    told.write_bytes(twin)
    with open_store(store, outside) as (core, _):
        assert whys(core) == [ChainEvent.CLOCK]
        assert core.origin == second
        assert verify_replica(core).ok


def test_a_twin_that_could_not_be_written_is_written_with_the_next_look(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db", tmp_path / "outside") as (core, beside):
        (told,) = (tmp_path / "outside").rglob("twin-*")
        remember(core, "a note")
        aside = told.rename(tmp_path / "aside")
        beside.note(core)
        before = aside.read_bytes()
        aside.rename(told)
        beside.note(core)
        assert told.read_bytes() != before


def test_that_writes_are_missing_outlasts_whatever_happens_later() -> None:
    core = core_of("laptop")
    lost = Incident(NOW_MS, ChainEvent.ROLLED_BACK, core.device, bytes(8), 7)
    core.incidents = [lost]
    for n in range(2 * INCIDENTS_MAX):
        core.note(ChainEvent.BRANCH, core.device, NOW_MS + n)
    assert core.incidents[0] == lost
    assert len(core.incidents) == INCIDENTS_MAX + 1
    assert [each.seq for each in missing(core)] == [7]


def test_what_a_damaged_log_lost_is_missing_until_a_peer_brings_it_back(tmp_path: Path) -> None:
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    phone = core_of("phone")
    acquaint(phone, "phone", "laptop")
    with open_store(store, outside) as (core, beside):
        acquaint(core, "laptop", "phone")
        for n in range(5):
            remember(core, f"note {n}")
            beside.note(core)
        sync(core, phone)
        image = {path.name: path.read_bytes() for path in tmp_path.glob("a.db*")}
    written = image["a.db-wal"].rstrip(b"\0")  # behind it is room for what is written next
    image["a.db-wal"] = written[: len(written) // 2]
    for name, data in image.items():
        (tmp_path / name).write_bytes(data)
    with open_store(store, outside) as (core, _):
        acquaint(core, "laptop", "phone")
        remember(core, "and on")
        assert not verify_replica(core).ok
        sync(core, phone)
        assert len(texts(core)) == 6
        assert agree(core, phone)
        assert verify_replica(core).ok


@pytest.mark.parametrize("clones", [3, 9])
def test_a_clone_that_wrote_as_much_as_was_lost_hides_nothing(tmp_path: Path, clones: int) -> None:
    """The disk is rolled back to two notes of five; a clone of it writes on, meets the phone, and is told of here."""
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    phone, tablet = core_of("phone"), core_of("tablet")
    for core, name in ((phone, "phone"), (tablet, "tablet")):
        acquaint(core, name, "laptop", "phone", "tablet")
    with open_store(store, outside) as (core, beside):
        acquaint(core, "laptop", "phone", "tablet")
        remember(core, "note 0")
        remember(core, "note 1")
        core.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[attr-defined]
        for copy in ("image", "clone.db"):
            shutil.copy(store, tmp_path / copy)
        for n in range(2, 5):
            remember(core, f"note {n}")
            beside.note(core)
        sync(core, tablet)
        first = core.origin
    clone = core_of("laptop", SqliteStore(connect(str(tmp_path / "clone.db"))), seed="clone")
    for n in range(clones):
        remember(clone, f"by the clone {n}", now_ms=NOW_MS + n)
    sync(clone, phone)
    shutil.copy(tmp_path / "image", store)
    with open_store(store, outside) as (core, _):
        assert core.origin != first
        sync(core, phone)
        assert len(texts(core)) == 2 + clones
        (problem,) = verify_replica(core).problems
        assert problem.startswith("this device misses 1 of its 5 writes: ")
        sync(core, tablet)
        assert len(texts(core)) == 5 + clones
        assert verify_replica(core).ok


def test_where_nothing_can_be_kept_outside_every_opening_is_the_same_origin(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("a file where the folder should be")
    origins = set()
    for _ in range(3):
        with open_store(tmp_path / "a.db", tmp_path / "outside") as (core, beside):
            origins.add(core.origin)
            assert beside.siblings() == []
    assert len(origins) == 1


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"\x93\x01\x02\x03", b"\x92\x90\x91\x01"])
def test_a_damaged_file_outside_counts_as_missing(tmp_path: Path, damage: bytes) -> None:
    with open_store(tmp_path / "a.db", tmp_path / "outside") as (core, _):
        first = core.origin
        say(core, Erase((remember(core, "x")[0],)))
    for path in (tmp_path / "outside").rglob("*"):
        if path.is_file():
            path.write_bytes(damage)
    with open_store(tmp_path / "a.db", tmp_path / "outside") as (core, _):
        assert core.origin != first
        assert len(core.proofs) == 1


def test_a_backup_from_before_meets_the_revocation_and_the_erasure_before_it_meets_anybody(
    tmp_path: Path,
) -> None:
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    phone = core_of("phone")
    acquaint(phone, "phone", "laptop")
    with open_store(store, outside) as (core, beside):
        acquaint(core, "laptop", "phone", "tablet")
        (rid,) = remember(core, "an unspeakable word")
    shutil.copy(store, tmp_path / "backup")
    with open_store(store, outside) as (core, beside):
        say(core, Erase((rid,)))
        out = revoke(identity("phone").sign, phone.device, identity("tablet").device_id)
        core.learn([], [out])
        beside.share(core, NOW_MS)
    shutil.copy(tmp_path / "backup", store)
    with open_store(store, outside) as (core, _):
        assert identity("tablet").device_id in core.membership.revoked
        assert core.erased == {rid}
        assert texts(core) == set()
        assert all(row.payload is None for row in core.store.memory_rows(rid))


def test_a_backup_meets_an_erasure_that_came_alone_and_a_copy_that_is_gone_is_told_no_more(
    tmp_path: Path,
) -> None:
    store, copy, outside = tmp_path / "a.db", tmp_path / "b.db", tmp_path / "outside"
    with open_store(store, outside) as (core, _):
        (rid,) = remember(core, "an unspeakable word")
    shutil.copy(store, copy)
    with open_store(store, outside) as (core, beside):
        say(core, Erase((rid,)))
        beside.share(core, NOW_MS)
    with open_store(copy, outside) as (core, beside):
        assert core.erased == {rid}
        assert [sibling.store for sibling in beside.siblings()] == [store]
        store.unlink()
        assert beside.siblings() == []


def test_what_a_kill_leaves_is_written_over_and_is_no_sibling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A twin that was written and had no name yet said that this very store lay elsewhere under the same key."""
    store, outside = tmp_path / "a.db", tmp_path / "outside"

    def killed(scratch: Path, target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("replica.rollback_guard.replace_file", killed)
        with pytest.raises(KeyboardInterrupt):
            open_store(store, outside).__enter__()
    (left,) = (each for each in outside.rglob("*") if each.is_file())
    shutil.copy(left, left.with_name(f"twin-{'0' * 32}.4711"))  # as an earlier version called it
    with open_store(store, outside) as (core, beside):
        assert beside.siblings() == []
        assert not left.exists()
        assert remember(core, "goes on")


def test_what_cannot_be_believed_yet_is_kept_until_it_can(tmp_path: Path) -> None:
    """The backup does not know the member who revoked; it learns of him later."""
    outside = tmp_path / "outside"
    with open_store(tmp_path / "a.db", outside):
        pass
    shutil.copy(tmp_path / "a.db", tmp_path / "backup")
    with open_store(tmp_path / "a.db", outside) as (core, beside):
        acquaint(core, "laptop", "phone", "tablet")
        core.learn(
            [], [revoke(identity("phone").sign, identity("phone").device_id, identity("tablet").device_id)]
        )
        beside.share(core, NOW_MS)
    shutil.copy(tmp_path / "backup", tmp_path / "a.db")
    with open_store(tmp_path / "a.db", outside) as (core, beside):
        assert not core.membership.revoked
        acquaint(core, "laptop", "phone", "tablet")
        beside.share(core, NOW_MS)
        assert core.membership.revoked


def test_an_original_whose_clock_leapt_is_not_the_copy(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    with open_store(tmp_path / "a.db", outside) as (core, _):
        remember(core, "shared")
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    with open_store(tmp_path / "b.db", outside, now_ms=NOW_MS + MINUTE_MS) as (copy, _):
        remember(copy, "by the copy", now_ms=NOW_MS + MINUTE_MS)
    for now in (NOW_MS + 365 * DAY_MS, NOW_MS + 2 * MINUTE_MS):
        with open_store(tmp_path / "a.db", outside, now_ms=now) as (core, beside):
            remember(core, f"written at {now}", now_ms=now)
            (sibling,) = beside.siblings()
            assert core.began_ms < sibling.began_ms
    assert whys(core) == [ChainEvent.CLOCK]


def test_a_backup_from_before_the_recovery_code_follows_it_and_knows_whom_it_revoked(tmp_path: Path) -> None:
    store, outside = tmp_path / "a.db", tmp_path / "outside"
    laptop, code = identity("laptop"), identity("code")
    own = name_root(laptop.sign, laptop.device_id, public_key=laptop.public_key, name="laptop")
    with open_store(store, outside) as (core, _):
        core.follow(own)
        acquaint(core, "laptop", "phone", "tablet")
    shutil.copy(store, tmp_path / "backup")
    with open_store(store, outside) as (core, beside):
        core.learn(
            [
                name_root(code.sign, code.device_id, public_key=code.public_key, name="code"),
                name_root(laptop.sign, laptop.device_id, public_key=code.public_key, name="code"),
                introduce(
                    code.sign,
                    code.device_id,
                    public_key=laptop.public_key,
                    certificate=laptop.certificate,
                    name="laptop",
                ),
            ],
            [revoke(code.sign, code.device_id, identity("tablet").device_id)],
        )
        beside.share(core, NOW_MS)
        assert core.membership.root == code.device_id
    shutil.copy(tmp_path / "backup", store)
    with open_store(store, outside) as (core, _):
        assert core.membership.root == code.device_id
        assert identity("tablet").device_id in core.membership.judgment.revoked_by
        assert core.device in core.membership.standing
