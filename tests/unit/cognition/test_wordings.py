"""A local model says memories in other words: they are found by those, which are never shown and go with the memory."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trio

from cognition import HashedEmbedder, ModelUnavailable
from cognition.embedding.embedder import Embedder
from cognition.embedding.static import StaticEmbedder
from cognition.extraction.contract import BadAnswer, read_wordings
from cognition.models.asking import QUIET_MS
from cognition.wordings import tables
from cognition.wordings.index import FoundByWording, WordingIndex
from cognition.wordings.reworder import PAGE, Reworded, Reworder
from cognition.wordings.tables import CHARACTERS_MAX, WORDINGS_MAX, checked
from replica import Forget, Write
from samemind.commands.memories._wordings import WORDINGS_MAX as ASKED_MAX
from samemind.config import Home as HomeFolder
from samemind.config import Settings
from samemind.device import Device, open_device
from samemind.errors import Usage
from samemind.library.mind import Mind
from samemind.local import Local
from sync.identity import Identity
from tests.support.minds import NOW_MS, FaultyEmbedder, open_memory, remember
from tests.support.model_server import Answer, ModelServer, Script, serving
from tests.support.recalling import Memory

EMBEDDER = StaticEmbedder()
# What a model would find for each of some notes, by a word of the note.
OTHER_WORDS = {
    "Skoda": ["Our car is in the garage for repair", "vehicle at the mechanic"],
    "Okonkwo": ["My father's dentist"],
    "matcha": ["Souvenirs from Japan", "green tea", "a present for us", "one wording too many"],
}


def worded(body: dict[str, Any]) -> str:
    """Answer a request for other words as a model would, from the notes that it shows."""
    shown = re.findall(r"(?m)^(\d+)\. \[.*?\] .*?: (.*)$", body["messages"][1]["content"])
    return json.dumps(
        {
            "wordings": [
                {"message": int(number), "texts": texts}
                for number, text in shown
                for word, texts in OTHER_WORDS.items()
                if word in text
            ]
        }
    )


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_ms = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


def run(folder: Path, script: Script, main: Any, **settings: Any) -> None:
    """Run a test's body with a device whose model is a real server on this machine.

    Pages are reworded where the body asks for it, and not beside it: on a busy machine the first look in the background
    may come as late as after the body has moved the clock.
    """

    async def body(server: ModelServer) -> None:
        home, clock = HomeFolder.at(folder), Clock()
        home.create()
        Settings(name="laptop", model_url=server.url, model="tiny", embedder="small", **settings).save(home)
        with trio.fail_after(60):
            async with open_device(home, program="a test", answers=False, clock=clock) as device:
                await main(device, Mind(Local(device)), clock, server)

    with serving(script) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reworder, "work", staticmethod(trio.sleep_forever))
        trio.run(body, server)


def rewording(device: Device) -> Reworder:
    assert device.mind.rewording is not None
    return device.mind.rewording


async def first(mind: Mind, question: str) -> str:
    return (await mind.recall(question, k=1)).results[0].text


def test_a_memory_is_found_by_words_that_a_local_model_found_for_it(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        for text in (
            "The Skoda is at Rohrmann's until Friday",
            "Dad likes Dr Okonkwo on Mill Street",
            "Bin day is Thursday",
        ):
            await mind.remember(text)
        assert await rewording(device).reword_next() is None, "a minute may put them right"
        assert not server.requests
        clock.now_ms += QUIET_MS + 1
        assert await rewording(device).reword_next() == Reworded(asked=3, worded=2)
        assert await rewording(device).reword_next() is None
        (request,) = server.requests
        today = datetime.fromtimestamp(NOW_MS / 1_000, UTC)
        assert f"1. [{today:%Y-%m-%d %A}] user: The Skoda" in request["messages"][1]["content"]
        (hit, *_) = await device.mind.recall("which mechanic has our vehicle?")
        assert hit.memory.text == "The Skoda is at Rohrmann's until Friday"
        assert "wordings" in {found.channel for found in hit.found}
        assert await first(mind, "father's dentist") == "Dad likes Dr Okonkwo on Mill Street"
        (check,) = [check for check in (await mind.doctor()).checks if check.name == "model"]
        assert "2 memories found by other words" in check.detail
        assert "; 0 to be given some" in check.detail
        (told, *_) = (await mind.recall("which mechanic has our vehicle?")).results
        shown = f"{told} {await mind.get(told.rid)} {await mind.context('which mechanic has our vehicle?')}"
        assert "Skoda" in shown
        assert "garage" not in shown
        assert "at the mechanic" not in shown

    run(tmp_path / "home", worded, main)


def test_other_words_go_with_the_memory_and_with_what_it_said(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        car = (await mind.remember("The Skoda is at Rohrmann's until Friday")).rid
        dad = (await mind.remember("Dad likes Dr Okonkwo on Mill Street")).rid
        await mind.remember("Bin day is Thursday")
        clock.now_ms += QUIET_MS + 1
        await rewording(device).reword_next()
        await mind.edit(dad, "Dad likes Mill Street, where the market is")
        assert await first(mind, "father's dentist") != "Dad likes Dr Okonkwo on Mill Street"
        clock.now_ms += QUIET_MS + 1
        assert await rewording(device).reword_next() == Reworded(asked=1, worded=0)
        await mind.forget(car, erase=True)
        assert await device.replica.read(tables.counted) == (0, 0)
        hits = await device.mind.recall("which mechanic has our vehicle?")
        assert all(found.channel != "wordings" for hit in hits for found in hit.found)

    run(tmp_path / "home", worded, main)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*.db*"))
    assert b"vehicle at the mechanic" not in kept
    assert b"father's dentist" not in kept


def test_a_model_elsewhere_is_not_shown_what_is_no_talk(tmp_path: Path) -> None:
    async def main() -> None:
        home = HomeFolder.at(tmp_path / "home")
        home.create()
        Settings(name="laptop", model_url="https://models.example/v1", model="large", embedder="small").save(
            home
        )
        async with open_device(home, program="a test", answers=False) as device:
            assert device.mind.talk is not None
            assert device.mind.rewording is None

    trio.run(main)


def test_what_is_due_when_a_home_is_opened_is_reworded_in_the_background(tmp_path: Path) -> None:
    async def told(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await mind.remember("The Skoda is at Rohrmann's until Friday")

    async def opened_again() -> None:
        clock = Clock()
        clock.now_ms += QUIET_MS + 1
        home = HomeFolder.at(tmp_path / "home")
        with trio.fail_after(60):
            async with open_device(home, program="a test", answers=False, clock=clock) as device:
                while await device.replica.read(tables.counted) != (1, 0):  # noqa: ASYNC110 (nothing tells of it)
                    await trio.sleep(0.01)

    run(tmp_path / "home", worded, told)
    with serving(worded) as server:
        Settings(name="laptop", model_url=server.url, model="tiny", embedder="small").save(
            HomeFolder.at(tmp_path / "home")
        )
        trio.run(opened_again)


def test_what_is_no_answer_is_asked_for_once_more_and_then_left(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await mind.remember("The Skoda is at Rohrmann's until Friday")
        clock.now_ms += QUIET_MS + 1
        assert await rewording(device).reword_next() == Reworded(asked=1, worded=0)
        assert len(server.requests) == 2
        assert await rewording(device).reword_next() is None

    run(tmp_path / "home", lambda body: "I would rather not", main)


def test_a_model_that_breaks_at_a_page_does_not_keep_the_next_from_its_turn(tmp_path: Path) -> None:
    def breaking(body: dict[str, Any]) -> Answer:
        return (500, b"out of memory") if "Skoda" in body["messages"][1]["content"] else worded(body)

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await mind.remember("The Skoda is at Rohrmann's until Friday")
        await mind.remember_many([f"note {number} of nothing" for number in range(PAGE - 1)])
        await mind.remember("Dad likes Dr Okonkwo on Mill Street")
        clock.now_ms += QUIET_MS + 1
        for _ in range(4):
            with pytest.raises(Exception, match="out of memory"):
                await rewording(device).reword_next()
        assert await rewording(device).reword_next() == Reworded(asked=PAGE, worded=0)
        assert await rewording(device).reword_next() == Reworded(asked=1, worded=1)

    run(tmp_path / "home", breaking, main)


def opened(folder: Path, main: Any) -> None:
    """Run a test's body with a device that has no model."""

    async def body() -> None:
        home = HomeFolder.at(folder)
        home.create()
        Settings(name="laptop", embedder="small").save(home)
        with trio.fail_after(60):
            async with open_device(home, program="a test", answers=False, clock=Clock()) as device:
                await main(device, Mind(Local(device)))

    trio.run(body)


