"""Reads of the past: as it was, as another device knew it, and what became of it since."""

import sqlite3
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trio
from numpy.typing import NDArray

import samemind
from cognition.embedding.lexicon import WordVectors
from cognition.entities import UnreadText, keep, read_some, unread
from cognition.extraction import Extraction
from cognition.past import PastMind
from cognition.ranking.reading import Glossary
from replica import Set, Write, count_memories, parse_memory_id
from samemind.commands.past import diff
from samemind.config import Home, Settings
from samemind.device import Device, open_device
from samemind.formats.memory_view import MemoryView
from samemind.library.mind import Mind
from samemind.local import Local
from samemind.moments import NAMES_S, names_at_moment, opened_past
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import opened, pair
from tests.support.published import published

DAY_MS = 86_400_000
START_MS = 1_700_000_000_000


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_ms = START_MS

    def __call__(self) -> int:
        return self.now_ms

    def next_day(self) -> datetime:
        """Return a moment within this day, and go on to the next."""
        now = datetime.fromtimestamp(self.now_ms / 1_000 + 60, UTC)
        self.now_ms += DAY_MS
        return now


@asynccontextmanager
async def device_at(folder: Path, clock: Clock) -> AsyncIterator[tuple[Device, Mind]]:
    home = Home.at(folder)
    home.create()
    Settings(name="laptop", mdns=False).save(home)
    async with open_device(home, program="a test", answers=False, clock=clock) as device:
        yield device, Mind(Local(device))


@published("ML-10")
def test_a_memory_reads_as_it_was_at_any_moment(tmp_path: Path) -> None:
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            before = clock.next_day()
            rid = (await mind.remember("Ann lives in Porto", topic="home", no_dedup=True)).rid
            other = (await mind.remember("Bob bakes bread")).rid
            told = clock.next_day()
            await mind.edit(rid, "Ann lives in Lisbon")
            await mind.set(rid, topic="move")
            changed = clock.next_day()
            await mind.forget(rid)
            await mind.relate("Ann", "knows", "Bob")
            forgotten = clock.next_day()

            with pytest.raises(samemind.NotFound):
                await mind.get(rid, as_of=before)
            first, second = await mind.get(rid, as_of=told), await mind.get(rid, as_of=changed)
            assert (first.text, first.topic) == ("Ann lives in Porto", "home")
            assert (second.text, second.topic) == ("Ann lives in Lisbon", "move")
            with pytest.raises(samemind.NotFound):
                await mind.get(rid, as_of=forgotten)
            # Any read: lists and recalls too, by words and by meaning.
            assert [len(await mind.list(as_of=at)) for at in (before, told, changed, forgotten)] == [
                0,
                2,
                2,
                1,
            ]
            (hit,) = await mind.recall("where does Ann live?", k=1, as_of=told, explain=True)
            assert (hit.rid, hit.text) == (rid, "Ann lives in Porto")
            assert hit.why is not None
            assert {reason["channel"] for reason in hit.why["found"]} >= {"words", "vectors"}
            assert (await mind.recall("Ann", as_of=before)).results == []
            assert {each.rid for each in await mind.recall("Ann Bob bread", as_of=forgotten)} == {other}
            # The future is now, and nothing of all this was written.
            assert len(await mind.list(as_of=datetime(2999, 1, 1, tzinfo=UTC))) == 1
            assert (await mind.verify()).ok

            since = await mind.diff(told)
            assert ([view.rid for view in since.forgotten], since.added, since.changed) == ([rid], [], [])
            between = await mind.diff(told, until=changed)
            (change,) = between.changed
            assert (change.before, change.after) == ("Ann lives in Porto", "Ann lives in Lisbon")
            assert dict(change.fields) == {"topic": "move"}
            assert {view.rid for view in (await mind.diff(before, until=told)).added} == {rid, other}
            with pytest.raises(samemind.Usage, match="that is before"):
                await mind.diff(changed, until=told)

    trio.run(main)


