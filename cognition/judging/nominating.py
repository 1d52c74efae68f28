"""Read from a store what `cognition.judging.nominees` compares with a memory that was just told."""

import sqlite3
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final, NamedTuple

import numpy as np

from cognition.contradictions.values import folded
from cognition.embedding.embedder import Vectors, unit
from cognition.embedding.index import Halves, VectorIndex
from cognition.filters import Filters
from cognition.judging.nominees import (
    LOOKED_AT,
    MET_FROM,
    MetWords,
    Near,
    Nominee,
    compared_words,
    nominees,
    rarity,
)
from cognition.judging.verdicts import judged_with
from cognition.memories import Shown, read_memories
from cognition.search.passes import by_match, by_rare_words
from cognition.tables import indexed
from cognition.tellings import groups_of, tellings_with
from cognition.words import quoted, terms
from replica import MemoryId
from replica.reads.ids import newest_tellings, number_of

# Of what lies near, some is the telling itself, its facts, another's copy, or in another space.
_READ: Final = 2 * LOOKED_AT
# And of what shares a rare word.
_READ_RARE: Final = LOOKED_AT
# How much nearer a shared word brings a memory, for each nat of its rarity, among those that are to be compared. In a
# store of two thousand the other side of a contradiction is then among the nearest sixteen for 76 of 100, not for 69;
# half or twice as much does the same within two of 100.
_RARE_WORD: Final = 1 / 60
# Words that are sought where no model is at hand: the longest, which tell most.
_WORDS_MAX: Final = 12

# How much of what labels come to is taken off: of 660 memories of four lives, told with their dates and speakers, the
# vectors are then nearest to those of the texts alone.
LABELS_SHARE: Final = 0.4
# Labels whose vectors are kept: two megabytes.
LABELS_MAX: Final = 1_024
# Words whose vectors are kept, to see which words of two tellings are alike, as halves: eight megabytes. A thousand
# memories have some six thousand, and a review that makes them anew spends most of its time so.
WORDS_KEPT: Final = 8_192
# Texts that a review looks at, the newest: a few seconds.
REVIEWED_MAX: Final = 1_000
# Memories among which it seeks them. Copies of a text are looked at once: each would be compared with the same others,
# and a member that sends thousands of one text would be all that a review sees. To read so many takes some 20 ms.
REVIEW_READ_MAX: Final = 16 * REVIEWED_MAX
# What a review holds of texts at once; a thousand that people write have a fraction of a million.
REVIEW_CHARACTERS_MAX: Final = 32_000_000
_READ_AT_ONCE: Final = 50


class Nominated(NamedTuple):
    """A nominee, and the older memory that it is."""

    nominee: Nominee
    shown: Shown


