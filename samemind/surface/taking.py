"""The verbs about taking things in: what still waits to be done, and what is held back."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.results.taking import Dropped, Extracted, HeldList, Queue, Released, Requeued


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQueue:
    """List what is still to be embedded or read by a model, and what was given up."""

    status: str | None = option("--status", "only these", choices=("pending", "failed"))
    limit: int = option("--limit", "how many at most", default=50, metavar="N", short="-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeue:
    """Try again what was given up: these entries, or all."""

    ids: tuple[str, ...] = argument("ids that `queue` lists", metavar="ID", optional=True, many=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitForQueue:
    """Wait until everything is embedded, after a large import or another embedder; recall works meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHeld:
    """List what looked secret and was therefore not remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseHeld:
    """Remember what was held back after all; from then on it is on every device."""

    id: str = argument("the id it is held under", metavar="ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class DropHeld:
    """Throw away what was held back."""

    id: str = argument("the id it is held under", metavar="ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractTalk:
    """Have the model read what is new in a chat, at its end; it is asked by itself every few messages."""

    session: str = argument("the chat", metavar="SESSION")
    workspace: str | None = option("--workspace", "the space that the chat is in")
    wait: bool = option("--wait", "return when it was read", hidden_from=("agents",), default=False)


_QUEUE: Final = "samemind.verbs.queue"
_HELD: Final = "samemind.verbs.held"

QUEUE: Final = Command(
    "queue list",
    ListQueue,
    Queue,
    _QUEUE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("queue", "List what is still to be embedded or read by a model, and what was given up."),
    rows="entries",
    place=1,
    short=True,
)
REQUEUE: Final = Command(
    "queue requeue",
    Requeue,
    Requeued,
    _QUEUE,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("requeue", "Try again what was given up: these entries, or all."),
    place=2,
)
QUEUE_WAIT: Final = Command(
    "queue wait",
    WaitForQueue,
    Queue,
    _QUEUE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("wait_for_queue", "Wait until everything is embedded."),
    streams=True,
    place=3,
)
HELD: Final = Command(
    "held list",
    ListHeld,
    HeldList,
    _HELD,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("held", "List what looked secret and was therefore not remembered."),
    rows="held",
    place=4,
    short=True,
)
HELD_RELEASE: Final = Command(
    "held release",
    ReleaseHeld,
    Released,
    _HELD,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("release_held", "Remember what was held back after all."),
    place=5,
)
HELD_DROP: Final = Command(
    "held drop",
    DropHeld,
    Dropped,
    _HELD,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("drop_held", "Throw away what was held back."),
    place=6,
)
EXTRACT: Final = Command(
    "extract",
    ExtractTalk,
    Extracted,
    "samemind.verbs.talk",
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("extract", "Have the model read what is new in a chat, at its end."),
    place=7,
)
