"""Which mailboxes a device has, and the tasks that keep it in step through them while its daemon runs.

They stand in `mailboxes.json`, for its owner alone, since the passwords stand there too: never in the settings, a log,
a command line or a process title.
"""

import itertools
import json
import shlex
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, TypeGuard

import trio

from replica import AsyncioHost, Replica
from replica.supervision import Supervisor
from samemind.config import Home
from samemind.durable import whole_file
from samemind.errors import Failed, NotFound, SamemindError, Unreachable, Usage
from sync import Identity
from sync.errors import Denied, Full, MailboxError, SyncError
from sync.mailbox.keeping import Keeper
from sync.mailbox.pace import GROUP_SECONDS_LOOKED_AT, GROUP_SECONDS_RINGING
from sync.mailbox.places import MailboxAddress, check_place, missing_client, open_box

# More than anybody has places for, few enough to be looked at all the time.
MAILBOXES_MAX: Final = 16
NAME_CHARACTERS_MAX: Final = 40
# A daemon ends within two seconds.
FLUSH_SECONDS: Final = 1.2
CLOSE_SECONDS: Final = 0.5
# What to do about a folder that refuses.
FOLDER_RIGHTS: Final = "let this user read and write there; it may be mounted read-only"
_NAME_WANTED: Final = f"expected a name of 1 to {NAME_CHARACTERS_MAX} characters"
# Enough to say what was expected and found.
_WHY_CHARACTERS_MAX: Final = 300
_KINDS: Final[Mapping[type, str]] = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    type(None): "nothing",
}
_INSTALL: Final = {"nats": "pip install 'nats-py>=2.16,<2.17'"}


@dataclass(frozen=True, slots=True)
class SavedMailbox:
    """One mailbox as it is saved. `out`: who was revoked already when its secret was given.

    `phones`: the origin by which the browsers of phones reach it, if they may use it.
    """

    name: str
    url: str
    secret: str | None = None
    pin: str | None = None
    bytes_max: int | None = None
    out: tuple[str, ...] = ()
    phones: str | None = None

    @property
    def place(self) -> MailboxAddress:
        """Where it is."""
        return MailboxAddress(self.url, self.secret, self.pin)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of this machine's, which nobody asks for a password."""
        return self.place.scheme == "folder"

    @property
    def key(self) -> str:
        """By what the store knows it: another address is another mailbox."""
        return self.url


_FIELDS: Final = frozenset(each.name for each in fields(SavedMailbox))


@dataclass(frozen=True, slots=True)
class UnusableMailbox:
    """An entry of the file that this version cannot use: edited by hand, or written by a newer one.

    `name`: what it is called, or which entry it is; `why`: what was expected and found; `entry`: as it stands there.
    """

    name: str
    why: str
    entry: Any

    @property
    def key(self) -> str | None:
        """By what the store knows it, where it says an address."""
        url = self.entry.get("url") if isinstance(self.entry, dict) else None
        return url if isinstance(url, str) else None


def read_mailboxes(home: Home) -> list[SavedMailbox]:
    """Return the mailboxes of a home that can be used; `Failed` for a file that holds no entries at all."""
    return _read_all(home)[0]


def unusable_mailboxes(home: Home) -> list[UnusableMailbox]:
    """Return the other entries of the file."""
    return _read_all(home)[1]


def write_mailboxes(home: Home, mailboxes: Sequence[SavedMailbox], *, instead_of: str | None = None) -> None:
    """Save them, for this user's eyes only. What is unusable stays as it is, but for entries named `instead_of`.

    Fields that only a newer version knows, or that a person wrote, stay with the mailbox at that address.
    """
    kept = [one.entry for one in unusable_mailboxes(home) if one.name != instead_of]
    unknown = dict[str, dict[str, Any]]()
    for entry in _entries(home):
        if isinstance(entry, dict) and isinstance(url := entry.get("url"), str):
            unknown.setdefault(url, {name: entry[name] for name in entry if name not in _FIELDS})
    with whole_file(home.mailboxes) as scratch:
        entries = [*(asdict(one) | unknown.get(one.url, {}) for one in mailboxes), *kept]
        scratch.write_text(json.dumps(entries, indent=1), encoding="utf-8")
    home.mailboxes.chmod(0o600)


