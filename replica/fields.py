"""Say which fields a memory has beside its text, and what each may hold.

Every field is a register of its own, so that setting one never reverts another. A field that this version
does not know is kept and forwarded as it came (register writes carry no version: `seen` covers what is held,
understood or not), but people here can only write fields they can read. Likewise a word that this version does not
list: a later one may list a ninth type, and its writes fold here as they do there, or the two would part for good.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from json.encoder import encode_basestring
from typing import Any, Final

from replica.errors import InvalidOp, TooLarge, short
from replica.hlc import COUNTER_BITS, HLC_MAX, year_of
from replica.limits import FIELD_STRING_BYTES_MAX, FIELDS_MAX, META_ENTRIES_MAX, TAGS_MAX
from replica.memory_types import MEMORY_TYPES
from replica.values import dataclass

Scalar = None | bool | int | float | str | bytes
Value = Scalar | list[str] | dict[str, Scalar]

GOAL_STATES: Final = ("open", "done")
_as_json: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
MS_MAX: Final = HLC_MAX >> COUNTER_BITS
INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Field:
    """One known field: what it is for, how SQLite holds it, and the check that refuses a wrong value.

    `words`: those that are written here, where the field holds one of a list; a later version may list more.
    `later`: it came after 0.1.0, whose programs fold whatever somebody writes in a field that they do not know. So does
    this one, or the two would part for good; what the field cannot hold shows nowhere, and is kept.
    """

    name: str
    meaning: str
    column: str
    check: Callable[[Value], None]
    words: tuple[str, ...] = ()
    later: bool = False


def _text(value: Value) -> None:
    if not isinstance(value, str):
        raise InvalidOp(f"expected text, got {short(value)}")
    if not value:
        raise InvalidOp("expected text, got an empty string (leave the field out or set it to null)")


def _flag(value: Value) -> None:
    if not isinstance(value, bool):
        raise InvalidOp(f"expected true or false, got {short(value)}")


def _number(low: float, high: float) -> Callable[[Value], None]:
    def check(value: Value) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidOp(f"expected a number from {low:g} to {high:g}, got {short(value)}")
        if not low <= value <= high:  # also refuses NaN
            raise InvalidOp(f"expected a number from {low:g} to {high:g}, got {short(value)}")

    return check


def _whole(low: int, high: int) -> Callable[[Value], None]:
    def check(value: Value) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise InvalidOp(f"expected a whole number from {low} to {high}, got {short(value)}")

    return check


def _moment(value: Value) -> None:
    try:
        _whole(-MS_MAX, MS_MAX)(value)
    except InvalidOp:
        found = f"the year {year_of(value)}" if type(value) is int else short(value)
        raise InvalidOp(
            f"expected a time between the years {year_of(-MS_MAX)} and {year_of(MS_MAX)}, in whole milliseconds"
            f" since 1970, got {found}"
        ) from None


def _tags(value: Value) -> None:
    if not isinstance(value, list):
        raise InvalidOp(f"expected a list of labels, got {short(value)}")
    if not all(value):
        raise InvalidOp(f"expected labels, got an empty one in {short(value)}")
    if len(value) > TAGS_MAX:
        raise TooLarge(f"expected at most {TAGS_MAX} labels, got {len(value)}")
    if value != sorted(set(value)):
        raise InvalidOp("expected labels sorted and each once")


def _meta(value: Value) -> None:
    if not isinstance(value, dict):
        raise InvalidOp(f"expected a map of metadata, got {short(value)}")
    if len(value) > META_ENTRIES_MAX:
        raise TooLarge(f"expected at most {META_ENTRIES_MAX} metadata entries, got {len(value)}")
    if any(isinstance(each, bytes) for each in value.values()):
        raise InvalidOp("expected metadata that JSON can hold, got bytes")


def _memory_id(value: Value) -> None:
    if not isinstance(value, bytes) or len(value) != 16:
        raise InvalidOp(f"expected the id of a memory, got {short(value)}")


FIELDS: Final[Mapping[str, Field]] = {
    field.name: field
    for field in (
        Field("type", "one of eight memory types", "TEXT", _text, MEMORY_TYPES),
        Field("importance", "how much it matters, 0 to 1, as told", "REAL", _number(0, 1)),
        Field("valence", "from -1 (bad) to 1 (good)", "REAL", _number(-1, 1)),
        Field("certainty", "how sure the teller was, 0 to 1", "REAL", _number(0, 1)),
        Field("half_life", "seconds in which its strength halves", "REAL", _number(1e-3, 1e12)),
        Field("domain", "area of life or work", "TEXT", _text),
        Field("project", "project it belongs to", "TEXT", _text),
        Field("topic", "what it is about", "TEXT", _text),
        Field("speaker", "who said it", "TEXT", _text),
        Field("conversation", "the chat it came from", "TEXT", _text),
        Field("turn", "which turn of the chat", "TEXT", _text),
        Field("position", "place of the turn within its chat, from 0", "INTEGER", _whole(0, INT_MAX)),
        Field("told_at", "when it was told, ms since 1970", "INTEGER", _moment),
        Field("event_start", "when it happened, ms since 1970", "INTEGER", _moment),
        Field("event_end", "when it ended, ms since 1970", "INTEGER", _moment),
        Field("source", "where it was taken from", "TEXT", _text),
        Field("workspace", "namespace that agents share", "TEXT", _text),
        Field("parent", "the verbatim memory it was extracted from", "BLOB", _memory_id),
        Field("tags", "labels, sorted", "TEXT", _tags),
        Field("meta", "free key and value pairs", "TEXT", _meta),
        Field("pinned", "never leaves the core profile by itself", "INTEGER", _flag),
        Field("goal", "open or done: it says what its owner wants", "TEXT", _text, GOAL_STATES),
        Field("block", "the label of the editable block that it is", "TEXT", _text),
        Field("archived", "kept, but out of the way", "INTEGER", _flag),
        Field("apart", "never consolidated with others", "INTEGER", _flag),
    )
}


def is_shown(name: str, value: Value) -> bool:
    """Say whether a value that some version wrote shows as this field: the field is known here, and can hold it."""
    if (field := FIELDS.get(name)) is None or not field.later:
        return field is not None
    try:
        field.check(value)
    except (InvalidOp, TooLarge):
        return False
    return True


def column_value(value: Value) -> Any:
    """Return a field's value as its column holds it."""
    if isinstance(value, list):
        return f"[{', '.join(map(encode_basestring, value))}]"  # a third of the time, and of a sync each is written
    return _as_json(value) if isinstance(value, dict) else value


