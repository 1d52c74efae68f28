"""Use a home and be killed, again and again; after each time compare what is there with what was acknowledged.

Every child is a fork of this process, so that it costs a store's opening and not an interpreter's start. One kind
opens the device itself, performs verbs, and draws its weather: a disk that is full after some more bytes, few file
descriptors, a clock that jumps. The other is the daemon, and this process asks it for verbs over its socket. What is
about to be changed, and what was told to be done, is said in whole lines: a kill falls before, between and inside.

What is there afterwards must be all that was acknowledged, in the words that were told, and nothing that was forgotten.
An error along the way is one that says what to do, never `internal`.
"""

import os
import random
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import trio

from samemind.cli.main import main as command
from samemind.config import Home, Settings
from samemind.control.client import Control
from samemind.device import open_device
from samemind.errors import SamemindError
from samemind.library.mind import Mind
from samemind.local import Local

# What is remembered at a time, about: enough for commits of every size, few enough to be listed after each kill.
ALIVE_MAX: Final = 400
DAY_MS: Final = 86_400_000
# What a full disk, a lack of descriptors or a wrong clock may be called; anything else is a bug.
TOLD: Final = {"store_failed", "io", "clock", "not_found", "invalid", "no_such_file", "locked", "unreachable"}


@dataclass
class Expected:
    """What must be there. A memory that was being changed may read either way, or be gone."""

    words: dict[str, set[str | None]] = field(default_factory=dict)
    acknowledged: int = 0

    def hear(self, line: str) -> None:
        """Take in what a child is about to do (`try`) or was told is done (`ack`)."""
        how, verb, rid, text = (*line.split(" ", 3), "")[:4]
        after = None if verb in ("forget", "erase") else text
        if how == "try":
            self.words.setdefault(rid, {None}).add(after)
        else:
            self.words[rid] = {after}
            self.acknowledged += 1

    def check(self, found: dict[str, str]) -> None:
        """Compare with what is there, and go on from that."""
        for rid, allowed in self.words.items():
            assert found.get(rid) in allowed, f"{rid}: expected {allowed}, found {found.get(rid)!r}"
        gone: dict[str, set[str | None]] = {rid: {None} for rid in self.words if rid not in found}
        self.words = gone | {rid: {text} for rid, text in found.items()}


def alive(found: dict[str, str], chance: random.Random) -> str:
    """Draw a memory."""
    return chance.choice(sorted(found))


async def perform(mind: Mind, chance: random.Random, home: Path, found: dict[str, str], out: int) -> None:
    """Do one thing, saying so before and after."""
    number = chance.randrange(10**9)
    drawn = chance.choice(VERBS) if found else "remember"
    rid = alive(found, chance) if found else ""
    match drawn:
        case "remember":
            done = await mind.remember(f"note {number} of Ann in Lisbon", no_dedup=True)
            tell(out, f"ack remember {done.rid} note {number} of Ann in Lisbon")
            found[done.rid] = ""
        case "remember_many":
            told = [{"text": f"note {number} and {n}"} for n in range(chance.randint(2, 60))]
            rids = (await mind.remember_many(told)).rids
            for each, line in zip(rids, told, strict=True):
                tell(out, f"ack remember {each} {line['text']}")
                found[each] = ""
        case "edit":
            tell(out, f"try edit {rid} other words {number}")
            await mind.edit(rid, f"other words {number}")
            tell(out, f"ack edit {rid} other words {number}")
        case "forget" | "erase":
            tell(out, f"try {drawn} {rid}")
            await mind.forget(rid, erase=drawn == "erase")
            tell(out, f"ack {drawn} {rid}")
            del found[rid]
        case "set":
            await mind.set(rid, importance=chance.random())
        case "relate":
            await mind.relate(f"Ann {number % 9}", "knows", f"Ben {number % 7}")
        case "think":
            await mind.think()
        case "compact":
            await mind.compact()
        case "backup":
            await mind.backup(str(home / "copy.backup"))
        case "recall":
            await mind.recall(f"note {number}", k=3)
        case "digest":
            await mind.digest()


