"""Erased means gone: when devices have settled, the words of an erased memory are in no log, no state and no page.

Looked for where they could hide: in payloads of the log, in the base, and in the raw bytes of the SQLite file, for
every word that was said about that memory only.
"""

import re
from collections.abc import Sequence

from replica import ops
from replica.frame import decode_frame
from replica.snapshot import unseal
from replica.state.cells import memory_key
from simulations.device import Device
from simulations.disk import SqliteDisk
from simulations.household import Checker, Household


class Erasure(Checker):
    """Look for what was erased."""

    name = "erasure"

    def audited(self, world: Household, device: Device) -> None:
        """What a device knows to be erased is in none of its payloads and cells."""
        erased = _erased(world, device)
        if not erased:
            return
        for row in device.core.store.rows():
            if row.rid in erased and row.payload is not None and row.kind in ops.TEXT_KINDS:
                world.violate(
                    self.name, f"{device.name} keeps the payload of op {row.id.hex()[:8]}, which was erased"
                )
        for key in sorted(device.core.store.load_base([memory_key(rid) for rid in erased])):
            world.violate(
                self.name, f"{device.name} keeps {key.name.hex()[:8]} in its base, which was erased"
            )

        for data in device.core.store.remains():
            for op in decode_frame(data).ops:
                if op.rid in erased and op.payload is not None:
                    world.violate(
                        self.name, f"{device.name} keeps the edit {op.id.hex()[:8]} of what was erased"
                    )
        self._look_into_parts(world, device)

    def _look_into_parts(self, world: Household, device: Device) -> None:
        """What has come of a snapshot is kept for the next link: not of one that holds the words of what was erased."""
        kept = {
            row.digest for peer in device.core.membership.members for row in device.core.store.parts(peer)
        }
        for digest in sorted(kept & world.snapshots.keys()):
            _, body = unseal(world.snapshots[digest])
            for word in sorted(erased_words(world, {bytes(rid) for rid in device.core.erased})):
                if holds(body, word):
                    world.violate(self.name, f"{device.name} keeps parts of a snapshot that holds {word!r}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """In the end every device of a group knows of every erasure, and no page holds the words."""
        for group in groups:
            erased: set[bytes] = set()
            for device in group:
                erased |= _erased(world, device)
            words = erased_words(world, erased)
            for device in group:
                self.audited(world, device)
                for rid in sorted(erased - device.core.erased):
                    world.violate(self.name, f"{device.name} never heard that {rid.hex()[:8]} was erased")
                if words and isinstance(device.disk, SqliteDisk):
                    pages = device.disk.raw()
                    for word in sorted(words):
                        if holds(pages, word):
                            world.violate(
                                self.name, f"{device.name} still has {word!r} in a page of its store"
                            )


def _erased(world: Household, device: Device) -> set[bytes]:
    """Return what a device has heard to be erased: by a proof, or by an op that it holds and understands."""
    erased = {bytes(rid) for rid in device.core.erased}
    for written in world.observer.forgetting:
        if isinstance(written.body, ops.Erase) and not written.newer and device.held >> written.index & 1:
            erased.update(written.body.rids)
    return erased


def holds(held: bytes, word: str) -> bool:
    """Say whether a word stands there whole: words are numbered, and in a long world "c348" begins "c3487" too."""
    return re.search(re.escape(word.encode()) + rb"(?![0-9])", held) is not None


def erased_words(world: Household, erased: set[bytes]) -> set[str]:
    """Return the words that were said about erased memories and about no others."""
    said: set[str] = set()
    elsewhere: set[str] = set()
    for written in world.observer.ops:
        if isinstance(written.body, ops.Remember):
            (said if written.op.rid in erased else elsewhere).update(written.body.text.split())
    return {word for word in said - elsewhere if any(letter.isdigit() for letter in word) and len(word) > 3}
