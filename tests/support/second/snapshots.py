"""The second reader: bases, read and merged as they come, and handed on as they are held."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any

import msgpack
import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.support.second.folding import (
    KINDS,
    Heads,
    Memory,
    Place,
    Raised,
    Replica,
    State,
)
from tests.support.second.frames import Op, Refused, pack, read_packed, sha256, unpack
from tests.support.second.texts import base_name, document


def merge_packed(replica: Replica, packed: bytes, keys: dict[bytes, bytes], *, maker: bytes) -> None:
    """Merge a snapshot as its parts make it; it has to be of its sender's making."""
    whole = zstandard.ZstdDecompressor().decompress(packed, max_output_size=1_073_741_824)
    signature, body = msgpack.unpackb(whole, raw=False)
    if merge_snapshot(replica, signature, body, keys) != maker:
        raise Refused("a snapshot of somebody else's making")


def merge_snapshot(replica: Replica, signature: bytes, body: bytes, keys: dict[bytes, bytes]) -> bytes:
    """Merge what a member signed; return who."""
    plain = _any_order(body)
    if plain[1][0] not in (2, 3):
        raise Refused("another layout")
    Ed25519PublicKey.from_public_bytes(keys[plain[0]]).verify(
        signature, b"samemind snapshot 1\0" + sha256(body)
    )
    maker, _, feeds, origins, cells, tombstones, _, columns, *more = plain
    reader = _Reader(feeds, origins)
    for author, *_, head, signed, _, _ in feeds:
        if signed:  # where a branch begins it may be missing: the end of that is signed
            Ed25519PublicKey.from_public_bytes(keys[author]).verify(signed, b"samemind commit 1\0" + head)
    for frame in more[0] if more else ():
        replica.deletions[frame] = _deleted(read_packed(frame, keys), reader.spine)
    state = State(covered=set(reader.spine.before), forgotten=set(tombstones))
    for part, name, packed in cells:
        reader.read(state, part, name, _any_order(packed))
    for rid, add in _added(columns):
        state.memories[rid] = reader.memory([[add]])
    replica.merge(state, reader.spine)
    device: bytes = maker
    return device


def make_snapshot(replica: Replica, sign: Callable[[bytes], bytes], maker: bytes, horizon_ms: int) -> bytes:
    """Make a snapshot of the base of a replica, as it travels."""
    writer = _Writer(replica)
    body = pack(
        [
            maker,
            {0: 3, **KINDS},
            writer.feeds,
            [list(origin) for origin in writer.origins],
            list(writer.cells()),
            sorted(replica.base.forgotten),
            horizon_ms,
            writer.adds(),
            sorted(replica.deletions),
            [],
        ]
    )
    signature = sign(b"samemind snapshot 1\0" + sha256(body))
    return zstandard.ZstdCompressor().compress(pack([signature, body]))


def _deleted(ops: list[Op], spine: Replica) -> set[bytes]:
    """The memories that remains of deletions delete, by ops that the snapshot covers."""
    deleted: set[bytes] = set()
    for op in ops:
        if op.kind == 4 and op.payload is not None:
            if (op.device, op.incarnation, op.seq, op.id[:8]) not in spine.before:
                raise Refused("a deletion beside what a snapshot covers")
            deleted |= set(unpack(op.payload[16:]))
    return deleted


