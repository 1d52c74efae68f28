"""Keep outside a home what a restored home forgets: its twin, who was put out, and what was erased.

A folder of one device's own, beside no store: `twin-…` for each path at which the device's store was open, since a copy
that lives at another path is another store; `group`, the revocations and proofs of erasure that the device has met; and
`roots`, who came first in its group and whom the root introduced, without which nobody could check what a recovery code
revoked. A backup that is put back meets them before anybody can sync with it.

Losing the folder costs a new incarnation and nothing else; where it cannot be written, stores are opened without it.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from replica.codec import pack, unpack
from replica.core import Core
from replica.erasure import Proof, read_proof
from replica.errors import InvalidOp
from replica.file_system import open_descriptor, replace_file
from replica.ids import ID8_BYTES, DeviceId, Origin
from replica.incarnations import NONCE_BYTES, ChainEvent, Opened, Twin, judge
from replica.membership import (
    IntroducedMember,
    Revocation,
    names_root,
    plain_member,
    read_member,
    read_revocation,
)
from replica.missing import held
from replica.oplog import Changes
from replica.values import dataclass

if TYPE_CHECKING:
    from random import Random

_GROUP_FILE: Final = "group"
_ROOTS_FILE: Final = "roots"
# Both are read whole; what is larger was not written by us.
_FILE_BYTES_MAX: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another store that was open here under the same key. `began_ms`: since when it is known to be a copy, or 0."""

    store: Path
    began_ms: int


