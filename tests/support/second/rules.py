"""The second reader: the rules that a body obeys. One that breaks a rule is kept and forwarded, without effect."""

import math
from typing import Any, Final

from pycrdt import Doc

from tests.support.second.frames import Refused

_NAMES_MAX: Final = 10_000
_STRING_MAX: Final = 16_384
_MS_MAX: Final = 2**47 - 1
_BLANK: Final = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_BOUNDS: Final = {
    "importance": (0, 1),
    "valence": (-1, 1),
    "certainty": (0, 1),
    "half_life": (1e-3, 1e12),
}
_WHOLE: Final = {
    "position": (0, 2**63 - 1),
    "told_at": (-_MS_MAX, _MS_MAX),
    "event_start": (-_MS_MAX, _MS_MAX),
    "event_end": (-_MS_MAX, _MS_MAX),
}
_WORDS: Final = [
    "type",
    "goal",
    "domain",
    "project",
    "topic",
    "speaker",
    "conversation",
    "turn",
    "source",
    "workspace",
    "block",
]
_FLAGS: Final = ("pinned", "archived", "apart")


def _need(held: bool) -> None:
    if not held:
        raise Refused("a rule is broken")


def _is(value: Any, kind: type) -> bool:
    return type(value) is kind


def _short(text: Any) -> None:
    _need(_is(text, str) and text.strip(_BLANK) != "" and len(text.encode()) <= _STRING_MAX)


def _ids(ids: Any, *, sorted_once: bool = True) -> None:
    _need(
        _is(ids, list)
        and 1 <= len(ids) <= _NAMES_MAX
        and all(_is(each, bytes) and len(each) == 16 for each in ids)
    )
    _need(not sorted_once or ids == sorted(set(ids)))


def _edit(update: bytes) -> None:
    """What an edit may hold: one new client's strings, and deletions."""
    at = iter(update)

    def number(most: int, least: int = 0) -> int:
        found = place = 0
        for byte in at:
            found, place = found | (byte & 127) << place, place + 7
            if byte < 128:
                break
            _need(place < 60)
        _need(place > 0 and least <= found <= most)
        return found

    units = 0
    behind: set[tuple[int, int] | None] = set()
    clients: set[int] = set()
    for _ in range(number(1)):
        structs, client = number(10_000, 1), number(2**53 - 1)
        number(0)
        for _ in range(structs):
            info = next(at)
            beside: list[tuple[int, int] | None] = [
                (number(2**53 - 1), number(1 << 20)) if info & bit else None for bit in (128, 64)
            ]
            _need(all(each is None or each[0] != client or each[1] < units for each in beside))
            if info:
                _need(beside[0] not in behind)
                behind.add(beside[0])
            if info and beside == [None, None]:
                _need(number(1) == 1 and bytes(next(at) for _ in range(number(4, 4))) == b"text")
            if info & 63 == 4:
                text = bytes(next(at) for _ in range(number(len(update)))).decode()
                units += len(text.encode("utf-16-le")) // 2
                _need(text != "")
            else:
                _need(info == 0 or info & 63 == 1)
                units += number(1 << 20, 1)
            _need(units <= 1 << 20)
    for _ in range(number(10**6)):
        client = number(2**53 - 1)
        _need(client not in clients)
        clients.add(client)
        for _ in range(number(10**6)):
            number((1 << 20) - number(1 << 20), 1)
    _need(next(at, None) is None)


def _place(place: Any) -> None:
    _need(_is(place, list) and len(place) == 4)
    device, incarnation, seq, short = place
    _need(_is(device, bytes) and len(device) == 32 and _is(incarnation, bytes) and len(incarnation) == 8)
    _need(_is(seq, int) and seq >= 1 and _is(short, bytes) and len(short) == 8)


def _plain(value: Any) -> None:
    if _is(value, str) or _is(value, bytes):
        _need(len(value.encode() if _is(value, str) else value) <= _STRING_MAX)
    elif _is(value, int):
        _need(-(2**63) <= value < 2**63)
    elif _is(value, float):
        _need(math.isfinite(value))
    else:
        _need(value is None or _is(value, bool))


