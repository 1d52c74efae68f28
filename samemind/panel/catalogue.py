"""Keep what a list needs of each memory in columns, so that any facet of a hundred thousand is counted at once.

SQLite takes a second to group a hundred thousand memories by seven things; arrays take milliseconds. A catalogue shows
one position of the log. What came, changed or left since is read by itself and put in its place. It holds no text: a
page reads what it shows by row.

Facts that were read out of a memory which is still here are left out, as their memory stands for them, and so are the
older tellings of what was told several times.
"""

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition.days import DAY_MS
from cognition.listing import facets_after, facets_of
from cognition.memories import EACH

# What may be chosen by: one value each, or (`person`, `label`) several.
FACETS: Final = ("person", "speaker", "label", "type", "device", "source", "space", "chat")
# Nobody reads a longer list of values; a chosen one is always told.
VALUES_MAX: Final = 60
# As many bars as a strip of a screen's width shows.
BARS: Final = 160
# A lifetime. One memory that is dated thousands of years away would put all others into one bar.
BARS_YEARS_MAX: Final = 100
# Rows that are read in one go: some thirty milliseconds, for which another reader may have to wait.
PAGE: Final = 5_000
_MARK_BYTES: Final = 8
# The facets of one value each, in the order of `cognition.listing.facets_after`.
_SINGLE: Final = ("device", "speaker", "type", "source", "space", "chat")
Rows = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FacetQuery:
    """Which memories are meant: of each facet any of these values, within [`since_ms`, `until_ms`)."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since_ms: int | None = None
    until_ms: int | None = None


class Spellings:
    """The values of a facet as they are written. Values that differ in case alone are one, a group."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._codes = {name: code for code, name in enumerate(names)}
        self._groups: dict[str, int] = {}
        self.group_of: Codes = np.array(
            [self._groups.setdefault(name.casefold(), len(self._groups)) for name in names], np.int32
        )

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._groups)

    @cached_property
    def order(self) -> Codes:
        """The place of each group in the order of the alphabet."""
        return np.argsort(np.argsort(np.array([*self._groups], object))).astype(np.int32)

    @cached_property
    def spelled_order(self) -> Codes:
        """The place of each spelling in the order of the alphabet."""
        return np.argsort(np.argsort(np.array(self.names, object))).astype(np.int32)

    def group(self, name: str) -> int | None:
        """Return the group of a value; None where there is no such value."""
        return self._groups.get(name.casefold())

    def with_more(self, names: Sequence[str]) -> "tuple[Spellings, Codes]":
        """Return these with others, and the codes of the others."""
        codes = dict(self._codes)
        found = np.array([codes.setdefault(name, len(codes)) for name in names], np.int32)
        return (self if len(codes) == len(self.names) else Spellings(tuple(codes))), found


class Values:
    """A facet in columns: memory `rows[i]` has the value `codes[i]`; a memory may have none, or several."""

    def __init__(self, rows: Rows, codes: Codes, spellings: Spellings) -> None:
        self.rows = rows
        self._codes = codes
        self._spellings = spellings

    def having(self, wanted: Sequence[str], size: int) -> Mask:
        """Return which of `size` memories have any of these values, without regard to case."""
        groups = [group for each in wanted if (group := self._spellings.group(each)) is not None]
        mask = np.zeros(size, np.bool_)
        mask[self.rows[np.isin(self._spellings.group_of[self._codes], groups)]] = True
        return mask

    def moved(self, places: Rows) -> "Values":
        """Return this for memories that stand elsewhere, by their places now; those at -1 are gone."""
        rows = places[self.rows]
        kept = rows >= 0
        return Values(rows[kept], self._codes[kept], self._spellings)

    def joined(self, others: "Values", places: Rows) -> "Values":
        """Return this with the values of other memories, of which these are the places."""
        if not len(others.rows):
            return self
        spellings, codes = self._spellings.with_more(others._spellings.names)
        return Values(
            np.concatenate([self.rows, places[others.rows]]),
            np.concatenate([self._codes, codes[others._codes]]),
            spellings,
        )

    def counted(self, mask: Mask, chosen: Sequence[str]) -> list[tuple[str, int]]:
        """Return the commonest values among these memories, each with its count; what is chosen is always told.

        Equally common ones stand in the order of the alphabet.
        """
        spellings = self._spellings
        if not len(spellings):
            return [(each, 0) for each in chosen]
        counts = np.bincount(spellings.group_of[self._codes[mask[self.rows]]], minlength=len(spellings))
        order = np.lexsort((spellings.order, -counts))[:VALUES_MAX]
        kept = [(self._shown[group], int(counts[group])) for group in order.tolist() if counts[group]]
        known = {name.casefold() for name, _ in kept}
        rest = [(each, spellings.group(each)) for each in chosen if each.casefold() not in known]
        return kept + [(each, 0 if group is None else int(counts[group])) for each, group in rest]

    @cached_property
    def _shown(self) -> list[str]:
        """How each group is written: as it mostly is, of equally common ways by the first of the alphabet."""
        spellings = self._spellings
        often = np.bincount(self._codes, minlength=len(spellings.names))
        order = np.lexsort((spellings.spelled_order, -often, spellings.group_of))
        _, firsts = np.unique(spellings.group_of[order], return_index=True)
        return [spellings.names[code] for code in order[firsts].tolist()]


