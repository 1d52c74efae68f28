"""Two conversations joined by an imaginary wire, which delivers as the test wants and can be cut."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from replica import Core, SqliteStore, connect
from replica.membership import IntroducedMember, introduce
from replica.signing import MemoisedVerify
from replica.storage.memory_store import MemoryStore
from sync.exchange import Exchange
from sync.identity import Identity
from tests.support.links import identity

NOW_MS = 1_700_000_000_000
# A conversation between two that know nothing of each other takes some ten messages and two for each frame.
MESSAGES_MAX = 2_000

_verify = MemoisedVerify()
_Choose = Callable[[], bool]


def cores(*names: str, in_sqlite: bool = False, seed: int = 1) -> list[Core]:
    """Empty replicas of one group, in memory."""
    found = []
    for name in names:
        who = identity(name)
        store = SqliteStore(connect(":memory:")) if in_sqlite else MemoryStore()
        core = Core(
            store,
            device=who.device_id,
            sign=who.sign,
            random=random.Random(f"{name} {seed}"),
            verify=_verify,
        )
        core.found(introduced_by(who, who, name))
        core.learn([introduced_by(who, identity(each), each) for each in names if each != name], [])
        found.append(core)
    return found


def introduced_by(who: Identity, other: Identity, name: str) -> IntroducedMember:
    """An introduction."""
    return introduce(
        who.sign, who.device_id, public_key=other.public_key, certificate=other.certificate, name=name
    )


@dataclass
class ExchangePair:
    """A conversation seen from both ends."""

    ours: Core
    theirs: Core
    now_ms: int = NOW_MS
    delivered: int = 0
    ends: tuple[Exchange, Exchange] = field(init=False)
    _wires: tuple[deque[bytes], deque[bytes]] = field(init=False)

    def __post_init__(self) -> None:
        self.ends = (
            Exchange(self.ours, self.theirs.device, self.now_ms),
            Exchange(self.theirs, self.ours.device, self.now_ms),
        )
        self._wires = (deque(self.ends[0].more(self.now_ms)), deque(self.ends[1].more(self.now_ms)))

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is under way and both ends know that they are done."""
        return not any(self._wires) and all(end.session.is_quiet for end in self.ends)

    def step(self, from_us: bool) -> bool:
        """Deliver one message in one direction; say whether there was one."""
        wire, back = self._wires if from_us else self._wires[::-1]
        if not wire:
            return False
        hearer = self.ends[1] if from_us else self.ends[0]
        self.delivered += 1
        message = wire.popleft()
        if not hearer.is_over:  # after a goodbye, what is still on its way means nothing
            back.extend(hearer.receive(message, self.now_ms))
        return True

    def stir(self) -> None:
        """Let both ends notice that their logs grew."""
        for end, wire in zip(self.ends, self._wires, strict=True):
            wire.extend(end.more(self.now_ms))

    def settle(self, choose: _Choose = lambda: True) -> None:
        """Deliver until nothing is under way, in the order that `choose` wants."""
        while any(self._wires):
            first = choose()
            if not self.step(first):
                self.step(not first)
            assert self.delivered <= MESSAGES_MAX, "they talk and talk"
        assert self.is_quiet, [end.session.phase for end in self.ends]

    def refusals(self) -> list[str]:
        """What either end refused."""
        return [each.reason for end in self.ends for each in end.refusals]