def new_mailbox(
    mailboxes: Sequence[SavedMailbox],
    name: str | None,
    place: MailboxAddress,
    bytes_max: int | None,
    out: tuple[str, ...],
    *,
    reserved: Collection[str] = (),
) -> SavedMailbox:
    """Return a mailbox that may join these; one of the same name takes its place.

    `reserved`: names that it is not given unasked.
    """
    try:
        check_place(place)
    except ValueError as error:
        raise Usage(str(error), code="invalid") from None
    if (module := missing_client(place)) is not None:
        raise Failed(
            f"a mailbox at {place.scheme}:// needs a package that is not installed",
            code="extra_missing",
            hint=_INSTALL[module],
        )
    if name is None:
        taken = {*reserved, *(one.name for one in mailboxes if one.url != place.url)}
        plain = (f"mailbox-{n}" if n else "mailbox" for n in itertools.count())
        same = [one.name for one in mailboxes if one.url == place.url]
        name = same[0] if same else next(each for each in plain if each not in taken)
    if not _is_name(name):
        raise Usage(f"{_NAME_WANTED}, got {name!r:.60}", code="invalid")
    if any(one.url == place.url and one.name != name for one in mailboxes):
        raise Usage("expected another address: there is a mailbox at this one already", code="invalid")
    if len(mailboxes) >= MAILBOXES_MAX and name not in {one.name for one in mailboxes}:
        raise Usage(f"expected at most {MAILBOXES_MAX} mailboxes", code="too_many")
    phones = next((one.phones for one in mailboxes if one.url == place.url), None)
    return SavedMailbox(name, place.url, place.secret, place.pin, bytes_max, out, phones)


def mailbox_named(home: Home, name: str) -> SavedMailbox:
    """Return the mailbox of that name; `Failed` says why it cannot be used."""
    mailboxes, unusable = _read_all(home)
    for one in mailboxes:
        if one.name == name:
            return one
    for other in unusable:
        if other.name == name:
            raise Failed(f"{name} cannot be used: {other.why}", code="bad_settings", hint=mend(home, other))
    known = ", ".join(one.name for one in mailboxes) or "none"
    raise NotFound(f"expected the name of a mailbox ({known}), got {name[:60]!r}", code="no_such_mailbox")


def told_of(settled: SavedMailbox, error: MailboxError) -> SamemindError:
    """Return what a person is told of a mailbox that did not do what it was asked."""
    said = f"{settled.name}: {error}"
    match error:
        case Denied() if settled.is_folder:
            return Failed(said, code="mailbox_denied", hint=FOLDER_RIGHTS)
        case Denied(fix=fix):
            hint = fix or "set its password again: samemind mailbox add"
            return Failed(said, code="mailbox_denied", hint=hint)
        case Full(fix=str() as fix):
            return Failed(said, code="mailbox_full", hint=fix)
        case Full():
            said = f"{settled.name}: the mailbox is full ({error})"
            return Failed(said, code="mailbox_full", hint=room_in(settled))
    return Unreachable(said, code="mailbox_unreachable", hint=error.fix or "")


def room_in(settled: SavedMailbox) -> str:
    """Return what to do about a mailbox that has no room."""
    if settled.is_folder:
        return (
            "make room on the disk of that folder, or raise its quota; what is missing there is written then"
        )
    return "have whoever runs it make room or raise the quota; what is missing there is written then"


def keeper_of(
    settled: SavedMailbox,
    replica: Replica,
    identity: Identity,
    host: AsyncioHost,
    random: Any,
    took: Callable[[], Awaitable[None]],
    folder: Path,
) -> Keeper:
    """Return what keeps a mailbox. `folder`: on which disk a large file is held until it is taken."""
    rings = settled.place.rings
    return Keeper(
        open_box(settled.place, host),
        replica,
        identity,
        settled.key,
        group_s=GROUP_SECONDS_RINGING if rings else GROUP_SECONDS_LOOKED_AT,
        bytes_max=settled.bytes_max,
        folder=folder,
        random=random,
        took=took,
    )


