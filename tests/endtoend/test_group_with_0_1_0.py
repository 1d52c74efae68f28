"""A group whose devices run 0.1.0 as it was released: one after the other is upgraded in place, and all go on."""

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest

from samemind.errors import SamemindError
from tests.support import cli
from tests.support.household import Member, members_agree, seconds_until

ROOT: Final = Path(__file__).parents[2]
RELEASED: Final = "d3267d9"  # 0.1.0

Household = tuple[Member, Member, Member]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of 0.1.0; a copy of this one without its history has none."""
    made = subprocess.run(["git", "-C", str(ROOT), "archive", RELEASED], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("the history of the repository is not here")
    folder = tmp_path_factory.mktemp("released")
    with tarfile.open(fileobj=BytesIO(made.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def household(tmp_path: Path, release: Path) -> Iterator[Household]:
    """A laptop, a phone and a tablet of 0.1.0, all up and in touch."""
    everybody = tuple(Member(tmp_path / name, build=release) for name in ("laptop", "phone", "tablet"))
    laptop, phone, tablet = everybody
    with ExitStack() as everything:
        for each in everybody:
            each.home.mkdir(mode=0o700)
            (each.home / "config.toml").write_text(f'name = "{each.home.name}"\nmdns = false\n')
            everything.push(each.running)
            each.start()
        laptop.pair(phone)
        laptop.pair(tablet)
        with pytest.raises(SamemindError):
            laptop.ask("group show")  # it is that release: it knows no such verb
        yield laptop, phone, tablet


def upgrade(member: Member) -> None:
    member.end()
    member.build = None
    member.start()


def texts(member: Member) -> set[str]:
    return {each["text"] for each in member.ask("list", limit=100)["memories"]}


def all_know(members: Household, *told: str) -> None:
    for each in members:
        seconds_until(lambda each=each: texts(each) >= set(told), f"{each.home.name} lacks some of {told}")  # type: ignore[misc]


def states(member: Member) -> dict[str, str]:
    return {each["name"]: each["state"] for each in member.ask("group show")["members"]}


def test_a_group_of_0_1_0_is_upgraded_in_place_while_it_goes_on(household: Household) -> None:
    laptop, phone, tablet = household
    for each in household:
        each.ask("remember", text=f"{each.home.name} as it was")
    members_agree(household)
    met = cli.run(laptop.home, "status")  # the program was upgraded, its daemon runs on
    assert met.code == 1
    assert "`samemind down`, then `samemind up`" in met.err
    upgrade(laptop)
    assert laptop.ask("group show")["root"] == "none"
    assert "any revocation counts" in str(laptop.ask("doctor"))
    code = laptop.ask("group recovery")["code"].split()
    assert laptop.ask("group show")["root"] == "recovery code"
    for each in household:
        each.ask("remember", text=f"{each.home.name} beside a newer one")
    told = [f"{each.home.name} {when}" for each in household for when in ("as it was", "beside a newer one")]
    all_know(household, *told)
    for each in (phone, tablet):
        upgrade(each)
    for each in household:
        seconds_until(  # what the laptop said of the root while they ran 0.1.0, it says again
            lambda each=each: each.ask("group show")["root"] == "recovery code",  # type: ignore[misc]
            f"{each.home.name} hears of no code",
        )
        seconds_until(lambda each=each: set(states(each).values()) == {"member"}, "one is no member")  # type: ignore[misc]
    members_agree(household)
    assert texts(tablet) == set(told)
    laptop.ask("peers revoke", device="phone")
    seconds_until(lambda: states(tablet)["phone"] == "revoked", "the tablet does not hear of it")
    restored = cli.run(tablet.home, "group", "restore", "--without", "laptop", "--json", stdin=" ".join(code))
    assert {each["name"]: each["state"] for each in restored.json["members"]} == {
        "laptop": "revoked",
        "phone": "member",
        "tablet": "member",
    }


def test_a_device_of_0_1_0_is_told_clearly_that_a_rebuilt_group_is_another(household: Household) -> None:
    laptop, phone, tablet = household
    laptop.ask("remember", text="true")
    phone.ask("remember", text="a lie")
    members_agree(household)
    upgrade(laptop)
    laptop.end()
    made = cli.run(laptop.home, "group", "rebuild", "--without", "phone", "--json")
    assert made.code == 0, made.out
    laptop.start()
    seconds_until(
        lambda: any("does not admit" in str(each["error"]) for each in tablet.ask("peers list")["peers"]),
        "the tablet is not told that it is not admitted",
    )
    tablet.ask("remember", text="meanwhile")
    upgrade(tablet)
    tablet.end()
    with laptop.asked("pair") as offering:
        offer = next(offering)
        moved = cli.run(
            tablet.home, "group", "rejoin", offer["code"], "--address", offer["address"], "--json"
        )
        assert moved.code == 0, moved.out
        assert [*offering]
    tablet.start()
    members_agree([laptop, tablet])
    assert texts(laptop) == {"true", "meanwhile"}
