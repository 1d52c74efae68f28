"""Turn ops into canonical bytes and back: the only place where bytes become bodies.

Canonical means: one value, one encoding (shortest msgpack, map keys sorted, 64-bit floats), so that a hash
names a value and not one of its spellings. A decoder therefore encodes what it read and compares. A header is
hashed, never sent: its parts travel as columns (`replica.frame`) and the receiver builds it anew.

A payload is 16 random bytes and the body. The header commits to its hash, so that it can be erased everywhere while the
chain of headers stands; the hash is salted, so what stays behind says nothing of the text, even to whoever guesses it.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import repeat
from typing import Any, Final, assert_never

import msgpack

from replica import ops
from replica.errors import InvalidOp, TooLarge, short
from replica.fields import MS_MAX, check_field, check_fields
from replica.ids import (
    DEVICE_ID_BYTES,
    ID8_BYTES,
    INCARNATION_BYTES,
    MEMORY_ID_BYTES,
    MemoryId,
    OpId,
    OpRef,
    Origin,
)
from replica.limits import (
    ACCESSES_MAX,
    FIELD_STRING_BYTES_MAX,
    JUDGES_MAX,
    NAMES_MAX,
    PAYLOAD_BYTES_MAX,
    SIGNALS_MAX,
    SURENESS_MAX,
    TEXT_BYTES_MAX,
)

SALT_BYTES: Final = 16
# Of a place: its device, incarnation and short id.
_PLACE_SIZES: Final = (DEVICE_ID_BYTES, INCARNATION_BYTES, ID8_BYTES)
# One signal's whole share of one feedback: amounts are summed as integers, so that every device comes to the same.
WHOLE_AMOUNT: Final = 1_000_000_000
# First element of every header: names the layout, which never changes version.
HEADER_FORMAT: Final = 1

_tuple = tuple.__new__  # by name it takes three times as long
_sha256: Callable[[bytes], Any] = hashlib.sha256

pack: Callable[[Any], bytes] = msgpack.Packer(use_bin_type=True, autoreset=True).pack


def unpack(data: bytes) -> Any:
    """Return the one msgpack value in `data`, strictly.

    Valid UTF-8, nothing behind it, string or byte keys.
    """
    with _refusing():
        return msgpack.unpackb(data, raw=False, strict_map_key=False, use_list=True)


def unpack_list(values: int, encoded: bytes) -> list[Any]:
    """Return so many msgpack values that stand one behind the other, read as `unpack` reads one."""
    unpacked: list[Any] = unpack(b"\xdd" + values.to_bytes(4) + encoded)
    return unpacked


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise InvalidOp(f"expected one msgpack value, got bytes that are not one: {error}") from None


class Reading:
    """The msgpack values in `data`, read one after the other: as `unpack` reads them, or passed over."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._unpacker = msgpack.Unpacker(
            BytesIO(data), raw=False, strict_map_key=False, use_list=True, max_buffer_size=max(1, len(data))
        )

    def value(self) -> Any:
        """Return the next value."""
        with _refusing():
            return self._unpacker.unpack()

    def list_begins(self) -> int:
        """Go into the next value, which is a list, and return how many values it holds."""
        with _refusing():
            values: int = self._unpacker.read_array_header()
            return values

    def passed(self, values: int) -> slice:
        """Pass over so many values, and return where they stand in the data: nothing is made or judged of them."""
        start = self._unpacker.tell()
        skip = self._unpacker.skip
        with _refusing():
            for _ in repeat(None, values):
                skip()
        return slice(start, self._unpacker.tell())

    def ends(self) -> None:
        """Refuse what stands behind the last value."""
        if self._unpacker.tell() < len(self.data):
            raise InvalidOp("expected one msgpack value, got bytes behind it")


def payload_hash(payload: bytes) -> bytes:
    """Return the SHA-256 by which a header commits to its payload."""
    digest: bytes = _sha256(payload).digest()
    return digest


def header(
    origin: Origin,
    seq: int,
    hlc: int,
    seen: tuple[OpRef, ...],
    kind: int,
    version: int,
    ends: bool,
    rid: bytes | None,
    prev: bytes | None,
    payload_digest: bytes,
) -> bytes:
    """Return the canonical bytes whose SHA-256 is the op's id."""
    device, incarnation = origin
    return pack(
        (
            HEADER_FORMAT,
            device,
            incarnation,
            seq,
            hlc,
            wire_places(seen) if seen else (),
            kind,
            version,
            ends,
            rid,
            prev,
            payload_digest,
        )
    )


