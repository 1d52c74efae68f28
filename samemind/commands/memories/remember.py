"""Store a memory."""

from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import nominated, raised
from samemind.commands.memories._remembered import Remembered
from samemind.commands.memories._to_remember import RememberMemory
from samemind.declaring import Command, CoreTool, Effects, Method, Workspace
from samemind.formats.rendering import HELD_BACK, Document, clock, counted, repeated_here

if TYPE_CHECKING:
    from samemind.device import Device


async def run(device: "Device", options: RememberMemory) -> Remembered:
    """Store a memory, and the facts in it beside it: always a new one, whatever is known already."""
    from samemind.commands.memories._remembering import remember

    return await remember(device, options)


_TIMES: Final = {"told_at": "said", "event_start": "happens", "event_end": "until"}


def render(document: Document) -> list[str]:
    if document.get("held"):
        return [f"{document['rid']} {HELD_BACK}"]
    same = len(document["says_same"])
    told = f" (says the same as {counted(same, 'telling', 'tellings')} before)" if same else ""
    return [
        f"{document['rid']}{told}",
        *(f"{said}: {clock(document[name])}" for name, said in _TIMES.items() if document[name] is not None),
        *_reminder(document),
        *raised(document),
        *nominated(document["nominees"]),
    ]


def _reminder(document: Document) -> list[str]:
    if document.get("reminder_missing"):
        rid = document["rid"]
        return [
            "no reminder: it names no certain time to come",
            f"to be reminded: samemind set {rid} type=prospective event_start=YYYY-MM-DDTHH:MM",
        ]
    reminder = document.get("reminder")
    if reminder is None:
        return []
    return [f"reminder: {clock(reminder['due'])}{repeated_here(reminder['repeats'])}"]


COMMAND: Final = Command(
    "remember",
    RememberMemory,
    Remembered,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=CoreTool(
        place=1,
        name="remember",
        title="Remember",
        description=(
            "Store one thing worth knowing later: a fact, a preference, a decision, an event. One "
            "idea in plain words, with the names spelled out. Telling it again is harmless."
        ),
        offered=(
            "text",
            "type",
            "importance",
            "certainty",
            "speaker",
            "project",
            "topic",
            "tag",
            "at",
            "event_start",
            "event_end",
            "session",
            "source",
            "meta",
            "pin",
            "workspace",
            "wordings",
            "claims",
        ),
        seldom=("event_end", "wordings", "claims"),
    ),
    panel=True,
    library=Method(
        "remember",
        (
            "Store a memory, durably.\n\n"
            "What follows from its words (`facts`, `says_same`, `contradictions`) takes longer than "
            "storing it. With `read=False` nobody waits for it: it is worked out behind that, "
            "before anything else is answered. With `wait` it is also waited for until the memory "
            "is found by meaning, and with `nominees` these are asked for too."
        ),
    ),
    workspace=Workspace.PUT,
    waits_for_reading=False,
    place=1,
    elsewhere=("add", "create", "note", "remind", "save", "store"),
    daily=True,
)
