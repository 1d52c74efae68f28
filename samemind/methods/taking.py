"""Take things in and out: what waits to be read, what is held back, imports and exports."""

import os

import trio

from samemind.arguments import full_path, new_path
from samemind.control.pouring import draw, poured
from samemind.methods.asking import Asking
from samemind.results.portable import Exported, Imported
from samemind.results.taking import Dropped, Extracted, HeldList, Queue, Released, Requeued
from samemind.surface import portable, taking


class Taking(Asking):
    """The methods of `Mind` for that."""

    async def queue(self, *, status: str | None = None, limit: int = 50) -> Queue:
        """List what is still to be embedded or read by a model, and what was given up."""
        return await self._ask(taking.QUEUE, status=status, limit=limit)

    async def requeue(self, *ids: str) -> Requeued:
        """Try again what was given up: these entries, or all."""
        return await self._ask(taking.REQUEUE, ids=list(ids))

    async def wait_for_queue(self) -> Queue:
        """Wait until everything is embedded."""
        return await self._ask(taking.QUEUE_WAIT)

    async def held(self) -> HeldList:
        """List what looked secret and was therefore not remembered."""
        return await self._ask(taking.HELD)

    async def release_held(self, id: str) -> Released:
        """Remember what was held back after all."""
        return await self._ask(taking.HELD_RELEASE, id=id)

    async def drop_held(self, id: str) -> Dropped:
        """Throw away what was held back."""
        return await self._ask(taking.HELD_DROP, id=id)

    async def extract(self, session: str, *, workspace: str | None = None, wait: bool = False) -> Extracted:
        """Have the model read what is new in a chat, at its end."""
        return await self._ask(taking.EXTRACT, session=session, workspace=workspace, wait=wait)

    async def import_(
        self,
        *files: str | os.PathLike[str],
        format: str = "auto",
        workspace: str | None = None,
        facts: bool = False,
        dry_run: bool = False,
    ) -> Imported:
        """Bring memories in; what came in before is passed over."""
        drawn = [
            await trio.to_thread.run_sync(draw, full_path(file), abandon_on_cancel=True) for file in files
        ]
        with poured(drawn) as paths:  # who holds the store cannot read our pipes
            return await self._ask(
                portable.IMPORT, files=paths, format=format, workspace=workspace, facts=facts, dry_run=dry_run
            )

    async def export(self, output: str | os.PathLike[str], *, format: str = "jsonl") -> Exported:
        """Take every memory out, with everything that belongs to it, to a file."""
        return await self._ask(portable.EXPORT, output=new_path(output), format=format)
