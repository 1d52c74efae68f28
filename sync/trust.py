"""Decide whom this device talks to: the members that were paired, less those that were revoked.

Members and revocations are grow-only sets that travel as signed ops; this is the value that follows
from them at one moment. A revocation wins for good: a key that was revoked is never admitted again,
even if it is told anew as a member, and the device behind it has to pair under a new key.
"""

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from replica.ids import DeviceId
from replica.membership import IntroducedMember as Introduced
from replica.membership import admits_nobody
from sync.errors import Untrusted
from sync.identity import device_id_of


@dataclass(frozen=True, slots=True)
class Member:
    """A device that was paired with one of us, known by its certificate; the name is only for people."""

    device_id: DeviceId
    certificate: bytes
    name: str

    @classmethod
    def of(cls, certificate: bytes, name: str) -> Self:
        """The member that a certificate stands for; Untrusted if no device made it for itself."""
        return cls(device_id_of(certificate), certificate, name)


@dataclass(frozen=True, slots=True)
class TrustStore:
    """Who is a member, and who never will be again."""

    members: Mapping[DeviceId, Member]
    revoked: frozenset[DeviceId]

    @classmethod
    def of(cls, members: Iterable[Member], revoked: Iterable[DeviceId] = ()) -> Self:
        """Put members and revocations together, in whatever order they were learned."""
        gone = frozenset(revoked)
        return cls({each.device_id: each for each in members if each.device_id not in gone}, gone)

    @classmethod
    def of_group(cls, group: Iterable[tuple[DeviceId, bytes, str]], revoked: Iterable[DeviceId]) -> Self:
        """Put introductions (device, certificate, name) together.

        Somebody introduced with a certificate that is not its own can be no member.
        """
        members = []
        for device, certificate, name in group:
            try:
                member = Member.of(certificate, name)
            except Untrusted:
                continue
            if member.device_id == device:
                members.append(member)
        return cls.of(members, revoked)

    def admits(self, device_id: DeviceId) -> bool:
        """Whether a link with this device may be up."""
        return device_id in self.members

    def pins(self, among: Container[DeviceId] | None = None) -> tuple[bytes, ...]:
        """The certificates that may open a link, in an order that does not depend on history.

        `among`: only of these.
        """
        return tuple(
            self.members[each].certificate for each in sorted(self.members) if among is None or each in among
        )


def certified(introductions: Iterable[Introduced]) -> list[Introduced]:
    """Return the introductions whose certificate is the one that the device made for itself: no other is stored.

    And those that have none: they name the root of the group, or an author.
    """
    good = []
    for each in introductions:
        if admits_nobody(each):
            good.append(each)
            continue
        with suppress(Untrusted):
            if device_id_of(each.certificate) == each.device:
                good.append(each)
    return good
