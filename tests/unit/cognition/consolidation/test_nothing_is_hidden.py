"""A summary hides nothing that a question names: whoever asks in a statement's own words gets that statement first."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random

import pytest
import trio
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import samemind
from cognition import Cognition
from cognition.consolidation.extract import CHARACTERS_MAX, SummarySource, summaries_of
from replica import Core, MemoryId, Propose, Replica, Write
from tests.support.devices import run
from tests.support.doors import opened
from tests.support.minds import open_memory, remember
from tests.support.triples import SAID_NEARLY_ALIKE

GROUPS = 9
FROZEN = Path(__file__).parents[3] / "data" / "clusters-0.1.0.db.zst"


def _commit(write: Write, now_ms: int, core: Core, _: sqlite3.Connection) -> None:
    core.commit([write], now_ms)


async def asked_for_each(replica: Replica, mind: Cognition, triples: Sequence[Sequence[str]]) -> list[str]:
    """Tell these, consolidate each three, and ask for each statement; return those that did not come first."""
    for three in triples:
        rids = await remember(replica, *three)
        write = Write(Propose(tuple(sorted(map(MemoryId, rids)))))
        await replica.run(partial(_commit, write, replica.now_ms()))
    (summaries,) = await replica.read(lambda db: db.execute("SELECT count(*) FROM summary").fetchone())
    assert summaries == len(triples), "each three stands under a summary"
    missed = []
    for three in triples:
        for statement in three:
            hits = list(await mind.recall(statement))
            if not hits or hits[0].memory.text != statement:
                missed.append(f"{statement} -> {[hit.memory.text for hit in hits[:3]]}")
    return missed


@pytest.mark.parametrize("part", range(GROUPS))
def test_a_recall_in_a_statements_own_words_returns_it_first(part: int, tmp_path: Path) -> None:
    async def main() -> None:
        with trio.fail_after(120):
            async with open_memory(tmp_path / "m.db") as (replica, mind):
                missed = await asked_for_each(replica, mind, SAID_NEARLY_ALIKE[part::GROUPS])
                assert missed == []

    trio.run(main)


def test_a_question_that_names_one_by_some_of_its_words_is_answered_by_it(tmp_path: Path) -> None:
    asked = {
        "what did Ben get for the tickets": "Paid Ben 20 euros for the tickets",
        "tickets for Carl": "Paid Carl 20 euros for the tickets",
        "does the heating not work": "The heating does not work",
        "the eye drops at 14": "Gave the cat its eye drops at 14",
    }
    triples = [three for three in SAID_NEARLY_ALIKE if set(three) & set(asked.values())]

    async def main() -> None:
        with trio.fail_after(60):
            async with open_memory(tmp_path / "m.db") as (replica, mind):
                assert await asked_for_each(replica, mind, triples) == []
                for question, answer in asked.items():
                    hits = list(await mind.recall(question, k=4))
                    texts = [hit.memory.text for hit in hits if not hit.sources]
                    assert texts[0] == answer, question
                    assert not any(answer in hit.memory.text for hit in hits if hit.sources), question

    trio.run(main)


def test_a_member_that_is_edited_stands_under_what_still_says_it(tmp_path: Path) -> None:
    """One that grew beyond what a summary holds stands for itself, and so do the two that are left."""

    async def main() -> None:
        with trio.fail_after(60):
            async with open_memory(tmp_path / "m.db") as (replica, mind):
                three = SAID_NEARLY_ALIKE[0]
                assert await asked_for_each(replica, mind, [three]) == []
                ((rid,),) = await replica.read(
                    lambda db: db.execute("SELECT rid FROM memory WHERE text = ?", (three[2],)).fetchall()
                )
                long = f"{three[2]}, " + " ".join(f"word{n}" for n in range(200))
                now_ms = replica.now_ms()
                await replica.run(lambda core, _: core.commit(core.edits_of(MemoryId(rid), long), now_ms))
                (left,) = await replica.read(lambda db: db.execute("SELECT count(*) FROM summary").fetchone())
                assert left == 0
                texts = [hit.memory.text for hit in await mind.recall("euros for tickets")]
                assert set(texts) == {*three[:2], long}

    trio.run(main)


def test_what_think_consolidates_is_listed_exported_and_recalled(tmp_path: Path) -> None:
    """At the doors, by the daemon's own thinking: what was told is in `list`, in `export`, and first for its words."""
    triples = [
        *(
            three
            for three in SAID_NEARLY_ALIKE
            if three[0].startswith(("Paid Ann", "Gave the cat", "Invoice"))
        ),
        *(
            three
            for three in SAID_NEARLY_ALIKE
            if three[0].startswith(("Had dinner", "The rent", "Fixed the"))
        ),
    ]

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            mind = laptop.mind
            for three in triples:
                for text in three:
                    await mind.remember(text, wait=True)
            thought = await mind.think()
            assert thought.consolidated.count, "something was"
            listed = "\n".join(view.text for view in (await mind.list(limit=100)).memories)
            await mind.export(output=str(tmp_path / "all.jsonl"))
            exported = (tmp_path / "all.jsonl").read_text()
            for text in (each for three in triples for each in three):
                assert text in listed
                assert text in exported
                (first, *_) = await mind.recall(text)
                assert first.text == text
                assert text in (await mind.context(text)).text
            (general, *_) = await mind.recall("drops for the cat")
            assert isinstance(general, samemind.Hit)

    run(main)


