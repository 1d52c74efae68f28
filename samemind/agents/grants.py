"""Decide which remote agents may use the memory, with which rights, and by which tokens.

An agent comes in by a plain token that its owner made, or by OAuth: its program registers itself, asks, and waits
until the owner approves the code that it shows. Either way the owner says which workspace it works in and whether it
may change anything, and can revoke it at once. Secrets are kept as hashes alone.

Everything is pure: time, in ms of the device's clock, and randomness are arguments. `samemind.agents.ledger` keeps the
state in a file.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from replica.json_text import parse_json
from samemind.errors import Ambiguous, NotFound, Usage

# 256 bits: nobody guesses them, so a fast hash is enough to keep them by.
SECRET_BYTES: Final = 32
# Short, so that a token that leaked is soon worth nothing: its program gets another with the refresh token.
ACCESS_MS: Final = 3_600_000
# An agent that was not seen for so long asks its owner again.
REFRESH_MS: Final = 30 * 86_400_000
# Long enough to walk to the device and type six letters.
PENDING_MS: Final = 10 * 60_000
# From the owner's approval until the program fetches its first token.
CODE_MS: Final = 60_000
# More agents than a household has; what strangers register makes room among itself.
AGENTS_MAX: Final = 100
CLIENTS_MAX: Final = 100
PENDING_MAX: Final = 20
# What was used once is known for a while, so that a copy of it that somebody shows later ends what came of it. A
# program has one code, and fetches a token an hour.
SPENT_MAX: Final = 16
NAME_CHARACTERS_MAX: Final = 80
# Names, addresses and contacts of a program are a kilobyte. Anybody may register a hundred, and all of them are read
# and written with every change.
CLIENT_BYTES_MAX: Final = 8_192
# What a program wants back with the answer: a random word, in which some also say where they were.
STATE_CHARACTERS_MAX: Final = 2_048
# A SHA-256 in base64 has 43 characters.
CHALLENGE_CHARACTERS_MAX: Final = 128
# Without vowels no words arise, and without look-alikes none is misread.
_CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH: Final = 6

# A program with two windows may refresh in both at once: the slower one gets nothing, and harms nothing.
AT_ONCE_MS: Final = 60_000
_WAYS_IN: Final = frozenset({"plain", "access", "refresh"})

RandomBytes = Callable[[int], bytes]


def source_of(name: str) -> str:
    """Return what stands as the source of each memory that an agent of this name tells, unless it names another."""
    return f"agent {name}"


def with_source(verb: str, options: Mapping[str, Any], source: str | None) -> Mapping[str, Any]:
    """Return what an agent asks, it being the source of what it tells: so all of that can be found, and taken back.

    As it is where it names a source itself, or where nobody knows who it is (None).
    """
    if not source:
        return options
    if verb in ("remember", "goals add") and not options.get("source"):
        return {**options, "source": source}
    if verb == "remember-many" and isinstance(lines := options.get("lines"), list):  # else it is refused
        return {**options, "lines": [_line_with_source(line, source) for line in lines]}
    return options


def _line_with_source(line: str, source: str) -> str:
    try:
        record = parse_json(line)
    except ValueError:
        return line  # refused where it is read
    if isinstance(record, str):
        record = {"text": record}
    if not isinstance(record, dict) or record.get("source"):
        return line
    return json.dumps({**record, "source": source})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What an agent may do: see `samemind.mcp.scope.Scope` for the workspaces."""

    profile: str = "core"
    workspace: str | None = None
    share: tuple[str, ...] = ()
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent that its owner let in. `client` is the OAuth client behind it; None where it has a plain token."""

    id: str
    name: str
    rights: Rights
    added_ms: int
    client: str | None = None

    @property
    def source(self) -> str:
        """What stands as the source of each memory that it tells."""
        return source_of(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A secret that was handed out, by its hash. `resource` is the address it is good for; empty: any of ours."""

    kind: str
    """`plain`, `access`, `refresh` or `code`; and `spent code` or `spent refresh`, of one that was used."""
    agent: str
    expires_ms: int | None
    resource: str = ""
    asked: dict[str, Any] = field(default_factory=dict)
    """Of a code: what the program asked with, to be held against what it fetches the token with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A program that asks to come in. `code` is what its user shows the owner."""

    code: str
    client: str
    name: str
    redirect_uri: str
    asked: dict[str, Any]
    asked_ms: int
    answer: str | None = None
    """None while nobody decided; then an authorization code, or empty where the owner refused."""


@dataclass(frozen=True, slots=True)
class Grants:
    """All of it, as one value: each change returns the next."""

    agents: dict[str, Agent] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    clients: dict[str, dict[str, Any]] = field(default_factory=dict)
    """OAuth clients as they registered, oldest first."""
    pending: dict[str, Pending] = field(default_factory=dict)


def digest(secret: str) -> str:
    """Return the hash under which a secret is kept."""
    return hashlib.sha256(b"samemind agent 1\0" + secret.encode()).hexdigest()


def clean_name(name: str) -> str:
    """Return a name that is safe to show: printable, on one line, of at most 80 characters."""
    shown = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(shown.split())[:NAME_CHARACTERS_MAX] or "agent"


