"""What several commands do with the agents that were let in."""

import time
from datetime import datetime

from samemind.agents.grants import Agent, Rights
from samemind.arguments import check_share
from samemind.commands.agents._parts import AgentRights, AgentView
from samemind.times import at_ms


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def rights_of(options: AgentRights) -> Rights:
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
