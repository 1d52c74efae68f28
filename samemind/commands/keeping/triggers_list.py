"""List what memory would bring up by itself, the most urgent first."""

from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.keeping._parts import Triggers, trigger_line
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.options import MomentOptions
from samemind.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTriggers(MomentOptions):
    """List what memory would bring up by itself, the most urgent first."""

    all: bool = option("--all", "those that were dismissed, acted on or have expired, too", default=False)


async def run(device: "Device", options: ListTriggers) -> Triggers:
    """List triggers; those that are moot or over only when all are asked for."""
    from cognition.triggers.raised import described, read_live
    from samemind.commands.keeping._triggers import LIVE, views_of
    from samemind.moments import moment_of, read_at

    now_ms = moment_of(device, options.as_of)

    def read(connection: "sqlite3.Connection") -> Triggers:
        live = None if options.all else read_live(connection, now_ms, device.thresholds)
        found = described(connection, now_ms, device.thresholds, among=live)
        shown = [one for one in found if options.all or (one.reason is not None and one.status in LIVE)]
        return views_of(connection, shown, device.thresholds)

    return await read_at(device, options.as_of, options.seen_by, read)


def render(document: Document) -> list[str]:
    return [trigger_line(trigger) for trigger in document["triggers"]] or ["nothing to bring up"]


COMMAND: Final = Command(
    "triggers list",
    ListTriggers,
    Triggers,
    run=run,
    render=render,
    place=1,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("triggers", "List what memory would bring up by itself, the most urgent first."),
    rows="triggers",
    short=True,
)
