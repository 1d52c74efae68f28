"""Spoil what was right: bytes, and plain values of any depth, by a random number generator that is given."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from replica import codec

# What readers forget: the wrong type, the edge of a range, what equals something else, what cannot be hashed.
ODD: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 2, 255, 2**31, 2**48, 2**53, 2**63 - 1, 2**64 - 1, -(2**63), 0.0, -0.5, 1.5, 1e308,
    float("nan"), float("inf"), "", " ", "x", "\x00", "ünïcödé", "x" * 20_000, b"", b"\x00", bytes(8), bytes(16),
    bytes(32), b"\xff" * 16, [], [[]], [None], {}, {"x": 1}, {b"": None}, {1: 2}, [1, 2, 3],
)  # fmt: skip


def mangled_bytes(random: Random, data: bytes) -> bytes:
    """Flip, cut, double and insert a few bytes."""
    spoiled = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(spoiled) + 1)
        match random.randrange(5):
            case 0 | 1 if at < len(spoiled):
                spoiled[at] = random.randrange(256)
            case 2:
                del spoiled[at:]
            case 3:
                spoiled[at:at] = random.randbytes(random.randint(1, 4))
            case _:
                spoiled[at:at] = spoiled[at : at + random.randint(1, 40)]
    return bytes(spoiled)


def mangled(random: Random, plain: Any) -> Any:
    """Return a copy of a plain value that differs in one place, or sometimes in a few."""
    for _ in range(1 if random.random() < 0.8 else random.randint(2, 4)):
        plain = _mangled_once(random, plain)
    return plain


def _mangled_once(random: Random, plain: Any) -> Any:
    if not isinstance(plain, list | tuple | dict) or not plain or random.random() < 0.12:
        return _other(random, plain)
    if isinstance(plain, dict):
        keys = list(plain)
        key = random.choice(keys)
        match random.randrange(6):
            case 0:
                return {each: plain[each] for each in keys if each != key}
            case 1:
                return {**plain, random.choice(["x", b"x", 0, -1, 2**40, b"\x01" * 16]): plain[key]}
            case _:
                return {**plain, key: _mangled_once(random, plain[key])}
    items, at = list(plain), random.randrange(len(plain))
    match random.randrange(10):
        case 0:
            del items[at]
        case 1:
            items.insert(at, items[at])
        case 2:
            items.insert(at, random.choice(ODD))
        case 3 if len(items) > 1:
            other = random.randrange(len(items))
            items[at], items[other] = items[other], items[at]
        case _:
            items[at] = _mangled_once(random, items[at])
    return items


def _other(random: Random, value: Any) -> Any:
    """Return a neighbour of a value, or anything at all."""
    near: dict[type, Callable[[Any], Any]] = {
        bytes: lambda it: mangled_bytes(random, it),
        int: lambda it: it + random.choice((-1, 1, 2**20)),
        str: lambda it: it[: random.randrange(len(it) + 1)] + random.choice(("", "x", "\x00")),
        bool: lambda it: int(it),
        float: lambda it: it * 2 - 1,
    }
    if type(value) in near and random.random() < 0.6:
        return near[type(value)](value)
    return random.choice(ODD)


def as_json(plain: Any) -> bytes:
    """Return what was spoiled as JSON, or as something like it where JSON has no words for it."""
    return json.dumps(_sayable(plain)).encode()


def _sayable(plain: Any) -> Any:
    match plain:
        case dict():
            return {key if isinstance(key, str) else repr(key): _sayable(each) for key, each in plain.items()}
        case list() | tuple():
            return [_sayable(each) for each in plain]
        case bytes():
            return repr(plain)
        case _:
            return plain


def packed(plain: Any) -> bytes:
    """Pack what was spoiled; where msgpack has no words for it, something that it has."""
    try:
        return codec.pack(plain)
    except (OverflowError, ValueError, TypeError):
        return codec.pack("what msgpack cannot say")
