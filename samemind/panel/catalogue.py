"""Keep what a list needs of each memory in columns, so that any facet of a hundred thousand is counted at once.

SQLite takes a second to group a hundred thousand memories by seven things; arrays take milliseconds. A catalogue shows
one position of the log. Where only new memories came since, these are read and put behind it; else it is read anew. It
holds no text: a page reads what it shows by row.

Facts that were read out of a memory which is still here are left out, as their memory stands for them, and so are the
older tellings of what was told several times.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition.listing import facets_after

# What may be chosen by: one value each, or (`person`, `label`) several.
FACETS: Final = ("person", "speaker", "label", "type", "device", "source", "space", "chat")
# Nobody reads a longer list of values; a chosen one is always told.
VALUES_MAX: Final = 60
# As many bars as a strip of a screen's width shows.
BARS: Final = 160
# Rows that are read in one go: some thirty milliseconds, for which another reader may have to wait.
PAGE: Final = 5_000
# The facets of one value each, in the order of `cognition.listing.facets_after`.
_SINGLE: Final = ("device", "speaker", "type", "source", "space", "chat")
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FacetQuery:
    """Which memories are meant: of each facet any of these values, within [`since_ms`, `until_ms`)."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since_ms: int | None = None
    until_ms: int | None = None


class Values(NamedTuple):
    """A facet in columns: memory `rows[i]` has the value `names[codes[i]]`; a memory may have none, or several."""

    rows: NDArray[np.int64]
    codes: Codes
    names: tuple[str, ...]

    def having(self, wanted: Sequence[str], size: int) -> Mask:
        """Return which of `size` memories have any of these values, without regard to case."""
        folded = {each.casefold() for each in wanted}
        codes = [code for code, name in enumerate(self.names) if name.casefold() in folded]
        mask = np.zeros(size, np.bool_)
        mask[self.rows[np.isin(self.codes, codes)]] = True
        return mask

    def with_later(self, later: "Values", count: int) -> "Values":
        """Return this with the values of memories that stand behind the first `count`."""
        if not len(later.rows):
            return self
        known = {name.casefold(): code for code, name in enumerate(self.names)}
        codes = [known.setdefault(name.casefold(), len(known)) for name in later.names]
        added = (name for name, code in zip(later.names, codes, strict=True) if code >= len(self.names))
        return Values(
            np.concatenate([self.rows, later.rows + count]),
            np.concatenate([self.codes, np.array(codes, np.int32)[later.codes]]),
            (*self.names, *added),
        )

    def counted(self, mask: Mask, chosen: Sequence[str]) -> list[tuple[str, int]]:
        """Return the commonest values among these memories, each with its count; what is chosen is always told."""
        counts = np.bincount(self.codes[mask[self.rows]], minlength=len(self.names))
        order = np.argsort(-counts, kind="stable")
        kept = [(self.names[code], int(counts[code])) for code in order[:VALUES_MAX] if counts[code]]
        known = {name.casefold() for name, _ in kept}
        rest = {name.casefold(): int(count) for name, count in zip(self.names, counts, strict=True)}
        return kept + [
            (each, rest.get(each.casefold(), 0)) for each in chosen if each.casefold() not in known
        ]


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
        ids: NDArray[np.int64],
        told_ms: NDArray[np.int64],
        written_ms: NDArray[np.int64],
        facets: Mapping[str, Values],
        newest_first: NDArray[np.int64] | None = None,
    ) -> None:
        self.ids = ids
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

    def with_later(self, later: "Catalogue") -> "Catalogue":
        """Return this with what was read from behind its last row."""
        if not len(later):
            return self
        count = len(self)
        # Among memories told at one time the later row comes first, as in the order of the whole.
        told = -self._told_ms[self._newest_first]
        places = np.searchsorted(told, -later._told_ms[later._newest_first], side="left")
        return Catalogue(
            ids=np.concatenate([self.ids, later.ids]),
            told_ms=np.concatenate([self._told_ms, later._told_ms]),
            written_ms=np.concatenate([self._written_ms, later._written_ms]),
            facets={
                name: values.with_later(later._facets[name], count) for name, values in self._facets.items()
            },
            newest_first=np.insert(self._newest_first, places, later._newest_first + count),
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
        """Return when these were told, or `written` here; None where there are none."""
        times = (self._written_ms if written else self._told_ms)[self._mask(wanted)]
        if not len(times):
            return None
        first, last = int(times.min()), max(now_ms, int(times.max())) + 1
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


def read_catalogue(connection: sqlite3.Connection, *, after: int = 0) -> Catalogue:
    """Read a whole store into columns, or what stands behind a row."""
    reader = CatalogueReader(after=after)
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
        self._numbers: list[NDArray[np.int64]] = []
        self._told_ms: list[NDArray[np.int64]] = []
        self._written_ms: list[NDArray[np.int64]] = []
        self._count = 0
        self._single = {name: _Coding() for name in _SINGLE}
        self._labels = _Coding()
        self._mentions = _Coding()

    def read_page(self, connection: sqlite3.Connection) -> bool:
        """Read the next page; return whether there is more."""
        if self._is_named:
            return self._read_names(connection)
        rows = facets_after(connection, self._last, self._page)
        if rows:
            self._add(rows)
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
            told_ms=_joined(self._told_ms),
            written_ms=_joined(self._written_ms),
            facets={name: facets[name] for name in FACETS},
        )

    def _add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        ids, told, written, *columns, tags = zip(*rows, strict=True)
        self._last = ids[-1]
        self._numbers.append(np.array(ids, np.int64))
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
        """Return it in columns; values that differ in case alone are one."""
        folded: dict[str, int] = {}
        names: list[str] = []
        alike = np.zeros(len(self._seen), np.int32)
        for name, number in self._seen.items():
            alike[number] = code = folded.setdefault(name.casefold(), len(names))
            if code == len(names):
                names.append(name)
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, np.int32)
        return Values(_joined(self._rows), alike[codes], tuple(names))


def _joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _placed(mentions: Values, numbers: NDArray[np.int64]) -> Values:
    """Return what is said by the numbers of rows by their places among `numbers`; of other rows, nothing."""
    places = np.searchsorted(numbers, mentions.rows)
    places[places == len(numbers)] = 0
    known = numbers[places] == mentions.rows if len(numbers) else np.zeros(len(places), np.bool_)
    return Values(places[known], mentions.codes[known], mentions.names)
