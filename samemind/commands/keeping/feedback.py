"""Teach the ranking, on every device, whether one memory was relevant."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, ByHand, Command, Effects, Takes, argument, option
from samemind.errors import Usage
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core, MemoryId
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveFeedback:
    """Teach the ranking, on every device, whether one memory was relevant."""

    rid: str = argument("the id of the memory", takes=Takes.RID)
    relevant: bool = option("--relevant", "it was relevant", default=False)
    irrelevant: bool = option("--irrelevant", "it was not relevant", default=False)
    query: str | None = option("--query", "the question it was recalled for")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What feedback came to: the weight of each sort of signal from now on, the same on every device."""

    rid: str
    relevant: bool
    weights: Mapping[str, float]


async def run(device: "Device", options: GiveFeedback) -> Taught:
    """Write down what found the memory.

    Without a question there is nothing that it was similar to: then only what stands in the memory itself is taught
    (how new, how important, how often recalled).
    """
    from cognition.recall.feedback import SIMILARITY_SIGNALS, learned_weights, lesson
    from replica import Write, show_memory_id

    if options.relevant == options.irrelevant:
        raise Usage("expected either --relevant or --irrelevant", code="invalid")
    rid, text = await device.replica.read(lambda connection: _named(connection, options.rid))
    given = await device.mind.found_by(rid, options.query or text)
    if options.query is None:
        given = {name: amount for name, amount in given.items() if name not in SIMILARITY_SIGNALS}
    taught = lesson(rid, given, relevant=options.relevant, rate=device.settings.learning_rate)

    def write(core: "Core", connection: "sqlite3.Connection") -> Taught:
        core.commit([Write(taught)], device.now_ms())
        weights = {name: round(weight, 9) for name, weight in learned_weights(connection).items()}
        return Taught(rid=show_memory_id(rid), relevant=options.relevant, weights=weights)

    return await device.replica.run(write)


def _named(connection: "sqlite3.Connection", text: str) -> "tuple[MemoryId, str]":
    from replica.reads.texts import text_of
    from samemind.formats.ids import find_memory

    rid = find_memory(connection, text)
    return rid, text_of(connection, rid) or ""


def render(document: Document) -> list[str]:
    return [f"{weight:.4f}  {name}" for name, weight in document["weights"].items()]


COMMAND: Final = Command(
    "feedback",
    GiveFeedback,
    Taught,
    run=run,
    render=render,
    place=16,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("feedback"),
)
