"""Contradictions on two devices: one record, decided once, and no memory lost when both decide apart."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import samemind
from samemind import BlockingMind
from samemind.commands.contradictions._parts import ContradictionView
from tests.support import cli
from tests.support.published import published

SECONDS_MAX = 120


@contextmanager
def daemons(*homes: Path) -> Iterator[list[BlockingMind]]:
    """Run a daemon for each home, and return the way to each: every call goes through its socket."""
    if not homes:
        yield []
        return
    with cli.daemon(homes[0]), samemind.open_blocking(homes[0]) as mind, daemons(*homes[1:]) as others:
        yield [mind, *others]


def pair(offering: Path, joining: Path) -> str:
    """Pair two homes that nobody holds; return the address at which the first one's daemon would be known."""
    with cli.daemon(offering) as up, samemind.open_blocking(offering) as mind:
        shown: dict[str, Any] = {}

        told = threading.Event()

        def tell(said: Any) -> None:
            shown.update(said)
            told.set()

        waiting = threading.Thread(target=lambda: mind.pair(tell=tell))
        waiting.start()
        assert told.wait(SECONDS_MAX)
        cli.run(joining, "pair", shown["code"], "--address", shown["address"], "--json")
        waiting.join(SECONDS_MAX)
        return str(up.said["address"])


def heal(laptop: BlockingMind, phone: BlockingMind) -> None:
    """Let the two meet, until both digests are the same."""
    address = laptop.status().address
    assert address is not None
    phone.add_peer("laptop", address=address)

    def agree() -> bool:
        with suppress(samemind.Unreachable):  # the two may just be calling each other by themselves
            phone.sync("laptop", address=address)
        one, other = laptop.digest(), phone.digest()
        return (one.digest, one.state_digest) == (other.digest, other.state_digest)

    until(agree)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def seen(mind: BlockingMind) -> ContradictionView:
    (found,) = mind.contradictions()
    return found


def held(found: ContradictionView) -> list[str]:
    return [belief.value for belief in found.beliefs if belief.standing == "held"]


@published("YD-42")
def test_two_daemons_raise_one_contradiction_and_lose_no_memory_when_both_decide_apart(
    tmp_path: Path,
) -> None:
    homes = [tmp_path / "laptop", tmp_path / "phone"]
    for home in homes:
        assert cli.run(home, "init", "--name", home.name).code == 0
    pair(*homes)
    # The phone's daemon is down: the two are apart, and each is told something else.
    with daemons(homes[0]) as (laptop,):
        with samemind.open_blocking(homes[1]) as phone:
            google = laptop.remember("I work at Google", speaker="Ann")
            meta = phone.remember("I work at Meta", speaker="Ann")
            assert laptop.think().contradictions.count == phone.think().contradictions.count == 0
        with daemons(homes[1]) as (phone,):
            heal(laptop, phone)
            assert laptop.think().contradictions.ids == phone.think().contradictions.ids
            here, there = seen(laptop), seen(phone)
            assert here.id == there.id
            assert {(each.severity, each.action, each.status) for each in (here, there)} == {
                ("high", "ask", "open")
            }
            assert here == there, "both show the same sides, in the same order"
            name = here.id
        with samemind.open_blocking(homes[1]) as phone:
            kept = {here.a.value, here.b.value}
            laptop.resolve(name, keep_a=True)
            phone.resolve(name, keep_b=True)
            assert {*held(seen(laptop)), *held(seen(phone))} == kept
        with daemons(homes[1]) as (phone,):
            heal(laptop, phone)
            for each in (laptop, phone):
                assert {memory.text for memory in each.list()} == {"I work at Google", "I work at Meta"}
                again = seen(each)
                assert (again.id, again.status) == (name, "open")
                assert sorted((*made.kept, *made.hidden) for made in again.resolutions) == [
                    ("Google", "Meta"), ("Meta", "Google"),
                ]  # fmt: skip
            phone.resolve(name, keep_a=True)
            until(lambda: seen(laptop).status == "settled")
            assert seen(laptop) == seen(phone)
            assert held(seen(laptop)) == [seen(phone).a.value]
            # Undone on the other device, it is open on both, as if nobody had decided.
            laptop.reopen(name)
            until(lambda: seen(phone).status == "open")
            for each in (laptop, phone):
                until(lambda: sorted(held(seen(each))) == ["Google", "Meta"])  # noqa: B023 - called at once
                assert {memory.text for memory in each.list()} == {"I work at Google", "I work at Meta"}
                assert seen(each).resolutions == []
            # Told in sequence as a change, it is settled by that, and nothing is asked.
            assert laptop.remember("I just started at Stripe", speaker="Ann", read=True).contradictions == []
            until(lambda: held(seen(phone)) == ["Stripe"])
            assert (seen(phone).status, seen(phone).settled_by) == ("settled", "change")
            assert {memory.rid for memory in phone.list(include_cold=True)} >= {google.rid, meta.rid}
            for each in (laptop, phone):
                assert each.verify().ok
