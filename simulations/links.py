"""Let devices talk: over links with a network in between, or at one moment without one."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Final

from replica.membership import marks
from replica.snapshot import make_snapshot
from simulations import liar
from simulations.device import Device
from simulations.household import Household
from simulations.network import STALL_MS, Conversation, End, Link, transmit
from simulations.timeline import WEDGE
from simulations.wire import SessionWork, Wire
from sync.errors import SyncError
from sync.exchange import Exchange
from sync.wire.messages import Base

# Greeting, trust, heads, locators both ways, then a frame and its acknowledgement for each batch.
SESSION_MESSAGES_MAX: Final = 2_000
# A link may live as long as its world writes: each op a frame of its own, and an acknowledgement, both ways.
LINK_MESSAGES_PER_OP_MAX: Final = 8


@dataclass(slots=True, eq=False)
class Links(Household):
    """Devices with a network between them."""

    links: list[Link] = field(default_factory=list)
    blocked: set[tuple[str, str]] = field(default_factory=set)
    """Who cannot be heard by whom at the moment."""
    wire: Wire = field(default_factory=Wire)
    healed: bool = False
    links_of: defaultdict[Device, list[Link]] = field(default_factory=lambda: defaultdict(list))
    """The links of each device, the oldest first."""
    _link_count: int = 0

    def can_hear(self, speaker: Device, listener: Device) -> bool:
        """Whether the network carries anything this way at the moment."""
        return (speaker.name, listener.name) not in self.blocked

    def conversation(self, device: Device, peer: Device) -> Conversation:
        """Return one side of a new conversation."""
        return Exchange(device.core, peer.key.device, device.now(self.now_ms), cut=self.cut)

    def cut(self, snapshot: bytes) -> Iterator[Base]:
        """Cut a snapshot as this world does."""
        digest, count = hashlib.sha256(snapshot).digest(), self.options.parts
        self.snapshots[digest] = snapshot
        at = [len(snapshot) * i // count for i in range(count + 1)]
        for i, (start, stop) in enumerate(pairwise(at)):
            yield Base(snapshot[start:stop], i, count, digest)

    def dial(self, a: Device, b: Device, random: Random) -> None:
        """Open a link, if both sides and the network allow."""
        if not self.admitted(a, b) or not self.can_hear(a, b) or not self.can_hear(b, a):
            return
        if (
            any({end.device for end in link.ends} == {a, b} for link in self.links_of[a])
            and random.random() < 0.7
        ):
            return
        self._link_count += 1
        link = Link(
            self._link_count,
            (End(a, self.conversation(a, b)), End(b, self.conversation(b, a))),
            Random(f"{self.options.seed} link {self._link_count}"),
            lives=random.randrange(100) < self.options.live_percent,
            delay_ms=random.randint(1, self.options.delay_ms_max),
            chunked="chunks" in self.options.faults,
            cut_percent=self.options.cut_percent,
        )
        self.links.append(link)
        self.links_of[a].append(link)
        self.links_of[b].append(link)
        self.say(a.name, "dials", link.name, other=b.name)
        self.count("links")
        for end in link.ends:
            self.send(link, end, end.conversation.more(end.device.now(self.now_ms)))

    def send(self, link: Link, end: End, messages: list[bytes]) -> None:
        """Send what one end has to say; a liar twists it, the network may lose it."""
        speaker, to = end.device, link.other(end)
        if not messages or not link.is_up():
            return
        if not self.can_hear(speaker, to.device):
            if not link.stalled:
                link.stalled = True
                self.schedule(self.now_ms + STALL_MS, lambda: self.lose(link, "stalled"))
            return
        if speaker.lies:
            messages = [self.twisted(speaker, link, message) for message in messages]
        transmit(
            link,
            to,
            messages,
            now_ms=self.now_ms,
            schedule=self.schedule,
            deliver=self.deliver,
            lose=self.lose,
        )

    def twisted(self, speaker: Device, link: Link, message: bytes) -> bytes:
        """Return a message as a liar passes it on."""
        if link.random.random() < 0.5:
            return message
        what, lie = liar.twist(message, link.random)
        if what:
            self.say(speaker.name, "lies", f"{link.name} {what}")
            self.count("lies")
        return lie

    def deliver(self, link: Link, to: End, chunk: bytes) -> None:
        """Let bytes arrive at one end of a link."""
        link.under_way -= 1
        if not link.is_up():
            return
        for message in to.reader.feed(chunk):
            if link.is_up():
                self.hear(link, to, message)
        if not link.under_way:
            self.rest(link)
        if link.is_up() and not link.lives and not link.under_way and self._both_quiet(link):
            self.close(link, "link ends", "quiet")

    def hear(self, link: Link, to: End, message: bytes) -> None:
        """Let one end of a link hear a message, and send what it answers."""
        if to.has_ended():
            return  # after a goodbye, what is still on its way means nothing
        device, peer = to.device, link.other(to).device
        link.heard += 1
        if link.heard > SESSION_MESSAGES_MAX + LINK_MESSAGES_PER_OP_MAX * len(self.observer.ops):
            self.violate(WEDGE, f"{link.name}: its ends talk without end")
            self.lose(link, "without end")
            return
        answers: list[bytes] = []
        group = device.group_size()
        try:
            if not self.attempt(
                device,
                lambda: answers.extend(self.wire.hear(to.conversation, message, device.now(self.now_ms))),
                f"while hearing {link.name}",
            ):
                self.lose(link, "could not write")
                return
        except SyncError as error:
            self.accuse(link, device, peer, error)
            return
        self.learned(device)
        taken = self.notice(device)
        if taken:
            self.say(device.name, "takes", f"{taken} ops from {link.name}", other=peer.name, ops=taken)
        self.send(link, to, answers)
        if device.group_size() != group:
            self.flush(device)
        if to.has_ended():
            self.schedule(to.due_ms, lambda: self.close(link, "link ends", "goodbye"))

    def accuse(self, link: Link, device: Device, peer: Device, error: Exception) -> None:
        """Close a link because one side broke the protocol: right if it lies, a finding if it is honest."""
        self.say(device.name, "accuses", f"{link.name}: {type(error).__name__}", other=peer.name)
        self.count("accusations")
        if not peer.lies:
            self.violate(WEDGE, f"{device.name} accuses honest {peer.name}: {type(error).__name__}: {error}")
        self.lose(link, "protocol broken")

    def learned(self, device: Device) -> None:
        """Close links to those whom a device has put out."""
        revoked = device.core.membership.revoked
        for link in list(self.links_of[device]):
            other = next(end.device for end in link.ends if end.device is not device)
            out = other.key.device in revoked or device.key.device in revoked
            if out and all(end.conversation.is_over for end in link.ends):
                self.close(link, "link ends", "revoked")

    def flush(self, device: Device) -> None:
        """Let every conversation of a device push what is new."""
        for link in list(self.links_of[device]):
            if link.is_up():
                end = link.ends[0] if link.ends[0].device is device else link.ends[1]
                self.send(link, end, end.conversation.more(device.now(self.now_ms)))
                if not link.under_way:
                    self.rest(link)

    def rest(self, link: Link) -> None:
        """Let every checker look at a link on which nothing is under way."""
        if link.is_up() and not link.stalled:
            one, other = link.ends
            self._rested((one.device, one.conversation), (other.device, other.conversation))

    def _rested(self, ours: tuple[Device, Conversation], theirs: tuple[Device, Conversation]) -> None:
        (one, here), (other, there) = ours, theirs
        if isinstance(here, Exchange) and isinstance(there, Exchange):
            for checker in self.checkers:
                checker.rested(self, (one, here), (other, there))

    def lose(self, link: Link, why: str) -> None:
        """Cut a link: what is under way on it never arrives."""
        if link.is_up():
            self.close(link, "link lost", why)

    def close(self, link: Link, what: str, why: str) -> None:
        """Take a link down."""
        if not link.is_up():
            return
        link.is_open = False
        self.links.remove(link)
        for end in link.ends:
            self.links_of[end.device].remove(link)
        self.say(link.ends[0].device.name, what, f"{link.name} {why}", other=link.ends[1].device.name)

    def drop_links(self, device: Device, why: str) -> None:
        """Cut every link of a device."""
        for link in list(self.links_of[device]):
            self.lose(link, why)

    def converse(
        self,
        a: Device,
        b: Device,
        *,
        cut_at: Callable[[bytes, Conversation], bool] = lambda message, hearer: False,
    ) -> None:
        """Hold a whole conversation at one moment, without a network between.

        `cut_at`: asked before each message, with who is about to hear it; the link may be cut there.
        """
        work = self.work(a, b) if self.healed else None
        sides = [(a, b, self.conversation(a, b)), (b, a, self.conversation(b, a))]
        ops, sent, size, frames = self.wire.ops, self.wire.messages, self.wire.size, self.wire.frames
        waiting: list[list[bytes]] = [[], []]
        for i, (device, _, side) in enumerate(sides):
            waiting[1 - i] += side.more(device.now(self.now_ms))
        while waiting[0] or waiting[1]:
            for i, (device, peer, side) in enumerate(sides):
                heard, waiting[i] = waiting[i], []
                for message in heard:
                    if side.is_over:
                        continue
                    if cut_at(message, side):
                        return
                    answers = self._answers(device, peer, side, message)
                    if answers is None:
                        return
                    waiting[1 - i] += answers
            if self.wire.messages - sent > SESSION_MESSAGES_MAX:
                self.violate(WEDGE, f"{a.name} and {b.name} talk without end")
                return
        self._rested(*((device, side) for device, _, side in sides))
        if work is not None:
            work.messages, work.bytes = self.wire.messages - sent, self.wire.size - size
            work.frames, work.ops = self.wire.frames - frames, self.wire.ops - ops
            work.asked = sum(
                max(peer.held.bit_count(), 1)
                for _, peer, side in sides
                if isinstance(side, Exchange) and side.has_asked_for_proof
            )
            for checker in self.checkers:
                checker.worked(self, work)
            for _, _, side in sides:
                self.last_refusals += self.wire.refusals(side)
                if not self.wire.is_done(side):
                    self.violate(WEDGE, f"{a.name} and {b.name} fell silent before both had everything")

    def _answers(
        self, device: Device, peer: Device, side: Conversation, message: bytes
    ) -> list[bytes] | None:
        """Let one side of a conversation at one moment hear a message; None when the conversation is over by it."""
        answers: list[bytes] = []
        group = device.group_size()
        try:
            if not self.attempt(
                device,
                lambda: answers.extend(self.wire.hear(side, message, device.now(self.now_ms))),
                f"while hearing {peer.name}",
            ):
                return None
        except SyncError as error:
            self.violate(WEDGE, f"{device.name} accuses honest {peer.name}: {error}")
            return None
        taken = self.notice(device)
        if taken:
            self.say(device.name, "takes", f"{taken} ops from {peer.name}", other=peer.name, ops=taken)
        if device.group_size() != group:
            self.flush(device)
        return answers

    def _both_quiet(self, link: Link) -> bool:
        return all(self.wire.is_done(end.conversation) for end in link.ends)

    def work(self, a: Device, b: Device) -> SessionWork:
        """Return what a session between two devices has to do."""
        ours, theirs = a.core.membership, b.core.membership
        lacking = a.held ^ b.held

        def content_bytes() -> int:
            payloads = sum(len(each.op.payload or b"") for each in self.observer.among(lacking))
            cores = [side.core for side in (a, b)]
            based = [core for core in cores if any(feed.base_seq > feed.fork for feed in core.feeds)]
            return payloads + sum(len(make_snapshot(core)) for core in based)

        return SessionWork(
            name=f"{a.name} with {b.name}",
            lacking=lacking.bit_count(),
            heads=len(a.core.feeds) + len(b.core.feeds),
            members=(ours.size + theirs.size + len(a.core.proofs) + len(b.core.proofs)),
            same_trust=(
                marks(ours.told()) == marks(theirs.told())
                and set(ours.revocations) == set(theirs.revocations)
                and set(a.core.proofs) == set(b.core.proofs)
            ),
            same_frontier=a.core.frontier() == b.core.frontier(),
            content_bytes=content_bytes,
            parts=self.options.parts,
        )