def header_hash(header_bytes: bytes) -> OpId:
    """Return an op's id: the SHA-256 of its header."""
    digest: OpId = _sha256(header_bytes).digest()
    return digest


def wire_place(place: OpRef) -> list[Any]:
    """Return a place as plain values."""
    return [place.origin.device, place.origin.incarnation, place.seq, place.id8]


def wire_places(places: tuple[OpRef, ...]) -> list[Any]:
    """Return several places as plain values."""
    return [wire_place(place) for place in places] if places else []


def read_place(value: object) -> OpRef:
    """Return the place that plain values state; refuses any other shape."""
    # No pattern here: a greeting names a place for each device, and a pattern costs three times these tests.
    if type(value) is list and len(value) == 4:
        device, incarnation, seq, id8 = value
        if (
            type(device) is type(incarnation) is type(id8) is bytes
            and type(seq) is int  # not a boolean, which equals 1 and is hashed as something else
            and seq >= 1
            and len(device) == DEVICE_ID_BYTES
            and len(incarnation) == INCARNATION_BYTES
            and len(id8) == ID8_BYTES
        ):
            return _tuple(OpRef, (_tuple(Origin, (device, incarnation)), seq, id8))
    raise InvalidOp(f"expected a place [device, incarnation, seq, id8], got {short(value)}")


def encode_payload(salt: bytes, body: ops.Body, *, by_any: bool = False) -> bytes:
    """Return the payload of a body: salt, then canonical msgpack; `InvalidOp` when the body breaks a rule."""
    try:
        _check(body, by_any=by_any)  # see `check_field`
        payload = salt + pack(_plain(body))
    except UnicodeEncodeError as error:
        raise InvalidOp(
            f"expected text that is valid Unicode, got a lone surrogate at {error.start}"
        ) from None
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise TooLarge(f"expected a payload of at most {PAYLOAD_BYTES_MAX} bytes, got {len(payload)}")
    return payload


def decode_payload(kind: int, payload: bytes) -> ops.Body:
    """Return the body that a payload of a known kind holds; `InvalidOp` says what is wrong with it."""
    encoded = payload[SALT_BYTES:]
    body = _BODY_READERS[kind](unpack(encoded))
    _check(body, by_any=True)
    if pack(_plain(body)) != encoded:
        raise InvalidOp("expected the canonical encoding of the body, got another spelling of it")
    return body


def decode_remembers(payloads: Sequence[bytes]) -> list[ops.Remember | None]:
    """Return what `decode_payload` returns of payloads that add memories, None where it refuses one.

    They are read as one list, in a third of the time. That each is encoded as it stands there shows that none began or
    ended elsewhere; where one is not, each is read by itself.
    """
    encoded = [payload[SALT_BYTES:] for payload in payloads]
    try:
        plain = unpack_list(len(encoded), b"".join(encoded))
        if [*map(pack, plain)] != encoded:
            raise InvalidOp("expected the canonical encoding of each body, got another spelling of one")
    except (InvalidOp, ValueError):  # the latter of what is nested too deeply to be encoded
        return [*map(_remember_of, payloads)]
    bodies: list[ops.Remember | None] = []
    for body, payload in zip(plain, payloads, strict=True):
        is_plain = type(body) is list and len(body) == 2 and type(body[0]) is str and body[1] == {}
        # Nearly all; `check_text` has the same bounds.
        if is_plain and body[0] and not body[0].isspace() and len(body[0]) <= TEXT_BYTES_MAX // 4:
            bodies.append(ops.Remember(*body))
        else:
            bodies.append(_remember_of(payload))
    return bodies


def _remember_of(payload: bytes) -> ops.Remember | None:
    try:
        body = decode_payload(ops.OpKind.REMEMBER, payload)
    except InvalidOp:
        return None
    assert isinstance(body, ops.Remember)
    return body


# -- bodies as plain values -------------------------------------------------------------------------------------


