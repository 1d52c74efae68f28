"""A group whose devices run different versions of this program."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import samemind
from replica import FIELDS, MEMORY_TYPES, Remember, Write, new_memory_id
from replica.ids import show_memory_id
from tests.endtoend.test_clones import agree
from tests.support.devices import run
from tests.support.doors import opened, pair
from tests.support.household import Member, members_agree, seconds_until
from tests.support.older import without_feedback


def test_a_type_that_only_a_later_version_lists_is_kept_shown_and_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The laptop has been upgraded and folded its log away, so the phone meets the word in a snapshot."""

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            device: Any = laptop.device
            rid = new_memory_id(device.now_ms(), device.random)
            with monkeypatch.context() as later:
                words = (*MEMORY_TYPES, "olfactory")
                later.setitem(FIELDS, "type", replace(FIELDS["type"], words=words))
                write = Write(Remember("the cellar smells of apples", {"type": "olfactory"}), rid)
                await device.replica.run(lambda core, _: core.commit([write], device.now_ms()))
            assert (await laptop.mind.compact()).compacted == 1
            await pair(laptop, phone)
            await agree(laptop, phone)
            await phone.device.mind.settle()
            (hit, *_) = await phone.mind.recall("what does the cellar smell of?")
            assert (hit.text, hit.type) == ("the cellar smells of apples", "olfactory")
            shown = show_memory_id(rid)
            with pytest.raises(samemind.SamemindError, match="expected one of episodic"):
                await phone.mind.set(shown, type="olfactory")
            await phone.mind.set(shown, topic="cellar")
            await agree(laptop, phone)
            for each in (laptop, phone):
                assert (await each.mind.get(shown)).topic == "cellar"
                assert (await each.mind.verify()).ok

    run(main)


@pytest.fixture
def three(tmp_path: Path) -> Iterator[tuple[Member, Member, Member]]:
    """Homes of a laptop and a phone, and of a set-top box that runs an older build; nobody is up."""
    older = without_feedback(tmp_path / "older")
    members = Member(tmp_path / "laptop"), Member(tmp_path / "box", build=older), Member(tmp_path / "phone")
    with ExitStack() as everything:
        for each in members:
            each.make()
            everything.push(each.running)
        yield members


def digest(member: Member) -> str:
    """What it shows, all lessons included, as one hash."""
    return str(member.ask("digest")["digest"])


def puzzles(member: Member) -> bool:
    """Whether it says that it holds what it does not understand."""
    return any("newer than this program" in each["detail"] for each in member.ask("doctor")["checks"])


def behind(member: Member) -> Any:
    """How many of its ops the only peer is known to lack."""
    (peer,) = member.ask("peers list")["peers"]
    return peer["behind"]


def upgrade(member: Member) -> None:
    """End it, and start the present build on the same home."""
    member.end()
    member.build = None
    member.start()


@pytest.mark.slow
def test_a_process_of_an_older_build_passes_on_what_it_does_not_know_and_folds_it_once_upgraded(
    three: tuple[Member, Member, Member],
) -> None:
    """The laptop and the phone are never up together: all that the phone hears went through the older process."""
    laptop, box, phone = three
    laptop.start()
    box.start()
    laptop.pair(box)
    rid = laptop.ask("remember", text="the spare key is in the shed")["rid"]
    members_agree((laptop, box))
    laptop.ask("feedback", rid=rid, relevant=True, query="where is the spare key?")
    laptop.ask("remember", text="told after the lesson")
    seconds_until(lambda: len(box.ask("list")["memories"]) == 2, "what comes after the lesson stays away")
    assert puzzles(box)
    assert digest(box) != digest(laptop), "the older process folds what it has never heard of"
    taught = digest(laptop)
    laptop.end()
    phone.start()
    box.pair(phone)
    seconds_until(lambda: digest(phone) == taught, "the lesson did not come through the older process")
    assert not puzzles(phone)
    phone.ask("remember", text="told to the phone")
    seconds_until(lambda: len(box.ask("list")["memories"]) == 3, "the older process takes nothing more")
    assert puzzles(box)
    upgrade(box)
    assert not puzzles(box)
    members_agree((box, phone))
    laptop.start()
    members_agree(three)
    assert all(each.ask("verify")["ok"] for each in three)


@pytest.mark.slow
def test_a_process_of_an_older_build_waits_for_its_upgrade_with_a_base_that_it_cannot_read(
    three: tuple[Member, Member, Member],
) -> None:
    """What it writes meanwhile reaches the others; it takes no half of what it was offered."""
    laptop, box, _ = three
    laptop.start()
    rid = laptop.ask("remember", text="the spare key is in the shed")["rid"]
    laptop.ask("feedback", rid=rid, relevant=True, query="where is the spare key?")
    assert laptop.ask("compact")["compacted"] == 2
    box.start()
    laptop.pair(box)
    box.ask("remember", text="told to the box")
    seconds_until(
        lambda: len(laptop.ask("list")["memories"]) == 2, "what the older process says is not heard"
    )
    assert [each["text"] for each in box.ask("list")["memories"]] == ["told to the box"]
    seconds_until(lambda: behind(laptop) == 2, "the laptop does not say what the older process lacks")
    upgrade(box)
    members_agree((laptop, box))
    seconds_until(lambda: behind(laptop) == 0, "the laptop does not say that all is there")
    assert len(box.ask("list")["memories"]) == 2
    assert all(each.ask("verify")["ok"] for each in (laptop, box))
