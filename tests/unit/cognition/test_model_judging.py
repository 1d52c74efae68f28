"""A model says what nominees are to each other: it raises and links, by words that stand in the texts, and no more."""

import json
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio

from cognition import ModelUnavailable
from cognition.days import DAY_MS
from cognition.extraction.contract import BadAnswer, ModelVerdict, read_verdicts
from cognition.judging.model_judge import REVIEW_EVERY_MS, Compared, ModelJudge
from cognition.judging.verdicts import Verdict
from cognition.models import ChatMessage, ModelFailed
from cognition.models.asking import BREAKS_MAX, QUIET_MS, SHOWN_CHARACTERS
from samemind.config import Home as HomeFolder
from samemind.config import Settings
from samemind.device import Device, open_device
from samemind.library.mind import Mind
from samemind.local import Local
from tests.support.minds import NOW_MS
from tests.support.model_server import ModelServer, Script, serving

DOSE = "Pixel takes half a tablet in the evening"
OTHER_DOSE = "one whole tablet for Pixel in the evening"
BERTH = "the boat stays at Tollund this winter"
OTHER_BERTH = "winter berth of the boat: Ravnsholt"
AGAIN = "our boat spends this winter at Tollund"
# What a model would say of a pair, by words of the older one and of the new one.
SAID = [
    ("half a tablet", "one whole tablet", "disagree"),
    ("stays at Tollund", "Ravnsholt", "changed"),
    ("stays at Tollund", "this winter at Tollund", "repeats"),
]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_ms = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


def judged(body: dict[str, Any]) -> str:
    """Answer a request for verdicts as a model would, from the notes that it shows."""
    older, new = shown_in(body)
    verdicts = [
        {"older": number, "verdict": verdict, "older_words": before, "new_words": now}
        for number, text in enumerate(older, 1)
        for before, now, verdict in SAID
        if before in text and now in new
    ]
    return json.dumps({"verdicts": verdicts})


def shown_in(body: dict[str, Any]) -> tuple[list[str], str]:
    """Return the older notes that a request shows, and the new one."""
    *older, new = re.findall(r"(?m)^\d+\. \[.*?\] .*?: (.*)$", body["messages"][1]["content"])
    return older, new


def run(folder: Path, script: Script, main: Any, *, comparisons: int = 100) -> None:
    """Run a test's body with a device whose model is a real server; memories are compared where the body asks."""

    async def body(server: ModelServer) -> None:
        home, clock = HomeFolder.at(folder), Clock()
        home.create()
        Settings(
            name="laptop", model_url=server.url, model="tiny", embedder="small", model_comparisons=comparisons
        ).save(home)
        with trio.fail_after(60):
            async with open_device(home, program="a test", answers=False, clock=clock) as device:
                await main(device, Mind(Local(device)), clock, server)

    with serving(script) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelJudge, "work", staticmethod(trio.sleep_forever))
        trio.run(body, server)


def judging(device: Device) -> ModelJudge:
    assert device.mind.judging is not None
    return device.mind.judging


async def compared(device: Device, clock: Clock) -> list[Compared]:
    """Let a look be due, and have compared all that is."""
    assert await judging(device).judge_next() is None, "whoever told it may settle it for a minute"
    clock.now_ms += REVIEW_EVERY_MS + 1
    found = []
    while (one := await judging(device).judge_next()) is not None:
        found.append(one)
        clock.now_ms += 1
    return found


async def told(mind: Mind, *texts: str) -> list[str]:
    return [(await mind.remember(text)).rid for text in texts]


