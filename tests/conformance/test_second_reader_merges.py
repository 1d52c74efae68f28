"""A reader that was written from docs/protocol alone merges bases as this implementation does.

`python -m tests.conformance.test_second_reader_merges SEED` replays one history.
"""

import sys
from random import Random

import pytest

from replica.core import Core
from replica.frame import decode_frame, encode_frame
from replica.snapshot import absorb, read_snapshot
from replica.snapshot import make_snapshot as snapshot_of
from tests.property.replica.test_bases_merge import History
from tests.support.links import identity
from tests.support.replicas import NOW_MS, acquaint, core_of, everything
from tests.support.second.folding import Replica
from tests.support.second.frames import read_packed, write_packed
from tests.support.second.snapshots import make_snapshot, merge_packed


def hand_over(core: Core, replica: Replica) -> None:
    """Hand all that a device holds to the reader: what was erased, its base, its log."""
    keys = {bytes(device): member.public_key for device, member in core.membership.members.items()}
    for proof in core.proofs.values():
        replica.prove(read_packed(proof.frame, keys))
    if any(feed.base_seq > feed.fork for feed in core.feeds):
        merge_packed(replica, snapshot_of(core), keys, maker=core.device)
    if core.position:
        for op in read_packed(encode_frame(everything(core)), keys):
            replica.take(op)


def taught(replica: Replica, name: str, history: History) -> Core:
    """A device of this implementation to which the reader handed all that it holds, as a member of its own making."""
    reader = identity(f"{name} reader")
    core = core_of(name)
    acquaint(core, name, f"{name} reader", history.names[0])
    core.learn(history.cores[0].membership.members.values(), [], history.cores[0].proofs.values())
    if replica.base.covered:
        absorb(
            core, read_snapshot(make_snapshot(replica, reader.sign, reader.device_id, NOW_MS), core), NOW_MS
        )
    rest = [op for op in replica.ops.values() if tuple(op.place) not in replica.base.covered]
    if rest:
        assert not core.take(decode_frame(write_packed(rest)), NOW_MS).refusals
    return core


@pytest.mark.parametrize("seed", range(12))
def test_it_comes_to_the_same_whatever_part_of_a_history_it_gets_as_bases_and_from_whom(seed: int) -> None:
    print(f"replay: python -m tests.conformance.test_second_reader_merges {seed}")
    history = History(seed)
    history.act()
    replica, chance = Replica(), Random(seed)
    for core in chance.sample(history.cores, len(history.cores)):
        hand_over(core, replica)
    history.settle()
    (digests,) = {core.digests() for core in history.cores}
    assert replica.digest() == digests.visible
    assert replica.state_digest() == digests.state
    newcomer = taught(replica, f"{seed} newcomer", history)
    assert newcomer.digests() == digests


if __name__ == "__main__":
    test_it_comes_to_the_same_whatever_part_of_a_history_it_gets_as_bases_and_from_whom(int(sys.argv[1]))
