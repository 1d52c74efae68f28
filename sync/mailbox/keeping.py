"""Keep a device in step through one mailbox: wait for the bell and for news of its own, look, and wait again.

What a look does is decided in `sync.carrier.visit`, when it is made in `sync.mailbox.pace`; this waits and does both.
"""

from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from random import Random

import trio

from replica.core import Core
from replica.replica import Replica
from sync.carrier.shelf import Plan, Shelf
from sync.carrier.visit import Looked, Visitor
from sync.errors import Gone, MailboxError, NoRoomHere
from sync.identity import Identity
from sync.mailbox.box import Mailbox
from sync.mailbox.pace import Pace
from sync.mailbox.visiting import load_shelf, look


@dataclass(slots=True)
class MailboxStatus:
    """How it stands with a mailbox. Times are this device's, in ms.

    `trouble`: why it could not be looked into; `NoRoomHere`: it was, and a file was left there.
    """

    looking_ms: int | None = None
    """Since when a look is under way."""
    looked_ms: int | None = None
    wrote_ms: int | None = None
    files: int = 0
    size: int = 0
    trouble: MailboxError | None = None
    trouble_ms: int | None = None
    """Since when."""
    putting_off: bool = False
    """There is news that is not written yet."""
    lost: int = 0
    """How often it lost files lately that were written again."""
    looks: int = 0
    fetched: int = 0
    wrote: int = 0
    taken: int = 0
    ops: int = 0