VERBS: Final = (
    *("remember",) * 6, *("remember_many",) * 3, *("edit",) * 3, *("forget",) * 3, "erase", "set", "relate", "think",
    "compact", "backup", "recall", "digest",
)  # fmt: skip


async def told(mind: Mind) -> dict[str, str]:
    """Return what somebody told: a summary is derived, and goes when its members do."""
    listed = await mind.list(limit=100_000, include_cold=True)
    return {each.rid: each.text for each in listed.memories if not each.summary_of}


async def child(home: Path, seed: int, out: int, *, verify: bool) -> None:
    """Open the device, say what is there, and perform verbs until somebody kills us."""
    chance = random.Random(seed)
    steps_ms = chance.choice((0, 0, 0, 3 * DAY_MS, -3 * DAY_MS, 400 * DAY_MS))
    opened_at = time.time()

    def clock() -> int:
        later = time.time() - opened_at > 0.2
        return int(time.time() * 1000) + (steps_ms if later else 0)

    async with open_device(Home.at(home), program="a test", answers=False, clock=clock) as device:
        mind = Mind(Local(device))
        found = await told(mind)
        tell(out, "".join(f"found {rid} {text}\n" for rid, text in found.items()) + "opened")
        if verify:
            assert (checked := await mind.verify()).ok, checked.problems
        fell_ill = weather(chance, home)
        for _ in range(200):
            try:
                await perform(mind, chance, home, found, out)
            except SamemindError as error:
                foreseen = error.code in TOLD and (fell_ill or steps_ms or error.code == "not_found")
                if not foreseen:
                    raise
            if len(found) > ALIVE_MAX:
                found = dict(list(found.items())[-ALIVE_MAX:])


