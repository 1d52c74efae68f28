"""What happens to devices in the course of years, to daemons in processes of their own, through the verbs of people.

The same is tried in more depth, and with less between the test and the code, by the files named in the table of
`docs/explanation/simulation.md`.
"""

import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from samemind.errors import SamemindError
from tests.support import cli
from tests.support.household import Member, members_agree, seconds_until

pytestmark = pytest.mark.slow


@pytest.fixture
def household(tmp_path: Path) -> Iterator[tuple[Member, Member]]:
    """A laptop and a phone, paired, with a memory on both."""
    laptop, phone = Member(tmp_path / "laptop"), Member(tmp_path / "phone")
    with ExitStack() as everything:
        for each in (laptop, phone):
            each.make()
            everything.push(each.running)
            each.start()
        laptop.pair(phone)
        laptop.ask("remember", text="before all else")
        holds(phone, {"before all else"})
        members_agree([laptop, phone])
        yield laptop, phone


def texts(member: Member) -> set[str]:
    """The words of all that it holds."""
    return {memory["text"] for memory in member.ask("list", limit=100)["memories"]}


def holds(member: Member, expected: set[str]) -> None:
    """Wait until it holds these memories and no others."""
    seconds_until(lambda: texts(member) == expected, f"{member.home.name} does not come to hold {expected}")


def test_a_home_that_was_put_back_loses_nothing_on_either_side(household: tuple[Member, Member]) -> None:
    laptop, phone = household
    saved = laptop.home.with_name("saved")
    laptop.end()
    shutil.copytree(laptop.home, saved)
    laptop.start()
    laptop.ask("remember", text="told after the copy")
    holds(phone, {"before all else", "told after the copy"})
    laptop.end(signal.SIGKILL)
    shutil.rmtree(laptop.home)
    shutil.copytree(saved, laptop.home)
    laptop.start()
    laptop.ask("remember", text="told to the one put back")
    for each in household:
        holds(each, {"before all else", "told after the copy", "told to the one put back"})
    # Which of the two it looks like depends on whether the file system gave the file its old number again.
    (incident,) = laptop.ask("status")["incidents"]
    assert incident["what"] in {"copied", "rolled back"}


def test_a_device_that_was_away_while_the_log_was_folded_loses_nothing(
    household: tuple[Member, Member],
) -> None:
    laptop, phone = household
    phone.end()
    laptop.ask("compact")
    laptop.ask("remember", text="while it was away")
    written = cli.run(phone.home, "remember", "on the one that was away")
    assert written.code == 0, written.err
    phone.start()
    for each in household:
        holds(each, {"before all else", "while it was away", "on the one that was away"})
    members_agree(household)
    seconds_until(
        lambda: laptop.ask("compact")["compacted"] > 0, "the laptop does not hear that the phone has it all"
    )
    members_agree(household)
    assert all(each.ask("verify")["ok"] for each in household)


def test_a_device_that_was_put_out_while_away_is_told_and_gets_nothing_more(
    household: tuple[Member, Member],
) -> None:
    laptop, phone = household
    phone.end()
    laptop.ask("peers revoke", device="phone")
    laptop.ask("remember", text="not for the phone")
    phone.start()

    def is_told() -> bool:
        try:
            phone.ask("sync")
        except SamemindError as error:
            return "was revoked" in str(error) or "put out of the group" in str(error)
        return False

    seconds_until(is_told, "the phone does not hear that it was put out")
    assert texts(phone) == {"before all else"}
    assert [peer["state"] for peer in laptop.ask("peers list")["peers"]] == ["revoked"]


def test_erased_words_leave_the_files_of_a_device_that_was_off(household: tuple[Member, Member]) -> None:
    marker = "zyzzyvaquux"
    laptop, phone = household
    rid = laptop.ask("remember", text=f"the {marker} is in the attic")["rid"]
    holds(phone, {"before all else", f"the {marker} is in the attic"})
    phone.end(signal.SIGKILL)
    laptop.ask("forget", rids=[rid], erase=True)
    assert len(laptop.ask("forget", rids=[rid], status=True)["outstanding"]) == 1
    phone.start()
    seconds_until(
        lambda: laptop.ask("forget", rids=[rid], status=True)["outstanding"] == [],
        "the phone does not confirm that it erased",
    )
    for each in household:
        files = [path for path in each.home.rglob("*") if path.is_file()]
        assert [path for path in files if marker.encode() in path.read_bytes()] == []


def test_a_carried_file_brings_news_where_no_link_is(household: tuple[Member, Member]) -> None:
    laptop, phone = household
    stick = laptop.home.with_name("stick.samemind")
    phone.end()
    laptop.ask("remember", text="the key is under the mat")
    laptop.ask("carry export", file=str(stick))
    laptop.end()
    phone.start()
    assert phone.ask("carry import", file=str(stick))["ops"] >= 1
    holds(phone, {"before all else", "the key is under the mat"})
