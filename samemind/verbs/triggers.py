"""Show what memory would bring up, and say what became of it.

Memory never pushes: whoever asks decides what to show and when. A trigger that is shown is said to be *delivered*
first, and only whoever moved it from pending shows it: `changed` is false for everybody after that, on any device.
"""

import sqlite3
from collections.abc import Mapping

from cognition.triggers.kinds import Thresholds, kind_of
from cognition.triggers.lattice import MOVES, Raised, Status
from cognition.triggers.raised import Described, described, put_off_until, read_raised
from cognition.triggers.snoozing import Snooze
from replica import Core, Set, Trigger, Write, show_memory_id
from samemind.device import Device
from samemind.errors import Ambiguous, Failed, NotFound
from samemind.results.keeping import Triggers, TriggerView
from samemind.surface.keeping import (
    ActOnTrigger,
    DeliverTrigger,
    DismissTrigger,
    ListTriggers,
    SnoozeTrigger,
)
from samemind.times import at_ms, at_stamp, read_later
from samemind.verbs.ids import CANDIDATES_MAX, id_range
from samemind.verbs.moments import moment_of, read_at

_LIVE = (Status.PENDING, Status.DELIVERED)


async def triggers_list(device: Device, options: ListTriggers) -> Triggers:
    """List triggers; those that are moot or over only when all are asked for."""
    now_ms = moment_of(device, options.as_of)

    def read(connection: sqlite3.Connection) -> Triggers:
        found = described(connection, now_ms, device.thresholds)
        shown = [one for one in found if options.all or (one.reason is not None and one.status in _LIVE)]
        return views_of(connection, shown, device.thresholds)

    return await read_at(device, options.as_of, options.seen_by, read)


async def triggers_deliver(device: Device, options: DeliverTrigger) -> TriggerView:
    """Say that it is shown, unless some device has said so."""
    return await _move(device, options.id, Status.DELIVERED)


async def triggers_act(device: Device, options: ActOnTrigger) -> TriggerView:
    """Say that it was acted on."""
    return await _move(device, options.id, Status.ACTED)


async def triggers_dismiss(device: Device, options: DismissTrigger) -> TriggerView:
    """Say that nobody wants to hear of it."""
    return await _move(device, options.id, Status.DISMISSED)


async def triggers_snooze(device: Device, options: SnoozeTrigger) -> TriggerView:
    """Put it off until a time, by this device's clock."""
    until_ms = read_later(options.until, name="until", now_ms=device.now_ms())

    def put_off(core: Core, connection: sqlite3.Connection) -> TriggerView:
        now_ms = device.now_ms()
        raised = _find(connection, options.id)
        status = raised.status(now_ms, device.thresholds.lifetime_ms)
        known_ms = put_off_until(connection, raised)
        if status not in _LIVE and (status is not Status.DISMISSED or known_ms is None):
            raise _wrong_status("put off", status)
        changed = known_ms != until_ms
        if changed:
            snooze = Snooze(raised.kind, raised.id, until_ms)
            writes = [Write(Set(snooze.field, snooze.told), raised.rid)]
            if status is not Status.DISMISSED:
                writes.append(
                    Write(Trigger(raised.id, int(Status.DISMISSED), raised.kind, raised.about), raised.rid)
                )
            core.commit(writes, now_ms)
        return _view_of(device, connection, raised.id, now_ms, changed=changed)

    return await device.replica.run(put_off)


async def _move(device: Device, text: str, wanted: Status) -> TriggerView:
    def move(core: Core, connection: sqlite3.Connection) -> TriggerView:
        now_ms, lifetime_ms = device.now_ms(), device.thresholds.lifetime_ms
        raised = _find(connection, text)
        status = raised.status(now_ms, lifetime_ms)
        writes = []
        if status in MOVES[wanted]:
            writes.append(Write(Trigger(raised.id, int(wanted), raised.kind, raised.about), raised.rid))
        elif status is not wanted:
            raise _wrong_status(wanted.name.lower(), status)
        if wanted is not Status.DELIVERED and put_off_until(connection, raised) is not None:
            # Who dismisses what was put off, or has dealt with it, does not want to hear of it later.
            writes.append(Write(Set(Snooze(raised.kind, raised.id, 0).field, None), raised.rid))
        if writes:
            core.commit(writes, now_ms)
        return _view_of(device, connection, raised.id, now_ms, changed=bool(writes))

    return await device.replica.run(move)


def _wrong_status(wanted: str, status: Status) -> Failed:
    return Failed(
        f"expected a trigger that can still be {wanted}, but it is {status.name.lower()}",
        code="wrong_status",
        hint="`samemind triggers list` shows those that wait",
    )


def _view_of(
    device: Device, connection: sqlite3.Connection, trigger: bytes, now_ms: int, *, changed: bool
) -> TriggerView:
    (one,) = described(connection, now_ms, device.thresholds, among=read_raised(connection, trigger))
    (view,) = views_of(connection, [one], device.thresholds, changed=changed).triggers
    return view


def _find(connection: sqlite3.Connection, text: str) -> Raised:
    low, high = id_range(text, "a trigger")
    found = [
        trigger
        for (trigger,) in connection.execute(
            "SELECT DISTINCT trigger_id FROM raised_trigger WHERE trigger_id BETWEEN ? AND ? LIMIT ?",
            (low, high, CANDIDATES_MAX),
        )
    ]
    if not found:
        raise NotFound(f"no trigger has the id {text}", hint="`samemind triggers list --all` shows them")
    if len(found) > 1:
        candidates = tuple(map(show_memory_id, found))
        raise Ambiguous(
            f"{text} is the beginning of several triggers: {', '.join(candidates)}",
            hint="type more of the id",
            candidates=candidates,
        )
    (raised,) = read_raised(connection, found[0])
    return raised


def views_of(
    connection: sqlite3.Connection, found: list[Described], thresholds: Thresholds, *, changed: bool = False
) -> Triggers:
    """Return triggers as every door shows them."""
    names: Mapping[bytes, str] = dict(
        connection.execute(
            "SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device"
        )
    )
    views = []
    for raised, status, reason, snoozed_ms in found:
        delivered = raised.held.delivered
        views.append(
            TriggerView(
                id=show_memory_id(raised.id),
                kind=kind_of(raised.kind).name,
                urgency=0.0 if reason is None else round(reason.urgency, 6),
                status=status.name.lower() if snoozed_ms is None else "snoozed",
                reason="it no longer holds" if reason is None else reason.text,
                rids=[show_memory_id(rid) for rid in raised.memories],
                raised_at=at_stamp(raised.held.raised[0]),
                expires_at=at_stamp(raised.raised_ms + thresholds.lifetime_ms << 16),
                delivered_at=None if delivered is None else at_stamp(delivered[0]),
                delivered_by=None if delivered is None else delivered[1].hex(),
                delivered_by_name=None if delivered is None else names.get(delivered[1]),
                snoozed_until=None if snoozed_ms is None else at_ms(snoozed_ms),
                changed=changed,
            )
        )
    return Triggers(triggers=views)
