"""Pack the memories of a large base before it is merged, while those who tell something can write.

SQLite has one writer, and a base is merged in one transaction: nobody ever sees a part of it. What takes most of its
time needs no transaction, though: to read the memories, to count them into the set hashes and to pack their rows. That
is done ahead, beside the store, page by page; between two pages whoever waits to tell something does so.

What is packed says by which numbers the feeds of the base go here, and of which memories nothing is held. That may be
another when all is packed: who merges looks again, and packs anew, or does without.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from replica.folding import Totals, count_added
from replica.oplog import OriginOf, RowsAhead
from replica.snapshot_adds import Added

if TYPE_CHECKING:
    from replica.core import TakingIn

# Fewer are packed in a page or two, between which there is hardly a moment to tell something.
PACKED_MIN: Final = 40_000


class PackedAdds(NamedTuple):
    """Memories that are packed, in their order, their rows, and what they come to in the set hashes."""

    added: Added
    rows: RowsAhead
    totals: Totals


def pack_ahead(
    added: Added,
    rows: RowsAhead,
    origin_of: OriginOf,
    give_way: Callable[[], None],
    taking_in: "TakingIn",
) -> PackedAdds:
    """Pack memories of which nothing is held here, and give way between pages; `StoreFailed` without room."""
    totals = Totals()

    def passed(written: int) -> None:
        taking_in.written = written
        give_way()

    rows.pack(added, partial(count_added, totals, origin_of), passed)
    return PackedAdds(added, rows, totals)