class RollbackGuard:
    """The folder of one device, as one of its stores uses it."""

    def __init__(self, folder: Path, device: DeviceId, store: Path) -> None:
        self._folder = folder / device.hex()[: 4 * ID8_BYTES]
        self._store = store
        name = hashlib.sha256(os.fsencode(store)).hexdigest()[: 4 * ID8_BYTES]
        self._twin = self._folder / f"twin-{name}"
        # Of this store, which one program has open at a time: what a kill leaves of it, the next opening writes over.
        self._scratch = self._folder / f"part-{name}"
        self._shared: tuple[int, int] | None = None
        self._noted: tuple[bytes, int] | None = None
        self._bytes = 0  # in the twin, as it was noted last

    def open(self, core: Core, random: "Random", now_ms: int) -> None:
        """Decide, before anything is read for a commit, whether the store goes on as the origin that it was."""
        twin = self._read_twin()
        left = 0
        if twin is not None:
            left = held(core, Origin(core.device, twin.incarnation), twin.seq, twin.head)
        why = judge(core.opened, core.origin.incarnation, left, twin)
        if why is not None:
            core.incarnate(why, now_ms)
            if why is ChainEvent.ROLLED_BACK and twin is not None and twin.seq > left:
                core.incidents[-1] = core.incidents[-1]._replace(
                    incarnation=twin.incarnation, seq=twin.seq, head=twin.head
                )
        nonce = random.randbytes(NONCE_BYTES)
        core.opened = Opened(b"" if core.opened is None else core.opened.now, nonce)
        core.write(Changes(), now_ms)
        if not self._write(self._twin, self._twin_of(core)):
            core.opened = None  # without a twin the next opening would take this store for a copy
            core.write(Changes(), now_ms)
        self.share(core, now_ms)

    def note(self, core: Core) -> None:
        """Say how far the store has come, after each commit of its own.

        Never ahead of the store, since a commit is on the disk by now; nor synced: a kill takes nothing from the
        system's memory. Written over in place, some ten microseconds; half a twin after a power cut is a missing one.
        """
        seq, _ = _own_head(core)
        if core.opened is None or (core.origin.incarnation, seq) == self._noted:
            return
        data = self._twin_of(core)
        with suppress(OSError):  # it says less than it could: no reason to fail what is written already
            file = open_descriptor(self._twin, os.O_WRONLY)
            try:
                os.write(file, data)
                if len(data) != self._bytes:  # it takes as long as to write them
                    os.ftruncate(file, len(data))
                self._noted, self._bytes = (core.origin.incarnation, seq), len(data)
            finally:
                os.close(file)

    def share(self, core: Core, now_ms: int) -> None:
        """Take what the folder knows of the group and the store does not, and the other way round."""
        size = core.membership.size, len(core.proofs)
        if size == self._shared:
            return
        revocations, proofs = self._read_group()
        roots = self._read_roots()
        core.learn(roots, revocations, now_ms=now_ms)
        core.take_proofs(proofs, now_ms=now_ms)
        known = {(each.device, each.by): each for each in (*revocations, *core.membership.revocations)}
        acting = [proof for proof in core.proofs.values() if proof.id not in core.idle]
        proven = {proof.id: proof for proof in (*proofs, *acting)}
        if (len(known), len(proven)) != (len(revocations), len(proofs)):
            plain = [
                [list(known[key]) for key in sorted(known)],
                [proven[key].frame for key in sorted(proven)],
            ]
            self._write(self._folder / _GROUP_FILE, pack(plain))
        group = core.membership
        named = {each.signature: each for each in roots} | {
            each.signature: each
            for each in (*group.members.values(), *group.further)
            if names_root(each) or each.introduced_by == group.root != core.device
        }
        if len(named) != len(roots):
            self._write(self._folder / _ROOTS_FILE, pack([plain_member(named[key]) for key in sorted(named)]))
        self._shared = core.membership.size, len(core.proofs)

    def part(self, core: Core) -> None:
        """Forget the store: from now on it belongs to another device."""
        core.opened = None
        core.write(Changes(), now_ms=0)
        self._twin.unlink(missing_ok=True)

    def forget_group(self) -> None:
        """Forget the store, and the group that it was in: from now on another one is in its place."""
        for path in (self._twin, self._folder / _GROUP_FILE, self._folder / _ROOTS_FILE):
            path.unlink(missing_ok=True)

    def siblings(self) -> list[Sibling]:
        """Return the other stores that were open here under this key and are still where they were."""
        found = []
        for path in sorted(self._folder.glob("twin-*")):
            match self._read(path):
                case [_, _, _, str(store), int(began_ms), *_] if (
                    Path(store) != self._store and Path(store).exists()
                ):
                    found.append(Sibling(Path(store), began_ms))
        return found

    # -- files -----------------------------------------------------------------------------------------------

    def _read_twin(self) -> Twin | None:
        match self._read(self._twin):
            case [bytes(nonce), bytes(incarnation), int(seq), str(), int(), bytes(before), bytes(head)]:
                return Twin(before, nonce, incarnation, seq, head)
            case [
                bytes(nonce),
                bytes(incarnation),
                int(seq),
                str(),
                int(),
                bytes(before),
            ]:  # of an earlier version
                return Twin(before, nonce, incarnation, seq)
        return None

    def _twin_of(self, core: Core) -> bytes:
        assert core.opened is not None
        before, now = core.opened
        seq, head = _own_head(core)
        return pack([now, core.origin.incarnation, seq, str(self._store), core.began_ms, before, head])

    def _read_group(self) -> tuple[Sequence[Revocation], Sequence[Proof]]:
        match self._read(self._folder / _GROUP_FILE):
            case [list(revocations), list(proofs)]:
                with suppress(InvalidOp):
                    return [*map(read_revocation, revocations)], [*map(read_proof, proofs)]
        return [], []

    def _read_roots(self) -> list[IntroducedMember]:
        plain = self._read(self._folder / _ROOTS_FILE)
        if isinstance(plain, list):
            with suppress(InvalidOp):
                return [*map(read_member, plain)]
        return []

    def _read(self, path: Path) -> Any:
        try:
            if path.stat().st_size <= _FILE_BYTES_MAX:
                return unpack(path.read_bytes())
        except (OSError, InvalidOp):
            pass  # missing, or damaged: the same as never written
        return None

    def _write(self, path: Path, data: bytes) -> bool:
        """Replace a file; not synced, since losing it costs an incarnation and a sync costs every opening."""
        try:
            _private_folder(self._folder)
            self._scratch.write_bytes(data)
            replace_file(self._scratch, path)
        except OSError as error:
            import logging  # to load it takes as long as to open the store

            logging.getLogger(__name__).warning(
                "nothing can be kept outside of the home, in %s: %s", self._folder, error
            )
            return False
        return True


def _own_head(core: Core) -> tuple[int, bytes]:
    if core.own_feed is None:
        return 0, b""
    place = core.feeds[core.own_feed].head_place
    return place.seq, place.id8


def ops_noted_outside(folder: Path | None, device: DeviceId, store: Path) -> int:
    """Return how many of its own ops a store had when it was noted last; 0 where it was never opened here."""
    twin = None if folder is None else RollbackGuard(folder, device, store)._read_twin()
    return 0 if twin is None else twin.seq


def _private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, for their owner alone whatever the umask."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
