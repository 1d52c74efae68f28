"""Keep the signed ops behind deletions and edits when they leave the log, so that nobody has to be believed about them.

What is in a base can be looked at, and what an op added stands there under its place. Two things cannot be told by
looking: that something is gone, and which edits a text was made by. So of the ops that leave the log those that
delete, that take back a proposal or a link, and that edit a memory that lives, stay with the headers from each of
them to the next signed one: a frame of one segment whose other payloads are left out, which anybody checks as any
other. They travel within snapshots; a device that holds a memory or a link lets it go, and lets a text change, for
nothing less. Erasures need none of this: their proofs are kept for ever (`replica.erasure`). What was edited into a
memory goes with it.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from replica.chains import Chains
from replica.codec import decode_payload, payload_hash
from replica.errors import InvalidOp, TooLarge
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import MemoryId, OpId, OpRef
from replica.membership import Membership
from replica.oplog import FoldStatus, LogRow, Remains
from replica.ops import Edit, Forget, Op, OpKind, Unlink, Withdraw
from replica.rows import op_of
from replica.signing import Verify
from replica.state.text import SignedEdit, check_update

_KEPT: Final = (OpKind.FORGET, OpKind.EDIT, OpKind.WITHDRAW, OpKind.UNLINK)


class Proven(NamedTuple):
    """What remains prove: which ops they are of, which memories those deleted, and how they edited others.

    `taken_back`: each op that took proposals or links back, with the ops that had made them.
    """

    places: tuple[OpRef, ...]
    rids: frozenset[MemoryId]
    edits: tuple[tuple[MemoryId, SignedEdit], ...]
    taken_back: tuple[tuple[OpRef, tuple[OpRef, ...]], ...]


@dataclass(slots=True)
class SignedChanges:
    """What remains come to: memories that are deleted, and of ops that are news, how they edited which memories.

    `taken_back`: the ops that made the proposals and links which such ops took back.
    """

    rids: set[bytes]
    edits: dict[bytes, list[SignedEdit]] = field(default_factory=dict)
    taken_back: set[OpRef] = field(default_factory=set)

    def add(self, proof: Proven, is_news: Callable[[OpRef], bool]) -> None:
        """Take in what some of them prove."""
        self.rids |= proof.rids
        for rid, edit in proof.edits:
            if is_news(edit.place):
                self.edits.setdefault(rid, []).append(edit)
        for place, made_by in proof.taken_back:
            if is_news(place):
                self.taken_back.update(made_by)


def remains_of(
    feeds: Chains, rows: Iterable[LogRow], gone: Container[bytes], *, beyond: Sequence[LogRow] = ()
) -> list[Remains]:
    """Return what has to stay of rows that leave the log; of each feed they come in order.

    `gone`: memories that are deleted, of which no edit has to stay. `beyond`: rows that go on where these end, up to
    one that is signed, and do not leave.
    """
    by_feed: dict[int, list[LogRow]] = {}
    for row in rows:
        by_feed.setdefault(row.feed, []).append(row)
    last = {no: of_feed[-1].seq for no, of_feed in by_feed.items()}
    for row in beyond:
        by_feed[row.feed].append(row)
    return [
        _remains(feeds, run, last[no], gone)
        for no, of_feed in by_feed.items()
        for run in _signed_runs(of_feed, last[no], gone)
    ]


def _stays(row: LogRow, last: int, gone: Container[bytes]) -> bool:
    return (
        row.seq <= last
        and row.kind in _KEPT
        and row.status == FoldStatus.FOLDED
        and row.payload is not None
        and (row.kind == OpKind.FORGET or row.rid not in gone)
    )


def _signed_runs(rows: Sequence[LogRow], last: int, gone: Container[bytes]) -> Iterable[list[LogRow]]:
    """Give each run from an op that stays to the next signed op; one that ends unsigned proves nothing."""
    run: list[LogRow] = []
    for row in rows:
        if run and row.seq != run[-1].seq + 1:
            run = []
        if run or _stays(row, last, gone):
            run.append(row)
            if row.signature is not None:
                yield run
                run = []


def _remains(feeds: Chains, rows: Sequence[LogRow], until: int, gone: Container[bytes]) -> Remains:
    first, last = rows[0], rows[-1]
    origin = feeds.origin_of(first.feed)
    prev = None if first.seq == 1 else feeds.id_at(first.feed, first.seq - 1)
    assert last.signature is not None
    ops = [
        op_of(row, origin) if _stays(row, until, gone) else _without_payload(op_of(row, origin))
        for row in rows
    ]
    return _packed(Segment(origin, first.seq, prev, last.signature, None), ops)


def _packed(segment: Segment, ops: Sequence[Op]) -> Remains:
    return Remains(ops[-1].id, encode_frame(Frame((segment,), tuple(ops), (0,) * len(ops))))


def _without_payload(op: Op) -> Op:
    return op if op.payload is None else op._replace(payload=None, payload_hash=payload_hash(op.payload))


def without_edits(frames: Iterable[bytes], gone: Container[bytes]) -> Iterator[tuple[OpId, bytes | None]]:
    """Give anew those remains that edit memories which are gone: without the words, or None if nothing else stays."""
    for data in frames:
        frame = decode_frame(data)
        ops = [_without_payload(op) if op.kind == OpKind.EDIT and op.rid in gone else op for op in frame.ops]
        if any(
            op.payload is None and before.payload is not None
            for op, before in zip(ops, frame.ops, strict=True)
        ):
            says = any(op.payload is not None for op in ops)
            yield ops[-1].id, _packed(frame.segments[0], ops).frame if says else None


def joined(one: bytes, other: bytes) -> bytes:
    """Return one frame for two remains that end at the same op, with each payload that either has.

    So it is where a base ends between an op and the next signed one: the rest of that run leaves the log later, and is
    named by the same signed op. `one` as it is where both together are larger than a frame may be.
    """
    if one == other:
        return one
    shorter, longer = sorted((decode_frame(one), decode_frame(other)), key=lambda frame: len(frame.ops))
    before = len(longer.ops) - len(shorter.ops)  # as the last op is the same, so is each before it
    common = zip(longer.ops[before:], shorter.ops, strict=True)
    ops = [*longer.ops[:before], *(same if op.payload is None else op for op, same in common)]
    try:
        return _packed(longer.segments[0], ops).frame
    except TooLarge:  # a member handed over headers without end
        return one


def read_remains(data: object, membership: Membership, verify: Verify) -> tuple[Remains, Proven]:
    """Return remains that a member handed over, and what they prove; `InvalidOp` when they prove nothing."""
    if type(data) is not bytes:
        raise InvalidOp("expected the remains of ops as frames")
    frame = decode_frame(data)
    if len(frame.segments) != 1:
        raise InvalidOp("expected the remains of ops of one feed in each frame")
    (segment,), last = frame.segments, frame.ops[-1]
    key = membership.public_key(segment.origin.device)
    if key is None or not last.ends or not verify(key, last.id, segment.signature):
        raise InvalidOp("expected the remains of an op to be signed by the member who wrote it")
    places, rids, edits = [], set[MemoryId](), list[tuple[MemoryId, SignedEdit]]()
    taken_back: list[tuple[OpRef, tuple[OpRef, ...]]] = []
    for op in frame.ops:
        if op.kind not in _KEPT or op.payload is None:
            continue
        places.append(op.place)
        match decode_payload(op.kind, op.payload):
            case Forget() as forget:
                rids |= set(forget.rids)
            case Edit(base, update) if op.rid is not None:
                check_update(update)
                edits.append((MemoryId(op.rid), SignedEdit(op.place, op.hlc, base, update)))
            case Withdraw(made_by) | Unlink(made_by):
                taken_back.append((op.place, made_by))
            case _:
                raise InvalidOp("expected the remains of an edit to name its memory")
    if not places:
        raise InvalidOp("expected remains of a deletion or of an edit, got neither")
    return Remains(last.id, data), Proven(tuple(places), frozenset(rids), tuple(edits), tuple(taken_back))
