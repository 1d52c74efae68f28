"""What several commands of this family take, return and show."""

from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Final

from replica.values import dataclass
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, clock, counted

# Below half of an hour's quota nobody needs to know of it.
_QUOTA_TOLD_MIN: Final = 0.5
# Clocks this far apart make "newest first" wrong for people; nothing breaks.
_OFFSET_MS_MAX: Final = 60_000
_UNITS: Final = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))


def peer_line(peer: Document) -> str:
    behind = f", {counted(peer['behind'], 'op')} behind" if peer["behind"] else ""
    state = f"{peer['state']}{_out(peer)}"
    off = "" if peer["state"] == "revoked" else clock_off(peer["offset_ms"])
    return (
        f"{one_line(peer['name']):<16} {peer['device_id'][:DEVICE_DIGITS]}  {state}, {_synced(peer)}{behind}"
        f"{f', its clock is {off}' if off else ''}{_quota(peer)}{_namesake(peer)}"
    )


def _synced(peer: Document) -> str:
    """Say when a peer was last in step with this device over a link; a mailbox says so itself.

    A large store takes minutes to be sent for the first time.
    """
    if peer["last_sync"]:
        return f"synced {clock(peer['last_sync'])}"
    return "first sync under way" if peer["state"] == "linked" else "no direct sync yet"


def clock_off(offset_ms: int | None) -> str:
    """Say how far another device's clock is before or behind this one, where that is worth a look."""
    if offset_ms is None or abs(offset_ms) <= _OFFSET_MS_MAX:
        return ""
    seconds = abs(offset_ms) / 1_000
    size, unit = next((each for each in _UNITS if seconds >= 2 * each[0]), _UNITS[-1])
    return f"{seconds / size:.0f} {unit} {'ahead of' if offset_ms > 0 else 'behind'} this one"


def _namesake(peer: Document) -> str:
    """Say how two of one name are told apart: each its own, or one the former self of a device that was restored."""
    if not peer["namesake"]:
        return ""
    device = peer["device_id"][:DEVICE_DIGITS]
    return (
        f", and another device has its name: `samemind peers rename {device} NAME`; if this is what that one was"
        f" before it was restored, `samemind peers revoke {device}`"
    )


def _out(peer: Document) -> str:
    """Say by whom a peer was revoked, and since when that is known here."""
    by = f" by {one_line(peer['revoked_by'])}" if peer["revoked_by"] else ""
    return by + (f" since {clock(peer['revoked_at'])}" if peer["revoked_at"] else "")


def _quota(peer: Document) -> str:
    """Say how much of its quota a peer has used, where that is worth a look."""
    used, what = peer["quota"], peer["quota_of"]
    if used < _QUOTA_TOLD_MIN:
        return ""
    return f", {used:.0%} of its hour's {what}" + ("" if used < 1 else ": the rest waits there")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerView:
    """One other device of the group. `state` is `linked`, `dialling`, `away` or `revoked`.

    `quota` is the share that it has used up of what one device may send here in an hour: from 1 on the rest
    waits there.
    `quota_of` says of what: `ops`, `bytes`, `packed`, `chains` or `introductions`, or one of these `passed on`.
    """

    device_id: str
    name: str
    state: str = "away"
    last_sync: datetime | None = None
    offset_ms: int | None = None
    behind: int | None = None
    address: str | None = None
    error: str | None = None
    quota: float = 0.0
    quota_of: str = "ops"
    revoked_by: str | None = None
    """The name of the eldest device that revoked it."""
    revoked_at: datetime | None = None
    """When this device heard that it is out."""
    namesake: bool = False
    """It is away and has the name of a device that is here: what that one was before it was restored, perhaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMember:
    """One device of a group, this one too. `state`: `member`, `revoked`, `out`, for its introducer is, or `expected` in
    a group that was rebuilt: it has not moved in yet.

    `rank`: 0 for the eldest, in the order in which devices prevail over each other; None in a group without a root.
    """

    device_id: str
    name: str
    state: str
    here: bool = False
    rank: int | None = None
    introduced_by: str | None = None
    revoked_by: list[str] = field(default_factory=list)
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """The group, the eldest device first. `root`: `founder`, `recovery code` or `none`, as in groups of 0.1.0.

    `awaits`: the device that this one was paired with, and that has not said yet who founded the group.
    """

    root: str
    root_id: str | None = None
    awaits: str | None = None
    members: list[GroupMember] = field(default_factory=list)


# A screen of them; --json has all.
_LISTED_MAX: Final = 20


def some_lines(items: Sequence[Any], line: Callable[[Any], str]) -> list[str]:
    more = len(items) - _LISTED_MAX
    return [*map(line, items[:_LISTED_MAX]), *([f"and {more} more: --json lists all"] if more > 0 else [])]


def group_lines(document: Document) -> list[str]:
    """Show the eldest first, since of two that revoke each other the elder stays."""
    if document["root"] == "none" and len(document["members"]) == 1:
        return ["no group yet: samemind pair", *map(_member, document["members"])]
    if document.get("awaits") is not None:
        awaited = one_line(document["awaits"])
        return [
            f"a group whose founder {awaited} has yet to name: samemind doctor",
            *map(_member, document["members"]),
        ]
    root = {
        "founder": "founded by the first of these; no recovery code: samemind group recovery",
        "recovery code": "with a recovery code",
        "none": "of 0.1.0, in which any revocation counts: samemind group recovery, on the oldest device",
    }[document["root"]]
    return [f"a group {root}", *map(_member, document["members"])]


def _member(member: Document) -> str:
    by = f" by {', '.join(map(one_line, member['revoked_by']))}" if member["revoked_by"] else ""
    since = f" since {clock(member['since'])}" if member["since"] else ""
    here = ", this device" if member["here"] else ""
    rank = "  " if member["rank"] is None else f"{member['rank'] + 1:>2}"
    name = f"{one_line(member['name']):<16} {member['device_id'][:DEVICE_DIGITS]}"
    return f"{rank}  {name}  {member['state']}{by}{since}{here}"
