"""Keep what a list needs of each memory in columns, so that any facet of a hundred thousand is counted at once.

SQLite takes a second to group a hundred thousand memories by seven things; arrays take milliseconds. A catalogue shows
one position of the log and is thrown away when that moves on. It holds no text: a page reads what it shows by row.

Facts that were read out of a memory which is still here are left out, as their memory stands for them, and so are the
older tellings of what was told several times.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition.listing import all_facets

# What may be chosen by: one value each, or (`person`, `label`) several.
FACETS: Final = ("person", "speaker", "label", "type", "device", "source", "space", "chat")
# Nobody reads a longer list of values; a chosen one is always told.
VALUES_MAX: Final = 60
# As many bars as a strip of a screen's width shows.
BARS: Final = 160
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

    rows: Codes
    codes: Codes
    names: tuple[str, ...]

    def having(self, wanted: Sequence[str], size: int) -> Mask:
        """Return which of `size` memories have any of these values, without regard to case."""
        folded = {each.casefold() for each in wanted}
        codes = [code for code, name in enumerate(self.names) if name.casefold() in folded]
        mask = np.zeros(size, np.bool_)
        mask[self.rows[np.isin(self.codes, codes)]] = True
        return mask

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
    ) -> None:
        self.ids = ids
        self._told_ms = told_ms
        self._written_ms = written_ms
        self._facets = facets
        self._newest_first = np.lexsort((-ids, -told_ms))

    def __len__(self) -> int:
        return len(self.ids)

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

    def counted(self, wanted: FacetQuery) -> dict[str, list[tuple[str, int]]]:
        """Return the values of every facet, each counted among what all the other facets leave."""
        return {
            name: values.counted(self._mask(wanted, without=name), wanted.values.get(name, ()))
            for name, values in self._facets.items()
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


def read_catalogue(connection: sqlite3.Connection) -> Catalogue:
    """Read a whole store into columns."""
    columns: Sequence[Sequence[Any]] = list(zip(*all_facets(connection), strict=True)) or [()] * 10
    ids, told, written, device, speaker, kind, source, space, chat, tags = columns
    numbers = np.array(ids, np.int64)
    single = {
        "device": device,
        "speaker": speaker,
        "type": kind,
        "source": source,
        "space": space,
        "chat": chat,
    }
    facets = {name: _single(column) for name, column in single.items()}
    labelled = [(place, label) for place, each in enumerate(tags) if each for label in json.loads(each)]
    facets["label"] = _coded([place for place, _ in labelled], [label for _, label in labelled])
    facets["person"] = _named(connection, numbers)
    return Catalogue(
        ids=numbers,
        told_ms=np.array(told, np.int64),
        written_ms=np.array(written, np.int64),
        facets={name: facets[name] for name in FACETS},
    )


def _single(column: Sequence[str | None]) -> Values:
    places = [place for place, each in enumerate(column) if each is not None]
    return _coded(places, [each for each in column if each is not None])


def _named(connection: sqlite3.Connection, numbers: NDArray[np.int64]) -> Values:
    """Return whom and what memories name, as far as they were read yet."""
    found = connection.execute("SELECT id, name FROM entity_mention ORDER BY id").fetchall()
    asked = np.array([number for number, _ in found], np.int64)
    places = np.searchsorted(numbers, asked)
    places[places == len(numbers)] = 0
    known = numbers[places] == asked if len(numbers) else np.zeros(len(asked), np.bool_)
    every = _coded(places, [name for _, name in found])
    return Values(every.rows[known], every.codes[known], every.names)


def _coded(places: Sequence[int] | NDArray[np.int64], values: Sequence[str]) -> Values:
    """Return places and their values as columns; values that differ in case alone are one."""
    seen: dict[str, int] = {}
    exact = np.array([seen.setdefault(value, len(seen)) for value in values], np.int32)
    folded: dict[str, int] = {}
    names: list[str] = []
    alike = np.zeros(len(seen), np.int32)
    for name, number in seen.items():
        alike[number] = code = folded.setdefault(name.casefold(), len(names))
        if code == len(names):
            names.append(name)
    return Values(np.asarray(places, np.int32), alike[exact] if len(seen) else exact, tuple(names))
