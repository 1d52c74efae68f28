"""Read a cell that another device folded: its bytes become a cell only if ops could have made it.

Whoever makes a snapshot signs it, and is believed about which ops there were. They are not believed about what an op
may say: every value in a cell was said by an op once, so it is put as that op said it, and the op's own reader judges
it. What is left is what no op states: stamps, and the dots by which a cell refers to the feeds of its snapshot.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, cast

from replica.codec import SALT_BYTES, check_text, decode_payload, pack, read_place, unpack, wire_place
from replica.errors import InvalidOp, short
from replica.fields import check_column, check_fields
from replica.hlc import HLC_MAX
from replica.ids import ID8_BYTES, MEMORY_ID_BYTES, OpRef
from replica.limits import FIELDS_MAX, TEXT_BYTES_MAX
from replica.ops import OpKind
from replica.state.cells import Cell, CellKind, Key, read_cell
from replica.state.labels import TAGS
from replica.state.register import Dot
from replica.state.text import check_state

_NO_SALT: Final = bytes(SALT_BYTES)
_PARTS: Final = frozenset(CellKind)


@dataclass(frozen=True, slots=True)
class CellReader:
    """Reads the cells of one snapshot. `place` names the op that a dot stands for, or None; `origins` are the
    numbers of those that wrote one of its ops, `devices` who they are."""

    place: Callable[[Dot], OpRef | None]
    origins: frozenset[int]
    devices: frozenset[bytes]

    def read(self, part: object, name: object, data: object) -> tuple[Key, Cell]:
        """Return which cell it is, and the cell; `InvalidOp` says what no op could have made."""
        if type(part) is not int or part not in _PARTS or type(name) is not bytes or type(data) is not bytes:
            raise InvalidOp("expected a cell [part, name, bytes]")
        plain = unpack(data)
        match CellKind(part):
            case CellKind.MEMORY:
                self._check_memory(_rid(name), plain)
            case CellKind.EDGE:
                names = _list(unpack(name))
                if pack(names) != name:
                    raise InvalidOp("expected an edge's name, got another spelling of it")
                for weight in self._heads(plain):
                    _said(OpKind.RELATE, [*names, weight])
            case CellKind.SETTING:
                setting = _text(name)
                for value in self._heads(plain):
                    _said(OpKind.SET, [setting, value])
            case CellKind.PROPOSAL | CellKind.LINK:
                self._check_made(CellKind(part), name, plain)
            case CellKind.SAME_SLOT:
                self._check_same_slot(name, plain)
            case CellKind.RECEIPT:
                _rid(name)
                if not all(type(each) is bytes and each in self.devices for each in _list(plain)):
                    raise InvalidOp(
                        "expected devices that confirmed an erasure, each by an op of the snapshot"
                    )
                _once(set(plain), plain)
            case CellKind.FEEDBACK:
                _place_in(name)
                _said(OpKind.FEEDBACK, plain)
        return Key(CellKind(part), name), read_cell(part, plain)

    def _check_made(self, part: CellKind, name: bytes, plain: object) -> None:
        """Refuse a cell that is one op, unless it is named by that op and says what it may."""
        match part, plain:
            case CellKind.PROPOSAL, [[*dot], [*rids]]:
                _said(OpKind.PROPOSE, rids)
            case CellKind.LINK, [[*dot], [_, _] as rids, sureness]:
                _said(OpKind.SAYS_SAME, [*rids, sureness])
            case _:
                raise InvalidOp("expected a proposal [dot, memory ids] or a link [dot, memory ids, sureness]")
        if self._op(dot) != _place_in(name):
            raise InvalidOp("expected a proposal or a link that is named by the op that made it")

    def _check_same_slot(self, name: bytes, plain: object) -> None:
        """Refuse a judgment on two claims that no op could have said."""
        names = _list(unpack(name))
        if pack(names) != name or not names:
            raise InvalidOp("expected the name of a judgment, got another spelling of it")
        *claims, by = names
        for value in self._heads(plain):
            match value:
                case [same, sureness]:
                    _said(OpKind.SAME_SLOT, [*claims, same, by, sureness])
                case _:
                    raise InvalidOp("expected a judgment [same, sureness]")

    def _check_memory(self, rid: bytes, plain: object) -> None:
        match plain:
            case [[_, *_] as adds]:
                self._check_adds(adds)
            case [
                [_, *_] as adds,
                dict(fields),
                dict(edits),
                edited_hlc,
                [*accesses],
                [*claims],
                [*verdicts],
                dict(triggers),
                *labelled,
            ] if len(labelled) < 2:
                self._check_adds(adds)
                for name, register in fields.items():
                    for value in self._heads(register):
                        _said(OpKind.SET, [name, value])
                for base, state in edits.items():
                    _said(OpKind.EDIT, [base, state])
                    check_state(state)
                _stamp(edited_hlc, low=0)
                self._check_accesses(rid, accesses)
                claimed = {self._check_claim(claim) for claim in claims}
                _once(claimed, claims)
                judged = set()
                for verdict in verdicts:
                    match verdict:
                        case [*dot, register] if (claim := self._op(dot)) in claimed:
                            judged.add(claim)
                            for keep in self._heads(register):
                                _said(OpKind.RESOLVE, [[rid, wire_place(claim), keep]])
                        case _:
                            raise InvalidOp("expected a verdict on a claim of the same memory")
                _once(judged, verdicts)
                for trigger, held in triggers.items():
                    self._check_trigger(trigger, held)
                if labelled:
                    self._check_labels(labelled[0], adds, fields.get(TAGS, []))
            case _:
                raise InvalidOp("expected a memory's cell: adds, or adds and all that was said about them")

    def _check_adds(self, adds: Sequence[object]) -> None:
        added_by = set()
        for add in adds:
            match add:
                case [feed, seq, id8, hlc, text, fields]:
                    added_by.add(self._op([feed, seq, id8]))
                    check_add(hlc, text, fields)
                case _:
                    raise InvalidOp("expected an add [feed, seq, id8, hlc, text, fields]")
        _once(added_by, adds)

    def _check_labels(self, labelled: object, adds: Sequence[Any], whole: Sequence[Any]) -> None:
        """Refuse labels that were taken off of something else than an add or a whole write that had told them."""
        match labelled:
            case [dict(registers), [*untagged]] if registers:
                pass
            case _:
                raise InvalidOp("expected labels [heads of each, what was taken off]")
        for label, register in registers.items():
            _said(OpKind.TAG, [label])
            for is_on in self._heads(register):
                if type(is_on) is not bool:
                    raise InvalidOp(f"expected a label to be on or off, got {short(is_on)}")
        told = {Dot(*add[:3]): add[5].get(TAGS) or () for add in adds}
        told |= {Dot(*head[:3]): head[4] or () for head in whole}
        taken_off = set()
        for each in untagged:
            match each:
                case [int(feed), int(seq), bytes(id8), [*labels]]:
                    taken_off.add(self._op([feed, seq, id8]))
                    _said(OpKind.UNTAG, labels)
                    if not set(labels) <= set(told.get(Dot(feed, seq, id8), ())):
                        raise InvalidOp("expected labels to be taken off of what had told them")
                case _:
                    raise InvalidOp("expected labels taken off [feed, seq, id8, labels]")
        _once(taken_off, untagged)

    def _heads(self, register: object) -> Iterator[Any]:
        """Give the values that a register holds."""
        heads = _list(register)
        written_by = set()
        for head in heads:
            match head:
                case [feed, seq, id8, hlc, value]:
                    written_by.add(self._op([feed, seq, id8]))
                    _stamp(hlc)
                    yield value
                case _:
                    raise InvalidOp("expected a head [feed, seq, id8, hlc, value]")
        if not heads:
            raise InvalidOp("expected a register to hold a head, got an empty one")
        _once(written_by, heads)

    def _check_accesses(self, rid: bytes, accesses: Sequence[object]) -> None:
        counted = set()
        for access in accesses:
            match access:
                case [int(origin), count, last] if type(origin) is int and origin in self.origins:
                    _said(OpKind.ACCESS, [[rid, count, last]])
                    counted.add(origin)
                case _:
                    raise InvalidOp("expected an origin's accesses [origin, count, last]")
        _once(counted, accesses)

    def _check_claim(self, claim: object) -> OpRef:
        match claim:
            case [feed, seq, id8, hlc, *said]:
                _stamp(hlc)
                _said(OpKind.CLAIM, said)
                return self._op([feed, seq, id8])
        raise InvalidOp(
            "expected a claim [feed, seq, id8, hlc, entity, relation, value, replaces, valid from]"
        )

    def _check_trigger(self, trigger: object, held: object) -> None:
        match held:
            case [status, raised, kind, about, delivered]:
                _stamp(raised)
                _said(OpKind.TRIGGER, [trigger, status, kind, about])
                match delivered:
                    case None:
                        return
                    case [hlc, bytes(device)] if device in self.devices:
                        _stamp(hlc)
                        return
        raise InvalidOp("expected a trigger [status, raised, kind, about, delivered]")

    def _op(self, dot: object) -> OpRef:
        # No pattern: every memory has one, and a pattern costs three times these tests.
        if type(dot) is list and len(dot) == 3:
            feed, seq, id8 = dot
            if type(feed) is type(seq) is int and type(id8) is bytes and len(id8) == ID8_BYTES:
                place = self.place(Dot(feed, seq, id8))
                if place is not None:
                    return place
        raise InvalidOp("expected a cell to name ops of its snapshot, got one that is not in it")


def check_add(hlc: object, text: object, fields: object) -> None:
    """Refuse an add that no op could have made."""
    _stamp(hlc)
    if type(text) is str and type(fields) is dict and {*map(type, fields)} <= {str}:
        check_text(text)
        if not fields:
            return
        check_fields(fields, by_any=True)
        maps = [fields, *(each for each in fields.values() if type(each) is dict)]
        if all([*each] == sorted(each) for each in maps):  # then it is encoded as an op's is
            return
    _said(OpKind.REMEMBER, [text, fields])


def check_adds(stamps: Sequence[int], texts: Sequence[object], fields: Sequence[object]) -> None:
    """Refuse what `check_add` refuses, of many adds.

    Nearly all can be judged by the column: their texts, and each field of those that have the same ones.
    """
    are_plain = (
        min(stamps, default=0) >= 1
        and max(stamps) <= HLC_MAX
        and {*map(type, texts)} == {str}
        and all(map(str.strip, texts))  # type: ignore[arg-type]
        and max(map(len, texts)) <= TEXT_BYTES_MAX // 4  # type: ignore[arg-type]
        and {*map(type, fields)} == {dict}
    )
    if not are_plain:
        for add in zip(stamps, texts, fields, strict=True):
            check_add(*add)
        return
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in cast("Sequence[dict[str, Any]]", fields):
        if each:
            alike.setdefault(tuple(each), []).append(each)
    for names, rows in alike.items():
        if {*map(type, names)} == {str} and len(names) <= FIELDS_MAX and [*names] == sorted(names):
            for name in names:
                _check_column(name, [*map(itemgetter(name), rows)])
        else:
            for row in rows:
                check_add(1, ".", row)


def _check_column(name: str, values: Sequence[Any]) -> None:
    """Refuse what no add says of one field; of many, maps too are encoded as an op's are."""
    check_column(name, values)
    for value in values if dict in {*map(type, values)} else ():
        if type(value) is dict and [*value] != sorted(value):
            _said(OpKind.REMEMBER, [".", {name: value}])


