"""The founder's device is stolen and turns on the group: what is left puts it right with the code on paper."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from samemind.errors import SamemindError
from tests.support import cli
from tests.support.household import Member, members_agree, seconds_until

Household = tuple[Member, Member, Member]


@pytest.fixture
def household(tmp_path: Path) -> Iterator[Household]:
    """A laptop, which founded the group, a phone and a tablet, all up and in touch."""
    laptop, phone, tablet = (Member(tmp_path / name) for name in ("laptop", "phone", "tablet"))
    with ExitStack() as everything:
        for each in (laptop, phone, tablet):
            each.make()
            everything.push(each.running)
            each.start()
        laptop.pair(phone)
        laptop.pair(tablet)
        laptop.ask("remember", text="before all else")
        members_agree([laptop, phone, tablet])
        yield laptop, phone, tablet


def states(member: Member) -> dict[str, str]:
    """Who belongs to the group, as a device says."""
    return {each["name"]: each["state"] for each in shown(member)["members"]}


def shown(member: Member) -> dict[str, Any]:
    return member.ask("group show")


def becomes(member: Member, expected: dict[str, str]) -> None:
    def is_so() -> bool:
        return states(member) == expected

    seconds_until(is_so, f"{member.home.name} does not come to see {expected}")


def test_the_code_puts_right_what_a_stolen_founder_did(household: Household) -> None:
    laptop, phone, tablet = household
    # The tablet may have all memories and members from the phone before the laptop has told it whose word comes first.
    seconds_until(lambda: shown(tablet)["root"] == "founder", "the tablet hears of no founder")
    assert next(each["name"] for each in shown(tablet)["members"]) == "laptop", "the eldest comes first"
    with pytest.raises(SamemindError, match="only that device makes its recovery code"):
        phone.ask("group recovery")
    code = laptop.ask("group recovery")["code"].split()
    for each in (phone, tablet):
        seconds_until(lambda each=each: shown(each)["root"] == "recovery code", "it hears of no code")  # type: ignore[misc]
    with pytest.raises(SamemindError, match="must not make another"):
        laptop.ask("group recovery")
    laptop.ask("peers revoke", device="phone")
    laptop.ask("peers revoke", device="tablet")
    for each in (phone, tablet):
        seconds_until(lambda each=each: states(each)[each.home.name] == "revoked", "it is not told")  # type: ignore[misc]
    (itself,) = (each for each in shown(phone)["members"] if each["here"])
    assert itself["revoked_by"] == ["laptop"]
    assert itself["since"]
    with pytest.raises(SamemindError, match="the last one checks"):
        phone.ask("group restore", code=[*code[1:], code[0]], without=["laptop"])
    restored = phone.ask("group restore", code=code, without=["laptop"])
    mended = {"laptop": "revoked", "phone": "member", "tablet": "member"}
    assert {each["name"]: each["state"] for each in restored["members"]} == mended
    on_the_line = cli.run(phone.home, "group", "restore", *code, "--without", "laptop", "--json")
    assert on_the_line.code == 2
    assert on_the_line.json["error"]["code"] == "code_on_the_line"
    piped = cli.run(phone.home, "group", "restore", "--without", "laptop", "--json", stdin=" ".join(code))
    assert piped.code == 0, piped.out
    assert {each["name"]: each["state"] for each in piped.json["members"]} == mended
    phone.ask("peers add", device="tablet", address=tablet.address)
    becomes(tablet, mended)
    phone.ask("remember", text="after it")
    members_agree([phone, tablet])
    (stolen,) = (each for each in tablet.ask("peers list")["peers"] if each["name"] == "laptop")
    assert (stolen["state"], stolen["revoked_by"]) == ("revoked", "recovery code")
    assert stolen["revoked_at"]
    assert "was revoked by 'recovery code'" in str(tablet.ask("doctor"))
    told = cli.run(tablet.home, "group", "show").out.splitlines()
    assert told[0] == "a group with a recovery code"
    assert any("laptop" in line and "revoked by recovery code since" in line for line in told)


def test_a_group_of_the_first_release_is_founded_by_its_oldest_device(household: Household) -> None:
    """Its devices keep one introduction of each other and no root; a member's acts are taken over by the founder."""
    laptop, phone, tablet = household
    for each in household:
        each.end()
        forget_the_root(each.home)
        each.start()
    assert shown(laptop)["root"] == "none"
    assert "any revocation counts" in str(laptop.ask("doctor"))
    laptop.ask("group recovery")
    for each in household:
        seconds_until(lambda each=each: shown(each)["root"] == "recovery code", "it hears of no code")  # type: ignore[misc]
        becomes(each, {"laptop": "member", "phone": "member", "tablet": "member"})
    phone.ask("peers revoke", device="laptop")
    laptop.ask("peers revoke", device="phone")
    for each in (laptop, tablet):
        becomes(each, {"laptop": "member", "phone": "revoked", "tablet": "member"})


def forget_the_root(home: Path) -> None:
    """Make a store what 0.1.0 left: each device known by one introduction, and nobody the root."""
    import sqlite3

    from samemind.config import Home

    connection = sqlite3.connect(Home.at(home).store)
    with connection:
        connection.execute("DELETE FROM introduction")
        connection.execute("DELETE FROM meta WHERE name = 'root'")
    connection.close()
