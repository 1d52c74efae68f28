"""Everything that can go wrong between two devices, sorted by who is at fault.

SyncError
├ LocalProtocolError     we said something the protocol does not allow: our bug
├ RemoteProtocolError    the peer did: its bug, its malice, or a damaged wire
├ Untrusted              one side does not admit the other: pair first, or it was revoked
│ ├ SomebodyElse         who answers is none of those who were called
│ └ SelfLink             the other end holds our own key: this device itself, or a clone of it
├ LimitExceeded          something is larger than a named limit allows
├ LinkLost               the network, or the peer, went away: try again later
└ PairingFailed          pairing ended without a new member
  ├ InvalidCode          what was typed cannot be a code
  ├ WrongCode            the two sides do not hold the same code, or someone sits between them
  ├ CodeExpired          the code was right for a window of time that is over
  └ PairingClosed        no more guesses are taken: open pairing anew

A caller that only wants to keep going catches SyncError; one that explains things to a person
catches the leaves. Messages name what was expected and what was found, never a secret.
"""


class SyncError(Exception):
    """Root of everything sync raises on purpose."""


class LocalProtocolError(SyncError):
    """We tried to say something that the protocol does not allow here."""


class RemoteProtocolError(SyncError):
    """The peer said something that the protocol does not allow here."""


class Untrusted(SyncError):
    """One side does not admit the other; no retry helps before somebody pairs."""


class SomebodyElse(Untrusted):
    """Whoever answers there is none of those who were called: not paired, or another device of the group."""


class SelfLink(Untrusted):
    """The other end proved our own key: we dialled ourselves, or a clone of this device is about."""


class LimitExceeded(SyncError):
    """Something is larger than a named limit allows; it was refused before it was stored."""


class LinkLost(SyncError):
    """The peer or the network went away; trying again later is right."""


class PairingFailed(SyncError):
    """Pairing ended without a new member."""


class InvalidCode(PairingFailed):
    """What was typed cannot be a pairing code."""


class WrongCode(PairingFailed):
    """The two sides do not hold the same code, or someone sits between them."""


class CodeExpired(PairingFailed):
    """The window in which the code was good is over."""


class PairingClosed(PairingFailed):
    """No more guesses are taken; pairing has to be opened anew."""
