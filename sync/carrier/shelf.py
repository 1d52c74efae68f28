"""Decide what to fetch from a place that several devices write files to, what to write, and what to remove there.

The place (a folder, a mailbox) is blind, lossy and untrusted: it may lose files, show them late, show old ones again.
So nothing rests on its word. What counts is what is listed and was taken here: each file is fetched once, and again if
its size changed, and what was found in it is remembered. A file is *good* if it was made by a member, for everybody
who is a member now, by a device that knew of every erasure known here. Good files *reach* what somebody who holds
nothing can take from them, one file after the other, each with all that its ops follow and have seen; whatever they do
not reach is written again. So a loss is made up for by whoever looks next, and no two files wait for each other.

A name is the hash of what was written under it, so nobody ever writes over a file, and whoever reads one knows whether
the place has swapped or altered it. Who had taken the file before does not see that, and goes on counting it; so
whoever reads other bytes there for an hour removes it, and then all see that it is missing.

Files only leave: a file that is not good leaves once good ones reach what it has, whoever made it; a device's own also
when larger ones have the same; what was altered, after an hour; and what could not be read for a month. Own files of
one size are merged into one when there are many. All this only removes what others can find elsewhere in the place or
write again. So what is whole and sealed for others stays: it may be all that another group has there.
"""

import hashlib
import math
import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice, zip_longest
from typing import Any, Final, NamedTuple

from replica.codec import pack, read_place, unpack, wire_place
from replica.core import Core
from replica.errors import InvalidOp
from replica.ids import DeviceId, OpRef, Origin
from sync.carrier.cargo import Reach, known_to, readers_of
from sync.carrier.header import Header, KnownState, short
from sync.carrier.sealing import FILE_BYTES_MIN

SUFFIX: Final = ".samemind"
# Enough that most visits write only what is new, few enough that a newcomer opens some dozens for each device.
TIER_FILES_MAX: Final = 16
# Each class of size is so many times as large as the one below.
_TIER_FACTOR: Final = 16
# A file ends after about so much: what one request carries over a poor line. Files half as large are not merged.
FILE_BYTES_TARGET: Final = 8 << 20
# A base of a hundred thousand memories is some 40 MB; a larger file is nobody's but a vandal's.
FILE_BYTES_MAX: Final = 256 << 20
# What one look fetches at most: the rest waits for the next, so that a flood only delays.
FETCH_FILES_MAX: Final = 1_000
FETCH_BYTES_MAX: Final = 512 << 20
# A listing may be late: for so long a file that was written here and is not listed is not written again.
LISTED_MS_MAX: Final = 120_000
# More names than this are remembered of no place: some are fetched anew then.
NAMES_MAX: Final = 100_000
UNREADABLE_MS_MAX: Final = 30 * 24 * 3_600_000
# A file is read three times until then: it may still be on its way there. Where one device alone is served other bytes,
# whatever the others write, it waits twice as long each time, and is at its word again after as many days.
ALTERED_MS_MIN: Final = 3_600_000
ALTERED_MS_MAX: Final = 24 * 3_600_000
# The clock may jump by hours, and a device that slept may have too much else to read first.
_ALTERED_READS_MIN: Final = 3
# How often what waits is tried as soon as something else came; then as seldom as what cannot be read.
_TRIES_AT_ONCE_MAX: Final = 5
_RETRY_MS_MIN: Final = 600_000
# A line may have been down for a moment.
_FETCH_MS_MIN: Final = 60_000
_RETRY_MS_MAX: Final = 24 * 3_600_000
_NAME_DIGITS: Final = 32
# What file systems take. Names that some service gave to copies of our files are longer than ours, but not for ever.
_NAME_CHARACTERS_MAX: Final = 255
# Whoever keeps the files may list any name: what names a place in another folder, here or there, is not asked for. Nor
# is one that is no UTF-8, as a stick gives that was written under another system: a store cannot remember it.
_READABLE: Final = re.compile(r"[^/\\:\x00-\x1f\x7f\ud800-\udfff]+\.samemind")
# What this program names files, and what 0.1.0 did. What somebody else put there is not ours to remove.
_OURS: Final = re.compile(r"([0-9a-f]{32}|[0-9a-f]{16}-[0-9]{6,})\.samemind")
_HASH: Final = re.compile(rf"[0-9a-f]{{{_NAME_DIGITS}}}\.samemind")

