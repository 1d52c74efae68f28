"""Visit a place that several devices write files to: take what is new in it, write what it lacks, remove what may go.

A visit is a generator: it says what it wants done, one step at a time, and is told what came of it. So the same visit
is made by the daemon to a server, by a command to a folder, and by the simulator to a place that loses things. It knows
no network, no clock and no store; `Run` hands it the core, and a step that fails raises where it was asked for.
"""

import hashlib
import io
import secrets
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import IO, Any, Final, NamedTuple

from replica.core import Core
from replica.errors import InvalidOp, ReplicaError, StoreFailed
from replica.ids import OpRef
from sync.carrier.cargo import CargoFile, Taking, check, export, known_to, messages
from sync.carrier.header import Header, Vectors
from sync.carrier.sealing import Entropy
from sync.carrier.shelf import FILE_BYTES_TARGET, Filed, FileState, Plan, Shelf, is_altered, name_by, name_of
from sync.errors import (
    Full,
    Gone,
    MailboxError,
    MakerUnknown,
    NoRoomHere,
    RemoteProtocolError,
    SealedForOthers,
    SyncError,
)
from sync.identity import Identity
from sync.wire.messages import Message, Trust

# So much is held at once while files wait for each other; one larger file may be.
_BATCH_BYTES_MAX: Final = 32 << 20
# Of the largest file it takes a second to hash it all, in which nobody is answered.
_HASHED_BYTES_MAX: Final = FILE_BYTES_TARGET
# One file that cannot be fetched may lie there for ever, and stops no other. With another one, nothing can be reached.
_UNFETCHED_MAX: Final = 2
# A history of half a gigabyte in one visit; what is left goes with the next.
_WRITES_MAX: Final = 64
# What one visit made readable, the next one takes; whatever is left waits for the bell.
_AGAIN_MAX: Final = 20
_ALTERED: Final = (
    "what is stored there is not what was written under this name: whoever keeps it altered it, swapped it for another "
    "file, or has not copied all of it yet"
)


@dataclass(frozen=True, slots=True)
class Names:
    """Step: return every name there is, with its size."""


@dataclass(frozen=True, slots=True)
class GetFile:
    """Step: return a file, open at its start, of a larger one than was listed only so much. `Gone`, `NoRoomHere`."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Put:
    """Step: write a file."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Remove:
    """Step: remove a file; one that is gone already is fine."""

    name: str


@dataclass(frozen=True, slots=True)
class Run:
    """Step: call a function with the core, and return what it returned."""

    fn: Callable[[Core], Any]


@dataclass(frozen=True, slots=True)
class Save:
    """Step: write down what is remembered of the place: these rows are new, those names are gone."""

    new: Mapping[str, bytes]
    gone: tuple[str, ...]


Step = Names | GetFile | Put | Remove | Run | Save
MayWrite = Callable[[Plan], bool]


class Wrote(NamedTuple):
    """A file that was written."""

    name: str
    size: int
    ops: int
    has_base: bool
    news: bool
    """It was written for what nobody had put there; the others tell the group, or are many in one."""
    again: bool
    """The place had lost something that is in it."""


@dataclass(slots=True)
class Looked:
    """What a visit came to. `again`: more may be done at once; `plan`: what was left to do when it ended.

    `asked_for`: how many files it wanted to fetch, whether they were there or not. `no_room`: which it left there since
    this device has no room for them.
    """

    files: int = 0
    size: int = 0
    asked_for: int = 0
    fetched: int = 0
    taken: int = 0
    ops: int = 0
    refused: tuple[str, ...] = ()
    wrote: list[Wrote] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    again: bool = False
    plan: Plan | None = None
    no_room: dict[str, NoRoomHere] = field(default_factory=dict)

    @property
    def wrote_again(self) -> bool:
        """Whether something was written that the place had lost."""
        return any(each.again for each in self.wrote)

    @property
    def most_missing(self) -> NoRoomHere | None:
        """What is to be said of the file for which most room is missing on this device."""
        return max(self.no_room.values(), key=lambda error: error.missing, default=None)

    def add(self, one: "Looked") -> None:
        """Count one more visit: sums of what was done, and how the last one found the place."""
        self.files, self.size, self.again, self.plan = one.files, one.size, one.again, one.plan
        self.no_room = one.no_room
        self.asked_for += one.asked_for
        self.fetched += one.fetched
        self.taken += one.taken
        self.ops += one.ops
        self.refused = one.refused
        self.wrote += one.wrote
        self.removed += one.removed


