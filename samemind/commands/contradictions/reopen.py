"""Reopen a contradiction: undo the decision on it, on every device, and ask again."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ContradictionView, status_words, subject
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument
from samemind.errors import NotFound
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenContradiction:
    """Reopen a contradiction: undo the decision on it, on every device, and ask again."""

    id: str = argument("its id, or at least its first 6 characters", takes=Takes.ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """How a contradiction stands now. `changed`: whether anything did; `forgotten` are mergers that this undid."""

    contradiction: ContradictionView
    forgotten: list[str] = field(default_factory=list)
    changed: bool


async def run(device: "Device", options: ReopenContradiction) -> Reopened:
    """Undo what was decided on one; one that is open stays as it is."""
    from cognition.contradictions.snoozing import snoozed
    from cognition.contradictions.tables import judged_of
    from cognition.judging.reopening import reopen
    from replica import show_memory_id
    from replica.reads.devices import device_names
    from samemind.commands.contradictions._work import find_contradiction, view_of

    def write(core: "Core", connection: "sqlite3.Connection") -> Reopened:
        record = find_contradiction(connection, options.id)
        done = reopen(
            core,
            connection,
            record.slot,
            entity=record.entity,
            relation=record.relation,
            now_ms=device.now_ms(),
        )
        if done is None:
            raise NotFound(
                f"no decision settled the contradiction {record.slot.hex()}: what was told since did",
                code="not_decided",
                hint="`samemind contradictions show` tells what; `samemind contradictions resolve` decides otherwise",
            )
        judged = judged_of(connection, record.slot)
        return Reopened(
            contradiction=view_of(
                connection, record, judged, device_names(connection), snoozed(connection, device.now_ms())
            ),
            forgotten=[show_memory_id(rid) for rid in done.forgotten],
            changed=done.changed,
        )

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    """Return what is asked again."""
    found = document["contradiction"]
    values = " or ".join(one_line(side["value"]) for side in (found["a"], found["b"], *found["others"]))
    note = "" if document["changed"] else "; it was open already"
    asked = f"{subject(found['entity'], found['relation'])}{values}  ({status_words(found)}{note})"
    return [asked, *(f"forgotten: {rid}" for rid in document["forgotten"])]


COMMAND: Final = Command(
    "contradictions reopen",
    ReopenContradiction,
    Reopened,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "reopen",
        (
            "Reopen a contradiction: undo the decision on it, on every device, and ask again.\n\n"
            "What the decision hid or replaced holds again; a memory that it made by `merge` is "
            "forgotten. What is open stays so."
        ),
    ),
    idempotent=True,
    workspace=Workspace.CONTRADICTION,
    place=5,
)
