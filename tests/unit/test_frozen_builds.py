"""What an older build wrote is read for ever; what a newer one writes an older one keeps, passes on and folds later."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from replica import ops
from replica.core import Core
from replica.erasure import read_proof
from replica.frame import decode_frame
from replica.ids import derived_memory_id
from replica.ops import Remember, Write
from replica.refold import refold_after_upgrade
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from tests.support.frozen import FOLDER, KINDS, load
from tests.support.links import identity
from tests.support.replicas import NOW_MS, acquaint, agree, core_of, group, say, sync, take

BUILDS = sorted(FOLDER.glob("*.json"))
DAY_MS = 86_400_000


def told(vectors: Any, core: Core) -> Core:
    """Let a device take a frozen history."""
    core.learn((), (), [read_proof(zstandard.compress(proof)) for proof in vectors["proofs"]])
    came = take(core, decode_frame(zstandard.compress(vectors["columns"])))
    assert came.refusals == ()
    return core


@pytest.mark.parametrize("build", BUILDS, ids=lambda path: path.stem)
def test_what_an_older_build_wrote_is_read_and_folds_to_what_it_did_then(build: Path) -> None:
    vectors = load(build)
    (cleo,) = group("cleo")
    acquaint(cleo, "cleo", "ann", "ben")
    told(vectors, cleo)
    assert [row.id for row in cleo.store.rows()] == vectors["op_ids"]
    digests = cleo.digests()
    assert (digests.visible, digests.state) == (vectors["digest"], vectors["state_digest"])
    assert cleo.has_folded_all
    assert verify_replica(cleo).ok


def old_device(name: str, *others: str) -> Core:
    """A device that runs the frozen build."""
    who = identity(name)
    core = Core(MemoryStore(), device=who.device_id, sign=who.sign, random=Random(name), understood=KINDS)
    core.adopt(core_of(name).membership)
    acquaint(core, name, *others)
    return core


def test_an_older_build_keeps_and_passes_on_what_is_newer_and_folds_it_after_its_upgrade() -> None:
    """Between two new devices stands an old one, through which everything has to go."""
    new, far = group("new", "far")
    for core, name in ((new, "new"), (far, "far")):
        acquaint(core, name, "old")
    old = old_device("old", "new", "far")
    told(load(BUILDS[0]), _with(old, "old"))
    rid = derived_memory_id("frozen", "new")
    new.commit([Write(Remember("told to a new device", {}), rid)], NOW_MS + DAY_MS)
    say(new, ops.Feedback(rid, (("words", 100_000_000),)), now_ms=NOW_MS + DAY_MS)
    say(new, ops.Set("topic", "after it"), rid, now_ms=NOW_MS + DAY_MS)
    sync(new, old)
    assert not old.has_folded_all, "kept, and not understood"
    assert old.digests().visible != new.digests().visible
    sync(old, far)
    sync(far, old)
    for core, name in ((new, "new"), (far, "far")):
        _with(core, name)
    sync(new, old)
    sync(old, far)
    sync(old, far)
    assert far.has_folded_all
    assert agree(new, far), "what it did not understand went through it"
    upgraded = Core(old.store, device=old.device, sign=old.sign, random=Random(2))
    assert refold_after_upgrade(upgraded, NOW_MS + 2 * DAY_MS)
    assert upgraded.has_folded_all
    assert agree(upgraded, new)
    assert verify_replica(upgraded).ok


def _with(core: Core, name: str) -> Core:
    acquaint(core, name, "ann", "ben")
    return core
