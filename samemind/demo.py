"""Show the main job: two devices on this machine, one memory.

Everything here goes through the `samemind` command, in processes of its own: two homes, two daemons, a pairing, and the
encrypted link between them. What is printed is what these processes said.
"""

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from samemind.config import STATE_VARIABLE
from samemind.errors import Failed

# Two seconds are what an announcement takes; a machine that needs longer than this has no multicast.
FIND_SECONDS_MAX: Final = 6.0
# Far beyond what any step takes on a slow machine.
STEP_SECONDS_MAX: Final = 60.0
_POLL_SECONDS: Final = 0.1

Document = dict[str, Any]


class Screen:
    """Where the demonstration is told; in colours where somebody looks, and as nothing with `--json`."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._colours = sys.stdout.isatty()
        self._step = 0

    def step(self, text: str) -> None:
        """Begin a step."""
        self._step += 1
        self.line(f"\n{self._styled('1', f'{self._step}. {text}')}")

    def said(self, device: str, text: str) -> None:
        """Tell what a device did or said."""
        colour = "36" if device == "laptop" else "35"
        self.line(f"   {self._styled(colour, f'{device:<7}')} {text}")

    def line(self, text: str) -> None:
        """Print a line."""
        if not self._quiet:
            print(text, flush=True)

    def _styled(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours else text


@dataclass(slots=True)
class DemoDevice:
    """One of the two: a home, driven by the command, and the daemon once it is up."""

    name: str
    home: Path
    daemon: "Going | None" = None

    def run(self, *words: str) -> Document:
        """Run a verb and return its document; raise what it failed with, or what ended the daemon."""
        if self.daemon is not None:
            self.daemon.check()  # verbs work without one, so that it is gone would go unnoticed
        done = subprocess.run(
            [*_command(self.home), *words],
            capture_output=True,
            text=True,
            timeout=STEP_SECONDS_MAX,
            check=False,
        )
        document: Document = json.loads(done.stdout) if done.stdout else {}
        if done.returncode != 0:
            why = document.get("error", {}).get("message") or done.stderr.strip()
            raise Failed(f"{self.name}: samemind {words[0]} failed: {why}", code="demo_failed")
        return document

    @contextlib.contextmanager
    def going(self, *words: str) -> Iterator["Going"]:
        """Run a verb that goes on, for the block."""
        process = subprocess.Popen([*_command(self.home), *words], stdout=subprocess.PIPE, text=True)
        going = Going(f"{self.name}: samemind {words[0]}", process)
        try:
            yield going
        finally:
            going.end()


class Going:
    """A process that prints a document a line."""

    def __init__(self, what: str, process: subprocess.Popen[str]) -> None:
        self._what = what
        self._process = process
        self._lines: queue.SimpleQueue[tuple[str, float]] = queue.SimpleQueue()
        self.heard_at = 0.0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def next(self) -> Document:
        """Return the next document that it prints."""
        try:
            line, self.heard_at = self._lines.get(timeout=STEP_SECONDS_MAX)
        except queue.Empty:
            raise Failed(
                f"{self._what} said nothing for {STEP_SECONDS_MAX:g} s", code="demo_failed"
            ) from None
        document: Document = json.loads(line) if line else {}
        if not document or "error" in document:
            why = document.get("error", {}).get("message", "it ended")
            raise Failed(f"{self._what} failed: {why}", code="demo_failed")
        return document

    def check(self) -> None:
        """Raise if it ended by itself, with what it said at last."""
        while self._process.poll() is not None:
            self.next()

    def end(self) -> None:
        """Ask it to end, and wait until it did."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait(STEP_SECONDS_MAX)
        self._reader.join(STEP_SECONDS_MAX)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put((line, time.time()))
        self._lines.put(("", time.time()))