def column_values(values: Sequence[Any]) -> Sequence[Any]:
    """Return the values of one field in many memories, `None` of those that lack it, as their column holds them."""
    kinds = {*map(type, values)}
    if not kinds & {list, dict}:
        return values
    if not kinds <= {list, type(None)}:
        return [*map(column_value, values)]
    # Many have the same labels, which are written out once.
    said = [None if value is None else tuple(value) for value in values]
    written = {each: None if each is None else column_value([*each]) for each in {*said}}
    return [*map(written.__getitem__, said)]


def check_fields(fields: Mapping[str, Value], *, by_any: bool = False) -> None:
    """Refuse a set of fields that is too large or holds a wrong value; the message names the field.

    `by_any`: whatever version wrote it.
    """
    if len(fields) > FIELDS_MAX:
        raise TooLarge(f"expected at most {FIELDS_MAX} fields, got {len(fields)}")
    for name, value in fields.items():
        check_field(name, value, by_any=by_any)


def check_field(name: str, value: Value, *, by_any: bool = False) -> None:
    """Refuse a value that the field cannot hold. `None` clears any field; unknown fields hold any `Value`.

    `by_any`: whatever version wrote it; otherwise words that are not listed here are refused too, and whatever else a
    later field cannot hold.
    """
    if not name or len(name) > FIELD_STRING_BYTES_MAX:
        raise InvalidOp(f"expected a field name, got {name[:40]!r}")
    if value is None:
        return
    try:
        check_value(value)
        if (field := FIELDS.get(name)) is not None and not (by_any and field.later):
            field.check(value)
            if field.words and not by_any and value not in field.words:
                raise InvalidOp(f"expected one of {', '.join(field.words)}; got {short(value)}")
    except TooLarge as error:
        raise TooLarge(f"{name}: {error}") from None
    except InvalidOp as error:
        raise InvalidOp(f"{name}: {error}") from None


def check_column(name: str, values: Sequence[Any]) -> None:
    """Refuse what `check_field` refuses, whatever version wrote it, of the values of one field in many memories.

    What is alike is judged once, and of whole numbers the least and the greatest: no field holds two and none between.
    """
    kinds = {*map(type, values)}
    different: Iterable[Any] = values
    if kinds == {int}:
        different = min(values), max(values)
    elif kinds == {str}:
        different = {*values}
    elif kinds == {list} and {*map(type, chain.from_iterable(values))} <= {str}:
        different = map(list, {*map(tuple, values)})
    for value in different:
        check_field(name, value, by_any=True)


def check_value(value: Any) -> None:
    """Refuse what no register may hold: NaN, numbers over 64 bits, endless strings, nested structures."""
    if type(value) is str and len(value) * 4 <= FIELD_STRING_BYTES_MAX:
        return  # nearly all, and a pattern costs several times this test
    match value:
        case None | bool():
            pass
        case int() if not INT_MIN <= value <= INT_MAX:
            raise InvalidOp(f"expected a 64-bit number, got {value}")
        case float() if not math.isfinite(value):
            raise InvalidOp(f"expected a finite number, got {short(value)}")
        case int() | float():
            pass
        case str() | bytes() if (
            len(value) * 4 > FIELD_STRING_BYTES_MAX and _bytes_long(value) > FIELD_STRING_BYTES_MAX
        ):
            raise TooLarge(f"expected at most {FIELD_STRING_BYTES_MAX} bytes, got {_bytes_long(value)}")
        case str() | bytes():
            pass
        case list():
            for item in value:
                if not isinstance(item, str):
                    raise InvalidOp(f"expected a list of strings, got {short(item)} in it")
                check_value(item)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str) or isinstance(item, list | dict):
                    raise InvalidOp(f"expected text keys with plain values, got {short(key)}: {short(item)}")
                check_value(key)
                check_value(item)
        case _:
            raise InvalidOp(f"expected a plain value, got {type(value).__name__}")


def _bytes_long(value: str | bytes) -> int:
    return len(value.encode()) if isinstance(value, str) else len(value)
