"""Look for what is wrong with this device, and say what to do about each thing.

Every check has a name, a sentence about what was found, and where that is not well, a command or an act that mends
it. What lies in the store is looked at here; what lies around it (network, daemon, agents), in `_surroundings`.
"""

import shlex
import shutil
import sqlite3
import stat
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from cognition.ingest.holding import held_here
from cognition.talk.queue import talk_state
from cognition.wordings import tables as wordings
from replica import Core, DeviceId, FoldStatus, is_unchecked
from replica.evidence import SENTENCES
from replica.reads.counts import count_ops_of
from replica.vouched import vouched_ops
from samemind.commands.device._parts import Check
from samemind.commands.group._members import may_wait_in_vain, name_of
from samemind.commands.group._parts import PeerView
from samemind.config import Settings
from samemind.device import UNCHECKED, Device
from samemind.errors import Failed
from samemind.formats.rendering import counted, minute
from samemind.formats.times import at_stamp
from samemind.platform import system

if TYPE_CHECKING:
    from cognition.judging.model_judge import ModelJudge

# Below this a device is about to fail at its next sync: a full frame, its log and its folded state, twice.
FREE_BYTES_MIN: Final = 256 << 20


def key(device: Device) -> Check:
    file = device.home.original.identity
    found = file.stat()
    is_open = system.open_to_others(found) != 0
    return Check(
        name="key",
        ok=not is_open,
        detail=f"{file.name} has mode {stat.S_IMODE(found.st_mode):o}",
        fix=f"chmod 600 {file}" if is_open else "",
    )


def thinking(device: Device) -> list[Check]:
    """Look at how the daemon's last cycle of thinking ended."""
    if device.thinker is None or device.thinker.trouble is None:
        return []
    fix = f"it is tried again by itself; what led to it is in {device.home.log}"
    return [Check(name="thinking", ok=False, detail=device.thinker.trouble, fix=fix)]


