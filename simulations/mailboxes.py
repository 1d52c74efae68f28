"""Play worlds in which devices meet through a mailbox only, and the mailbox is as bad as one can be.

It loses files that it acknowledged, lists late, in no order and from long ago, shows some files to some, keeps halves
and copies, is full, busy or closed, and its owner deletes, replays and swaps what he likes. Devices are rolled back,
cloned, away for a year, compacted, revoked while they still know the password, and new. In every fourth world the group
has a root, and a thief may put that out, until it puts out the thief. Then all that stops, everybody looks a few times,
and it has to hold that all agree, nothing was lost, a newcomer reads everything from the mailbox alone (within some
days where files were swapped), erased words are in no file, the mailbox is no larger than what it is for, and it comes
to rest.

    python -m simulations.mailboxes 1..3000
"""

import copy
import io
import sys
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from replica.compaction import compact
from replica.core import Core
from replica.errors import ReplicaError
from replica.ids import MemoryId, new_memory_id
from replica.limits import FRAME_BYTES_MAX
from replica.membership import introduce, name_root, revoke, revoking
from replica.ops import Erase, Forget, Remember, Write
from replica.snapshot import unseal
from replica.state.memories import MemoryCell, show
from replica.storage.memory_store import MemoryStore
from replica.zstd import decompress
from simulations.clock import DAY_MS
from simulations.device import Key
from sync.carrier.cargo import export, messages
from sync.carrier.shelf import SUFFIX, TIER_FILES_MAX, Shelf
from sync.carrier.visit import GetFile, Looked, Names, Put, Remove, Run, Save, Step, Visitor, VisitUnderWay
from sync.errors import Denied, Full, Gone, SyncError, Unreached
from sync.identity import Identity
from sync.wire.messages import Base, Ops

START_MS: Final = 1_700_000_000_000
_STEPS: Final = (30, 90)
_DEVICES: Final = (2, 5)
# After the last fault a device may still wait a day before it reads again what it could not read.
_ROUNDS_MAX: Final = 14
_SMALL_BYTES: Final = 16 * 1024
_ROOTED_SHARE: Final = 0.25
_ANSWERS_SHARE: Final = 0.03
_SWAPS_SHARE: Final = 0.5