def weather(chance: random.Random, home: Path) -> bool:
    """Let something run out in this process, sometimes; say whether."""
    drawn = chance.random()
    if drawn < 0.25:
        largest = max(path.stat().st_size for path in home.iterdir() if path.is_file())
        room = largest + chance.randrange(1, 200_000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    elif drawn < 0.35:
        held = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 64
        resource.setrlimit(
            resource.RLIMIT_NOFILE,
            (held + chance.randrange(3), resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
        )
    return drawn < 0.35


def tell(out: int, line: str) -> None:
    """Write a line in one call, so that a kill leaves it whole or not there."""
    data = f"{line}\n".encode()
    while data:
        data = data[os.write(out, data) :]


def fork(run: Any) -> tuple[int, int]:
    """Run this in a fork of ours; return its pid and where its lines come from."""
    lines, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(lines)
        code = 1
        try:
            code = run(out) or 0
        except BaseException:
            tell(out, "failed " + traceback.format_exc().replace("\n", "\n| "))
        finally:
            os._exit(code)
    os.close(out)
    return pid, lines


def heard(lines: int) -> Iterator[str]:
    """Give the whole lines that came, to the end; one that was cut short was not said."""
    with os.fdopen(lines, "rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield line.decode().rstrip("\n")


def killed_at_work(home: Path, expected: Expected, chance: random.Random, patience_s: float) -> bool:
    """Let a child work for a random while; take in what it says. Return whether it lived to be killed."""
    seed, verify = chance.randrange(2**32), chance.random() < 0.15
    pid, lines = fork(lambda out: trio.run(lambda: child(home, seed, out, verify=verify)))
    timer = threading.Timer(chance.uniform(0, patience_s), os.kill, (pid, signal.SIGKILL))
    at_work = chance.random() < 0.75  # the others are killed while they open
    if not at_work:
        timer.start()
    found: dict[str, str] = {}
    trouble: list[str] = []
    for line in heard(lines):
        word, _, rest = line.partition(" ")
        match word:
            case "found":
                rid, _, text = rest.partition(" ")
                found[rid] = text
            case "opened":
                expected.check(found)
                if at_work:
                    timer.start()
            case "failed" | "|":
                trouble.append(rest)
            case _:
                expected.hear(line)
    _, status = os.waitpid(pid, 0)
    timer.cancel()
    assert not trouble, "\n".join(trouble)
    return os.WIFSIGNALED(status)


def killed_daemon(home: Path, expected: Expected, chance: random.Random, patience_s: float) -> bool:
    """Kill the daemon while it answers."""
    words = ["--home", str(home), "--json", "up", "--no-mdns", "--listen", "127.0.0.1:0"]
    pid, lines = fork(lambda out: (os.dup2(out, 1), command(words))[1])
    timer = threading.Timer(chance.uniform(0, patience_s), os.kill, (pid, signal.SIGKILL))
    with os.fdopen(lines, "rb") as said:
        first = said.readline()
        timer.start()
        if first:
            assert b'"error"' not in first, first
            try:
                converse(home, expected, chance)
            except SamemindError as error:
                if error.code not in ("holder_ended", "unreachable"):
                    raise
            except (ConnectionError, BrokenPipeError):
                pass
    _, status = os.waitpid(pid, 0)
    timer.cancel()
    return os.WIFSIGNALED(status)


def converse(home: Path, expected: Expected, chance: random.Random) -> None:
    """Ask the daemon for verbs until it is gone."""
    control = Control.connect(Home.at(home))
    if control is None:
        return
    try:

        def ask(verb: str, **options: Any) -> dict[str, Any]:
            for _, result in control.ask(verb, options):
                if result is not None:
                    return result
            raise AssertionError("an answer ends with a result")

        memories = ask("list", limit=100_000, include_cold=True)["memories"]
        found = {each["rid"]: each["text"] for each in memories if not each["summary_of"]}
        expected.check(found)
        rids = list(found)
        while True:
            number = chance.randrange(10**9)
            if rids and chance.random() < 0.3:
                rid = rids.pop(chance.randrange(len(rids)))
                expected.hear(f"try forget {rid}")
                ask("forget", rids=[rid])
                expected.hear(f"ack forget {rid}")
            else:
                rid = ask("remember", text=f"told the daemon {number}", no_dedup=True)["rid"]
                expected.hear(f"ack remember {rid} told the daemon {number}")
                rids.append(rid)
    finally:
        control.close()


def torture(home: Path, kills: int, seed: int) -> tuple[int, int]:
    """Kill so many times; return how many kills fell into work, and how many changes were acknowledged."""
    chance, expected = random.Random(seed), Expected()
    Home.at(home).create()
    Settings(name="tortured", mdns=False).save(Home.at(home))
    began = time.monotonic()
    killed_at_work(
        home, expected, random.Random(seed), 0
    )  # imports what is imported late, for the measure below
    pid, lines = fork(lambda out: trio.run(lambda: _opened(home)))
    list(heard(lines))
    os.waitpid(pid, 0)
    patience_s = min(1.5, max(0.3, time.monotonic() - began))
    fell = 0
    for number in range(kills):
        kind = killed_daemon if chance.random() < 0.2 else killed_at_work
        try:
            fell += kind(home, expected, chance, patience_s)
        except BaseException as error:
            raise AssertionError(f"after kill {number} of seed {seed}: {error}") from error
    pid, lines = fork(lambda out: trio.run(lambda: child_checks(home, out)))
    last = list(heard(lines))
    _, status = os.waitpid(pid, 0)
    assert status == 0, last
    expected.check(
        dict(line.removeprefix("found ").split(" ", 1) for line in last if line.startswith("found "))
    )
    return fell, expected.acknowledged


async def _opened(home: Path) -> None:
    async with open_device(Home.at(home), program="a test", answers=False):
        pass


async def child_checks(home: Path, out: int) -> None:
    """Say what is there, and that all of it can be recomputed."""
    async with open_device(Home.at(home), program="a test", answers=False) as device:
        mind = Mind(Local(device))
        for rid, text in (await told(mind)).items():
            tell(out, f"found {rid} {text}")
        assert (checked := await mind.verify()).ok, checked.problems


if __name__ == "__main__":
    fell, acknowledged = torture(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    print(f"{fell} kills fell into work; {acknowledged} changes were acknowledged, and none was lost")