def test_what_cannot_both_be_true_is_raised_and_mentioned(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        first, second = await told(mind, DOSE, OTHER_DOSE)
        assert not (await mind.contradictions()).contradictions
        assert await compared(device, clock) == [Compared(1, (Verdict.DISAGREE,))]
        assert [shown_in(body) for body in server.requests] == [([DOSE], OTHER_DOSE)]
        (found,) = (await mind.contradictions()).contradictions
        assert found.status == "open"
        assert found.attention == "mention"
        stands = await mind.settle(first, second, "disagree", by="agent")
        assert stands.changed, "an agent outranks a model"

    run(tmp_path / "home", judged, main)


def test_what_was_told_just_now_waits_for_the_next_look(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, BERTH, AGAIN, DOSE)
        await judging(device).judge_next()
        clock.now_ms += QUIET_MS + 1
        await told(mind, OTHER_DOSE)
        assert await judging(device).judge_next() == Compared(1, (Verdict.REPEATS,))
        assert await judging(device).judge_next() is None, "whoever told the dose may settle it"
        clock.now_ms += REVIEW_EVERY_MS + 1
        assert await judging(device).judge_next() == Compared(1, (Verdict.DISAGREE,))

    run(tmp_path / "home", judged, main)


def test_of_a_long_memory_the_beginning_is_shown(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, f"{OTHER_DOSE}, {'and a treat ' * 200}")
        assert await compared(device, clock) == [Compared(1, (Verdict.DISAGREE,))]
        ((_, new),) = map(shown_in, server.requests)
        assert len(new) <= SHOWN_CHARACTERS

    run(tmp_path / "home", judged, main)


def test_what_repeats_is_shown_once(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, BERTH, AGAIN)
        assert len((await mind.list()).memories) == 2
        assert await compared(device, clock) == [Compared(1, (Verdict.REPEATS,))]
        assert [it.text for it in (await mind.list()).memories] == [AGAIN]

    run(tmp_path / "home", judged, main)


def test_a_model_retires_nothing_and_leaves_a_change_to_others(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, BERTH, OTHER_BERTH)
        assert await compared(device, clock) == [Compared(1, ())]
        assert len((await mind.list()).memories) == 2
        assert len(await mind.review()) == 1, "a person or an agent may still say so"
        clock.now_ms += REVIEW_EVERY_MS
        await told(mind, "the sauna opens in May")
        assert await compared(device, clock) == [], "nobody is asked twice"
        assert len(server.requests) == 1

    run(tmp_path / "home", judged, main)


def test_what_was_edited_is_compared_again(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        _, second = await told(mind, DOSE, "a whole tablet for Pixel in the evening")
        assert await compared(device, clock) == [Compared(1, ())]
        await mind.edit(second, OTHER_DOSE)
        clock.now_ms += REVIEW_EVERY_MS
        await told(mind, "the sauna opens in May")
        assert await compared(device, clock) == [Compared(1, (Verdict.DISAGREE,))]

    run(tmp_path / "home", judged, main)


def test_the_same_words_disagree_with_nothing(tmp_path: Path) -> None:
    def confused(body: dict[str, Any]) -> str:
        said = {
            "older": 1,
            "verdict": "disagree",
            "older_words": "in the evening",
            "new_words": "in the evening",
        }
        return json.dumps({"verdicts": [said]})

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE)
        assert await compared(device, clock) == [Compared(1, ())]

    run(tmp_path / "home", confused, main)


def test_words_that_nobody_wrote_count_for_nothing(tmp_path: Path) -> None:
    def made_up(body: dict[str, Any]) -> str:
        said = {
            "older": 1,
            "verdict": "disagree",
            "older_words": "half a pill",
            "new_words": "one whole tablet",
        }
        return json.dumps({"verdicts": [said]})

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE)
        assert await compared(device, clock) == [Compared(1, ())]
        assert not (await mind.contradictions()).contradictions

    run(tmp_path / "home", made_up, main)


