"""Say who prevails over whom in the group, make its recovery code, and put it right with that."""

import sqlite3

from replica import DeviceId, introduce, revoke
from replica.core import Core
from replica.membership import (
    IntroducedMember,
    Revocation,
    name_author,
    name_root,
    names_author,
    names_root,
    reach_of,
)
from replica.peer_notes import nicknames
from samemind.commands.group._parts import GroupMember, GroupView
from samemind.device import Device
from samemind.errors import NeedsDecision
from samemind.formats.times import at_ms
from sync.recovery import NAME, RecoveryCode


def name_of(core: Core, device: DeviceId) -> str:
    """Return what a member is called, or that it is the code on paper."""
    member = core.membership.members.get(device)
    if member is not None:
        return member.name
    is_root = any(each.device == device for each in core.membership.further if names_root(each))
    return NAME if is_root else device.hex()[:12]


def check_may_found(core: Core) -> None:
    root, awaited = core.membership.root, core.membership.awaits
    if root is None and awaited is not None and not may_wait_in_vain(core, awaited):
        raise NeedsDecision(
            f"{name_of(core, awaited)!a} has not said yet who founded its group, which may have a founder",
            code="founder_unknown",
            hint="let them sync first: samemind sync; "
            f"if that one is lost: samemind peers revoke {awaited.hex()[:12]}",
        )
    if root is None or root == core.device:
        return
    if root in core.membership.members:
        raise NeedsDecision(
            f"this group was founded by {name_of(core, root)!a}, and only that device makes its recovery code",
            code="not_the_founder",
            hint="run it there: samemind group recovery",
        )
    raise NeedsDecision(
        "this group has a recovery code, and a device that is stolen must not make another",
        code="has_recovery",
        hint="if the code is lost, start a new group from a device that you trust",
    )


def may_wait_in_vain(core: Core, awaited: DeviceId) -> bool:
    """Say whether whom this device awaits was revoked, or was heard since the two were paired and named no root."""
    return awaited in core.contacts or awaited in core.membership.revoked


def founding(
    core: Core, device: Device, code: RecoveryCode
) -> tuple[list[IntroducedMember], list[Revocation]]:
    """Return the acts by which a code becomes the root of the group of this device, which it introduces first."""
    own, sign, group = core.membership.members[core.device], device.identity.sign, core.membership
    members = [
        name_root(code.sign, code.id, public_key=code.public_key, name=NAME),
        name_root(sign, core.device, public_key=code.public_key, name=NAME),
        introduce(code.sign, code.id, public_key=own.public_key, certificate=own.certificate, name=own.name),
    ]
    every = (*group.members.values(), *group.further)
    members += [  # of a group that was rebuilt: who joins later hears of them from the new root alone
        name_author(code.sign, code.id, public_key=each.public_key, name=each.name, reach=reach_of(each))
        for each in every
        if names_author(each) and each.introduced_by == group.root
    ]
    if group.root is not None:
        return members, []
    # Of 0.1.0: how the others came to be known is not known everywhere, and any revocation counted.
    others = [group.members[each] for each in sorted(group.standing - {core.device})]
    members += [
        introduce(sign, core.device, public_key=each.public_key, certificate=each.certificate, name=each.name)
        for each in others
    ]
    return members, [revoke(sign, core.device, each) for each in sorted(group.revoked - {core.device})]


def kept(core: Core, gone: list[DeviceId]) -> list[DeviceId]:
    """Return who is to stand: this device, whoever stands, and whom nobody has revoked but those that are put out."""
    group, out = core.membership, {*gone}
    by_them = {each.device for each in group.revocations if each.by in out}
    by_others = {each.device for each in group.revocations if each.by not in out}
    return sorted(({core.device} | group.standing | by_them) - by_others - out)


def _state(core: Core, member: IntroducedMember) -> str:
    judged = core.membership.judgment
    if member.device in judged.standing:
        return "member"
    if member.device in judged.revoked_by:
        return "revoked"
    return "expected" if names_author(member) and reach_of(member) is None else "out"


def group_view(core: Core, connection: sqlite3.Connection) -> GroupView:
    group, judged = core.membership, core.membership.judgment
    called = nicknames(connection)
    ranks = {
        device: rank for rank, device in enumerate(each for each in judged.line if each in group.members)
    }
    introducers = {each.device: each.introduced_by for each in group.members.values()}
    members = [
        GroupMember(
            device_id=device.hex(),
            name=called.get(device, member.name),
            state=_state(core, member),
            here=device == core.device,
            rank=ranks.get(device),
            introduced_by=None if introducers[device] == device else name_of(core, introducers[device]),
            revoked_by=[name_of(core, each) for each in judged.revoked_by.get(device, ())],
            since=at_ms(core.out_since[device]) if device in core.out_since else None,
        )
        for device, member in group.members.items()
    ]
    root = "none" if group.root is None else "founder" if group.root in group.members else "recovery code"
    return GroupView(
        root=root,
        root_id=None if group.root is None else group.root.hex(),
        awaits=None if group.root is not None or group.awaits is None else name_of(core, group.awaits),
        members=sorted(members, key=lambda each: (each.rank is None, each.rank, each.name)),
    )
