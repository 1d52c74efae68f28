"""Find the ops of one origin by their short ids, where its chains part so often that to look into each takes long.

An origin is one chain, or a few. A member that writes its chain anew again and again makes it hundreds, each of which
may hold the op that a place names: ten thousand places then were millions of reads. Here every op of such an origin is
read once, as long as a program runs, and a place costs one search, whoever made it up.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from replica.ids import ID8_BYTES

IdsOf = Callable[[int, int, int], bytes]
"""Short ids of the ops of a feed (by number) from one seq to another, both included, all on that feed itself."""

# New ops wait beside the sorted ones until they are this many, and an eighth of those, so that each op is sorted some
# eight times, however many come and however they come. To sort a thousand takes a millisecond.
_FRESH_MIN: Final = 1_024
_FRESH_SHARE: Final = 8


class ShortIds:
    """Short ids of the ops of one origin, and the feeds that hold them: twelve bytes each."""

    def __init__(self, ids_of: IdsOf) -> None:
        self._ids_of = ids_of
        self._reach: dict[int, int] = {}
        self._grown: dict[int, int] = {}
        self._ids = array("Q")
        self._feeds = array("I")
        self._fresh: dict[int, list[int]] = {}

    def grew(self, no: int, after: int, seq: int) -> None:
        """Hear that a feed reaches up to `seq` now; its own ops begin after `after`."""
        self._reach.setdefault(no, after)
        self._grown[no] = seq

    def holding(self, id8: bytes) -> Iterator[int]:
        """Return the feeds that hold an op of this short id, the first one first; hardly ever more than one."""
        self._catch_up()
        key = int.from_bytes(id8, sys.byteorder)
        at = bisect_left(self._ids, key)
        found = []
        while at < len(self._ids) and self._ids[at] == key:
            found.append(self._feeds[at])
            at += 1
        return iter(sorted(found + self._fresh.get(key, [])))

    def _catch_up(self) -> None:
        if not self._grown:
            return
        ids, feeds = array("Q"), array("I")
        for no, seq in self._grown.items():
            before = len(ids)
            ids.frombytes(self._ids_of(no, self._reach[no] + 1, seq))
            feeds.extend([no] * (len(ids) - before))
            self._reach[no] = seq
        self._grown.clear()
        if len(self._fresh) + len(ids) < max(_FRESH_MIN, len(self._ids) // _FRESH_SHARE):
            for key, no in zip(ids, feeds, strict=True):
                self._fresh.setdefault(key, []).append(no)
        else:
            self._sort_in(ids, feeds)

    def _sort_in(self, ids: "array[int]", feeds: "array[int]") -> None:
        for key, holding in self._fresh.items():
            ids.extend([key] * len(holding))
            feeds.extend(holding)
        self._fresh.clear()
        ids, feeds = self._ids + ids, self._feeds + feeds
        order = sorted(range(len(ids)), key=ids.__getitem__)
        self._ids = array("Q", map(ids.__getitem__, order))
        self._feeds = array("I", map(feeds.__getitem__, order))


assert array("Q").itemsize == ID8_BYTES