SeqRange = tuple[int, int, int]
"""A feed, and the seqs between which a file has its ops: behind the first, up to and with the second."""


class Placed(NamedTuple):
    """What a file has of the feeds known here, and how far its ops have seen them."""

    ranges: tuple[SeqRange, ...]
    needs: dict[int, int]


class FileState(IntEnum):
    """What came of a file."""

    TAKEN = 1
    WAITS = 2
    """It is whole, but something that must come first is missing, or this device's store has no room for it."""
    UNREADABLE = 3
    """It is sealed for others, not whole, or nonsense."""
    STRANGE = 4
    """It is whole and for us, and made by nobody who is a member as far as is known here."""
    ALTERED = 5
    """It is not what was written under its name. What can be taken of it is taken, but it counts for nothing."""
    UNFETCHED = 6
    """It is listed, and the place does not hand it out: a bad spot of a disk, or rights that only its maker has."""
    SEALED = 7
    """It is what was written under its name, and has no key for this device: nobody here ever reads it."""


# For how long a file stays of which nothing counts.
_LASTS_MS_MAX: Final = {
    FileState.UNREADABLE: UNREADABLE_MS_MAX,
    FileState.STRANGE: UNREADABLE_MS_MAX,
}


@dataclass(frozen=True, slots=True)
class Filed:
    """A file that was taken: what it says of itself, and what was found in it."""

    maker: DeviceId
    made_ms: int
    readers: frozenset[bytes]
    known: KnownState
    tells_group: bool
    reaches: tuple[Reach, ...]
    needs: tuple[OpRef, ...]
    """What its ops have seen, in the file or out of it."""

    @classmethod
    def of(cls, header: Header, reaches: Iterable[Reach], needs: tuple[OpRef, ...]) -> "Filed":
        """Put together what is remembered of a file."""
        return cls(
            header.maker,
            header.made_ms,
            header.readers,
            header.known,
            header.tells_group,
            _joined(reaches),
            needs,
        )


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What is remembered of one name. `size`: as listed; `tries`: how often it was read in vain; `tried_ms`: when last.

    `listed`: it was seen in a listing; a file that was only written may never have arrived.
    """

    size: int
    state: FileState
    since_ms: int
    tried_ms: int
    tries: int = 0
    filed: Filed | None = None
    reason: str = ""
    listed: bool = True

    @property
    def is_altered(self) -> bool:
        """Whether it was read twice and more, and never what its name says: once, it may have been on its way."""
        return self.state is FileState.ALTERED and self.tries > 0


class File(NamedTuple):
    """A file of a place, as a plan looks at it."""

    filed: Filed
    size: int
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do to the place now: first write a file of what goes beyond `known`, then remove files.

    `own`, `others`: it lacks ops of this device, or of others only, which they may be about to write themselves.
    `tells_group`: this device says in no good file who belongs to the group and what was erased. `merges`: there are
    many small files. `frees`: more may be removed as soon as what was written is listed. `lost`: which files were
    there, would still be good, and had what is to be written now; nobody honest removes or changes one.
    """

    known: dict[int, int]
    own: bool
    others: bool
    tells_group: bool
    merges: bool
    remove: tuple[str, ...]
    frees: bool = False
    lost: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether there is anything to write."""
        return self.own or self.others or self.tells_group or self.merges


class Shelf:
    """What one device remembers of one place. `rows`: what `changes` returned; `merge_at`: own files of one size."""

    def __init__(self, rows: Iterable[tuple[str, bytes]] = (), *, merge_at: int = TIER_FILES_MAX) -> None:
        self._merge_at = merge_at
        self._kept: dict[str, FileRecord] = {}
        self._changed: set[str] = set()
        # Of names that were listed and never read yet, the hash of each, in the order in which they came up. Written
        # down nowhere. The names themselves took 16 MB for each place that lists as many as it may.
        self._unread = array("q")
        # What was taken and counts no more, as long as no other file has it. Written down nowhere.
        self._missing: dict[str, Filed] = {}
        # For what there was no room on this device when it was to be fetched or taken last. Written down nowhere.
        self._no_room: set[str] = set()
        self._room_made = False
        # How often what was altered was removed lately, and when last. Written down nowhere.
        self._doubts, self._doubted_ms = 0, 0
        for name, data in rows:
            kept = _read_kept(data)
            if kept is not None:
                self._kept[name] = kept

    @property
    def kept(self) -> Mapping[str, FileRecord]:
        """Everything that is remembered, by name."""
        return self._kept

    def listed(self, names: Mapping[str, int], now_ms: int) -> list[str]:
        """Hear what there is, with sizes; return what to fetch, as much as one look may."""
        names = {
            name: size
            for name, size in names.items()
            if len(name) <= _NAME_CHARACTERS_MAX and _READABLE.fullmatch(name)
        }
        for name, kept in list(self._kept.items()):
            if name in names:
                if not kept.listed:
                    self._keep(name, replace(kept, listed=True))
            elif kept.listed or not 0 <= now_ms - kept.since_ms < LISTED_MS_MAX:
                self._drop(name)
        self._note_too_large(names, now_ms)
        wanted = [name for name in sorted(names) if self._is_wanted(name, names[name], now_ms)]
        self._no_room &= names.keys()
        roomless = sorted(self._no_room.intersection(wanted), key=lambda name: (names[name], name))
        in_turn = self._in_turn([name for name in wanted if name not in self._no_room])
        chosen, size = list[str](), 0
        for name in (in_turn + roomless)[:FETCH_FILES_MAX]:
            size += max(0, names[name])
            if size > FETCH_BYTES_MAX:
                break
            chosen.append(name)
        return chosen

    def took(self, name: str, size: int, filed: Filed, now_ms: int) -> None:
        """Hear that a file was taken whole."""
        self._room_made |= name in self._no_room
        self._no_room.discard(name)
        self._keep(name, FileRecord(size, FileState.TAKEN, now_ms, now_ms, filed=filed))

    def wrote(self, name: str, size: int, filed: Filed, now_ms: int) -> None:
        """Hear that a file was written here."""
        self._keep(name, FileRecord(size, FileState.TAKEN, now_ms, now_ms, filed=filed, listed=False))

    def failed(self, name: str, size: int, state: FileState, reason: str, now_ms: int) -> None:
        """Hear why a file was not taken."""
        self._no_room.discard(name)
        before = self._kept.get(name)
        since_ms, tries = now_ms, 0
        # A file may wait for long until it is misread once.
        is_same = before is not None and (before.state is FileState.ALTERED) == (state is FileState.ALTERED)
        if before is not None and is_same and before.state is not FileState.TAKEN and before.size == size:
            since_ms, tries = min(before.since_ms, now_ms), before.tries + 1  # its clock may have been ahead
        self._keep(name, FileRecord(size, state, since_ms, now_ms, tries, reason=reason))

    def no_room(self, name: str) -> None:
        """Hear that this device has no room for a file: that is no fault of the file's, and may be over at any time.

        One that was fetched in vain is tried again after the shortest pause, however often that was so.
        """
        self._no_room.add(name)

    def gone(self, name: str) -> None:
        """Hear that a file is there no more."""
        self._drop(name)

    def removed(self, name: str, now_ms: int) -> None:
        """Hear that this device removed a file."""
        kept = self._kept.get(name)
        altered = kept is not None and kept.state is FileState.ALTERED
        if altered and abs(now_ms - self._doubted_ms) >= _RETRY_MS_MIN:  # those of one visit are one doubt
            self._doubts, self._doubted_ms = self._doubts_at(now_ms) + 1, now_ms
        self._drop(name)

    def retry(self, *, group_grew: bool) -> bool:
        """Hear that something was taken: what waited may be taken now; say whether anything is to be tried again.

        What was tried too often waits on, unless it may have been for a file that this device had no room for.
        """
        again, room_made = False, self._room_made
        self._room_made = False
        for name, kept in list(self._kept.items()):
            waits = kept.state is FileState.WAITS and (kept.tries < _TRIES_AT_ONCE_MAX or room_made)
            if waits or (kept.state is FileState.STRANGE and group_grew):
                self._keep(name, replace(kept, tried_ms=0))
                again = True
        return again

    def changes(self) -> tuple[dict[str, bytes], list[str]]:
        """Return what is to be written down since the last call: rows that are new, and names that are gone."""
        changed, self._changed = self._changed, set()
        new = {name: _pack_kept(self._kept[name]) for name in sorted(changed) if name in self._kept}
        return new, sorted(changed - new.keys())

    def plan(self, core: Core, now_ms: int, *, bytes_max: int | None = None) -> Plan:
        """Return what this device should do now; `bytes_max`: above it, own files become one."""
        files = dict[str, File]()
        for name, kept in list(self._kept.items()):
            if kept.filed is not None:
                if _placed(core, kept.filed) is None:  # what it brought was lost here since
                    self.failed(name, kept.size, FileState.WAITS, "its ops are not held here any more", 0)
                else:
                    files[name] = File(kept.filed, kept.size, kept.listed)
        lasts_ms = {**_LASTS_MS_MAX, FileState.ALTERED: self._altered_lasts_ms(now_ms)}
        old = [
            name
            for name, kept in list(self._kept.items())
            if now_ms - kept.since_ms >= lasts_ms.get(kept.state, math.inf)
            and (kept.state is not FileState.ALTERED or kept.tries + 1 >= _ALTERED_READS_MIN)
            and _OURS.fullmatch(name)
        ]
        found = plan(core, files, old, missing=self._missing, bytes_max=bytes_max, merge_at=self._merge_at)
        self._missing = {name: self._missing[name] for name in found.lost}
        return found

    def stale(self, core: Core) -> Counter[DeviceId]:
        """Return who wrote how many files without knowing of every erasure: they may hold the words."""
        known = known_to(core)
        filed = [each.filed for each in list(self._kept.values()) if each.filed is not None]
        return Counter(each.maker for each in filed if not _knows(each.known, known))

    def _doubts_at(self, now_ms: int) -> int:
        return max(0, self._doubts - max(0, now_ms - self._doubted_ms) // ALTERED_MS_MAX)

    def _altered_lasts_ms(self, now_ms: int) -> int:
        return min(ALTERED_MS_MAX, ALTERED_MS_MIN << min(self._doubts_at(now_ms), 10))

    def _note_too_large(self, names: Mapping[str, int], now_ms: int) -> None:
        """Remember files that are larger than any, as many in a look as it would fetch.

        Whoever runs the place lists a hundred thousand, and others with each look: each is a row written and removed.
        """
        found = (
            name
            for name in sorted(names)
            if names[name] > FILE_BYTES_MAX
            and (name not in self._kept or self._kept[name].size != names[name])
        )
        for name in islice(found, FETCH_FILES_MAX):
            reason = f"expected a file of at most {FILE_BYTES_MAX} bytes, got one of {names[name]}"
            self.failed(name, names[name], FileState.UNREADABLE, reason, now_ms)

    def _is_wanted(self, name: str, size: int, now_ms: int) -> bool:
        kept = self._kept.get(name)
        if size > FILE_BYTES_MAX:
            return False
        if kept is None:
            return True
        if kept.state in (FileState.TAKEN, FileState.SEALED):
            return size != kept.size  # nobody writes over a file: what it had may be gone
        least_ms = _FETCH_MS_MIN if kept.state is FileState.UNFETCHED else _RETRY_MS_MIN
        tries = 0 if name in self._no_room else min(kept.tries, 11)
        wait_ms = min(_RETRY_MS_MAX, least_ms << tries)
        return size != kept.size or not 0 <= now_ms - kept.tried_ms < wait_ms

    def _in_turn(self, wanted: list[str]) -> list[str]:
        """Return names in the order in which to fetch them, so that a flood only delays.

        First what a known maker wrote, that waited for something; then what was never read, by turns the last that
        came up and the first, so that neither news nor what lies there for long waits for all the rest; last what was
        read in vain.
        """
        turn_by_hash = {hashed: turn for turn, hashed in enumerate(self._unread)}
        unread = sorted(
            (name for name in wanted if name not in self._kept),
            key=lambda name: turn_by_hash.get(hash(name), len(turn_by_hash)),
        )
        self._unread = array("q", map(hash, unread))
        half = len(unread) // 2
        by_turns = zip_longest(reversed(unread[half:]), unread[:half])
        turns = [name for pair in by_turns for name in pair if name is not None]
        waiting = [
            name for name in wanted if name in self._kept and self._kept[name].state is FileState.WAITS
        ]
        left = [
            name for name in wanted if name in self._kept and self._kept[name].state is not FileState.WAITS
        ]
        return waiting + turns + left

    def _keep(self, name: str, kept: FileRecord) -> None:
        before = self._kept.get(name)
        if before is None and len(self._kept) >= NAMES_MAX:
            return
        if kept.filed is None:
            self._miss(name, before)
        self._kept[name] = kept
        self._changed.add(name)

    def _drop(self, name: str) -> None:
        before = self._kept.pop(name, None)
        if before is not None:
            self._miss(name, before)
            self._changed.add(name)

    def _miss(self, name: str, before: FileRecord | None) -> None:
        """Note that a file counts no more. Whether it is lost, or is no longer wanted, the next plan says."""
        if before is not None and before.filed is not None and len(self._missing) < NAMES_MAX:
            self._missing[name] = before.filed


def name_of(data: bytes) -> str:
    """Return the name of a file: the hash of what it holds, sealed under a key of its own, so no two are the same."""
    return name_by(hashlib.sha256(data).hexdigest())


def name_by(digest: str) -> str:
    """Return the name by the whole hash, in hexadecimal."""
    return digest[:_NAME_DIGITS] + SUFFIX


def is_altered(name: str, written_as: str) -> bool:
    """Say whether a file holds anything else than what was written under its name, as far as that can be told.

    `written_as`: the name of what it holds.
    """
    return _HASH.fullmatch(name) is not None and name != written_as


def plan(
    core: Core,
    files: Mapping[str, File],
    old: Collection[str] = (),
    *,
    missing: Mapping[str, Filed] = {},
    bytes_max: int | None = None,
    merge_at: int = TIER_FILES_MAX,
) -> Plan:
    """Return what this device should do to a place that has these files; `old` go in any case, `missing` were there.

    What was written here and is not listed yet is not written again; but nothing is removed for its sake. A device that
    is out does nothing: its files count with nobody, nor with itself, and it would write all it has without end.
    """
    if core.device not in core.membership.standing:
        return Plan({}, own=False, others=False, tells_group=False, merges=False, remove=())
    readers, known = frozenset(map(short, readers_of(core))), known_to(core)
    nothing = Placed((), {})
    place = _Place(
        core, files, {name: _placed(core, file.filed) or nothing for name, file in files.items()}, known
    )
    good = {name for name, file in files.items() if _is_good(core, file.filed, readers, known)}
    listed = {name for name in good if files[name].listed}
    kept = place.needed(listed)
    counts = kept if listed == good else place.needed(good)
    gone = place.leaving(kept, good)
    own = {name: files[name].size for name in counts if files[name].filed.maker == core.device}
    merging = place.replaced(
        counts, _merging(own, sum(files[name].size for name in counts), bytes_max, merge_at)
    )
    reached = place.reached(counts - merging)
    lacking = {
        feed.origin.device for feed in core.feeds if feed.seq > max(feed.fork, reached.get(feed.no, 0))
    }
    return Plan(
        reached,
        own=core.device in lacking and not merging,
        others=bool(lacking - {core.device}) and not merging,
        tells_group=not any(map(place.tells_itself, counts - merging)),
        merges=bool(merging),
        remove=tuple(sorted(gone | set(old))),
        frees=listed != good and not place.leaving(counts, good) <= gone,
        lost=place.lost(missing, counts, readers) if missing else (),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Files, and what they have of the feeds known here."""

    core: Core
    files: Mapping[str, File]
    placed: Mapping[str, Placed]
    known: KnownState

    def needed(self, names: Collection[str]) -> set[str]:
        """Return these files less those of this device of which larger ones have all.

        Of two files that have the same, two devices never take one each: which is the larger is the same for all.
        """
        kept = set(names)
        own = [name for name in names if self.files[name].filed.maker == self.core.device]
        # Those that only tell the group come last: one must not be left out for a larger one that is left out itself.
        for name in sorted(own, key=lambda name: (not self.placed[name].ranges, *self._order(name))):
            larger = [each for each in kept if self._order(each) > self._order(name)]
            told = (
                self.placed[name].ranges
                or not self.tells(name)
                or any(self.tells_itself(each) for each in larger)
            )
            if told and self._has(larger, name):
                left = kept - {name}  # what larger ones have follows what may lie in smaller ones
                if _is_reached(self.core, self.placed[name], self.reached(left)):
                    kept = left
        return kept

    def leaving(self, kept: Collection[str], good: Collection[str]) -> set[str]:
        """Return which listed files go while these are kept: what they reach, and what is good without them."""
        reached = self.reached(kept)
        return {
            name
            for name, file in self.files.items()
            if file.listed
            and name not in kept
            and (name in good or _is_reached(self.core, self.placed[name], reached))
            and not self.introduces(name)
        }

    def reached(self, names: Iterable[str]) -> dict[int, int]:
        """Return how far these files reach."""
        in_turn = sorted(names, key=lambda name: self.files[name].filed.made_ms)
        return _reached(self.core, [self.placed[name] for name in in_turn])

    def lost(
        self, missing: Mapping[str, Filed], counts: Collection[str], readers: frozenset[bytes]
    ) -> tuple[str, ...]:
        """Return which files that were there would still be good, and have what those that count do not."""
        reached = self.reached(counts)
        told = any(map(self.tells_itself, counts))
        found = []
        for name, filed in missing.items():
            placed = _placed(self.core, filed)
            if placed is None or not _is_good(self.core, filed, readers, self.known):
                continue
            told_it = filed.tells_group and (filed.maker, filed.known.group) == (
                self.core.device,
                self.known.group,
            )
            if (told_it and not told) or not _is_reached(self.core, placed, reached):
                found.append(name)
        return tuple(found)

    def replaced(self, names: Collection[str], merging: set[str]) -> set[str]:
        """Return which of the files to merge would leave for what is written in their stead; none, if that is one.

        What other files reach is not written again. So what is written may be no larger than a file it is made of, and
        that would stay and be merged again, at every visit.
        """
        while len(merging) > 1:
            left = set(names) - merging
            beyond = _beyond(self.core, self.reached(left))
            # It may be larger; but whether it is rests on its padding alone, where both have as many ops.
            files = {**self.files, "": File(_filed_by(self.core, self.known), 0, listed=False)}
            after = _Place(self.core, files, {**self.placed, "": Placed(beyond, {})}, self.known)
            stay = merging & after.needed({*names, ""})
            if not stay:
                return merging
            merging = merging - stay
        return set()

    def _has(self, larger: Collection[str], name: str) -> bool:
        """Whether these files have all ops that the one of this name has."""
        parts: dict[int, list[tuple[int, int]]] = {}
        for each in larger:
            for no, after, last in self.placed[each].ranges:
                parts.setdefault(no, []).append((after, last))
        for no, after, last in self.placed[name].ranges:
            at = after
            for begin, end in sorted(parts.get(no, ())):
                if begin > at:
                    break
                at = max(at, end)
            if at < last:
                return False
        return True

    def tells(self, name: str) -> bool:
        """Whether a file states the group and the erasures as they are known here."""
        filed = self.files[name].filed
        return filed.tells_group and filed.known.group == self.known.group

    def tells_itself(self, name: str) -> bool:
        """Whether this device states the group in it: some may know nobody else, and believe nobody else."""
        return self.tells(name) and self.files[name].filed.maker == self.core.device

    def introduces(self, name: str) -> bool:
        """Whether it may be the only file by which somebody learns of others: no member's is removed but its own.

        One that may hold erased words goes all the same.
        """
        filed, membership = self.files[name].filed, self.core.membership
        return (
            filed.tells_group
            and filed.maker != self.core.device
            and filed.maker in membership.standing
            and _knows(filed.known, self.known)
        )

    def _order(self, name: str) -> tuple[int, int, str]:
        ops = sum(last - after for _, after, last in self.placed[name].ranges)
        return ops, self.files[name].size, name


