"""A history as an older build of this program wrote it, kept as it was: `docs/protocol/frozen`.

    python -m tests.support.frozen BUILD

writes the history of the present build under a new name. A file that is there is never written again: if a later build
cannot read it, or folds it to anything else, that build is wrong.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

import zstandard

from replica import ops
from replica.core import Core
from replica.frame import encode_frame
from replica.ids import derived_memory_id
from replica.ops import OpKind, Remember, Write
from replica.outbox import Outbox
from tests.support.replicas import NOW_MS, group, sync
from tests.support.vectors import FOLDER as VECTORS
from tests.support.vectors import plain, readable
from tests.support.vectors_of_links import member

FOLDER: Final = VECTORS.parent / "frozen"
# What the first frozen build could fold: TRIGGER changed after it, and what has a higher number came later.
KINDS: Final = {int(kind): 1 for kind in OpKind if kind <= OpKind.RECEIPT and kind is not OpKind.TRIGGER}


def history() -> tuple[Core, Core]:
    """Two devices that wrote an op of every kind and agree."""
    ann, ben = group("ann", "ben")
    rids = sorted(derived_memory_id("frozen", str(n)) for n in range(6))
    ann.commit([Write(Remember(f"note {n}", {"importance": 0.5}), rid) for n, rid in enumerate(rids)], NOW_MS)
    ann.commit([*ann.edits_of(rids[0], "note 0, and more")], NOW_MS + 1)
    ann.commit([Write(ops.Claim("Ann", "lives in", "Lisbon", (), None), rids[0])], NOW_MS + 2)
    sync(ann, ben)
    (claim,) = [row for row in ben.store.rows() if row.kind == OpKind.CLAIM]
    place = ben.feeds.place(claim.feed, claim.seq)
    ben.commit([Write(ops.Set("topic", "moving"), rids[1]), Write(ops.Set("theme", "dark"))], NOW_MS + 3)
    ben.commit([Write(ops.Relate("Ann", "lives in", "Lisbon", 0.5))], NOW_MS + 4)
    ben.commit([Write(ops.Access(((rids[1], 3, NOW_MS),)))], NOW_MS + 5)
    ben.commit([Write(ops.Resolve((ops.ClaimVerdict(rids[0], place, keep=False),)))], NOW_MS + 6)
    (proposed,) = ben.commit([Write(ops.Propose((rids[0], rids[1], rids[2])))], NOW_MS + 7)
    ann.commit([Write(ops.Set("topic", "at the same time"), rids[1])], NOW_MS + 8)
    ann.commit([Write(ops.Forget((rids[3],)))], NOW_MS + 9)
    ben.commit([Write(ops.Withdraw((proposed.place,)))], NOW_MS + 10)
    ann.commit([Write(ops.Erase((rids[4],)))], NOW_MS + 11)
    ann.commit([Write(ops.Receipt((rids[4],)))], NOW_MS + 12)
    for _ in range(2):
        sync(ann, ben)
    return ann, ben


def frozen() -> Any:
    """The history as bytes, and what it folds to."""
    ann, ben = history()
    frame = Outbox({}).next_frame(ann)
    assert frame is not None
    assert {op.kind for op in frame.ops} == set(KINDS)
    digests = ann.digests()
    assert ben.digests() == digests
    return {
        "kinds": sorted(KINDS),
        "members": [list(member("ann", name))[1:] for name in ("ann", "ben")],
        "proofs": [zstandard.decompress(proof.frame) for proof in ann.proofs.values()],
        "columns": zstandard.decompress(encode_frame(frame)),
        "op_ids": [op.id for op in frame.ops],
        "digest": digests.visible,
        "state_digest": digests.state,
    }


def load(path: Path) -> Any:
    """One frozen history."""
    return plain(json.loads(path.read_text()))


if __name__ == "__main__":
    text = json.dumps(readable(frozen()), indent=1, ensure_ascii=False) + "\n"
    with (FOLDER / f"{sys.argv[1]}.json").open("x") as file:
        file.write(text)
