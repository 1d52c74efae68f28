"""Whatever else a memory has, what was asked about comes before what was not; in whatever order candidates came."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cognition.days import DAY_MS
from cognition.embedding.lexicon import WordVectors
from cognition.embedding.static import StaticEmbedder
from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import WEIGHTS, score
from cognition.recall.stages import in_order
from tests.support.minds import NOW_MS

LEXICON = WordVectors(StaticEmbedder())
# Questions of every kind that some signal waits for, and what a memory shares with each.
ASKED = {
    "When is bin day?": "bins",
    "How many eggs do the pancakes take?": "eggs",
    "Who owns the ladder?": "ladder",
    "What did I plant in the garden?": "garden",
    "What is the current wine policy?": "wine",
    "How long is the oven timer?": "oven",
    "What do we use for polishing?": "polishing",
    "Who is in the chess team?": "chess",
    "Why was I so sad in the cinema?": "cinema",
    "What's the recipe for soup?": "soup",
    "Where did Ada hang the mirror?": "mirror",
    "Wann kommt der Schornsteinfeger?": "Schornsteinfeger",
    "¿Cuándo riego el limonero?": "limonero",
    "Когда пришла посылка?": "посылка",
}
# Every kind of thing that some signal looks for, and none of what was asked about.
LOUD = (
    "Zrq on Monday, 3 December 2026, at noon",
    "vlk: 12 hours, 45 minutes, three times",
    "I must and we always agreed: xpt",
    "now and currently krz, since today",
    "Mia, Paul, Greta and Tim qrx",
    "wxn",
    "Zrq vlk, xpt?",
    "zrq vlk " * 80,
)
SPEAKERS = st.sampled_from([None, "Ada", "Ben"])


@st.composite
def loud_rows(draw: st.DrawFn, number: int, turn: bool) -> CandidateRow:
    """Something unrelated with all else that lifts a memory."""
    return CandidateRow(
        id=number,
        rid=number.to_bytes(16),
        content=number,
        text=draw(st.sampled_from(LOUD)),
        speaker=draw(SPEAKERS),
        conversation="chat" if turn else None,
        position=number if turn else None,
        time_ms=NOW_MS,
        importance=1.0,
        accesses=draw(st.sampled_from([0, 1_000, 10**6])),
        last_access=NOW_MS,
        type=draw(st.sampled_from([None, "episodic", "semantic"])),
        valence=draw(st.sampled_from([None, -1.0, 1.0])),
        updated_ms=NOW_MS,
    )


@st.composite
def pools(draw: st.DrawFn) -> tuple[Query, list[CandidateRow], dict[int, float], dict[int, float]]:
    """A question, one quiet memory about it, and loud ones about nothing of it, none nearer in meaning."""
    question = draw(st.sampled_from(sorted(ASKED)))
    days = draw(st.integers(0, 3_000))
    told_ms = NOW_MS - days * DAY_MS
    quiet = CandidateRow(
        id=1,
        rid=(1).to_bytes(16),
        content=1,
        text=f"{draw(st.sampled_from(['', 'the ', 'put away the ']))}{ASKED[question]}",
        speaker=draw(SPEAKERS),
        conversation=None,
        position=None,
        time_ms=told_ms,
        importance=draw(st.sampled_from([None, 0.0, 0.1])),
        accesses=0,
        last_access=0,
        updated_ms=told_ms,
    )
    count = draw(st.integers(1, 12))
    rows = [quiet, *(draw(loud_rows(number, draw(st.booleans()))) for number in range(2, 2 + count))]
    near = draw(st.floats(0, 0.6))
    words = {row.id: 1.0 if row.id == 1 else 0.0 for row in rows}
    meaning = {row.id: near if row.id == 1 else near * draw(st.floats(0, 1)) for row in rows}
    return Query(question), rows, words, meaning


def order_of(
    query: Query, rows: list[CandidateRow], words: dict[int, float], meaning: dict[int, float]
) -> list[int]:
    pool = Pool(
        query,
        rows,
        np.array([words[row.id] for row in rows]),
        np.array([meaning[row.id] for row in rows]),
        NOW_MS,
        LEXICON,
    )
    return [rows[i].id for i in in_order(score(pool, WEIGHTS).scores, rows, {})]


@given(pools())
def test_nothing_lifts_what_is_about_something_else_above_what_was_asked_about(
    some: tuple[Query, list[CandidateRow], dict[int, float], dict[int, float]],
) -> None:
    assert order_of(*some)[0] == 1


@given(pools(), st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_come_does_not_matter(
    some: tuple[Query, list[CandidateRow], dict[int, float], dict[int, float]], random: Random
) -> None:
    query, rows, words, meaning = some
    shuffled = random.sample(rows, len(rows))
    assert order_of(query, shuffled, words, meaning) == order_of(query, rows, words, meaning)
