"""A model reads talk in the background: when it is asked, what is written, and what happens when it fails."""

import json
import threading
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing

import samemind
from cognition.background.queue import QueueState
from cognition.models.http import HttpChatModel
from cognition.talk.reader import TalkReader
from replica import DeviceId, Replica
from samemind.config import Home
from samemind.device import Device, open_device
from samemind.library.mind import Mind
from samemind.local import Local
from tests.support.minds import NOW_MS
from tests.support.model_server import Answer, ModelServer, Script, serving
from tests.support.published import published
from tests.support.talking import device_reading, lines, run, say

FACT = {"fact": "Lives in Lisbon", "category": "identity", "confidence": 0.9, "updates_previous": None}
READING = {
    "memories": [
        {"message": 1, "content": "Ann moved to Lisbon", "type": "episodic", "confidence": 0.9, "speaker": "Ann",
         "contradicts": "Ann lives in Porto"},
        {"message": 1, "content": "Ann is happy about Lisbon", "type": "affective", "confidence": 0.6},
        {"message": 1, "content": "Ann maybe owns a boat", "type": "factual", "confidence": 0.2},
    ],
    "observations": [{"message": 1, "text": "Rua das Flores"}],
    "summary": "Ann tells of her move. She lives in a new street.",
    "speakers": ["Ann"],
}  # fmt: skip


def answering(*, facts: list[dict[str, Any]] | None = None) -> Script:
    """Return a model that answers each kind of request with the same."""

    def script(body: dict[str, Any]) -> str:
        if "lasting facts" in body["messages"][0]["content"]:
            return json.dumps({"facts": facts or []})
        return json.dumps(READING)

    return script


def test_what_is_read_while_somebody_looks_whether_all_is_keeps_nobody_waiting() -> None:
    class Reading:
        """A replica of which the last of the talk is read while it says that this waits."""

        def __init__(self) -> None:
            self.reader = TalkReader(cast(Replica, self), DeviceId(bytes(32)), cast(HttpChatModel, None))
            self.pending = 1

        async def read(self, state: object) -> QueueState:
            found, self.pending = QueueState(self.pending, 0, None), 0
            self.reader._tell()
            await trio.lowlevel.checkpoint()
            return found

    async def main() -> None:
        with trio.fail_after(1):
            await Reading().reader.settle()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_ms = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


async def settled(device: Device) -> None:
    assert device.mind.talk is not None
    await device.mind.talk.settle()


async def tried(mind: Mind) -> None:
    """Wait until the last entry of the queue was tried."""
    with trio.fail_after(60):
        while not (await mind.queue()).entries[-1].attempts:  # noqa: ASYNC110 - the queue is in a file
            await trio.sleep(0.01)


def kinds(server: ModelServer) -> list[str]:
    return [
        "core" if "lasting facts" in request["messages"][0]["content"] else "reading"
        for request in server.requests
    ]


@published("LO-01")
def test_the_fifth_message_asks_and_closing_at_three_does_and_no_single_message(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, *lines(4))
        await settled(device)
        assert kinds(server) == []
        await say(mind, *lines(1, 4))
        await settled(device)
        assert kinds(server) == ["core"]
        await say(mind, *lines(3, 5))
        await settled(device)
        assert kinds(server) == ["core"]
        assert (await mind.extract("chat", wait=True)).queued == 2
        assert sorted(kinds(server)) == ["core", "core", "reading"]
        assert (await mind.extract("chat", wait=True)).queued == 0

    run(tmp_path / "home", answering(), main)


@published("LO-02")
def test_a_model_is_shown_the_last_ten_messages_and_no_talk_of_one(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, "alone", session="monologue")
        assert (await mind.extract("monologue", wait=True)).queued == 0
        await say(mind, *lines(15))
        await settled(device)
        shown = [request["messages"][1]["content"] for request in server.requests]
        assert [text.count("Message number") for text in shown] == [5, 10, 10, 10]
        assert "Message number 5 " in shown[-1]
        assert "Message number 4 " not in shown[-1]

    run(tmp_path / "home", answering(), main)


@published("LO-03")
def test_core_facts_are_asked_for_coolly_and_briefly_as_an_object(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, *lines(5))
        await settled(device)
        (request,) = server.requests
        assert (request["temperature"], request["max_tokens"]) == (0.1, 500)
        assert request["response_format"] == {"type": "json_object"}

    run(tmp_path / "home", answering(), main)