def background(device: Device) -> list[Check]:
    """Look at what failed in the background and was started again: an error of this program's."""
    found = dict(device.mind.troubles)
    found |= {} if device.tasks is None else device.tasks.troubles
    found |= {} if device.syncer is None else device.syncer.tasks.troubles
    fix = f"it was started again by itself; what led to it is in {device.home.log}"
    return [
        Check(
            name="background", ok=False, detail=f"{name} failed {_times(each.times)}: {each.reason}", fix=fix
        )
        for name, each in found.items()
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def settings(device: Device) -> list[Check]:
    """Look at settings that were changed since the device was opened: the next opening would be refused."""
    try:
        Settings.load(device.home)
    except Failed as error:
        return [Check(name="settings", ok=False, detail=error.message, fix=error.hint)]
    return []


def disk(device: Device) -> Check:
    free = shutil.disk_usage(device.home.original.folder).free
    return Check(
        name="disk",
        ok=free >= FREE_BYTES_MIN,
        detail=f"{free >> 20} MB free",
        fix="" if free >= FREE_BYTES_MIN else "make room: a full disk stops every write",
    )


def embedding(device: Device, pending: int, failed: int) -> Check:
    trouble = device.mind.trouble
    ok = trouble is None and not failed
    detail = f"{device.mind.embedding.embedder.name}, local; {pending} waiting, {failed} failed"
    detail += "" if trouble is None else f"; {trouble}"
    return Check(
        name="embedding",
        ok=ok,
        detail=detail,
        fix="" if ok else "those memories are found by their words alone; then: samemind queue requeue",
    )


def nearest(device: Device) -> Check:
    """Say what finds near vectors, and why; a graph that could not be made or kept is no loss but of time."""
    graph = device.mind.graph
    fix = "" if graph.trouble is None else "signatures answer meanwhile; it is tried again at the next start"
    return Check(name="index", ok=True, detail=graph.says(), fix=fix)


def reranker(device: Device, pending: int) -> Check:
    """Look at the model that reads memories and judges the best of a recall, where there is one."""
    reranker, trouble = device.mind.reranking.reranker, device.mind.reranking.trouble
    if reranker is None:
        return Check(name="reranker", ok=True, detail="none: signals alone put memories in order", fix="")
    detail = f"{reranker.name}, local; {pending} waiting" + ("" if trouble is None else f"; {trouble}")
    fix = (
        "" if trouble is None else f'install what it names, or set reranker = "off" in {device.home.settings}'
    )
    return Check(name="reranker", ok=trouble is None, detail=detail, fix=fix)


async def taking(device: Device) -> list[Check]:
    """Look at the model that reads talk, where there is one, and at what is held back."""
    checks = []
    talk = await device.replica.read(talk_state)
    reader = device.mind.talk
    if reader is None:
        checks.append(Check(name="model", ok=True, detail="none: patterns alone find facts", fix=""))
    else:
        where = "remote: what it reads leaves this device" if reader.model.remote else "local"
        trouble = "" if reader.trouble is None else f"; {reader.trouble}"
        ok = reader.trouble is None and not talk.failed
        detail = f"{reader.model.name}, {where}; {talk.pending} waiting, {talk.failed} failed{trouble}"
        if device.mind.rewording is not None:
            worded, waiting = await device.replica.read(wordings.counted)
            detail += f"; {counted(worded, 'memory', 'memories')} found by other words, too; {waiting} to be given some"
            if device.mind.rewording.trouble is not None:
                detail += f": {device.mind.rewording.trouble}"
        if device.mind.judging is not None:
            detail += f"; {await _compared(device.mind.judging)}"
        fix = "" if ok else "start the model, then: samemind queue requeue"
        checks.append(Check(name="model", ok=ok, detail=detail, fix=fix))
    held = await device.replica.read(held_here)
    if held:
        detail = (
            f"{counted(len(held), 'text looks secret and is', 'texts look secret and are')} not remembered"
        )
        checks.append(Check(name="held", ok=True, detail=detail, fix="samemind held release ID, or drop ID"))
    return checks


async def _compared(judging: "ModelJudge") -> str:
    """Say how many memories a model compared of late."""
    memories = counted(await judging.asked_of_late(), "memory was", "memories were")
    said = f"{memories} compared with older ones within a day, of at most {judging.daily_max}"
    return said if judging.trouble is None else f"{said}: {judging.trouble}"


def vouched_checks(core: Core, _: object = None) -> list[Check]:
    """Say whose word is taken for writes that came within a snapshot: nothing is wrong with that, but it is so."""
    members = core.membership.members
    return [
        Check(
            name="vouched",
            ok=True,
            detail=f"{counted(count, 'write')} within a snapshot, not as their authors signed them: known on the word "
            f"of {members[by].name!a} ({by.hex()[:12]}) alone",
            fix="",
        )
        for by, count in sorted(vouched_ops(core).items())
        if by in members
    ]


def quota_checks(views: Sequence[PeerView]) -> list[Check]:
    """Name each device that has sent more than is taken of one in an hour: the rest waits there."""
    return [
        Check(
            name="quota",
            ok=False,
            detail=f"{view.name!a} ({view.device_id[:12]}) has sent {view.quota:.0%} of the {view.quota_of} that are "
            "taken of one device in an hour; the rest waits there until there is room",
            fix="if that is an import of yours: raise quota_ops, quota_mb or quota_packed_mb in config.toml",
        )
        for view in views
        if view.quota >= 1 and view.state != "revoked"
    ]


def group_checks(core: Core, _: object = None) -> list[Check]:
    """Say who was put out by whom and when, and whether anything prevails over a device that is stolen."""
    group = core.membership
    checks = []
    for device, by in sorted(group.judgment.revoked_by.items()):
        since = core.out_since.get(device)
        when = "" if since is None else f", heard at {minute(at_stamp(since << 16))}"
        names = " and ".join(f"{name_of(core, each)!a}" for each in by)
        detail = f"{name_of(core, device)!a} ({device.hex()[:12]}) was revoked by {names}{when}"
        checks.append(Check(name="group", ok=True, detail=detail, fix=""))
    if len(group.standing) > 1 and group.root is None and group.awaits is not None:
        checks.append(_founder_awaited(core, group.awaits))
    elif len(group.standing) > 1 and group.root is None:
        detail = "this group was founded by 0.1.0: any revocation counts in it, a stolen device's too"
        fix = "once, on the oldest device: samemind group recovery"
        checks.append(Check(name="group", ok=True, detail=detail, fix=fix))
    elif len(group.standing) > 1 and group.root is not None and group.root in group.members:
        founder = name_of(core, group.root)
        detail = f"{founder!a} founded this group, and nothing prevails over it: there is no recovery code"
        checks.append(
            Check(name="group", ok=True, detail=detail, fix="print one there: samemind group recovery")
        )
    return checks


def _founder_awaited(core: Core, awaited: DeviceId) -> Check:
    name = f"{name_of(core, awaited)!a}"
    detail = f"{name} has not said yet who founded its group: until then any revocation counts, a stolen device's too"
    fix = f"let the two sync; if {name} is lost: samemind peers revoke {awaited.hex()[:12]}"
    if may_wait_in_vain(core, awaited):
        fix = "if no device says who founded the group (samemind group show): on one of them, samemind group recovery"
    return Check(name="group", ok=True, detail=detail, fix=fix)


def member_checks(core: Core, _: object = None) -> list[Check]:
    """Name each device of the group that did what no honest program does; who was revoked since is only told of."""
    members, revoked = core.membership.members, core.membership.revoked
    checks = []
    for (device, fault), seen in core.evidence.items():
        known = members.get(device)
        name = device.hex()[:12] if known is None else f"{known.name!a} ({device.hex()[:12]})"
        detail = (
            f"{name} {SENTENCES[fault]}: {_times(seen.times)}, last at {minute(at_stamp(seen.last_ms << 16))}"
        )
        ok = device in revoked
        fix = f"if it is lost or not yours: samemind peers revoke {device.hex()[:12]}; what it wrote: samemind retract"
        fix = "" if ok else f"{fix} --device {device.hex()[:12]}"
        checks.append(Check(name="member", ok=ok, detail=detail, fix=fix))
    return checks


def repeating(connection: sqlite3.Connection, now_ms: int, own_zone: str | None) -> list[Check]:
    """Count what repeats by UTC, where the clock of this machine's zone is set forward and back.

    It was told by 0.1.0, or where no zone was known, and is due an hour off for half of the year; or it is meant so.
    """
    from cognition.reminding.repeating import (
        REPEATS,
        ZONE,
        following,
        parts_of,
        rule_text,
        with_zone,
        zone_in,
    )
    from cognition.triggers.told_once import known_reminders
    from replica import show_memory_id

    zone = None if own_zone is None else zone_in(f"{ZONE}={own_zone}")
    halves = [datetime.fromtimestamp(now_ms / 1_000 + days * 86_400, zone).utcoffset() for days in (0, 182)]
    if zone is None or halves[0] == halves[1]:
        return []
    found = [
        (it.rid, rule)
        for it in known_reminders(connection, characters=0)
        if (rule := rule_text(it.memory)) is not None
        and ZONE not in parts_of(rule)
        and following(int(it.memory.fields["event_start"]), rule, now_ms) is not None
    ]
    if not found:
        return []
    rid, rule = found[0]
    change = shlex.quote(f"meta.{REPEATS}={with_zone(rule, zone.key)}")
    said = counted(len(found), "reminder repeats", "reminders repeat")
    then = "; doctor names the next one then" if len(found) > 1 else ""
    return [
        Check(
            name="reminders",
            ok=True,
            detail=f"{said} by UTC, at another hour here in summer than in winter",
            fix=f"if it is meant by the clock here: samemind set {show_memory_id(rid)} {change}{then}",
        )
    ]


def store(core: Core, connection: sqlite3.Connection) -> list[Check]:
    ((found,),) = connection.execute("PRAGMA quick_check(1)")
    checks = [
        Check(
            name="file",
            ok=found == "ok",
            detail="SQLite finds the file whole" if found == "ok" else found,
            fix="" if found == "ok" else "restore a backup, or sync a new device from a peer",
        )
    ]
    for status, detail, fix in (
        (
            FoldStatus.UNKNOWN,
            "newer than this program: kept, and passed on",
            "upgrade samemind",
        ),
        (
            FoldStatus.UNFOLDABLE,
            "without sense: kept, without effect",
            "samemind log shows whose they are",
        ),
    ):
        count = count_ops_of(connection, status)
        if count:
            checks.append(Check(name="ops", ok=False, detail=f"{counted(count, 'op')} {detail}", fix=fix))
    if is_unchecked(connection):
        checks.append(Check(name="restored", ok=False, detail=UNCHECKED, fix="samemind verify"))
    if len(checks) == 1:
        checks.append(Check(name="ops", ok=True, detail=f"{counted(core.position, 'op')}, all folded"))
    return checks