def test_what_0_1_0_had_hidden_is_found_again_after_the_upgrade(tmp_path: Path) -> None:
    """The store is one that version 0.1.0 consolidated: it answered each of the three with the first."""
    (tmp_path / "m.db").write_bytes(zstandard.decompress(FROZEN.read_bytes()))

    async def main() -> None:
        with trio.fail_after(60):
            async with open_memory(tmp_path / "m.db") as (_, mind):
                for name in ("Ann", "Ben", "Carl"):
                    (first, *_) = await mind.recall(f"Paid {name} 20 euros for the tickets")
                    assert first.memory.text == f"Paid {name} 20 euros for the tickets"
                (general, *_) = await mind.recall("euros for tickets")
                assert len(general.sources) == 3
                assert all(name in general.memory.text for name in ("Ann", "Ben", "Carl"))

    trio.run(main)


NAMES = st.sampled_from(["Ann", "Ben", "Carl", "Olga", "Zoë", "Іван"])
PLACES = st.sampled_from(["Oslo", "Porto", "the office", "the kitchen", "room B"])
TIMES = st.sampled_from(["at 8", "at 14", "on Monday", "in June", "last week", "in the morning"])
VERBS = st.sampled_from(
    ["met", "did not meet", "called", "never called", "paid 20 euros to", "paid 30 euros to"]
)


@st.composite
def statements(draw: st.DrawFn) -> list[str]:
    told = st.builds(lambda a, v, b, p, t: f"{a} {v} {b} {p} {t}", NAMES, VERBS, NAMES, PLACES, TIMES)
    return draw(st.lists(told, min_size=3, max_size=8, unique=True))


@settings(max_examples=200)
@given(told=statements(), order=st.randoms(use_true_random=False))
def test_summaries_say_every_statement_whole_in_any_order(told: list[str], order: Random) -> None:
    sources = [SummarySource(bytes([at]), text, at) for at, text in enumerate(told)]
    found = list(summaries_of(sources, 3))
    order.shuffle(sources)
    assert list(summaries_of(sources, 3)) == found
    rids = [source.rid for one in found for source in one.sources]
    assert len(set(rids)) == len(rids)
    for one in found:
        assert len(one.text) <= CHARACTERS_MAX
        for source in one.sources:
            assert source.text in one.text


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=statements())
def test_a_recall_of_random_statements_returns_each_first(
    told: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def main() -> None:
        with trio.fail_after(120):
            async with open_memory(tmp_path_factory.mktemp("m") / "m.db") as (replica, mind):
                assert await asked_for_each(replica, mind, [told]) == []

    trio.run(main)
