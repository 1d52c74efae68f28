"""What several commands of this family take, return and show."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from replica.values import dataclass
from samemind.commands.group._parts import peer_line
from samemind.commands.mailbox._parts import standing
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, clock


def is_ok(result: Mapping[str, Any]) -> bool:
    return bool(result["ok"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """This home is a device. After a divorce: whose copy it was, and which devices have heard of it."""

    device_id: str
    name: str
    home: str
    divorced_from: str | None = None
    told: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentView:
    """What made a device go on under a new incarnation, or its chain part.

    `what`: `copied`, `rolled back`, `heard of itself`, `clock` or `branch`.
    """

    at: datetime
    what: str
    device_id: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """Another store under this device's key: on this machine at `where`, or elsewhere.

    `must_part`: it is the older one, so this one has to become a device of its own: `init --divorce`.
    """

    where: str | None
    last_wrote: datetime | None
    must_part: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The daemon was asked to stop and did."""

    device_id: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at, and what to do where it is not well."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def status_lines(document: Document) -> list[str]:
    state = (
        f"up at {document['address']}, process {document['pid']}" if document["running"] else "not running"
    )
    return [
        f"{one_line(document['name'])}  {document['device_id'][:DEVICE_DIGITS]}  {state}",
        *([f"revoked by {one_line(document['revoked_by'])}"] if document["revoked_by"] else []),
        *(
            [f"panel at {document['panel_url']} (`samemind panel` lets a browser in)"]
            if document["panel_url"]
            else []
        ),
        *([f"agents at {document['mcp_url']}"] if document["mcp_url"] else []),
        *map(peer_line, document["peers"]),
        *standing(document["mailboxes"]),
        *(f"{clock(each['at'])}  {one_line(each['detail'])}" for each in document["incidents"][-1:]),
        *(
            [f"thinks next at {clock(document['think']['next_at'])}"]
            if document["think"] and document["think"]["runner"] == document["device_id"]
            else []
        ),
        *(["another store lives under this device's key: samemind doctor"] if document["clone"] else []),
    ]
