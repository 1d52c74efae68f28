"""The law of tellings at random, without sockets: what was told is there until somebody forgets it who had it.

    python -m tests.support.told 10000 --store sqlite        # or memory; --first N replays history N

A history: three devices tell, repeat, edit, label, forget, unlink, think, compact, die, and come back from copies of
their disks, apart and together. Beside each of them stands what it must know: sets of what was said to it, joined when
two devices meet, and nothing of how ops are folded. What a device must know and nobody forgot has to stand in its
state, in a list and in an export; of some of it a recall of its own words is made, which has to bring these first.

Two of the three keep their state in the store that is tried. The third is on SQLite always: it alone thinks. What is in
memory is looked at cell by cell, and by the views of a new device that joins at the end.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Final, Literal, NamedTuple

from cognition.background import queue
from cognition.decay import PROFILE_DEFAULT, PROFILES
from cognition.embedding.hashed import HashedEmbedder
from cognition.filters import Filters
from cognition.ingest import linking
from cognition.ingest.gate import NewTelling, TellingReader
from cognition.memories import Shown
from cognition.steps import steps
from replica import Core, MemoryId, Remember, Write, introduce, links_of, new_memory_id, show_memory_id
from replica.codec import read_place, unpack
from replica.compaction import LEASE_MS, compact
from replica.labelling import label_writes
from replica.ops import Forget, SaysSame, Unlink
from replica.state.cells import TellingLink
from replica.verify import verify_replica
from samemind.commands.memories import _forgetting as changes
from samemind.commands.memories import _standing as standing
from samemind.commands.portable.export import export_lines
from simulations.checkers.tellings import recalled
from simulations.disk import THRESHOLDS, MemoryDisk, SqliteDisk
from tests.support.links import identity
from tests.support.minimal_pairs import DIFFERENT, REPEATED
from tests.support.replicas import acquaint, memories, sync

StoreName = Literal["sqlite", "memory"]
STORES: Final[tuple[StoreName, ...]] = ("sqlite", "memory")
NAMES: Final = ("laptop", "phone", "desk")
READER: Final = "reader"
NOW_MS: Final = 1_700_000_000_000
STEP_MS: Final = 60_000
STEPS: Final = (6, 22)
SUBJECTS: Final = 3
# Tellings that each of two devices is asked for at the end, the one that thinks and a new one: milliseconds each.
SOME: Final = 4
LIST_MAX: Final = 10_000
CYCLES_MAX: Final = 20
EVERYTHING: Final = Filters(include_archived=True)
PAIRS: Final = [pair for pairs in DIFFERENT.values() for pair in pairs] + list(REPEATED)
# What cannot all be true, and what is nobody's rival: a recall shows the sides of a dispute beside each other,
# which must push nothing out that was asked for.
RIVALS: Final = (
    ("I live in Lisbon", "I live in Porto", "The train goes from Lisbon to Porto"),
    ("I work at Siemens", "I work at Bosch", "Siemens and Bosch build fridges"),
    ("Ich wohne in Bremen", "Ich wohne in Kiel", "Von Bremen nach Kiel fährt ein Zug"),
)
RIVALS_CHANCE: Final = 0.5
LABELS: Final = ("home", "work", "later")
# How a telling is said again: with other signs, in other letters, with other spaces.
ADORNED: Final[tuple[Callable[[str], str], ...]] = (
    str,
    str,
    lambda text: f"{text}!",
    lambda text: f"{text}.",
    str.upper,
    str.lower,
    lambda text: f"{text}  ",
)
EMBEDDER: Final = HashedEmbedder()


class Lost(AssertionError):
    """Something that was told is not where it has to be."""


class Edited(NamedTuple):
    """An edit of a telling, and the edits of it that its author had."""

    number: int
    rid: MemoryId
    text: str
    after: frozenset[int]


@dataclass
class Knowledge:
    """What was said to a device, by itself or by others: each set only grows."""

    told: dict[MemoryId, str] = field(default_factory=dict)
    gone: set[MemoryId] = field(default_factory=set)
    edits: set[Edited] = field(default_factory=set)
    on: set[tuple[int, MemoryId, str]] = field(default_factory=set)
    off: set[int] = field(default_factory=set)

    def copy(self) -> "Knowledge":
        return Knowledge(dict(self.told), set(self.gone), set(self.edits), set(self.on), set(self.off))

    def join(self, other: "Knowledge") -> None:
        self.told |= other.told
        self.gone |= other.gone
        self.edits |= other.edits
        self.on |= other.on
        self.off |= other.off

    def living(self) -> list[MemoryId]:
        return sorted(self.told.keys() - self.gone)

    def text(self, rid: MemoryId) -> str | None:
        """What a telling reads; None where edits that did not know of each other made a text of both."""
        edits = [each for each in self.edits if each.rid == rid]
        if not edits:
            return self.told[rid]
        last = max(edits, key=lambda each: len(each.after))
        return last.text if last.after == {each.number for each in edits} - {last.number} else None

    def labels(self, rid: MemoryId) -> set[str]:
        return {label for number, about, label in self.on if about == rid and number not in self.off}


class Party:
    """One device, and what it must know."""

    def __init__(self, name: str, disk: SqliteDisk | MemoryDisk, seed: str) -> None:
        self.name = name
        self.known = Knowledge()
        self.start(disk, seed)

    now_ms = NOW_MS

    def start(self, disk: SqliteDisk | MemoryDisk, seed: str) -> None:
        """Open a disk, as a process does when it starts."""
        who = identity(self.name)
        self.disk = disk
        self.core = Core(disk.store, device=who.device_id, sign=who.sign, random=Random(seed))
        self.reader: TellingReader | None = None
        if isinstance(disk, SqliteDisk):
            self.reader = TellingReader(disk.store.local, lambda: self.now_ms, newer=False)
            self.reader.open(disk.connection)
        self.steps = steps(THRESHOLDS)

    def tell(self, rid: MemoryId, text: str, now_ms: int) -> None:
        """Store a telling: where it can be read later, that is not done here."""
        self.core.begin(now_ms)
        if self.reader is None or isinstance(self.disk, MemoryDisk):
            self.core.commit(linking.as_told([Write(Remember(text, {}), rid)], self.again(text), rid), now_ms)
        else:
            told = NewTelling(rid, text, {}, now_ms)
            self.reader.tell(self.core, self.disk.connection, told, facts=True)

    def read(self, now_ms: int) -> None:
        """Read what was told: find what says the same, and take the facts out."""
        self.now_ms = now_ms
        if self.reader is not None and isinstance(self.disk, SqliteDisk):
            self.core.begin(now_ms)
            while self.reader.waits:
                self.reader.read_some(self.core, self.disk.connection, inf)

    def again(self, text: str) -> linking.Again:
        """What a new text says again, by what is in this memory."""
        known = [
            Shown(number, 0, self.core.device, b"", None, memory)
            for number, memory in enumerate(memories(self.core).values())
        ]
        said = linking.judged(text, {}, known)
        return linking.Again(link=(said[0][0].rid, said[0][1])) if said else linking.Again()

    def links(self, rid: MemoryId) -> Unlink | None:
        """What takes a memory out of all its links."""
        if isinstance(self.disk, SqliteDisk):
            places = links_of(self.disk.connection, [rid])
        else:
            places = [
                read_place(unpack(key.name))
                for key, cell in self.core.store.all_cells()
                if isinstance(cell, TellingLink) and rid in cell.rids
            ]
        return Unlink(tuple(sorted(places))) if places else None

    def covered(self, rid: MemoryId) -> list[MemoryId]:
        """What goes with a telling that is forgotten."""
        if isinstance(self.disk, SqliteDisk):
            return sorted(changes.told_as(self.disk.connection, rid, None))
        return [rid]


class History:
    """One history, drawn from its number."""

    def __init__(self, number: int, store: StoreName) -> None:
        self.number, self.store = number, store
        self.random = Random(f"told {number}")
        self.now_ms = NOW_MS
        self.deeds = 0
        self.sayings = [text for pair in self.random.sample(PAIRS, SUBJECTS) for text in pair]
        if self.random.random() < RIVALS_CHANCE:
            self.sayings[2:] = self.random.choice(RIVALS)
        kinds = {"laptop": store, "phone": store, "desk": "sqlite"}
        self.parties = [self.party(name, kinds[name]) for name in NAMES]
        for party in self.parties:
            acquaint(party.core, party.name, *NAMES)
        self.images: list[tuple[Party, SqliteDisk | MemoryDisk, Knowledge]] = []

    def party(self, name: str, kind: str) -> Party:
        """A new device."""
        disk = SqliteDisk(thinks=True) if kind == "sqlite" else MemoryDisk()
        party = Party(name, disk, f"{name} {self.number}")
        own = identity(name)
        party.core.found(
            introduce(
                own.sign, own.device_id, public_key=own.public_key, certificate=own.certificate, name=name
            )
        )
        return party

    def run(self) -> None:
        """Play it, and look for everything now and then and at the end."""
        for _ in range(self.random.randint(*STEPS)):
            self.now_ms += STEP_MS
            party = self.random.choice(self.parties)
            deed = self.random.choice(_DEEDS)
            deed(self, party)
        for party in self.parties:
            party.read(self.now_ms)
        for one, other in ((0, 1), (1, 2), (0, 1)):
            self._meet(self.parties[one], self.parties[other])
        if len({party.core.digests() for party in self.parties}) != 1:
            raise Lost("the devices hold the same, and show something else")
        for party in self.parties:
            look_at_state(party)
        reader = self.party(READER, "sqlite")
        host = self.random.choice(self.parties)
        acquaint(host.core, host.name, READER)
        acquaint(reader.core, READER, *NAMES)
        self._meet(host, reader)
        groups = set()
        for party in (*self.parties, reader):
            if isinstance(party.disk, SqliteDisk):
                look_at_lists(party, party.disk)
                groups.add(shown_as_one(party.disk))
        if len(groups) != 1:
            raise Lost("the devices hold the same, and show other tellings as one")
        for party in (reader, self.parties[-1]):
            living = party.known.living()
            some = self.random.sample(living, min(SOME, len(living)))
            look_at_recalls(party, party.disk, some, self.now_ms)
        if problems := verify_replica(self.random.choice(self.parties).core).problems:
            raise Lost(f"verify: {problems[0]}")

    # -- what people do -----------------------------------------------------------------------------------

    def tell(self, party: Party) -> None:
        """Say one thing, or several at once."""
        for _ in range(self.random.choice((1, 1, 1, 3))):
            text = self.random.choice(ADORNED)(self.random.choice(self.sayings))
            rid = new_memory_id(self.now_ms, self.random)
            party.tell(rid, text, self.now_ms)
            party.known.told[rid] = text

    def read(self, party: Party) -> None:
        """Read what was told since, as a device does a moment later, or at its next start."""
        party.read(self.now_ms)

    def forget(self, party: Party) -> None:
        """Forget what is shown for a telling: all of it has to be known here."""
        if living := party.known.living():
            rids = party.covered(self.random.choice(living))
            if not party.known.told.keys() >= {*rids}:
                raise Lost(f"{party.name} forgets what it was never told")
            self._commit(party, [Write(Forget(tuple(rids)))])
            party.known.gone |= {*rids}

    def unlink(self, party: Party) -> None:
        """Take a telling out of its group."""
        if (living := party.known.living()) and (body := party.links(self.random.choice(living))):
            self._commit(party, [Write(body)])

    def link(self, party: Party) -> None:
        """Link two tellings that say different things: wrong, and harmless."""
        if len(living := party.known.living()) > 1:
            one, other = sorted(self.random.sample(living, 2))
            self._commit(party, [Write(SaysSame((one, other), self.random.randint(1, 100)))])

    def edit(self, party: Party) -> None:
        """Change the words of one telling, and of no other."""
        if living := party.known.living():
            rid, text = self.random.choice(living), self.random.choice(self.sayings)
            self.deeds += 1
            if memories(party.core)[rid].text != text:
                after = frozenset(each.number for each in party.known.edits if each.rid == rid)
                self._commit(party, party.core.edits_of(rid, text))
                party.known.edits.add(Edited(self.deeds, rid, text, after))

    def label(self, party: Party) -> None:
        """Put a label on a telling, or take one off."""
        if living := party.known.living():
            rid, label = self.random.choice(living), self.random.choice(LABELS)
            self.deeds += 1
            if self.random.random() < 0.7:
                self._commit(party, label_writes(rid, on=[label]))
                party.known.on.add((self.deeds, rid, label))
            else:
                self._commit(party, label_writes(rid, off=[label]))
                party.known.off |= {
                    number for number, about, name in party.known.on if (about, name) == (rid, label)
                }

    # -- what devices do ----------------------------------------------------------------------------------

    def think(self, party: Party) -> None:
        """Read and embed what is due, and run the steps of thinking."""
        party.read(self.now_ms)
        if not isinstance(party.disk, SqliteDisk):
            return
        connection = party.disk.connection
        space = queue.enter_space(connection, EMBEDDER.name, now_ms=self.now_ms)
        while jobs := queue.due(connection, now_ms=self.now_ms, limit=queue.BATCH_MAX):
            queue.done(connection, space, jobs, EMBEDDER.embed([job.text for job in jobs]))
        for step in party.steps:
            for _ in range(CYCLES_MAX):
                if not step.run(party.core, connection, self.now_ms).more:
                    break

    def meet(self, party: Party) -> None:
        """Meet another device, which leaves both with all that either knew."""
        self._meet(party, self.random.choice([each for each in self.parties if each is not party]))
        look_at_state(party)
        if isinstance(party.disk, SqliteDisk):
            look_at_lists(party, party.disk)

    def compact(self, party: Party) -> None:
        """Fold the log into the base: others meet it as a snapshot."""
        compact(party.core, self.now_ms + LEASE_MS)

    def reopen(self, party: Party) -> None:
        """Die between two writes, and start again."""
        party.start(party.disk, f"{self.number} {self.now_ms}")

    def copy(self, party: Party) -> None:
        """Copy a disk."""
        self.images.append((party, party.disk.image(), party.known.copy()))

    def restore(self, party: Party) -> None:
        """Start from a copy of the disk: what only this device knew since is lost with the disk, and nothing else."""
        mine = [(disk, known) for owner, disk, known in self.images if owner is party]
        if mine:
            disk, known = self.random.choice(mine)
            party.known = known.copy()
            party.start(disk.image(), f"{self.number} {self.now_ms}")
            if self.random.random() < 0.5:
                party.core.incarnate()

    def _meet(self, one: Party, other: Party) -> None:
        sync(one.core, other.core, self.now_ms)
        one.known.join(other.known)
        other.known = one.known.copy()

    def _commit(self, party: Party, writes: list[Write]) -> None:
        party.core.begin(self.now_ms)
        party.core.commit(writes, self.now_ms)


_DEEDS: Final = (
    *(History.tell,) * 9,
    *(History.meet,) * 4,
    *(History.read,) * 4,
    *(History.forget, History.unlink, History.think, History.label, History.edit) * 2,
    *(History.link, History.compact, History.reopen, History.copy, History.restore),
)


# -- looking -----------------------------------------------------------------------------------------------


def look_at_state(party: Party) -> None:
    """Look for every living telling, with its words and labels, among the cells."""
    shown = memories(party.core)
    for rid in party.known.living():
        memory = shown.get(rid)
        wanted = party.known.text(rid)
        if memory is None or wanted not in (None, memory.text):
            raise Lost(f"{party.name}: {rid.hex()[:8]} should say {wanted!r}, got {memory and memory.text!r}")
        if not party.known.labels(rid) <= {*memory.fields.get("tags", ())}:
            raise Lost(f"{party.name}: {rid.hex()[:8]} lost a label of {party.known.labels(rid)}")
    for rid in party.known.gone:
        if rid in shown:
            raise Lost(f"{party.name}: {rid.hex()[:8]} was forgotten, and is back")


def look_at_lists(party: Party, disk: SqliteDisk) -> None:
    """Look for every living telling in a list and in an export."""
    wanted = {show_memory_id(rid) for rid in party.known.living()}
    for filters in (Filters(), EVERYTHING):
        if missing := wanted - {*_listed(disk, filters)}:
            raise Lost(f"{party.name}: {len(missing)} tellings are in no list ({filters.include_archived})")
    lines = map(json.loads, export_lines(disk.connection))
    exported = {line["rid"]: line for line in lines if line["kind"] == "memory"}
    for rid in party.known.living():
        line = exported.get(show_memory_id(rid))
        text = party.known.text(rid)
        if line is None or text not in (None, line["text"]):
            raise Lost(f"{party.name}: {text!r} is not in the export")
        if not party.known.labels(rid) <= {*line.get("tags", ())}:
            raise Lost(f"{party.name}: a label of {text!r} is not in the export")


def look_at_recalls(
    party: Party, disk: SqliteDisk | MemoryDisk, rids: Iterable[MemoryId], now_ms: int
) -> None:
    """Ask for tellings in their own words: each has to come first, by its very letters."""
    assert isinstance(disk, SqliteDisk)
    shown = memories(party.core)
    for text in sorted({shown[rid].text for rid in rids}):
        hits = recalled(disk, text, now_ms)
        if not hits or hits[0].memory.text != text:
            found = hits[0].memory.text if hits else "nothing"
            raise Lost(f"{party.name}: a recall of {text!r} brings {found!r} first")


def shown_as_one(disk: SqliteDisk) -> frozenset[frozenset[bytes]]:
    """The groups of tellings that a device shows."""
    found: dict[int, set[bytes]] = {}
    rows = disk.connection.execute("SELECT t.grp, m.rid FROM telling t JOIN memory m ON m.id = t.id")
    for group, rid in rows:
        found.setdefault(group, set()).add(rid)
    return frozenset(frozenset(rids) for rids in found.values() if len(rids) > 1)


def _listed(disk: SqliteDisk, filters: Filters) -> Iterator[str]:
    """The ids of all that a list shows: by itself, with what says the same, or by a summary of it."""
    page = standing.list_page(
        disk.connection,
        filters,
        limit=LIST_MAX,
        offset=0,
        now_ms=NOW_MS,
        profile=PROFILES[PROFILE_DEFAULT],
    )
    for view in page.memories:
        yield from (view.rid, *view.same, *view.summary_of)


def run_histories(numbers: Iterable[int], store: StoreName) -> None:
    """Run histories; `Lost` says what is missing, and which command shows it again."""
    for number in numbers:
        try:
            History(number, store).run()
        except Exception as error:
            replay = f"python -m tests.support.told 1 --first {number} --store {store}"
            raise Lost(f"{error}\nreplay: {replay}") from error


def main(words: list[str]) -> int:
    """Run as many histories as are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.told", description=__doc__)
    parser.add_argument("histories", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--store", choices=STORES, default="sqlite")
    options = parser.parse_args(words)
    run_histories(range(options.first, options.first + options.histories), options.store)
    print(f"{options.histories} histories from {options.first} on, {options.store}: nothing lost")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