def _said(kind: OpKind, plain: object) -> None:
    """Refuse what no op of this kind may say."""
    try:
        payload = _NO_SALT + pack(plain)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidOp(f"expected what an op says, got what none can hold: {error}") from None
    decode_payload(kind, payload)


def _stamp(hlc: object, *, low: int = 1) -> None:
    if type(hlc) is not int or not low <= hlc <= HLC_MAX:
        raise InvalidOp(f"expected a stamp from {low} to {HLC_MAX}")


def _rid(name: bytes) -> bytes:
    if len(name) != MEMORY_ID_BYTES:
        raise InvalidOp(f"expected a memory's id of {MEMORY_ID_BYTES} bytes, got {len(name)}")
    return name


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise InvalidOp("expected a setting's name in UTF-8") from None


def _place_in(name: bytes) -> OpRef:
    place = read_place(unpack(name))
    if pack(wire_place(place)) != name:
        raise InvalidOp("expected the place of an op, got another spelling of it")
    return place


def _once(different: set[Any], items: Sequence[object]) -> None:
    """Refuse what says a thing twice: repeats take no room on a link, and nothing that was folded holds one."""
    if len(different) != len(items):
        raise InvalidOp("expected each part of a cell once, got one twice")


def _list(plain: object) -> list[Any]:
    if type(plain) is not list:
        raise InvalidOp("expected a list in a cell, got something else")
    return plain