def _beyond(core: Core, known: Mapping[int, int]) -> tuple[SeqRange, ...]:
    """Return which ranges a file has that is written of what goes beyond `known`."""
    begins = {feed.no: max(feed.fork, known.get(feed.no, 0)) for feed in core.feeds}
    found = list[SeqRange]()
    if any(feed.base_seq > begins[feed.no] for feed in core.feeds):  # a snapshot, of all that left the log
        for feed in core.feeds:
            if feed.base_seq > feed.fork:
                found.append((feed.no, feed.fork, feed.base_seq))
                begins[feed.no] = max(begins[feed.no], feed.base_seq)
    found += ((feed.no, begins[feed.no], feed.seq) for feed in core.feeds if feed.seq > begins[feed.no])
    return tuple(found)


def _filed_by(core: Core, known: KnownState) -> Filed:
    """Return what is remembered of a file that this device writes now and that states the group."""
    return Filed(core.device, 0, frozenset(map(short, readers_of(core))), known, True, (), ())


def _is_good(core: Core, filed: Filed, readers: frozenset[bytes], known: KnownState) -> bool:
    membership = core.membership
    return readers <= filed.readers and filed.maker in membership.standing and _knows(filed.known, known)


def _knows(theirs: KnownState, ours: KnownState) -> bool:
    """Whether a file's maker knew of every erasure; whoever knew of more may lack some, and says so soon."""
    return theirs.erased == ours.erased or theirs.erasures > ours.erasures


