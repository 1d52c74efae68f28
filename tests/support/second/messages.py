"""The second reader: the messages of a conversation, field by field as docs/protocol/wire.md lists them."""

from collections.abc import Callable
from typing import Any, Final

from tests.support.second.frames import Refused, unpack

Check = Callable[[Any], bool]


def _bytes(length: int) -> Check:
    return lambda value: type(value) is bytes and len(value) == length


def _upto(kind: type[bytes] | type[str], most: int) -> Check:
    return lambda value: type(value) is kind and len(value) <= most


def _from(low: int, high: int = 2**63 - 1) -> Check:
    return lambda value: type(value) is int and low <= value <= high


def _or_nil(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _each(check: Check, most: int = 2**63) -> Check:
    return lambda value: type(value) is list and len(value) <= most and all(map(check, value))


def _row(*checks: Check) -> Check:
    def fits(value: Any) -> bool:
        return (
            type(value) is list
            and len(value) == len(checks)
            and all(check(each) for check, each in zip(checks, value, strict=True))
        )

    return fits


_FLAG: Final[Check] = lambda value: type(value) is bool  # noqa: E731
_DIGEST = _bytes(32)
_PLACE = _row(_DIGEST, _bytes(8), _from(1), _bytes(8))
_BY_ORIGIN = _each(_row(_DIGEST, _bytes(8), _each(_row(_from(1), _bytes(8)))))
_INTRODUCTION = _row(_bytes(32), _upto(bytes, 2_048), _upto(str, 256), _DIGEST, _bytes(64))

# The messages by number: name, and each value behind the number with what it may be.
MESSAGES: Final[dict[int, tuple[str, dict[str, Check]]]] = {
    1: (
        "Hello",
        {
            "protocol": _from(2, 2),
            "clock_ms": _from(-(2**63)),
            "trust": _DIGEST,
            "frontier": _DIGEST,
            "folded": _FLAG,
            "credits": _from(1, 1_000),
            "space": _or_nil(_DIGEST),
        },
    ),
    2: (
        "Trust",
        {
            "introductions": _each(_INTRODUCTION),
            "revocations": _each(_row(_DIGEST, _DIGEST, _bytes(64))),
            "proofs": _each(_upto(bytes, 15_728_640)),
            "more": _FLAG,
        },
    ),
    3: ("Heads", {"frontier": _each(_PLACE, 10_000), "snapshot": _or_nil(_DIGEST), "parts": _from(0, 1_024)}),
    4: ("Locator", {"places": _BY_ORIGIN}),
    5: ("Known", {"places": _BY_ORIGIN}),
    6: ("Ops", {"last": _FLAG, "frame": _upto(bytes, 2**24)}),
    7: (
        "Ack",
        {"taken": _from(0), "refused": _each(_row(_DIGEST, _bytes(8), _from(1), _upto(str, 300), _FLAG), 10_000)},
    ),
    8: ("CaughtUp", {}),
    9: ("Bye", {"reason": _upto(str, 300)}),
    10: (
        "Base",
        {"index": _from(0, 1_023), "count": _from(1, 1_024), "digest": _DIGEST, "part": _upto(bytes, 2**20)},
    ),
    11: ("Want", {"wishes": _upto(bytes, 128 * 32)}),
    12: ("Grant", {"vectors": _each(_or_nil(_upto(bytes, 8_192)), 128)}),
    13: ("Inquiry", {"question": _upto(str, 1_000), "limit": _from(1, 200)}),
    14: ("Findings", {"rids": _or_nil(_upto(bytes, 200 * 16))}),
}  # fmt: skip


def read_message(data: bytes) -> tuple[str, dict[str, Any]]:
    """Return the name of a message and what it says; places by origin are told one by one."""
    plain = unpack(data)
    if type(plain) is not list or not plain or plain[0] not in MESSAGES:
        raise Refused("no message")
    name, shape = MESSAGES[plain[0]]
    if len(plain) != len(shape) + 1:
        raise Refused(f"another number of values than a {name} has")
    said = dict(zip(shape, plain[1:], strict=True))
    for value, check in shape.items():
        if not check(said[value]):
            raise Refused(f"{value} of a {name}")
    match name:
        case "Heads" if (said["snapshot"] is None) != (said["parts"] == 0):
            raise Refused("parts of no snapshot, or none of one")
        case "Base" if said["index"] >= said["count"]:
            raise Refused("a part behind the last")
        case "Locator" | "Known":
            said["places"] = [[*origin, *pair] for *origin, pairs in said["places"] for pair in pairs]
            if len(said["places"]) > 10_000:
                raise Refused("too many places")
        case "Inquiry" if not said["question"]:
            raise Refused("a question that asks nothing")
        case "Findings" if said["rids"] is not None:
            named = said["rids"]
            if len(named) % 16:
                raise Refused("a part of an id")
            said["rids"] = [named[at : at + 16] for at in range(0, len(named), 16)]
        case "Want":
            named = said["wishes"]
            if not named or len(named) % 32:
                raise Refused("a part of a wish")
            said["wishes"] = [
                [named[at : at + 16], named[at + 16 : at + 32]] for at in range(0, len(named), 32)
            ]
    return name, said