def test_two_moments_are_compared_in_a_thread_where_a_daemon_has_others_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 100,000 memories a comparison on the daemon's own thread held up everybody for seconds."""
    threads: list[int] = []
    changed = diff._change

    def noted(before: MemoryView, after: MemoryView) -> diff.Changed | None:
        threads.append(threading.get_ident())
        return changed(before, after)

    monkeypatch.setattr(diff, "_change", noted)
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            rid = (await mind.remember("Ann lives in Porto")).rid
            told = clock.next_day()
            await mind.edit(rid, "Ann lives in Lisbon")
            (change,) = (await mind.diff(told)).changed
            assert (change.before, change.after) == ("Ann lives in Porto", "Ann lives in Lisbon")
        assert len(threads) == 1
        assert threading.get_ident() not in threads

    trio.run(main)


def test_a_long_difference_is_read_a_page_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200,000 new memories all views were made, of 4 KB each."""
    monkeypatch.setattr(diff, "PER_READ", 2)
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            old = (await mind.remember_many([f"old {number}" for number in range(10)])).rids
            since = clock.next_day()
            new = (await mind.remember_many([f"new {number}" for number in range(5)])).rids
            await mind.forget(*old[:5])
            for rid in old[5:]:
                await mind.set(rid, topic="age")
            whole = await mind.diff(since)
            assert sorted(each.rid for each in whole.added) == sorted(new)
            assert sorted(each.rid for each in whole.forgotten) == sorted(old[:5])
            assert sorted(each.rid for each in whole.changed) == sorted(old[5:])
            assert not whole.more
            pages = [await mind.diff(since, limit=2, offset=offset) for offset in (0, 2, 4)]
            assert [page.more for page in pages] == [True, True, False]
            for name in ("added", "changed", "forgotten"):
                assert [each for page in pages for each in getattr(page, name)] == getattr(whole, name)
            assert not (await mind.diff(since, limit=5)).more
            await mind.remember_many([f"many {number}" for number in range(50)])
            unasked = await mind.diff(since)
            assert (len(unasked.added), unasked.more) == (50, True)

    trio.run(main)


def test_two_moments_are_compared_as_they_are_here_at_one_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What arrived in between, stamped before the second of them, made an old memory a new one."""
    clock, apart = Clock(), Device.apart
    told = list[str]()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            told.append((await mind.remember("Ann lives in Porto")).rid)
            since, clock.now_ms = clock.next_day(), clock.now_ms + DAY_MS

            async def busy(self: Device, function: Any, *arguments: Any) -> Any:
                found = await apart(self, function, *arguments)
                await self.replica.run(
                    lambda core, _: core.commit(
                        [Write(Set("topic", "home"), parse_memory_id(told[0]))], START_MS + DAY_MS
                    )
                )
                return found

            monkeypatch.setattr(Device, "apart", busy)
            found = await mind.diff(since)
            assert (found.added, found.changed, found.forgotten) == ([], [], [])
            (changed,) = (await mind.diff(since)).changed
            assert changed.fields == {"topic": "home"}

    trio.run(main)


