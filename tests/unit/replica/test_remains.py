"""What stays of deletions and edits whose ops left the log, in one frame for each run of ops."""

import pytest

import replica.frame
from replica.compaction import compact
from replica.core import Core
from replica.frame import decode_frame
from replica.oplog import Changes, LogRow
from replica.ops import Erase, Forget, OpKind, Write
from replica.remains import joined, remains_of, without_edits
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.storage.memory_store import MemoryStore
from replica.zstd import stated_size
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    MakeStore,
    edit,
    group,
    remember,
    rows_of,
    say,
    sqlite_store,
    sync,
    texts,
    unproven_texts,
)


def parts() -> tuple[bytes, bytes, list[LogRow], Core]:
    """Remains of two parts of one run, which is signed at its end: of an edit, and of a deletion."""
    laptop, phone = group("laptop", "phone")
    draft, other = remember(laptop, "draft", "other")
    edit(laptop, draft, "edited draft")
    say(laptop, Forget((other,)))
    remember(laptop, "last")
    sync(laptop, phone)
    rows = rows_of(phone)
    assert [row.signature is not None for row in rows] == [False, False, False, False, True]
    ((_, first),) = remains_of(phone.feeds, rows[:3], (), beyond=rows[3:])
    ((_, second),) = remains_of(phone.feeds, rows[3:], ())
    return first, second, rows, phone


def said(frame: bytes) -> list[tuple[OpKind, bool]]:
    return [(OpKind(op.kind), op.payload is not None) for op in decode_frame(frame).ops]


def test_two_parts_of_one_run_are_joined_in_any_order_to_what_it_would_be_at_once() -> None:
    first, second, rows, phone = parts()
    assert said(first) == [(OpKind.EDIT, True), (OpKind.FORGET, False), (OpKind.REMEMBER, False)]
    assert said(second) == [(OpKind.FORGET, True), (OpKind.REMEMBER, False)]
    ((_, whole),) = remains_of(phone.feeds, rows, ())
    assert joined(first, second) == joined(second, first) == whole
    assert joined(whole, second) == joined(first, whole) == joined(whole, whole) == whole


def test_what_is_held_stays_where_both_parts_are_too_large_for_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, _, _ = parts()
    size = stated_size(joined(first, second))
    assert size is not None
    monkeypatch.setattr(replica.frame, "FRAME_BYTES_MAX", size - 1)
    assert joined(first, second) == first
    assert joined(second, first) == second


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_words_that_were_erased_here_come_back_with_no_frame_of_another(make_store: MakeStore) -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet", make_store=make_store)
    draft, other = remember(laptop, "draft", "other")
    laptop.commit([*laptop.edits_of(draft, "edited draft"), Write(Forget((other,)))], NOW_MS)
    sync(laptop, phone)
    remember(tablet, "new to the phone")
    sync(laptop, tablet)
    later = NOW_MS + 100 * DAY_MS  # nobody is waited for any more
    compact(laptop, later)
    compact(phone, later)
    say(phone, Erase((draft,)))
    assert [b"edited" in data for core in (laptop, phone) for data in core.store.remains()] == [True, False]
    assert absorb(phone, read_snapshot(make_snapshot(laptop), phone), later)
    assert texts(phone) == {"new to the phone"}
    assert [b"edited" in data for data in phone.store.remains()] == [False]


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
@pytest.mark.parametrize("partly", [False, True])
def test_a_device_that_lost_a_proof_has_it_again_by_the_next_base_of_one_that_has_it(
    make_store: MakeStore, *, partly: bool
) -> None:
    """So devices heal that an earlier version left without."""
    laptop, phone = group("laptop", "phone", make_store=make_store)
    draft, other = remember(laptop, "draft", "other")
    laptop.commit([*laptop.edits_of(draft, "edited draft"), Write(Forget((other,)))], NOW_MS)
    later = NOW_MS + 100 * DAY_MS  # nobody is waited for any more
    compact(laptop, later)
    assert absorb(phone, read_snapshot(make_snapshot(laptop), phone), later)
    (whole,) = phone.store.remains()
    lost = without_edits([whole], {draft}) if partly else [(decode_frame(whole).ops[-1].id, None)]
    phone.write(Changes(remains_cut=list(lost)), later)
    assert unproven_texts(phone) == {draft}
    remember(laptop, "news", now_ms=later)
    compact(laptop, later + 100 * DAY_MS)
    assert absorb(phone, read_snapshot(make_snapshot(laptop), phone), later + 100 * DAY_MS)
    assert unproven_texts(phone) == set()
    assert phone.store.remains() == [whole]
