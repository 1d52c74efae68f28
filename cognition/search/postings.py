"""Rank memories by the words they hold (BM25), from the places of those words as columns.

Full text search ranks too, row by row: it goes through all that hold any of the words once to count them, once to find
which stand out, once a word to learn how rare it is, and once more for the scores. Here the places of each word are
read once, and all of that is arithmetic on columns: for five words, of which three memories in a hundred hold each, a
third of the time. Which are ranked is as `cognition.fulltext` says, the scores are those of `bm25`; a test holds both
to what SQLite finds.

How long its texts are, full text search keeps in two tables of its own (`_data` and `_docsize`). Their form is part of
that of the file, which SQLite does not change.

Questions come in bursts and share words: the parts of one, the next search of a list, what somebody types. So what was
read is kept until somebody writes.
"""

import json
import math
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from cognition import fulltext, words
from cognition.fulltext import TOKENIZER
from cognition.search import porter
from cognition.search.porter import porter_stem
from cognition.tables import FILED_UNDER

Numbers = NDArray[np.int64]
Column = NDArray[np.float64]

# What `bm25` has: how soon more of a word says no more, how much a long text counts less, and the least of a rarity.
_SATED: Final = 1.2
_BY_LENGTH: Final = 0.75
_RARITY_MIN: Final = 1e-6
# Words of questions whose stems are remembered.
_STEMS_KEPT: Final = 8_192
# Places of words that are kept: 4 MiB of them, and of their memories as much at most.
_PLACES_KEPT: Final = 1 << 19
# By so many words of a question a memory stands out (`cognition.fulltext`).
_PAIR: Final = 2
# How many memories hold a word, up to a bound; and its places, a memory for each.
_HELD_BY: Final = "SELECT count(*) FROM (SELECT 1 FROM memory_text WHERE memory_text MATCH ? LIMIT ?)"
_PLACES: Final = "SELECT group_concat(doc) FROM memory_word_at WHERE term = ?"
_SOME_PLACES: Final = "SELECT group_concat(doc) FROM (SELECT doc FROM memory_word_at WHERE term = ? LIMIT ?)"
# In a store of more memories most words of a question are common: who holds one is counted first, up to the bound,
# which takes a third of reading as many places.
_CROWDED: Final = 1 << 18
# Where full text search keeps how many rows it has, and how long all of them are together.
_TOTALS: Final = "SELECT hex(block) FROM memory_text_data WHERE id = 1"
_LENGTHS: Final = """SELECT count(*), group_concat(hex(d.sz), '') FROM json_each(?) e
    CROSS JOIN memory_text_docsize d ON d.id = e.value"""
# And who of them is there, in the same order.
_WITH_LENGTH: Final = """SELECT group_concat(d.id) FROM json_each(?) e
    CROSS JOIN memory_text_docsize d ON d.id = e.value"""

_ONE: Final = np.int64(1).tobytes()

# SQLite's own error for damage, since this reads in SQLite's place.
_DAMAGED: Final = "the lengths of texts in the index of words are damaged"


class Ranking(Sequence[tuple[int, float]]):
    """Memories with their scores, the best first; made of columns as they are looked at, since few ever are."""

    def __init__(self, numbers: Numbers, scores: Column) -> None:
        self._numbers, self._scores = numbers, scores

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> tuple[int, float]: ...

    @overload
    def __getitem__(self, at: slice) -> list[tuple[int, float]]: ...

    def __getitem__(self, at: int | slice) -> tuple[int, float] | list[tuple[int, float]]:
        if isinstance(at, slice):
            return list(zip(self._numbers[at].tolist(), self._scores[at].tolist(), strict=True))
        return int(self._numbers[at]), float(self._scores[at])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranking) and self[:] == other[:]

    __hash__ = None  # type: ignore[assignment]  # as a list has none


class PostingList(NamedTuple):
    """A word of the question: the memories that hold it, in the order of their numbers, and how often each does."""

    word: str
    rows: Numbers
    often: Numbers


_NOBODY: Final = Ranking(np.zeros(0, np.int64), np.zeros(0))