def test_so_many_a_day_are_asked_about_and_no_more_after_a_restart(tmp_path: Path) -> None:
    async def first_day(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE, BERTH, AGAIN)
        assert len(await compared(device, clock)) == 1
        (check,) = [check for check in (await mind.doctor()).checks if check.name == "model"]
        assert "1 memory was compared with older ones within a day, of at most 1" in check.detail

    async def later(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        assert await compared(device, clock) == []
        clock.now_ms += DAY_MS
        (one,) = await compared_now(device)
        assert len(one.verdicts) == 1
        assert sum(it.status == "open" for it in (await mind.contradictions()).contradictions) == 1
        assert len((await mind.list()).memories) == 3, "both pairs were judged, one on either day"

    async def compared_now(device: Device) -> list[Compared]:
        found = [await judging(device).judge_next(), await judging(device).judge_next()]
        return [one for one in found if one is not None]

    run(tmp_path / "home", judged, first_day, comparisons=1)
    run(tmp_path / "home", judged, later, comparisons=1)


def test_what_somebody_settles_meanwhile_stands(tmp_path: Path) -> None:
    asked, answers = threading.Event(), threading.Event()

    def slow(body: dict[str, Any]) -> str:
        asked.set()
        answers.wait(20)
        return judged(body)

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        first, second = await told(mind, DOSE, OTHER_DOSE)
        await judging(device).judge_next()
        clock.now_ms += REVIEW_EVERY_MS + 1
        async with trio.open_nursery() as nursery:
            outcome: list[Compared | None] = []

            async def judge() -> None:
                outcome.append(await judging(device).judge_next())

            nursery.start_soon(judge)
            await trio.to_thread.run_sync(asked.wait, 20)
            await mind.settle(first, second, "two_things", by="agent")
            answers.set()
        assert outcome == [Compared(1, ())]
        assert not [it for it in (await mind.contradictions()).contradictions if it.status == "open"]

    run(tmp_path / "home", slow, main)


def test_what_is_edited_meanwhile_is_not_judged_by_what_it_said(tmp_path: Path) -> None:
    asked, answers = threading.Event(), threading.Event()

    def slow(body: dict[str, Any]) -> str:
        asked.set()
        answers.wait(20)
        return judged(body)

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        _, second = await told(mind, DOSE, OTHER_DOSE)
        await judging(device).judge_next()
        clock.now_ms += REVIEW_EVERY_MS + 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(judging(device).judge_next)
            await trio.to_thread.run_sync(asked.wait, 20)
            await mind.edit(second, "half a tablet for Pixel in the evening, as ever")
            answers.set()
        assert not (await mind.contradictions()).contradictions

    run(tmp_path / "home", slow, main)


def test_a_model_that_is_away_is_asked_again(tmp_path: Path) -> None:
    busy = {"Pixel": BREAKS_MAX - 1, "boat": BREAKS_MAX - 1}

    def flaky(body: dict[str, Any]) -> Any:
        of = "Pixel" if "Pixel" in body["messages"][1]["content"] else "boat"
        busy[of] -= 1
        return judged(body) if busy[of] < 0 else (503, b"busy")

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE, BERTH, AGAIN)
        await judging(device).judge_next()
        clock.now_ms += REVIEW_EVERY_MS + 1
        for _ in range(2):
            for _ in range(BREAKS_MAX - 1):
                with pytest.raises(ModelFailed):
                    await judging(device).judge_next()
            one = await judging(device).judge_next()
            assert one is not None
            assert len(one.verdicts) == 1

    run(tmp_path / "home", flaky, main)


def test_what_a_model_always_breaks_at_does_not_keep_others_waiting(tmp_path: Path) -> None:
    def broken(body: dict[str, Any]) -> Any:
        return (500, b"broken") if "Pixel" in body["messages"][1]["content"] else judged(body)

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE, BERTH, AGAIN)
        await judging(device).judge_next()
        clock.now_ms += REVIEW_EVERY_MS + 1
        found: list[Compared] = []
        failed = 0
        for _ in range(BREAKS_MAX + 2):
            try:
                one = await judging(device).judge_next()
            except ModelFailed:
                failed += 1
                continue
            if one is not None:
                found.append(one)
            clock.now_ms += 1
        assert failed == BREAKS_MAX - 1
        assert sorted(len(one.verdicts) for one in found) == [0, 1]

    run(tmp_path / "home", broken, main)


def test_no_answer_of_a_model_breaks_anything(tmp_path: Path) -> None:
    def useless(body: dict[str, Any]) -> str:
        return "I would rather talk about something else"

    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE)
        assert await compared(device, clock) == [Compared(1, ())]
        assert len(server.requests) == 2, "asked once more, and then it is left"

    run(tmp_path / "home", useless, main)


