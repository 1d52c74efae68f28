"""Fuzz whole conversations: what a member says is spoiled again and again, and the link must be all that ends.

Each message of one side may be altered, left out, said twice, said late, or replaced by one from an earlier
conversation; what is altered stays well formed more often than not, so that the session meets values that no decoder
refuses. When a conversation ends the next one begins with the same replica, as links do.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from replica import MemoryId, codec, ops
from replica.core import Core
from replica.errors import ReplicaError
from replica.verify import verify_replica
from sync.errors import SyncError
from sync.exchange import Exchange
from tests.support.frozen import history
from tests.support.mangling import mangled, mangled_bytes, packed
from tests.support.replicas import NOW_MS, acquaint, core_of

CONVERSATIONS: Final = 4
TURNS_MAX: Final = 60
MEMORY_MAX: Final = 40


Spoil = Callable[[bytes], list[bytes]]
"""What is said in place of a message."""


class Spoiler:
    """Somebody between a member and its link: gives each message in one or more other forms."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._memory: list[bytes] = []
        self._late: list[bytes] = []

    def __call__(self, message: bytes) -> list[bytes]:
        """Return what is said in place of a message."""
        random = self._random
        if len(self._memory) < MEMORY_MAX:
            self._memory.append(message)
        late, self._late = self._late, []
        match random.randrange(14):
            case 0:
                said = [mangled_bytes(random, message)]
            case 1 | 2 | 3:
                said = [packed(mangled(random, codec.unpack(message)))]
            case 4:
                said = []
            case 5:
                said = [message, message]
            case 6:
                said, self._late = [], [message]
            case 7:
                said = [random.choice(self._memory), message]
            case 8:
                said = [message, packed(mangled(random, codec.unpack(random.choice(self._memory))))]
            case _:
                said = [message]
        return said + late


def converse(victim: Core, member: Core, spoil: Spoil) -> None:
    """One conversation to its end; the victim raises only what ends a link."""
    ours, theirs = Exchange(victim, member.device, NOW_MS), Exchange(member, victim.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), [each for said in theirs.more(NOW_MS) for each in spoil(said)]
    for _ in range(TURNS_MAX):
        if to_us:
            message = to_us.pop(0)
            if not ours.is_over:
                try:
                    to_them += ours.receive(message, NOW_MS)
                except (SyncError, ReplicaError):
                    return
        elif to_them:
            try:
                said = theirs.receive(to_them.pop(0), NOW_MS)
            except (SyncError, ReplicaError, AssertionError):  # its own conversation was spoiled, too
                return
            to_us += [each for one in said for each in spoil(one)]
        else:
            return


def sessions(random: Random) -> None:
    """Spoiled conversations with a member, one after the other; then an honest one, after which all is there."""
    victim, member = history()
    before = victim.position
    honest = core_of("cleo")
    acquaint(honest, "cleo", "ann", "ben")
    victim.learn(honest.membership.members.values(), [], (), NOW_MS)
    spoil = Spoiler(random)
    for turn in range(CONVERSATIONS):
        for core in (victim, member):
            text = f"said by {core.device.hex()[:4]} before conversation {turn}"
            rid = MemoryId(b"fuzz" + bytes([turn, core is member]) + bytes(10))
            core.commit([ops.Write(ops.Remember(text, {}), rid)], NOW_MS + turn)
        converse(victim, member, spoil)
    assert victim.position >= before + CONVERSATIONS
    converse(victim, honest, plainly)
    assert honest.frontier() == victim.frontier(), "an honest member is not served"
    assert honest.digests() == victim.digests()
    assert verify_replica(victim).ok, verify_replica(victim).problems


def plainly(message: bytes) -> list[bytes]:
    """Say what there is to say."""
    return [message]