def _plain(body: ops.Body) -> Any:
    match body:
        case ops.Remember():
            fields = body.fields
            return [body.text, {name: by_name(fields[name]) for name in sorted(fields)} if fields else {}]
        case ops.Edit():
            return [body.base, body.update]
        case ops.Set():
            return [body.name, by_name(body.value)]
        case ops.Forget() | ops.Erase() | ops.Propose() | ops.Receipt():
            return list(body.rids)
        case ops.Relate():
            weight = None if body.weight is None else float(body.weight)  # 1 and 1.0 are written alike
            return [body.source, body.relation, body.target, weight]
        case ops.Access():
            return [list(total) for total in body.totals]
        case ops.Claim():
            replaces = [wire_place(place) for place in body.replaces]
            return [body.entity, body.relation, body.value, replaces, body.valid_from]
        case ops.Resolve():
            return [[verdict.rid, wire_place(verdict.claim), verdict.keep] for verdict in body.verdicts]
        case ops.Withdraw():
            return [wire_place(place) for place in body.proposals]
        case ops.Trigger():
            return [body.trigger, body.status, body.kind, list(body.about)]
        case ops.Feedback():
            return [body.rid, [list(amount) for amount in body.amounts]]
        case ops.SaysSame():
            return [*body.rids, body.sureness]
        case ops.Unlink():
            return [wire_place(place) for place in body.links]
        case ops.SameSlot():
            (one, other), (claim, against) = body.rids, map(wire_place, body.claims)
            return [one, claim, other, against, body.same, body.by, body.sureness]
        case ops.Tag() | ops.Untag():
            return list(body.labels)
        case _:
            assert_never(body)


def by_name(value: Any) -> Any:
    """Return a value whose keys, where it has any, are in their order."""
    return {key: value[key] for key in sorted(value)} if isinstance(value, dict) else value


def _remember(plain: Any) -> ops.Remember:
    # No pattern here: nearly all ops are these, and a pattern costs three times these two tests.
    if type(plain) is list and len(plain) == 2:
        text, fields = plain
        if type(text) is str and type(fields) is dict and (not fields or set(map(type, fields)) == {str}):
            return ops.Remember(text, fields)
    raise _shape("[text, fields]", plain)


def _edit(plain: Any) -> ops.Edit:
    match plain:
        case [bytes(base), bytes(update)]:
            return ops.Edit(base, update)
    raise _shape("[base, update]", plain)


def _set(plain: Any) -> ops.Set:
    match plain:
        case [str(name), value]:
            return ops.Set(name, value)
    raise _shape("[name, value]", plain)


def _rids(plain: Any) -> tuple[MemoryId, ...]:
    match plain:
        case [*rids] if all(isinstance(rid, bytes) for rid in rids):
            return tuple(MemoryId(rid) for rid in rids)
    raise _shape("a list of memory ids", plain)


def _relate(plain: Any) -> ops.Relate:
    match plain:
        case [str(source), str(relation), str(target), float() | None as weight]:
            return ops.Relate(source, relation, target, weight)
    raise _shape("[source, relation, target, weight]", plain)


def _access(plain: Any) -> ops.Access:
    totals = []
    for item in plain if isinstance(plain, list) else [plain]:
        match item:
            case [bytes(rid), int(count), int(last)] if type(count) is type(last) is int:
                totals.append((MemoryId(rid), count, last))
            case _:
                raise _shape("a list of [memory id, count, last]", plain)
    return ops.Access(tuple(totals))


def _claim(plain: Any) -> ops.Claim:
    match plain:
        case [str(entity), str(relation), str(value), list(replaces), int() | None as valid_from]:
            return ops.Claim(
                entity, relation, value, tuple(read_place(place) for place in replaces), valid_from
            )
    raise _shape("[entity, relation, value, replaces, valid from]", plain)


def _resolve(plain: Any) -> ops.Resolve:
    verdicts = []
    for item in plain if isinstance(plain, list) else [plain]:
        match item:
            case [bytes(rid), claim, bool(keep)]:
                verdicts.append(ops.ClaimVerdict(MemoryId(rid), read_place(claim), keep))
            case _:
                raise _shape("a list of [memory id, claim, keep]", plain)
    return ops.Resolve(tuple(verdicts))


def verdicts_in(payload: bytes) -> dict[bytes, bool]:
    """Return what a resolution says of each claim, by the claim's short id: whether to keep it.

    For a payload that `decode_payload` took before: to check thousands of verdicts again takes many times as long.
    """
    return {claim[-1]: keep for _, claim, keep in unpack(payload[SALT_BYTES:])}


def _withdraw(plain: Any) -> ops.Withdraw:
    match plain:
        case [*places]:
            return ops.Withdraw(tuple(read_place(place) for place in places))
    raise _shape("a list of places", plain)


def _trigger(plain: Any) -> ops.Trigger:
    match plain:
        case [bytes(trigger), int(status), str(kind), list(about)] if type(status) is int:
            return ops.Trigger(trigger, status, kind, _rids(about))
    raise _shape("[trigger, status, kind, about]", plain)