class VisitUnderWay:
    """A visit that is being made: its next step, and what came of that.

    Whoever makes it does each step that `proceed` returns, with `trying`, and sets `result`; then `looked` is what the
    visit came to. How a step is done differs: by a task, by a page that waits for its browser, by a simulator.
    """

    def __init__(self, visit: Generator[Step, Any, Looked]) -> None:
        self.result: Any = None
        """What came of the step that was done last."""
        self._visit = visit
        self._failure: SyncError | ReplicaError | None = None
        self._looked: Looked | None = None

    def proceed(self) -> Step | None:
        """Tell the visit what came of its last step, and return the next; None when it is over."""
        try:
            if self._failure is None:
                step = self._visit.send(self.result)
            else:
                step = self._visit.throw(self._take_failure())
        except StopIteration as end:
            self._looked = end.value
            return None
        self.result = None
        return step

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Do a step in the block; what to make of one that fails is the visit's to say."""
        try:
            yield
        except (SyncError, ReplicaError) as error:
            # The frames that it came through hold the file that was being fetched, of up to 256 MB. As long as an error
            # leads to them, it stays; where it leads to itself by them, even until garbage is collected.
            error.__traceback__ = error.__context__ = error.__cause__ = None
            self._failure = error

    def _take_failure(self) -> SyncError | ReplicaError:
        """Return what failed, and forget it: what is raised must not be found again in a frame that it leaves."""
        failure, self._failure = self._failure, None
        assert failure is not None, "nothing failed"
        return failure

    @property
    def looked(self) -> Looked:
        """What the visit came to, once it is over."""
        assert self._looked is not None, "the visit is not over"
        return self._looked


class _Waiting(NamedTuple):
    name: str
    size: int
    file: IO[bytes]
    file_bytes: int
    header: Header
    altered: bool


