"""Hold one simulated device: a real core on a failing disk, with a wrong clock and a key drawn from the seed.

`held` is the observer's: the set of ops that this device's log has ever really held since its disk was last swapped.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Final

from cognition.steps import steps
from cognition.thinking.cycle import Step
from replica.core import Core
from replica.ids import DeviceId, device_id
from replica.keys import Ed25519PrivateKey
from replica.membership import IntroducedMember, Membership, introduce
from replica.ops import UNDERSTOOD, OpKind
from replica.refold import refold_after_upgrade
from replica.signing import Verify
from replica.state.memories import MemoryCell, show
from simulations.clock import Clock
from simulations.definition import Shown
from simulations.disk import THRESHOLDS, Disk, SqliteDisk
from simulations.observer import Bits
from sync.identity import Identity

# What a later version of the program understands: every kind in one version more.
# A version before judgments on claims.
OLDER: Final = {kind: version for kind, version in UNDERSTOOD.items() if kind != OpKind.SAME_SLOT}
NEWER: Final = {kind: version + 1 for kind, version in UNDERSTOOD.items()}


@dataclass(frozen=True, slots=True)
class Key:
    """A device's key pair and id."""

    private: Ed25519PrivateKey
    public: bytes
    device: DeviceId

    @classmethod
    def draw(cls, random: Random) -> "Key":
        """Return a key that follows from the seed alone."""
        private = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
        public = private.public_key().public_bytes_raw()
        return cls(private, public, device_id(public))


@lru_cache(maxsize=256)
def certificate_of(private: Ed25519PrivateKey) -> bytes:
    """Return the certificate that a device makes for itself: no other is stored."""
    return Identity.of(private).certificate


@dataclass(slots=True, eq=False)
class Device:
    """One running device."""

    name: str
    key: Key
    disk: Disk
    clock: Clock
    random: Random
    verify: Verify
    core: Core = field(init=False)
    mind: tuple[Step, ...] = ()
    """The steps of thinking, where the disk keeps the tables of cognition."""
    held: Bits = 0
    seen_pos: int = 0
    lies: bool = False
    puppets: list[Key] = field(default_factory=list)
    """Keys of devices that a hostile one made up."""
    stamped: int = 0
    """The last stamp of an op that was crafted on this device."""
    upgraded: bool = True
    """Whether this device runs the later version, which writes and understands newer ops."""
    before: Disk | None = None
    """Only under the bug `not-durable`: the disk as it was before the last commit."""

    def __post_init__(self) -> None:
        self.start(0)

    def start(self, true_ms: int) -> None:
        """Open the store, as a process does when it starts; after an upgrade, fold what could not be folded."""
        self.core = Core(
            self.disk.store,
            device=self.key.device,
            sign=self.key.private.sign,
            random=self.random,
            verify=self.verify,
            understood=NEWER if self.upgraded else OLDER,
        )
        refold_after_upgrade(self.core, self.now(true_ms))
        self.mind = steps(THRESHOLDS) if isinstance(self.disk, SqliteDisk) and self.disk.thinks else ()

    def found(self) -> IntroducedMember:
        """Begin a group of one, and return the introduction that says so."""
        own = self.introduce(self)
        self.core.found(own)
        return own

    def introduce(self, other: "Device") -> IntroducedMember:
        """Return this device's introduction of another one."""
        return introduce(
            self.key.private.sign,
            self.key.device,
            public_key=other.key.public,
            certificate=certificate_of(other.key.private),
            name=other.name,
        )

    def group_size(self) -> int:
        """Return how much is known of the group: its members, who was put out, what was erased. All three only grow.

        A contestant knows of no group: 0.
        """
        group: Membership | None = getattr(self.core, "membership", None)
        if group is None:
            return 0
        return group.size + len(self.core.proofs)

    def shown(self) -> Iterator[tuple[bytes, Shown]]:
        """Return what a person sees here, read from the table that queries read, where the store has one."""
        if isinstance(self.disk, SqliteDisk):
            yield from self.disk.shown()
        else:
            for key, cell in self.core.store.all_cells():
                if isinstance(cell, MemoryCell):
                    memory = show(key.name, cell)
                    yield key.name, Shown(*memory[1:5], *memory[6:8])

    def edges(self) -> dict[tuple[str, str, str], tuple[float, int]] | None:
        """Return the edges that show, from the table that queries read; None where the store has none."""
        return self.disk.edges() if isinstance(self.disk, SqliteDisk) else None

    def now(self, true_ms: int) -> int:
        """Return what this device's clock shows."""
        return self.clock.read(true_ms)