class Postings:
    """The words of one store as a connection sees them that does not write itself; for one thread."""

    def __init__(self) -> None:
        self._version = 0  # of no store: they count from 1
        self._held: dict[str, tuple[Numbers, Numbers]] = {}  # by stem: as in `PostingList`
        self._kept = 0  # places, in `_held`
        self._common: set[str] = set()  # words that more hold than are asked for by it
        self._totals: tuple[int, int] | None = None  # memories and words, once their numbers were wanted
        self._often: dict[str, int] = {}  # in how many places a common word is
        self._lengths: Column = np.zeros(0)  # by number; not a number: not read yet

    def ranked(self, connection: sqlite3.Connection, stems: dict[str, str]) -> Iterator[Ranking]:
        """Return the memories that hold any of some words, the best first, by the stem of each word.

        Where many do, what stands out comes by itself, and the newest of all only to whoever asks on.
        """
        self._follow(connection)
        # A word that nearly all hold is asked for only where all are such: its places are not even read before.
        telling = [
            self.held(connection, word, stem)
            for word, stem in stems.items()
            if self._holders_of(connection, word, stem) <= fulltext.COMMON
        ]
        if len(telling) == len(stems) and not _are_many(telling):
            yield self.scored(connection, telling, any_of(telling))
            return
        if not telling:
            telling = [self.held(connection, word, stems[word]) for word in self._rarest(connection, stems)]
        for among in _bounded(telling):
            yield self.scored(connection, telling, among)

    def _follow(self, connection: sqlite3.Connection) -> None:
        """Forget what was read once somebody has written since.

        What was read after this may be newer than the version says. Then the version moves with the next question.
        """
        ((version,),) = connection.execute("PRAGMA data_version")
        if version != self._version:
            self._version, self._kept, self._lengths, self._totals = version, 0, np.zeros(0), None
            self._held.clear()
            self._common.clear()
            self._often.clear()

    def holders(self, connection: sqlite3.Connection, stems: Mapping[str, str]) -> dict[str, int]:
        """Return how many memories hold each of some words, by the stem of each.

        Of a word that is not asked for some number beyond `fulltext.COMMON`.
        """
        self._follow(connection)
        return {word: self._holders_of(connection, word, stem) for word, stem in stems.items()}

    def _holders_of(self, connection: sqlite3.Connection, word: str, stem: str) -> int:
        if stem in self._held:
            return len(self._held[stem][0])
        if stem in self._common:
            return fulltext.COMMON + 1
        count, _ = self._count(connection)
        if count <= _CROWDED:
            # Most words are no common ones: then its places are wanted next.
            places = _read_places(connection, stem, fulltext.COMMON + 1)
            if len(places) <= fulltext.COMMON:
                self._keep(stem, places)
                return len(self._held[stem][0])
        ((count,),) = connection.execute(_HELD_BY, (words.any_of([word]), fulltext.COMMON + 1))
        if count > fulltext.COMMON:
            self._common.add(stem)
        return int(count)

    def _count(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Return how many memories there are, and how many words they have."""
        if self._totals is None:
            ((told,),) = connection.execute(_TOTALS)
            count, *of_columns = _varints(told).tolist() if told else (0,)
            self._totals = count, sum(of_columns)
        return self._totals

    def _rarest(self, connection: sqlite3.Connection, stems: dict[str, str]) -> list[str]:
        """Return the words to ask for where crowds hold all of them: as many as can be read, the rarest."""
        for stem in stems.values():
            if stem not in self._often:
                row = connection.execute("SELECT cnt FROM memory_word WHERE term = ?", (stem,)).fetchone()
                self._often[stem] = 0 if row is None else row[0]
        places = {word: self._often[stem] for word, stem in stems.items()}
        chosen: list[str] = []
        for word in sorted(places, key=lambda word: (places[word], word)):
            if len(chosen) >= _PAIR and sum(places[each] for each in (*chosen, word)) > fulltext.PLACES_MAX:
                break
            chosen.append(word)
        return [word for word in stems if word in chosen]

    def held(self, connection: sqlite3.Connection, word: str, stem: str) -> PostingList:
        """Return who holds a word."""
        if stem in self._held:
            self._held[stem] = self._held.pop(stem)  # of all the last to be let go
        else:
            self._keep(stem, _read_places(connection, stem))
        return PostingList(word, *self._held[stem])

    def _keep(self, stem: str, places: Numbers) -> None:
        self._kept += len(places)
        while self._held and self._kept > _PLACES_KEPT:  # whoever was not asked for for longest
            self._kept -= int(self._held.pop(next(iter(self._held)))[1].sum())
        is_first = _are_first(places)
        if is_first.all():  # as of most words
            self._held[stem] = places, _once(len(places))
        else:
            (first,) = is_first.nonzero()
            often = np.empty(len(first), np.int64)
            np.subtract(first[1:], first[:-1], out=often[:-1])
            often[-1] = len(places) - first[-1]
            self._held[stem] = places[first], often

    def scored(self, connection: sqlite3.Connection, asked: Sequence[PostingList], among: Numbers) -> Ranking:
        """Return these memories with their scores, the best first, and equal ones by number.

        Each statement sees a moment of its own: what was forgotten since the words were looked up has no length
        any more.
        """
        lengths = self._lengths_of(connection, among)
        there = ~np.isnan(lengths)
        among, lengths = among[there], lengths[there]
        if not len(among):
            return _NOBODY
        count, length = self._count(connection)
        if not count or not length:
            return _NOBODY
        shortened = _SATED * (1 - _BY_LENGTH + _BY_LENGTH * lengths / (length / count))
        # All words at once; each memory's sum is taken word by word all the same.
        holding = [len(each.rows) for each in asked]
        rarities = [math.log((max(count - held, 0) + 0.5) / (held + 0.5)) for held in holding]
        rarity = np.repeat(np.maximum(rarities, _RARITY_MIN), holding)
        rows = np.concatenate([each.rows for each in asked])
        times = np.concatenate([each.often for each in asked])
        # Who holds it is looked up among those that are ranked, and not these there: most of them do not.
        at = among.searchsorted(rows)
        here = among[np.minimum(at, len(among) - 1)] == rows
        if not here.all():
            at, times, rarity = at[here], times[here], rarity[here]
        given = rarity * ((times * (_SATED + 1)) / (times + shortened[at]))
        scores = np.bincount(at, given, len(among)).astype(np.float64, copy=False)
        order = np.argsort(-scores, kind="stable")  # they stand by number: equal ones stay so
        return Ranking(among[order], scores[order])

    def _lengths_of(self, connection: sqlite3.Connection, among: Numbers) -> Column:
        """Return how many words each of these memories has; not a number for who is not there."""
        room = int(among.max(initial=-1)) + 1
        if room > len(self._lengths):
            self._lengths = np.append(self._lengths, np.full(room - len(self._lengths), np.nan))
        unread = among[np.isnan(self._lengths[among])]
        if len(unread):
            wanted = (json.dumps(unread.tolist()),)
            ((count, told),) = connection.execute(_LENGTHS, wanted)
            if count:
                there, columns = unread, _varints(told)
                if count < len(unread):
                    ((ids,),) = connection.execute(_WITH_LENGTH, wanted)
                    there = np.fromstring(ids or "", np.int64, sep=",")
                if len(columns) != len(there) * len(FILED_UNDER):
                    raise sqlite3.DatabaseError(_DAMAGED)
                self._lengths[there] = columns.reshape(len(there), len(FILED_UNDER)).sum(axis=1)
        return self._lengths[among]


def stems_of(asked: Sequence[str]) -> list[str | None]:
    """Return what full text search files each of some words under; None where that is not one thing."""
    return _tokenizer().stems(asked)


def stem_of(word: str) -> str | None:
    """Return the same of one word."""
    (stem,) = stems_of([word])
    return stem


def _are_many(asked: Sequence[PostingList]) -> bool:
    """Say whether more hold any of these words than are ranked without a choice among them."""
    most, all_together = max(len(held.rows) for held in asked), sum(len(held.rows) for held in asked)
    if most > fulltext.RANKED_MAX or all_together <= fulltext.RANKED_MAX:
        return most > fulltext.RANKED_MAX
    return len(any_of(asked)) > fulltext.RANKED_MAX


def _bounded(asked: Sequence[PostingList]) -> Iterator[Numbers]:
    """Return who is to be ranked: all again, or those who stand out, and behind these the newest of all."""
    if sum(len(held.rows) for held in asked) <= fulltext.RANKED_MAX:
        yield any_of(asked)
        return
    rare: list[PostingList] = []
    others: list[PostingList] = []
    few = 0
    for held in sorted(asked, key=lambda held: (min(len(held.rows), fulltext.COMMON + 1), held.word)):
        few += len(held.rows)
        (rare if few <= fulltext.RARE_MAX else others).append(held)
    if rare or len(others) > 1:
        paired = np.sort(np.concatenate([held.rows for held in others[: fulltext.PAIRED_MAX]]))
        standing_out = np.concatenate([*(held.rows for held in rare), paired[1:][paired[1:] == paired[:-1]]])
        yield _distinct(np.sort(standing_out))[-fulltext.NEWEST_MAX :]
    yield any_of(asked)[-fulltext.NEWEST_MAX :]


def _read_places(connection: sqlite3.Connection, stem: str, most: int = -1) -> Numbers:
    """Return the places of a word: the memory of each, in the order of their numbers; at `most` so many, if not all."""
    sql = _PLACES if most < 0 else _SOME_PLACES
    ((told,),) = connection.execute(sql, (stem,) if most < 0 else (stem, most))
    return np.fromstring(told or "", np.int64, sep=",")


def any_of(some: Sequence[PostingList]) -> Numbers:
    """Return who holds any of these words, in the order of their numbers."""
    return _distinct(np.sort(np.concatenate([held.rows for held in some])))


def _distinct(rising: Numbers) -> Numbers:
    first = _are_first(rising)
    return rising if first.all() else rising[first]  # most words stand once in a memory


def _once(count: int) -> Numbers:
    """Return a one for each of so many memories, which takes no room."""
    return np.ndarray(count, np.int64, _ONE, strides=(0,))


def _are_first(rising: Numbers) -> NDArray[np.bool_]:
    """Return which of some numbers differ from the one before."""
    first = np.ones(len(rising), np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=first[1:])
    return first


def _varints(told: str | None) -> Numbers:
    """Return the numbers in a run of SQLite's own: seven bits a byte, the last byte of each below 128."""
    stream = np.frombuffer(bytes.fromhex(told or ""), np.uint8)
    if not len(stream) or stream[-1] >= 128:
        raise sqlite3.DatabaseError(_DAMAGED)
    is_last = stream < 128
    if is_last.all():  # as where no text is long
        return stream.astype(np.int64)
    (last,) = is_last.nonzero()
    first = np.concatenate([[0], last[:-1] + 1])
    place = np.repeat(last, last - first + 1) - np.arange(len(stream))
    return np.add.reduceat((stream & 127).astype(np.int64) << 7 * place, first)


class _Tokenizer:
    """Says what full text search files a word under. Any thread may use it.

    What is no plain word of ASCII letters is asked of SQLite: it is filed, and looked up under what.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._filing = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._filing.execute(
            f"CREATE VIRTUAL TABLE filed USING fts5(word, content='', tokenize=\"{TOKENIZER}\")"
        )
        self._filing.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(filed, 'instance')")
        self._known: dict[str, str | None] = {}

    def stems(self, asked: Sequence[str]) -> list[str | None]:
        with self._lock:
            new = [word for word in dict.fromkeys(asked) if word not in self._known]
            if new and len(self._known) > _STEMS_KEPT:
                self._known, new = {}, [*dict.fromkeys(asked)]
            if new:
                self._known.update((word, porter_stem(word.lower())) for word in new if _is_plain(word))
                if others := [word for word in new if not _is_plain(word)]:
                    self._known.update(zip(others, self._looked_up(others), strict=True))
            return [self._known[word] for word in asked]

    def _looked_up(self, new: Sequence[str]) -> list[str | None]:
        """Return the same of words that nobody asked for yet: together, which costs little more than one."""
        filed: list[list[str]] = [[] for _ in new]
        self._filing.execute("BEGIN")
        self._filing.executemany("INSERT INTO filed (rowid, word) VALUES (?, ?)", enumerate(new))
        for at, stem in self._filing.execute("SELECT doc, term FROM stem"):
            filed[at].append(stem)
        self._filing.execute("ROLLBACK")
        return [stems[0] if len(stems) == 1 else None for stems in filed]


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalnum() and len(word) <= porter.LETTERS_MAX


_tokenizer: Final = lru_cache(1)(_Tokenizer)