class _Reader:
    """The chains that a base stands for, and cells by the numbers of those."""

    def __init__(self, feeds: list[list[Any]], origins: list[list[bytes]]) -> None:
        self._origins = [(device, incarnation) for device, incarnation in origins]
        self._places: list[dict[int, Place]] = []  # of each feed, by seq
        self.spine = spine = Replica()
        for device, incarnation, stem, fork, _, last, head, signature, _, ids in feeds:
            if len(ids) != 8 * (last - fork):
                raise Refused("short ids of other ops than a feed has")
            below = self._places[stem][fork] if stem is not None else None
            found: dict[int, Place] = {}
            for seq in range(fork + 1, last + 1):
                at = (device, incarnation, seq, ids[(seq - fork - 1) * 8 : (seq - fork) * 8])
                spine.before[at] = below
                found[seq] = below = at
            self._places.append(found)
            spine.ends[found[last]] = (head, signature)
        for number, (_, _, stem, fork, forked, last, _, _, knew, _) in enumerate(feeds):
            spine.seen[self._places[number][last]] = self._knew(knew)
            if stem is not None:
                spine.seen.setdefault(self._places[stem][fork], self._knew(forked))

    def _knew(self, vector: dict[int, int]) -> frozenset[Place]:
        return frozenset(self.spine.chains(self._places[number][seq] for number, seq in vector.items()))

    def _place(self, dot: Iterable[Any]) -> Place:
        """The place that a dot stands for; it must be one of this snapshot's."""
        number, seq, id8 = dot
        at: Place | None = self._places[number].get(seq)
        if at is None or (id8 is not None and at[3] != id8):
            raise Refused("a dot that stands for no op")
        return at

    def _heads(self, told: list[list[Any]]) -> Heads:
        return {self._place(dot): (stamp, value) for *dot, stamp, value in told}

    def read(self, state: State, part: int, name: bytes, told: Any) -> None:
        """Read one cell."""
        match part:
            case 0:
                state.memories[name] = self.memory(told)
            case 1:
                state.edges[name] = self._heads(told)
            case 2:
                state.settings[name] = self._heads(told)
            case 3:
                at = self._place(told[0])
                if pack(at) != name:
                    raise Refused("a proposal under another name")
                state.proposals[at] = told[1]
            case 6:
                at = self._place(told[0])
                if pack(at) != name:
                    raise Refused("a link under another name")
                state.links[at] = [*told[1], told[2]]
            case 7:
                state.judgments[name] = self._heads(told)
            case 4:
                state.receipts[name] = set(told)
            case 5:
                device, incarnation, seq, id8 = _any_order(name)
                state.lessons[device, incarnation, seq, id8] = told

    def memory(self, told: list[Any]) -> Memory:
        """Read a memory, of which nothing may be known but its adds."""
        adds = {self._place(dot): (stamp, text, said) for *dot, stamp, text, said in told[0]}
        if len(told) == 1:
            return Memory(adds)
        _, fields, edits, edited, accesses, claims, verdicts, triggers, *more = told
        labels, taken_off = more[0] if more else ({}, [])
        return Memory(
            adds,
            fields={name: self._heads(heads) for name, heads in fields.items()},
            edits={name: [update] for name, update in edits.items()},
            edited=edited,
            accesses={self._origins[number]: (count, last) for number, count, last in accesses},
            claims={self._place(claim[:3]): (claim[3], claim[4:]) for claim in claims},
            verdicts={self._place(dot): self._heads(heads) for *dot, heads in verdicts},
            triggers={
                name: Raised(status, (stamp, kind, about), tuple(delivered) if delivered else None)
                for name, (status, stamp, kind, about, delivered) in triggers.items()
            },
            labels={label: self._heads(heads) for label, heads in labels.items()},
            off={self._place(dot): set(gone) for *dot, gone in taken_off},
        )


