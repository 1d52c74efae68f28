"""Postpone a trigger on every device; it comes up again at that time, unless it was acted on before."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import TriggerView, moved_lines
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, argument

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class SnoozeTrigger:
    """Postpone a trigger on every device; it comes up again at that time, unless it was acted on before."""

    id: str = argument("its id", takes=Takes.ID)
    until: str = argument("a time, how long (30m, 2h, 1d), or words: 'tomorrow at 9'", takes=Takes.TIME)


async def run(device: "Device", options: SnoozeTrigger) -> TriggerView:
    """Put it off until a time, by this device's clock."""
    from cognition.triggers.lattice import TriggerStatus
    from cognition.triggers.raised import put_off_until
    from cognition.triggers.snoozing import Snooze
    from replica import Set, Trigger, Write
    from samemind.commands.keeping._triggers import LIVE, find_trigger, trigger_view, wrong_status
    from samemind.formats.times import read_later

    until_ms = read_later(options.until, name="until", now_ms=device.now_ms())

    def put_off(core: "Core", connection: "sqlite3.Connection") -> TriggerView:
        now_ms = device.now_ms()
        raised = find_trigger(connection, options.id)
        status = raised.status(now_ms, device.thresholds.lifetime_ms)
        known_ms = put_off_until(connection, raised)
        if status not in LIVE and (status is not TriggerStatus.DISMISSED or known_ms is None):
            raise wrong_status("put off", status)
        changed = known_ms != until_ms
        if changed:
            snooze = Snooze(raised.kind, raised.id, until_ms)
            writes = [Write(Set(snooze.field, snooze.told), raised.rid)]
            if status is not TriggerStatus.DISMISSED:
                writes.append(
                    Write(
                        Trigger(raised.id, int(TriggerStatus.DISMISSED), raised.kind, raised.about),
                        raised.rid,
                    )
                )
            core.commit(writes, now_ms)
        return trigger_view(device, connection, raised.id, now_ms, changed=changed)

    return await device.replica.run(put_off)


COMMAND: Final = Command(
    "triggers snooze",
    SnoozeTrigger,
    TriggerView,
    run=run,
    render=moved_lines,
    place=5,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=11,
        name="triggers_snooze",
        title="Put a trigger off",
        description="Bring a trigger up again later, as the user asks.",
    ),
    panel=True,
    library=Method(
        "snooze",
        'Postpone a trigger on every device until that time, which may be in words: "2h".',
    ),
    idempotent=True,
)
