"""The step that proposes, in a whole mind: what is due, what may not be consolidated, and what recall shows."""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import trio

from cognition import Cognition, Filters, RankedMemory
from cognition.consolidation import propose
from cognition.consolidation.tables import SummaryTables
from replica import (
    Claim,
    ClaimVerdict,
    Forget,
    MemoryId,
    Propose,
    Replica,
    Resolve,
    Set,
    Write,
    show_memory_id,
)
from tests.support.minds import Home, open_memory, remember
from tests.support.published import published

LAKE = (
    "We hiked around the blue lake with Bob",
    "We hiked around the blue lake with Ann",
    "We hiked around the blue lake with Carl",
)


def in_mind(path: Path, main: Callable[[Replica, Cognition], Awaitable[None]]) -> None:
    async def opened() -> None:
        with trio.fail_after(60):
            async with open_memory(path / "m.db") as (replica, mind):
                await main(replica, mind)

    trio.run(opened)


async def consolidated(mind: Cognition) -> tuple[str, ...]:
    return (await mind.think()).ids["consolidated"]


async def write(replica: Replica, *writes: Write) -> None:
    await replica.run(lambda core, connection: core.commit(writes, replica.now_ms()))


def texts(hits: Sequence[RankedMemory]) -> list[str]:
    return [hit.memory.text for hit in hits]


@published("ML-77")
def test_similar_things_that_happened_become_one_and_are_kept(tmp_path: Path) -> None:
    async def main(replica: Replica, mind: Cognition) -> None:
        rids = await remember(replica, *LAKE, "The bicycle has a flat tyre")
        (summary,) = await consolidated(mind)
        hits = await mind.recall("blue lake")
        assert show_memory_id(hits[0].rid) == summary
        assert hits[0].memory.fields["type"] == "semantic"
        assert set(hits[0].sources) == set(rids[:3])
        assert not {*rids[:3]} & {hit.rid for hit in hits}
        kept = await replica.read(
            lambda connection: connection.execute("SELECT count(*) FROM memory").fetchone()
        )
        assert kept == (4,)
        assert await consolidated(mind) == ()

    in_mind(tmp_path, main)


@published("YD-10")
def test_cold_sources_are_recalled_when_they_are_asked_for(tmp_path: Path) -> None:
    async def main(replica: Replica, mind: Cognition) -> None:
        rids = await remember(replica, *LAKE)
        await consolidated(mind)
        (summary,) = await mind.recall("blue lake")
        hits = await mind.recall("Carl lake", filters=Filters(include_archived=True))
        assert {hit.rid for hit in hits} == {summary.rid, *rids}
        assert {hit.summary for hit in hits[1:]} == {summary.rid}

    in_mind(tmp_path, main)


@published("ML-78")
def test_a_summary_comes_before_its_sources(tmp_path: Path) -> None:
    """But for a question in the very words of one of them: that one is the first."""

    async def main(replica: Replica, mind: Cognition) -> None:
        await remember(replica, *LAKE)
        await consolidated(mind)
        for question in ("blue lake", *LAKE):
            hits = list(await mind.recall(question, filters=Filters(include_archived=True)))
            assert len(hits) == 4
            assert any(len(hit.sources) == 3 for hit in hits[: 1 + (question in LAKE)])
            assert question not in LAKE or hits[0].memory.text == question

    in_mind(tmp_path, main)


def test_a_turn_under_a_summary_does_not_come_back_beside_its_neighbour(tmp_path: Path) -> None:
    async def main(replica: Replica, mind: Cognition) -> None:
        (turn,) = await remember(replica, LAKE[0], conversation="chat", position=0)
        await remember(replica, *LAKE[1:])
        await consolidated(mind)
        await remember(replica, "a walrus in the harbour", conversation="chat", position=1)
        hits = await mind.recall("walrus")
        assert [len(hit.sources) for hit in hits] == [0, 3]
        cold = await mind.recall("walrus", filters=Filters(include_archived=True))
        assert turn in {hit.rid for hit in cold}

    in_mind(tmp_path, main)


def test_a_filter_that_parts_the_sources_shows_those_that_pass(tmp_path: Path) -> None:
    """A summary says what all of its sources say: it stands only where each of them may be shown."""

    async def main(replica: Replica, mind: Cognition) -> None:
        (ann,) = await remember(replica, LAKE[0], speaker="Ann")
        await remember(replica, *LAKE[1:], speaker="Bob")
        await consolidated(mind)
        (summary,) = await mind.recall("blue lake")
        assert len(summary.sources) == 3
        (alone,) = await mind.recall("blue lake", filters=Filters(speaker="Ann"))
        assert alone.rid == ann
        assert alone.memory.text == LAKE[0]

    in_mind(tmp_path, main)


@pytest.mark.parametrize(
    "fields",
    [{"type": "factual"}, {"archived": True}, {"pinned": True}, {"apart": True}, {"parent": bytes(16)}],
)
def test_what_did_not_happen_or_was_put_elsewhere_is_not_consolidated(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    async def main(replica: Replica, mind: Cognition) -> None:
        rids = await remember(replica, *LAKE, **fields)  # type: ignore[arg-type]
        assert await consolidated(mind) == ()
        if "parent" not in fields:
            await write(replica, *(Write(Set(name, None), rid) for rid in rids for name in fields))
            assert len(await consolidated(mind)) == 1  # it may be now

    in_mind(tmp_path, main)


def test_what_comes_later_joins_what_was_left_alone(tmp_path: Path) -> None:
    async def main(replica: Replica, mind: Cognition) -> None:
        await remember(replica, *LAKE[:2])
        assert await consolidated(mind) == ()
        await remember(replica, LAKE[2])
        assert len(await consolidated(mind)) == 1

    in_mind(tmp_path, main)


def test_a_cycle_goes_on_until_nothing_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propose, "DUE_MAX", 2)

    async def main(replica: Replica, mind: Cognition) -> None:
        await remember(replica, *LAKE, "One", "Two", "Three")
        assert len(await consolidated(mind)) == 1
        due = await replica.read(
            lambda connection: connection.execute("SELECT count(*) FROM consolidation_due").fetchone()
        )
        assert due == (0,)

    in_mind(tmp_path, main)


