"""Ask the everyday questions: is the note that answers first among its louder ones, and in the whole household?"""

from collections.abc import Callable, Sequence
from typing import Final

from cognition import RankedMemory, StaticEmbedder
from replica import MemoryId
from tests.bench.everyday import SEEN, Case
from tests.bench.everyday_held_out import HELD_OUT
from tests.support.minds import NOW_MS
from tests.support.recalling import DAY_MS, Memory

# How long ago the notes that answer were written.
AGE_DAYS: Final = 200
RECALLED: Final = 1_000


class Household(Memory):
    """A memory of quiet notes and loud ones."""

    def quiet(self, text: str) -> MemoryId:
        """Write a note as people do: of no importance, long ago."""
        now_ms, self.home.now_ms = self.home.now_ms, NOW_MS - AGE_DAYS * DAY_MS
        rid = self.home.remember(text, importance=0.1)
        self.home.now_ms = now_ms
        return rid

    def loud(self, text: str) -> MemoryId:
        """Write a note that is new, pinned, as important as can be, and always recalled."""
        rid = self.home.remember(text, importance=1.0, pinned=True)
        self.home.connection.execute(
            "UPDATE memory SET accesses = ?, last_access = ? WHERE rid = ?", (RECALLED, NOW_MS, rid)
        )
        return rid


def household(cases: Sequence[Case], embedder: StaticEmbedder) -> tuple[Household, list[MemoryId]]:
    """Return a memory of all notes of these cases, and the ids of those that answer."""
    memory = Household(embedder)
    answers = [memory.quiet(case.answer) for case in cases]
    for case in cases:
        for text in case.louder:
            memory.loud(text)
    memory.embed()
    return memory, answers


def apart(cases: Sequence[Case], embedder: StaticEmbedder) -> list[list[RankedMemory]]:
    """Return what each question finds in a memory of its own notes, less those that found the answer first."""
    missed = []
    for case in cases:
        memory, (answer,) = household([case], embedder)
        hits = memory.recall(case.question)
        if not hits or hits[0].rid != answer:
            missed.append(hits)
    return missed


def together(cases: Sequence[Case], embedder: StaticEmbedder) -> tuple[int, int]:
    """Return how many questions find their answer first in a memory of the notes of all, and how many among ten."""
    memory, answers = household(cases, embedder)
    found = [[hit.rid for hit in memory.recall(case.question)] for case in cases]
    pairs = list(zip(found, answers, strict=True))
    return sum(rids[:1] == [answer] for rids, answer in pairs), sum(answer in rids for rids, answer in pairs)


def report(say: Callable[[str], None] = print) -> None:
    """Print how many of both halves are passed."""
    embedder = StaticEmbedder()
    say(
        "\nEveryday questions, a quiet note that answers beside loud ones that do not: answers that come first"
    )
    for name, cases in (("seen while it was made", SEEN), ("held out", HELD_OUT)):
        alone = len(cases) - len(apart(cases, embedder))
        first, ten = together(cases, embedder)
        say(f"  {name:>24}{alone:4} of {len(cases)}; {len(cases)} together: {first}, among ten {ten}")


if __name__ == "__main__":
    report()
