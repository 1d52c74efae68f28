"""Perform a verb on a device.

The one way in which every door, in this process or another, gets anything done.
"""

import sqlite3
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeVar, TypeVarTuple

from replica.errors import ReplicaError, StoreCorrupt
from samemind.control.protocol import is_large
from samemind.declaring import Command
from samemind.errors import Usage, explain, translated
from samemind.formats.plain import to_json

if TYPE_CHECKING:
    from cognition import Cognition
    from replica import Replica
    from samemind.control.server import Say

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")
# What code that trusts its own file raises when it should not have; any other error of ours is not worth reading the
# whole store for.
_AS_DAMAGE_SHOWS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    sqlite3.Error,
)


class Performer(Protocol):
    """What verbs are performed on: `samemind.device.Device`."""

    @property
    def replica(self) -> "Replica": ...
    @property
    def opened_mind(self) -> "Cognition | None": ...
    async def apart(self, function: Callable[[*Arguments], Result], *args: *Arguments) -> Result:
        """Run what takes long in a thread, so that nobody else waits for it."""
        ...


def at_once(asked: Coroutine[Any, Any, Result]) -> Result:
    """Run to its end, on this thread and without a loop, what waits for nothing but its store."""
    try:
        asked.send(None)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    asked.close()
    raise RuntimeError("expected a verb that waits for nothing but its store")


async def perform(
    device: "Performer", verb: Command[Any, Any], options: Any, say: "Say"
) -> Mapping[str, Any]:
    """Do it, and return the result as the document that every door shows."""
    result = await result_of(device, verb, options, say)
    document: Mapping[str, Any] = await device.apart(to_json, result) if is_large(result) else to_json(result)
    return document


async def result_of(device: "Performer", verb: Command[Any, Result], options: Any, say: "Say") -> Result:
    """Do it, and return the result: an object of the type that the verb is declared with."""
    if verb.alone:
        raise Usage(f"{verb.name} is done by the command line itself", code="not_here")
    if device.replica.taking_in is None:
        return await _result_of(device, verb, options, say)
    from samemind.progress import while_taking_in  # loads trio, which most commands do without

    return await while_taking_in(device.replica, say, lambda: _result_of(device, verb, options, say))


async def _result_of(device: "Performer", verb: Command[Any, Result], options: Any, say: "Say") -> Result:
    if device.opened_mind is not None and verb.waits_for_reading:
        await device.opened_mind.ingest.catch_up()  # no answer depends on when it is asked for
    try:
        result: Result = await (verb.run(device, options, say) if verb.streams else verb.run(device, options))
    except _AS_DAMAGE_SHOWS as error:
        if explain(error).code == "internal" and (found := await _damage(device)):
            raise StoreCorrupt(f"expected a whole store, SQLite says: {found}") from error
        raise
    return result


async def _damage(device: "Performer") -> str:
    """Return what SQLite finds wrong with the file; empty where nothing is, and the error was a bug of ours.

    Bits that flipped may part a table from its index, and what was just found by one is then not in the other: that
    nobody's code foresees, and it is no bug.
    """
    try:
        return await device.replica.read(
            lambda connection: next(
                (text for (text,) in connection.execute("PRAGMA integrity_check(1)") if text != "ok"), ""
            )
        )
    except (ReplicaError, sqlite3.Error) as error:
        return str(error)


def raise_translated(error: Exception) -> NoReturn:
    """Raise an error in the words of the interfaces; a bug of ours as it is, which must not become its own cause."""
    told = translated(error)
    if told is error:
        raise error
    raise told from error
