"""What several commands do with the agents that were let in."""

import time
from datetime import datetime
from typing import TYPE_CHECKING

from samemind.agents.grants import Agent, Rights
from samemind.arguments import check_share
from samemind.commands.agents._parts import AgentView
from samemind.times import at_ms

if TYPE_CHECKING:
    from samemind.commands.agents.add import AddAgent
    from samemind.commands.agents.approve import ApproveAgent


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def rights_of(options: "AddAgent | ApproveAgent") -> Rights:
    check_share(options.workspace, options.share)
    return Rights(
        profile=options.profile,
        workspace=options.workspace,
        share=options.share,
        read_only=options.read_only,
    )


def agent_view(agent: Agent, *, last_seen: datetime | None = None, calls: int = 0) -> AgentView:
    return AgentView(
        id=agent.id,
        name=agent.name,
        by="token" if agent.client is None else "oauth",
        profile=agent.rights.profile,
        workspace=agent.rights.workspace,
        share=list(agent.rights.share),
        read_only=agent.rights.read_only,
        added_at=at_ms(agent.added_ms),
        last_seen=last_seen,
        calls=calls,
    )
