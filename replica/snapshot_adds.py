"""Lay in columns the memories of which nothing is known but that they were added: nearly all of a base.

Beside each other, values that are alike take little room, and what follows from others is not said at all: the short id
of the op that added a memory stands in the spine. What is left is words and random bytes. Reading a column costs a
fraction of reading as many cells, too.

Rows are in the order in which they were written, so that a number is mostly a little more than the one before it;
numbers travel as differences. A memory's id begins with its time, alike in many, and ends in random bytes: all the
beginnings come first.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, repeat
from operator import itemgetter, sub
from struct import Struct
from typing import Any, Final, NamedTuple

from replica.errors import InvalidOp
from replica.ids import MEMORY_ID_BYTES
from replica.state.memories import Add, BareMemory
from replica.state.reading import check_adds
from replica.state.register import Dot

_TIME_BYTES: Final = 6
_REST_BYTES: Final = MEMORY_ID_BYTES - _TIME_BYTES
_STARTS: Final = Struct(f"{_TIME_BYTES}s")
_RESTS: Final = Struct(f"{_REST_BYTES}s")
# So many lie in the processor's caches while they are judged a field at a time: all at once take half as long again.
_JUDGED_AT_ONCE: Final = 10_000
_name = itemgetter(0)
_tuple = tuple.__new__  # by name it takes three times as long, and there is one for each memory

IdsOf = Callable[[Sequence[int], Sequence[int]], Sequence[bytes]]
"""Returns the short ids of ops by their feeds and seqs, which are in order."""


class AddedRow(NamedTuple):
    """A memory and the op that added it, by the snapshot's own feed number."""

    rid: bytes
    feed: int
    seq: int
    hlc: int
    text: str
    fields: dict[str, Any]


def columns_of(rows: Iterable[AddedRow]) -> list[Any]:
    """Return the columns of these rows, as plain values."""
    ordered = sorted(rows, key=itemgetter(1, 2))
    rids, feeds, seqs, stamps, texts, fields = zip(*ordered, strict=True) if ordered else ((),) * 6
    starts = b"".join(rid[:_TIME_BYTES] for rid in rids)
    return [
        starts + b"".join(rid[_TIME_BYTES:] for rid in rids),
        *(list(map(sub, column, (0, *column))) for column in (feeds, seqs, stamps)),
        texts,
        fields,
    ]


def read_columns(plain: object, ids_of: IdsOf, *, ops: int) -> dict[bytes, BareMemory]:
    """Return memories and the add that made each, in the order of their ids; `InvalidOp` says what no op can say.

    `ids_of` returns the short ids of ops by their feeds and seqs, in order, or refuses; `ops` is how many there are.
    Rows that are alike take next to no room on a link, so how many come is judged before anything is made of them.
    """
    match plain:
        case [bytes(rids), list(feeds), list(seqs), list(stamps), list(texts), list(fields)] if (
            len(rids) == len(feeds) * MEMORY_ID_BYTES
            and len(feeds) == len(seqs) == len(stamps) == len(texts) == len(fields)
            and all(set(map(type, column)) <= {int} for column in (feeds, seqs, stamps))
        ):
            pass
        case _:
            raise InvalidOp("expected columns of added memories: ids, feeds, seqs, stamps, texts, fields")
    if len(feeds) > ops:
        raise InvalidOp(
            f"expected at most one added memory for each of the {ops} ops of the snapshot, got {len(feeds)}"
        )
    if not all(feed > 0 or (feed == 0 and seq > 0) for feed, seq in zip(feeds, seqs, strict=True)):
        raise InvalidOp("expected added memories in the order of their ops, one for each op")
    feeds, seqs, stamps = ([*accumulate(column)] for column in (feeds, seqs, stamps))
    for start in range(0, len(texts), _JUDGED_AT_ONCE):
        page = slice(start, start + _JUDGED_AT_ONCE)
        check_adds(stamps[page], texts[page], fields[page])
    tails = len(feeds) * _TIME_BYTES
    halves = zip(_STARTS.iter_unpack(rids[:tails]), _RESTS.iter_unpack(rids[tails:]), strict=True)
    names = [start + rest for (start,), (rest,) in halves]
    # By the million: no step of Python's own for each of them.
    dots = map(_tuple, repeat(Dot), zip(feeds, seqs, ids_of(feeds, seqs), strict=True))
    adds = map(_tuple, repeat(Add), zip(stamps, texts, fields, strict=True))
    rows: list[BareMemory] = [*map(_tuple, repeat(BareMemory), zip(names, dots, adds, strict=True))]
    rows.sort(key=_name)
    added = dict(zip(map(_name, rows), rows, strict=True))
    if len(added) < len(rows):
        raise InvalidOp("expected each added memory once, got one twice")
    return added
