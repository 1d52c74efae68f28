"""Whatever a base says that nobody can tell by looking, it has the signed ops for: of each edit, and each deletion.

`python -m tests.property.replica.test_proofs_of_a_base SEED` replays one history.
"""

import sys
from random import Random

import pytest

from replica import Forget, NameNotFound
from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId
from replica.remains import read_remains
from replica.storage.memory_store import MemoryStore
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    MakeStore,
    acquaint,
    agree,
    core_of,
    edit,
    group,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
    unproven_texts,
)

SEEDS = range(24)
STEPS = 60
# Nobody who has not been heard of for so long is waited for.
LEASE_MS = 100 * DAY_MS


def unproven_deletions(core: Core) -> set[bytes]:
    """Return the memories under a tombstone of the base that no signed deletion which was kept names."""
    read = (read_remains(data, core.membership, core.verify) for data in core.store.remains())
    return core.store.base_tombstones() - {rid for _, proof in read for rid in proof.rids}


def lives(seed: int, make_store: MakeStore) -> list[Core]:
    """Let three devices, and others who come later, edit and forget a few memories, and compact as they like."""
    random, now_ms = Random(seed), NOW_MS
    cores = group(*(f"{seed} {i}" for i in range(3)), make_store=make_store)
    rids: list[MemoryId] = []
    for step in range(STEPS):
        now_ms += random.choice((1_000, DAY_MS))
        core, other = random.sample(cores, 2)
        match random.choices(("tell", "edit", "forget", "compact", "sync", "join"), (3, 10, 2, 4, 6, 0.5))[0]:
            case "tell":
                rids += remember(core, f"told at {step}", now_ms=now_ms)
            case "edit" if rids:
                try:
                    edit(core, random.choice(rids), f"edited at {step}", now_ms=now_ms)
                except NameNotFound:
                    pass  # not here, or no more
            case "forget" if rids:
                say(core, Forget((random.choice(rids),)), now_ms=now_ms)
            case "compact":
                before_ms = random.choice((None, now_ms - random.randrange(20) * DAY_MS))
                compact(core, now_ms + LEASE_MS, before_ms=before_ms)
            case "sync":
                sync(core, other, now_ms)
            case "join":
                name = f"{seed} {len(cores)}"
                newcomer = core_of(name, make_store())
                acquaint(newcomer, name, f"{seed} {cores.index(core)}")
                acquaint(core, f"{seed} {cores.index(core)}", name)
                sync(newcomer, core, now_ms)
                for each in cores:
                    each.learn(core.membership.members.values(), [])
                cores.append(newcomer)
        for each in cores:
            assert not unproven_texts(each), "who gets this base has to believe it about an edit"
            assert not unproven_deletions(each), "who gets this base has to believe it about a deletion"
    settle(cores, now_ms)
    return cores


@pytest.mark.parametrize("seed", SEEDS)
def test_a_base_has_the_signed_ops_of_all_its_edits_and_deletions(seed: int) -> None:
    print(f"replay: python -m tests.property.replica.test_proofs_of_a_base {seed}")
    assert agree(*lives(seed, sqlite_store if seed % 4 == 0 else MemoryStore))


if __name__ == "__main__":
    test_a_base_has_the_signed_ops_of_all_its_edits_and_deletions(int(sys.argv[1]))