class ByMeaning:
    """Compares a new memory by meaning: with the index, and with what is about to enter it.

    A vector is made of the text and of who said it when; two notes of one day by one person are alike by that alone.
    So what the labels by themselves come to is taken off again, in part: whole, it would take from the text too.
    Belongs to the store's reading thread.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        self._embed = embed
        self._labels: OrderedDict[str, Vectors] = OrderedDict()
        self._words = _WordVectors(embed)

    def find(
        self, query: Vectors, vector: Vectors, index: VectorIndex, waiting: Mapping[int, Vectors]
    ) -> dict[int, float]:
        """Return the numbers of what lies near a new memory, with cosines; `query` is its vector without its labels."""
        found = dict(index.search(query, _READ))
        near = sorted(
            {number: float(np.vecdot(made, vector)) for number, made in waiting.items()}.items(),
            key=lambda each: (-each[1], each[0]),
        )
        return found | dict(near[:_READ])

    def of_words(self, words: Sequence[str]) -> Vectors:
        """Return a vector for each word by itself."""
        return self._words.of(words)

    def learn(self, texts: Iterable[str]) -> None:
        """Make the vectors of the words of many texts at once, as far as they are kept: one by one takes far longer."""
        wanted = dict.fromkeys(word for text in texts for word in compared_words(text))
        self._words.learn([*wanted][:WORDS_KEPT])

    def met(self, told: str, texts: Sequence[str]) -> list[MetWords]:
        """Return how far a telling and each of some texts meet word by word."""
        mine = compared_words(told)
        theirs = [compared_words(text) for text in texts]
        if not mine or not any(theirs):
            return [MetWords(0.0, 0.0)] * len(texts)
        rows = self._words.of([*mine, *chain.from_iterable(theirs)])
        alike = np.maximum(_cosines(rows[: len(mine)], rows[len(mine) :]) - MET_FROM, 0) / (1 - MET_FROM)
        best = alike.max(axis=0)
        ends = [*accumulate(map(len, theirs))]
        # Of each text the best of its words; what has none has no place of its own to begin at.
        starts = [end - len(words) for end, words in zip(ends, theirs, strict=True) if words]
        # A word that everything near meets is what all of it is about: it tells none apart.
        by_text = np.maximum.reduceat(alike, starts, axis=1).T
        counts = np.array([rarity(each) for each in by_text.sum(axis=0).tolist()], np.float32)
        met = iter(np.vecdot(by_text, counts).tolist())
        return [
            MetWords(next(met), float(best[end - len(words) : end].sum()) / len(words))
            if words
            else MetWords(0.0, 0.0)
            for end, words in zip(ends, theirs, strict=True)
        ]

    def plain(self, shown: Sequence[Shown], vectors: Vectors) -> Vectors:
        """Return vectors of memories less what their labels come to, each of length 1."""
        labels = [labels_of(it) for it in shown]
        missing = sorted({label for label in labels if label and label not in self._labels})
        if missing:
            self._labels.update(zip(missing, self._embed(missing), strict=True))
        rows = vectors.astype(np.float32)
        for row, label in zip(rows, labels, strict=True):
            if label:
                row -= LABELS_SHARE * self._labels[label]
                self._labels.move_to_end(label)
        while len(self._labels) > LABELS_MAX:
            self._labels.popitem(last=False)
        return unit(rows)


class _WordVectors:
    """Keeps vectors of words, as rows of one array: reading them one by one took most of the time of a review."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        self._embed = embed
        self._rows: Halves | None = None
        self._at: dict[str, int] = {}

    def of(self, words: Sequence[str]) -> Vectors:
        """Return a vector for each word by itself; there is at least one."""
        self.learn(words)
        assert self._rows is not None
        return self._rows[[self._at[word] for word in words]].astype(np.float32)

    def learn(self, wanted: Sequence[str]) -> None:
        """Keep vectors of words, in place of those that have been here the longest, but of none that is wanted."""
        missing = sorted({word for word in wanted if word not in self._at})
        if not missing:
            return
        made = self._embed(missing).astype(np.float16)
        if self._rows is None:
            self._rows = np.zeros((WORDS_KEPT, made.shape[1]), np.float16)
        rows = [*range(len(self._at), min(WORDS_KEPT, len(self._at) + len(missing)))]
        if len(rows) < len(missing):
            stay = frozenset(wanted)
            gone = [word for word in self._at if word not in stay][: len(missing) - len(rows)]
            rows += [self._at.pop(word) for word in gone]
        self._rows[rows] = made
        self._at.update(zip(missing, rows, strict=True))


