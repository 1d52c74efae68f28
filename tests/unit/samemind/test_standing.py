"""What the doors show of memories that stand for each other, and what they refuse."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

import samemind
from samemind.commands.thinking import retract
from samemind.formats.plain import from_json, to_json
from samemind.library.mind import Mind
from tests.support.published import published

LAKE = "We hiked around the blue lake "


def with_mind(folder: Path, main: Callable[[Mind], Awaitable[None]]) -> None:
    async def opened() -> None:
        with trio.fail_after(60):
            async with samemind.open(folder / "notes.db") as mind:
                await main(mind)

    trio.run(opened)


async def hikes(mind: Mind, *, count: int = 3) -> list[str]:
    how = ("at dawn", "again", "in the rain", "in the sun", "slowly")
    return [(await mind.remember(LAKE + each, no_dedup=True)).rid for each in how[:count]]


@published("YD-09")
def test_a_memory_is_active_or_consolidated_and_forgotten_for_good(tmp_path: Path) -> None:
    """Legal moves only: active to consolidated and back, either to forgotten, and nothing from there."""

    async def main(mind: Mind) -> None:
        rids = await hikes(mind, count=4)
        assert {(await mind.get(rid)).summary for rid in rids} == {None}
        (summary,) = (await mind.think()).consolidated.ids
        assert {(await mind.get(rid)).summary for rid in rids} == {summary}
        assert {(await mind.get(rid)).tier for rid in rids} == {"cold"}
        await mind.forget(rids[0])
        for move in (mind.get, mind.pin, mind.archive, mind.unconsolidate):
            with pytest.raises(samemind.NotFound):
                await move(rids[0])
        (summary,) = [view.rid for view in await mind.list() if view.summary_of]
        await mind.unconsolidate(summary)
        assert {(await mind.get(rid)).summary for rid in rids[1:]} == {None}
        with pytest.raises(samemind.NotFound):
            await mind.get(summary)
        with pytest.raises(samemind.NotFound, match="part of no summary"):
            await mind.unconsolidate(rids[1])

    with_mind(tmp_path, main)


@published("YD-10")
def test_a_list_shows_a_summary_in_place_of_its_cold_sources(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        rids = await hikes(mind)
        other = (await mind.remember("The bicycle has a flat tyre", topic="bike")).rid
        (summary,) = (await mind.think()).consolidated.ids
        listed = await mind.list()
        assert [view.rid for view in listed] == [other, summary]
        assert listed.total == 2
        assert {*listed[1].summary_of} == {*rids}
        assert listed[1].type == "semantic"
        cold = await mind.list(include_cold=True)
        assert {view.rid for view in cold} == {*rids, other, summary}
        assert cold.total == 5
        pages = [(await mind.list(limit=1, offset=at)).memories[0].rid for at in range(2)]
        assert pages == [other, summary]
        assert [view.rid for view in await mind.list(topic="bike")] == [other]
        await mind.set(rids[0], topic="bike")  # a list that parts the sources shows those that it names
        assert {view.rid for view in await mind.list(topic="bike")} == {other, rids[0]}
        assert not {*(await mind.context()).rids} & {*rids}  # what to know unasked holds nothing cold
        await mind.archive(rids[1])
        assert {view.rid for view in await mind.list()} == {other, rids[0], rids[2]}

    with_mind(tmp_path, main)


def test_a_summary_is_shown_and_neither_changed_nor_forgotten(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        rids = await hikes(mind)
        (summary,) = (await mind.think()).consolidated.ids
        view = await mind.get(summary[:8])
        assert view.text.startswith(LAKE)
        assert {*view.summary_of} == {*rids}
        why = await mind.why(summary)
        assert [(link.relation, link.rid) for link in why.chain] == [
            ("itself", summary),
            *(("drawn from", rid) for rid in rids),
        ]
        assert why.signature_ok
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: mind.forget(summary),
            lambda: mind.forget(summary, erase=True),
            lambda: mind.edit(summary, "Something else"),
            lambda: mind.set(summary, topic="hikes"),
            lambda: mind.pin(summary),
        ]
        for call in calls:
            with pytest.raises(samemind.NeedsDecision, match="is a summary"):
                await call()
        assert (await mind.verify()).ok

    with_mind(tmp_path, main)


def test_an_erased_memory_is_in_no_summary_and_in_no_file(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        rids = await hikes(mind, count=5)
        secret = (await mind.remember(LAKE + "at midnight twice", no_dedup=True)).rid
        await mind.think()
        (view,) = await mind.list()
        assert secret in view.summary_of
        assert "midnight" in view.text
        await mind.forget(secret, erase=True)
        (view,) = await mind.list()
        assert {*view.summary_of} == {*rids}
        assert "midnight" not in view.text

    with_mind(tmp_path, main)
    assert not any(b"midnight" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@published("LO-20")
def test_an_eleventh_pin_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        for number in range(10):
            await mind.remember(f"Rule {number}: keep it short", no_dedup=True, pin=True)
        other = await mind.remember("The bicycle has a flat tyre")
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: mind.pin(other),
            lambda: mind.set(other, pinned=True),
            lambda: mind.remember("One more rule", pin=True),
        ]
        for call in calls:
            with pytest.raises(samemind.NeedsDecision, match="10 memories are pinned already"):
                await call()
        first = (await mind.list())[1]
        await mind.pin(first)  # it is among the ten
        await mind.unpin(first)
        assert (await mind.pin(other)).pinned

    with_mind(tmp_path, main)


def test_a_retraction_is_taken_back_until_its_window_closes(tmp_path: Path) -> None:
    """Nothing is written before that, so there is nothing to undo elsewhere."""

    async def main(mind: Mind) -> None:
        told = await mind.remember("The office moves to Mars", source="rumours")
        before = await mind.digest()
        with trio.move_on_after(0.05) as scope:
            await mind.retract(source="rumours", undo_s=30)
        assert scope.cancelled_caught
        assert await mind.digest() == before
        assert (await mind.retract(source="rumours", undo_s=0.01)).rids == [told.rid]
        with pytest.raises(samemind.Usage, match="undo window"):
            await mind.retract(source="rumours", undo_s=-1)

    with_mind(tmp_path, main)


def test_what_is_about_to_be_forgotten_is_listed_for_rehearsal(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        strong = await mind.remember("How to bleed a radiator", importance=0.9, no_dedup=True)
        faint = await mind.remember("The bicycle has a flat tyre", importance=0.1, no_dedup=True)
        kept = await mind.remember("The code is in the safe", importance=0.05, pin=True)
        listed = await mind.list(fading=True)
        assert [view.rid for view in listed] == [faint.rid, strong.rid]
        assert (listed.total, (await mind.list(fading=True, offset=1))[0].rid) == (2, strong.rid)
        assert kept.rid in {view.rid for view in await mind.list()}

    with_mind(tmp_path, main)


def test_what_one_person_said_is_retracted_however_the_name_is_typed(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        told = await mind.remember("The office moves to Mars", speaker="Жанна", source="Слухи")
        assert (await mind.retract(speaker="жанна", dry_run=True)).rids == [told.rid]
        assert (await mind.retract(source="СЛУХИ", dry_run=True)).rids == [told.rid]

    with_mind(tmp_path, main)


def test_who_looks_before_retracting_sees_the_words_of_what_would_go(tmp_path: Path) -> None:
    """Ids alone tell nobody whether it is the right thing."""

    async def main(mind: Mind) -> None:
        one = await mind.remember("The office moves to Mars", source="rumours")
        two = await mind.remember("The canteen closes", source="rumours")
        found = await mind.retract(source="rumours", dry_run=True)
        assert found.texts == {one.rid: "The office moves to Mars", two.rid: "The canteen closes"}
        lines = retract.render(to_json(found))
        assert f"would go: {one.rid}  The office moves to Mars" in lines
        assert lines[-1].startswith("2 memories would go")
        assert (await mind.retract(source="rumours")).texts == {}

    with_mind(tmp_path, main)


def test_a_list_takes_the_same_statements_however_long_it_is(tmp_path: Path) -> None:
    """Each memory is read once, and nothing is asked for each of them."""

    async def main(mind: Mind) -> None:
        texts = [f"Boat {number} lies in harbour {number % 7}" for number in range(60)]
        await mind.remember_many(texts + texts[:20])  # some of them told again
        counts = []
        for limit in (5, 40):
            statements: list[str] = []
            await mind._reached.device.replica.read(  # type: ignore[attr-defined]
                lambda connection: connection.set_trace_callback(statements.append)  # noqa: B023
            )
            page = await mind.list(limit=limit)
            await mind._reached.device.replica.read(  # type: ignore[attr-defined]
                lambda connection: connection.set_trace_callback(None)
            )
            assert len(page.memories) == limit
            counts.append(len(statements))
        assert counts[0] == counts[1] < 15

    with_mind(tmp_path, main)


def test_a_result_in_this_process_is_the_one_that_a_daemon_would_send(tmp_path: Path) -> None:
    """It is handed over as it is here, and as a document there: a program cannot tell."""

    async def main(mind: Mind) -> None:
        rid = (
            await mind.remember(
                "Ann moved to Lisbon", speaker="Ann", tag=["home"], at="2024-05-01T12:00:00.5"
            )
        ).rid
        await mind.remember("Ann lives in Porto", speaker="Ann", meta={"n": 1})
        await mind.pin(rid)
        for result in (
            await mind.list(),
            await mind.get(rid),
            await mind.recall("where does Ann live?", explain=True),
            await mind.history(rid),
            await mind.why(rid),
            await mind.stats(),
            await mind.status(),
            await mind.contradictions(),
            await mind.context("Ann"),
            await mind.think(),
            await mind.log(),
        ):
            assert from_json(type(result), json.loads(json.dumps(to_json(result)))) == result

    with_mind(tmp_path, main)


def test_every_telling_is_listed_by_itself_and_forgotten_alone_where_that_is_asked(tmp_path: Path) -> None:
    """People are shown what says the same as one, and forget it as one; programs keep records of their own."""

    async def main(mind: Mind) -> None:
        one, other = [(await mind.remember("Ann likes green tea")).rid for _ in range(2)]
        assert len(await mind.list()) == 1
        assert [view.rid for view in await mind.list(each=True)] == [other, one]
        assert (await mind.list(each=True, limit=1, offset=1)).total == 2
        with pytest.raises(samemind.Usage, match="`fading` or `each`"):
            await mind.list(each=True, fading=True)
        assert (await mind.forget(one, only=True)).rids == [one]
        assert [view.rid for view in await mind.list(each=True)] == [other]
        again = (await mind.remember("Ann likes green tea")).rid
        assert (await mind.forget(again, erase=True, only=True)).rids == [again]
        await hikes(mind, count=4)
        await mind.think()
        assert len(await mind.list(include_cold=True, each=True)) == 5, "no summary is a telling"

    with_mind(tmp_path, main)


def test_a_list_is_narrowed_by_words_for_a_time(tmp_path: Path) -> None:
    async def main(mind: Mind) -> None:
        told = (await mind.remember("Ann moved to Lisbon", at="2025-03-10")).rid
        await mind.remember("Ann likes green tea", at="2025-06-01")
        march = "March 2025"
        assert [view.rid for view in await mind.list(since=march, until=march)] == [told]
        assert [hit.rid for hit in await mind.recall("Ann", since=march, until=march)] == [told]
        assert len(await mind.list(since="2 years ago", until="yesterday")) == 2
        with pytest.raises(samemind.Usage, match="expected a time such as"):
            await mind.list(since="soonish")

    with_mind(tmp_path, main)
