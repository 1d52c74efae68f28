"""What every mailbox can do: five verbs, few enough that a folder, a message server and any storage fit.

Nothing here needs order, dates, locks, conditional writes or a second look at what was written. A listing is a set. A
name is the hash of its file and never written twice. A file that was cut is refused by its seal, one that is lost is
written again by whoever notices (`sync.carrier.shelf`): so a mailbox may lose things, be late, and lie, and costs time
at most.

Errors: `Unreached` (try later), `Denied` (a person must act), `Full`, `Gone`.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, Final, Protocol

from sync.errors import Denied, Full, MailboxError, Unreached

# More files than a group of a hundred devices ever has; an owner's listing may have no end.
FILES_MAX: Final = 100_000

_DENIED: Final = frozenset({401, 402, 403, 407})
_TOO_LARGE: Final = 413
_FULL: Final = frozenset({_TOO_LARGE, 507})
_LARGER: Final = "let the server take files of up to 256 MB, as with `client_max_body_size 256m` of nginx"
CROWDED_FIX: Final = "remove what is none of samemind's there, and see who else may write to it"
_NAME: Final = re.compile(r"[0-9a-f]{32}\.[a-z]{1,16}")


class Mailbox(Protocol):
    """A place for files. Each call stands by itself, and may be cancelled."""

    async def put(self, name: str, data: bytes) -> None:
        """Write a file: durable when it returns, whole or not there at all."""
        ...

    async def names(self) -> Mapping[str, int]:
        """Return every name there is, with the size of its file; names that are not ours may be among them.

        `Full` if there are more than `FILES_MAX`.
        """
        ...

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        """Write into `into` what a file holds, of a larger one only so much; `Gone` if it is there no more."""
        ...

    async def remove(self, name: str) -> None:
        """Remove a file; of one that is gone already, nothing."""
        ...

    async def bell(self) -> None:
        """Return when there may be new names since the last listing: early or late, never never."""
        ...

    async def aclose(self) -> None:
        """Let go of it."""
        ...


def is_name(name: str) -> bool:
    """Say whether a file may have this name: nothing in it is special to any file system, URL or subject."""
    return _NAME.fullmatch(name) is not None


def too_many() -> Full:
    """Return what is raised where a listing goes on and on."""
    return Full(f"expected at most {FILES_MAX} files, it lists more", fix=CROWDED_FIX)


def too_long(bytes_max: int) -> Full:
    """Return what is raised where a listing has more than so many bytes."""
    return Full(f"expected a listing of at most {bytes_max >> 20} MB, it is longer", fix=CROWDED_FIX)


def check_name(name: str) -> str:
    """Return a name that may be written."""
    if not is_name(name):
        raise ValueError(f"expected a name of 32 hexadecimal digits and an ending, got {name!r:.60}")
    return name


def refused_with(status: int, retry_after_s: float | None) -> MailboxError:
    """Return what a storage means that answered with this status of HTTP's."""
    known = status in HTTPStatus.__members__.values()
    said = f"the storage answered {status} ({HTTPStatus(status).phrase if known else 'unknown'})"
    if status in _DENIED:
        return Denied(said)
    if status in _FULL:
        return Full(said, fix=_LARGER if status == _TOO_LARGE else None)
    return Unreached(said, retry_after_s=retry_after_s)