@pytest.mark.parametrize("read", [True, False])
def test_a_memory_is_found_by_the_words_that_came_with_it_which_nothing_shows_and_nothing_keeps(
    tmp_path: Path, read: bool
) -> None:
    given = ["our vehicle is in the garage", "The Skoda  is at Rohrmann's", "Autowerkstatt"]

    async def main(device: Device, mind: Mind) -> None:
        car = (await mind.remember("The Skoda is at Rohrmann's", wordings=given, read=read)).rid
        dad = (await mind.remember("Dad likes Dr Okonkwo", wordings=["father's dentist"], read=read)).rid
        await mind.remember("Bin day is Thursday", read=read)
        for question, meant in (("which garage has our vehicle?", car), ("the dentist of my father", dad)):
            (hit, *_) = await device.mind.recall(question)
            assert {*(found.channel for found in hit.found)} >= {"wordings"}
            (told, *_) = (await mind.recall(question)).results
            assert told.rid == meant
            shown = (
                f"{told} {await mind.get(told.rid)} {await mind.context(question)} {await mind.why(told.rid)}"
            )
            assert "vehicle is in" not in shown
            assert "father's dentist" not in shown
        assert await device.replica.read(tables.counted) == (2, 1), "a model is asked for the third alone"
        await mind.edit(dad, "Dad likes Mill Street")
        assert await first(mind, "Autowerkstatt") == "The Skoda is at Rohrmann's"
        await mind.forget(car, erase=True)
        for question in ("which garage has our vehicle?", "the dentist of my father"):
            hits = await device.mind.recall(question)
            assert all(found.channel != "wordings" for hit in hits for found in hit.found)

    opened(tmp_path / "home", main)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*.db*"))
    assert b"vehicle is in the garage" not in kept
    assert b"father's dentist" not in kept