class Bars(NamedTuple):
    """How many memories lie in each stretch of time: `counts` of equal stretches from `first_ms` to `last_ms`."""

    first_ms: int
    last_ms: int
    counts: list[int]


class Catalogue:
    """The memories of one position of a store, in columns."""

    def __init__(
        self,
        *,
        ids: Rows,
        marks: Rows,
        told_ms: Rows,
        written_ms: Rows,
        facets: Mapping[str, Values],
        newest_first: Rows | None = None,
    ) -> None:
        """`marks`: the last half of each memory's id, which hardly two share."""
        self.ids = ids
        self._marks = marks
        self._told_ms = told_ms
        self._written_ms = written_ms
        self._facets = facets
        self._newest_first = np.lexsort((-ids, -told_ms)) if newest_first is None else newest_first

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def last(self) -> int:
        """The number of the last row; 0 where there is none."""
        return int(self.ids[-1]) if len(self.ids) else 0

    def numbers_of(self, rids: Sequence[bytes]) -> list[int]:
        """Return the row numbers of those of these memories that are here, maybe with a few more."""
        found: list[int] = self.ids[np.isin(self._marks, _marks(rids))].tolist()
        return found

    def with_changed(self, read: "Catalogue", changed: Iterable[int] = ()) -> "Catalogue":
        """Return this with what was read of some rows, in place of what it had of the `changed` ones.

        What is not among what was read any more is gone; and what was read last is what stands behind the last row.
        """
        gone = np.isin(self.ids, np.fromiter(changed, np.int64))
        return (self._without(gone) if gone.any() else self)._with(read)

    def _without(self, gone: Mask) -> "Catalogue":
        here = np.where(gone, -1, np.cumsum(~gone) - 1)
        newest_first = here[self._newest_first]
        return Catalogue(
            ids=self.ids[~gone],
            marks=self._marks[~gone],
            told_ms=self._told_ms[~gone],
            written_ms=self._written_ms[~gone],
            facets={name: values.moved(here) for name, values in self._facets.items()},
            newest_first=newest_first[newest_first >= 0],
        )

    def _with(self, read: "Catalogue") -> "Catalogue":
        """Return this with others, which are not here."""
        if not len(read):
            return self
        before = np.searchsorted(self.ids, read.ids)  # as in `np.insert`
        there = before + np.arange(len(read))
        told_ms = np.insert(self._told_ms, before, read._told_ms)
        facets, newest_first = self._facets, self._newest_first
        if before[0] < len(self):  # else, as nearly always, what is here stays in its place
            here = np.arange(len(self)) + np.searchsorted(before, np.arange(len(self)), side="right")
            facets = {name: values.moved(here) for name, values in facets.items()}
            newest_first = here[newest_first]

        def newer(row: Any) -> tuple[int, int]:
            return -int(told_ms[row]), -int(row)

        added = there[read._newest_first]
        places = [bisect_left(newest_first, newer(row), key=newer) for row in added]
        return Catalogue(
            ids=np.insert(self.ids, before, read.ids),
            marks=np.insert(self._marks, before, read._marks),
            told_ms=told_ms,
            written_ms=np.insert(self._written_ms, before, read._written_ms),
            facets={name: values.joined(read._facets[name], there) for name, values in facets.items()},
            newest_first=np.insert(newest_first, places, added),
        )

    def page(self, wanted: FacetQuery, *, offset: int, limit: int) -> tuple[list[int], int]:
        """Return the row numbers of a page, the latest told first, and how many there are in all."""
        mask = self._mask(wanted)
        found = self._newest_first[mask[self._newest_first]]
        return self.ids[found[offset : offset + limit]].tolist(), len(found)

    def among(self, wanted: FacetQuery, ids: Iterable[int]) -> set[int]:
        """Return those of these row numbers that are wanted."""
        asked = np.fromiter(ids, np.int64)
        if not len(asked) or not len(self.ids):
            return set()
        places = np.minimum(np.searchsorted(self.ids, asked), len(self.ids) - 1)
        mask = (self.ids[places] == asked) & self._mask(wanted)[places]
        return set(asked[mask].tolist())

    def counted(
        self, wanted: FacetQuery, *, only: Sequence[str] = FACETS
    ) -> dict[str, list[tuple[str, int]]]:
        """Return the values of every facet, or `only` of some, each counted among what all the other facets leave."""
        return {
            name: self._facets[name].counted(self._mask(wanted, without=name), wanted.values.get(name, ()))
            for name in only
        }

    def bars(self, wanted: FacetQuery, now_ms: int, *, written: bool = False) -> Bars | None:
        """Return when these were told, or `written` here; None where there are none.

        What is dated later than now counts in the last bar, and what is older than `BARS_YEARS_MAX` in the first.
        """
        times = (self._written_ms if written else self._told_ms)[self._mask(wanted)]
        if not len(times):
            return None
        times = np.clip(times, now_ms - BARS_YEARS_MAX * 366 * DAY_MS, now_ms)
        first, last = int(times.min()), now_ms + 1
        counts, _ = np.histogram(times, bins=BARS, range=(first, last))
        return Bars(first, last, counts.tolist())

    def first_written_ms(self) -> int | None:
        """Return when the first of these memories was written."""
        return int(self._written_ms.min()) if len(self.ids) else None

    def on_days(self, days: Iterable[tuple[int, int]]) -> list[int]:
        """Return the row numbers of what was told within any of these stretches, the latest first."""
        mask = np.zeros(len(self.ids), np.bool_)
        for first_ms, end_ms in days:
            mask |= (self._told_ms >= first_ms) & (self._told_ms < end_ms)
        found: list[int] = self.ids[self._newest_first[mask[self._newest_first]]].tolist()
        return found

    def _mask(self, wanted: FacetQuery, *, without: str | None = None) -> Mask:
        mask = np.ones(len(self.ids), np.bool_)
        if wanted.since_ms is not None:
            mask &= self._told_ms >= wanted.since_ms
        if wanted.until_ms is not None:
            mask &= self._told_ms < wanted.until_ms
        for name, values in wanted.values.items():
            if values and name != without:
                mask &= self._facets[name].having(values, len(self.ids))
        return mask