@dataclass
class Box:
    """A mailbox and its faults, each as likely as the seed says."""

    random: Random
    files: dict[str, bytes] = field(default_factory=dict)
    ever: list[tuple[str, bytes]] = field(default_factory=list)
    before: list[dict[str, int]] = field(default_factory=list)
    hidden: dict[str, set[str]] = field(default_factory=dict)
    chances: dict[str, float] = field(default_factory=dict)
    swaps: Random = field(default_factory=Random)

    @classmethod
    def drawn(cls, seed: int) -> "Box":
        """Return the mailbox of a world, as bad as the seed says."""
        random = Random(f"mailbox of a world {seed}")
        box = cls(Random(f"box of a world {seed}"))
        box.chances = {fault: random.choice([0.02, 0.1, 0.3]) for fault in FAULTS if random.random() < 0.4}
        return box

    def happens(self, fault: str) -> bool:
        """Say whether a fault happens now."""
        return self.random.random() < self.chances.get(fault, 0.0)

    def names(self, reader: str) -> dict[str, int]:
        """List what there is, or was, or what this reader is to believe."""
        now = {name: len(data) for name, data in self.files.items()}
        self.before.append(now)
        if self.happens("rolled back"):
            now = self.random.choice(self.before)
        if self.happens("late") and now:
            for name in self.random.sample(sorted(now), self.random.randint(1, len(now))):
                if any(name == put for put, _ in self.ever[-3:]):
                    now = {each: size for each, size in now.items() if each != name}
        if self.happens("forked"):
            self.hidden.setdefault(reader, set()).update(name for name in now if self.random.random() < 0.5)
        names = [name for name in now if name not in self.hidden.get(reader, ())]
        self.random.shuffle(names)
        return {name: now[name] for name in names}

    def get(self, name: str) -> bytes:
        """Read a file, or something like it."""
        self._stumble()
        if name not in self.files:
            raise Gone(name)
        data = self.files[name]
        if self.happens("half"):
            return data[: self.random.randrange(len(data) + 1)]
        if self.happens("altered") and data:
            at = self.random.randrange(len(data))
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        return data

    def put(self, name: str, data: bytes) -> None:
        """Keep a file, or say so."""
        assert name not in self.files, "a name is never written twice"
        if self.happens("full"):
            raise Full("full")
        if self.happens("lost"):
            return
        self.ever.append((name, data))
        if self.happens("half put"):
            self.files[name] = data[: len(data) // 2]
            raise Unreached("the line went down")
        self.files[name] = data
        if self.happens("duplicate"):
            self.files[self._any_name()] = data
        self._stumble()  # it landed, and nobody is told

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._stumble()
        self.files.pop(name, None)

    def meddle(self) -> None:
        """Let the owner do as he likes."""
        if self.happens("owner deletes") and self.files:
            del self.files[self.random.choice(sorted(self.files))]
        if self.happens("owner replays") and self.ever:
            name, data = self.random.choice(self.ever)
            self.files[name] = data
        if self.happens("junk"):
            self.files[self._any_name()] = self.random.randbytes(300)
        if self.swaps.random() < self.chances.get("owner swaps", 0.0) and len(self.files) > 1:
            one, other = self.swaps.sample(sorted(self.files), 2)
            self.files[one], self.files[other] = self.files[other], self.files[one]
        if self.swaps.random() < self.chances.get("owner overwrites", 0.0) and self.files:
            self._overwrite(self.swaps.choice(sorted(self.files)))

    def heal(self) -> None:
        """Be an honest mailbox from now on."""
        self.chances.clear()
        self.hidden.clear()

    def _any_name(self) -> str:
        return self.random.randbytes(16).hex() + SUFFIX

    def _overwrite(self, name: str) -> None:
        """Put an older file in a file's place, of the same size if there is one."""
        before = [data for _, data in self.ever if data != self.files[name]]
        alike = [data for data in before if len(data) == len(self.files[name])]
        if before:
            self.files[name] = self.swaps.choice(alike or before)

    def _stumble(self) -> None:
        if self.happens("busy"):
            raise Unreached("busy")
        if self.happens("denied"):
            raise Denied("denied")


FAULTS: Final = (
    "rolled back", "late", "forked", "half", "altered", "full", "lost", "half put", "duplicate", "owner deletes",
    "owner replays", "junk", "busy", "denied",
)  # fmt: skip


@dataclass
class Visiting:
    """A device, what it remembers of the mailbox, and the last image of both."""

    name: str
    key: Key
    core: Core
    shelf: Shelf = field(default_factory=Shelf)
    rows: dict[str, bytes] = field(default_factory=dict)
    revoked: bool = False

    @property
    def identity(self) -> Identity:
        """Its key and certificate."""
        return Identity.of(self.key.private)

    def texts(self) -> dict[bytes, str]:
        """What shows here."""
        return {
            key.name: show(key.name, cell).text
            for key, cell in self.core.store.all_cells()
            if isinstance(cell, MemoryCell)
        }


class World:
    """One world; `run` plays it, and returns what did not hold."""

    def __init__(self, seed: int, *, merge_at: int | None = None, swaps: bool | None = None) -> None:
        """`merge_at`: how many own files of one size a device writes as one; drawn from the seed, mostly few.

        `swaps`: whether the owner puts files in the place of others; drawn from the seed where nothing is said.
        """
        self.random = Random(f"mailbox {seed}")
        self.merge_at = merge_at or Random(f"merging {seed}").choice([2, 3, 5, TIER_FILES_MAX])
        self.rooted = Random(f"rooted {seed}").random() < _ROOTED_SHARE
        self.thief: Visiting | None = None
        self.now_ms = START_MS
        self.box = Box(Random(f"box {seed}"), swaps=Random(f"swaps {seed}"))
        self.box.chances = {
            fault: self.random.choice([0.02, 0.1, 0.3]) for fault in FAULTS if self.random.random() < 0.5
        }
        self.swaps = self.box.swaps.random() < _SWAPS_SHARE if swaps is None else swaps
        if self.swaps:
            self.box.chances |= {"owner swaps": 0.1, "owner overwrites": 0.1}
        self.devices = [self._new(f"device {n}") for n in range(self.random.randint(*_DEVICES))]
        for device in self.devices[1:]:
            self._acquaint(self.devices[0], device)
        self.erased: dict[MemoryId, str] = {}
        self.count = 0
        self.images: list[tuple[Visiting, MemoryStore, dict[str, bytes]]] = []

    def run(self) -> list[str]:
        """Play, heal, and check."""
        for _ in range(self.random.randint(*_STEPS)):
            self._step()
        self.box.heal()
        self._answer_thief()
        everybody = {each.name: each.texts() for each in self.devices}
        if not self._settles():
            return ["the mailbox does not come to rest"]
        held = {rid: text for each in self.members() for rid, text in everybody[each.name].items()}
        return self._check(held)

    def members(self) -> list[Visiting]:
        """Return those who are in the group, as whoever knows most of it knows it: some were never heard of again."""
        honest = [each for each in self.devices if not each.revoked]
        known = max(honest, key=lambda each: len(each.core.membership.members)).core.membership.members
        return [each for each in honest if each.key.device in known]

    # -- what happens ----------------------------------------------------------------------------------------

    def _step(self) -> None:
        self.now_ms += self.random.choice([1_000, 60_000, 3_600_000, DAY_MS])
        device = self.random.choice(self.devices)
        what = self.random.random()
        if self.thief is not None and self.random.random() < _ANSWERS_SHARE:
            self._answer_thief()
        if what < 0.5:
            self._visit(device)
        elif what < 0.75:
            self._remember(device)
        elif what < 0.80:
            self._erase_or_forget(device)
        elif what < 0.83:
            self.images.append((device, copy.deepcopy(device.core.store), dict(device.rows)))  # type: ignore[arg-type]
        elif what < 0.86 and self.images:
            self._roll_back()
        elif what < 0.87 and len(self.devices) < 7:
            newcomer = self._new(f"newcomer {len(self.devices)}")
            self._acquaint(self.random.choice(self.members()), newcomer)
            self.devices.append(newcomer)
        elif what < 0.88 and len(self.members()) > 2:
            self._revoke()
        elif what < 0.89:
            self.now_ms += 365 * DAY_MS
        elif what < 0.91:
            compact(device.core, self.now_ms)
        elif what < 0.95 and self.rooted:
            self._put_out_the_root()
        self.box.meddle()

    def _visit(self, device: Visiting) -> Looked | None:
        if device.revoked and self.box.files and self.random.random() < 0.3:
            # It still knows the password, and does what it likes.
            del self.box.files[self.random.choice(sorted(self.box.files))]
        visitor = Visitor(
            device.shelf, device.identity, now_ms=lambda: self.now_ms, entropy=self.random.randbytes
        )
        try:
            return drive(visitor.visit(), device, self.box, self.random)
        except SyncError:
            return None  # later

    def _remember(self, device: Visiting) -> None:
        writes = []
        for _ in range(self.random.choice([1, 1, 1, 5])):
            self.count += 1
            rid = new_memory_id(self.now_ms, self.random)
            writes.append(Write(Remember(f"word{self.count}x of {device.name}", {}), rid))
        device.core.commit(sorted(writes, key=lambda write: write.rid or b""), self.now_ms)

    def _erase_or_forget(self, device: Visiting) -> None:
        texts = device.texts()
        if not texts or device.revoked:
            return
        rid = MemoryId(self.random.choice(sorted(texts)))
        if self.random.random() < 0.5:
            device.core.commit([Write(Erase((rid,)), None)], self.now_ms)
            self.erased[rid] = texts[rid]
        else:
            device.core.commit([Write(Forget((rid,)), None)], self.now_ms)

    def _roll_back(self) -> None:
        device, store, rows = self.random.choice(self.images)
        if device.revoked:
            return
        core = self._core(device.key, copy.deepcopy(store))
        if self.random.random() < 0.5:
            device.core, device.rows, device.shelf = core, dict(rows), self._shelf(rows)
        else:
            self.devices.append(
                Visiting(f"{device.name}, cloned", device.key, core, self._shelf(rows), dict(rows))
            )

    def _revoke(self) -> None:
        by, out = self.random.sample(self.members(), 2)
        if self.rooted:  # what another revokes, an elder may undo: a world would have to know who stands
            by = self.devices[0]
        everybody = {each.key.device for each in self.members()}
        if by.key.device == out.key.device or any(
            not everybody <= each.core.membership.members.keys() for each in self.members()
        ):
            return  # whoever revokes the only one it knows leaves the group, on links too
        sign = by.key.private.sign  # as the program does: whom that had introduced, the root keeps
        acts = revoking(by.core.membership, sign, by.key.device, [out.key.device])
        by.core.learn(*acts, now_ms=self.now_ms)
        for each in self.devices:
            each.revoked |= each.key.device == out.key.device

    def _put_out_the_root(self) -> None:
        """Let a thief with a member's device revoke the root: it counts until the root revokes the thief."""
        root, thief = self.devices[0], self.random.choice(self.members())
        everybody = {each.key.device for each in self.members()}
        if self.thief is not None or len(everybody) < 3 or thief.key.device == root.key.device:
            return
        if any(not everybody <= each.core.membership.members.keys() for each in self.members()):
            return  # whom the root does not know, it cannot keep
        self.thief = thief
        thief.core.learn([], [revoke(thief.key.private.sign, thief.key.device, root.key.device)])
        self._visit(thief)
        for each in self.devices:
            each.revoked |= each.key.device == thief.key.device

    def _answer_thief(self) -> None:
        root, thief = self.devices[0], self.thief
        if thief is None or thief.key.device in root.core.membership.revoked:
            return
        acts = revoking(root.core.membership, root.key.private.sign, root.key.device, [thief.key.device])
        root.core.learn(*acts, now_ms=self.now_ms)

    # -- what has to hold ------------------------------------------------------------------------------------

    def _settles(self) -> bool:
        for _ in range(_ROUNDS_MAX):
            self.now_ms += DAY_MS + 3_600_000
            before = dict(self.box.files)
            looks = [self._visit(device) for device in self.members() for _ in range(3)]
            if before == self.box.files and all(each and not each.taken and not each.again for each in looks):
                return True
        return False

    def _check(self, held: dict[bytes, str]) -> list[str]:
        wrong, members = [], self.members()
        if len({each.core.digests() for each in members}) > 1:
            wrong.append("devices disagree")
        shown = members[0].texts()
        gone = set(members[0].core.erased) | members[0].core.store.tombstoned(held)
        if lost := held.keys() - shown.keys() - gone:
            wrong.append(f"lost: {sorted(held[rid] for rid in lost)}")
        newcomer = self._new("the last")
        self._acquaint(members[0], newcomer)
        for each in [members[0], newcomer, newcomer]:
            self._visit(each)
        if (
            self.swaps
        ):  # whoever had read a file does not see that it is another now; the newcomer does, and removes it
            self.devices.append(newcomer)
            if not self._settles():
                wrong.append("the mailbox does not come to rest after a newcomer came")
        if newcomer.texts() != members[0].texts():
            wrong.append("a newcomer does not read everything")
        self._visit(members[0])
        known = members[0].core.erased
        words = [text.split()[0].encode() for rid, text in self.erased.items() if rid in known]
        for name, data in self.box.files.items():
            said = b"".join(told_by(newcomer.identity, data))
            wrong += [f"{word.decode()} was erased and is in {name}" for word in words if word in said]
        history = io.BytesIO()
        export(members[0].core, {}, self.now_ms, history, entropy=self.random.randbytes)
        size = sum(len(data) for data in self.box.files.values() if len(data) != 300)
        if size > (bound := 2 * len(history.getvalue()) + len(self.devices) * 16 * _SMALL_BYTES):
            wrong.append(f"{size} bytes in the mailbox, {bound} would do")
        return wrong

    # -- who is who ------------------------------------------------------------------------------------------

    def _core(self, key: Key, store: MemoryStore) -> Core:
        return Core(store, device=key.device, sign=key.private.sign, random=Random(self.random.random()))

    def _shelf(self, rows: Mapping[str, bytes]) -> Shelf:
        return Shelf(rows.items(), merge_at=self.merge_at)

    def _new(self, name: str) -> Visiting:
        key = Key.draw(self.random)
        device = Visiting(name, key, self._core(key, MemoryStore()), self._shelf({}))
        device.core.found(introduction(device, device))
        return device

    def _acquaint(self, one: Visiting, other: Visiting) -> None:
        if self.rooted:
            one.core.expect_root(other.key.device, root_of(one))
        one.core.learn([introduction(one, other)], [], now_ms=self.now_ms)
        if self.rooted:
            other.core.expect_root(one.key.device, None)
        other.core.learn([introduction(other, one)], [], now_ms=self.now_ms)


def root_of(device: Visiting) -> Any:
    return name_root(
        device.key.private.sign, device.key.device, public_key=device.key.public, name=device.name
    )


def introduction(by: Visiting, who: Visiting) -> Any:
    return introduce(
        by.key.private.sign,
        by.key.device,
        public_key=who.key.public,
        certificate=who.identity.certificate,
        name=who.name,
    )


def drive(visit: Generator[Step, Any, Looked], device: Visiting, box: Box, random: Random) -> Looked:
    """Do what a visit wants done."""
    under_way = VisitUnderWay(visit)
    while (step := under_way.proceed()) is not None:
        with under_way.trying():
            under_way.result = _do(step, device, box, random)
    return under_way.looked


def _do(step: Step, device: Visiting, box: Box, random: Random) -> Any:
    match step:
        case Names():
            return box.names(device.name)
        case GetFile(name, size):
            return io.BytesIO(box.get(name)[:size])
        case Put(name, data):
            random.randbytes(16)  # names were drawn once: without this, every seed would be another world
            return box.put(name, data)
        case Remove(name):
            return box.remove(name)
        case Run(fn):
            return fn(device.core)
        case Save(new, gone):
            device.rows |= new
            for name in gone:
                device.rows.pop(name, None)
            return None


def told_by(identity: Identity, data: bytes) -> Iterator[bytes]:
    """Return what a file says, unpacked, as far as it can be opened."""
    parts: list[bytes] = []
    try:
        for message in messages(identity, io.BytesIO(data)):
            match message:
                case Ops(frame):
                    yield decompress(frame, FRAME_BYTES_MAX)
                case Base():
                    parts.append(message.part)
        if parts:
            yield unseal(b"".join(parts))[1]
    except (SyncError, ReplicaError):
        return


def main(seeds: str) -> int:
    """Play worlds; print and count those in which something did not hold."""
    first, _, last = seeds.partition("..")
    failed = 0
    for seed in range(int(first), int(last or first) + 1):
        try:
            wrong = World(seed).run()
        except Exception as error:  # whatever it is, the seed replays it
            wrong = [repr(error)]
        if wrong:
            failed += 1
            print(f"{seed}: {'; '.join(wrong)[:300]}", flush=True)  # noqa: T201
    print(f"{failed} of {seeds} failed", flush=True)  # noqa: T201
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
