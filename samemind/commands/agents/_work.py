"""What several commands do with the agents that were let in."""

import time

from samemind.agents.calls import AgentActivity
from samemind.agents.grants import Agent, Rights
from samemind.commands.agents._parts import AgentRights, AgentView
from samemind.formats.arguments import check_share
from samemind.formats.times import at_ms


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


def agent_view(agent: Agent, seen: AgentActivity | None = None) -> AgentView:
    return AgentView(
        id=agent.id,
        name=agent.name,
        by="token" if agent.client is None else "oauth",
        profile=agent.rights.profile,
        workspace=agent.rights.workspace,
        share=list(agent.rights.share),
        read_only=agent.rights.read_only,
        added_at=at_ms(agent.added_ms),
        last_seen=None if seen is None else seen.last,
        calls=0 if seen is None else seen.calls,
    )