class _Writer:
    """Feeds, and cells by the numbers of those, of a base as it is handed on."""

    def __init__(self, replica: Replica) -> None:
        self._base = replica.base
        self.feeds: list[list[Any]] = []
        self._number: dict[Place, int] = {}
        followed = {replica.before[at] for at in replica.base.covered}
        # The longest chain of an origin first: a branch leaves one that has a number by then.
        for end in sorted(replica.ends.keys() - followed, key=lambda end: (-end[2], end)):
            chain: list[Place] = []
            at: Place | None = end
            while at is not None and at not in self._number:
                chain.append(at)
                at = replica.before[at]
            self._number |= dict.fromkeys(chain, len(self.feeds))
            stem = None if at is None else self._number[at]
            fork = 0 if at is None else at[2]
            forked = frozenset() if at is None else replica.seen[at]
            ids = b"".join(id8 for *_, id8 in reversed(chain))
            self.feeds.append(
                [*end[:2], stem, fork, forked, end[2], *replica.ends[end], replica.seen[end], ids]
            )
        for feed in self.feeds:
            feed[4], feed[8] = self._vector(feed[4]), self._vector(feed[8])
        self.origins = sorted({(device, incarnation) for device, incarnation, *_ in replica.before})

    def _vector(self, knew: Iterable[Place]) -> dict[int, int]:
        vector: dict[int, int] = {}
        for place in knew:
            number = self._number[place]
            vector[number] = max(vector.get(number, 0), place[2])
        return vector

    def _dot(self, place: Place) -> list[Any]:
        return [self._number[place], place[2], place[3]]

    def _heads(self, heads: Heads) -> list[Any]:
        return [[*self._dot(at), stamp, value] for at, (stamp, value) in heads.items()]

    def cells(self) -> Iterator[list[Any]]:
        """Every cell but those of memories of which nothing is known but one add."""
        base = self._base
        for rid, memory in base.memories.items():
            if not _only_added(memory):
                yield [0, rid, pack(self._memory(rid, memory))]
        for part, registers in ((1, base.edges), (2, base.settings), (7, base.judgments)):
            yield from ([part, name, pack(self._heads(heads))] for name, heads in registers.items())
        for at, memories in base.proposals.items():
            yield [3, pack(at), pack([self._dot(at), memories])]
        for at, (one, other, sureness) in base.links.items():
            yield [6, pack(at), pack([self._dot(at), [one, other], sureness])]
        for rid, devices in base.receipts.items():
            yield [4, rid, pack(sorted(devices))]
        for at, lesson in base.lessons.items():
            yield [5, pack(at), pack(lesson)]

    def _memory(self, rid: bytes, memory: Memory) -> list[Any]:
        adds = [[*self._dot(at), *said] for at, said in memory.adds.items()]
        edits = {}
        for _, text, _ in memory.adds.values():
            name = base_name(rid, text)
            if updates := memory.edits.get(name):
                edits[name] = document(rid, text, updates).get_update()
        return [
            adds,
            {name: self._heads(heads) for name, heads in memory.fields.items()},
            edits,
            memory.edited,
            [[self.origins.index(origin), *said] for origin, said in memory.accesses.items()],
            [[*self._dot(at), stamp, *claim] for at, (stamp, claim) in memory.claims.items()],
            [[*self._dot(at), self._heads(heads)] for at, heads in memory.verdicts.items()],
            {name: [each.status, *each.told, each.delivered] for name, each in memory.triggers.items()},
            *self._labels(memory),
        ]

    def _labels(self, memory: Memory) -> Iterator[list[Any]]:
        if memory.labels:
            yield [
                {label: self._heads(heads) for label, heads in memory.labels.items()},
                [[*self._dot(at), sorted(gone)] for at, gone in memory.off.items()],
            ]

    def adds(self) -> list[Any]:
        """The columns of all other memories."""
        rows: list[Any] = [
            (self._number[at], at[2], *said, rid)
            for rid, memory in self._base.memories.items()
            if _only_added(memory)
            for at, said in memory.adds.items()
        ]
        rows.sort(key=lambda row: row[:2])
        ids = [row[5] for row in rows]
        numbers = [
            [after - before for before, after in pairwise([0, *(row[n] for row in rows)])] for n in range(3)
        ]
        front, rest = b"".join(rid[:6] for rid in ids), b"".join(rid[6:] for rid in ids)
        return [front + rest, *numbers, [row[3] for row in rows], [row[4] for row in rows]]


def _only_added(memory: Memory) -> bool:
    return len(memory.adds) == 1 and memory == Memory(memory.adds)


def _any_order(data: bytes) -> Any:
    """Read msgpack whose maps are in any order, as those of a snapshot may be."""
    return msgpack.unpackb(data, raw=False, strict_map_key=False)


def _added(columns: list[Any]) -> Iterator[tuple[bytes, list[Any]]]:
    """The memories that were only added: the id of each, and its add."""
    ids, *numbers, texts, fields = columns
    count = len(texts)
    if len(ids) != 16 * count or {len(fields), *map(len, numbers)} != {count}:
        raise Refused("columns of different lengths")
    rows = zip(*map(accumulate, numbers), texts, fields, strict=True)
    for n, (feed, seq, stamp, text, said) in enumerate(rows):
        rid = ids[6 * n : 6 * n + 6] + ids[6 * count + 10 * n : 6 * count + 10 * n + 10]
        yield rid, [feed, seq, None, stamp, text, said]
