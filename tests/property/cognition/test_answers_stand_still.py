"""No answer of a store to which nothing is written depends on when it is asked: not on the clock, nor on who asked."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import Cognition, RankedMemory, StaticEmbedder, open_mind
from cognition.days import DAY_MS
from replica import Replica
from tests.support.minds import NOW_MS, open_memory, remember

EMBEDDER = StaticEmbedder()
TOLD = (
    "Ann moved to Lisbon last spring",
    "Ann works at Stripe now",
    "I no longer work at Novo",
    "The ladder is in Olga's shed",
    "Bin day is Thursday",
    "The dentist can see me tomorrow at nine",
    "Planted the garlic by the shed",
    "Мама была у врача на прошлой неделе",
    "Der Müll wird morgen abgeholt",
)
ASKED = (
    "Where did Ann move?",
    "where do I work?",
    "who has the ladder and when is bin day?",
    "what did I plant yesterday?",
    "What is on next week?",
    "was habe ich gestern gemacht?",
    "Когда мама была у врача?",
    "the ladderr",
    "qwertyzxcv",
)
MOMENTS = st.integers(-400, 400).map(lambda days: NOW_MS + days * DAY_MS)
# How far the clock of the machine goes on between two askings.
WAITS = st.sampled_from([1, 1_000, 61_000, 3_600_000, DAY_MS, 400 * DAY_MS])


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_ms = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


def known_of(hits: Sequence[RankedMemory]) -> list[tuple[object, ...]]:
    """Return all that is said of some hits."""
    return [
        (hit.rid, hit.score, hit.confidence, hit.fused, hit.found, dict(hit.signals), hit.composite, hit.same)
        for hit in hits
    ]


@settings(max_examples=10, deadline=None)
@given(
    told=st.lists(st.tuples(st.sampled_from(TOLD), MOMENTS), min_size=1, max_size=12),
    now_ms=MOMENTS,
    askings=st.lists(st.tuples(st.permutations(ASKED), WAITS), min_size=1, max_size=3),
)
def test_no_answer_of_a_fixed_store_depends_on_when_it_is_asked(
    told: Sequence[tuple[str, int]], now_ms: int, askings: Sequence[tuple[Sequence[str], int]]
) -> None:
    """Asked at once, later, in another order, and by a mind that loads all of it anew; `now` is the same."""
    clock = Clock()

    async def answers(mind: Cognition, asked: Sequence[str]) -> dict[str, list[tuple[object, ...]]]:
        return {text: known_of(await mind.recall(text, now_ms=now_ms)) for text in asked}

    async def ask(replica: Replica, mind: Cognition) -> None:
        for text, at_ms in told:
            await remember(replica, text, told_at=at_ms)
        first = await answers(mind, ASKED)  # while all of it still waits to be embedded
        for asked, wait_ms in askings:
            clock.now_ms += wait_ms
            assert await answers(mind, asked) == first
        async with open_mind(replica, embedder=EMBEDDER) as anew:
            assert await answers(anew, ASKED) == first

    async def main(path: Path) -> None:
        with trio.fail_after(60):
            async with open_memory(path, embedder=EMBEDDER, clock=clock) as (replica, mind):
                await ask(replica, mind)

    with TemporaryDirectory() as folder:
        trio.run(main, Path(folder) / "m.db")