def test_other_words_are_few_and_short_and_hold_no_secret_or_nothing_is_stored(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind) -> None:
        for wordings, why in (
            (["a"] * (WORDINGS_MAX + 1), "at most 3 wordings, got 4"),
            (["x" * (CHARACTERS_MAX + 1)], "at most 200 characters, got 201"),
            (["AWS key AKIAIOSFODNN7EXAMPLE"], "looks secret"),
        ):
            with pytest.raises(Usage, match=why):
                await mind.remember("The Skoda is at Rohrmann's", wordings=wordings)
        assert (await mind.stats()).memories == 0
        held = await mind.remember("my AWS key is AKIAIOSFODNN7EXAMPLE", wordings=["AKIAIOSFODNN7EXAMPLE"])
        assert held.held
        assert await device.replica.read(tables.counted) == (0, 0)

    opened(tmp_path / "home", main)


def test_many_memories_are_told_with_other_words_or_none_is(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind) -> None:
        skoda = {"text": "The Skoda is at Rohrmann's", "wordings": ["our vehicle", "Autowerkstatt"]}
        for wordings, why in (
            ("our vehicle", "expected a list of texts"),
            (["a"] * (WORDINGS_MAX + 1), "at most 3 wordings, got 4"),
        ):
            with pytest.raises(Usage, match=f"line 2: .*{why}"):
                await mind.remember_many([skoda, {**skoda, "wordings": wordings}])
        assert await device.replica.read(tables.counted) == (0, 0)
        await mind.remember_many(["Bin day is Thursday", skoda], facts=True)
        (hit, *_) = await device.mind.recall("which vehicle?")
        assert hit.memory.text == skoda["text"]
        assert "wordings" in {found.channel for found in hit.found}
        assert await device.replica.read(tables.counted) == (1, 1)

    opened(tmp_path / "home", main)


