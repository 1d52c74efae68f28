"""Tell the owner on the desktop of what is due: on exactly one of the devices that are in touch.

Of these the one with the smallest id goes first, each next one waits a moment longer. Whoever moves a trigger from
pending to delivered shows it; the others see by then that it was, and stay silent. A device in its quiet hours, or on
which nothing shows notifications, lets its turn pass, and only raises what is due, for the inbox and for agents.
Devices that are apart may each show one, once.
"""

import html
import logging
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import partial
from typing import Final, NamedTuple, Protocol

import trio

from cognition.days import DAY_MS
from cognition.triggers.detect import reminders, snoozed
from cognition.triggers.kinds import REMINDER, Thresholds
from cognition.triggers.lattice import TriggerState, TriggerStatus
from cognition.triggers.raised import described, quoted, read_live, read_raised, read_raised_of
from cognition.triggers.step import write_of
from replica import Core, DeviceId, ReplicaError, Trigger, Write, memories_called
from samemind.device import Device
from samemind.formats.printable import one_line
from sync.beat import next_beat
from sync.neighbours import LinkLimits
from sync.reports import PeerState

_log: Final = logging.getLogger(__name__)
# What is due at nine is shown within seconds of it.
LOOK_SECONDS: Final = 6.0
# Longer than one op takes from device to device, so that the next one hears that it was shown.
TURN_SECONDS: Final = 4.0
# A notification is handed over at once, or to nobody.
SHOW_SECONDS_MAX: Final = 10.0
# After a night, or a month away: more at once would hide each other.
SHOWN_AT_ONCE_MAX: Final = 5
TITLE: Final = "samemind"
_QUIET: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


class Notifier(Protocol):
    """Whatever shows a line to the person at this machine."""

    async def show(self, title: str, body: str) -> str | None:
        """Show it; return why that failed, None where it did not."""
        ...


@dataclass(frozen=True, slots=True)
class CommandNotifier:
    """Shows by a program of the desktop; `line` makes its words of a title and a body."""

    program: str
    line: Callable[[str, str], Sequence[str]]

    async def show(self, title: str, body: str) -> str | None:
        """Run it, for ten seconds at most."""
        try:
            with trio.move_on_after(SHOW_SECONDS_MAX):
                ended = await trio.run_process(
                    [self.program, *self.line(title, body)],
                    check=False,
                    capture_stdout=True,
                    capture_stderr=True,
                )
                if ended.returncode == 0:
                    return None
                said = ended.stderr.decode(errors="replace").strip()
                return f"it ended with {ended.returncode}: {said:.200}"
        except OSError as error:
            return error.strerror or str(error)
        return f"it did not end within {SHOW_SECONDS_MAX:g} s"


def _freedesktop(title: str, body: str) -> Sequence[str]:
    # The body may hold markup there.
    return "--app-name=samemind", "--", title, html.escape(body, quote=False)


def _termux(title: str, body: str) -> Sequence[str]:
    return "--title", title, "--content", body


def _macos(title: str, body: str) -> Sequence[str]:
    # As arguments: nothing that was remembered becomes part of a script.
    show = "display notification (item 2 of argv) with title (item 1 of argv)"
    return "-e", "on run argv", "-e", show, "-e", "end run", title, body


# In this order: Termux runs on a phone that has no other, and its is told apart by its name.
PROGRAMS: Final[dict[str, Callable[[str, str], Sequence[str]]]] = {
    "termux-notification": _termux,
    "osascript": _macos,
    "notify-send": _freedesktop,
}


def find_notifier() -> CommandNotifier | None:
    """Return what shows notifications on this machine; None where nothing does."""
    for name, line in PROGRAMS.items():
        if (found := shutil.which(name)) is not None:
            return CommandNotifier(found, line)
    return None


def is_quiet(hours: str, now: time) -> bool:
    """Say whether a time lies in quiet hours: "22:00-07:00", from the first minute until before the last. Pure."""
    found = _QUIET.fullmatch(hours)
    if found is None:
        return False
    begins, ends = time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))
    return begins <= now < ends if begins <= ends else now >= begins or now < ends


def may_go_first(peers: Iterable[PeerState], now_ms: int) -> list[DeviceId]:
    """Return who takes turns with this device: who is linked, and in a group in which not all are, who may be up. Pure.

    There it is not known who is up: of those that were met within a day, a few that are not only make the wait longer.
    """
    states = [peer for peer in peers if peer.state != "revoked"]
    is_mesh = LinkLimits().is_mesh(len(states))
    return [
        peer.device_id
        for peer in states
        if peer.state == "linked"
        or (not is_mesh and peer.last_sync_ms is not None and now_ms - peer.last_sync_ms < DAY_MS)
    ]