def run_demo(*, quiet: bool) -> Document:
    """Run it to its end and return what came of it; `Failed` names the step that went wrong."""
    began = time.monotonic()
    screen = Screen(quiet=quiet)
    with tempfile.TemporaryDirectory(prefix="samemind-demo-") as folder:
        os.environ.setdefault(STATE_VARIABLE, str(Path(folder) / "outside"))
        laptop = DemoDevice("laptop", Path(folder) / "laptop")
        phone = DemoDevice("phone", Path(folder) / "phone")
        screen.line(
            "samemind: one memory on all your devices. Two of them live on this machine for a moment."
        )

        screen.step("Two devices, each with a key of its own")
        for device in (laptop, phone):
            made = device.run("init", "--name", device.name)
            screen.said(device.name, f"is device {made['device_id'][:12]}")

        _pair(screen, laptop, phone)

        screen.step("Each learns something while they are apart")
        told = _learn_apart(screen, laptop, phone)

        screen.step("Both come up, and find each other")
        with contextlib.ExitStack() as stack:
            address = _come_up(screen, stack, laptop, phone)
            found_by = _meet(screen, phone, address=address)
            digests = _agree(laptop, phone)

            screen.step("The phone recalls what the laptop learned, and the other way round")
            _recall(screen, phone, "where does Ann live?", told["laptop"])
            _recall(screen, laptop, "what must Ann not eat?", told["phone"])

            screen.step("They were told two things that cannot both be true")
            settled = _settle(screen, laptop, phone)

            screen.step("While both are up, news travels by itself")
            took_ms = _travel(screen, laptop, phone)
            digests = _agree(laptop, phone)

            _show_agreement(screen, laptop, phone, digests)
    took_s = time.monotonic() - began
    screen.line(f"\nDone in {took_s:.1f} s. `samemind help` lists what else there is.")
    return {
        "ok": True,
        "found_by": found_by,
        "settled": settled,
        "digest": digests["laptop"]["digest"],
        "memories": digests["laptop"]["memories"],
        "travelled_ms": round(took_ms),
        "took_s": round(took_s, 1),
    }


def _pair(screen: Screen, laptop: DemoDevice, phone: DemoDevice) -> None:
    screen.step("Pair them, once, by a code that is good for one guess")
    with laptop.going("pair") as offering:
        offer = offering.next()
        screen.said("laptop", f"shows the code {offer['code']}")
        joined = phone.run("pair", offer["code"], "--address", offer["address"])
        paired = offering.next()
    if paired["words"] != joined["words"]:
        raise Failed("the two devices show different words", code="demo_failed")
    screen.said("phone", f"typed it; both show the words: {joined['words']}")


def _come_up(screen: Screen, stack: contextlib.ExitStack, laptop: DemoDevice, phone: DemoDevice) -> str:
    """Start both daemons, and return where the laptop's listens."""
    for device in (laptop, phone):
        device.daemon = stack.enter_context(device.going("up"))
    up = {device.name: device.daemon.next() for device in (laptop, phone) if device.daemon is not None}
    for device in (laptop, phone):
        screen.said(device.name, f"listens on {up[device.name]['address']}, process {up[device.name]['pid']}")
    return str(up["laptop"]["address"])


def _show_agreement(
    screen: Screen, laptop: DemoDevice, phone: DemoDevice, digests: dict[str, Document]
) -> None:
    screen.step("And they agree")
    for device in (laptop, phone):
        digest = digests[device.name]
        screen.said(
            device.name,
            f"{digest['digest'][:32]}…  {digest['memories']} memories, {digest['ops']} ops",
        )
    for device in (laptop, phone):
        if not device.run("verify")["ok"]:
            raise Failed(f"{device.name}: the log does not hold", code="demo_failed")
    screen.said("both", "every signature and every chain holds, recomputed from the log")


def _learn_apart(screen: Screen, laptop: DemoDevice, phone: DemoDevice) -> dict[str, str]:
    texts = {"laptop": "Ann moved to Lisbon in spring", "phone": "Ann is allergic to nuts"}
    for device in (laptop, phone):
        device.run("remember", texts[device.name], "--speaker", "Ann", "--wait")
        screen.said(device.name, f"remembers: {texts[device.name]}")
    return texts


