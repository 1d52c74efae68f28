"""What was changed later comes before what it changed, though that fits the question as well or better.

Most of what people tell is claimed nowhere, so nothing says which memory replaced which. But who tells of a change says
so ("from now on", "nicht mehr", "j'ai changé"), and it is about the same as what was told before. So where the best
memory has a later one that fits hardly worse, is near to it in meaning and tells of a change, the later one comes
first. Who tells of a change often names what was changed more than what is asked for later ("not going to Anil any
more"), and so fits worse: the more words a later one shares with the best, the farther behind it may be. This is a
decision about the order of two and no signal: on lives, a weight did as much good and cost other answers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors
from cognition.grammar.lexicon import holds, level
from cognition.ranking.asked_words import PAST
from cognition.ranking.pool import Column, Pool
from cognition.recall.known import Then
from cognition.times import ROUGHLY_MS
from cognition.words import words

NAME: Final = "overtakes"
# How far behind the best it may be, in points of the score, and how near to it in meaning. Chosen on four lives and
# the homes of the fitting: with the same rule chosen on the other lives, what no longer held came first for 10 of 42
# questions instead of 14, and no fewer answers were among the first five.
BEHIND_MAX: Final = 1.5
COSINE_MIN: Final = 0.4
# The same for one that shares so many telling words with the best, and for one that shares so large a part of them.
# On 26 lives what no longer held comes first for 45 of 212 questions instead of 53, an answer for nine more of 1,417
# and for none fewer. With the words and the points for a few chosen on the other lives each time: for 46, eight more.
SHARED_MIN: Final = 2
SHARED_BEHIND_MAX: Final = 3.5
HALF: Final = 0.5
HALF_BEHIND_MAX: Final = 8.0
SHARED_COSINE_MIN: Final = 0.5
# Of those, so many that fit best are read for whether they tell of a change: a millisecond a long text.
READ_MAX: Final = 8
# A change is told at the beginning; a longer text is a story.
_CHARACTERS_MAX: Final = 1_000
# Too little for anybody else to come between.
_ABOVE: Final = 1e-6


def tells_change(text: str) -> bool:
    """Say whether a text tells of a change, in the words of ten languages."""
    return holds("change", level(text[:_CHARACTERS_MAX]))


def overtaking(
    pool: Pool,
    scores: Column,
    vectors: Callable[[Sequence[int]], Mapping[int, Vectors]],
    then: Then | None = None,
) -> Column | None:
    """Return what is added to the scores so that a later change comes first; None where nothing has to be.

    Of a time that is past, `then`, nothing counts as a change that was told behind it; and where it is asked what was
    before, what a change changed comes before it. Where a question may ask for that nothing moves. Turns of talk are
    left alone: what is next to one another there is one thing.
    """
    if len(pool) < 2 or (then is None and not PAST.isdisjoint(words(pool.query.text))):
        return None
    best = min(np.flatnonzero(scores == scores.max()).tolist(), key=lambda i: pool.rows[i].rid)
    if pool.told[best]:
        return None
    first = pool.rows[best]
    behind, before = scores[best] - scores, then == ()
    if before and not tells_change(first.text):
        return None
    among = (behind <= HALF_BEHIND_MAX) & (pool.told == 0) & _on_the_other_side(pool, first.time_ms, then)
    if not among.any():
        return None
    shared, own = pool.said.shared_with(best)
    sharing = (shared >= SHARED_MIN) & (behind > BEHIND_MAX)
    reach = np.where(shared >= HALF * own, HALF_BEHIND_MAX, SHARED_BEHIND_MAX)
    among &= behind <= np.where(sharing, reach, BEHIND_MAX)
    close = [i for i in np.flatnonzero(among).tolist() if pool.rows[i].content != first.content]
    if not close:
        return None
    found = vectors([pool.rows[i].id for i in (best, *close)])
    if first.id not in found:
        return None
    cosines = {i: float(found[first.id] @ found[pool.rows[i].id]) for i in close if pool.rows[i].id in found}
    near = [i for i in cosines if cosines[i] >= (SHARED_COSINE_MIN if sharing[i] else COSINE_MIN)]
    for i in sorted(near, key=lambda i: (behind[i], pool.rows[i].rid))[:READ_MAX]:
        if before or tells_change(pool.rows[i].text):
            column = pool.blank()
            column[i] = behind[i] + _ABOVE
            return column
    return None


def _on_the_other_side(pool: Pool, best_ms: int, then: Then | None) -> NDArray[np.bool_]:
    """Return which rows were told later than the best, by the time that is asked for; or earlier, where that is."""
    times = pool.numbers("time_ms")
    if then is None:
        return times > best_ms
    if not then:
        return times < best_ms
    return (times > best_ms) & (times <= max(span.end_ms for span in then) + ROUGHLY_MS)