def _feedback(plain: Any) -> ops.Feedback:
    match plain:
        case [bytes(rid), [*amounts]]:
            read = []
            for item in amounts:
                match item:
                    case [str(signal), int(amount)] if type(amount) is int:
                        read.append((signal, amount))
                    case _:
                        raise _shape("a list of [signal, amount]", amounts)
            return ops.Feedback(MemoryId(rid), tuple(read))
    raise _shape("[memory id, amounts]", plain)


def _says_same(plain: Any) -> ops.SaysSame:
    match plain:
        case [bytes(one), bytes(other), int(sureness)] if type(sureness) is int:
            return ops.SaysSame((MemoryId(one), MemoryId(other)), sureness)
    raise _shape("[memory id, memory id, sureness]", plain)


def _unlink(plain: Any) -> ops.Unlink:
    match plain:
        case [*places]:
            return ops.Unlink(tuple(read_place(place) for place in places))
    raise _shape("a list of places", plain)


def _same_slot(plain: Any) -> ops.SameSlot:
    match plain:
        case [bytes(one), claim, bytes(other), against, bool() | None as same, int(by), int(sureness)] if (
            type(by) is type(sureness) is int
        ):
            claims = read_place(claim), read_place(against)
            return ops.SameSlot((MemoryId(one), MemoryId(other)), claims, same, by, sureness)
    raise _shape("[memory id, claim, memory id, claim, same, by, sureness]", plain)


def _labels(plain: Any) -> tuple[str, ...]:
    match plain:
        case [*labels] if all(isinstance(label, str) for label in labels):
            return tuple(labels)
    raise _shape("a list of labels", plain)


_BODY_READERS: Final[Mapping[int, Callable[[Any], ops.Body]]] = {
    ops.OpKind.REMEMBER: _remember,
    ops.OpKind.EDIT: _edit,
    ops.OpKind.SET: _set,
    ops.OpKind.FORGET: lambda plain: ops.Forget(_rids(plain)),
    ops.OpKind.ERASE: lambda plain: ops.Erase(_rids(plain)),
    ops.OpKind.RELATE: _relate,
    ops.OpKind.ACCESS: _access,
    ops.OpKind.CLAIM: _claim,
    ops.OpKind.RESOLVE: _resolve,
    ops.OpKind.PROPOSE: lambda plain: ops.Propose(_rids(plain)),
    ops.OpKind.WITHDRAW: _withdraw,
    ops.OpKind.TRIGGER: _trigger,
    ops.OpKind.RECEIPT: lambda plain: ops.Receipt(_rids(plain)),
    ops.OpKind.FEEDBACK: _feedback,
    ops.OpKind.SAYS_SAME: _says_same,
    ops.OpKind.UNLINK: _unlink,
    ops.OpKind.TAG: lambda plain: ops.Tag(_labels(plain)),
    ops.OpKind.UNTAG: lambda plain: ops.Untag(_labels(plain)),
    ops.OpKind.SAME_SLOT: _same_slot,
}


def _shape(expected: str, plain: object) -> InvalidOp:
    return InvalidOp(f"expected {expected}, got {short(plain)}")


# -- rules that a body obeys, whoever made it ------------------------------------------------------------------


