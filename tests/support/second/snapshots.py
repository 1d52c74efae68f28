"""The second reader: what a base holds for a device that holds nothing yet, and what it then shows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pycrdt import Doc, Text

from tests.support.second.folding import _base_name, _set_hash
from tests.support.second.frames import Refused, pack, sha256


@dataclass
class Base:
    """A snapshot, read."""

    maker: bytes
    kinds: dict[int, int]
    feeds: list[list[Any]]
    origins: list[list[bytes]]
    cells: list[tuple[int, bytes, Any]]
    tombstones: list[bytes]
    horizon: int

    def place(self, dot: list[Any]) -> list[Any]:
        """The place that a dot stands for; it must be one of this snapshot's."""
        number, seq, id8 = dot
        device, incarnation, _, fork, _, last, _, _, _, ids = self.feeds[number]
        if not fork < seq <= last or ids[(seq - fork - 1) * 8 : (seq - fork) * 8] != id8:
            raise Refused("a dot that stands for no op")
        return [device, incarnation, seq, id8]

    def heads(self) -> list[list[Any]]:
        """The frontier that it reaches."""
        return sorted([feed[0], feed[1], feed[5], feed[6][:8]] for feed in self.feeds)

    def digest(self) -> bytes:
        """The digest of what shows."""
        elements: list[Any] = []
        for part, name, state in self.cells:
            if part == 0:
                elements.append(self._shown(name, *_memory(state)))
            elif part in (1, 2) and (value := _value(state)) is not None:
                elements.append([part, name, value])
            elif part == 5:
                elements.append([5, *state])
        return _set_hash(elements)

    def state_digest(self) -> bytes:
        """The digest of what was folded."""
        elements: list[Any] = []
        for part, name, state in self.cells:
            match part:
                case 0:
                    elements.append(self._folded(name, *_memory(state)))
                case 1 | 2:
                    elements.append([part, name, self._places(state)])
                case 3:
                    if pack(self.place(state[0])) != name:
                        raise Refused("a proposal under another name")
                    elements.append([3, name])
                case 4:
                    elements.append([4, name, state])
                case 5:
                    elements.append([5, name])
        tombstones = _set_hash([0, rid] for rid in self.tombstones)
        return sha256(pack([_set_hash(elements), tombstones, _set_hash([]), self.heads()]))

    def _places(self, items: Iterable[list[Any]]) -> list[Any]:
        return sorted(self.place(item[:3]) for item in items)

    def _folded(
        self, rid: bytes, adds: Any, fields: Any, edits: Any, at: int, counts: Any, claims: Any, verdicts: Any,
        triggers: Any,
    ) -> list[Any]:  # fmt: skip
        element: list[Any] = [0, rid, self._places(adds)]
        if fields or claims:
            element += [
                [[name, self._places(fields[name])] for name in sorted(fields)],
                self._places(claims),
                sorted([self.place(item[:3]), self._places(item[3])] for item in verdicts),
            ]
        return element

    def _shown(
        self, rid: bytes, adds: Any, fields: Any, edits: Any, at: int, counts: Any, claims: Any, verdicts: Any,
        triggers: Any,
    ) -> list[Any]:  # fmt: skip
        def order(add: list[Any]) -> tuple[bool, str, int, bytes]:
            _, _, id8, stamp, text, _ = add
            return _base_name(rid, text) not in edits, text, stamp, id8

        *_, text, started = min(adds, key=order)
        shown = text
        if (document := edits.get(_base_name(rid, text))) is not None:
            read: Doc[Text] = Doc()
            read.apply_update(document)
            shown = str(read.get("text", type=Text))
        said = dict(started)
        for name, heads in fields.items():
            value = _value(heads)
            if value is None:
                said.pop(name, None)
            else:
                said[name] = value
        element: list[Any] = [0, rid, shown, [[name, said[name]] for name in sorted(said)]]
        accesses = sum(count for _, count, _ in counts)
        if accesses or claims or triggers:
            judged = {tuple(item[:3]): item[3] for item in verdicts}
            held = set()
            for *dot, _, entity, relation, value, _, _ in claims:
                heads = judged.get(tuple(dot), [])
                held.add((entity, relation, value, bool(heads) and not any(head[4] for head in heads)))
            raised = [[name, status, kind, about] for name, (status, _, kind, about, _) in triggers.items()]
            element += [accesses, sorted(held), sorted(raised)]
        return element


def _memory(state: list[Any]) -> list[Any]:
    return state if len(state) > 1 else [state[0], {}, {}, 0, [], [], [], {}]


def _value(heads: list[Any]) -> Any:
    return max(heads, key=lambda head: (head[3], head[2]))[4]


def _any_order(data: bytes) -> Any:
    """Read msgpack whose maps are in any order, as those of a snapshot may be."""
    return msgpack.unpackb(data, raw=False, strict_map_key=False)


def read_snapshot(signature: bytes, body: bytes, keys: dict[bytes, bytes]) -> Base:
    """Read what a member signed."""
    plain = _any_order(body)
    Ed25519PublicKey.from_public_bytes(keys[plain[0]]).verify(
        signature, b"samemind snapshot 1\0" + sha256(body)
    )
    maker, kinds, feeds, origins, cells, tombstones, horizon, columns = plain
    if kinds[0] != 2:
        raise Refused("another layout")
    read = [(part, name, _any_order(state)) for part, name, state in cells]
    base = Base(maker, kinds, feeds, origins, read, tombstones, horizon)
    base.cells += list(_added(columns, feeds))
    return base


def _added(columns: list[Any], feeds: list[list[Any]]) -> Iterator[tuple[int, bytes, Any]]:
    """The memories that were only added, as the cells they stand for."""
    ids, *numbers, texts, fields = columns
    count = len(texts)
    if len(ids) != 16 * count or {len(fields), *map(len, numbers)} != {count}:
        raise Refused("columns of different lengths")
    rows = zip(*map(accumulate, numbers), texts, fields, strict=True)
    for n, (feed, seq, stamp, text, said) in enumerate(rows):
        rid = ids[6 * n : 6 * n + 6] + ids[6 * count + 10 * n : 6 * count + 10 * n + 10]
        at = (seq - feeds[feed][3] - 1) * 8
        yield 0, rid, [[[feed, seq, feeds[feed][9][at : at + 8], stamp, text, said]]]
