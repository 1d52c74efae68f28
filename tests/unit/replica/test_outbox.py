"""What leaves, in which frames: signed ends, bounded sizes, and the same again from a relay."""

from random import Random

import pytest

import replica.outbox
from replica import ops
from replica.core import Core
from replica.frame import Frame, encode_frame
from replica.ids import MemoryId, new_memory_id
from replica.limits import FRAME_BYTES_MAX, FRAME_OPS_TARGET, REFUSALS_SAID_MAX
from replica.ops import Remember, Write
from replica.outbox import Outbox
from replica.signing import verify_commit
from replica.storage.store import SqliteStore
from tests.support.replicas import NOW_MS, Hand, agree, carry, group, remember, sqlite_store, sync, take


def frames(core: Core, outbox: Outbox | None = None) -> list[Frame]:
    box = outbox or Outbox({})
    found = []
    while (frame := box.next_frame(core)) is not None:
        found.append(carry(frame))
        assert len(found) < 1_000
    return found


def well_made(core: Core, frame: Frame) -> bool:
    """Every segment ends at the end of a commit, under its author's signature."""
    last = {at: op for op, at in zip(frame.ops, frame.segment_of, strict=True)}
    return len(last) == len(frame.segments) and all(
        op.ends
        and verify_commit(
            core.membership.public_key(op.origin.device) or b"", op.id, frame.segments[at].signature
        )
        for at, op in last.items()
    )


def forget(n: int) -> Write:
    return Write(ops.Forget((MemoryId(n.to_bytes(16)),)))


def test_an_empty_log_sends_nothing() -> None:
    (core,) = group("ann")
    assert frames(core) == []
    assert Outbox({}).is_empty(core)


def test_ops_leave_in_the_order_in_which_they_were_committed() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    remember(ben, "two")
    sync(ann, ben)
    remember(ann, "three")
    (frame,) = frames(ann)
    assert [op.id for op in frame.ops] == [row.id for row in ann.store.rows()]
    assert well_made(ann, frame)


def test_a_long_log_leaves_in_frames_that_grow_to_about_the_target() -> None:
    """Whoever takes them begins with the first while the next is made."""
    (core,) = group("ann")
    for start in range(0, 3 * FRAME_OPS_TARGET, 100):
        core.commit([forget(n) for n in range(start, start + 100)], NOW_MS)
    sent = frames(core)
    assert [len(frame.ops) for frame in sent] == [200, 1_500, FRAME_OPS_TARGET, FRAME_OPS_TARGET, 3_300]
    assert all(well_made(core, frame) for frame in sent)