def check_field(name: Any, value: Any) -> None:
    """What a field may hold, known or not."""
    _need(_is(name, str) and 1 <= len(name) <= _STRING_MAX)
    if value is None:
        return
    if _is(value, list):
        for each in value:
            _need(_is(each, str))
            _plain(each)
    elif _is(value, dict):
        for key, each in value.items():
            _need(_is(key, str))
            _plain(key)
            _plain(each)
    else:
        _plain(value)
    if name in _WORDS:
        _need(_is(value, str) and value != "")
    elif name in _FLAGS:
        _need(_is(value, bool))
    elif name in _BOUNDS:
        _need((_is(value, int) or _is(value, float)) and _BOUNDS[name][0] <= value <= _BOUNDS[name][1])
    elif name in _WHOLE:
        _need(_is(value, int) and _WHOLE[name][0] <= value <= _WHOLE[name][1])
    elif name == "parent":
        _need(_is(value, bytes) and len(value) == 16)
    elif name == "tags":
        _need(_is(value, list) and len(value) <= 64 and all(value) and value == sorted(set(value)))
    elif name == "meta":
        _need(_is(value, dict) and len(value) <= 256 and not any(_is(each, bytes) for each in value.values()))


def check_body(kind: int, body: Any) -> None:
    """Hold a body to the rules of its kind."""
    _need(_is(body, list))
    match kind, body:
        case 1, [text, fields]:
            _need(_is(text, str) and text.strip(_BLANK) != "" and len(text.encode()) <= 1_048_576)
            _need(_is(fields, dict) and len(fields) <= 512)
            for name, value in fields.items():
                check_field(name, value)
        case 2, [base, update]:
            _need(_is(base, bytes) and len(base) == 8 and _is(update, bytes))
            try:
                _edit(update)
                Doc().apply_update(update)
            except (ValueError, RuntimeError, StopIteration):
                raise Refused("no Yjs update") from None
        case 3, [name, value]:
            check_field(name, value)
        case 4 | 5 | 10 | 13, ids:
            _ids(ids)
        case 6, [source, relation, target, weight]:
            for name in (source, relation, target):
                _short(name)
            _need(weight is None or (_is(weight, float) and 0 <= weight <= 1))
        case 7, totals:
            _need(all(_is(each, list) and len(each) == 3 for each in totals))
            _ids([memory for memory, _, _ in totals])
            for _, count, last in totals:
                _need(_is(count, int) and 0 <= count <= 2**48 and _is(last, int) and 0 <= last <= _MS_MAX)
        case 8, [entity, relation, value, replaces, valid_from]:
            for name in (entity, relation, value):
                _short(name)
            _need(_is(replaces, list) and len(replaces) <= _NAMES_MAX)
            for place in replaces:
                _place(place)
            check_field("event_start", valid_from)
        case 9, verdicts:
            _need(all(_is(each, list) and len(each) == 3 for each in verdicts))
            _ids([memory for memory, _, _ in verdicts], sorted_once=False)
            for _, claim, keep in verdicts:
                _place(claim)
                _need(_is(keep, bool))
        case 11 | 16, places:
            _need(len(places) <= _NAMES_MAX)
            for place in places:
                _place(place)
        case 12, [trigger, status, named, about]:
            _need(_is(trigger, bytes) and len(trigger) == 16 and _is(status, int) and 0 <= status <= 3)
            _short(named)
            if about != []:
                _ids(about)
        case 15, [one, other, sureness]:
            _ids([one, other])
            _need(_is(sureness, int) and 1 <= sureness <= 100)
        case 19, [one, claim, other, against, same, by, sureness]:
            _ids([one, other], sorted_once=False)
            _place(claim)
            _place(against)
            _need((one, claim) < (other, against) and (same is None or _is(same, bool)))
            _need(_is(by, int) and 1 <= by <= 4 and _is(sureness, int) and 1 <= sureness <= 100)
        case 17 | 18, labels:
            _need(len(labels) > 0)
            check_field("tags", labels)
        case 14, [memory, amounts]:
            _ids([memory])
            _need(_is(amounts, list) and 1 <= len(amounts) <= 256)
            for signal, amount in amounts:
                _short(signal)
                _need(_is(amount, int) and -1_000_000_000 <= amount <= 1_000_000_000)
            signals = [signal for signal, _ in amounts]
            _need(signals == sorted(set(signals)))
        case _:
            raise Refused("not the shape of this kind")