class Keeper:
    """Keeps one mailbox. `key` names it in this device's store; `took` is called after ops came from it.

    `folder`: on which disk a large file is held until it is taken.
    """

    def __init__(
        self,
        box: Mailbox,
        replica: Replica,
        identity: Identity,
        key: str,
        *,
        group_s: float,
        bytes_max: int | None,
        folder: Path,
        random: Random,
        took: Callable[[], Awaitable[None]],
    ) -> None:
        self.standing = MailboxStatus()
        self.shelf = Shelf()
        self._box = box
        self._replica = replica
        self._identity = identity
        self._key = key
        self._bytes_max = bytes_max
        self._folder = folder
        self._took = took
        self._loaded = False
        self._looking = trio.Lock()
        # Those under way and those that wait for one; None once it is no longer used.
        self._looks: set[trio.CancelScope] | None = set()
        self._poked = trio.Event()
        self._looked = trio.Event()
        self._pace = Pace(group_s, random)
        self._plan: Plan | None = None
        # Up to which news of the replica that plan reaches.
        self._planned_at = 0

    async def run(self) -> None:
        """Keep it until cancelled."""
        while True:
            try:
                looked = await self.look(at_once=False)
            except MailboxError as error:
                pause_s = self._pace.pause_after(error)
            else:
                self._pace.looked(looked)
                while not await self._wait():
                    pass  # somebody else looked meanwhile: what is waited for begins anew
                continue
            # Out here nothing holds on to the error, and so to what was listed and fetched.
            await self._pause(pause_s)

    async def look(self, *, at_once: bool = True) -> Looked:
        """Look now, as often as it takes; `at_once`: nothing is put off. `Gone`: the mailbox is no longer used."""
        looked: Looked | None = None
        with trio.CancelScope() as scope:
            if self._looks is not None:
                self._looks.add(scope)
                try:
                    looked = await self._look(at_once=at_once)
                finally:
                    if self._looks is not None:
                        self._looks.discard(scope)
        if looked is None:
            raise Gone("this device no longer uses it")
        return looked

    def end(self) -> None:
        """Look no more, whoever asked for it: neither now nor later."""
        looks, self._looks = self._looks or (), None
        for scope in looks:
            scope.cancel()

    async def _look(self, *, at_once: bool) -> Looked:
        async with self._looking:
            if not self._loaded:
                self.shelf, self._loaded = await load_shelf(self._replica, self._key), True
            visitor = Visitor(
                self.shelf, self._identity, now_ms=self._replica.now_ms, bytes_max=self._bytes_max
            )
            if at_once:
                self._pace.at_once()
            before = self._replica.news
            self.standing.looking_ms = self._replica.now_ms()
            try:
                visits = visitor.look(may_write=self._may_write)
                total = await look(self._box, self._replica, self._key, visits, folder=self._folder)
            except MailboxError as error:
                self._failed(error)
                raise
            finally:
                self.standing.looking_ms = None
                if self._replica.news != before:
                    await self._took()
            self._note(total)
            self._planned_at = self._replica.news
            if (
                self._planned_at != before
            ):  # by what was taken, or by this device while it looked: that is news, too
                self._plan_on(await self._replica.run(self._planned))
            self._looked.set()
            return total

    def poke(self) -> None:
        """Let it look now, whatever it waits for."""
        self._poked.set()

    async def flush(self) -> None:
        """Write what was put off, if anything was: the device is about to end."""
        reached = self._loaded and isinstance(self.standing.trouble, NoRoomHere | None)
        if reached and (await self._replica.run(self._planned)).writes:
            await self.look()

    async def aclose(self) -> None:
        """Let go of the mailbox."""
        await self._box.aclose()

    # -- when to write ---------------------------------------------------------------------------------------

    def _may_write(self, plan: Plan) -> bool:
        return self._pace.may_write(plan, trio.current_time())

    def _note(self, looked: Looked) -> None:
        standing, now_ms = self.standing, self._replica.now_ms()
        standing.looked_ms, standing.files, standing.size = now_ms, looked.files, looked.size
        if (no_room := looked.most_missing) is None:
            standing.trouble = standing.trouble_ms = None
        else:
            self._failed(no_room)
        standing.looks += 1
        standing.fetched += looked.fetched
        standing.taken += looked.taken
        standing.ops += looked.ops
        standing.wrote += len(looked.wrote)
        if looked.wrote:
            standing.wrote_ms = now_ms
        if looked.wrote_again:
            self._pace.wrote_again(trio.current_time())
        standing.lost = self._pace.rewrites(trio.current_time())
        if looked.plan is not None:
            self._plan_on(looked.plan)

    def _planned(self, core: Core, _: object) -> Plan:
        return self.shelf.plan(core, self._replica.now_ms(), bytes_max=self._bytes_max)

    def _plan_on(self, plan: Plan) -> None:
        self._plan, self.standing.putting_off = plan, plan.writes
        self._pace.planned(plan, trio.current_time())

    def _failed(self, error: MailboxError) -> None:
        before = self.standing.trouble
        if before is None or isinstance(before, NoRoomHere) != isinstance(error, NoRoomHere):
            self.standing.trouble_ms = self._replica.now_ms()
        # A copy: what was raised holds on to all that had been listed and fetched.
        self.standing.trouble = copy(error)

    # -- when to look ----------------------------------------------------------------------------------------

    async def _wait(self) -> bool:
        """Wait for the bell, for news to be written, or to be poked; False where somebody else looked."""
        self._poked, self._looked = trio.Event(), trio.Event()
        plan, to_look = self._plan, True
        async with trio.open_nursery() as nursery:

            async def until_rung() -> None:
                try:
                    await self._box.bell()
                    await trio.sleep(self._pace.bells.pause(trio.current_time()))
                except MailboxError as error:
                    self._failed(error)
                    await trio.sleep(self._pace.pause_after(error))
                nursery.cancel_scope.cancel()

            async def until_due() -> None:
                if plan is not None and plan.writes:
                    with trio.move_on_at(self._pace.due(plan)):
                        await self._replica.stirred(self._planned_at)
                        self._pace.heard(trio.current_time())
                        await trio.sleep_until(self._pace.due(plan))
                else:
                    await self._replica.stirred(self._planned_at)
                    write_at = self._pace.put_off(trio.current_time())
                    self.standing.putting_off = True
                    await trio.sleep_until(write_at)
                nursery.cancel_scope.cancel()

            async def until_poked() -> None:
                await self._poked.wait()
                nursery.cancel_scope.cancel()

            async def until_looked() -> None:
                nonlocal to_look
                await self._looked.wait()
                to_look = False
                nursery.cancel_scope.cancel()

            for task in (until_rung, until_due, until_poked, until_looked):
                nursery.start_soon(task)
        return to_look

    async def _pause(self, seconds: float) -> None:
        self._poked = trio.Event()
        with trio.move_on_after(seconds):
            await self._poked.wait()