def add(
    grants: Grants, name: str, rights: Rights, *, client: str | None, random: RandomBytes, now_ms: int
) -> tuple[Grants, Agent]:
    """Let an agent in; its name gets a number where another has it."""
    if len(grants.agents) >= AGENTS_MAX:
        raise Usage(
            f"expected at most {AGENTS_MAX} agents, and there are that many already",
            code="too_many",
            hint="samemind agents revoke NAME",
        )
    name = clean_name(name)
    taken = {each.name.casefold() for each in grants.agents.values()}
    numbered = (name if number == 1 else f"{name} {number}" for number in range(1, AGENTS_MAX + 2))
    free = next(each for each in numbered if each.casefold() not in taken)
    agent = Agent(id=random(4).hex(), name=free, rights=rights, added_ms=now_ms, client=client)
    return replace(grants, agents={**grants.agents, agent.id: agent}), agent


def issue(
    grants: Grants,
    kind: str,
    agent: str,
    *,
    random: RandomBytes,
    now_ms: int,
    lifetime_ms: int | None,
    resource: str = "",
    asked: dict[str, Any] | None = None,
) -> tuple[Grants, str]:
    """Return a new secret for an agent; those that have expired go."""
    secret = random(SECRET_BYTES).hex()
    kept = {
        key: each
        for key, each in grants.tokens.items()
        if each.expires_ms is None or now_ms < each.expires_ms
    }
    expires_ms = None if lifetime_ms is None else now_ms + lifetime_ms
    kept[digest(secret)] = Token(
        kind=kind, agent=agent, expires_ms=expires_ms, resource=resource, asked=asked or {}
    )
    return replace(grants, tokens=kept), secret


def find_token(grants: Grants, secret: str, kinds: frozenset[str], now_ms: int) -> Token | None:
    """Return what a secret is good for; None where it is unknown, of another kind, or has expired."""
    token = grants.tokens.get(digest(secret))
    if token is None or token.kind not in kinds or token.agent not in grants.agents:
        return None
    return None if token.expires_ms is not None and now_ms >= token.expires_ms else token


def spend(grants: Grants, secret: str, now_ms: int) -> Grants:
    """Return the grants with a code or a refresh token used up: it is only known any more, until it would expire.

    The oldest of an agent's spent ones go, so that whoever refreshes without end fills nothing.
    """
    key = digest(secret)
    token = grants.tokens[key]
    kind = f"spent {token.kind}"
    tokens = {each: kept for each, kept in grants.tokens.items() if each != key}
    known = [each for each, kept in tokens.items() if kept.agent == token.agent and kept.kind == kind]
    for oldest in known[: len(known) - SPENT_MAX + 1] if len(known) >= SPENT_MAX else ():
        del tokens[oldest]
    tokens[key] = replace(token, kind=kind, asked={**token.asked, "spent_ms": now_ms})
    return replace(grants, tokens=tokens)


def is_copied(token: Token, now_ms: int) -> bool:
    """Say whether who shows a spent secret has a copy of it, and is no program that asks twice at once."""
    return token.kind == "spent code" or now_ms >= token.asked["spent_ms"] + AT_ONCE_MS


def may_come_in(grants: Grants, agent: Agent, now_ms: int) -> bool:
    """Say whether an agent is let in still, as it was: it has rights, and a secret that is good for something."""
    return grants.agents.get(agent.id) == agent and any(
        each.agent == agent.id
        and each.kind in _WAYS_IN
        and (each.expires_ms is None or now_ms < each.expires_ms)
        for each in grants.tokens.values()
    )


def take_back_of(grants: Grants, agent: str, kinds: frozenset[str]) -> Grants:
    """Return the grants without an agent's secrets of these kinds."""
    kept = {key: each for key, each in grants.tokens.items() if each.agent != agent or each.kind not in kinds}
    return replace(grants, tokens=kept)


def revoke(grants: Grants, agent: Agent) -> Grants:
    """Return the grants without an agent, its secrets, and the client behind it."""
    return replace(
        grants,
        agents={key: each for key, each in grants.agents.items() if key != agent.id},
        tokens={key: each for key, each in grants.tokens.items() if each.agent != agent.id},
        clients={key: each for key, each in grants.clients.items() if key != agent.client},
    )


def named(grants: Grants, name: str) -> Agent:
    """Return the agent of that name or id; `NotFound` or `Ambiguous` otherwise."""
    if name in grants.agents:
        return grants.agents[name]
    found = [each for each in grants.agents.values() if each.name.casefold() == name.casefold()]
    found = found or [
        each for each in grants.agents.values() if each.name.casefold().startswith(name.casefold())
    ]
    if not found:
        raise NotFound(f"no agent is called {name!r:.60}", hint="samemind agents lists them")
    if len(found) > 1:
        raise Ambiguous(
            f"several agents begin with {name!r:.60}", candidates=tuple(each.name for each in found)
        )
    return found[0]


