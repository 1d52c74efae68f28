"""Store a memory."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replica.memory_types import MEMORY_TYPES
from samemind.commands.contradictions._parts import nominated, raised
from samemind.commands.memories._claims import CLAIM, CLAIMS_MAX
from samemind.commands.memories._remembered import Remembered
from samemind.commands.memories._wordings import WORDINGS_MAX
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.options import TIME
from samemind.rendering import HELD_BACK, Document, clock, counted, repeated

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberMemory:
    """Store a memory."""

    text: str = argument("what to remember; - reads it from standard input", metavar="TEXT", joined=True)
    type: str | None = option("--type", "what kind of memory it is", choices=MEMORY_TYPES)
    importance: float | None = option("--importance", "how much it matters, 0 to 1")
    valence: float | None = option("--valence", "how it feels, -1 to 1")
    certainty: float | None = option("--certainty", "how sure the speaker is, 0 to 1")
    half_life: float | None = option(
        "--half-life", "seconds until its strength has halved", metavar="SECONDS"
    )
    domain: str | None = option("--domain", "area of life or work")
    project: str | None = option("--project", "project it belongs to")
    topic: str | None = option("--topic", "what it is about")
    speaker: str | None = option("--speaker", "who said it")
    session: str | None = option("--session", "the chat it came from")
    turn: str | None = option("--turn", "which turn of the chat")
    event_start: str | None = option("--event-start", f"when it happened: {TIME}", takes=Takes.TIME)
    event_end: str | None = option("--event-end", "when that ended", takes=Takes.TIME)
    at: str | None = option("--at", "when it was said; words too", takes=Takes.TIME)
    source: str | None = option("--source", "where it comes from")
    tag: tuple[str, ...] = option("--tag", "a label; may be given several times", default=())
    meta: tuple[str, ...] = option(
        "--meta", "anything else worth keeping; several times", default=(), takes=Takes.PAIRS
    )
    pin: bool = option("--pin", "keep it in the core profile", default=False)
    workspace: str | None = option("--workspace", "a space that several agents share")
    wait: bool = option(
        "--wait", "return once it can be found by meaning, too", hidden_from=("agents",), default=False
    )
    no_dedup: bool = option("--no-dedup", "has no effect: what you store is always stored", default=False)
    no_facts: bool = option(
        "--no-facts", "do not store the facts it states as memories of their own", default=False
    )
    read: bool = option(
        "", "return when it was read: with its facts, and with what it repeats or contradicts", default=True
    )
    nominees: bool = option(
        "--nominees", "name at most three older memories that it may repeat or contradict", default=False
    )
    wordings: tuple[str, ...] = option(
        "--wording",
        f"the same in other words, for search only; at most {WORDINGS_MAX}",
        default=(),
        metavar="TEXT",
        hidden_from=("panel",),
    )
    claims: tuple[str, ...] = option(
        "--claim",
        f"what it says, to be compared with what is known: {CLAIM}; at most {CLAIMS_MAX}",
        default=(),
        metavar="CLAIM",
    )
    rid: str | None = option(
        "--rid",
        "the id to store it under; stored twice under one id, it is one memory",
        metavar="ID",
        takes=Takes.NEW_RID,
    )


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
    return [f"reminder: {clock(reminder['due'])}{repeated(reminder['repeats'])}"]


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
