"""What an importer makes of a file: items to remember, in their order, and lines that it could not read.

`line` counts from 1: lines of a file of lines, items of any other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Final

from replica import MemoryId, Value, Write, derived_memory_id
from replica.values import dataclass
from samemind.errors import SamemindError

# A reason quotes what was found, which may be long.
_REASON_CHARACTERS_MAX: Final = 500


class Reads(Enum):
    """When facts and claims are taken out of the words of an item."""

    YES = "unless nobody wants any"
    ASKED = "where somebody asks for it: what it states comes along with it, or is nobody's life"
    NO = "never: an assistant's answer states nothing of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory to be stored under an id that every device derives alike. `accesses` is (how often, last in ms).

    `among` names the circle that its people are known in, where the same name means somebody else outside it.
    `by_any`: it was exported by this program, maybe a later version, whose words are kept. `beyond`: the labels and
    entries that are more than an add may begin with.
    """

    line: int
    rid: MemoryId
    text: str
    fields: Mapping[str, Value]
    accesses: tuple[int, int] = (0, 0)
    among: str | None = None
    by_any: bool = False
    beyond: tuple[Write, ...] = ()
    reads: Reads = Reads.YES


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge of the knowledge graph; `said_in` is the memory whose words it is from, and goes or stays with it."""

    line: int
    source: str
    relation: str
    target: str
    weight: float
    said_in: MemoryId | None = None


def relation(line: int, source: Any, name: Any, target: Any) -> Edge:
    """Return what a file says of two names, where all of it is text; `ValueError` where it is not."""
    if not all(isinstance(each, str) and each for each in (source, name, target)):
        raise ValueError("expected texts at both ends of a relation")
    return Edge(line=line, source=source, relation=name, target=target, weight=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Something that all devices share beside memories, as an entry of the profile is."""

    line: int
    name: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Two tellings that say the same, and how sure that is."""

    line: int
    rids: tuple[MemoryId, MemoryId]
    sureness: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What a memory claims, under an id by which later claims of the same file say that they replace it.

    `keep` is what was decided about it, if anything was.
    """

    line: int
    id: str
    rid: MemoryId
    entity: str
    relation: str
    value: str
    valid_from: int | None
    replaces: tuple[str, ...]
    keep: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaims:
    """What judges of one rank say of two claims of the same file, by their ids: that they are of one thing, or two."""

    line: int
    claims: tuple[str, str]
    same: bool
    by: int
    sureness: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that cannot be taken, and why."""

    line: int
    reason: str


Storable = Item | Edge | Setting
Beside = Claimed | JudgedClaims | Linked
"""What comes after all memories that it is about."""
Record = Storable | Beside | Unreadable
# What reading a chat ends in that is built otherwise than its product builds them.
FAULTS: Final = (AttributeError, KeyError, TypeError, ValueError, OverflowError, SamemindError)


def chat_turn(
    line: int,
    text: str,
    *,
    source: str,
    chat: str,
    turn: str,
    position: int,
    speaker: str | None,
    topic: object,
    told_at: int | None,
    reads: Reads | None = None,
    named: str | None = None,
) -> Item:
    """Return a message of a chat as an item; what its owner said is read, and what an assistant did (`speaker`) is not.

    `source` names the product, `chat` and `turn` are its ids; `told_at` is in ms since 1970. A chat of people says with
    `reads` that they are read, too, each as whoever they are. `named` is what the id follows from where these are not
    the same each time.
    """
    fields: dict[str, Value] = {
        **({} if speaker is None else {"speaker": speaker}),
        "conversation": f"{source}:{chat}",
        "turn": turn,
        "position": position,
        "source": source,
    }
    if topic:
        fields["topic"] = str(topic)
    if told_at is not None:
        fields["told_at"] = told_at
    return Item(
        line=line,
        rid=derived_memory_id(source, f"{chat}:{turn}" if named is None else named),
        text=text,
        fields=fields,
        reads=reads or (Reads.YES if speaker is None else Reads.NO),
    )


def in_characters(item: Item) -> Item:
    """Return an item whose texts are characters throughout.

    JSON can say half of an emoji, and exports that cut texts do. Halves that meet are the whole; what stays one is
    written as U+FFFD: one such text kept a whole file out, and the rest of it is worth having.
    """
    text, fields = (
        _in_characters(item.text),
        _in_characters(dict(item.fields)) if item.fields else item.fields,
    )
    return item if text == item.text and fields == item.fields else replace(item, text=text, fields=fields)


def _in_characters(value: Any) -> Any:
    match value:
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list() | tuple():
            return type(value)(map(_in_characters, value))
        case dict():
            return {_in_characters(name): _in_characters(each) for name, each in value.items()}
    return value


def read_chats(
    document: object, read_chat: Callable[[int, Any], Iterator[Record]], *, product: str
) -> Iterator[Record]:
    """Return every message of every chat of an export (a list, or its items one by one), as they were said.

    A chat that `read_chat` fails on is reported by its number, and ends no import.
    """
    if not isinstance(document, list | Iterator):
        yield Unreadable(line=1, reason="expected a list of chats")
        return
    yield from read_each(document, read_chat, one=f"a chat of a {product} export")


def read_each(
    items: Iterable[Any], read: Callable[[int, Any], Iterator[Record]], *, one: str
) -> Iterator[Record]:
    """Return what `read` makes of each item and its number; one that it fails on is reported, and ends no import.

    `one`: what was expected of an item, as people call it.
    """
    for number, item in enumerate(items, start=1):
        try:
            yield from read(number, item)
        except FAULTS as error:
            lacking = f"there is no {error}" if isinstance(error, KeyError) else repr(error)
            yield Unreadable(line=number, reason=f"expected {one}, {lacking}"[:_REASON_CHARACTERS_MAX])
