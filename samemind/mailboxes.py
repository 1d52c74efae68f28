"""Which mailboxes a device has, and the tasks that keep it in step through them while its daemon runs.

They stand in `mailboxes.json`, for its owner alone, since the passwords stand there too: never in the settings, a log,
a command line or a process title.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import trio

from replica import AsyncioHost, Replica
from replica.supervision import Supervisor
from samemind.config import Home
from samemind.durable import whole_file
from samemind.errors import Failed, NotFound, SamemindError, Unreachable, Usage
from sync import Identity
from sync.errors import Denied, MailboxError, SyncError
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


def read_mailboxes(home: Home) -> list[SavedMailbox]:
    """Return the mailboxes of a home."""
    try:
        found = json.loads(home.mailboxes.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise _unreadable(home.mailboxes, str(error)) from None
    try:
        return [_read(one) for one in found]
    except (TypeError, ValueError, KeyError) as error:
        raise _unreadable(home.mailboxes, str(error)) from None


def write_mailboxes(home: Home, mailboxes: Sequence[SavedMailbox]) -> None:
    """Save them, for this user's eyes only."""
    with whole_file(home.mailboxes) as scratch:
        scratch.write_text(json.dumps([asdict(one) for one in mailboxes], indent=1), encoding="utf-8")
    home.mailboxes.chmod(0o600)


def new_mailbox(
    mailboxes: Sequence[SavedMailbox],
    name: str | None,
    place: MailboxAddress,
    bytes_max: int | None,
    out: tuple[str, ...],
) -> SavedMailbox:
    """Return a mailbox that may join these; one of the same name takes its place."""
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
        taken = {one.name for one in mailboxes if one.url != place.url}
        plain = [f"mailbox-{n}" if n else "mailbox" for n in range(MAILBOXES_MAX + 1)]
        same = [one.name for one in mailboxes if one.url == place.url]
        name = same[0] if same else next(each for each in plain if each not in taken)
    if not 0 < len(name) <= NAME_CHARACTERS_MAX or not name.isprintable() or name != name.strip():
        raise Usage(
            f"expected a name of 1 to {NAME_CHARACTERS_MAX} characters, got {name!r:.60}", code="invalid"
        )
    if any(one.url == place.url and one.name != name for one in mailboxes):
        raise Usage("expected another address: there is a mailbox at this one already", code="invalid")
    if len(mailboxes) >= MAILBOXES_MAX and name not in {one.name for one in mailboxes}:
        raise Usage(f"expected at most {MAILBOXES_MAX} mailboxes", code="too_many")
    phones = next((one.phones for one in mailboxes if one.url == place.url), None)
    return SavedMailbox(name, place.url, place.secret, place.pin, bytes_max, out, phones)


def mailbox_named(mailboxes: Sequence[SavedMailbox], name: str) -> SavedMailbox:
    """Return the mailbox of that name."""
    for one in mailboxes:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in mailboxes) or "none"
    raise NotFound(f"expected the name of a mailbox ({known}), got {name[:60]!r}", code="no_such_mailbox")


def told_of(settled: SavedMailbox, error: MailboxError) -> SamemindError:
    """Return what a person is told of a mailbox that did not do what it was asked."""
    said = f"{settled.name}: {error}"
    if isinstance(error, Denied):
        hint = (
            FOLDER_RIGHTS
            if settled.is_folder
            else error.fix or "set its password again: samemind mailbox add"
        )
        return Failed(said, code="mailbox_denied", hint=hint)
    return Unreachable(said, code="mailbox_unreachable")


def keeper_of(
    settled: SavedMailbox,
    replica: Replica,
    identity: Identity,
    host: AsyncioHost,
    random: Any,
    took: Callable[[], Awaitable[None]],
) -> Keeper:
    """Return what keeps a mailbox."""
    rings = settled.place.rings
    return Keeper(
        open_box(settled.place, host),
        replica,
        identity,
        settled.key,
        group_s=GROUP_SECONDS_RINGING if rings else GROUP_SECONDS_LOOKED_AT,
        bytes_max=settled.bytes_max,
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
        self.keepers.pop(name, None)
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


def _read(one: Any) -> SavedMailbox:
    settled = SavedMailbox(
        one["name"],
        one["url"],
        one["secret"],
        one["pin"],
        one["bytes_max"],
        tuple(one["out"]),
        one.get("phones"),
    )
    check_place(settled.place)
    return settled


def _unreadable(path: Path, why: str) -> Failed:
    return Failed(
        f"expected the mailboxes of this device in {path}, but it cannot be read: {why[:200]}",
        code="bad_settings",
        hint="fix it, or remove it and add the mailboxes again: samemind mailbox add",
    )