@published("LO-05")
def test_a_slow_model_holds_nobody_up(tmp_path: Path) -> None:
    release, asked = threading.Event(), threading.Event()

    def slow(body: dict[str, Any]) -> str:
        asked.set()
        release.wait(20)
        return json.dumps({"facts": [FACT]})

    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, *lines(5))
        await trio.to_thread.run_sync(asked.wait, 10)
        assert (await mind.recall("message number 3"))[0].text == "Message number 3 says nothing"
        await say(mind, "Said while the model was thinking")
        release.set()
        await settled(device)
        assert "Lives in Lisbon" in {memory.text for memory in await mind.list()}

    run(tmp_path / "home", slow, main)


@published("ML-08")
def test_core_facts_are_memories_with_all_that_belongs_to_them(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, *lines(5))
        await settled(device)
        (first,) = [memory for memory in await mind.list() if memory.text == "Lives in Lisbon"]
        assert (first.certainty, first.pinned, first.source) == (0.9, False, "model")
        assert first.meta == {"category": "identity", "last_conversation": "chat"}
        # Heard in another talk: it is one fact, heard twice, and surer.
        await say(mind, *lines(5), session="other")
        await settled(device)
        again = await mind.get(first.rid)
        assert again.certainty == 1.0
        assert again.meta == {"category": "identity", "last_conversation": "other", "mentions": 2}
        assert (again.created_at, again.updated_at > first.updated_at) == (first.created_at, True)
        assert (await mind.pin(first.rid)).pinned

    run(tmp_path / "home", answering(facts=[FACT]), main)


@published("LO-08")
def test_a_fact_grows_surer_each_time_it_is_heard_again_up_to_certainty(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        heard, seen = [], []
        for session in ("one", "two", "three", "four"):
            await say(mind, *lines(5), session=session)
            await settled(device)
            (fact,) = [memory for memory in await mind.list() if "category" in memory.meta]
            heard.append((fact.certainty, fact.meta.get("mentions", 1), fact.meta["last_conversation"]))
            seen.append((fact.rid, fact.created_at, fact.updated_at))
        assert len({(rid, first) for rid, first, _ in seen}) == 1
        assert seen == sorted({*seen})  # each time it was last seen later
        assert heard == [(0.8, 1, "one"), (0.95, 2, "two"), (1.0, 3, "three"), (1.0, 4, "four")]

    run(tmp_path / "home", answering(facts=[{**FACT, "confidence": 0.8}]), main)


@published("LO-09")
@pytest.mark.parametrize("updates", [1, True])
def test_a_fact_that_replaces_another_starts_anew_and_names_it(tmp_path: Path, updates: int | bool) -> None:
    """The row: replace and do not merge, confidence at the baseline, linked; also where only `true` is said."""
    answers = [
        [
            {**FACT, "confidence": 0.95},
            {**FACT, "fact": "Was born in Faro"},
            {**FACT, "fact": "Likes to live well", "category": "preference"},
        ],
        [{**FACT, "fact": "Lives in Porto", "confidence": 0.99, "updates_previous": updates}],
    ]

    def script(body: dict[str, Any]) -> str:
        return json.dumps({"facts": answers.pop(0)})

    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, *lines(5))
        await settled(device)
        (old,) = [memory for memory in await mind.list() if memory.text == "Lives in Lisbon"]
        await say(mind, *lines(5), session="other")
        await settled(device)
        assert "1. Lives in Lisbon" in server.requests[1]["messages"][1]["content"]
        core = [memory for memory in await mind.list() if "category" in memory.meta]
        (new,) = [memory for memory in core if memory.text == "Lives in Porto"]
        assert len(core) == 3, "nothing else was replaced"
        assert (new.text, new.certainty, new.meta["updates"]) == ("Lives in Porto", 0.8, old.rid)
        assert (await mind.get(old.rid)).archived

    run(tmp_path / "home", script, main)


