"""A cycle of thinking that is cut short loses nothing and does nothing twice, whatever it is cut into."""

from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cognition.consolidation import propose
from cognition.ingest import linking
from cognition.ingest.linking import wait_for_links
from cognition.judging import noticing
from cognition.patterns import tables as pattern_tables
from cognition.thinking import cycle
from sync.identity import Identity
from tests.support.devices import run
from tests.support.minds import NOW_MS, open_memory, remember

DAY_MS = 86_400_000
PEOPLE = ("Ann", "Bob", "Zoe")
PLACES = ("Lisbon", "Porto", "Berlin")
# What one call takes up, made small: a few dozen memories are many calls then.
CALLS = (
    (linking, "DUE_MAX", 3),
    (noticing, "LOOKED_AT_MAX", 4),
    (propose, "DUE_MAX", 5),
    (pattern_tables, "PAGE", 4),
    (cycle, "VISIT_S", 0.0),
)
WHAT_THINKING_WROTE = (
    "SELECT rid FROM summary",
    "SELECT one, other, sureness FROM says_same",
    "SELECT slot, told FROM contradiction",
    "SELECT id, support, raised FROM pattern",
    "SELECT trigger_id, status, about FROM raised_trigger",
    "SELECT count(*) FROM op",
    "SELECT id FROM claim_unread",
    "SELECT rid FROM telling_unlinked",
    "SELECT id FROM consolidation_due",
    "SELECT id FROM pattern_queue",
)


def life(random: Random, size: int) -> list[str]:
    """Repetitions, contradictions, what is much alike, and what comes up together."""
    texts = []
    for _ in range(size):
        who, whom, where = random.choice(PEOPLE), random.choice(PEOPLE), random.choice(PLACES)
        texts.append(
            random.choice(
                (
                    f"{who} lives in {where}",
                    f"Really, {who} lives in {where}!",
                    f"{who} met {whom} at the harbour of {where} on a cold and windy morning",
                    f"{who} met {whom} at the harbour of {where} on a cold and windy evening",
                    f"we hiked with {who} around the blue lake near {where} number {random.randrange(4)}",
                )
            )
        )
    return texts


async def thought(
    file: Path, identity: Identity, texts: list[str], seconds: list[float]
) -> tuple[Any, int, int]:
    """Think about these texts in cycles of so many seconds: what came of it, in how many, and how much they raised."""
    clock = [NOW_MS]
    async with open_memory(file, identity=identity, clock=lambda: clock[0]) as (replica, mind):
        for at, text in enumerate(texts):
            clock[0] = NOW_MS + at * DAY_MS // 4
            rids = await remember(replica, text)
            await replica.run(lambda _, connection, rids=rids: wait_for_links(connection, rids))  # type: ignore[misc]
        cycles, raised = 0, []
        more = True
        while more:
            done = await mind.think(seconds=seconds[cycles % len(seconds)])
            raised += [
                each for name in ("contradictions", "patterns", "triggers") for each in done.ids.get(name, ())
            ]
            cycles, more = cycles + 1, done.more
            assert not done.left or more
        assert len(raised) == len(set(raised)), "nothing is raised twice"

        def read(connection: Any) -> Any:
            return {
                each: sorted(connection.execute(each).fetchall(), key=repr) for each in WHAT_THINKING_WROTE
            }

        return await replica.read(read), cycles, len(raised)


@pytest.mark.parametrize("seed", range(6))
def test_many_short_cycles_come_to_what_one_long_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for module, name, value in CALLS:
        monkeypatch.setattr(module, name, value)
    random, identity = Random(seed), Identity.create()
    texts = life(random, 60)
    short = [random.choice((0.0, 0.0, 0.001, 0.02)) for _ in range(random.randint(1, 5))]

    async def main() -> None:
        whole, cycles, raised = await thought(tmp_path / "whole.db", identity, texts, [inf])
        assert cycles == 1
        assert all(whole[each] for each in WHAT_THINKING_WROTE[:-4]), "or this shows nothing"
        assert not any(whole[each] for each in WHAT_THINKING_WROTE[-4:])
        parts, cycles, raised_in_parts = await thought(tmp_path / "parts.db", identity, texts, short)
        assert cycles > 5
        assert parts == whole
        assert raised_in_parts == raised

    run(main)