def test_words_looked_up_for_the_past_are_kept_apart_from_those_of_the_present(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run on threads of their own, and what holds the words takes no lock."""
    clock, used = Clock(), list[WordVectors]()
    cosines = WordVectors.cosines

    def noting(
        self: WordVectors, glossary: Glossary, which: NDArray[np.int64], terms: Sequence[str]
    ) -> NDArray[np.float32]:
        used.append(self)
        return cosines(self, glossary, which, terms)

    monkeypatch.setattr(WordVectors, "cosines", noting)

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            rid = (await mind.remember("Ann lives in Porto")).rid
            told = clock.next_day()
            await mind.recall("where does Ann live?")
            now = {id(each) for each in used}
            assert len(now) == 1
            for ask in (
                lambda: mind.recall("where does Ann live?", as_of=told),
                lambda: mind.why_not(rid, "where does Ann live?", as_of=told),
            ):
                before = len(used)
                await ask()
                assert now.isdisjoint(id(each) for each in used[before:])
                assert len(used) > before

    trio.run(main)


def test_nothing_is_queued_for_the_past_that_nobody_reads_there(tmp_path: Path) -> None:
    """By the million, what waits for a thinker costs a quarter of the picture."""
    clock = Clock()

    async def waiting(then: datetime, device: Device) -> list[int]:
        def count(connection: sqlite3.Connection) -> list[int]:
            queues = ("entity_queue", "claim_unread", "pattern_queue", "due", "loose_topic", "shown_memory")
            return [connection.execute(f"SELECT count(*) FROM {queue}").fetchone()[0] for queue in queues]

        async with opened_past(device, int(then.timestamp() * 1_000), None) as past:
            return await past.read(count)

    async def scenario() -> None:
        async with device_at(tmp_path / "home", clock) as (device, mind):
            await mind.remember("Ann lives in Porto", topic="home", type="episodic", importance=0.9)
            assert await waiting(clock.next_day(), device) == [0, 0, 0, 0, 0, 1]

    run(scenario)


def test_names_of_texts_that_stand_as_they_did_are_not_read_again_for_the_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, read = Clock(), list[str]()

    def noted(page: Sequence[UnreadText]) -> list[Extraction]:
        read.extend(one.text for one in page)
        return read_some(page)

    def found(connection: sqlite3.Connection) -> list[list[tuple[str, ...]]]:
        """Return what texts name and state, with the id of their memory."""
        return [
            connection.execute(
                f"SELECT m.text, {columns} FROM {table} JOIN shown_memory m USING (id) ORDER BY 1, 2, 3"
            ).fetchall()
            for table, columns in (("entity_mention", "name, 0"), ("triple", "subject, predicate, object"))
        ]

    async def anew(device: Device, until_ms: int) -> list[list[tuple[str, ...]]]:
        def read_all(connection: sqlite3.Connection) -> list[list[tuple[str, ...]]]:
            connection.execute("INSERT INTO entity_queue SELECT id FROM shown_memory")
            page = unread(connection)
            keep(connection, page, read_some(page))
            return found(connection)

        async with opened_past(device, until_ms, None) as past:
            return await past.read(read_all)

    async def scenario() -> None:
        async with device_at(tmp_path / "home", clock) as (device, mind):
            rids = [
                (await mind.remember(text, speaker=speaker)).rid
                for text, speaker in (
                    ("Ann lives in Porto", None),
                    ("Bob works at Acme", None),
                    ("Cleo met Dan in Rome", "Eva"),
                    ("Ann likes Bob", "Ann"),
                )
            ]
            told = clock.next_day()
            await mind.edit(rids[0], "Ann lives in Lisbon")
            await mind.set(rids[2], speaker="Zoe")
            await mind.forget(rids[3], only=True)
            await mind.pin(rids[1])
            changed = clock.next_day()
            await mind.remember("Finn knows Gina")
            monkeypatch.setattr("cognition.past.read_some", noted)
            for then, texts in (
                (told, {"Ann lives in Porto", "Bob works at Acme", "Cleo met Dan in Rome", "Ann likes Bob"}),
                (changed, set[str]()),
            ):
                until_ms = int(then.timestamp() * 1_000)
                read.clear()
                async with names_at_moment(device, then.isoformat(), None) as past:
                    copied = await past.read(found)
                    assert await past.read(count_memories) == 3 + bool(texts)
                assert set(read) == texts, "what something happened to since, and nothing else"
                assert copied == await anew(device, until_ms)
                assert all(copied)
                names = {each.name for each in (await mind.entities(as_of=then)).entities}
                assert ("Eva" in names, "Zoe" in names, "Finn" in names) == (bool(texts), not texts, False)

    run(scenario)


def test_names_of_the_past_are_read_in_the_time_that_those_of_the_present_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever asks for the past just after an upgrade waits twice as long."""
    allowed: list[float] = []

    async def noted(mind: PastMind, seconds: float) -> None:
        allowed.append(seconds)

    async def scenario() -> None:
        async with device_at(tmp_path / "home", Clock()) as (device, mind):
            await mind.remember("Ann lives in Porto")
            then = datetime.now(UTC).isoformat()
            async with names_at_moment(device, then, None):
                pass
            monkeypatch.setattr(device.mind, "read_entities", trio.sleep_forever)
            monkeypatch.setattr("samemind.moments.NAMES_S", 0.05)
            async with names_at_moment(device, then, None):
                pass

    monkeypatch.setattr(PastMind, "read_entities", noted)
    run(scenario)
    assert 0.0 < allowed[0] < NAMES_S
    assert allowed[1:] == [0.0]


def test_how_far_a_memory_had_faded_is_told_of_the_moment_that_is_asked_for(tmp_path: Path) -> None:
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            rid = (await mind.remember("Ann lives in Porto")).rid
            told = clock.next_day()
            clock.now_ms += 400 * DAY_MS
            assert [(await mind.get(rid, as_of=told)).tier, (await mind.get(rid)).tier] == ["hot", "warm"]
            assert [view.tier for view in await mind.list(as_of=told)] == ["hot"]

    trio.run(main)


def test_a_mistyped_question_to_the_past_is_put_right_by_the_words_of_then(tmp_path: Path) -> None:
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            rid = (await mind.remember("Olga repaired the theremin", no_facts=True)).rid
            told = clock.next_day()
            await mind.forget(rid)
            await mind.remember(
                "Pavel plays in the Theramin Club", no_facts=True
            )  # the slip is a word by now
            (hit,) = await mind.recall("who has the theramin?", as_of=told, explain=True)
            assert hit.why is not None
            assert "words" in {reason["channel"] for reason in hit.why["found"]}

    trio.run(main)


def test_what_was_erased_is_in_no_past(tmp_path: Path) -> None:
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            rid = (await mind.remember("Ann lives in Porto")).rid
            told = clock.next_day()
            await mind.forget(rid, erase=True)
            assert (await mind.list(as_of=told)).total == 0
            with pytest.raises(samemind.NotFound):
                await mind.get(rid, as_of=told)

    trio.run(main)


def test_a_read_as_another_device_saw_it_knows_what_that_device_had_merged(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            early = (await laptop.mind.remember("Said before they met")).rid
            await pair(laptop, phone)
            await until(lambda: _holds(phone.mind, early))
            seen = (await phone.mind.remember("Said by the phone, which had heard")).rid
            await until(lambda: _holds(laptop.mind, seen))
            late = (await laptop.mind.remember("Said when the phone had written its last")).rid
            as_seen = await laptop.mind.list(seen_by="phone")
            assert {view.rid for view in as_seen} == {early, seen}
            assert {view.rid for view in await laptop.mind.list(seen_by="laptop")} == {early, seen, late}
            assert (await laptop.mind.recall("said last", seen_by="phone", k=5)).results[0].rid in {
                early,
                seen,
            }
            with pytest.raises(samemind.NotFound, match="no device is called"):
                await laptop.mind.list(seen_by="tablet")

    run(main)


async def _holds(mind: Mind, rid: str) -> bool:
    return rid in {view.rid for view in await mind.list()}


def test_whatever_makes_something_of_memories_can_be_asked_of_another_moment(tmp_path: Path) -> None:
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            before = clock.next_day()
            rid = (await mind.remember("Ann lives in Porto", speaker="Ann")).rid
            await mind.relate("Ann", "knows", "Bob")
            await mind.set_profile(city="Porto")
            told = clock.next_day()
            await mind.edit(rid, "Ann lives in Lisbon")
            await mind.relate("Ann", "knows", "Zoe")
            await mind.unrelate("Ann", "knows", "Bob")
            await mind.set_profile(city="Lisbon")
            changed = clock.next_day()
            ops = (await mind.digest()).ops

            block = await mind.context("where does Ann live?", as_of=told)
            assert block.rids == [rid]
            assert "Porto" in block.text
            assert "Lisbon" not in block.text
            assert "Lisbon" in (await mind.context("where does Ann live?", as_of=changed)).text
            assert (await mind.context("where does Ann live?", as_of=before)).text == ""
            assert (await mind.context(as_of=told)).total == 1  # the overview as well

            def ends(graph: samemind.Graph) -> set[str]:
                return {edge.target for edge in graph.edges if edge.relation == "knows"}

            assert ends(await mind.graph("Ann", as_of=told)) == {"Bob"}
            assert ends(await mind.graph("Ann")) == {"Zoe"}
            with pytest.raises(samemind.NotFound, match="nothing is related"):
                await mind.graph("Ann", as_of=before)
            assert "Porto" in {entity.name for entity in (await mind.entities(as_of=told)).entities}
            assert "Porto" not in {entity.name for entity in (await mind.entities()).entities}

            then, now = await mind.why(rid, as_of=told), await mind.why(rid)
            assert (then.chain[0].text, now.chain[0].text) == ("Ann lives in Porto", "Ann lives in Lisbon")
            assert then.chain[0].op_id == now.chain[0].op_id is not None
            assert then.signature_ok
            with pytest.raises(samemind.NotFound):
                await mind.why(rid, as_of=before)

            assert (await mind.why_not(rid, "Porto", as_of=told)).found
            assert [stage.name for stage in (await mind.why_not(rid, "zebra", as_of=told)).stages]
            assert (await mind.digest()).ops == ops  # reading the past writes nothing

    trio.run(main)


def test_what_memory_keeps_of_itself_can_be_asked_of_another_moment(tmp_path: Path) -> None:
    """The profile, blocks, conversations, goals and what is brought up."""
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            before = clock.next_day()
            await mind.set_profile(city="Porto")
            await mind.edit_block("tone", "Be brief.")
            await mind.remember("We sail on Sunday with the whole crew.", session="boat")
            goal = (await mind.add_goal("learn to sail")).rid
            pinned = (await mind.remember("Ann is allergic to nuts", pin=True)).rid
            told = clock.next_day()
            await mind.set_profile(city="Lisbon")
            await mind.edit_block("tone", "Be kind.")
            await mind.remember("The crew fell ill, so nobody sails on Sunday.", session="boat")
            await mind.remember("The garden wants water.", session="garden")
            await mind.finish_goal(goal)
            await mind.unpin(pinned)

            assert dict((await mind.profile(as_of=before)).static) == {}
            then, now = await mind.profile(as_of=told), await mind.profile()
            assert (then.static["city"], now.static["city"]) == ("Porto", "Lisbon")
            assert (
                pinned in {fact.rid for fact in then.dynamic},
                pinned in {fact.rid for fact in now.dynamic},
            ) == (
                True,
                False,
            )
            assert len(await mind.blocks(as_of=before)) == 0
            assert [block.text for block in await mind.blocks(as_of=told)] == ["Be brief."]
            assert (await mind.block("tone", as_of=told)).text == "Be brief."
            with pytest.raises(samemind.NotFound):
                await mind.block("tone", as_of=before)
            assert [(one.session, one.memories) for one in await mind.sessions(as_of=told)] == [("boat", 1)]
            assert [one.session for one in await mind.sessions()] == ["garden", "boat"]
            with pytest.raises(samemind.NotFound, match="no memory came from"):
                await mind.sessions(session="garden", as_of=told)
            assert [one.rid for one in await mind.goals(as_of=told)] == [goal]
            assert list(await mind.goals()) == list(await mind.goals(as_of=before)) == []

    trio.run(main)


def test_a_reminder_that_was_dismissed_since_stands_where_the_past_is_asked(tmp_path: Path) -> None:
    clock = Clock()

    async def main() -> None:
        async with device_at(tmp_path / "home", clock) as (_, mind):
            due = datetime.fromtimestamp((START_MS + DAY_MS) / 1_000, UTC)
            await mind.remember("Call the plumber", type="prospective", event_start=due)
            clock.next_day()
            await mind.think()
            (raised,) = await mind.triggers()
            shown = clock.next_day()
            await mind.dismiss(raised.id)
            assert list(await mind.triggers()) == []
            assert [one.id for one in await mind.triggers(as_of=shown)] == [raised.id]

    trio.run(main)


def test_a_moment_after_all_stamps_is_the_last_one(tmp_path: Path) -> None:
    """Stamps end long before the last year that a date can name: what counts in stamps overflowed there."""
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    with samemind.open_blocking(tmp_path / "home") as mind:
        rid = mind.remember("Ann lives in Porto").rid
        assert mind.triggers(as_of=last).triggers == []
        assert [each.rid for each in mind.list(as_of=last)] == [rid]
        assert mind.recall("where does Ann live?", as_of=last).results
        for asked in (
            mind.context,
            mind.entities,
            mind.sessions,
            mind.goals,
            mind.contradictions,
            mind.profile,
        ):
            asked(as_of=last)
        assert mind.retract(source="nobody", since=last, dry_run=True).rids == []


def test_the_history_of_a_memory_says_who_forgot_it_and_when(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        rid = mind.remember("the code of the bike lock is 4711").rid
        mind.remember("another memory")
        mind.forget(rid)
        kinds = [version.kind for version in mind.history(rid).versions]
    assert kinds == ["remember", "forget"]
