"""What is fuzzed, and what must hold of it: `TARGETS` names a function for each decoder that meets foreign bytes.

A target is called with a random number generator, spoils something that was right, hands it over, and raises if the
decoder does anything but take it or refuse it in the documented words. A seed replays a call:

    python -m tests.support.fuzzing TARGET SEED
"""

import functools
import hashlib
import io
import sys
import traceback
from collections.abc import Callable
from random import Random
from typing import Any, Final

import zstandard

from replica import codec, compaction, ops
from replica.core import Core
from replica.errors import InvalidOp
from replica.frame import decode_frame, encode_frame
from replica.ids import MemoryId, OpRef
from replica.oplog import LogRow
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.verify import verify_replica
from sync.carrier.cargo import Taking, check, header_of, messages
from sync.carrier.cargo import fill as fill_cargo
from sync.carrier.header import CONTEXT as CARGO_CONTEXT
from sync.carrier.sealing import Sealer
from sync.errors import LimitExceeded, RemoteProtocolError, Untrusted
from sync.exchange import Exchange
from sync.wire.frames import FrameReader
from sync.wire.frames import encode_frame as framed
from sync.wire.messages import decode_message, encode_message
from tests.support.frozen import history
from tests.support.fuzzing_doors import control, http
from tests.support.fuzzing_entries import entries
from tests.support.fuzzing_files import importers
from tests.support.fuzzing_sessions import sessions
from tests.support.fuzzing_small import codes, identities, questions, settings
from tests.support.links import identity
from tests.support.mangling import mangled, mangled_bytes, packed
from tests.support.replicas import NOW_MS, Hand, acquaint, core_of, everything, rows_of

Target = Callable[[Random], None]


def writers() -> tuple[Core, Core]:
    """Two members who wrote an op of every kind: for a target that changes them."""
    return history()


@functools.cache
def written() -> tuple[bytes, tuple[LogRow, ...], tuple[OpRef, ...]]:
    """Return what such members wrote: as a frame, as rows of a log, and its heads."""
    ann, _ = history()
    return encode_frame(everything(ann)), tuple(rows_of(ann)), ann.frontier().heads


@functools.cache
def folded() -> bytes:
    """Return the same as a snapshot, made by ben."""
    _, ben = history()
    compaction.compact(ben, NOW_MS + 10**9)
    return make_snapshot(ben)


@functools.cache
def proofs() -> tuple[Any, ...]:
    """Return the proofs of erasure, without which an erased payload is not delivered."""
    ann, _ = history()
    return tuple(ann.proofs.values())


def reader(*, knows: bool) -> Core:
    """A member that holds nothing yet, or all of that."""
    core = newcomer()
    if knows:
        core.learn([], [], proofs(), NOW_MS)
        assert core.take(decode_frame(written()[0]), NOW_MS).ops == len(written()[1])
    return core


def newcomer() -> Core:
    """A member that holds nothing yet."""
    cleo = core_of("cleo")
    acquaint(cleo, "cleo", "ann", "ben")
    return cleo


def unharmed(core: Core, before: object) -> None:
    """What was refused left no trace."""
    assert (core.digests(), len(rows_of(core))) == before, "refused, and yet it changed something"


def sound(core: Core) -> None:
    """What was taken can be recomputed, added to, and handed on."""
    found = verify_replica(core)
    assert found.ok, found.problems
    core.commit([ops.Write(ops.Remember("and on", {}), ops_rid(len(rows_of(core))))], NOW_MS + 60_000)
    read_snapshot(make_snapshot(core), core)


def ops_rid(n: int) -> MemoryId:
    """A memory id that nobody else draws."""
    return MemoryId(b"fuzz" + n.to_bytes(12, "big"))