def register(grants: Grants, client: str, metadata: dict[str, Any]) -> Grants:
    """Keep a program that registered itself; anybody may, so those whom no owner approved make room, oldest first."""
    if (size := len(json.dumps(metadata))) > CLIENT_BYTES_MAX:
        raise Usage(f"expected a program to say at most {CLIENT_BYTES_MAX} bytes of itself, got {size}")
    used = {each.client for each in grants.agents.values()} | {
        each.client for each in grants.pending.values()
    }
    clients = dict(grants.clients)
    for oldest in [each for each in clients if each not in used]:
        if len(clients) < CLIENTS_MAX:
            break
        del clients[oldest]
    if len(clients) >= CLIENTS_MAX:
        raise Usage(f"expected at most {CLIENTS_MAX} registered programs", code="too_many")
    return replace(grants, clients={**clients, client: metadata})


def ask(
    grants: Grants,
    *,
    client: str,
    name: str,
    redirect_uri: str,
    asked: dict[str, Any],
    random: RandomBytes,
    now_ms: int,
    peer: str = "",
) -> tuple[Grants, str]:
    """Let a program wait for its owner; returns the secret by which its browser asks how it stands.

    `peer` is the network address that it asks from. Anybody may ask, so once as many wait as may, a newcomer takes the
    place of the last that came from the address with the most; where that is its own, it is refused. So who waits
    already is pushed out by nobody, and a flood from one address keeps no other address out.
    """
    for what, most in (("state", STATE_CHARACTERS_MAX), ("challenge", CHALLENGE_CHARACTERS_MAX)):
        if len(asked.get(what) or "") > most:
            raise Usage(f"expected a {what} of at most {most} characters from the program")
    waiting = {key: each for key, each in grants.pending.items() if now_ms < each.asked_ms + PENDING_MS}
    if len(waiting) >= PENDING_MAX:
        _make_room(waiting, peer)
    codes = {each.code for each in waiting.values()}
    code = _code(random)
    while code in codes:
        code = _code(random)
    request = random(SECRET_BYTES).hex()
    pending = Pending(
        code=code,
        client=client,
        name=clean_name(name),
        redirect_uri=redirect_uri,
        asked={**asked, "peer": peer},
        asked_ms=now_ms,
    )
    return replace(grants, pending={**waiting, request: pending}), request


def _make_room(waiting: dict[str, Pending], peer: str) -> None:
    from_each = Counter(each.asked.get("peer", "") for each in waiting.values())
    crowd, most = from_each.most_common(1)[0]
    if from_each[peer] + 1 >= most:
        raise Usage(
            f"expected at most {PENDING_MAX} programs that wait for an answer, and that many do; "
            f"each waits for {PENDING_MS // 60_000} minutes at most",
            code="too_many",
        )
    del waiting[[request for request, each in waiting.items() if each.asked.get("peer", "") == crowd][-1]]


def waiting(grants: Grants, now_ms: int) -> dict[str, Pending]:
    """Return who waits for an answer."""
    return {
        request: each
        for request, each in grants.pending.items()
        if each.answer is None and now_ms < each.asked_ms + PENDING_MS
    }


def decide(
    grants: Grants, code: str, rights: Rights | None, *, name: str | None, random: RandomBytes, now_ms: int
) -> tuple[Grants, Agent | None]:
    """Let in who shows this code, with these rights; None refuses."""
    typed = code.upper().replace("-", "").replace(" ", "")
    found = [(key, each) for key, each in waiting(grants, now_ms).items() if each.code == typed]
    if not found:
        raise NotFound(
            f"no program waits with the code {code!r:.20}",
            hint="a code is good for ten minutes; samemind agents shows who waits",
        )
    ((request, pending),) = found
    if rights is None:
        return replace(grants, pending={**grants.pending, request: replace(pending, answer="")}), None
    grants, agent = add(
        grants, name or pending.name, rights, client=pending.client, random=random, now_ms=now_ms
    )
    # The page that waits fetches it within seconds; one that was closed never does.
    grants, secret = issue(
        grants,
        "code",
        agent.id,
        random=random,
        now_ms=now_ms,
        lifetime_ms=PENDING_MS + CODE_MS,
        resource=pending.asked.get("resource") or "",
        asked={**pending.asked, "client": pending.client},
    )
    return replace(grants, pending={**grants.pending, request: replace(pending, answer=secret)}), agent


def answered(grants: Grants, request: str, now_ms: int) -> tuple[Grants, Pending | None]:
    """Return how a request stands, and forget it once that was told; None where it is unknown or has expired."""
    pending = grants.pending.get(request)
    if pending is None or now_ms >= pending.asked_ms + PENDING_MS:
        return grants, None
    if pending.answer is None:
        return grants, pending
    left = {key: each for key, each in grants.pending.items() if key != request}
    return replace(grants, pending=left), pending


def _code(random: RandomBytes) -> str:
    # The first sixteen letters are a little likelier than the rest: of 64 million codes, each good for ten minutes.
    return "".join(_CODE_LETTERS[byte % len(_CODE_LETTERS)] for byte in random(CODE_LENGTH))


def shown_code(code: str) -> str:
    """Return a code as people read it."""
    return f"{code[:3]}-{code[3:]}"
