"""Write down what each agent reads and writes, and make it the source of what it tells.

A remote agent is who its token says. A program on this device is who it says itself: nothing vouches for that name,
which is only made short and safe to show.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final

import trio
from mcp import types

from samemind.agents.calls import CallingAgent, CallLog
from samemind.agents.grants import source_of, with_source
from samemind.catalog import verb_named
from samemind.control.server import Say
from samemind.declaring import Effects
from samemind.home_store import VerbPerformer
from samemind.printable import one_line

# A client may call itself anything.
CLIENT_CHARACTERS_MAX: Final = 60
VERSION_CHARACTERS_MAX: Final = 40
# So much of what it says is looked at: nobody cleans a megabyte to show a line of it.
_LOOKED_AT_MAX: Final = 1_000
_UNNAMED: Final = CallingAgent(agent=None, name="")

HERE: Final = ContextVar("HERE", default=_UNNAMED)
"""The program on this device whose request is being answered."""


def client_of(said: types.Implementation | None) -> CallingAgent:
    """Return who a program on this device says it is; without a name where it says none that can be shown."""
    if said is None:
        return _UNNAMED
    version = _shown(said.version, VERSION_CHARACTERS_MAX)
    return CallingAgent(agent=None, name=_shown(said.name, CLIENT_CHARACTERS_MAX), version=version or None)


def _shown(text: str, most: int) -> str:
    return one_line(text[:_LOOKED_AT_MAX])[:most].strip()


class NotedStore:
    """The memory, as agents ask it: what they read and write is written down, before they are told."""

    def __init__(
        self, store: VerbPerformer, log: CallLog, who: Callable[[], CallingAgent], now_ms: Callable[[], int]
    ) -> None:
        """Ask `store`; `who` returns whose request is being answered, and `now_ms` this device's clock."""
        self._store = store
        self._log = log
        self._who = who
        self._now_ms = now_ms

    async def ask(
        self, verb: str, options: Mapping[str, Any], *, again: bool, hear: Say | None = None
    ) -> Mapping[str, Any]:
        """Have a verb performed, and write down that it was."""
        caller = self._who()
        options = with_source(verb, options, source_of(caller.name) if caller.name else None)
        document = await self._store.ask(verb, options, again=again, hear=hear)
        if caller.agent is None:
            # A line takes some 12 µs, and to have a thread write it some hundreds where the processor is busy.
            # The program can read the store without us, so an error where the log takes no writes would guard nothing.
            with suppress(OSError):
                self._note(caller, verb, document)
        else:
            await trio.to_thread.run_sync(self._note, caller, verb, document)
        return document

    def _note(self, caller: CallingAgent, verb: str, document: Mapping[str, Any]) -> None:
        wrote = verb_named(verb).effects is not Effects.READ
        self._log.note(caller, verb, rids_in(document), wrote=wrote, now_ms=self._now_ms())


def rids_in(document: Mapping[str, Any]) -> list[str]:
    """Return the memories that a result names at its top or in its records."""
    found = [document["rid"]] if isinstance(document.get("rid"), str) else []
    found += [rid for rid in document.get("rids") or () if isinstance(rid, str)]
    for name in ("results", "memories"):
        found += [each["rid"] for each in document.get(name) or () if isinstance(each.get("rid"), str)]
    return list(dict.fromkeys(found))
