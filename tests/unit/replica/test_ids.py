import uuid
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica.errors import ClockDrift
from replica.ids import (
    derived_memory_id,
    device_id,
    new_memory_id,
    new_origin,
    op_uuid,
    parse_memory_id,
    show_memory_id,
)
from tests.support.published import published

MS = st.integers(0, 2**48 - 1)


@published("YD-07")
@given(early=MS, late=MS)
def test_memory_ids_are_uuids_of_version_7_that_sort_by_time(early: int, late: int) -> None:
    ids = [new_memory_id(ms, Random(ms)) for ms in sorted({early, late})]
    assert ids == sorted(ids)
    for rid in ids:
        read = uuid.UUID(bytes=rid)
        assert (read.version, read.variant) == (7, uuid.RFC_4122)
        assert parse_memory_id(show_memory_id(rid)) == rid


@pytest.mark.parametrize(("ms", "year"), [(-1, 1969), (2**48, 10889), (2**60, 36_536_598)])
def test_a_clock_that_no_id_has_room_for_is_to_be_set(ms: int, year: int) -> None:
    with pytest.raises(ClockDrift, match=f"it shows the year {year}: set the clock"):
        new_memory_id(ms, Random(0))


@given(st.binary(min_size=16, max_size=16))
def test_an_id_is_read_in_whatever_way_a_uuid_is_written(rid: bytes) -> None:
    whole = uuid.UUID(bytes=rid)
    for text in (f"{whole}", f"{whole}".upper(), whole.hex, whole.urn, f"{{{whole}}}"):
        assert parse_memory_id(text) == rid


def test_two_memories_of_one_millisecond_have_two_ids() -> None:
    random = Random(1)
    assert len({new_memory_id(5, random) for _ in range(1_000)}) == 1_000


def test_an_importer_derives_one_id_for_one_item_wherever_it_runs() -> None:
    assert derived_memory_id("notes.md", "7") == derived_memory_id("notes.md", "7")
    assert derived_memory_id("notes.md", "7") != derived_memory_id("notes.md", "8")
    assert uuid.UUID(bytes=derived_memory_id("notes.md", "7")).version == 8


@published("YD-50")
def test_an_op_is_shown_under_a_uuid_of_version_7_made_of_its_stamp_and_hash() -> None:
    shown = op_uuid(bytes(range(32)), 1_700_000_000_000 << 16)
    assert shown.version == 7
    assert shown.int >> 80 == 1_700_000_000_000
    assert shown != op_uuid(bytes(32), 1_700_000_000_000 << 16)


def test_a_device_is_the_hash_of_its_key() -> None:
    assert device_id(b"k" * 32) == sha256(b"k" * 32).digest()
    assert len(device_id(b"k" * 32)) == 32
    assert device_id(b"k" * 32) != device_id(b"l" * 32)


def test_two_restores_of_one_backup_are_two_origins() -> None:
    device = device_id(b"k" * 32)
    random = Random(1)
    assert new_origin(device, random) != new_origin(device, random)


@pytest.mark.parametrize("text", ["", "01890a5d", "not-an-id", "01890a5d-ac96-774b-bcce-b302099a805"])
def test_what_is_no_whole_id_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="expected a memory id such as"):
        parse_memory_id(text)