class Visitor:
    """Makes visits to one place. `may_write` puts writing off, as while more news may come."""

    def __init__(
        self,
        shelf: Shelf,
        identity: Identity,
        *,
        now_ms: Callable[[], int],
        bytes_max: int | None = None,
        entropy: Entropy = secrets.token_bytes,
    ) -> None:
        self.shelf = shelf
        self._identity = identity
        self._now_ms = now_ms
        self._bytes_max = bytes_max
        self._entropy = entropy

    def look(self, *, may_write: MayWrite) -> Generator[Step, Any, Looked]:
        """Look as often as it takes."""
        total = Looked()
        for _ in range(_AGAIN_MAX):
            total.add((yield from self.visit(may_write=may_write)))
            if not total.again:
                break
        return total

    def visit(
        self, *, may_write: MayWrite = lambda _: True, writes: bool = True
    ) -> Generator[Step, Any, Looked]:
        """Look once; without `writes`, only take what is new."""
        looked = Looked()
        try:
            wanted = self._wanted((yield Names()), looked)
            yield from self._fetch(wanted, looked)
            if writes:
                yield from self._write(may_write, looked)
        except (MailboxError, ReplicaError):
            yield from self._save()
            raise
        yield from self._save()
        return looked

    def _save(self) -> Generator[Step, Any, None]:
        new, gone = self.shelf.changes()
        if new or gone:
            yield Save(new, tuple(gone))

    # -- taking ----------------------------------------------------------------------------------------------

    def _wanted(self, names: Mapping[str, int], looked: Looked) -> dict[str, int]:
        """Return what to fetch, with sizes: all else that was listed is let go of before anything is."""
        looked.files, looked.size = len(names), sum(map(max, names.values(), [0] * len(names)))
        return {name: names[name] for name in self.shelf.listed(names, self._now_ms())}

    def _fetch(self, wanted: Mapping[str, int], looked: Looked) -> Generator[Step, Any, None]:
        if not wanted:
            return
        group_before = yield Run(lambda core: known_to(core).group)
        batch: list[_Waiting] = []
        unfetched: list[MailboxError] = []
        for name, size in wanted.items():
            try:
                waiting = yield from self._open(name, size, looked)
            except NoRoomHere as error:
                self._no_room(name, size, error)
                looked.no_room[name] = copy(error)  # without the frames, this one among them
                continue
            except MailboxError as error:
                self.shelf.failed(name, size, FileState.UNFETCHED, str(error), self._now_ms())
                unfetched.append(copy(error))
                if len(unfetched) == _UNFETCHED_MAX:
                    break  # what was fetched before is taken all the same
                continue
            if waiting is not None:
                batch.append(waiting)
            waiting = None  # or the largest is held while the next one comes
            if sum(each.file_bytes for each in batch) > _BATCH_BYTES_MAX:
                yield from self._take_batch(batch, looked)
                batch = []
        yield from self._take_batch(batch, looked)
        if looked.taken:
            group_now = yield Run(lambda core: known_to(core).group)
            # What was taken made room by itself, where it was held on the disk.
            looked.again = self.shelf.retry(group_grew=group_before != group_now) or bool(looked.no_room)
        if len(unfetched) == _UNFETCHED_MAX:
            raise unfetched.pop(0)  # what is raised must not be found again in this frame

    def _open(self, name: str, size: int, looked: Looked) -> Generator[Step, Any, _Waiting | None]:
        looked.asked_for += 1
        try:
            file: IO[bytes] = yield GetFile(name, size)
        except Gone:
            self.shelf.gone(name)
            return None
        looked.fetched += 1
        written_as = yield from _name_of(file)
        altered, file_bytes = is_altered(name, written_as), file.tell()
        try:
            header = yield Run(lambda core: check(core, self._identity, _from_start(file)))
        except MakerUnknown as error:
            self._failed(name, size, FileState.STRANGE, str(error), altered=altered)
        except SealedForOthers as error:
            # A name that is no hash, as 0.1.0 gave, does not show that it was written like that.
            state = FileState.SEALED if name == written_as else FileState.UNREADABLE
            self._failed(name, size, state, str(error), altered=altered)
        except (SyncError, InvalidOp) as error:
            self._failed(name, size, FileState.UNREADABLE, str(error), altered=altered)
        except ReplicaError as error:
            self._failed(name, size, FileState.WAITS, str(error), altered=altered)
        else:
            return _Waiting(name, size, file, file_bytes, header, altered)
        return None

    def _no_room(self, name: str, size: int, error: NoRoomHere) -> None:
        """Note that this device has no room for a file, which is asked for at the next look as if it were new."""
        if error.missing:
            self.shelf.no_room(name)
        else:  # it came in part, and would at each look where the disk has less room than it says
            self.shelf.failed(name, size, FileState.UNFETCHED, str(error), self._now_ms())

    def _failed(self, name: str, size: int, state: FileState, reason: str, *, altered: bool) -> None:
        """Note why a file does not count; where the place altered it, nothing else is to be said of it."""
        if altered:
            state, reason = FileState.ALTERED, _ALTERED
        self.shelf.failed(name, size, state, reason, self._now_ms())

    def _take_batch(self, batch: list[_Waiting], looked: Looked) -> Generator[Step, Any, None]:
        """Take files, those first that state the group; again what waited for one that came after it.

        Whoever was revoked may know the place for long, and writes any date: so all that is stated is heard before
        anything else is taken.
        """
        waiting = sorted(
            batch, key=lambda each: (not each.header.tells_group, each.header.made_ms, each.name)
        )
        if len(waiting) > 1:
            for each in waiting:
                yield from self._hear_group(each)
        while waiting:
            left = []
            for each in waiting:
                refused = yield from self._take(each, looked)
                if refused:
                    left.append(each)
            if len(left) == len(waiting):
                return
            waiting = left

    def _hear_group(self, waiting: _Waiting) -> Generator[Step, Any, None]:
        """Take what a file states of the group, and nothing else; what is wrong with it shows when it is taken."""
        if not waiting.header.tells_group:
            return
        taking = Taking(waiting.header)
        with suppress(RemoteProtocolError, ReplicaError):
            stated = takewhile(_is_trust, messages(self._identity, _from_start(waiting.file)))
            for some in _in_calls(stated):
                yield Run(partial(_take_some, taking, some, self._now_ms))

    def _take(self, waiting: _Waiting, looked: Looked) -> Generator[Step, Any, tuple[str, ...]]:
        """Take a file; return why some of it was not taken and may be later."""
        name, size, altered = waiting.name, waiting.size, waiting.altered
        try:
            yield Run(partial(_check_maker, self._identity, waiting))
        except MakerUnknown as error:
            self._failed(name, size, FileState.STRANGE, str(error), altered=altered)
            return ()
        taking, needs, is_full = Taking(waiting.header), tuple[OpRef, ...](), False
        try:
            for some in _in_calls(messages(self._identity, _from_start(waiting.file))):
                yield Run(partial(_take_some, taking, some, self._now_ms))
            needs = yield Run(partial(_end, taking, self._now_ms))
        except (RemoteProtocolError, InvalidOp) as error:
            self._failed(name, size, FileState.UNREADABLE, str(error), altered=altered)
            return ()
        except ReplicaError as error:  # of this device's store: the file has to stay, for it and for others
            taking.brought.refused += (str(error),)
            is_full = isinstance(error, StoreFailed)
        finally:
            looked.ops += taking.brought.ops
        if refused := tuple(dict.fromkeys(taking.brought.refused)):
            self._failed(name, size, FileState.WAITS, refused[0], altered=altered)
            if is_full:
                self.shelf.no_room(name)
            looked.refused += refused
            return refused
        if altered:  # whoever read the right bytes counts on them, and must see them go to write them again
            self.shelf.failed(name, size, FileState.ALTERED, _ALTERED, self._now_ms())
        else:
            self.shelf.took(name, size, Filed.of(waiting.header, taking.reaches, needs), self._now_ms())
        looked.taken += 1
        return ()

    # -- writing ---------------------------------------------------------------------------------------------

    def _write(self, may_write: MayWrite, looked: Looked) -> Generator[Step, Any, None]:
        plan = yield from self._plan()
        removes = plan.remove  # of what is listed now: a file that is written below may never arrive
        for _ in range(_WRITES_MAX):
            if not plan.writes or not may_write(plan):
                break
            try:
                yield from self._write_one(plan, looked)
            except Full:  # what goes anyway makes room, and would lie there for ever otherwise
                if not removes:
                    raise
                yield from self._remove(removes, looked)
                removes = ()
            plan = yield from self._plan()
        yield from self._remove(removes, looked)
        looked.plan = plan
        looked.again = looked.again or (bool(looked.wrote) and plan.frees)

    def _remove(self, names: Iterable[str], looked: Looked) -> Generator[Step, Any, None]:
        for name in names:
            yield Remove(name)
            self.shelf.removed(name, self._now_ms())
            looked.removed.append(name)

    def _plan(self) -> Generator[Step, Any, Plan]:
        plan: Plan = yield Run(lambda core: self.shelf.plan(core, self._now_ms(), bytes_max=self._bytes_max))
        return plan

    def _write_one(self, plan: Plan, looked: Looked) -> Generator[Step, Any, None]:
        file = io.BytesIO()
        exported: CargoFile = yield Run(
            lambda core: export(
                core,
                plan.known,
                self._now_ms(),
                file,
                tells_group=plan.tells_group,
                bytes_max=FILE_BYTES_TARGET,
                entropy=self._entropy,
            )
        )
        data = file.getvalue()
        name: str = yield Run(lambda _: name_of(data))
        yield Put(name, data)
        filed = Filed.of(exported.header, exported.reaches, exported.needs)
        self.shelf.wrote(name, len(data), filed, self._now_ms())
        news = plan.own or plan.others
        looked.wrote.append(
            Wrote(name, len(data), exported.ops, exported.has_base, news, again=bool(plan.lost))
        )


