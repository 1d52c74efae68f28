"""Teach the ranking by one memory."""

import sqlite3

from cognition.feedback import SIMILARITY_SIGNALS, learned_weights, lesson
from replica import Core, MemoryId, Write, show_memory_id
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.keeping import Taught
from samemind.surface.keeping import GiveFeedback
from samemind.verbs.ids import find_memory


async def feedback(device: Device, options: GiveFeedback) -> Taught:
    """Write down what found the memory.

    Without a question there is nothing that it was similar to: then only what stands in the memory itself is taught
    (how new, how important, how often recalled).
    """
    if options.relevant == options.irrelevant:
        raise Usage("expected one of --relevant and --irrelevant", code="invalid")
    rid, text = await device.replica.read(lambda connection: _named(connection, options.rid))
    given = await device.mind.found_by(rid, options.query or text)
    if options.query is None:
        given = {name: amount for name, amount in given.items() if name not in SIMILARITY_SIGNALS}
    taught = lesson(rid, given, relevant=options.relevant, rate=device.settings.learning_rate)

    def write(core: Core, connection: sqlite3.Connection) -> Taught:
        core.commit([Write(taught)], device.now_ms())
        weights = {name: round(weight, 9) for name, weight in learned_weights(connection).items()}
        return Taught(rid=show_memory_id(rid), relevant=options.relevant, weights=weights)

    return await device.replica.run(write)


def _named(connection: sqlite3.Connection, text: str) -> tuple[MemoryId, str]:
    rid = find_memory(connection, text)
    ((said,),) = connection.execute("SELECT text FROM memory WHERE rid = ?", (rid,))
    return rid, said