def frames(random: Random) -> None:
    """A frame of ops: spoiled as bytes, or as columns that are compressed anew."""
    data, _, _ = written()
    if random.random() < 0.2:
        data = mangled_bytes(random, data)
    else:
        columns = codec.unpack(zstandard.decompress(data))
        data = zstandard.compress(packed(mangled(random, columns)))
    core = reader(knows=False)
    core.learn([], [], proofs(), NOW_MS)
    before = core.digests(), 0
    try:
        frame = decode_frame(data)
    except InvalidOp:
        return
    assert decode_frame(encode_frame(frame)) == frame
    try:
        taken = core.take(frame, NOW_MS)
    except InvalidOp:
        unharmed(core, before)
        return
    assert taken.ops <= len(frame.ops)
    sound(core)


def bodies(random: Random) -> None:
    """An op that a member signed although its body is wrong: every device must decide alike, and go on."""
    _, rows, heads = written()
    hand = Hand("ben")
    spoiled = []
    for _ in range(random.randint(1, 4)):
        row = random.choice(rows)
        if row.payload is None:
            continue
        plain = codec.unpack(row.payload[codec.SALT_BYTES :])
        body = packed(mangled(random, plain))
        try:
            decoded = codec.decode_payload(row.kind, bytes(codec.SALT_BYTES) + body)
        except InvalidOp:
            pass
        else:
            assert codec.encode_payload(bytes(codec.SALT_BYTES), decoded)[codec.SALT_BYTES :] == body
        rid = row.rid if random.random() < 0.8 else random.choice((None, bytes(16), b"\xff" * 16))
        spoiled.append(hand.write(kind=row.kind, plain=body, rid=rid, seen=heads))
    if not spoiled:
        return
    cleo, dora = reader(knows=True), reader(knows=True)
    assert cleo.take(decode_frame(encode_frame(hand.frame(*spoiled))), NOW_MS).ops == len(spoiled)
    for op in reversed(spoiled):
        dora.take(hand.frame(op), NOW_MS)
    for op in spoiled:
        dora.take(hand.frame(op), NOW_MS)
    assert cleo.digests() == dora.digests(), "two devices that were told the same show another"
    sound(cleo)


def snapshots(random: Random) -> None:
    """A snapshot that a member signed although it is wrong: refused in its maker's name, or as good as any other."""
    data = folded()
    if random.random() < 0.1:
        data = mangled_bytes(random, data)
    else:
        _, body = codec.unpack(zstandard.decompress(data))
        data = _signed_snapshot(_mangled_snapshot(random, codec.unpack(body)))
    core = reader(knows=random.random() < 0.5)
    before = core.digests(), len(rows_of(core))
    try:
        snapshot = read_snapshot(data, core)
        absorb(core, snapshot, NOW_MS + 10**9)
    except InvalidOp:
        unharmed(core, before)
        return
    sound(core)


def _mangled_snapshot(random: Random, parts: Any) -> Any:
    cells = parts[4]
    if not cells or random.random() < 0.5:
        return mangled(random, parts)
    part, name, data = cells.pop(random.randrange(len(cells)))
    if random.random() < 0.8:
        data = packed(mangled(random, codec.unpack(data)))
    else:
        name = mangled_bytes(random, name)
    cells.append([part, name, data])
    return parts


def _signed_snapshot(parts: Any) -> bytes:
    body = packed(parts)
    signature = identity("ben").sign(b"samemind snapshot 1\0" + hashlib.sha256(body).digest())
    return zstandard.compress(codec.pack([signature, body]))


