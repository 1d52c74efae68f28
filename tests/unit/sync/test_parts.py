"""How a snapshot is cut, and what of it is told and taken on one link."""

import dataclasses

import pytest

from replica.compaction import compact
from replica.core import Core
from replica.ids import Origin
from replica.outbox import Outbox
from replica.snapshot import make_snapshot
from sync.errors import RemoteProtocolError
from sync.parts import Incoming, Leaving, parts_of
from sync.wire.messages import Base, Refused
from tests.support.replicas import NOW_MS, group, remember


@pytest.mark.parametrize(("size", "count"), [(1, 1), (99, 1), (100, 1), (101, 2), (400, 4), (401, 5)])
def test_a_snapshot_is_cut_into_as_many_parts_as_it_fills(size: int, count: int) -> None:
    snapshot = bytes(n % 251 for n in range(size))
    parts = [*parts_of(snapshot, part_bytes=100)]
    assert [(part.index, part.count) for part in parts] == [(n, count) for n in range(count)]
    assert b"".join(part.part for part in parts) == snapshot


def test_what_has_come_is_told_once_a_link() -> None:
    laptop, phone = group("laptop", "phone")
    first, second, _ = parts_of(bytes(300), part_bytes=100)
    Incoming(phone, laptop.device).take(first)
    link = Incoming(phone, laptop.device)
    told = link.tell()
    assert told is not None
    assert told.parts == [first.part]
    assert link.tell() is None
    link.take(second)
    assert link.tell() is None


def test_parts_lie_in_the_store_alone_once_the_whole_is_there() -> None:
    """Beside the whole they took as much memory again, for as long as that was taken in."""
    laptop, phone = group("laptop", "phone")
    *before, last = parts_of(bytes(300), part_bytes=100)
    link = Incoming(phone, laptop.device)
    assert [link.take(part) for part in (*before, last)] == [None, None, bytes(300)]
    assert (phone.partials, link.is_under_way) == ({}, False)
    told = Incoming(phone, laptop.device).tell()
    assert told is not None, "who could not take it in goes on behind them"
    assert told.parts == [part.part for part in before]


@pytest.mark.parametrize("how", [{"digest": b"d" * 32}, {"count": 4}, {"index": 2}])
def test_a_part_of_another_snapshot_does_not_go_on_with_one_that_is_coming(how: dict[str, object]) -> None:
    laptop, phone = group("laptop", "phone")
    first, second, _ = parts_of(bytes(300), part_bytes=100)
    link = Incoming(phone, laptop.device)
    link.take(first)
    with pytest.raises(RemoteProtocolError, match="expected part 1"):
        link.take(dataclasses.replace(second, **how))  # type: ignore[arg-type]


def test_a_snapshot_that_was_left_may_begin_anew() -> None:
    laptop, phone = group("laptop", "phone")
    first, second, last = parts_of(bytes(300), part_bytes=100)
    why = refused(laptop, gap=True)
    link = Incoming(phone, laptop.device)
    link.take(first)
    link.leave(second, why)
    assert [link.is_left(part) for part in (first, second, last)] == [False, True, True]
    assert [link.answer_to_left(part) for part in (second, last)] == [(), why]
    assert [link.take(part) for part in (first, second, last)] == [None, None, bytes(300)]


@pytest.mark.parametrize("held", [3, 4, 99])
def test_the_last_part_is_sent_though_the_peer_says_it_holds_all_of_them(held: int) -> None:
    """What it is told with it may be all that it waits for, and it may say what it likes."""
    laptop = with_base()
    digest = in_four(make_snapshot(laptop))[0].digest
    leaving = Leaving(laptop, in_four)
    leaving.resume_at(digest, held)
    part, _ = leaving.next_part(Outbox({}))
    assert part.index == 3
    assert not leaving.is_under_way


@pytest.mark.parametrize("gap", [True, False])
def test_a_snapshot_that_there_was_no_room_for_is_sent_again_when_the_peer_asks(gap: bool) -> None:
    """One that was refused for good is not."""
    laptop = with_base()
    leaving = Leaving(laptop, in_four)
    leaving.next_part(Outbox({}))
    leaving.answered(refused(laptop, gap=gap))
    again = Outbox({})
    again.leave_out(leaving.reaches, refused=leaving.was_refused)
    assert again.lacks_base(laptop) == gap
    assert leaving.was_refused != gap


def with_base() -> Core:
    (laptop,) = group("laptop")
    remember(laptop, "the key is under the mat")
    compact(laptop, NOW_MS)
    return laptop


def in_four(snapshot: bytes) -> list[Base]:
    return [*parts_of(snapshot, part_bytes=-(-len(snapshot) // 4))]


def refused(core: Core, *, gap: bool) -> tuple[Refused, ...]:
    return (Refused(Origin(core.device, bytes(8)), 0, "no room", gap=gap),)