def test_bytes_end_a_frame_too() -> None:
    (core,) = group("ann")
    random = Random(1)
    for _ in range(6):
        text = random.randbytes(1 << 19).hex()
        core.commit([Write(Remember(text, {}), new_memory_id(NOW_MS, random))] * 2, NOW_MS)
    sent = frames(core)
    assert [len(frame.ops) for frame in sent] == [4, 4, 4]
    assert all(len(encode_frame(frame)) < FRAME_BYTES_MAX for frame in sent)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames of four ops, so that a dozen of them show what a hundred thousand would."""
    monkeypatch.setattr(replica.outbox, "FRAME_OPS_TARGET", 4)
    monkeypatch.setattr(replica.outbox, "_FRAME_OPS_CEILING", 8)


@pytest.mark.usefixtures("small")
def test_a_frame_never_ends_inside_a_commit() -> None:
    (core,) = group("ann")
    sizes = [1, 2, 3, 5, 1, 9, 2, 4, 7]
    for size in sizes:
        core.commit([forget(n) for n in range(size)], NOW_MS)
    sent = frames(core)
    assert all(well_made(core, frame) for frame in sent)
    assert sum(len(frame.ops) for frame in sent) == sum(sizes)
    assert max(len(frame.ops) for frame in sent) == 9, "a commit is never cut, and never drags others along"


@pytest.mark.usefixtures("small")
def test_a_relay_passes_on_frames_no_larger_than_it_got_them() -> None:
    """Only the last op of a batch is signed where it arrives, so a relay can cut less finely than the author."""
    ann, ben, cleo = group("ann", "ben", "cleo")
    random = Random(3)
    for n in range(40):
        core = random.choice([ann, ben])
        core.commit([forget(n) for n in range(random.randrange(1, 4))], NOW_MS)
        if n % 5 == 0:
            sync(ann, ben)
    sync(ann, ben)
    largest = max(len(frame.ops) for frame in frames(ann))
    for frame in frames(ann):
        cleo.take(frame, NOW_MS)
    assert agree(ann, cleo)
    again = frames(cleo)
    assert all(well_made(cleo, frame) for frame in again)
    assert max(len(frame.ops) for frame in again) <= max(8, largest)


def test_what_the_other_side_holds_is_left_out_and_so_is_what_it_turns_out_to_hold() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    sync(ann, ben)
    remember(ben, "two")
    remember(ann, "three")
    outbox = Outbox(dict(ann.feeds.held()))
    assert outbox.next_frame(ann) is None
    sync(ann, ben)
    outbox.learn({feed.no: feed.seq for feed in ann.feeds if feed.origin == ben.origin})
    assert outbox.lacking(ann) == 0
    remember(ann, "four")
    assert outbox.lacking(ann) == 1
    (frame,) = frames(ann, outbox)
    assert len(frame.ops) == 1
    assert outbox.is_empty(ann)
    assert outbox.lacking(ann) == 0


def test_what_the_other_side_refused_is_lacking_and_not_sent_again() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one", "two")
    remember(ben, "three")
    sync(ann, ben)
    outbox = Outbox({})
    (frame,) = frames(ann, outbox)
    outbox.answered(ann, outbox.sent, {(ann.origin, 2)})
    assert outbox.lacking(ann) == 2, "of that feed nothing was taken, of the other all"
    assert outbox.is_empty(ann)
    assert frames(ann, outbox) == []
    remember(ann, "four")
    (frame,) = frames(ann, outbox)
    assert len(frame.ops) == 1
    outbox.answered(ann, outbox.sent, {(ann.origin, 3)})
    assert outbox.lacking(ann) == 3
    outbox.learn(ann.feeds.held())
    assert outbox.lacking(ann) == 0, "it came by another way"
    remember(ann, "five")
    assert outbox.lacking(ann) == 1
    frames(ann, outbox)
    assert outbox.lacking(ann) == 0, "what was refused once says nothing of what is on its way now"


def test_where_no_more_refusals_are_said_nothing_counts_as_taken() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    outbox = Outbox({})
    frames(ann, outbox)
    said = [(ben.origin, seq) for seq in range(1, REFUSALS_SAID_MAX + 1)]
    outbox.answered(ann, outbox.sent, said[:-1])
    assert outbox.lacking(ann) == 0
    outbox.answered(ann, outbox.sent, said)
    assert outbox.lacking(ann) == 0, "it is known to be held already"
    outbox = Outbox({})
    frames(ann, outbox)
    outbox.answered(ann, outbox.sent, said)
    assert outbox.lacking(ann) == 1, "it may be one of those that were not said"
    outbox.learn(ann.feeds.held())
    assert outbox.lacking(ann) == 0


def test_what_the_other_side_sent_is_not_read_back() -> None:
    """A log of a hundred thousand ops would be read a second time while it comes."""
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    remember(ann, "one", "two")
    assert isinstance(ben.store, SqliteStore)
    outbox, said = Outbox({}), list[str]()
    ben.store.connection.set_trace_callback(said.append)
    (frame,) = frames(ann)
    take(ben, frame)
    outbox.learn(ben.feeds.held())
    assert outbox.next_frame(ben) is None
    assert outbox.is_empty(ben)
    ben.store.connection.set_trace_callback(None)
    assert any("INSERT INTO op" in each for each in said)
    assert not [each for each in said if "FROM op" in each]


def test_only_what_is_new_leaves_when_the_log_grows() -> None:
    (core,) = group("ann")
    outbox = Outbox({})
    remember(core, "one")
    assert len(frames(core, outbox)) == 1
    assert frames(core, outbox) == []
    remember(core, "two")
    (frame,) = frames(core, outbox)
    assert (len(frame.ops), frame.segments[0].first_seq) == (1, 2)


def test_a_branch_travels_with_what_its_stem_had_seen() -> None:
    """The receiver may hold the op that it leaves in its base only, where no vector is kept."""
    ann, ben = group("ann", "ben")
    (first,) = remember(ann, "seen before the fork")
    hand = Hand("ben")
    root = hand.write(ops.Forget((MemoryId(bytes(16)),)), seen=[next(iter(ann.frontier().heads))])
    clone = hand.fork()
    one, other = hand.write(ops.Propose((first,))), clone.write(ops.Propose((first,)))
    take(ann, hand.frame(root, one))
    take(ann, clone.frame(other))
    branch = next(feed for feed in ann.feeds if feed.parent is not None)
    (frame,) = frames(ann)
    (segment,) = [each for each in frame.segments if each.vector is not None]
    assert (segment.first_seq, segment.prev) == (2, root.id)
    assert {place.origin for place in segment.vector or ()} == {hand.origin, ann.origin}
    assert ann.feeds.vector_at(branch.no, 1) is not None
    sync(ann, ben)
    assert agree(ann, ben)
