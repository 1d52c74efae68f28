"""Signatures by which libraries of Ed25519 are told apart: keys and points with a part of small order, odd encodings.

RFC 8032 lets a library check with the cofactor or without it; whoever holds a key can make signatures that only one of
the two takes. The curve is written out here, after section 5.1 of that document, since no library would help to make
them.
"""

import hashlib
from collections.abc import Iterator
from random import Random

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
_NEUTRAL = (0, 1)

Point = tuple[int, int]
Case = tuple[bytes, bytes, bytes]


def _x(y: int) -> int | None:
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    for x in ((root := pow(square, (_P + 3) // 8, _P)), root * _ROOT % _P):
        if (x * x - square) % _P == 0:
            return x if x % 2 == 0 else _P - x
    return None


def _plus(a: Point, b: Point) -> Point:
    (x1, y1), (x2, y2) = a, b
    both = _D * x1 * x2 * y1 * y2 % _P
    return (
        (x1 * y2 + y1 * x2) * pow(1 + both, -1, _P) % _P,
        (y1 * y2 + x1 * x2) * pow(1 - both, -1, _P) % _P,
    )


def _times(number: int, point: Point) -> Point:
    sum_ = _NEUTRAL
    while number:
        if number & 1:
            sum_ = _plus(sum_, point)
        point, number = _plus(point, point), number >> 1
    return sum_


def _bytes(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def _of_order_8(random: Random) -> Point:
    while True:
        y = random.randrange(_P)
        x = _x(y)
        if x is not None and _times(4, found := _times(_ORDER, (x, y))) != _NEUTRAL:
            return found


def cases(random: Random) -> Iterator[Case]:
    """Yield keys, messages and signatures: some good, most of them not, and many on which libraries disagree."""
    y = 4 * pow(5, -1, _P) % _P
    base = (_x(y) or 0, y)
    small = _of_order_8(random)
    for number in range(64):
        secret, once, message = random.randrange(_ORDER), random.randrange(_ORDER), random.randbytes(20)
        key = _bytes(_plus(_times(secret, base), _times(number % 8, small)))
        r = _bytes(_plus(_times(once, base), _times(number // 8, small)))
        hashed = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little")
        s = (once + hashed * secret) % _ORDER
        yield key, message, r + s.to_bytes(32, "little")
        yield key, message, r + (s + _ORDER).to_bytes(32, "little")
        yield key, message, r + bytes(32)
    yield from _of_small_keys(random, base, [_bytes(_times(number, small)) for number in range(8)])


def _of_small_keys(random: Random, base: Point, small: list[bytes]) -> Iterator[Case]:
    sign = 1 << 255
    odd = [number.to_bytes(32, "little") for number in (1 | sign, _P, _P + 1, _P | sign, _P + 1 | sign)]
    for key in [*small, *odd, b"\xff" * 32, b"\x02" + bytes(31)]:
        for _ in range(8):
            message, once = random.randbytes(8), random.randrange(_ORDER)
            yield key, message, _bytes(_times(once, base)) + once.to_bytes(32, "little")
            for r in small:
                yield key, message, r + bytes(32)