def _placed(core: Core, filed: Filed) -> Placed | None:
    """Return what a file has, by feeds known here; None if it has something that is not held here."""
    found: list[SeqRange] = []
    for reach in filed.reaches:
        dot = core.feeds.locate(reach.last)
        if dot is None:
            return None
        feed, last = core.feeds[dot.feed], dot.seq
        while feed.parent is not None and reach.after < feed.fork:  # it begins below a branch
            found.append((feed.no, feed.fork, last))
            feed, last = core.feeds[feed.parent], feed.fork
        found.append((feed.no, reach.after, last))
    dots = [core.feeds.locate(place) for place in filed.needs]
    needs = core.feeds.vector_to(dot for dot in dots if dot is not None)
    return None if None in dots else Placed(tuple(found), needs)


def _reached(core: Core, files: Iterable[Placed]) -> dict[int, int]:
    """Return how far somebody who holds nothing gets with these files: quickest if each comes after what it needs.

    A file is taken whole or does not count: what is signed once may have seen something behind a gap.
    """
    reached: dict[int, int] = {}
    waiting = list(files)
    while waiting:
        left = []
        for file in waiting:
            if _take_in(core, reached, file):
                continue
            left.append(file)
        if len(left) == len(waiting):
            break
        waiting = left
    return reached


