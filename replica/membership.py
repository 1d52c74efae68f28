"""Know who belongs to the group and who was put out: two signed sets that only grow.

A member is introduced by a member: pairing with one device of a group makes a new device known to all, because the
introduction travels. The first member of a group is the device itself, introduced by its own signature. A revocation is
signed by a member too, and final: a revoked key never returns; the device pairs anew under another.

Revocation closes links, not ops. Nothing that was folded is taken back, since members who heard of a revocation at
different moments would then disagree for good. `sync` exchanges both sets before any op.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final, NamedTuple

from replica.codec import pack
from replica.errors import InvalidOp
from replica.ids import DEVICE_ID_BYTES, DeviceId, device_id
from replica.signing import SIGNATURE_BYTES, Sign, verify

_MEMBER_CONTEXT: Final = b"samemind member 1\0"
_REVOCATION_CONTEXT: Final = b"samemind revocation 1\0"
# A person's devices over a lifetime; bounds what a hostile member can make everybody store.
MEMBERS_MAX: Final = 10_000
# What is kept of one device's word: no device of a person introduces or revokes a tenth of that.
INTRODUCTIONS_EACH_MAX: Final = 1024
REVOCATIONS_EACH_MAX: Final = 1024
NAME_BYTES_MAX: Final = 256
CERTIFICATE_BYTES_MAX: Final = 4096


class Member(NamedTuple):
    """An introduction: this key, known by this name and certificate, belongs to the group, says `introduced_by`."""

    device: DeviceId
    public_key: bytes
    certificate: bytes
    name: str
    introduced_by: DeviceId
    signature: bytes


class Revocation(NamedTuple):
    """`by` has put `device` out of the group."""

    device: DeviceId
    by: DeviceId
    signature: bytes


def introduce(
    sign: Sign, introducer: DeviceId, *, public_key: bytes, certificate: bytes, name: str
) -> Member:
    """Return a signed introduction of a device to the group."""
    device = device_id(public_key)
    message = _member_message(public_key, certificate, name, introducer)
    return Member(device, public_key, certificate, name, introducer, sign(message))


def revoke(sign: Sign, by: DeviceId, device: DeviceId) -> Revocation:
    """Return a signed revocation of a device."""
    return Revocation(device, by, sign(_REVOCATION_CONTEXT + by + device))


class Membership:
    """The group as one device knows it. `own` is the introduction of the device itself, by itself."""

    def __init__(self, members: Iterable[Member] = (), revocations: Iterable[Revocation] = ()) -> None:
        self._members = {member.device: member for member in members}
        self._revocations = {(revocation.device, revocation.by): revocation for revocation in revocations}

    @property
    def members(self) -> Mapping[DeviceId, Member]:
        """Everybody who was ever introduced, revoked or not: their ops stay, and must stay verifiable."""
        return self._members

    @property
    def revocations(self) -> tuple[Revocation, ...]:
        """Every revocation heard of."""
        return tuple(self._revocations[key] for key in sorted(self._revocations))

    @property
    def revoked(self) -> frozenset[DeviceId]:
        """Devices that are out for good."""
        return frozenset(device for device, _ in self._revocations)

    def public_key(self, device: DeviceId) -> bytes | None:
        """Return the key by which a member's ops are verified; None for a stranger."""
        member = self._members.get(device)
        return None if member is None else member.public_key

    def news(
        self, members: Iterable[Member], revocations: Iterable[Revocation], *, own: DeviceId | None = None
    ) -> tuple[list[Member], list[Revocation]]:
        """Return what of this is new and rightly signed, in an order in which every introducer is known.

        What is unsigned, or introduced by nobody known, is left out: it may come again with its introducer. There is a
        bound to what is kept of each device's word, and of all together. Whom `own` introduces always fits, and so,
        within its own bound, does whom those introduce that `own` was paired with: a crowd keeps none of them out.
        """
        known: dict[DeviceId, bytes] = {device: member.public_key for device, member in self._members.items()}
        said = Counter(member.introduced_by for member in self._members.values())
        near = {member.device for member in self._members.values() if member.introduced_by == own} | {own}
        fresh: list[Member] = []
        for member in introducers_first(each for each in members if each.device not in known):
            by = member.introduced_by
            if by not in known or (by != own and said[by] >= INTRODUCTIONS_EACH_MAX):
                continue
            if (by in near or len(known) < MEMBERS_MAX) and _member_holds(member, known[by]):
                said[by] += 1
                known[member.device] = member.public_key
                fresh.append(member)
        revoked = Counter(by for _, by in self._revocations)
        out: dict[tuple[DeviceId, DeviceId], Revocation] = {}
        for revocation in revocations:
            device, by, signature = revocation
            if (device, by) in self._revocations or (device, by) in out or device not in known:
                continue
            if by not in known or (by != own and revoked[by] >= REVOCATIONS_EACH_MAX):
                continue
            if verify(known[by], _REVOCATION_CONTEXT + by + device, signature):
                revoked[by] += 1
                out[device, by] = revocation
        return fresh, list(out.values())

    def add(self, members: Iterable[Member], revocations: Iterable[Revocation]) -> None:
        """Take what `news` found."""
        self._members.update((member.device, member) for member in members)
        self._revocations.update(
            ((revocation.device, revocation.by), revocation) for revocation in revocations
        )


def introducers_first(members: Iterable[Member]) -> list[Member]:
    """Return introductions in an order in which whoever reads them one by one knows each introducer."""
    by_device = {member.device: member for member in members}
    below: dict[DeviceId | None, list[Member]] = {}
    for member in by_device.values():
        inside = member.introduced_by in by_device and member.introduced_by != member.device
        below.setdefault(member.introduced_by if inside else None, []).append(member)
    ordered = below.pop(None, [])
    for member in ordered:  # it grows meanwhile
        ordered += below.pop(member.device, [])
    return [*ordered, *chain.from_iterable(below.values())]  # who introduce each other in a circle come last


def read_member(plain: object) -> Member:
    """Return the introduction that plain values state; whether it is rightly signed, `Membership.news` finds out."""
    match plain:
        case [bytes(key), bytes(certificate), str(name), bytes(introducer), bytes(signature)] if (
            len(key) == 32
            and len(certificate) <= CERTIFICATE_BYTES_MAX
            and len(name.encode()) <= NAME_BYTES_MAX
            and len(introducer) == DEVICE_ID_BYTES
            and len(signature) == SIGNATURE_BYTES
        ):
            return Member(device_id(key), key, certificate, name, DeviceId(introducer), signature)
    raise InvalidOp("expected an introduction [public key, certificate, name, introducer, signature]")


def read_revocation(plain: object) -> Revocation:
    """Return the revocation that plain values state."""
    match plain:
        case [bytes(device), bytes(by), bytes(signature)] if (
            len(device) == len(by) == DEVICE_ID_BYTES and len(signature) == SIGNATURE_BYTES
        ):
            return Revocation(DeviceId(device), DeviceId(by), signature)
    raise InvalidOp("expected a revocation [device, by, signature]")


def plain_member(member: Member) -> list[object]:
    """Return an introduction as plain values for the wire."""
    return [member.public_key, member.certificate, member.name, member.introduced_by, member.signature]


def _member_message(public_key: bytes, certificate: bytes, name: str, introducer: DeviceId) -> bytes:
    return _MEMBER_CONTEXT + pack([public_key, certificate, name, introducer])


def _member_holds(member: Member, introducer_key: bytes) -> bool:
    message = _member_message(member.public_key, member.certificate, member.name, member.introduced_by)
    return member.device == device_id(member.public_key) and verify(introducer_key, message, member.signature)
