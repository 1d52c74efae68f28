"""The doors of a mind that keeps itself, on one device."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import samemind
from samemind.cli.printing import show
from samemind.commands.keeping._parts import PROFILE_SHOWN, profile_lines
from samemind.commands.keeping.sessions import render as sessions_lines
from samemind.config import Home, Settings
from samemind.formats.plain import to_json
from samemind.library.mind import Mind
from tests.support import cli
from tests.support.devices import run
from tests.support.doors import opened
from tests.support.published import published

PAST = datetime(2020, 1, 1, tzinfo=UTC)


def on_one_device(tmp_path: Path, use: Callable[[Mind], Awaitable[None]]) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await use(laptop.mind)

    run(main)


@published("ML-86")
def test_a_reminder_is_marked_once_it_was_delivered(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        rid = await mind.remember("call the dentist", type="prospective", event_start=PAST)
        later = datetime.now(UTC) + timedelta(days=400)
        await mind.remember("renew the passport", type="prospective", event_start=later)
        await mind.think()
        (trigger,) = await mind.triggers()
        assert (trigger.kind, trigger.status, trigger.rids) == ("reminder", "pending", [rid.rid])
        assert trigger.expires_at - trigger.raised_at == timedelta(hours=48)
        first = await mind.deliver(trigger)
        assert (first.status, first.changed, first.delivered_by_name) == ("delivered", True, "laptop")
        again = await mind.deliver(trigger.id[:8])
        assert (again.status, again.changed, again.delivered_at) == ("delivered", False, first.delivered_at)
        assert (await mind.act(trigger)).changed
        assert len(await mind.triggers()) == 0
        (kept,) = await mind.triggers(all=True)
        assert kept.status == "acted"

    on_one_device(tmp_path, use)


@published("YD-80")
def test_thinking_offers_triggers_and_puts_none_into_a_prompt(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        for n in range(4):
            await mind.remember(f"yesterday Ann met Bob, number {n}", wait=True)
        for _ in range(2):
            await mind.think()
        raised = await mind.triggers()
        assert {(one.kind, one.status, one.delivered_by) for one in raised} == {("pattern", "pending", None)}
        prompt = await mind.context("what happened before the harvest?")
        for trigger in raised:
            assert trigger.reason not in prompt.text
            assert (await mind.deliver(trigger)).changed, "only the host does that"

    on_one_device(tmp_path, use)


@published("YD-70")
def test_a_move_that_is_not_legal_is_refused(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        await mind.remember("call the dentist", type="prospective", event_start=PAST)
        await mind.think()
        (trigger,) = await mind.triggers()
        await mind.dismiss(trigger)
        with pytest.raises(samemind.Failed) as refused:
            await mind.deliver(trigger)
        assert refused.value.code == "wrong_status"
        assert (await mind.dismiss(trigger)).changed is False
        assert (await mind.act(trigger)).status == "acted"
        with pytest.raises(samemind.Failed):
            await mind.dismiss(trigger)
        with pytest.raises(samemind.NotFound):
            await mind.act("ffffffff")
        with pytest.raises(samemind.Usage):
            await mind.act("no id")

    on_one_device(tmp_path, use)


@published("ML-11")
def test_the_profile_is_in_every_prompt(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        assert (await mind.context("what is the capital of Peru?")).text == ""
        await mind.set_profile(name="Ann")
        await mind.edit_block("persona", "kind")
        for query in ("what is the capital of Peru?", "what happened before and after the harvest?"):
            assert "- name: Ann\n- persona: kind\n" in (await mind.context(query)).text
        held = await mind.context("what is the capital of Peru?", workspace="work")
        assert held.text == "", "an agent that is held to a workspace is told nothing from outside of it"

    on_one_device(tmp_path, use)


def test_goals_are_stated_followed_and_reached(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        goal = await mind.add_goal("run a marathon in Lisbon")
        assert (await mind.add_goal("Run a  marathon in Lisbon")).rid == goal.rid
        news = await mind.remember("the Lisbon marathon took my application")
        (view,) = await mind.goals()
        assert (view.progress, view.status, view.stagnant) == ([news.rid], "open", False)
        assert (await mind.finish_goal(goal)).status == "done"
        assert len(await mind.goals()) == 0
        assert [each.rid for each in await mind.goals(all=True)] == [goal.rid]
        with pytest.raises(samemind.NotFound):
            await mind.finish_goal(news)

    on_one_device(tmp_path, use)


@published("YD-11")
def test_the_profile_holds_what_was_set_and_what_was_told(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        assert (await mind.profile()).static == {}
        await mind.set_profile(name="Ann", timezone="Europe/Lisbon")
        pinned = await mind.remember("allergic to nuts", pin=True)
        told = await mind.remember("I live in Lisbon")
        await mind.remember("the sky is blue")
        profile = await mind.set_profile(timezone=None)
        assert profile.static == {"name": "Ann"}
        assert [fact.rid for fact in profile.dynamic] == [pinned.rid, told.rid]
        with pytest.raises(samemind.Usage):
            await mind.set_profile(**{"": "x"})

    on_one_device(tmp_path, use)


def test_of_a_long_profile_what_was_set_last_is_shown_and_that_there_is_more(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        await mind.set_profile(**{f"key {number:02}": "x" for number in range(PROFILE_SHOWN)})
        assert not (await mind.profile()).more
        set_last = await mind.set_profile(**{"a last one": "y"})
        assert set_last == await mind.profile()
        assert (len(set_last.static), set_last.static["a last one"], set_last.more) == (
            PROFILE_SHOWN,
            "y",
            True,
        )
        assert profile_lines(to_json(set_last))[-1] == "there is more: samemind profile show --limit N"
        whole = await mind.profile(limit=PROFILE_SHOWN + 1)
        assert (len(whole.static), whole.more) == (PROFILE_SHOWN + 1, False)
        for each in ("nuts", "milk"):
            await mind.remember(f"allergic to {each}", pin=True)
        one = await mind.profile(limit=1)
        assert (len(one.static), len(one.dynamic), one.more) == (1, 1, True)

    on_one_device(tmp_path, use)


def test_blocks_are_written_by_label_and_kept_out_of_lists(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        made = await mind.edit_block("Persona", "Ann likes short answers")
        assert (made.label, made.text) == ("persona", "Ann likes short answers")
        again = await mind.edit_block("persona", "Ann likes short and kind answers")
        assert again.rid == made.rid
        assert [block.text for block in await mind.blocks()] == ["Ann likes short and kind answers"]
        assert (await mind.block("persona")).text == again.text
        kinds = [version.kind for version in (await mind.history(made.rid)).versions]
        assert kinds == ["remember", "edit", "edit"]
        assert len(await mind.list()) == 0
        assert len(await mind.recall("short answers")) == 0
        with pytest.raises(samemind.NotFound):
            await mind.block("nobody")
        for label, text in (("", "x"), ("x" * 200, "x"), ("x", " ")):
            with pytest.raises(samemind.SamemindError):
                await mind.edit_block(label, text)
        with pytest.raises(samemind.Usage, match="text of the block") as empty:
            await mind.edit_block("persona", "")
        assert made.rid in empty.value.hint, "says how to be rid of it"
        await mind.forget(made.rid)
        with pytest.raises(samemind.NotFound) as gone:
            await mind.edit_block("persona", "again")
        assert gone.value.code == "forgotten"

    on_one_device(tmp_path, use)


def test_goals_blocks_and_the_profile_come_along_with_an_export(tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "all.jsonl"
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await laptop.mind.set_profile(name="Ann", city="Porto")
            await laptop.mind.edit_block("persona", "kind")
            goal = await laptop.mind.add_goal("learn Portuguese")
            await laptop.mind.export(file)
            digest = (await laptop.mind.digest()).digest
        async with opened(tmp_path / "phone", online=False) as phone:
            assert (await phone.mind.import_(file)).imported == 4
            assert (await phone.mind.import_(file)).imported == 0
            assert (await phone.mind.profile()).static == {"city": "Porto", "name": "Ann"}
            assert [each.rid for each in await phone.mind.goals()] == [goal.rid]
            assert (await phone.mind.block("persona")).text == "kind"
            assert (await phone.mind.digest()).digest == digest
            await phone.mind.set_profile(city="Lisbon")
            await phone.mind.import_(file)
            assert (await phone.mind.profile()).static["city"] == "Lisbon", "a file may be older"

    run(main)


def test_sessions_are_listed_with_a_summary_in_their_own_words(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        talk = [
            ("Ann", "Hi Bob! How are you?"),
            ("Bob", "I started painting lessons in the old harbour school last week."),
            ("Ann", "Painting sounds lovely. Is the harbour school expensive?"),
            ("Bob", "The painting school is cheap, and the harbour light is perfect for painting."),
            ("Ann", "I will join the painting lessons at the school in May."),
            ("Bob", "Great."),
        ]
        for n, (speaker, text) in enumerate(talk):
            await mind.remember(
                text,
                speaker=speaker,
                session="chat 1",
                turn=str(n),
                at=PAST + timedelta(minutes=n),
                no_facts=True,
            )
        await mind.remember("no conversation")
        sessions = await mind.sessions()
        (one,) = sessions
        assert (one.session, one.memories, one.speakers, sessions.total) == ("chat 1", 6, ["Ann", "Bob"], 1)
        assert (one.started_at, one.ended_at) == (PAST, PAST + timedelta(minutes=5))
        assert "painting" in one.summary
        assert "Great" not in one.summary
        assert [each.session for each in await mind.sessions(session="chat 1")] == ["chat 1"]
        assert one.topic is None
        for n, topic in enumerate(("Trip to Madeira", "Trip to Madeira", None)):
            await mind.remember(f"turn {n}", session="titled", topic=topic, at=PAST, no_facts=True)
        (titled,) = await mind.sessions(session="titled")
        assert titled.topic == "Trip to Madeira"
        assert "  Trip to Madeira  titled, 3 memories" in sessions_lines(to_json(await mind.sessions()))[2]
        await mind.remember("something else", session="titled", topic="Taxes", at=PAST, no_facts=True)
        (two,) = await mind.sessions(session="titled")
        assert two.topic is None, "of two titles neither is the chat's"
        with pytest.raises(samemind.NotFound):
            await mind.sessions(session="chat 2")
        with pytest.raises(samemind.Usage):
            await mind.sessions(limit=-1)

    on_one_device(tmp_path, use)


def test_feedback_teaches_and_says_what_was_learned(tmp_path: Path) -> None:
    async def use(mind: Mind) -> None:
        rid = await mind.remember("Ann moved to Lisbon", importance=0.9, wait=True)
        up = await mind.feedback(rid, relevant=True, query="where did Ann move?")
        assert sum(up.weights.values()) == pytest.approx(1)
        assert up.weights["similarity"] > 0.40
        down = await mind.feedback(rid, relevant=False, query="where did Ann move?")
        assert down.weights == pytest.approx(
            {"similarity": 0.40, **dict.fromkeys(("decay", "recency", "importance", "graph"), 0.15)}, abs=1e-4
        )
        without = await mind.feedback(rid, relevant=True)
        assert without.weights["similarity"] < 0.40
        assert without.weights["recency"] > 0.15

    on_one_device(tmp_path, use)


@published("YD-73")
def test_thresholds_and_the_learning_rate_are_settings(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.settings.write_text(
        "learning_rate = 0.5\nreview_strength = 0.2\nconsolidation_count = 3\n"
        'escalation_severity = "low"\ntrigger_hours = 1\n'
    )
    settings = Settings.load(home)
    assert (settings.learning_rate, settings.review_strength, settings.consolidation_count) == (0.5, 0.2, 3)
    assert (settings.escalation_severity, settings.trigger_hours) == ("low", 1)
    for wrong in (
        "learning_rate = 0",
        'learning_rate = "fast"',
        "learning_rate = true",
        "review_strength = 1.5",
        "consolidation_count = 2",
        "consolidation_count = 3.5",
        'escalation_severity = "grave"',
        "trigger_hours = -1",
        "trigger_hours = nan",
    ):
        home.settings.write_text(f"{wrong}\n")
        with pytest.raises(samemind.Failed):
            Settings.load(home)


def test_the_command_line_shows_them_all(tmp_path: Path) -> None:
    home = tmp_path / "laptop"
    with samemind.open_blocking(home) as mind:
        mind.remember("call the dentist", type="prospective", event_start=PAST)
        rid = mind.remember("Ann moved to Lisbon", session="chat").rid
        mind.think()
        mind.add_goal("learn Portuguese")
        mind.set_profile(name="Ann")
        mind.edit_block("persona", "kind")
        results = {
            "triggers list": mind.triggers(),
            "triggers deliver": mind.deliver(mind.triggers().triggers[0]),
            "goals list": mind.goals(),
            "profile show": mind.profile(),
            "blocks list": mind.blocks(),
            "blocks get": mind.block("persona"),
            "sessions": mind.sessions(),
            "feedback": mind.feedback(rid, relevant=True),
        }
    shown = {verb: "\n".join(show(verb, to_json(result))) for verb, result in results.items()}
    assert "“call the dentist” is due" in shown["triggers list"]
    assert "delivered" in shown["triggers deliver"]
    assert "learn Portuguese" in shown["goals list"]
    assert (shown["profile show"], shown["blocks list"], shown["blocks get"]) == (
        "name: Ann\n- Ann moved to Lisbon",
        "persona: kind",
        "kind",
    )
    assert "Ann moved to Lisbon." in shown["sessions"]
    assert "similarity" in shown["feedback"]
    both = cli.run(home, "feedback", rid, "--relevant", "--irrelevant", "--json")
    assert (both.code, both.json["error"]["code"]) == (2, "invalid")
