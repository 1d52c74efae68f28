"""Say what went wrong in the words of the doors: a code for programs, a sentence for people, an exit status.

SamemindError            code, message, hint, exit_code
├ Usage                  2: asked wrongly; a value that nothing can hold
│ └ Ambiguous            2: a prefix that fits several ids
├ NotFound               3: nothing has that name here
├ NeedsDecision          4: only a person can say which of two things is meant
├ Unreachable            5: a peer, or the daemon, does not answer
├ Locked                 6: another program holds the store, or it may not be used by this one
└ Failed                 1: everything else: a damaged store, a full disk

The layers below raise their own errors. `explain` gives each the code under which every door shows it, so
that a script meets the same words whether a verb ran in this process or in the daemon. It goes by the names
of classes: to import them here would load half the program into a verb that only talks to the daemon.
"""

import errno
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from replica.values import dataclass


class SamemindError(Exception):
    """Root of everything the doors raise on purpose."""

    exit_code: ClassVar[int] = 1
    default_code: ClassVar[str] = "failed"

    def __init__(
        self, message: str, *, code: str = "", hint: str = "", candidates: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.candidates = candidates

    def document(self) -> dict[str, Any]:
        """Return the error as the `error` object of the JSON contract."""
        found: dict[str, Any] = {"code": self.code, "message": self.message, "hint": self.hint}
        if self.candidates:
            found["candidates"] = list(self.candidates)
        return found


class Failed(SamemindError):
    """It could not be done; the message says why."""


class Usage(SamemindError):
    """What was asked cannot be meant."""

    exit_code = 2
    default_code = "usage"


class Ambiguous(Usage):
    """A prefix fits several ids; `candidates` holds up to five of them."""

    default_code = "ambiguous"


class NotFound(SamemindError):
    """Nothing here has that name."""

    exit_code = 3
    default_code = "not_found"


class NeedsDecision(SamemindError):
    """Only a person can say which of two things is meant."""

    exit_code = 4
    default_code = "needs_decision"


class Unreachable(SamemindError):
    """A peer, or the daemon, does not answer."""

    exit_code = 5
    default_code = "unreachable"


class Locked(SamemindError):
    """Another program holds the store, or this one may not use it."""

    exit_code = 6
    default_code = "locked"


INTERRUPTED_EXIT_CODE: Final = 130
# What a shell says of a program that SIGPIPE ended; the same where no such signal is.
BROKEN_PIPE_EXIT_CODE: Final = 141
# The code of `Unreachable` where it is the holder of the store that has gone, rather than a peer.
HOLDER_ENDED: Final = "holder_ended"


@dataclass(frozen=True, slots=True)
class _Explanation:
    kind: type[SamemindError]
    code: str
    hint: str = ""


_OUR_PACKAGES: Final = frozenset({"samemind", "replica", "sync", "cognition"})
RESTART: Final = (
    "samemind was changed while its daemon ran, as an upgrade does: `samemind down`, then `samemind up`; "
    "where no daemon runs, reinstall samemind"
)
_BACKUP: Final = "restore a backup, or choose another data directory with --home"
# By the class's full name; a class that is not here is explained by the nearest base that is.
_EXPLANATIONS: Final[Mapping[str, _Explanation]] = {
    "replica.errors.InvalidOp": _Explanation(Usage, "invalid"),
    "replica.errors.TooLarge": _Explanation(Usage, "too_large"),
    "replica.errors.NameNotFound": _Explanation(NotFound, "not_found"),
    "replica.errors.StoreCorrupt": _Explanation(Failed, "store_corrupt", _BACKUP),
    "replica.errors.StoreNewer": _Explanation(Failed, "store_newer", "upgrade samemind on this device"),
    "replica.errors.WrongKey": _Explanation(
        Locked, "wrong_passphrase", "type it again; if it is right, the file is damaged: restore a backup"
    ),
    "replica.errors.CipherMissing": _Explanation(
        Failed, "cipher_missing", "pip install 'keyring>=25' 'sqlcipher3-wheels>=0.5.7'"
    ),
    "replica.errors.StoreFailed": _Explanation(
        Failed, "store_failed", "make room on the disk, then try again"
    ),
    "replica.errors.ClockDrift": _Explanation(Failed, "clock", "set this device's clock"),
    "replica.errors.ReplicaError": _Explanation(Failed, "failed"),
    "sync.errors.LinkLost": _Explanation(
        Unreachable,
        "unreachable",
        "see that the other device is on, runs `samemind up`, and is on the network",
    ),
    "sync.errors.Untrusted": _Explanation(Locked, "not_paired", "pair the devices: `samemind pair`"),
    "sync.errors.InvalidCode": _Explanation(
        Usage, "invalid_code", "type the code as the other device shows it"
    ),
    "sync.errors.InvalidRecoveryCode": _Explanation(
        Usage,
        "invalid_code",
        "type the 17 words that `samemind group recovery` showed once, as you wrote them down",
    ),
    "sync.errors.WrongCode": _Explanation(
        Locked, "wrong_code", "the code is used up: ask the other device for a new one"
    ),
    "sync.errors.NotPairing": _Explanation(
        Failed,
        "not_pairing",
        "run `samemind pair` on the other device, and give the address that it shows: its port is not the daemon's",
    ),
    "sync.errors.CodeExpired": _Explanation(Locked, "code_expired", "open pairing again on the other device"),
    "sync.errors.PairingClosed": _Explanation(
        Locked, "pairing_closed", "open pairing again on the other device"
    ),
    "sync.errors.PairingFailed": _Explanation(Failed, "pairing_failed", "open pairing again and retry"),
    "sync.errors.SyncError": _Explanation(Failed, "sync_failed"),
    "cognition.errors.ModelUnavailable": _Explanation(
        Failed, "model_unavailable", "`samemind doctor` says what is missing"
    ),
    "cognition.errors.InvalidQuery": _Explanation(Usage, "invalid"),
    "cognition.errors.CognitionError": _Explanation(Failed, "failed"),
    # An option whose value cannot be meant: the layers below raise ValueError for misuse.
    "builtins.ValueError": _Explanation(Usage, "invalid"),
    "builtins.FileNotFoundError": _Explanation(NotFound, "no_such_file"),
    "builtins.PermissionError": _Explanation(Locked, "not_permitted"),
    "builtins.ConnectionError": _Explanation(Unreachable, "unreachable"),
    "builtins.OSError": _Explanation(Failed, "io"),
    "sqlite3.OperationalError": _Explanation(Failed, "store_failed", "`samemind doctor` looks closer"),
    "sqlite3.DatabaseError": _Explanation(Failed, "store_corrupt", _BACKUP),
    # A pipe that closed, seen by trio: the other program ended.
    "trio.BrokenResourceError": _Explanation(Unreachable, "unreachable"),
}


# What a person can do where the system itself refuses; the text names the file.
_HINTS_BY_ERRNO: Final[Mapping[int | None, str]] = {
    errno.EROFS: "make the disk writable (an error may have made it so), or choose another data directory with --home",
    errno.ENOSPC: "make room on the disk, then try again",
    errno.EDQUOT: "make room in this user's quota, then try again",
    errno.EMFILE: "too many files are open: end other programs, or raise the limit (ulimit -n)",
    errno.EIO: "the disk failed: look at the system's log, and restore a backup if it does so again",
}
# `sqlite3.SQLITE_FULL`, in the low byte of its codes: to import it here would cost every call to the daemon.
_SQLITE_FULL: Final = 13
_SQLITE_KIND: Final = 0xFF


def explain(error: BaseException) -> SamemindError:
    """Return an error in the words of the doors; what nobody foresaw is `internal`, and is our fault."""
    known = _explained(error)
    if known is not None:
        return known
    seen = {id(error)}
    reason = error.__cause__ or error.__context__
    while reason is not None and id(reason) not in seen:  # a chain may close on itself
        seen.add(id(reason))
        told = _explained(reason)
        if told is not None:
            if _telling(told) == _OF_THE_STORE:
                return told
            break
        reason = reason.__cause__ or reason.__context__
    said = f"{type(error).__name__}: {_said_by(error)}"
    if _is_changed_underneath(error):
        return Failed(said, code="internal", hint=RESTART)
    return Failed(said, code="internal", hint="this is a bug of samemind; nothing you did is wrong")


def _is_changed_underneath(error: BaseException) -> bool:
    """Say whether a part of ours that was loaded does not fit one that is loaded now: an upgrade came between."""
    return isinstance(error, ImportError) and (error.name or "").partition(".")[0] in _OUR_PACKAGES


def _in_our_names(message: str) -> str:
    """Return a message about a field as whoever gave it calls that: a `session` is a conversation further down."""
    rest = message.removeprefix("conversation: ")
    return message if rest is message else f"session: {rest}"


def _explained(error: BaseException) -> SamemindError | None:
    """Return an error whose class is known in the words of the interfaces; None for a bug of ours."""
    if isinstance(error, SamemindError):
        return error
    if isinstance(error, BaseExceptionGroup):
        return max(map(explain, error.exceptions), key=_telling)
    for base in type(error).__mro__:
        found = _EXPLANATIONS.get(f"{base.__module__}.{base.__qualname__}")
        if found is not None:
            candidates = getattr(error, "candidates", ())
            hint = found.hint or _HINTS_BY_ERRNO.get(getattr(error, "errno", None), "")
            if getattr(error, "sqlite_errorcode", 0) & _SQLITE_KIND == _SQLITE_FULL:
                hint = _HINTS_BY_ERRNO[errno.ENOSPC]
            return found.kind(
                _in_our_names(_said_by(error)), code=found.code, hint=hint, candidates=candidates
            )
    return None


# A store that fails makes anything else fail; what we did wrong ourselves hides behind nothing else.
_OF_THE_STORE: Final = 2
_OURS: Final = 1


def _telling(told: SamemindError) -> int:
    """Say how much of what went wrong together an error explains; of those that tell as much, the first is told."""
    return {"store_corrupt": _OF_THE_STORE, "store_failed": _OF_THE_STORE, "internal": _OURS}.get(
        told.code, 0
    )


def _said_by(error: BaseException) -> str:
    """Return the error's own words; of the system's, what it is about and what is wrong, without a number."""
    if isinstance(error, OSError) and error.strerror:
        if error.errno == errno.ENAMETOOLONG:  # it may be a text that was taken for a path: of any length
            return f"{error.filename!s:.60}…: {error.strerror}"
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def translated(error: Exception) -> Exception:
    """Return what to raise at a door: an error in its words, or a bug of ours as it is, with all that it can tell."""
    told = explain(error)
    # A pipe that breaks under what a verb says is the asker's own: it knows best what that means.
    return error if told.code == "internal" or isinstance(error, BrokenPipeError) else told


def from_document(document: Mapping[str, Any], exit_code: int) -> SamemindError:
    """Return the error that another process described."""
    kinds = {kind.exit_code: kind for kind in (Failed, Usage, NotFound, NeedsDecision, Unreachable, Locked)}
    kind: type[SamemindError] = kinds.get(exit_code, Failed)
    candidates = tuple(document.get("candidates", ()))
    if candidates:
        kind = Ambiguous
    return kind(
        document["message"], code=document["code"], hint=document.get("hint", ""), candidates=candidates
    )