def test_a_telling_that_is_asked_for_twice_keeps_the_words_that_came_first(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind) -> None:
        rid = (await mind.remember("The Skoda is at Rohrmann's", wordings=["our vehicle"])).rid
        await mind.remember("The Skoda is at Rohrmann's", wordings=["the banana"], rid=rid)
        assert await device.replica.read(tables.counted) == (1, 0)
        (hit,) = await device.mind.recall("vehicle")
        assert "wordings" in {found.channel for found in hit.found}

    opened(tmp_path / "home", main)


def test_a_model_is_asked_for_what_no_words_came_with_also_before_what_some_came_with(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await mind.remember("Dad likes Dr Okonkwo on Mill Street")
        await mind.remember("The Skoda is at Rohrmann's", wordings=["our vehicle"])
        await mind.remember("They brought matcha")
        last = (await mind.remember("Bin day is Thursday", wordings=["when the rubbish goes"])).rid
        clock.now_ms += QUIET_MS + 1
        assert await rewording(device).reword_next() == Reworded(asked=2, worded=2)
        assert await rewording(device).reword_next() is None
        assert await device.replica.read(tables.counted) == (4, 0)
        (hit, *_) = await device.mind.recall("our vehicle")
        assert hit.memory.text == "The Skoda is at Rohrmann's"
        await mind.edit(last, "Bin day is Friday")
        assert await device.replica.read(tables.counted) == (3, 1), "what it says now has no words yet"
        clock.now_ms += QUIET_MS + 1
        assert await rewording(device).reword_next() == Reworded(asked=1, worded=0)

    run(tmp_path / "home", worded, main)


def test_words_that_came_with_memories_are_embedded_anew_for_another_embedder(tmp_path: Path) -> None:
    async def main() -> None:
        identity = Identity.create()
        hashed = HashedEmbedder()
        async with open_memory(tmp_path / "m.db", embedder=hashed, identity=identity) as (replica, mind):
            (rid,) = await remember(replica, "The Skoda is at Rohrmann's")
            await replica.run(
                lambda core, connection: tables.give(connection, {rid: ["our vehicle", "a car"]})
            )
            mind.wordings.came()
            (hit,) = await mind.recall("vehicle")
            assert "wordings" in {found.channel for found in hit.found}
        async with open_memory(tmp_path / "m.db", embedder=StaticEmbedder(), identity=identity) as (_, mind):
            (hit,) = await mind.recall("the automobile")
            assert "wordings" in {found.channel for found in hit.found}

    trio.run(main)


def test_wordings_wait_where_nothing_embeds(tmp_path: Path) -> None:
    async def main() -> None:
        missing = FaultyEmbedder(refuse="", error=ModelUnavailable("no model here"))
        async with open_memory(tmp_path / "m.db", embedder=missing) as (replica, mind):
            (rid,) = await remember(replica, "The Skoda is at Rohrmann's")
            await replica.run(lambda core, connection: tables.give(connection, {rid: ["our vehicle"]}))
            mind.wordings.came()
            assert len(await mind.recall("Skoda")) == 1
            missing.refuse = "nothing"
            assert len(await mind.recall("our vehicle")) == 1

    trio.run(main)


def test_wordings_are_few_and_short_and_say_something_else() -> None:
    said = "Our car is  broken"
    kept = checked(["our car is broken", " ", "The vehicle", "the  vehicle", "x" * 999, "b", "c"], said)
    assert kept == ["the vehicle", "x" * CHARACTERS_MAX, "b"]
    assert len(kept) == WORDINGS_MAX == ASKED_MAX


def test_other_words_of_no_message_that_was_shown_are_of_none() -> None:
    answer = {
        "wordings": [{"message": 3, "texts": ["a"]}, {"texts": ["b"]}, "c", {"message": 2, "texts": ["d", 5]}]
    }
    assert read_wordings(json.dumps(answer), 2) == [[], ["d"]]
    with pytest.raises(BadAnswer):
        read_wordings("{}", 2)


class Worded(Memory):
    """A memory without threads, whose notes may have other words."""

    def reword(self, texts: Sequence[str], *, space: int = 1, embedder: Embedder = EMBEDDER) -> None:
        page = tables.unworded(self.home.connection, before_ms=NOW_MS + QUIET_MS, limit=1)
        vectors = [embedder.embed(list(texts)).astype("<f2").tobytes()]
        tables.keep(self.home.connection, space, page, [list(texts)], vectors)

    def worded(self, index: WordingIndex, question: str) -> set[int]:
        found = index.find(self.home.connection, question.split(), EMBEDDER.embed([question])[0], 10)
        return {*found.words, *found.cosines}


def test_an_index_follows_what_is_reworded_said_anew_and_forgotten() -> None:
    memory, index = Worded(EMBEDDER), WordingIndex(1)
    assert memory.worded(index, "vehicle") == set()
    skoda = memory.home.remember("The Skoda is at Rohrmann's")
    memory.reword(["our vehicle", "the mechanic"])
    assert memory.worded(index, "vehicle") == {memory.home.number(skoda)}
    memory.home.commit(*memory.home.core.edits_of(skoda, "The Skoda is sold"))
    assert memory.worded(index, "vehicle") == set()
    memory.reword(["nobody drives it now"])
    assert memory.worded(index, "drives") == {memory.home.number(skoda)}
    memory.home.commit(Write(Forget((skoda,))))
    assert memory.worded(index, "drives") == set()
    again = memory.home.remember("The tram stops at ten")
    memory.reword(["public transport ends in the evening"])
    assert memory.worded(index, "transport") == {memory.home.number(again)}


def test_the_cosine_of_a_wording_counts_as_far_as_it_stands_out_among_wordings() -> None:
    found = FoundByWording({}, {7: 0.5, 8: 0.3}, middle=0.3, spread=0.1)
    assert found.as_of_memories(0.1, 0.2) == pytest.approx({7: 0.5, 8: 0.1})
    assert found.among([8]) == FoundByWording({}, {8: 0.3}, middle=0.3, spread=0.1)


def test_vectors_of_another_embedder_are_not_asked_and_are_made_anew() -> None:
    memory, index = Worded(EMBEDDER), WordingIndex(2)
    memory.home.remember("The Skoda is at Rohrmann's")
    memory.reword(["our vehicle"])
    assert index.find(memory.home.connection, [], EMBEDDER.embed(["vehicle"])[0], 10).cosines == {}
    (stale,) = tables.other_space(memory.home.connection, 2, 10)
    assert stale[1] == ["our vehicle"]
    tables.keep_vectors(
        memory.home.connection, 2, [stale], [EMBEDDER.embed(stale[1]).astype("<f2").tobytes()]
    )
    assert tables.other_space(memory.home.connection, 2, 10) == []
    assert set(index.find(memory.home.connection, [], EMBEDDER.embed(["vehicle"])[0], 10).cosines) == {
        stale[0]
    }