def _take_in(core: Core, reached: dict[int, int], file: Placed) -> bool:
    """Add what a file has to what is reached, unless it follows or has seen what is not reached then."""
    further: dict[int, int] = {}
    for no, after, last in sorted(file.ranges):
        at = max(core.feeds[no].fork, further.get(no, reached.get(no, 0)))
        if after > at:
            return False
        further[no] = max(last, at)
    for no, _, _ in file.ranges:
        feed = core.feeds[no]
        if feed.parent is not None and feed.fork > max(
            core.feeds[feed.parent].fork, further.get(feed.parent, reached.get(feed.parent, 0))
        ):
            return False
    for no, seq in file.needs.items():
        if seq > max(core.feeds[no].fork, further.get(no, reached.get(no, 0))):
            return False
    reached |= further
    return True


def _reaches(core: Core, reached: dict[int, int], no: int, seq: int) -> bool:
    return seq <= max(core.feeds[no].fork, reached.get(no, 0))


def _is_reached(core: Core, file: Placed, reached: dict[int, int]) -> bool:
    return all(_reaches(core, reached, no, last) for no, _, last in file.ranges)


def _merging(own: Mapping[str, int], total: int, bytes_max: int | None, merge_at: int) -> set[str]:
    """Return which own files to write as one: all of a class of size that is full, and of those below."""
    small = {name: size for name, size in own.items() if size < FILE_BYTES_TARGET // 2}
    if bytes_max is not None and total > bytes_max and len(small) > 1:
        return set(small)
    tiers: dict[int, list[str]] = {}
    for name, size in small.items():
        tiers.setdefault(tier(size), []).append(name)
    full = [each for each, names in tiers.items() if len(names) >= merge_at]
    return {name for each, names in tiers.items() if full and each <= max(full) for name in names}


def tier(size: int) -> int:
    """Return a file's class of size."""
    found, bound = 0, 4 * FILE_BYTES_MIN
    while size > bound:
        found, bound = found + 1, bound * _TIER_FACTOR
    return found


def _joined(reaches: Iterable[Reach]) -> tuple[Reach, ...]:
    """Return ranges with those that follow each other put together."""
    joined: list[Reach] = []
    ends: dict[tuple[Origin, int, bytes], int] = {}
    for reach in reaches:
        at = ends.pop((reach.origin, reach.after, reach.prev), None)
        if at is None:
            at = len(joined)
            joined.append(reach)
        else:
            joined[at] = joined[at]._replace(last=reach.last)
        ends[reach.origin, reach.last.seq, reach.last.id8] = at
    return tuple(joined)


def _pack_kept(kept: FileRecord) -> bytes:
    filed = kept.filed
    about: list[Any] | None = None
    if filed is not None:
        about = [
            filed.maker,
            filed.made_ms,
            b"".join(sorted(filed.readers)),
            list(filed.known),
            filed.tells_group,
            [[wire_place(reach.last), reach.after, reach.prev] for reach in filed.reaches],
            [wire_place(place) for place in filed.needs],
        ]
    state = int(kept.state)
    return pack([kept.size, state, kept.since_ms, kept.tried_ms, kept.tries, about, kept.reason, kept.listed])


def _read_kept(data: bytes) -> FileRecord | None:
    """Return what was remembered; None where that cannot be read, and the file is fetched again."""
    try:
        size, state, since_ms, tried_ms, tries, about, reason, listed = unpack(data)
        filed = None
        if about is not None:
            maker, made_ms, readers, known, tells_group, reaches, needs = about
            width = len(short(maker))
            shorts = frozenset(readers[i : i + width] for i in range(0, len(readers), width))
            places = [(read_place(place), after, prev) for place, after, prev in reaches]
            found = tuple(Reach(place.origin, after, prev, place) for place, after, prev in places)
            seen = tuple(map(read_place, needs))
            filed = Filed(DeviceId(maker), made_ms, shorts, KnownState(*known), tells_group, found, seen)
        return FileRecord(size, FileState(state), since_ms, tried_ms, tries, filed, reason, listed)
    except (InvalidOp, ValueError, TypeError):
        return None
