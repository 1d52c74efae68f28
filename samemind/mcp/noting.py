"""Write down what each agent reads and writes, and make it the source of what it tells.

A remote agent is who its token says. A program on this device is who it says itself: nothing vouches for that name,
which is only made short and safe to show.
"""

from collections.abc import Callable, Iterable, Mapping
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
from samemind.formats.printable import one_line
from samemind.library.home_store import VerbPerformer

# A client may call itself anything.
CLIENT_CHARACTERS_MAX: Final = 60
VERSION_CHARACTERS_MAX: Final = 40
# So much of what it says is looked at: nobody cleans a megabyte to show a line of it.
_LOOKED_AT_MAX: Final = 1_000
# Where results of what only reads hold memories, or contradictions with memories at their sides.
_RECORDS: Final = (
    "results", "memories", "chain", "added", "changed", "forgotten", "contradictions", "nominees", "triggers", "coming",
    "goals", "dynamic", "blocks", "merged", "ops", "events",
)  # fmt: skip
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
        self._log.note(caller, verb, rids_in(document, wrote=wrote), wrote=wrote, now_ms=self._now_ms())


def rids_in(document: Mapping[str, Any], *, wrote: bool) -> list[str]:
    """Return the memories that a call wrote, or that it showed: those that its result names at its top, or in records.

    What a call that writes shows beside that, as what a new memory may contradict, is not among them.
    """
    named = [document] if wrote else [document, *_records(document, _RECORDS)]
    sides = [] if wrote else [side for each in named for side in _sides(each)]
    found = [rid for each in (*named, *sides) for rid in (each.get("rid"), *(each.get("rids") or ()))]
    return list(dict.fromkeys(rid for rid in found if isinstance(rid, str)))


def _records(document: Mapping[str, Any], names: Iterable[str]) -> list[Mapping[str, Any]]:
    lists = [found for name in names if isinstance(found := document.get(name), list)]
    return [each for found in lists for each in found if isinstance(each, Mapping)]


def _sides(contradiction: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    pair = [contradiction.get("a"), contradiction.get("b"), contradiction.get("nominee")]
    return [*(each for each in pair if isinstance(each, Mapping)), *_records(contradiction, ("others",))]