def _meet(screen: Screen, phone: DemoDevice, *, address: str) -> str:
    """Wait until the link stands, found by mDNS or else dialled, and return how."""
    if _until(lambda: _linked(phone), FIND_SECONDS_MAX):
        screen.said(
            "both", "found each other by mDNS; the link is TLS 1.3, each side sure of the other's key"
        )
        return "mdns"
    synced = phone.run("sync", "laptop", "--address", address)["peers"][0]
    screen.said(
        "phone", "no multicast here, so it dialled the laptop's address; the link is TLS 1.3 all the same"
    )
    screen.said(
        "phone", f"{synced['received']} ops received, {synced['sent']} sent, {synced['took_ms']:.0f} ms"
    )
    return "address"


def _linked(device: DemoDevice) -> bool:
    return any(peer["state"] == "linked" for peer in device.run("status")["peers"])


def _agree(laptop: DemoDevice, phone: DemoDevice) -> dict[str, Document]:
    """Wait until both digests are the same, and return them."""
    digests: dict[str, Document] = {}

    def equal() -> bool:
        digests.update({device.name: device.run("digest") for device in (laptop, phone)})
        keys = ("digest", "state_digest")
        return all(digests["laptop"][key] == digests["phone"][key] for key in keys)

    if not _until(equal, STEP_SECONDS_MAX):
        raise Failed("the two devices do not come to agree", code="demo_failed")
    return digests


def _recall(screen: Screen, device: DemoDevice, query: str, expected: str) -> None:
    results = device.run("recall", query, "-k", "1")["results"]
    if not results or results[0]["text"] != expected:
        raise Failed(f"{device.name}: expected {expected!r} for {query!r}, got {results}", code="demo_failed")
    screen.said(device.name, f"{query}  ->  {expected}")


def _settle(screen: Screen, laptop: DemoDevice, phone: DemoDevice) -> str:
    """Let each be told another thing, see one contradiction on both, decide it on one; return its id."""
    for device, text in ((laptop, "I work at Google"), (phone, "I work at Meta")):
        device.run("remember", text, "--speaker", "Ann")
        screen.said(device.name, f"is told by Ann: {text}")
    found: dict[str, Document] = {}

    def raised(status: str) -> bool:
        for device in (laptop, phone):
            listed = device.run("contradictions", "list", "--status", status)["contradictions"]
            found.update({device.name: listed[0]} if listed else {})
        return len(found) == 2 and all(each["status"] == status for each in found.values())

    if not _until(lambda: raised("open"), STEP_SECONDS_MAX):
        raise Failed("the two devices do not see that they contradict each other", code="demo_failed")
    name = found["laptop"]["id"]
    if found["phone"]["id"] != name:
        raise Failed("one contradiction has two ids", code="demo_failed")
    screen.said("both", f"see one contradiction, {name[:12]}: {found['phone']['severity']}, ask now")
    laptop.run("contradictions", "resolve", name, "--merge", "Ann works at Meta, and left Google in May")
    screen.said("laptop", "is told how it is: Ann works at Meta, and left Google in May")
    if not _until(lambda: raised("settled"), STEP_SECONDS_MAX):
        raise Failed("the phone does not learn of the decision", code="demo_failed")
    screen.said("phone", "shows it settled, without being asked")
    return str(name)


def _travel(screen: Screen, laptop: DemoDevice, phone: DemoDevice) -> float:
    """Remember on one, watch the other's log, and return how long after the commit the other had it."""
    text = "The train to Porto leaves at nine"
    with phone.going("log", "--follow", "-n", "1") as log:
        log.next()  # the last op that it has: it is listening
        rid = laptop.run("remember", text)["rid"]
        while (op := log.next())["rid"] != rid:
            pass
        took_ms = max(0.0, log.heard_at - datetime.fromisoformat(op["at"]).timestamp()) * 1000
    screen.said("laptop", f"remembers: {text}")
    screen.said("phone", f"has it {took_ms:.0f} ms later")
    return took_ms


def _until(condition: Any, seconds_max: float) -> bool:
    deadline = time.monotonic() + seconds_max
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _command(home: Path) -> list[str]:
    return [sys.executable, "-m", "samemind", "--home", str(home), "--json"]
