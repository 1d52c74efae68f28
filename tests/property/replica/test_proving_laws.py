"""Whatever a newcomer was told by a liar: signed ops that come later prevail, as if they had come first.

`python -m tests.property.replica.test_proving_laws SEED` replays one history with its lies.
"""

import sys

import pytest

from replica.core import Core
from replica.evidence import Accused, Fault
from replica.oplog import FoldStatus
from replica.ops import OpKind
from replica.snapshot import make_snapshot
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell
from replica.verify import verify_replica
from replica.vouched import vouched_ops
from tests.property.replica.test_bases_merge import STEPS
from tests.property.replica.test_lying_makers import Lies
from tests.support.lying import Lie
from tests.support.replicas import acquaint, core_of, sync

SEEDS = range(30)


class LateProof(Lies):
    """A newcomer who first meets a liar, and then a device that holds all, or some, as its author signed it."""

    def run(self) -> bool:
        """Hold every law; say whether the newcomer was told anything that was wrong."""
        self._live(compacting=False)
        honest, other, liar = self.history.cores
        lie = Lie.of(liar)
        told = self._spoil(lie)
        invented = self.random.random() < 0.8
        if invented:
            lie.invent(self.random.randint(1, 5), self.random)
        new = self._newcomer()
        self._hand(new, lie.sealed())
        before = self._held(new)
        was_told = before != self._held(honest)
        left_out = self._held(honest).keys() - before.keys() - {*lie.tombstones}
        if new.merged:
            assert vouched_ops(new)[liar.device], "all of it rests on the liar's word"
        for _ in range(2):
            sync(new, honest, self.history.now_ms)
        assert self._held(new) == self._held(honest), f"{told} outlived what was signed"
        assert verify_replica(new).ok, told
        assert verify_replica(honest).ok, told
        left = vouched_ops(new)
        assert not left or (invented and {*left} == {liar.device} and left.total() <= 5), (
            "all else was proven"
        )
        if left_out:
            assert Accused(liar.device, Fault.SNAPSHOT_DENIES) in new.evidence
        sync(new, other, self.history.now_ms)
        sync(honest, other, self.history.now_ms)
        assert new.digests().visible == other.digests().visible == honest.digests().visible
        return was_told

    def run_in_part(self) -> None:
        """An honest maker: whoever has folded some itself proves what it still has, and nothing changes by it."""
        self._live(compacting=True)
        honest, _, liar = self.history.cores
        new = self._newcomer()
        self._hand(new, make_snapshot(liar))
        sync(new, honest, self.history.now_ms)
        for _ in range(2):
            self.history.settle()
            for each in self.history.cores:
                sync(new, each, self.history.now_ms)
        assert new.digests() == honest.digests(), "of an honest maker nothing was to be mended"
        assert not new.evidence
        assert verify_replica(new).ok

    def _live(self, *, compacting: bool) -> None:
        history, random = self.history, self.random
        steps = (history.write, history.sync, history.compact)
        for _ in range(STEPS):
            history.now_ms += 1_000
            random.choices(steps, weights=(14, 4, 2 if compacting else 0))[0]()
        history.settle()

    def _newcomer(self) -> Core:
        names = self.history.names
        new = core_of(f"{names[0]} late")
        acquaint(new, f"{names[0]} late", *names)
        for core, name in zip(self.history.cores, names, strict=True):
            acquaint(core, name, f"{names[0]} late")
        return new


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_signed_prevails_whenever_it_comes(seed: int) -> None:
    LateProof(seed).run()


def test_the_liars_are_believed_until_then() -> None:
    """Or the law above would hold of anything."""
    assert sum(LateProof(seed).run() for seed in SEEDS[:10]) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_an_honest_device_said_is_changed_by_its_proof(seed: int) -> None:
    LateProof(seed).run_in_part()


def test_a_memory_that_was_left_out_is_back_also_where_its_past_is_lost() -> None:
    """The honest device has folded the beginning: what it still has signed does not reach back to that."""
    found = 0
    for seed in SEEDS:
        lies = LateProof(seed)
        lies._live(compacting=True)
        honest, _, liar = lies.history.cores
        held = {(row.feed, row.seq) for row in honest.store.rows()}
        signed = {
            row.rid: row
            for row in honest.store.rows()
            if row.kind == OpKind.REMEMBER
            and row.status == FoldStatus.FOLDED
            and row.rid is not None
            # Of what its first op follows only the short id may be left, and then nobody else can check it.
            and (row.seq == 1 or (row.feed, row.seq - 1) in held)
        }
        if any(feed.parent is not None for feed in liar.feeds) or any(
            feed.base_seq > feed.fork for feed in liar.feeds
        ):
            continue
        if not any(feed.base_seq > feed.fork for feed in honest.feeds):
            continue
        lie = Lie.of(liar)
        lie.adds.clear()
        lie.invent(3, lies.random)
        new = lies._newcomer()
        lies._hand(new, lie.sealed())
        sync(new, honest, lies.history.now_ms)
        living = honest.store.all_memories()
        for rid, row in signed.items():
            if rid not in living:
                continue
            cell = new.store.load([memory_key(rid)]).get(memory_key(rid))
            assert isinstance(cell, MemoryCell), "a signed op added it"
            assert row.id[:8] in {dot.id8 for dot in cell.adds}
            found += 1
        assert verify_replica(new).ok
    assert found


if __name__ == "__main__":
    LateProof(int(sys.argv[1])).run()
    LateProof(int(sys.argv[1])).run_in_part()
