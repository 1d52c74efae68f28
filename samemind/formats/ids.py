"""Find what people mean by the beginning of an id, or by a device's name."""

import sqlite3
import string
from typing import Final

from replica import Core, DeviceId, MemoryId, show_memory_id
from replica.history import texts_told
from replica.reads.devices import devices_between, devices_named
from replica.reads.ids import forgotten_between, ids_between
from samemind.errors import Ambiguous, NeedsDecision, NotFound, Usage
from samemind.formats.rendering import DEVICE_DIGITS

# Shorter ones fit too many to be meant.
PREFIX_CHARACTERS_MIN: Final = 6
CANDIDATES_MAX: Final = 5
SHOWS_IDS: Final = "`samemind recall` shows the id of each memory that it finds"
_MEMORY_DIGITS: Final = 32
_DEVICE_DIGITS: Final = 64
_HEX: Final = frozenset(string.hexdigits)


def find_memory(
    connection: sqlite3.Connection, text: str, *, forgotten: bool = False, summary: bool = False
) -> MemoryId:
    """Return the memory that an id or its beginning names.

    With `forgotten`, one with a tombstone will do; with `summary`, a summary, which is otherwise refused: what is
    computed can be neither changed nor forgotten.
    """
    low, high = id_range(text, "a memory")
    found = ids_between(connection, low, high, limit=CANDIDATES_MAX)
    if not found:
        from cognition.consolidation.tables import summaries_between  # here: names of devices need none of it

        found = summaries_between(connection, low, high, limit=CANDIDATES_MAX)
        if found and not summary:
            raise NeedsDecision(
                f"{show_memory_id(found[0])} is a summary, whose text is taken from other memories",
                code="summary",
                hint="`samemind get` names these; `samemind unconsolidate` takes the summary apart",
            )
    if not found:
        tombstones = forgotten_between(connection, low, high, limit=CANDIDATES_MAX)
        if not tombstones:
            raise NotFound(f"no memory has the id {text}", hint=SHOWS_IDS)
        if not forgotten:
            raise NotFound(
                f"the memory {show_memory_id(tombstones[0])} was forgotten",
                code="forgotten",
                hint="what is forgotten does not come back; `samemind remember` stores it anew",
            )
        found = tombstones
    if len(found) > 1:
        raise ambiguous("memories", text, tuple(show_memory_id(rid) for rid in found))
    return found[0]


def id_range(text: str, what: str) -> tuple[bytes, bytes]:
    """Return the first and the last id that begin so, of something whose ids are as long as a memory's."""
    return _range(text, _MEMORY_DIGITS, what)


def check_asked_again(core: Core, rid: MemoryId, text: str) -> None:
    """Refuse a telling under the id of another one: it would be acknowledged, and be nowhere.

    What was forgotten cannot be compared any more: it was stored, and is gone.
    """
    told = texts_told(core.store, rid)
    if told and text not in told:
        name = show_memory_id(rid)
        raise Usage(
            f"expected an id that no other memory has, got {name}, stored with another text", code="id_taken"
        )


def find_device(connection: sqlite3.Connection, text: str) -> DeviceId:
    """Return the member that a name, an id or its beginning names."""
    named = devices_named(connection, text, limit=CANDIDATES_MAX)
    if len(named) > 1:
        raise Ambiguous(
            f"several devices are called {text:.40}: {', '.join(each.hex()[:DEVICE_DIGITS] for each in named)}",
            hint="give the id instead; `samemind peers rename ID NAME` tells them apart",
            candidates=tuple(each.hex() for each in named),
        )
    if not named:
        try:
            low, high = _range(text, _DEVICE_DIGITS, "a device")
        except Usage:
            raise NotFound(f"no device is called {text[:40]!r}", hint="`samemind peers` lists them") from None
        named = devices_between(connection, low, high, limit=CANDIDATES_MAX)
    if not named:
        raise NotFound(f"no device has the id {text}", hint="`samemind peers` lists them")
    if len(named) > 1:
        raise ambiguous("devices", text, tuple(device.hex() for device in named))
    return named[0]


def _range(text: str, digits: int, what: str) -> tuple[bytes, bytes]:
    """Return the first and the last id that begin so."""
    plain = text.strip().replace("-", "").lower()
    if not PREFIX_CHARACTERS_MIN <= len(plain) <= digits or not set(plain) <= _HEX:
        raise Usage(
            f"expected the id of {what}, or its first {PREFIX_CHARACTERS_MIN} or more digits, got {text!r:.60}",
            code="bad_id",
        )
    return bytes.fromhex(plain.ljust(digits, "0")), bytes.fromhex(plain.ljust(digits, "f"))


def ambiguous(what: str, text: str, candidates: tuple[str, ...]) -> Ambiguous:
    """Return the error of a beginning that several ids have; at most `CANDIDATES_MAX` of them are named."""
    return Ambiguous(
        f"{text} is the beginning of several {what}: {', '.join(candidates)}",
        hint="type more of the id",
        candidates=candidates,
    )