@published("LO-07")
def test_every_field_of_a_core_fact_comes_back_from_an_export(tmp_path: Path) -> None:
    answers = [[FACT], [FACT], [{**FACT, "fact": "Lives in Porto", "updates_previous": 1}]]

    def script(body: dict[str, Any]) -> str:
        return json.dumps({"facts": answers.pop(0)})

    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        for session in ("one", "two", "three"):
            await say(mind, *lines(5), session=session)
            await settled(device)
        (new,) = [memory for memory in await mind.list() if memory.text == "Lives in Porto"]
        old = await mind.get(new.meta["updates"])
        await mind.pin(new.rid)
        new = await mind.get(new.rid)
        # confidence, mentionCount, lastSeenConversationId, firstSeen and lastSeen of one that was heard twice
        assert (old.meta["category"], old.certainty, old.meta["mentions"]) == ("identity", 1.0, 2)
        assert old.meta["last_conversation"] == "two"
        assert old.created_at < old.updated_at
        # updatesFactId and pinned of the one that replaced it
        assert (new.meta["updates"], new.meta["last_conversation"], new.pinned) == (old.rid, "three", True)
        await mind.export(tmp_path / "all.jsonl")
        async with samemind.open(tmp_path / "copy") as copy:
            await copy.import_(tmp_path / "all.jsonl")
            for fact in (old, new):
                again = await copy.get(fact.rid)
                for name in ("rid", "text", "meta", "certainty", "pinned", "archived"):
                    assert getattr(again, name) == getattr(fact, name), name

    run(tmp_path / "home", script, main)