class Vectorized(NamedTuple):
    """A new memory's vector, what compares it, the index, and the vectors that are about to enter that."""

    vector: Vectors
    by_meaning: ByMeaning
    index_of: Callable[[sqlite3.Connection], VectorIndex]
    waiting: Mapping[int, Vectors]
    read: Callable[[sqlite3.Connection, Iterable[int]], Iterable[Shown]] = read_memories

    def near(self, connection: sqlite3.Connection, told: Shown) -> list[tuple[Shown, float | None]]:
        """Return what lies near, with cosines that the labels of both have no part in."""
        known, query, plain = self._plain(connection, told, {})
        return list(zip(known, np.vecdot(plain, query).tolist(), strict=True))

    def compared(self, connection: sqlite3.Connection, told: Shown) -> list[tuple[Shown, Near]]:
        """Return the nearest, with all that says whether one is to be named; the nearest first.

        A word that few memories hold brings them nearer: what lies near by chance is the more the larger a store is.
        """
        count = len(self.index_of(connection))
        shared = by_rare_words(connection, told.id, compared_words(told.memory.text), count, _READ_RARE)
        every, query, plain = self._plain(connection, told, shared)
        # One of each text, the one told last: by its copies a text would look like any other.
        last = {it.content: at for at, it in sorted(enumerate(every), key=lambda one: one[1].id)}
        chosen = sorted(last.values())
        known, plain = [every[at] for at in chosen], plain[chosen]
        cosines = np.vecdot(plain, query)
        nearer = cosines + _RARE_WORD * np.array([shared.get(it.id, 0.0) for it in known])
        nearest = np.argsort(-nearer, kind="stable")[:LOOKED_AT].tolist()
        met = self.by_meaning.met(told.memory.text, [known[at].memory.text for at in nearest])
        return [
            (
                known[at],
                Near(
                    known[at].id,
                    known[at].memory.text,
                    float(cosines[at]),
                    _labelled(told, known[at]),
                    words,
                    count,
                ),
            )
            for at, words in zip(nearest, met, strict=True)
        ]

    def _plain(
        self, connection: sqlite3.Connection, told: Shown, more: Mapping[int, float]
    ) -> tuple[list[Shown], Vectors, Vectors]:
        """Return what lies near and `more`, and the vectors of the telling and of these without their labels."""
        index = self.index_of(connection)
        query = self.by_meaning.plain([told], self.vector[None])[0]
        found = {**self.by_meaning.find(query, self.vector, index, self.waiting), **more}
        rows = {**index.vectors(list(found)), **self.waiting}
        known = [it for it in self.read(connection, found) if it.id in rows and may_be_compared(told, it)]
        # Joined, since `stack` takes three times as long for so few rows.
        width = len(query)
        joined = [rows[it.id] for it in known] or [np.empty(0, np.float32)]
        vectors = np.concatenate(joined).reshape(-1, width)
        return known, query, self.by_meaning.plain(known, vectors)


def nominated(
    connection: sqlite3.Connection, rid: MemoryId, by_meaning: Vectorized | None = None
) -> list[Nominated]:
    """Return the older memories that one is to be compared with, the likeliest first.

    They are of its workspace, and neither archived, nor linked to it already, nor facts taken from it, nor judged
    against it or against what says the same.
    """
    number = number_of(connection, rid)
    if number is None:
        return []
    (told,) = read_memories(connection, [number])
    return _nominated(connection, told, by_meaning, answered(connection, rid))


def _nominated(
    connection: sqlite3.Connection, told: Shown, by_meaning: Vectorized | None, done: frozenset[MemoryId]
) -> list[Nominated]:
    near = _by_words(connection, told) if by_meaning is None else by_meaning.compared(connection, told)
    known = {it.id: it for it, _ in near}
    chosen = [each for it, each in near if it.rid not in done]
    return [Nominated(one, known[one.id]) for one in nominees(told.memory.text, chosen)]


def labels_of(it: Shown) -> str:
    """Return what a memory's vector is made of beside its text."""
    filed = indexed("", it.memory.fields)
    return f"{filed.speaker}: {filed.about}" if filed.speaker else filed.about


