"""Find what a new telling says again, among what is there: it is linked to that, and both stay.

The newest texts are nominated by their wording (`cognition.ingest.minhash`), older ones by the words they were filed
under; `cognition.ingest.sameness` judges each. A telling is linked to one other: the surest, and of these the newest;
or rather to what heads the group of that, where it says the same as this too. So a group has a link for each wording,
and none of its tellings is far from the others. One that is full takes no more. Tellings of the very same text need no
link (`cognition.tellings`). What is told one by one is compared before it is written; what is told in bulk is
afterwards, by the next cycle of thinking.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from cognition.ingest.minhash import NearTexts, jaccard, trigrams
from cognition.ingest.sameness import sureness
from cognition.memories import RECALLED, Shown, read_memories
from cognition.tellings import CLASSES_MAX, head_of
from cognition.thinking.cycle import StepOutcome
from cognition.words import quoted, terms, words
from replica import (
    Core,
    MemoryId,
    SaysSame,
    Write,
    content_number,
    derived_transaction,
    links_of,
    memories_called,
    show_memory_id,
)
from replica.reads.duplicates import latest_fields, told_the_same
from replica.reads.texts import texts_after

# The newest memories whose signatures are kept: a program that runs once has to make these first. Older ones are asked
# for by the longest of a text's words, each once, since a word is sought in every segment of the full text: whatever
# holds the two longest of four, or the two behind these. Of LoCoMo's lines with up to a quarter of their words changed,
# as far as they are repetitions still, 99.4 % hold them; any two of the four, asked for with each word twice, 99.96 %.
NEAR_MAX: Final = 2_000
OLDER_WORDS: Final = 4
JACCARD_MIN: Final = 0.5
# Two texts that share half of their trigrams share two thirds of those that each has, and more than so much of their
# words, counted in characters: of the 9,000 lines of that kind, all do.
WORDS_MIN: Final = 0.5
# Nominees that are judged, and older rows that are looked at; further ones are older, and alike to these.
NOMINEES_MAX: Final = 16
# Due tellings that one call takes up: each may take a commit, and other writers wait.
DUE_MAX: Final = 32
# Tellings of the very same text that are named to whoever tells them again.
SAME_MAX: Final = 64

# Two memories that differ in one of these say it of two things, or were told as two.
_OWN: Final = ("workspace", "speaker", "type", "event_start", "event_end")
_TOLD_AS: Final = ("speaker", "event_start", "event_end")
# What stands at a place of its own says what was said there, and a goal or a block is changed by name.
_ALONE: Final = frozenset({"turn", "position", "goal", "block"})


class Again(NamedTuple):
    """What a telling says again: tellings of the same text, the newest first, or one that it is to be linked to."""

    same: tuple[MemoryId, ...] = ()
    link: tuple[MemoryId, int] | None = None

    def writes(self, rid: MemoryId) -> list[Write]:
        """Return what links a new telling of this id."""
        if self.link is None:
            return []
        known, sure = self.link
        return [Write(SaysSame((min(rid, known), max(rid, known)), sure))]

    @property
    def rids(self) -> tuple[MemoryId, ...]:
        """The tellings that say the same."""
        return self.same if self.link is None else (self.link[0],)


class Linker:
    """Finds what a new text says again. Used on the store's writer thread only, so it takes no locks."""

    def __init__(self) -> None:
        self._near = NearTexts(NEAR_MAX)
        self._upto = 0

    def find(self, connection: sqlite3.Connection, text: str, fields: Mapping[str, Any]) -> Again:
        """Return what a text says again that is about to be stored."""
        if not _ALONE.isdisjoint(fields):
            return Again()
        same = _same_words(connection, text, fields)
        if same:
            return Again(same)
        return Again(link=_with_room(connection, text, fields, self._nominees(connection, text)))

    def find_before(self, connection: sqlite3.Connection, it: Shown) -> Again:
        """Return what a memory says again of what was stored before it, unless it is linked already."""
        text, fields = it.memory.text, it.memory.fields
        if not _ALONE.isdisjoint(fields) or links_of(connection, [it.rid]):
            return Again()
        same = tuple(rid for rid in _same_words(connection, text, fields) if rid != it.rid)
        if same:
            return Again(same)
        before = [one for one in self._nominees(connection, text) if one.memory.created < it.memory.created]
        return Again(link=_with_room(connection, text, fields, before))

    def _nominees(self, connection: sqlite3.Connection, text: str) -> list[Shown]:
        self._catch_up(connection)
        nominees = [*self._near.nominate(text), *self._older(connection, text)]
        return list(read_memories(connection, nominees[:NOMINEES_MAX]))

    def _older(self, connection: sqlite3.Connection, text: str) -> list[int]:
        """Return older memories that share most of their wording with a text, the newest first."""
        first = self._near.first
        if first is None or first <= 1:
            return []
        telling = sorted(terms(text), key=lambda word: (-len(word), word))[:OLDER_WORDS]
        if not telling:
            return []
        rows = connection.execute(
            """SELECT m.id, m.text FROM memory_text f JOIN shown_memory m ON m.id = f.rowid
               WHERE f.memory_text MATCH ? AND f.rowid < ? ORDER BY f.rowid DESC LIMIT ?""",
            (_most_of(telling), first, NOMINEES_MAX),
        )
        said, grams = set(words(text)), trigrams(text)
        wanted = WORDS_MIN * sum(map(len, said))
        return [
            number
            for number, known in rows
            # To look for words takes a fifth of the time of taking a text apart, and most rows have but two of them.
            if sum(map(len, filter(known.casefold().__contains__, said))) >= wanted
            and jaccard(grams, trigrams(known)) >= JACCARD_MIN
        ]

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Take in what came since, by any way; what was changed or forgotten since is read anew when nominated."""
        rows = texts_after(connection, self._upto, limit=NEAR_MAX)
        if rows:
            rows.reverse()
            self._near.add([number for number, _ in rows], [text for _, text in rows])
            self._upto = rows[-1][0]


def as_told(writes: Sequence[Write], again: Again, rid: MemoryId) -> list[Write]:
    """Return what is written for a telling: all of it, always, and the link to what it says again."""
    return [*writes, *again.writes(rid)]


class Linking:
    """A `cognition.thinking.cycle.Step`: compares what was told in bulk, a batch or an import, a few at a time."""

    name: Final = "linked"

    def __init__(self) -> None:
        self._linker = Linker()

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        """Link some of what waits to what it says again."""
        due = [rid for (rid,) in connection.execute("SELECT rid FROM telling_unlinked LIMIT ?", (DUE_MAX,))]
        if not due:
            return StepOutcome()
        linked: list[str] = []
        known = list(memories_called(connection, due))
        for it in sorted(known, key=lambda each: each.memory.created):
            writes = self._linker.find_before(connection, it).writes(it.rid)
            if writes:  # each by itself: the next one may be linked to it
                core.commit(writes, now_ms)
                linked.append(show_memory_id(it.rid))
        wait_for_links(connection, (), no_more=due)
        return StepOutcome(tuple(linked), more=len(due) == DUE_MAX)


def wait_for_links(
    connection: sqlite3.Connection, rids: Iterable[bytes], *, no_more: Iterable[bytes] = ()
) -> None:
    """Have these memories compared by the next cycle of thinking, and these not any more."""
    with derived_transaction(connection):
        connection.executemany("INSERT OR IGNORE INTO telling_unlinked VALUES (?)", [(rid,) for rid in rids])
        connection.executemany("DELETE FROM telling_unlinked WHERE rid = ?", [(rid,) for rid in no_more])


def judged(text: str, fields: Mapping[str, Any], known: Iterable[Shown]) -> list[tuple[Shown, int]]:
    """Return which of some memories a text says again, and how surely: the surest first, and of these the newest."""
    found = [
        (it, sure)
        for it in known
        if may_say_same(fields, it.memory.fields) and (sure := sureness(text, it.memory.text))
    ]
    return sorted(found, key=lambda each: (each[1], each[0].memory.created, each[0].rid), reverse=True)


def _with_room(
    connection: sqlite3.Connection, text: str, fields: Mapping[str, Any], known: Iterable[Shown]
) -> tuple[MemoryId, int] | None:
    """Return to which memory a text is to be linked, and how surely: to the head of a group that is not full."""
    for it, sure in judged(text, fields, known):
        head, classes = head_of(connection, it.id)
        if classes < CLASSES_MAX:
            heading = judged(text, fields, read_memories(connection, [head]))
            it, sure = heading[0] if heading else (it, sure)
            return it.rid, sure
    return None


def may_say_same(fields: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    """Say whether two memories may be two tellings of one thing: of one type, by one speaker, of one time."""
    return _ALONE.isdisjoint(held) and all(fields.get(name) == held.get(name) for name in _OWN)


def with_origin(connection: sqlite3.Connection, text: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a text; one that came out of a recall is what was recalled, told by whoever told that."""
    if fields.get("source") != RECALLED:
        return dict(fields)
    came = latest_fields(connection, _TOLD_AS, content_number(text), text, fields.get("workspace"))
    return {**came, **fields}


def _same_words(connection: sqlite3.Connection, text: str, fields: Mapping[str, Any]) -> tuple[MemoryId, ...]:
    return tuple(told_the_same(connection, content_number(text), text, fields, limit=SAME_MAX))


def _most_of(wanted: Sequence[str]) -> str:
    """Return the full text query for what holds most of at most four words, the longest first."""
    match quoted(wanted):
        case [one, two, three, four]:
            return f"({one} AND {two}) OR ({three} AND {four})"
        case [one, two, three]:
            return f"({one} AND ({two} OR {three})) OR ({two} AND {three})"
        case some:
            return " AND ".join(some)
