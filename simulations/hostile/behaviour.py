"""What a hostile member can do: hold its key, say whatever it likes on a link, and sign whatever it likes.

It is a paired device gone bad, such as a stolen phone: a real core, a real key, a place in the group. It cannot sign
for others. What it says goes into the same `Exchange` that an honest peer talks to.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Final, NamedTuple

from replica.evidence import Accused, Fault
from replica.frame import Frame, encode_frame
from replica.rows import body_of
from simulations.device import Device
from simulations.observer import Bits
from simulations.world import World
from sync.errors import SyncError, Untrusted
from sync.exchange import Exchange, check_admitted
from sync.wire.messages import Ops, encode_message

Act = Callable[[World, Device, Device, Random], bool]
"""(world, hostile, victim, random): do it to the victim; say whether the victim could judge it: it heard it to the end
or accused, its disk did not fail, and it did not lack what came before (an older version may wait for its upgrade)."""

# A greeting each way, trust, heads, locators; then whatever the two lack. Far more than honest ends need.
_TURNS_MAX: Final = 2_000


class Behaviour(NamedTuple):
    """One way to be hostile. `fault`: what whoever heard it must hold against the device; None where it leaves none."""

    says: str
    act: Act
    fault: Fault | None = None


def may_reach(hostile: Device, victim: Device) -> bool:
    """Whether the victim lets the hostile device in: it does not know, or not yet, that it was revoked."""
    try:
        check_admitted(victim.core, hostile.key.device)
    except Untrusted:
        return False
    return True


def is_accused(victim: Device, hostile: Device, fault: Fault) -> bool:
    """Whether a device holds a fault against another."""
    return Accused(hostile.key.device, fault) in victim.core.evidence


def mingle(world: World, hostile: Device, victim: Device) -> bool:
    """Hold an honest conversation with a victim until both are quiet; False where it broke off."""
    return _Talk(world, hostile, victim).converse()


def speak(world: World, hostile: Device, victim: Device, messages: Sequence[bytes]) -> bool:
    """Greet a victim as any member does, be quiet with it, and then say these messages, whatever it answers.

    Whatever it accuses the hostile device of is right; any other error is a finding.
    """
    return answer(world, hostile, victim, lambda: messages)


def answer(world: World, hostile: Device, victim: Device, messages: Callable[[], Sequence[bytes]]) -> bool:
    """Greet a victim as any member does, be quiet with it, and only then make up what to say."""
    talk = _Talk(world, hostile, victim)
    return talk.converse() and talk.say(messages())


def hand(
    world: World,
    hostile: Device,
    victim: Device,
    frames: Sequence[Frame],
    *,
    sound: bool,
    past: Bits | None = None,
) -> bool:
    """Hand over frames of ops that the hostile device signed; `sound`: their bodies make sense, so that they count.

    What of them enters a log is held to them byte for byte, and to what the hostile device held when it signed them
    (`past`, unless that is what it holds now).
    """
    held = hostile.held if past is None else past
    for frame in frames:
        ops = [op for op in frame.ops if op.id not in world.observer.by_id]
        bodies = [body_of(op, hostile.core.understood) if sound else None for op in ops]
        world.observer.wrote(hostile.name, held, ops, bodies, honest=sound)
        world.attempt(hostile, lambda frame=frame: hostile.core.take(frame, hostile.now(world.now_ms)))  # type: ignore[misc]
        world.notice(hostile)
    return hand_raw(world, hostile, victim, frames)


def hand_raw(world: World, hostile: Device, victim: Device, frames: Sequence[Frame]) -> bool:
    """Hand over frames as they are. Nobody is told that they were written: none of them may enter a log."""
    return speak(world, hostile, victim, [encode_message(Ops(encode_frame(each), True)) for each in frames])


class _Talk:
    """One conversation between a hostile device and a victim, at one moment."""

    def __init__(self, world: World, hostile: Device, victim: Device) -> None:
        self._world, self._hostile, self._victim = world, hostile, victim
        self._theirs = self._end(victim, hostile)
        self._broken = False

    def _end(self, device: Device, peer: Device) -> Exchange:
        world = self._world
        return Exchange(device.core, peer.key.device, device.now(world.now_ms), cut=world.cut)

    def converse(self) -> bool:
        """Be an honest peer until nobody has anything to say; False where the victim's disk or process failed."""
        world, hostile, victim = self._world, self._hostile, self._victim
        ours = self._end(hostile, victim)
        said = ours.more(hostile.now(world.now_ms))
        answers = self._theirs.more(victim.now(world.now_ms))
        for _ in range(_TURNS_MAX):
            if not said and not answers:
                return not self._theirs.is_over  # it may have heard meanwhile that the other was revoked
            heard, said = said, []
            for message in answers:
                if not ours.is_over:
                    hear = partial(ours.receive, message, hostile.now(world.now_ms))
                    try:
                        took = world.attempt(hostile, lambda hear=hear, said=said: said.extend(hear()))  # type: ignore[misc]
                    except SyncError:  # it does not know everybody here
                        return False
                    if not took:  # its disk is full, or its process died
                        return False
                    world.notice(hostile)
            answers = []
            for message in heard:
                answers += self._hear(message)
                if self._broken:
                    return False
        world.violate("no_wedge", f"{victim.name} and hostile {hostile.name} talk without end")
        return False

    def say(self, messages: Sequence[bytes]) -> bool:
        """Say these to the victim until it has had enough; False where its disk or process failed, or it lacks more."""
        for message in messages:
            self._hear(message)
        return not self._broken and not any(each.gap for each in self._theirs.refusals)

    def _hear(self, message: bytes) -> list[bytes]:
        """Let the victim hear one message; after an accusation it hears no more."""
        world, victim, answers = self._world, self._victim, list[bytes]()
        if self._broken or self._theirs.is_over:
            return answers
        size = victim.group_size()
        try:
            self._broken = not world.attempt(
                victim,
                lambda: answers.extend(self._theirs.receive(message, victim.now(world.now_ms))),
                f"while hearing hostile {self._hostile.name}",
            )
        except SyncError as error:
            world.say(victim.name, "accuses", f"hostile {self._hostile.name}: {type(error).__name__}")
            world.count("accusations")
            self._theirs.end("broken")
        if self._broken:
            return answers
        world.learned(victim)
        world.notice(victim)
        if victim.group_size() != size:
            world.flush(victim)
        return answers
