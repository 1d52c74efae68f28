"""Stores that are copied and run side by side, or put back: devices end equal, and nothing that is held is lost.

`python -m tests.property.replica.test_live_clones SEED` replays one history.
"""

import sys
from copy import deepcopy
from random import Random

import pytest

from replica.core import Core
from replica.evidence import Fault
from replica.ids import MemoryId, derived_memory_id
from replica.ops import Remember, Write
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from tests.property.replica.test_bases_merge import History, begin_and_lose
from tests.support.replicas import sync

SEEDS = range(24)
STEPS = 90
# More take longer, and find no more.
STORES_MAX = 7


class Clones(History):
    """A history in which stores are copied while their devices run; a copy shares the key, and nothing else."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed * 4 + 1)  # with stores that can be copied
        self.images: list[tuple[int, MemoryStore]] = []
        self.rids += [derived_memory_id("notes", f"{seed} {item}") for item in range(2)]

    def act(self) -> None:
        steps = (
            self.write,
            self.compact,
            self.join,
            self.sync,
            self.clone,
            self.keep,
            self.put_back,
            self.retell,
        )
        for _ in range(STEPS):
            self.now_ms += self.random.choice((0, 1, 1_000, 50_000))
            self.random.choices(steps, weights=(20, 3, 0.5, 6, 0.7, 1, 0.7, 1))[0]()

    def clone(self) -> None:
        if len(self.cores) < STORES_MAX:
            at = self.random.randrange(len(self.cores))
            self.names.append(self.names[at])
            self.cores.append(self._opened(self.cores[at], _copied(self.cores[at])))

    def keep(self) -> None:
        at = self.random.randrange(len(self.cores))
        self.images.append((at, _copied(self.cores[at])))

    def put_back(self) -> None:
        if self.images:
            at, image = self.random.choice(self.images)
            self.cores[at] = self._opened(self.cores[at], deepcopy(image))

    def retell(self) -> None:
        """Several devices import one item, also after it was forgotten."""
        text = self.random.choice(("it began so", "it began otherwise"))
        said = Write(Remember(text, {"tags": ["a", "b"]}), MemoryId(self.random.choice(self.rids[:2])))
        self.random.choice(self.cores).commit([said], self.now_ms)

    def join(self) -> None:
        if len(self.cores) < STORES_MAX:
            super().join()

    def sync(self) -> None:
        one, other = self.random.choice(self._strangers())
        cut = self.random.choice((None, None, 2, 3, 4, 5))
        if cut is None:
            sync(one, other, self.now_ms)
        else:
            begin_and_lose(one, other, cut, self.now_ms)

    def settle(self) -> None:
        for _ in range(len(self.cores) + 2):
            for one, other in self._strangers():
                sync(one, other, self.now_ms)

    def _strangers(self) -> list[tuple[Core, Core]]:
        """Whoever may have a link: two that know each other, and are not one device."""
        return [
            (one, other)
            for one in self.cores
            for other in self.cores
            if one.device != other.device
            and one.device in other.membership.standing
            and other.device in one.membership.standing
        ]

    def _opened(self, core: Core, store: MemoryStore) -> Core:
        return Core(store, device=core.device, sign=core.sign, random=Random(f"{self.random.random()}"))


def _copied(core: Core) -> MemoryStore:
    assert isinstance(core.store, MemoryStore)
    return deepcopy(core.store)


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_end_equal_and_lose_nothing_whatever_was_copied(seed: int) -> None:
    print(f"replay: python -m tests.property.replica.test_live_clones {seed}")
    history = Clones(seed)
    history.act()
    held = set[bytes]().union(*(core.store.all_memories() for core in history.cores))
    history.settle()
    assert len({core.digests() for core in history.cores}) == 1
    assert len({core.frontier() for core in history.cores}) == 1
    for core in history.cores:
        assert held <= core.store.all_memories() | core.store.all_tombstones(), "what one held is lost"
        assert verify_replica(core).ok
        # Whoever is put back to where it had just heard of itself may be told once more.
        assert {accused.fault for accused in core.evidence} <= {Fault.ECHO}


def test_chains_part_below_and_above_bases() -> None:
    """Or the law above would hold of anything."""
    branches = below = 0
    for seed in SEEDS[:12]:
        history = Clones(seed)
        history.act()
        history.settle()
        forked = [feed for core in history.cores for feed in core.feeds if feed.parent is not None]
        branches += len(forked)
        below += sum(feed.base_seq > feed.fork for feed in forked)
    assert branches > 20
    assert below


if __name__ == "__main__":
    test_devices_end_equal_and_lose_nothing_whatever_was_copied(int(sys.argv[1]))