def turn_of(own: DeviceId, linked: Iterable[DeviceId]) -> float:
    """Return for how many seconds this device lets the others go first. Pure."""
    return TURN_SECONDS * sorted({own, *linked}).index(own)


class Notification(NamedTuple):
    """What may be shown: the trigger, what raises it where nothing has, and its words."""

    trigger: bytes
    write: Write
    text: str


def struck(
    connection: sqlite3.Connection,
    now_ms: int,
    thresholds: Thresholds,
    *,
    status: TriggerStatus = TriggerStatus.PENDING,
) -> list[Notification]:
    """Return what is due by the clock and not raised yet, to be raised with that status."""
    due = [*reminders(connection, now_ms, thresholds), *snoozed(connection, now_ms, thresholds)]
    raised_already = {raised.id for raised in read_raised_of(connection, [each.id for each in due])}
    found = []
    for candidate in due:
        if candidate.id not in raised_already:
            found += [
                Notification(candidate.id, write_of(candidate, status), quoted(it.memory.text))
                for it in memories_called(connection, (candidate.rid,))
            ]
    return found[:SHOWN_AT_ONCE_MAX]


def due_now(
    connection: sqlite3.Connection, now_ms: int, thresholds: Thresholds, *, every_kind: bool
) -> list[Notification]:
    """Return what waits to be shown: what is due by the clock and not raised yet, and what was raised and waits."""
    found = struck(connection, now_ms, thresholds, status=TriggerStatus.DELIVERED)
    waiting = [
        raised
        for raised in read_live(connection, now_ms, thresholds)
        if (every_kind or raised.kind == REMINDER.name)
        and raised.status(now_ms, thresholds.lifetime_ms) is TriggerStatus.PENDING
    ]
    found += [
        Notification(one.raised.id, _delivered(one.raised), one.reason.text)
        for one in described(connection, now_ms, thresholds, among=waiting)
        if one.reason is not None
    ]
    return found[:SHOWN_AT_ONCE_MAX]


def _delivered(raised: TriggerState) -> Write:
    return Write(Trigger(raised.id, int(TriggerStatus.DELIVERED), raised.kind, raised.about), raised.rid)


class NotifyLoop:
    """Looks for what is due, and shows it when it is this device's turn."""

    def __init__(self, device: Device, find: Callable[[], Notifier | None] = find_notifier) -> None:
        self._device = device
        self._find = find
        self._since: dict[bytes, float] = {}

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            await next_beat(LOOK_SECONDS)
            try:
                await self.look()
            except ReplicaError as error:
                _log.warning("nothing could be brought up: %s", error)

    async def look(self) -> None:
        """Show what is due, where it is this device's turn; on a silent device, raise it without a word."""
        settings, thresholds, now_ms = self._device.settings, self._device.thresholds, self._device.now_ms()
        hour = datetime.fromtimestamp(now_ms / 1_000, UTC).astimezone().time()
        silently = partial(struck, now_ms=now_ms, thresholds=thresholds)
        notifier, find = None, silently
        if settings.notify != "off" and not is_quiet(settings.quiet_hours, hour):
            find = partial(due_now, now_ms=now_ms, thresholds=thresholds, every_kind=settings.notify == "all")
        found = await self._device.replica.read(find)
        if found and find is not silently:  # a program is looked for in many folders: only where it has work
            notifier = self._find()
            found = found if notifier is not None else await self._device.replica.read(silently)
        now_s = trio.current_time()
        self._since = {one.trigger: self._since.get(one.trigger, now_s) for one in found}
        peers = () if self._device.syncer is None else self._device.syncer.peers()
        wait_s = turn_of(self._device.device_id, may_go_first(peers, now_ms))
        for one in found:
            if now_s - self._since[one.trigger] >= wait_s and await self._take(one) and notifier is not None:
                trouble = await notifier.show(TITLE, one_line(one.text))
                if trouble is not None:
                    _log.warning("a notification was not shown: %s", trouble)

    async def _take(self, one: Notification) -> bool:
        """Say that it is shown here; False where somebody has said so before."""

        def move(core: Core, connection: sqlite3.Connection) -> bool:
            now_ms, lifetime_ms = self._device.now_ms(), self._device.thresholds.lifetime_ms
            for raised in read_raised(connection, one.trigger):
                if raised.status(now_ms, lifetime_ms) is not TriggerStatus.PENDING:
                    return False
            core.commit([one.write], now_ms)
            return True

        return await self._device.replica.run(move)
