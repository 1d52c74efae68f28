"""Write down what happened in a world, one line an event, and hash it.

    000012.345  A  writes    remember 3f2a9c01 on memory 01890a5d
    time        device       what, then details

`docs/explanation/simulation.md` holds the legend. Lines hold no sizes of compressed bytes and nothing that depends on
the order of a hash table, so one seed gives one trace on every Python and with every version of zstd.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

# Every word that a line may hold in its third column, with what it means: the legend.
LEGEND: Final[dict[str, str]] = {
    "options": "what this seed drew",
    "writes": "a commit is durable on this device: its ops, the first with its memory",
    "refused": "the store or the core refused a write, and kept nothing of it",
    "dials": "a link to another device is up",
    "link lost": "a link is gone, with everything under way on it",
    "link ends": "one side said goodbye, or both were quiet",
    "takes": "ops of a peer are durable on this device: how many, and from whom",
    "absorbs": "this device merged a snapshot into its base: how many ops it held in no other way",
    "lies": "this relay twisted a frame before sending it on",
    "floods": "this peer sent what the protocol does not allow",
    "accuses": "this device closed a link because its peer broke the protocol",
    "turns": "this member is hostile from here on: what it does",
    "harms": "the hostile member did that, to the other device",
    "crash": "the process died; what was committed is on the disk",
    "torn": "the process died inside a write",
    "disk full": "the next write on this device fails",
    "image": "a copy of this device's disk was put aside",
    "rolled back": "the disk went back to an image, and the device does not know",
    "restored": "the disk went back to an image, and the device was told",
    "twin": "an image came to life beside the device it was taken from",
    "wiped": "the device lost its store and kept its key",
    "clock": "the device's clock was changed",
    "partition": "some devices cannot reach others, one way or both ways",
    "time": "a long time passed",
    "joins": "a new device was introduced to the group",
    "shows code": "a device opened pairing, and shows a code",
    "code tried": "somebody tried the code that a device shows: what came of it",
    "calls": "a device called an address: who answered, or that nobody did",
    "moves": "a device is at another address from here on",
    "revokes": "a device was put out of the group",
    "restores": "this device put the group right, in the name of its founder or of the code",
    "learns": "the device heard of members, revocations or proofs",
    "upgrade": "the device now understands the newer ops",
    "compacts": "the device folded part of its log into its base",
    "mailbox": "the device looked into the mailbox: what it took and wrote, or why it broke off",
    "carries out": "somebody took along on a stick what the device holds",
    "carries in": "the device read a stick that somebody had taken along: what was new",
    "audit": "this device's state was compared with the definition over what it holds",
    "heal": "faults are off from here on",
    "settled": "no device has anything left to say",
    "violation": "a checker found something that must not be",
}


class Event(NamedTuple):
    """One thing that happened. `link` and `ops` are for pictures: the peer, and how many ops moved."""

    at_ms: int
    device: str
    what: str
    detail: str
    other: str = ""
    ops: int = 0

    def __str__(self) -> str:
        return f"{self.at_ms / 1000:010.3f}  {self.device:<3} {self.what:<11} {self.detail}".rstrip()


Say = Callable[[str], None]


@dataclass(slots=True)
class Trace:
    """A running hash of every event; the events themselves only when somebody wants to see them."""

    keep: bool = False
    say: Say | None = None
    events: list[Event] = field(default_factory=list)
    count: int = 0
    _hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, event: Event) -> None:
        """Write one event down."""
        assert event.what in LEGEND, f"{event.what!r} is missing in the legend"
        line = str(event)
        self.count += 1
        self._hash.update(line.encode() + b"\n")
        if self.keep:
            self.events.append(event)
        if self.say is not None:
            self.say(line)

    def digest(self) -> str:
        """Return the hash of all lines so far."""
        return self._hash.hexdigest()
