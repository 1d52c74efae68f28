"""Laws of cognition's tables: whatever happens to memories, the tables say what the memories say."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cognition import HashedEmbedder
from cognition.background import queue
from cognition.tables import CognitionTables
from replica import Forget, MemoryId, Set, Write
from tests.support.minds import NOW_MS, Home

WORDS = ["ann", "bob", "lisbon", "moved", "likes", "tea", "trees", "boat"]
EMBEDDER = HashedEmbedder(8)


def filed(home: Home) -> dict[str, list[int]]:
    """Return, for each word of the vocabulary, the rows filed under it in each column."""
    return {
        f"{column}:{word}": [
            number
            for (number,) in home.connection.execute(
                "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid",
                (f"{column}:{word}",),
            )
        ]
        for word in WORDS
        for column in ("text", "speaker", "about")
    }


def embed_some(home: Home, limit: int) -> None:
    space = queue.enter_space(home.connection, "laws", now_ms=NOW_MS)
    jobs = queue.due(home.connection, now_ms=NOW_MS, limit=limit)
    queue.done(home.connection, space, jobs, EMBEDDER.embed([job.text for job in jobs]))


@given(seed=st.integers(0, 2**32), steps=st.integers(1, 30))
def test_tables_kept_in_step_equal_tables_filled_anew(seed: int, steps: int) -> None:
    """Words.

    The same either way. Vectors: every memory has one that is its own, or waits for it, never both.
    """
    home, random = Home(), Random(seed)
    rids: list[MemoryId] = []
    for _ in range(steps):
        match random.randrange(6):
            case 0 | 1 | 2:
                fields = {
                    name: random.choice(WORDS) for name in ("speaker", "topic") if random.random() < 0.5
                }
                rids.append(home.remember(" ".join(random.choices(WORDS, k=4)), **fields))
            case 3 if rids:
                value = random.choice([*WORDS, None])
                home.commit(
                    Write(Set(random.choice(["speaker", "topic", "domain"]), value), random.choice(rids))
                )
            case 4 if rids:
                home.commit(Write(Forget((rids.pop(random.randrange(len(rids))),))))
            case _:
                embed_some(home, random.randrange(1, 4))
    shown = {number for (number,) in home.connection.execute("SELECT id FROM memory")}
    waiting = {number for (number,) in home.connection.execute("SELECT id FROM embed_queue")}
    embedded = {number for (number,) in home.connection.execute("SELECT id FROM vector")}
    assert waiting | embedded == shown
    assert not waiting & embedded
    kept = filed(home)
    home.connection.execute("DELETE FROM cognition")
    CognitionTables().migrate(home.connection)
    assert filed(home) == kept
    home.connection.close()
