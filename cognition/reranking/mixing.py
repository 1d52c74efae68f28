"""Mix what a reranker says of the best candidates into their scores, as one signal among the others.

The signals put the whole pool in order first; then a model reads the first few, and what it says is weighed and added.
It moves those it read among themselves and above others, and takes nothing from anybody: whom it did not read keeps the
score that the signals gave. Ordered by the model alone, recall gets worse.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cognition.ranking.pool import Row
from cognition.ranking.signals import RERANKER, Scored
from cognition.recall import Ranked, Reread, best_of, in_order
from cognition.reranking.reranker import Reranker, Scores

# How many are read for a recall. On conversations, each step from 12 over 16 to 24 found more, at milliseconds a text.
CANDIDATES: Final = 24


def to_read(ranked: Ranked, parts: int) -> list[int]:
    """Return the rows to be read of one of the `parts` of a question, the best first; duplicates once."""
    return best_of(ranked, max(1, CANDIDATES // parts))


def text_of(row: Row) -> str:
    """Return a candidate as the model reads it: whoever asks what somebody did must see who speaks."""
    return f"{row.speaker}: {row.text}" if row.speaker else row.text


def mixed(ranked: Ranked, read: Sequence[int], said: Scores, *, model: str, took_ms: float) -> Ranked:
    """Return the pool with what was said of the rows that were read added to their scores, in its new order."""
    weight = ranked.weights.get(RERANKER, 0.0)
    given = np.zeros(len(ranked.pool))
    given[list(read)] = weight * said
    scores = ranked.scored.scores + given
    scored = Scored(scores, {**ranked.scored.contributions, RERANKER: given})
    order = in_order(scores, ranked.pool.rows, ranked.under)
    return replace(ranked, scored=scored, order=order, reread=Reread(model, len(read), took_ms))


def reread_by(reranker: Reranker, ranked: Ranked, parts: int = 1) -> Ranked:
    """Have a reranker read the best of one of the `parts` of a question, and mix in what it says."""
    if not ranked.weights.get(RERANKER):
        return ranked
    began = time.perf_counter()
    read = to_read(ranked, parts)
    said = reranker.scores(ranked.pool.query.text, [text_of(ranked.pool.rows[i]) for i in read])
    took_ms = round((time.perf_counter() - began) * 1_000, 3)
    return mixed(ranked, read, said, model=reranker.name, took_ms=took_ms)
