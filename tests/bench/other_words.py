"""Ask the everyday questions that were kept aside of notes as they were told, and of notes that have other words too.

`python -m tests.bench.other_words`. The other words stand in `tests/data/other_words.txt`, written by somebody who was
shown the notes in random order and not the questions, but could tell quiet notes from loud ones: an indication only.
"""

from pathlib import Path
from typing import Final

import numpy as np

from cognition import Embedder
from cognition.embedding.universal import UniversalEmbedder
from cognition.wordings.index import WordingIndex
from cognition.wordings.tables import checked, keep, unworded
from replica import derived_memory_id
from tests.bench.everyday_held_out import HELD_OUT
from tests.bench.everyday_run import AGE_DAYS
from tests.bench.families import Store
from tests.support.minds import NOW_MS
from tests.support.recalling import DAY_MS

WORDS: Final = Path(__file__).parents[1] / "data" / "other_words.txt"
SPACE: Final = 1


def other_words() -> dict[str, list[str]]:
    """Return the wordings of each note."""
    lines = [line.split(" | ") for line in WORDS.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {note: wordings for note, *wordings in lines}


def told(embedder: Embedder) -> Store:
    """Return all notes in one store: those that answer are old, and of no importance."""
    store = Store(embedder)
    for case in HELD_OUT:
        for text in (case.answer, *case.louder):
            quiet = text == case.answer
            told_at = NOW_MS - AGE_DAYS * DAY_MS if quiet else NOW_MS
            fields = {"told_at": told_at, "importance": 0.1 if quiet else 1.0}
            store.tell(derived_memory_id("note", text), text, text, {**fields}, facts=False)
    store.embed()
    return store


def reword(store: Store) -> WordingIndex:
    """Give the notes their other words."""
    page = unworded(store.home.connection, before_ms=NOW_MS, limit=1_000)
    words = other_words()
    wordings = [checked(words[one.text], one.text) for one in page]
    vectors = [store.embedder.embed(some).astype(np.float16).tobytes() for some in wordings]
    keep(store.home.connection, SPACE, page, wordings, vectors)
    return WordingIndex(SPACE)


def report(label: str, store: Store, wordings: WordingIndex | None) -> None:
    """Print how many questions find their note first, among five and among ten."""
    places = []
    for case in HELD_OUT:
        ranked = store.ask(case.question, NOW_MS, wordings=wordings)
        found = [store.named[bytes(ranked.pool.rows[i].rid)] for i in ranked.order]
        places.append(found.index(case.answer) if case.answer in found else len(found))
    first, five, ten = (sum(place < depth for place in places) for depth in (1, 5, 10))
    print(f"{label:>20}: first {first}, among five {five}, among ten {ten} of {len(HELD_OUT)}")


def main() -> None:
    """Ask both."""
    store = told(UniversalEmbedder())
    report("as they were told", store, None)
    report("with other words", store, reword(store))


if __name__ == "__main__":
    main()
