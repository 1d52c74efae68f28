"""Everything that can go wrong between two devices, sorted by who is at fault.

SyncError
├ LocalProtocolError     we said something the protocol does not allow: our bug
├ RemoteProtocolError    the peer did: its bug, its malice, or a damaged wire
│ └ OtherProtocol        it speaks another version: one of the two needs an upgrade, nobody is at fault
├ Untrusted              one side does not admit the other: pair first, or it was revoked
│ ├ SomebodyElse         who answers is none of those who were called
│ ├ MakerUnknown         a carrier file was made by nobody who is a member, as far as is known here
│ ├ SealedForOthers      a carrier file has no key in it for this device
│ └ SelfLink             the other end holds our own key: this device itself, or a clone of it
├ LimitExceeded          something is larger than a named limit allows
├ LinkLost               the network, or the peer, went away: try again later
│ └ Crowded              one of the two holds as many links as it can: try again much later
├ MailboxError           a mailbox did not do what it was asked
│ ├ Unreached            it could not be reached, or was busy: try again later
│ ├ Denied               it takes our key or password no more: a person has to act
│ ├ Full                 there is no room for more
│ ├ NoRoomHere           this device's own disk has no room for a file of it: make some
│ └ Gone                 a file that was listed is there no more
└ PairingFailed          pairing ended without a new member
  ├ InvalidCode          what was typed cannot be a code
  │ └ InvalidRecoveryCode    nor can it be the recovery code of a group
  ├ WrongCode            the two sides do not hold the same code, or someone sits between them
  ├ NotPairing           what answers at the address takes links of paired devices, and no codes
  ├ CodeExpired          the code was right for a window of time that is over
  └ PairingClosed        no more guesses are taken: open pairing again

A caller that only wants to keep going catches SyncError; one that explains things to a person
catches the leaves. Messages name what was expected and what was found, never a secret.
"""

from replica.evidence import Fault
from replica.ids import DeviceId


class SyncError(Exception):
    """Root of everything sync raises on purpose."""


class LocalProtocolError(SyncError):
    """We tried to say something that the protocol does not allow here."""


class RemoteProtocolError(SyncError):
    """The peer said something that the protocol does not allow here. `fault`: what is kept as evidence against it."""

    def __init__(self, message: str, *, fault: Fault | None = Fault.PROTOCOL) -> None:
        super().__init__(message)
        self.fault = fault


class OtherProtocol(RemoteProtocolError):
    """The peer speaks another version of the protocol."""

    def __init__(self, message: str) -> None:
        super().__init__(message, fault=None)


class Untrusted(SyncError):
    """One side does not admit the other; no retry helps before somebody pairs."""


class SomebodyElse(Untrusted):
    """Whoever answers there is none of those who were called: not paired, or another device of the group."""


class MakerUnknown(Untrusted):
    """A carrier file was made by a device that is no member as far as is known here; it may be introduced later."""


class SealedForOthers(Untrusted):
    """A carrier file holds no key for this device: another group's, or made before this device was a member."""


class SelfLink(Untrusted):
    """The other end proved our own key: we dialled ourselves, or a clone of this device is about."""


class LimitExceeded(SyncError):
    """Something is larger than a named limit allows; it was refused before it was stored."""


class LinkLost(SyncError):
    """The peer or the network went away; trying again later is right."""


class Crowded(LinkLost):
    """One of the two holds as many links as it can; news reaches both by way of others. `peer`: the other end."""

    def __init__(self, message: str, *, peer: DeviceId) -> None:
        super().__init__(message)
        self.peer = peer


class MailboxError(SyncError):
    """A mailbox did not do what it was asked. `fix`: what a person has to do, where that is not what usually helps."""

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.fix = fix


class Unreached(MailboxError):
    """The mailbox could not be reached, or was busy; `retry_after_s`: when it said that it would not be."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Denied(MailboxError):
    """The mailbox does not take our key or password; no retry helps before somebody changes one."""


class Full(MailboxError):
    """The mailbox has no room for more."""


class NoRoomHere(MailboxError):
    """This device's own disk has no room for a file of the mailbox, which is at no fault.

    `missing`: how many bytes, as was known before anything was fetched; 0 where the disk filled up meanwhile.
    """

    def __init__(self, message: str, *, missing: int = 0, fix: str | None = None) -> None:
        super().__init__(message, fix=fix)
        self.missing = missing


class Gone(MailboxError):
    """A file that was listed is there no more: somebody removed it."""


class PairingFailed(SyncError):
    """Pairing ended without a new member."""


class InvalidCode(PairingFailed):
    """What was typed cannot be a pairing code."""


class InvalidRecoveryCode(InvalidCode):
    """What was typed cannot be a recovery code, which is on paper and on no device."""


class WrongCode(PairingFailed):
    """The two sides do not hold the same code, or someone sits between them."""


class NotPairing(PairingFailed):
    """What answers at the address takes links of paired devices, and no codes."""


class CodeExpired(PairingFailed):
    """The window in which the code was good is over."""


class PairingClosed(PairingFailed):
    """No more guesses are taken; pairing has to be opened anew."""