def read_catalogue(connection: sqlite3.Connection, *, after: int = 0, also: Sequence[int] = ()) -> Catalogue:
    """Read a whole store into columns; or what stands behind a row, and some rows before that."""
    reader = CatalogueReader(after=after)
    if also:
        reader.read_some(connection, also)
    while reader.read_page(connection):
        pass
    return reader.catalogue()


class CatalogueReader:
    """Reads a store into columns a page at a time, so that what is asked meanwhile is answered between two pages."""

    def __init__(self, page: int = PAGE, *, after: int = 0) -> None:
        """`after`: the row behind which it begins."""
        self._page = page
        self._last = after
        self._named: tuple[int, str] = (after + 1, "")
        self._is_named = False
        self._numbers: list[Rows] = []
        self._marks: list[Rows] = []
        self._told_ms: list[Rows] = []
        self._written_ms: list[Rows] = []
        self._count = 0
        self._single = {name: _Coding() for name in _SINGLE}
        self._labels = _Coding()
        self._mentions = _Coding()

    def read_some(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
        """Read some rows that stand before all that is to come."""
        if rows := facets_of(connection, numbers):
            self._add(rows)
        named = connection.execute(
            f"SELECT id, name FROM entity_mention WHERE id IN ({EACH}) ORDER BY id, name",
            (json.dumps(list(numbers)),),
        ).fetchall()
        self._mentions.add([number for number, _ in named], [name for _, name in named])

    def read_page(self, connection: sqlite3.Connection) -> bool:
        """Read the next page; return whether there is more."""
        if self._is_named:
            return self._read_names(connection)
        rows = facets_after(connection, self._last, self._page)
        if rows:
            self._add(rows)
            self._last = rows[-1][0]
        self._is_named = len(rows) < self._page
        return True

    def catalogue(self) -> Catalogue:
        """Return what was read."""
        numbers = _joined(self._numbers)
        facets = {name: coding.values() for name, coding in self._single.items()}
        facets["label"] = self._labels.values()
        facets["person"] = _placed(self._mentions.values(), numbers)
        return Catalogue(
            ids=numbers,
            marks=_joined(self._marks),
            told_ms=_joined(self._told_ms),
            written_ms=_joined(self._written_ms),
            facets={name: facets[name] for name in FACETS},
        )

    def _add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        ids, rids, told, written, *columns, tags = zip(*rows, strict=True)
        self._numbers.append(np.array(ids, np.int64))
        self._marks.append(_marks(rids))
        self._told_ms.append(np.array(told, np.int64))
        self._written_ms.append(np.array(written, np.int64))
        for coding, column in zip(self._single.values(), columns, strict=True):
            places = [at for at, each in enumerate(column, self._count) if each is not None]
            coding.add(places, [each for each in column if each is not None])
        labelled = [
            (at, label) for at, each in enumerate(tags, self._count) if each for label in _labels(each)
        ]
        self._labels.add([at for at, _ in labelled], [label for _, label in labelled])
        self._count += len(rows)

    def _read_names(self, connection: sqlite3.Connection) -> bool:
        """Read whom and what memories name, as far as that was read out of their texts yet."""
        rows = connection.execute(
            "SELECT id, name FROM entity_mention WHERE (id, name) > (?, ?) ORDER BY id, name LIMIT ?",
            (*self._named, self._page),
        ).fetchall()
        if rows:
            self._named = rows[-1]
            self._mentions.add([number for number, _ in rows], [name for _, name in rows])
        return len(rows) == self._page


@lru_cache(4_096)  # most memories of a store bear one of few sets of labels
def _labels(tags: str) -> tuple[str, ...]:
    return tuple(json.loads(tags))


class _Coding:
    """A facet that is being read: which rows have which values."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._rows: list[NDArray[np.int64]] = []
        self._codes: list[Codes] = []

    def add(self, places: Sequence[int], values: Sequence[str]) -> None:
        seen = self._seen
        if values:
            self._rows.append(np.array(places, np.int64))
            self._codes.append(np.array([seen.setdefault(value, len(seen)) for value in values], np.int32))

    def values(self) -> Values:
        """Return it in columns."""
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, np.int32)
        return Values(_joined(self._rows), codes, Spellings(tuple(self._seen)))


def _joined(parts: Sequence[Rows]) -> Rows:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _marks(rids: Sequence[bytes]) -> Rows:
    """Return the last eight bytes of each id; the first are the time."""
    return np.frombuffer(b"".join(rid[-_MARK_BYTES:] for rid in rids), np.int64)


def _placed(mentions: Values, numbers: Rows) -> Values:
    """Return what is said by the numbers of rows by their places among `numbers`; of other rows, nothing."""
    places = np.full(int(mentions.rows.max(initial=-1)) + 1, -1, np.int64)
    known = numbers[numbers < len(places)]
    places[known] = np.arange(len(known))
    return mentions.moved(places)
