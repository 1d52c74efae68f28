"""Let remote agents in, list them, cut them off, and show what they did."""

import time
from collections import Counter
from datetime import datetime
from functools import partial

from samemind.agents import grants as granting
from samemind.agents.grants import Agent, Grants, Rights
from samemind.agents.ledger import Ledger, random_bytes
from samemind.arguments import check_share
from samemind.config import Home
from samemind.results.agents import (
    AgentAdded,
    AgentCall,
    AgentLog,
    AgentRefused,
    AgentRevoked,
    AgentsListed,
    AgentView,
    WaitingAgent,
)
from samemind.surface.agents import (
    AddAgent,
    ApproveAgent,
    ListAgents,
    RefuseAgent,
    RevokeAgent,
    ShowAgentLog,
)
from samemind.times import at_ms


def agents_list(home: Home, options: ListAgents) -> AgentsListed:
    """List who was let in, oldest first, and who waits."""
    ledger = Ledger(home)
    grants = ledger.read()
    calls: Counter[str] = Counter()
    last: dict[str, datetime] = {}
    for each in ledger.noted():
        calls[each["agent"]] += 1
        last[each["agent"]] = datetime.fromisoformat(each["at"])
    return AgentsListed(
        agents=[
            _view(agent, last_seen=last.get(agent.id), calls=calls[agent.id])
            for agent in sorted(grants.agents.values(), key=lambda each: each.added_ms)
        ],
        waiting=[
            WaitingAgent(
                code=granting.shown_code(each.code),
                name=each.name,
                redirect_uri=each.redirect_uri,
                asked_at=at_ms(each.asked_ms),
            )
            for each in granting.waiting(grants, _now_ms()).values()
        ],
    )


def agents_add(home: Home, options: AddAgent) -> AgentAdded:
    """Make a token for an agent."""
    home.create()
    rights = _rights(options)

    def change(grants: Grants) -> tuple[Grants, tuple[Agent, str]]:
        grants, agent = granting.add(
            grants, options.name, rights, client=None, random=random_bytes, now_ms=_now_ms()
        )
        grants, token = granting.issue(
            grants, "plain", agent.id, random=random_bytes, now_ms=_now_ms(), lifetime_ms=None
        )
        return grants, (agent, token)

    agent, token = Ledger(home).change(change)
    return AgentAdded(agent=_view(agent), token=token)


def agents_approve(home: Home, options: ApproveAgent) -> AgentAdded:
    """Let in who shows a code."""
    decide = partial(
        granting.decide,
        code=options.code,
        rights=_rights(options),
        name=options.name,
        random=random_bytes,
        now_ms=_now_ms(),
    )
    agent = Ledger(home).change(decide)
    assert agent is not None
    return AgentAdded(agent=_view(agent), token=None)


def agents_refuse(home: Home, options: RefuseAgent) -> AgentRefused:
    """Turn away who shows a code."""
    decide = partial(
        granting.decide, code=options.code, rights=None, name=None, random=random_bytes, now_ms=_now_ms()
    )
    Ledger(home).change(decide)
    return AgentRefused(code=options.code)


def agents_revoke(home: Home, options: RevokeAgent) -> AgentRevoked:
    """Cut an agent off: its next request is refused, and its open streams end within a second."""

    def change(grants: Grants) -> tuple[Grants, Agent]:
        agent = granting.named(grants, options.name)
        return granting.revoke(grants, agent), agent

    agent = Ledger(home).change(change)
    return AgentRevoked(id=agent.id, name=agent.name)


def agents_log(home: Home, options: ShowAgentLog) -> AgentLog:
    """Return the last calls."""
    ledger = Ledger(home)
    calls = [AgentCall(**{**each, "at": datetime.fromisoformat(each["at"])}) for each in ledger.noted()]
    if options.name is not None:
        known = {each.agent for each in calls if each.name.casefold() == options.name.casefold()}
        wanted = known or {granting.named(ledger.read(), options.name).id}
        calls = [each for each in calls if each.agent in wanted]
    return AgentLog(calls=calls[-options.limit :] if options.limit > 0 else [])


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _rights(options: AddAgent | ApproveAgent) -> Rights:
    check_share(options.workspace, options.share)
    return Rights(
        profile=options.profile,
        workspace=options.workspace,
        share=options.share,
        read_only=options.read_only,
    )


def _view(agent: Agent, *, last_seen: datetime | None = None, calls: int = 0) -> AgentView:
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
