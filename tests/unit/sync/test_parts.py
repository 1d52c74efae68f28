"""How a snapshot is cut, and what of it is told and taken on one link."""

import dataclasses

import pytest

from sync.errors import RemoteProtocolError
from sync.parts import Incoming, parts_of
from tests.support.replicas import group


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


@pytest.mark.parametrize("how", [{"digest": b"d" * 32}, {"count": 4}, {"index": 2}])
def test_a_part_of_another_snapshot_does_not_go_on_with_one_that_is_coming(how: dict[str, object]) -> None:
    laptop, phone = group("laptop", "phone")
    first, second, _ = parts_of(bytes(300), part_bytes=100)
    link = Incoming(phone, laptop.device)
    link.take(first)
    with pytest.raises(RemoteProtocolError, match="expected part 1"):
        link.take(dataclasses.replace(second, **how))  # type: ignore[arg-type]