@published("E-14")
def test_what_contradicts_is_never_consolidated_and_is_once_that_is_settled(tmp_path: Path) -> None:
    """Consolidating first would merge the contradiction away."""

    async def main(replica: Replica, mind: Cognition) -> None:
        a, b, c, d = await remember(replica, *LAKE, "We hiked around the blue lake with Dora")

        def claim(employer: str) -> Claim:
            return Claim(entity="me", relation="works_at", value=employer, replaces=(), valid_from=None)

        ops = await replica.run(
            lambda core, connection: core.commit(
                [Write(claim("Google"), a), Write(claim("Meta"), b)], replica.now_ms()
            )
        )
        assert await contested(replica) == {a, b}
        assert await consolidated(mind) == ()  # two are too few
        (e,) = await remember(replica, "We hiked around the blue lake with Ed")
        await consolidated(mind)
        (hit,) = [hit for hit in await mind.recall("blue lake") if hit.sources]
        assert set(hit.sources) == {c, d, e}
        verdicts = (ClaimVerdict(a, ops[0].place, True), ClaimVerdict(b, ops[1].place, False))
        await write(replica, Write(Resolve(tuple(sorted(verdicts, key=lambda one: one.rid)))))
        assert await contested(replica) == {b}  # decided against, and it says nothing else

    in_mind(tmp_path, main)


def test_a_summary_lets_go_of_members_that_come_to_contradict(tmp_path: Path) -> None:
    async def main(replica: Replica, mind: Cognition) -> None:
        rids = await remember(
            replica, *LAKE, "We hiked around the blue lake with Dora", "We hiked around the blue lake"
        )
        await consolidated(mind)
        (hit,) = await mind.recall("blue lake", k=1)
        assert set(hit.sources) == set(rids)
        claims = [Claim("me", "lives_in", place, (), None) for place in ("Rome", "Oslo")]
        await write(replica, Write(claims[0], rids[0]), Write(claims[1], rids[1]))
        hits = await mind.recall("blue lake")
        assert {*hits[0].sources, *hits[1].sources, *hits[2].sources} == set(rids[2:])
        assert {hit.rid for hit in hits if not hit.sources} == {*rids[:2]}
        await write(replica, Write(Forget((rids[0],))))
        (hit,) = await mind.recall("blue lake", k=1)
        assert set(hit.sources) == set(rids[1:])  # nothing contradicts it any more

    in_mind(tmp_path, main)


def test_a_summary_lets_go_of_what_holds_no_more(tmp_path: Path) -> None:
    """A resolution hides one side; that memory is left out of recalls, and so of summaries, which go on without it."""

    async def main(replica: Replica, mind: Cognition) -> None:
        homes = await remember(
            replica,
            *(f"I live in {place} by the blue lake" for place in ("Rome", "Oslo", "Bern", "Cork", "Kyiv")),
        )
        claims = [Claim("me", "lives_in", place, (), None) for place in ("Rome", "Oslo")]
        ops = await replica.run(
            lambda core, connection: core.commit(
                [Write(claims[0], homes[0]), Write(claims[1], homes[1])], replica.now_ms()
            )
        )
        await write(replica, Write(Propose(tuple(sorted(homes)))))
        (hit,) = [hit for hit in await mind.recall("blue lake") if hit.sources]
        assert set(hit.sources) == set(homes[2:])
        verdicts = (ClaimVerdict(homes[0], ops[0].place, True), ClaimVerdict(homes[1], ops[1].place, False))
        await write(replica, Write(Resolve(tuple(sorted(verdicts, key=lambda one: one.rid)))))
        hits = await mind.recall("blue lake")
        assert [set(hit.sources) for hit in hits if hit.sources] == [{*homes} - {homes[1]}]
        assert homes[1] not in {hit.rid for hit in hits}

    in_mind(tmp_path, main)


def test_tables_of_contradictions_that_were_made_anew_are_followed_again() -> None:
    home = Home()
    rids = [home.remember(f"We hiked to the {place}") for place in ("lake", "hill", "wood", "town")]
    home.commit(Write(Propose(tuple(sorted(rids)))))
    home.connection.execute("DROP TRIGGER summary_raised")
    claims = [Claim("me", "lives_in", place, (), None) for place in ("Rome", "Oslo")]
    home.connection.execute("DROP TRIGGER summary_slotted")
    home.commit(Write(claims[0], rids[0]), Write(claims[1], rids[1]))
    SummaryTables().migrate(home.connection)
    assert home.connection.execute("SELECT count(*) FROM summary").fetchone() == (0,)


async def contested(replica: Replica) -> set[MemoryId]:
    def read(connection: sqlite3.Connection) -> set[MemoryId]:
        return {MemoryId(rid) for (rid,) in connection.execute("SELECT rid FROM contested")}

    return await replica.read(read)
