"""Show what memory would bring up, and say what became of it.

Memory never pushes: whoever asks decides what to show and when. A trigger that is shown is said to be *delivered*
first, and only whoever moved it from pending shows it: `changed` is false for everybody after that, on any device.
"""

import sqlite3
from collections.abc import Mapping

from cognition.triggers.kinds import Thresholds, kind_of
from cognition.triggers.lattice import MOVES, Raised, Status
from cognition.triggers.raised import Described, described, read_raised
from replica import Core, Trigger, Write, show_memory_id
from samemind.device import Device
from samemind.errors import Ambiguous, Failed, NotFound
from samemind.results.keeping import Triggers, TriggerView
from samemind.surface.keeping import ActOnTrigger, DeliverTrigger, DismissTrigger, ListTriggers
from samemind.times import at_stamp
from samemind.verbs.ids import CANDIDATES_MAX, id_range
from samemind.verbs.moments import moment_of, read_at

_LIVE = (Status.PENDING, Status.DELIVERED)


async def triggers_list(device: Device, options: ListTriggers) -> Triggers:
    """List triggers; those that are moot or over only when all are asked for."""
    now_ms = moment_of(device, options.as_of)

    def read(connection: sqlite3.Connection) -> Triggers:
        found = described(connection, now_ms, device.thresholds)
        shown = [one for one in found if options.all or (one.reason is not None and one.status in _LIVE)]
        return _views(connection, shown, device.thresholds)

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


async def _move(device: Device, text: str, wanted: Status) -> TriggerView:
    def move(core: Core, connection: sqlite3.Connection) -> TriggerView:
        now_ms, lifetime_ms = device.now_ms(), device.thresholds.lifetime_ms
        raised = _find(connection, text)
        status = raised.status(now_ms, lifetime_ms)
        changed = status in MOVES[wanted]
        if changed:
            body = Trigger(raised.id, int(wanted), raised.kind, raised.about)
            core.commit([Write(body, raised.rid)], now_ms)
        elif status is not wanted:
            raise Failed(
                f"expected a trigger that can still be {wanted.name.lower()}, but it is {status.name.lower()}",
                code="wrong_status",
                hint="`samemind triggers list` shows those that wait",
            )
        (one,) = described(connection, now_ms, device.thresholds, among=read_raised(connection, raised.id))
        (view,) = _views(connection, [one], device.thresholds, changed=changed).triggers
        return view

    return await device.replica.run(move)


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


def _views(
    connection: sqlite3.Connection, found: list[Described], thresholds: Thresholds, *, changed: bool = False
) -> Triggers:
    names: Mapping[bytes, str] = dict(
        connection.execute(
            "SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device"
        )
    )
    views = []
    for raised, status, reason in found:
        delivered = raised.held.delivered
        views.append(
            TriggerView(
                id=show_memory_id(raised.id),
                kind=kind_of(raised.kind).name,
                urgency=0.0 if reason is None else round(reason.urgency, 6),
                status=status.name.lower(),
                reason="it no longer holds" if reason is None else reason.text,
                rids=[show_memory_id(rid) for rid in raised.memories],
                raised_at=at_stamp(raised.held.raised[0]),
                expires_at=at_stamp(raised.raised_ms + thresholds.lifetime_ms << 16),
                delivered_at=None if delivered is None else at_stamp(delivered[0]),
                delivered_by=None if delivered is None else delivered[1].hex(),
                delivered_by_name=None if delivered is None else names.get(delivered[1]),
                changed=changed,
            )
        )
    return Triggers(triggers=views)