def _check(body: ops.Body, *, by_any: bool) -> None:
    match body:
        case ops.Remember():
            check_text(body.text)
            if body.fields:
                check_fields(body.fields, by_any=by_any)
        case ops.Edit():
            if len(body.base) != ID8_BYTES:
                raise InvalidOp(f"expected {ID8_BYTES} bytes that name a document, got {len(body.base)}")
        case ops.Set():
            check_field(body.name, body.value, by_any=by_any)
        case ops.Forget() | ops.Erase() | ops.Propose() | ops.Receipt():
            _check_rids(body.rids)
        case ops.Relate():
            for name in (body.source, body.relation, body.target):
                _check_name(name)
            if body.weight is not None and not 0 <= body.weight <= 1:
                raise InvalidOp(f"expected a weight from 0 to 1, got {body.weight!r}")
        case ops.Access():
            _check_rids(tuple(rid for rid, _, _ in body.totals))
            for _, count, last in body.totals:
                if not 0 <= count <= ACCESSES_MAX or not 0 <= last <= MS_MAX:
                    raise InvalidOp(
                        f"expected from 0 to {ACCESSES_MAX} accesses and a time up to {MS_MAX}, got {count}, {last}"
                    )
        case ops.Claim():
            for name in (body.entity, body.relation, body.value):
                _check_name(name)
            _check_places(body.replaces)
            if body.valid_from is not None:
                check_field("event_start", body.valid_from)
        case ops.Resolve():
            _check_rids(tuple(verdict.rid for verdict in body.verdicts), unique=False)
            _check_places(tuple(verdict.claim for verdict in body.verdicts))
        case ops.Withdraw():
            _check_places(body.proposals)
        case ops.Trigger():
            if len(body.trigger) != MEMORY_ID_BYTES or not 0 <= body.status <= 3:
                raise InvalidOp(f"expected a 16-byte trigger id and a status from 0 to 3, got {short(body)}")
            _check_name(body.kind)
            if body.about:
                _check_rids(body.about)
        case ops.Feedback():
            _check_rids((body.rid,))
            _check_amounts(body.amounts)
        case ops.SaysSame():
            _check_rids(body.rids)
            _check_sureness(body.sureness)
        case ops.SameSlot():
            _check_rids(body.rids, unique=False)
            _check_places(body.claims)
            (one, other), (claim, against) = body.rids, body.claims
            if not (one, claim) < (other, against):
                raise InvalidOp("expected two claims in the order of their memories and places")
            if not 1 <= body.by <= JUDGES_MAX:
                raise InvalidOp(f"expected from 1 to {JUDGES_MAX} who tells, got {body.by}")
            _check_sureness(body.sureness)
        case ops.Unlink():
            _check_places(body.links)
        case ops.Tag() | ops.Untag():
            if not body.labels:
                raise InvalidOp("expected at least one label, got none")
            check_field("tags", list(body.labels))
        case _:
            assert_never(body)


def check_text(text: str) -> None:
    """Refuse a memory text that says nothing, or that is a document rather than a memory."""
    if not text.strip():
        raise InvalidOp("expected some text to remember, got none")
    if len(text) > TEXT_BYTES_MAX // 4 and (size := len(text.encode())) > TEXT_BYTES_MAX:
        raise TooLarge(f"expected a text of at most {TEXT_BYTES_MAX} bytes, got {size}; split it")


def _check_name(name: str) -> None:
    if not name.strip():
        raise InvalidOp("expected a name, got none")
    if len(name.encode()) > FIELD_STRING_BYTES_MAX:
        raise TooLarge(f"expected a name of at most {FIELD_STRING_BYTES_MAX} bytes, got {len(name.encode())}")


def _check_rids(rids: tuple[MemoryId, ...], *, unique: bool = True) -> None:
    if not rids:
        raise InvalidOp("expected at least one memory id, got none")
    _check_many(rids)
    if any(len(rid) != MEMORY_ID_BYTES for rid in rids):
        raise InvalidOp(f"expected memory ids of {MEMORY_ID_BYTES} bytes")
    if unique and list(rids) != sorted(set(rids)):
        raise InvalidOp("expected memory ids sorted and each once")


def _check_amounts(amounts: tuple[tuple[str, int], ...]) -> None:
    if not 1 <= len(amounts) <= SIGNALS_MAX:
        raise InvalidOp(f"expected amounts for 1 to {SIGNALS_MAX} signals, got {len(amounts)}")
    signals = [signal for signal, _ in amounts]
    for signal, amount in amounts:
        _check_name(signal)
        if not -WHOLE_AMOUNT <= amount <= WHOLE_AMOUNT:
            raise InvalidOp(f"expected an amount from {-WHOLE_AMOUNT} to {WHOLE_AMOUNT}, got {amount}")
    if signals != sorted(set(signals)):
        raise InvalidOp("expected signals sorted and each once")


def _check_sureness(sureness: int) -> None:
    if not 1 <= sureness <= SURENESS_MAX:
        raise InvalidOp(f"expected a sureness from 1 to {SURENESS_MAX}, got {sureness}")


def _check_places(places: tuple[OpRef, ...]) -> None:
    _check_many(places)
    for origin, seq, id8 in places:
        if (len(origin.device), len(origin.incarnation), len(id8)) != _PLACE_SIZES or seq < 1:
            raise InvalidOp(f"expected the place of an op, got {short((*origin, seq, id8))}")


def _check_many(names: tuple[object, ...]) -> None:
    if len(names) > NAMES_MAX:
        raise TooLarge(f"expected at most {NAMES_MAX} ids in one op, got {len(names)}")