class Mailboxes:
    """The mailboxes of a daemon, each kept by a task of its own."""

    def __init__(self, make: Callable[[SavedMailbox], Keeper], tasks: Supervisor) -> None:
        self._make = make
        self._tasks = tasks
        self._scopes: dict[str, trio.CancelScope] = {}
        self.keepers: dict[str, Keeper] = {}
        self.saved: dict[str, SavedMailbox] = {}
        """Those that are kept, as they were given."""

    def keep(self, settled: SavedMailbox) -> None:
        """Keep a mailbox from now on, instead of what went by its name."""
        self.drop(settled.name)
        keeper = self.keepers[settled.name] = self._make(settled)
        self.saved[settled.name] = settled

        async def run() -> None:
            if self.keepers.get(settled.name) is not keeper:
                return  # it was dropped before this task was started, or started again
            with trio.CancelScope() as scope:
                self._scopes[settled.name] = scope
                try:
                    await keeper.run()
                finally:  # it opens again by itself, if this task is started again
                    with trio.CancelScope(shield=True), trio.move_on_after(CLOSE_SECONDS):
                        await keeper.aclose()

        self._tasks.keep(f"keeping the mailbox {settled.name}", run)

    def drop(self, name: str) -> None:
        """Keep it no more."""
        self.saved.pop(name, None)
        if (keeper := self.keepers.pop(name, None)) is not None:
            keeper.end()
        if (scope := self._scopes.pop(name, None)) is not None:
            scope.cancel()

    async def flush(self) -> list[str]:
        """Write everywhere what was put off, as far as there is time: the daemon ends.

        Return the names of those mailboxes that it was not all written to: it is when the daemon is up again.
        """
        left = set(self.keepers)

        async def flush(name: str, keeper: Keeper) -> None:
            with suppress(SyncError):
                await keeper.flush()
                left.discard(name)

        with trio.move_on_after(FLUSH_SECONDS):
            async with trio.open_nursery() as nursery:
                for name, keeper in self.keepers.items():
                    nursery.start_soon(flush, name, keeper)
        return sorted(left)


def mend(home: Home, unusable: UnusableMailbox) -> str:
    """Return what to do about an entry that cannot be used."""
    remove = f"samemind mailbox remove {shlex.quote(unusable.name)}"
    return f"correct it in {home.mailboxes}, or if no newer version of samemind uses it: {remove}"


def _entries(home: Home) -> list[Any]:
    try:
        found = json.loads(home.mailboxes.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise _unreadable(home.mailboxes, str(error)) from None
    if not isinstance(found, list):
        raise _unreadable(home.mailboxes, f"expected a list, got {type(found).__name__}")
    return found


def _read_all(home: Home) -> tuple[list[SavedMailbox], list[UnusableMailbox]]:
    mailboxes, unusable = list[SavedMailbox](), list[UnusableMailbox]()
    for place, entry in enumerate(_entries(home), start=1):
        try:
            mailboxes.append(_read(entry, mailboxes))
        except ValueError as error:
            name = entry.get("name") if isinstance(entry, dict) else None
            called = name if _is_name(name) else f"entry {place}"
            unusable.append(UnusableMailbox(called, str(error)[:_WHY_CHARACTERS_MAX], entry))
    return mailboxes, unusable


def _read(entry: Any, before: Sequence[SavedMailbox]) -> SavedMailbox:
    """Return the mailbox of an entry; `ValueError` says what was expected and found, and no secret."""
    if not isinstance(entry, dict):
        raise ValueError(f"expected the fields of a mailbox, got {type(entry).__name__}")
    settled = SavedMailbox(
        _field(entry, "name", str),
        _field(entry, "url", str),
        _field(entry, "secret", str, default=None),
        _field(entry, "pin", str, default=None),
        _field(entry, "bytes_max", int, default=None),
        tuple(_field(entry, "out", list, default=[])),
        _field(entry, "phones", str, default=None),
    )
    if not _is_name(settled.name):
        raise ValueError(f"{_NAME_WANTED}, got {settled.name!r:.60}")
    for one in before:
        if settled.name == one.name or settled.url == one.url:
            raise ValueError(f"expected each name and each address once, got those of {one.name} twice")
    check_place(settled.place)
    return settled


def _field(entry: Mapping[str, Any], name: str, kind: type, **default: Any) -> Any:
    """Return a field of an entry. Its value is in no message: it may be a secret."""
    found = entry.get(name)
    if found is None and "default" in default:
        return default["default"]
    if type(found) is not kind:  # a bool is an int, and no size
        raise ValueError(
            f"expected {_KINDS[kind]} as {name!r}, got {_KINDS.get(type(found), 'something else')}"
        )
    return found


def _is_name(name: Any) -> TypeGuard[str]:
    return (
        isinstance(name, str)
        and 0 < len(name) <= NAME_CHARACTERS_MAX
        and name.isprintable()
        and name == name.strip()
    )


def _unreadable(path: Path, why: str) -> Failed:
    return Failed(
        f"expected the mailboxes of this device in {path}, but it cannot be read: {why[:200]}",
        code="bad_settings",
        hint="fix it, or remove it and add the mailboxes again: samemind mailbox add",
    )
