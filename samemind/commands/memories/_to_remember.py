"""The options of `remember`: beside it, as what does the work (`_remembering.py`) reads them and is loaded late."""

from dataclasses import dataclass

from replica.memory_types import MEMORY_TYPES
from samemind.commands.memories._claims import CLAIM, CLAIMS_MAX
from samemind.commands.memories._wordings import WORDINGS_MAX
from samemind.declaring import Takes, argument, option
from samemind.formats.options import TIME


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