def _name_of(file: IO[bytes]) -> Generator[Step, Any, str]:
    """Read a file to its end, in steps that are short; return under which name it was written."""
    digest = hashlib.sha256()
    while (yield Run(partial(_hash_some, digest, file))):
        pass
    return name_by(digest.hexdigest())


def _hash_some(digest: "hashlib._Hash", file: IO[bytes], _: Core) -> bool:
    """Hash what comes next of a file; say whether there may be more."""
    some = file.read(_HASHED_BYTES_MAX)
    digest.update(some)
    return len(some) == _HASHED_BYTES_MAX


def _from_start(file: IO[bytes]) -> IO[bytes]:
    file.seek(0)
    return file


def _in_calls(given: Iterable[Message | Vectors]) -> Iterator[list[Message | Vectors]]:
    """Return what to take in each call: a frame or a part of a snapshot, with what comes right before it.

    Each call is a way to the store's thread and back, and the core is nobody else's for as long as it takes.
    """
    some: list[Message | Vectors] = []
    for each in given:
        some.append(each)
        if not isinstance(each, Vectors):
            yield some
            some = []
    if some:
        yield some


def _is_trust(message: Message | Vectors) -> bool:
    return isinstance(message, Trust)


def _check_maker(identity: Identity, waiting: _Waiting, core: Core) -> None:
    """Refuse a file of a device that was revoked by what was taken since it was checked, unless it tells otherwise."""
    if waiting.header.maker in core.membership.revoked:
        check(core, identity, _from_start(waiting.file))


def _take_some(
    taking: Taking, some: Iterable[Message | Vectors], now_ms: Callable[[], int], core: Core
) -> None:
    for message in some:
        taking.take(core, message, now_ms())


def _end(taking: Taking, now_ms: Callable[[], int], core: Core) -> tuple[OpRef, ...]:
    taking.done(core, now_ms())
    return taking.needs(core)
