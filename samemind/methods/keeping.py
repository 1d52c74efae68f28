"""Keep what is more than a memory: triggers, goals, the profile, blocks, conversations."""

from samemind.arguments import Id, Rid, When, id_of, rid_of, when_of
from samemind.methods.asking import Asking
from samemind.results.keeping import (
    Blocks,
    BlockView,
    Goals,
    GoalView,
    Profile,
    Sessions,
    Taught,
    Triggers,
    TriggerView,
)
from samemind.surface import keeping


class Keeping(Asking):
    """The methods of `Mind` for that."""

    async def triggers(
        self, *, all: bool = False, as_of: When | None = None, seen_by: str | None = None
    ) -> Triggers:
        """List what memory would bring up by itself, the most urgent first."""
        return await self._ask(keeping.TRIGGERS, all=all, as_of=when_of(as_of), seen_by=seen_by)

    async def deliver(self, id: Id) -> TriggerView:
        """Say that a trigger is shown now. Show it only if the result has `changed`: else some device did before."""
        return await self._ask(keeping.TRIGGERS_DELIVER, id=id_of(id))

    async def act(self, id: Id) -> TriggerView:
        """Say that a trigger was acted on; that holds on every device."""
        return await self._ask(keeping.TRIGGERS_ACT, id=id_of(id))

    async def dismiss(self, id: Id) -> TriggerView:
        """Say that nobody wants to hear of a trigger; that holds on every device."""
        return await self._ask(keeping.TRIGGERS_DISMISS, id=id_of(id))

    async def goals(
        self, *, all: bool = False, as_of: When | None = None, seen_by: str | None = None
    ) -> Goals:
        """List goals, and how they go; with `all`, those that are done too."""
        return await self._ask(keeping.GOALS, all=all, as_of=when_of(as_of), seen_by=seen_by)

    async def add_goal(self, text: str) -> GoalView:
        """State a goal."""
        return await self._ask(keeping.GOALS_ADD, text=text)

    async def finish_goal(self, rid: Rid) -> GoalView:
        """Say that a goal is reached."""
        return await self._ask(keeping.GOALS_DONE, rid=rid_of(rid))

    async def profile(self, *, as_of: When | None = None, seen_by: str | None = None) -> Profile:
        """Show the profile of the owner."""
        return await self._ask(keeping.PROFILE, as_of=when_of(as_of), seen_by=seen_by)

    async def set_profile(self, /, **values: str | None) -> Profile:
        """Set entries of the profile on every device; `None` clears one."""
        return await self._ask(
            keeping.PROFILE_SET, values=[f"{key}={value or ''}" for key, value in values.items()]
        )

    async def blocks(self, *, as_of: When | None = None, seen_by: str | None = None) -> Blocks:
        """List the editable blocks, which every prompt gets."""
        return await self._ask(keeping.BLOCKS, as_of=when_of(as_of), seen_by=seen_by)

    async def block(self, label: str, *, as_of: When | None = None, seen_by: str | None = None) -> BlockView:
        """Show one block."""
        return await self._ask(keeping.BLOCKS_GET, label=label, as_of=when_of(as_of), seen_by=seen_by)

    async def edit_block(self, label: str, text: str) -> BlockView:
        """Write a block, or make it; what others change in it at the same time is kept too."""
        return await self._ask(keeping.BLOCKS_EDIT, label=label, text=text)

    async def sessions(
        self,
        *,
        limit: int = 20,
        session: str | None = None,
        as_of: When | None = None,
        seen_by: str | None = None,
    ) -> Sessions:
        """List the conversations that memories came from, the latest first, each with a summary."""
        return await self._ask(
            keeping.SESSIONS, limit=limit, session=session, as_of=when_of(as_of), seen_by=seen_by
        )

    async def feedback(self, rid: Rid, *, relevant: bool, query: str | None = None) -> Taught:
        """Teach the ranking by one memory that was recalled, on every device alike."""
        return await self._ask(
            keeping.FEEDBACK, rid=rid_of(rid), relevant=relevant, irrelevant=not relevant, query=query
        )
