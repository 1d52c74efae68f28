"""The verbs as methods, for programs that run trio.

Every method is the verb of the command line with the same name and options, and returns its result as a frozen
dataclass. Where a memory's id is expected, anything that has a `rid` will do; where a time is, a datetime or ISO text.
Most are made from the declarations of commands, in `samemind.library._methods`; here are those whose parameters are not
the options of a command.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import trio

from samemind.catalog import verb_named
from samemind.config import Home
from samemind.control.client import repeatable
from samemind.control.pouring import draw, poured
from samemind.control.server import Say
from samemind.declaring import Command
from samemind.errors import SamemindError, Usage
from samemind.formats.arguments import (
    Rid,
    assignments_of,
    full_path,
    lines_of,
    new_path,
    rid_of,
    text_of,
    texts_of,
)
from samemind.formats.plain import from_json
from samemind.library._methods import Methods
from samemind.library.home_store import HomeStore
from samemind.local import Local
from samemind.reach import ReachedDevice, Result, reach_or_copy

if TYPE_CHECKING:
    from cognition.ingest.sensory import Kind as SensedKind
    from cognition.ingest.sensory import SensoryBuffer
    from samemind.commands.device.log import OpView
    from samemind.commands.group._parts import GroupView
    from samemind.commands.group.pair import Paired
    from samemind.commands.keeping._parts import Profile
    from samemind.commands.keeping.feedback import Taught
    from samemind.commands.memories.remember_many import RememberedMany
    from samemind.commands.portable._parts import Imported
    from samemind.commands.portable.export import Exported
    from samemind.formats.memory_view import MemoryView


# As the lock names whoever holds a store.
PROGRAM: Final = "a program"
CHANGES_AT_ONCE: Final = 1_000


class Mind(Methods):
    """One device's memory. Made by `samemind.open`."""

    def __init__(self, reached: ReachedDevice) -> None:
        super().__init__(reached)
        self._sensed: SensoryBuffer | None = None  # made by the first thing that is sensed

    def sense(self, text: str, *, kind: SensedKind = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        text_of("text", text)
        text_of("speaker", speaker or "")
        if self._sensed is None:
            from cognition.ingest.sensory import (
                SensoryBuffer,  # loads a mind, which most callers have no use for
            )

            self._sensed = SensoryBuffer()
        try:
            self._sensed.push(text, kind=kind, now_ms=_monotonic_ms(), speaker=speaker)
        except ValueError as error:  # the kind is none
            raise Usage(f"sense: {error}", code="invalid") from None

    async def absorb(self) -> RememberedMany:
        """Remember what was sensed and is still fresh, with the facts in it; what it was, is `source_kind`."""
        fresh = [] if self._sensed is None else self._sensed.process(_monotonic_ms())
        items = [
            {"text": one.text, "meta": {"source_kind": one.kind}}
            | ({} if one.speaker is None else {"speaker": one.speaker})
            for one in fresh
        ]
        return await self.remember_many(items, facts=True)

    async def remember_many(
        self,
        items: Iterable[str | Mapping[str, Any]],
        *,
        workspace: str | None = None,
        wait: bool = False,
        no_dedup: bool = False,
        facts: bool = False,
    ) -> RememberedMany:
        """Store many memories, in commits of 5,000: texts, or objects with a `text` and what `remember` takes.

        What is stored already under the `rid` that an object gives is not stored again.
        """
        answer: RememberedMany = await self._ask(
            "remember-many",
            lines=lines_of(items),
            workspace=workspace,
            wait=wait,
            no_dedup=no_dedup,
            facts=facts,
        )
        return answer

    async def set(self, /, rid: Rid, **values: Any) -> MemoryView:
        """Change fields of a memory; `None` clears one."""
        answer: MemoryView = await self._ask("set", rid=rid_of(rid), values=assignments_of(values))
        return answer

    async def set_profile(self, /, **values: str | None) -> Profile:
        """Set entries of the profile on every device; `None` clears one."""
        answer: Profile = await self._ask(
            "profile set", values=[f"{key}={text_of(key, value or '')}" for key, value in values.items()]
        )
        return answer

    async def feedback(self, rid: Rid, *, relevant: bool, query: str | None = None) -> Taught:
        """Teach the ranking by one memory that was recalled, on every device alike."""
        answer: Taught = await self._ask(
            "feedback", rid=rid_of(rid), relevant=relevant, irrelevant=not relevant, query=query
        )
        return answer

    async def import_(
        self,
        *files: str | os.PathLike[str],
        format: str = "auto",
        workspace: str | None = None,
        facts: bool = False,
        no_facts: bool = False,
        dry_run: bool = False,
    ) -> Imported:
        """Import memories; what was imported before is skipped.

        What they state is read behind that, unless `no_facts`; with `facts` it is read when this returns.
        """
        drawn = [
            await trio.to_thread.run_sync(draw, full_path(file), abandon_on_cancel=True) for file in files
        ]
        with poured(drawn) as paths:  # who holds the store cannot read our pipes
            answer: Imported = await self._ask(
                "import",
                files=paths,
                format=format,
                workspace=workspace,
                facts=facts,
                no_facts=no_facts,
                dry_run=dry_run,
            )
            return answer

    async def export(self, output: str | os.PathLike[str], *, format: str = "jsonl") -> Exported:
        """Export every memory, with everything that belongs to it, to a file."""
        answer: Exported = await self._ask("export", output=new_path(output), format=format)
        return answer

    async def changes(self, *, after: int | None = None) -> AsyncIterator[OpView]:
        """Iterate over changes as they come, of every program and device: ops behind a position, or from now on.

        Whoever keeps the `position` of the last op that it has handled goes on from there. `NotFound` (`too_late`)
        where ops behind it are folded away.
        """
        if after is None:
            after = (await self.log(limit=0)).position
        while True:
            page = await self.log(after=after, wait=True, limit=CHANGES_AT_ONCE)
            for op in page.ops:
                yield op
            after = page.position

    async def pair(
        self,
        code: str | None = None,
        *,
        address: str | None = None,
        mailbox: str | None = None,
        wait: str | None = None,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Paired:
        """Join the device that shows a code; without one, show a code through `tell` and wait.

        `mailbox`: meet through the mailbox of that name, not on a network; `wait`: for so long, as `24h`.
        """

        async def say(said: Mapping[str, Any]) -> None:
            if tell is not None:
                tell(said)

        answer: Paired = await self._ask(
            "pair", code=code, address=address, mailbox=mailbox, wait=wait, _say=say
        )
        return answer

    async def restore_group(self, code: str, *, without: Iterable[str] = ()) -> GroupView:
        """Repair the group with its recovery code: revoke devices, and readmit those that they revoked."""
        answer: GroupView = await self._ask(
            "group restore", code=tuple(text_of("code", code).split()), without=texts_of(without)
        )
        return answer


@asynccontextmanager
async def open_mind(path: str | os.PathLike[str], *, name: str | None = None) -> AsyncIterator[Mind]:
    """Open a home for the block. While this program holds the store, it answers other programs that want it."""
    home = Home.at(path)
    try:
        async with reach_or_copy(home, program=PROGRAM, answers=True, name=name) as reached:
            if isinstance(reached, Local):
                yield Mind(reached)
                return
        async with _through_others(home) as reached:
            yield Mind(reached)
    except SamemindError as error:
        from samemind.library.in_python import say_in_python  # here: seldom wanted

        say_in_python(error)
        raise


@asynccontextmanager
async def _through_others(home: Home) -> AsyncIterator[ReachedDevice]:
    """Go through whoever holds the store, and hold it when that program ends."""
    store = HomeStore(home, program=PROGRAM, serves_agents=False)
    failure: BaseException | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(store.keep)
        try:
            yield _Through(store)
        except BaseException as error:  # a nursery would wrap it
            failure = error
        store.close()
    if failure is not None:
        raise failure


class _Through:
    """A device that whoever holds the store performs verbs on, if that is another program at one time or this one."""

    def __init__(self, store: HomeStore) -> None:
        self._store = store

    async def ask(self, verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        """Perform a verb; what the holder may have done before it ended is done again where that is harmless."""
        options, again = repeatable(verb, options, harmless=verb_named(verb).may_repeat)
        return await self._store.ask(verb, options, again=again, hear=say)

    async def result(self, verb: Command[Any, Result], options: Mapping[str, Any], say: Say) -> Result:
        """Perform a verb and return its result."""
        return from_json(verb.result, await self.ask(verb.name, options, say))


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