@published("LO-14")
def test_a_core_fact_is_known_in_every_later_talk(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        await say(mind, *lines(5))
        await settled(device)
        await say(mind, *lines(2), session="next week")
        await mind.extract("next week", wait=True)
        core = [
            request for request, kind in zip(server.requests, kinds(server), strict=True) if kind == "core"
        ]
        assert "1. Lives in Lisbon" in core[-1]["messages"][1]["content"]
        assert (await mind.recall("Lisbon"))[0].text == "Lives in Lisbon"

    run(tmp_path / "home", answering(facts=[FACT]), main)


@published("ML-43")
def test_a_reading_becomes_memories_beside_the_message_it_is_from(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        first, _ = await say(mind, "I moved to Rua das Flores in Lisbon", "What a street")
        await mind.extract("chat", wait=True)
        made = {memory.text: memory for memory in await mind.list() if memory.source == "model"}
        assert set(made) == {
            "Ann moved to Lisbon", "Ann is happy about Lisbon", "Rua das Flores",
            "Ann tells of her move. She lives in a new street.",
        }  # fmt: skip
        moved = made["Ann moved to Lisbon"]
        assert (moved.parent, moved.type, moved.certainty, moved.speaker, moved.session) == (
            first, "episodic", 0.9, "Ann", "chat",
        )  # fmt: skip
        assert moved.meta == {"contradicts": "Ann lives in Porto"}
        assert made["Rua das Flores"].meta == {"kind": "observation"}
        # What is forgotten takes along what was read in it.
        assert len((await mind.forget(first)).facts) == 3

    run(tmp_path / "home", answering(), main)


@published("ML-43")
def test_a_bad_answer_is_asked_for_once_more_and_then_kept_as_a_dead_letter(tmp_path: Path) -> None:
    good = False

    def script(body: dict[str, Any]) -> Answer:
        return answering()(body) if good else "I cannot do that"

    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        nonlocal good
        await say(mind, "I moved to Rua das Flores in Lisbon", "What a street")
        await mind.extract("chat", wait=True)
        assert len(server.requests) == 4
        queue = await mind.queue(status="failed")
        assert (queue.failed, len(queue.entries)) == (2, 2)
        assert "expected a JSON object, got 'I cannot do that'" in str(queue.entries[0].last_error)
        (check,) = [check for check in (await mind.doctor()).checks if check.name == "model"]
        assert (check.ok, "2 failed" in check.detail) == (False, True)
        # Nothing of the talk is lost, and it can be asked for again.
        assert len(await mind.list()) == 2
        good = True
        assert (await mind.requeue(queue.entries[0].id)).count == 1
        assert (await mind.requeue()).count == 1
        await settled(device)
        assert len(await mind.list()) == 6
        assert (await mind.queue()).failed == 0

    run(tmp_path / "home", script, main)


@published("ML-43")
def test_a_model_that_breaks_is_tried_after_growing_waits_and_given_up_after_five(
    tmp_path: Path,
) -> None:
    """By a reader that nothing wakes: a worker beside it would try by itself."""
    clock = Clock()

    async def main(url: str) -> None:
        home = Home.at(tmp_path / "home")
        async with open_device(home, program="a test", answers=False, clock=clock) as device:
            mind = Mind(Local(device))
            talk = TalkReader(device.replica, device.device_id, HttpChatModel(url, "tiny"))
            await say(mind, *lines(5))
            assert await talk.note("chat", None) == 1
            for wait_ms in (0, 1_500, 3_000, 6_000, 12_000):
                clock.now_ms += max(0, wait_ms - 1)
                if wait_ms:
                    assert await talk.read_next() is None
                    clock.now_ms += 1
                outcome = await talk.read_next()
                assert outcome is not None
                assert "got status 500" in str(outcome.error)
            clock.now_ms += 10**9
            assert await talk.read_next() is None
            (entry,) = (await mind.queue(status="failed")).entries
            assert entry.attempts == len(server.requests) == 5

    with serving(lambda body: (500, b"broken")) as server:
        trio.run(main, server.url)


@published("LO-13")
def test_an_error_is_a_value_and_the_talk_goes_on(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        class Broken:
            name, remote = "broken", False

            def complete(self, messages: object, *, temperature: float, max_tokens: int) -> str:
                raise RuntimeError("a bug in a provider")

        talk = device.mind.talk
        assert talk is not None
        talk.model = Broken()
        await say(mind, *lines(5))
        await tried(mind)
        assert (await mind.queue()).entries[-1].last_error == "RuntimeError: a bug in a provider"
        await say(mind, "The talk goes on")
        assert (await mind.recall("talk goes on"))[0].text == "The talk goes on"

    run(tmp_path / "home", answering(), main)


def test_where_no_model_answers_nothing_is_counted_and_doctor_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        with trio.fail_after(20):
            async with device_reading(tmp_path / "home", "http://127.0.0.1:9/v1") as (device, mind):
                await say(mind, *lines(5))
                talk = device.mind.talk
                assert talk is not None
                with pytest.raises(Exception, match="expected a model at"):
                    await talk.settle()
                queue = await mind.queue()
                assert [
                    (entry.attempts, entry.status) for entry in queue.entries if entry.work == "core"
                ] == [(0, "pending")]
                (check,) = [check for check in (await mind.doctor()).checks if check.name == "model"]
                assert "tiny, local; 1 waiting, 0 failed; expected a model at 127.0.0.1:9" in check.detail

    trio.run(main)


def test_what_is_forgotten_before_it_is_read_is_never_sent(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        talk = device.mind.talk
        assert talk is not None
        rids = await say(mind, *lines(4))
        await mind.forget(*rids[:3])
        assert (await mind.extract("chat")).queued == 0
        secret, _ = await say(mind, "A thing nobody may know", "Another thing")
        await settled(device)
        await mind.forget(secret, erase=True)
        await mind.extract("chat", wait=True)
        assert all("nobody may know" not in str(request) for request in server.requests)

    run(tmp_path / "home", answering(), main)


def test_what_a_model_read_claims_and_contradicts_as_what_patterns_read_does(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> str:
        if "lasting facts" in body["messages"][0]["content"]:
            return json.dumps({"facts": []})
        return json.dumps(
            {
                "memories": [
                    {
                        "message": 1,
                        "content": "Ann works at Siemens",
                        "type": "factual",
                        "confidence": 0.9,
                        "speaker": "Ann",
                    },
                ],
                "observations": [],
                "summary": "Ann works at Stripe. She tells of it.",
                "speakers": ["Ann"],
            }
        )

    async def main(device: Device, mind: Mind, server: ModelServer) -> None:
        before = await mind.remember("Ann works at Google", speaker="Ann")
        await say(mind, "Siemens is where I am all day", *lines(2))
        assert (await mind.extract("chat", wait=True)).queued
        (found,) = await mind.contradictions()
        assert (found.entity, found.relation, found.a.value, found.b.value) == (
            "Ann",
            "works_at",
            "Google",
            "Siemens",
        )
        assert found.a.rid == before.rid
        assert (await mind.get(found.b.rid)).source == "model"
        # Who forgets the fact takes the claim back.
        await mind.forget(found.b.rid)
        assert not await mind.contradictions(status="open")

    run(tmp_path / "home", script, main)
