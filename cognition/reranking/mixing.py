"""Mix what a reranker says of the best candidates into their scores, as one signal among the others.

The signals put the whole pool in order first; then a model judges the first hundred by what it has read of them, and
what it says is weighed and added. A turn is judged by itself and together with the turn before it, where that is judged
too: an answer leaves out what the question named. Whom the model did not judge keeps the score that the signals gave.
"""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cognition.ranking.signals import RERANKER, Scored
from cognition.recall.stages import Ranked, Reread, best_of, in_order
from cognition.reranking.readings import UNREADABLE, RerankText, as_read, read_one, readings_of
from cognition.reranking.reranker import Reranker, Scores

# How many are judged for a recall. On conversations 24 and 48 found less, and the whole pool no more.
CANDIDATES: Final = 96
# How many of them a recall reads for itself, where the background has not come to them yet: a tenth of a second, well
# spent on the few that came just now. Of a store that is yet to be read, eight of 96 would change nothing.
FRESH_MAX: Final = 8
# As far above the middle as anything is raised for. Among 96 texts of talk one in a thousand is.
DEVIATIONS_MAX: Final = 4.0
# On talk the numbers of a question have a standard deviation of 0.044.
SPREAD_MIN: Final = 0.03


def to_judge(ranked: Ranked, parts: int = 1) -> list[int]:
    """Return the rows to be judged of one of the `parts` of a question, the best first; duplicates once."""
    return best_of(ranked, max(1, CANDIDATES // parts))


def asks(reranker: Reranker, ranked: Ranked) -> bool:
    """Say whether a reranker is to judge this pool: it has weight, and knows the language of the question."""
    return bool(ranked.weights.get(RERANKER)) and reranker.knows(ranked.pool.query.text)


def with_readings(connection: sqlite3.Connection, ranked: Ranked, reranker: Reranker) -> Ranked:
    """Return a pool with what was read of its best, where that is wanted; on the thread of the connection."""
    if not asks(reranker, ranked):
        return ranked
    numbers = [ranked.pool.rows[i].id for i in to_judge(ranked)]
    return replace(ranked, readings=readings_of(connection, numbers))


def read_of(
    ranked: Ranked, reranker: Reranker, rows: Sequence[int], limit: int
) -> tuple[dict[int, bytes], dict[tuple[int, str], bytes]]:
    """Return the readings of rows, and those that were made for it: of all that are missing if these are few, or none.

    What the model failed at has an empty reading: it is not tried again, and not judged.
    """
    kept = {i: ranked.readings.get(ranked.pool.rows[i].id) for i in rows}
    readings = {i: reading for i, reading in kept.items() if reading and reranker.holds(reading)}
    missing = [i for i in rows if i not in readings and kept[i] != UNREADABLE]
    if len(missing) > limit:
        return readings, {}
    fresh: dict[tuple[int, str], bytes] = {}
    for i in missing:
        row = ranked.pool.rows[i]
        one = RerankText(row.id, as_read(row.text, row.speaker))
        fresh[one] = read_one(reranker, one.text)
        if fresh[one] != UNREADABLE:
            readings[i] = fresh[one]
    return readings, fresh


def raised(said: Scores) -> Scores:
    """Return how far each number lies above the middle of all: 0 there and below, 1 at four deviations.

    Only differences count, so whom the model has not read yet is one of the middle and loses nothing to the others, and
    neither does what is written in a language that it does not know. Numbers that hardly differ are no reason at all.
    """
    spread = max(float(said.std()), SPREAD_MIN)
    above: Scores = np.clip((said - said.mean()) / (DEVIATIONS_MAX * spread), 0, 1)
    return above


def mixed(ranked: Ranked, rows: Sequence[int], said: Scores) -> Ranked:
    """Return the pool with what was said of some of its rows added to their scores, in its new order."""
    own = np.zeros(len(ranked.pool))
    own[list(rows)] = raised(said)
    given = ranked.weights[RERANKER] * own
    scores = ranked.scored.scores + given
    scored = Scored(scores, {**ranked.scored.contributions, RERANKER: given})
    return replace(ranked, scored=scored, order=in_order(scores, ranked.pool.rows, ranked.under))


def before_each(ranked: Ranked, rows: Sequence[int]) -> list[int]:
    """Return for each of some rows the place among them of the turn right before it, or -1."""
    places = {row: place for place, row in enumerate(rows)}
    return [places.get(int(row), -1) for row in ranked.pool.near[-1][rows]]


def reread_by(reranker: Reranker, ranked: Ranked, parts: int = 1) -> Ranked:
    """Have a reranker judge the best of one of the `parts` of a question, and mix in what it says."""
    rows = to_judge(ranked, parts)
    if not rows or not asks(reranker, ranked):
        return ranked
    began = time.perf_counter()
    readings, fresh = read_of(ranked, reranker, rows, max(1, FRESH_MAX // parts))
    said = reranker.scores(
        ranked.pool.query.text, list(readings.values()), before_each(ranked, list(readings))
    )
    took_ms = round((time.perf_counter() - began) * 1_000, 3)
    told = replace(ranked, fresh=fresh, reread=Reread(reranker.name, len(said), len(fresh), took_ms))
    return mixed(told, list(readings), said) if readings else told