class ReviewUnderWay:
    """A review: pairs that nobody judged yet, a later memory with an earlier one. Each call looks at some texts.

    Looked at are the `REVIEWED_MAX` newest texts, each as it was told last; with a workspace, of those only that are in
    it. It ends early after so many characters as `REVIEW_CHARACTERS_MAX`.
    """

    def __init__(self, connection: sqlite3.Connection, *, workspace: str | None) -> None:
        found = newest_tellings(connection, workspace, limit=REVIEWED_MAX, read_max=REVIEW_READ_MAX)
        self._numbers = deque(number for number, _ in found)
        self._read = _ReadOnce()
        self._next = deque[int]()
        self._groups = dict[int, int]()
        # The same of all that are shown as one: they may be thousands.
        self._answered = dict[int, frozenset[MemoryId]]()
        self._pairs: list[tuple[Shown, Nominated]] = []
        self.is_over = not found

    @property
    def left(self) -> int:
        """How many texts were not looked at."""
        return len(self._numbers) + len(self._next)

    def pairs(self) -> list[tuple[Shown, Nominated]]:
        """Return what was found, the weightiest first."""
        return sorted(self._pairs, key=lambda pair: (-pair[1].nominee.weight, -pair[0].id))

    def look(
        self,
        connection: sqlite3.Connection,
        of_number: Callable[[int], Vectorized | None],
        is_past: Callable[[], bool],
    ) -> None:
        """Look at the next texts, at one in any case, until `is_past` says that it is time."""
        while not self.is_over:
            if not self._next:
                self._read_more(connection, of_number)
            self._look_at(connection, self._next.popleft(), of_number)
            self.is_over = not self.left or self._read.characters > REVIEW_CHARACTERS_MAX
            if is_past():
                return

    def _read_more(
        self, connection: sqlite3.Connection, of_number: Callable[[int], Vectorized | None]
    ) -> None:
        some = [self._numbers.popleft() for _ in range(min(_READ_AT_ONCE, len(self._numbers)))]
        self._next.extend(some)
        shown = self._read(connection, some)
        self._groups |= groups_of(connection, some)
        by_meaning = next((each for each in map(of_number, some) if each is not None), None)
        if by_meaning is not None:
            by_meaning.by_meaning.learn(it.memory.text for it in shown)

    def _look_at(
        self,
        connection: sqlite3.Connection,
        number: int,
        of_number: Callable[[int], Vectorized | None],
    ) -> None:
        told = self._read.shown.get(number)
        if told is None:  # forgotten meanwhile
            return
        by_meaning = of_number(number)
        compared_by = None if by_meaning is None else by_meaning._replace(read=self._read)
        group = self._groups.get(number, -number)
        if group not in self._answered:
            self._answered[group] = answered(connection, told.rid)
        done = self._answered[group]
        self._pairs += [(told, each) for each in _nominated(connection, told, compared_by, done)]


class _ReadOnce:
    """Reads each memory once: in a review the same ones lie near to one another."""

    def __init__(self) -> None:
        self.shown = dict[int, Shown]()
        self.characters = 0
        """Of all texts that were read."""

    def __call__(self, connection: sqlite3.Connection, numbers: Iterable[int]) -> list[Shown]:
        wanted = list(numbers)
        missing = [number for number in wanted if number not in self.shown]
        for it in read_memories(connection, missing):
            self.shown[it.id] = it
            self.characters += len(it.memory.text)
        return [self.shown[number] for number in wanted if number in self.shown]


def _cosines(one: Vectors, other: Vectors) -> Vectors:
    """Return the cosine of each of the one with each of the other.

    Not as one product: for so few rows the threads of BLAS wait for each other far longer than they multiply.
    """
    rows: Vectors = np.vecdot(one[:, None], other[None])
    return rows


def _labelled(told: Shown, known: Shown) -> bool:
    return bool(labels_of(told) or labels_of(known))


def _by_words(connection: sqlite3.Connection, told: Shown) -> list[tuple[Shown, Near]]:
    telling = sorted(terms(told.memory.text), key=lambda word: (-len(word), word))[:_WORDS_MAX]
    found = [number for number, _ in by_match(connection, quoted(telling), Filters(), _READ)]
    return [
        (it, Near(it.id, it.memory.text, None, _labelled(told, it)))
        for it in read_memories(connection, found)
        if may_be_compared(told, it)
    ]


def may_be_compared(told: Shown, known: Shown) -> bool:
    """Say whether an older memory is one to compare with a telling."""
    mine, theirs = told.memory.fields, known.memory.fields
    return (
        known.id < told.id
        and known.content != told.content
        and _in_one_space(mine.get("workspace"), theirs.get("workspace"))
        and "parent" not in theirs
        and not theirs.get("archived")
        and "block" not in theirs
    )


def _in_one_space(one: object, other: object) -> bool:
    return one == other or folded(str(one or "")) == folded(str(other or ""))


def answered(connection: sqlite3.Connection, rid: MemoryId) -> frozenset[MemoryId]:
    """Return what is shown with a memory as one already, and what somebody judged any of these against."""
    alike = tellings_with(connection, rid)
    return frozenset(alike) | judged_with(connection, alike)