def wire(random: Random) -> None:
    """A message of a link: spoiled, then read, and then heard in the middle of a conversation."""
    ann, ben = writers()
    ours, theirs = Exchange(ann, ben.device, NOW_MS), Exchange(ben, ann.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    spoil_at = random.randrange(4)
    for turn in range(40):
        if not to_us and not to_them:
            return
        if to_them:
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if not to_us:
            continue
        message = to_us.pop(0)
        if turn >= spoil_at:
            spoiled = mangled_bytes(random, message)
            if random.random() < 0.8:
                spoiled = packed(mangled(random, codec.unpack(message)))
            try:
                read = decode_message(spoiled)
            except RemoteProtocolError:
                return
            assert decode_message(encode_message(read)) == read
            message, spoil_at = spoiled, 1_000
        try:
            to_them += ours.receive(message, NOW_MS)
        except (RemoteProtocolError, InvalidOp, LimitExceeded, Untrusted):
            break
    assert verify_replica(ann).ok


def link_frames(random: Random) -> None:
    """The stream below messages: cut anywhere, the same frames come out; spoiled, it is refused or other frames."""
    bodies = [random.randbytes(random.randrange(1, 400)) for _ in range(random.randint(1, 6))]
    stream = b"".join(map(framed, bodies))
    for data in (stream, mangled_bytes(random, stream)):
        reader, heard = FrameReader(), []
        try:
            at = 0
            while at < len(data):
                step = random.randint(1, 200)
                heard += reader.feed(data[at : at + step])
                at += step
        except RemoteProtocolError:
            assert data is not stream
        except LimitExceeded:
            assert data is not stream
        assert data is not stream or [bytes(each) for each in heard] == bodies


def carriers(random: Random) -> None:
    """A carrier file: spoiled on the stick, or made wrong by the member who sealed it."""
    ann, _ = writers()
    if random.random() < 0.5:
        compaction.compact(ann, NOW_MS + 10**9)
    core, who = newcomer(), identity("cleo")
    acquaint(ann, "ann", "cleo")
    file = io.BytesIO()
    header = header_of(ann, NOW_MS)
    keys = [each.public_key for each in ann.membership.members.values()]
    sealer = Sealer(file, keys, random.randbytes)
    inside = random.random() < 0.7
    spoiling: Any = _Spoiling(sealer, random)
    fill_cargo(ann, header, {}, spoiling if inside else sealer)
    data = file.getvalue() if inside else mangled_bytes(random, file.getvalue())
    before = core.digests(), 0
    try:
        taking = Taking(check(core, who, io.BytesIO(data)))
    except (RemoteProtocolError, Untrusted, LimitExceeded):
        unharmed(core, before)
        return
    try:
        for message in messages(who, io.BytesIO(data)):
            taking.take(core, message, NOW_MS)
        taking.done(core, NOW_MS)
    except (RemoteProtocolError, InvalidOp, LimitExceeded):
        pass
    assert verify_replica(core).ok


class _Spoiling:
    """A sealer whose owner spoils one message; the file's own digest then tells, unless it is spoiled before."""

    def __init__(self, sealer: Sealer, random: Random) -> None:
        self._sealer = sealer
        self._random = random
        self._digest: list[bytes] = []
        self._left = random.randrange(4)
        self._waiting: bytes | None = None

    def add(self, data: bytes) -> None:
        """Hold each message back until the next: the last is the signature, which is made anew."""
        if self._waiting is not None:
            if self._left == 0:
                self._waiting = packed(mangled(self._random, codec.unpack(self._waiting)))
            self._left -= 1
            self._digest.append(hashlib.sha256(self._waiting).digest())
            self._sealer.add(self._waiting)
        self._waiting = data

    def end(self) -> None:
        whole = hashlib.sha256(b"".join(self._digest)).digest()
        self._sealer.add(identity("ann").sign(CARGO_CONTEXT + whole))
        self._sealer.end()


TARGETS: Final[dict[str, Target]] = {
    "frames": frames,
    "bodies": bodies,
    "snapshots": snapshots,
    "wire": wire,
    "sessions": sessions,
    "link-frames": link_frames,
    "carriers": carriers,
    "importers": importers,
    "control": control,
    "http": http,
    "settings": settings,
    "identities": identities,
    "codes": codes,
    "questions": questions,
    "entries": entries,
}


def failure(name: str, seed: int) -> str | None:
    """Call a target once; return what went wrong and how to see it again, or None."""
    try:
        TARGETS[name](Random(f"{name} {seed}"))
    except Exception:
        return f"python -m tests.support.fuzzing {name} {seed}\n{traceback.format_exc()}"
    return None


if __name__ == "__main__":
    print(failure(sys.argv[1], int(sys.argv[2])) or "holds")
