"""Bases as version 0.1.0 made and kept them: one that it handed over, and one in a store of its own.

`tests/data/snapshot-0.1.0.json` and `base-0.1.0.db.zst` were written by that release: the history of
`tests/support/frozen.py`, compacted, and two ops above it.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from replica.core import Core
from replica.erasure import read_proof
from replica.frame import decode_frame
from replica.refold import refold_after_upgrade
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from tests.support.frozen import history
from tests.support.links import identity
from tests.support.replicas import MakeStore, acquaint, core_of, memories, rows_of, sqlite_store, take, texts

DATA = Path(__file__).parents[2] / "data"
STORES = pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])


def frozen() -> Any:
    return json.loads((DATA / "snapshot-0.1.0.json").read_text())


def handed(core: Core, snapshot: bytes) -> Core:
    was = frozen()
    core.learn((), (), [read_proof(bytes.fromhex(proof)) for proof in was["proofs"]])
    assert absorb(core, read_snapshot(snapshot, core), was["now_ms"])
    return core


def newcomer(make_store: MakeStore) -> Core:
    cleo = core_of("cleo", make_store())
    acquaint(cleo, "cleo", "ann", "ben")
    return cleo


@STORES
def test_a_newcomer_takes_a_base_of_0_1_0_and_what_was_written_above_it(make_store: MakeStore) -> None:
    was = frozen()
    cleo = handed(newcomer(make_store), bytes.fromhex(was["snapshot"]))
    came = take(cleo, decode_frame(bytes.fromhex(was["above"])))
    assert (came.ops, came.refusals) == (2, ())
    digests = cleo.digests()
    assert (digests.visible.hex(), digests.state.hex()) == (was["digest"], was["state_digest"])
    found = verify_replica(cleo)
    assert found.ok
    assert found.vouched == {identity("ann").device_id: was["compacted"]}, "its word is what there is"


@STORES
def test_a_base_of_0_1_0_takes_nothing_from_who_holds_the_ops(make_store: MakeStore) -> None:
    (_, ben), was = history(), frozen()
    before, rows = memories(ben), rows_of(ben)
    handed(ben, bytes.fromhex(was["snapshot"]))
    assert (memories(ben), rows_of(ben)) == (before, rows)
    assert verify_replica(ben).vouched == {}


def opened_base(path: Path) -> Core:
    path.write_bytes(zstandard.decompress((DATA / "base-0.1.0.db.zst").read_bytes()))
    who, store = identity("ann"), sqlite_store(str(path))
    core = Core(store, device=who.device_id, sign=who.sign, random=Random(1))
    refold_after_upgrade(core, frozen()["now_ms"])
    return core


def test_a_store_of_0_1_0_with_a_base_is_taken_over_as_it_is(tmp_path: Path) -> None:
    was, core = frozen(), opened_base(tmp_path / "memory.db")
    digests = core.digests()
    assert (digests.visible.hex(), digests.state.hex()) == (was["base_digest"], was["base_state_digest"])
    assert core.position == was["compacted"]
    assert not rows_of(core), "everything of it had left the log"
    assert verify_replica(core).ok
    core.commit(
        core.edits_of(next(iter(_edited(core))), "note 0, and edited after the upgrade"), was["now_ms"]
    )
    cleo = handed(newcomer(MemoryStore), make_snapshot(core))
    assert texts(cleo) | {"note 0, and edited after the upgrade"} == texts(core) | {"note 0, and more"}
    assert verify_replica(core).ok


def _edited(core: Core) -> Any:
    return [rid for rid, each in memories(core).items() if each.text == "note 0, and more"]


def test_the_store_and_the_snapshot_are_of_one_history(tmp_path: Path) -> None:
    """Which a device that holds the store's base does not have to be told."""
    core = opened_base(tmp_path / "memory.db")
    before = memories(core)
    handed(core, bytes.fromhex(frozen()["snapshot"]))
    assert memories(core) == before