def test_a_clock_that_was_put_back_keeps_nothing_waiting(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE)
        assert await judging(device).judge_next() is None
        clock.now_ms -= 10 * DAY_MS
        assert await judging(device).judge_next() == Compared(1, (Verdict.DISAGREE,))

    run(tmp_path / "home", judged, main)


def test_without_the_setting_a_model_compares_nothing(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        assert device.mind.judging is None
        assert device.mind.talk is not None

    run(tmp_path / "home", judged, main, comparisons=0)


class Elsewhere:
    """A model outside of this machine and its network, which notes what reaches it."""

    name, remote = "cloud", True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def complete(self, messages: Sequence[ChatMessage], *, temperature: float, max_tokens: int) -> str:
        self.asked.append(messages[1].content)
        return json.dumps({"verdicts": []})


def test_what_looks_secret_is_sent_to_no_remote_model(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        secret = await mind.remember("the wifi password of the boat house is hunter2-Kestrel")
        assert secret.held
        await mind.release_held(secret.rid)
        await told(mind, "the wifi of the boat house has a new password", DOSE, OTHER_DOSE)
        model = Elsewhere()
        judge = ModelJudge(device.replica, model, device.mind._comparing, device.mind.embedding, daily_max=10)
        await judge.judge_next()
        clock.now_ms += REVIEW_EVERY_MS + 1
        while await judge.judge_next() is not None:
            clock.now_ms += 1
        assert any("Pixel" in asked for asked in model.asked)
        assert not any("hunter2" in asked for asked in model.asked)
        await compared(device, clock)
        assert any("hunter2" in older[0] for older, _ in map(shown_in, server.requests)), (
            "one here may see it"
        )

    run(tmp_path / "home", judged, main)


def test_a_verdict_quotes_both_texts() -> None:
    older = ["Pixel gets <half>  a tablet", "the boat"]

    def read(**said: object) -> list[ModelVerdict]:
        item = {"older": 1, "verdict": "disagree", "older_words": "half", "new_words": "one whole", **said}
        return read_verdicts(
            json.dumps({"verdicts": [item]}), "ONE  whole tablet", older, among=("disagree",)
        )

    whole = ModelVerdict(0, "disagree", "half", "one whole")
    assert read() == [whole]
    assert read(older_words="gets ‹half› a") == [whole._replace(older_words="gets ‹half› a")], (
        "as it was shown"
    )
    wrongs: dict[str, Sequence[object]] = {
        "older": (0, 2, 3, True, "1", None),
        "verdict": ("changed", [], None),
        "older_words": ("", "…", None, "whole"),
        "new_words": ("two", ["one"], "half"),
    }
    for key, values in wrongs.items():
        for value in values:
            assert read(**{key: value}) == [], (key, value)
    with pytest.raises(BadAnswer):
        read_verdicts("[]", "new", older, among=("disagree",))


def test_a_model_says_one_thing_of_a_pair() -> None:
    said = [
        {"older": 1, "verdict": verdict, "older_words": "the boat", "new_words": "the boat"}
        for verdict in ("repeats", "disagree")
    ]
    found = read_verdicts(
        json.dumps({"verdicts": [7, *said]}), "the boat", ["the boat"], among=("disagree", "repeats")
    )
    assert [each.verdict for each in found] == ["repeats"]


def test_nobody_to_ask_is_trouble_that_doctor_tells_of(tmp_path: Path) -> None:
    async def main(device: Device, mind: Mind, clock: Clock, server: ModelServer) -> None:
        await told(mind, DOSE, OTHER_DOSE)
        await judging(device).judge_next()
        clock.now_ms += REVIEW_EVERY_MS + 1
        with pytest.raises(ModelUnavailable):
            await judging(device).judge_next()

    run(tmp_path / "home", lambda body: (404, b"no such model"), main)
    assert QUIET_MS < REVIEW_EVERY_MS
