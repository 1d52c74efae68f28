"""What several commands do with what memory would bring up.

Memory never pushes: whoever asks decides what to show and when. A trigger that is shown is said to be *delivered*
first, and only whoever moved it from pending shows it: `changed` is false for everybody after that, on any device.
"""

import sqlite3
from typing import Final

from cognition.triggers.kinds import Thresholds, kind_of
from cognition.triggers.lattice import MOVES, TriggerState, TriggerStatus
from cognition.triggers.raised import Described, described, put_off_until, read_raised
from cognition.triggers.snoozing import Snooze
from replica import Core, Set, Trigger, Write, show_memory_id
from replica.reads.devices import device_names
from replica.reads.proposals import triggers_between
from samemind.commands.keeping._parts import Triggers, TriggerView
from samemind.device import Device
from samemind.errors import Ambiguous, Failed, NotFound
from samemind.formats.ids import CANDIDATES_MAX, id_range
from samemind.formats.times import at_ms, at_stamp

LIVE: Final = (TriggerStatus.PENDING, TriggerStatus.DELIVERED)


async def moved_to(device: Device, text: str, wanted: TriggerStatus) -> TriggerView:
    def move(core: Core, connection: sqlite3.Connection) -> TriggerView:
        now_ms, lifetime_ms = device.now_ms(), device.thresholds.lifetime_ms
        raised = find_trigger(connection, text)
        status = raised.status(now_ms, lifetime_ms)
        writes = []
        if status in MOVES[wanted]:
            writes.append(Write(Trigger(raised.id, int(wanted), raised.kind, raised.about), raised.rid))
        elif status is not wanted:
            raise wrong_status(wanted.name.lower(), status)
        if wanted is not TriggerStatus.DELIVERED and put_off_until(connection, raised) is not None:
            # Who dismisses what was put off, or has dealt with it, does not want to hear of it later.
            writes.append(Write(Set(Snooze(raised.kind, raised.id, 0).field, None), raised.rid))
        if writes:
            core.commit(writes, now_ms)
        return trigger_view(device, connection, raised.id, now_ms, changed=bool(writes))

    return await device.replica.run(move)


def wrong_status(wanted: str, status: TriggerStatus) -> Failed:
    return Failed(
        f"expected a trigger that can still be {wanted}, but it is {status.name.lower()}",
        code="wrong_status",
        hint="`samemind triggers list` shows those that wait",
    )


def trigger_view(
    device: Device, connection: sqlite3.Connection, trigger: bytes, now_ms: int, *, changed: bool
) -> TriggerView:
    (one,) = described(connection, now_ms, device.thresholds, among=read_raised(connection, trigger))
    (view,) = views_of(connection, [one], device.thresholds, changed=changed).triggers
    return view


def find_trigger(connection: sqlite3.Connection, text: str) -> TriggerState:
    low, high = id_range(text, "a trigger")
    found = triggers_between(connection, low, high, limit=CANDIDATES_MAX)
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
    names = device_names(connection)
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
