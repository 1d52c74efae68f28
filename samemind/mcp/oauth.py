"""Let programs fetch tokens by OAuth 2.1, as the specification of MCP asks: the SDK speaks it, this decides.

A program registers itself, sends its user here, and waits. The user shows a code to the owner, who lets the program in
on the device itself: `samemind agents approve CODE`, or the panel. Only then does it get tokens, and only for the
address that it asked with.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import trio
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from samemind.agents import grants as granting
from samemind.agents.grants import Agent, Grants, Pending, Token
from samemind.agents.ledger import Ledger, random_bytes
from samemind.errors import Usage
from sync.loopback import is_this_machine

SCOPE: Final = "memory"
# What a browser would run, or show from the machine, instead of handing it to the program.
_NEVER_REDIRECTED_TO: Final = frozenset(
    {"about", "blob", "data", "file", "ftp", "javascript", "vbscript", "view-source", "ws", "wss"}
)
# With those that were used: a copy of one that shows up later is told from what nobody ever had.
_CODE: Final = frozenset({"code", "spent code"})
_REFRESH: Final = frozenset({"refresh", "spent refresh"})
_ACCESS: Final = frozenset({"access"})
_OF_A_PROGRAM: Final = frozenset({"access", "refresh"})
# What stands for the agent itself on every request.
BEARER: Final = frozenset({"plain", "access"})
# The network address that a request came from: the SDK asks for a page to wait on without saying so.
PEER: Final[ContextVar[str]] = ContextVar("peer", default="")
Changed = TypeVar("Changed")


def redirect_is_safe(uri: str) -> bool:
    """Say whether a program's answer may go there: HTTPS, its own machine, or a scheme of its own."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return False
    if parts.scheme == "http":
        return is_this_machine(host)
    return bool(parts.scheme) and parts.scheme not in _NEVER_REDIRECTED_TO


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK asks while it speaks OAuth; made anew for each address that the server is known by."""

    def __init__(self, ledger: Ledger, base: str, now_ms: Callable[[], int]) -> None:
        self._ledger = ledger
        self._base = base
        self._now_ms = now_ms

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a program that registered."""
        found = (await self._read()).clients.get(client_id)
        return None if found is None else OAuthClientInformationFull.model_validate(found)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a program that registers."""
        uris = [str(uri) for uri in client_info.redirect_uris or ()]
        if not uris or not all(map(redirect_is_safe, uris)):
            raise RegistrationError(
                "invalid_redirect_uri",
                "expected https, http to this machine, or a scheme of the program's own",
            )
        assert client_info.client_id is not None
        plain = client_info.model_dump(mode="json", exclude_none=True)
        client_id = client_info.client_id
        try:
            await self._change(lambda grants: (granting.register(grants, client_id, plain), None))
        except Usage as error:
            raise RegistrationError("invalid_client_metadata", error.message) from None

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Return the page that waits for the owner."""
        if params.resource is not None and params.resource.rstrip("/") not in (
            self._base,
            f"{self._base}/mcp",
        ):
            raise AuthorizeError("invalid_target", f"expected {self._base}/mcp")
        assert client.client_id is not None
        ask = partial(
            granting.ask,
            client=client.client_id,
            name=client.client_name or "agent",
            redirect_uri=str(params.redirect_uri),
            asked={
                "state": params.state,
                "challenge": params.code_challenge,
                "explicit": params.redirect_uri_provided_explicitly,
                "redirect_uri": str(params.redirect_uri),
                "resource": f"{self._base}/mcp",
            },
            random=random_bytes,
            now_ms=self._now_ms(),
            peer=PEER.get(),
        )
        try:
            return f"{self._base}/approve?request={await self._change(ask)}"
        except Usage as error:
            busy = error.code == "too_many"
            raise AuthorizeError(
                "temporarily_unavailable" if busy else "invalid_request", error.message
            ) from None

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return what was agreed on under a code."""
        token = await self._find(authorization_code, _CODE)
        if token is None or token.asked["client"] != client.client_id or token.expires_ms is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=[SCOPE],
            expires_at=token.expires_ms / 1_000,
            client_id=token.asked["client"],
            code_challenge=token.asked["challenge"],
            redirect_uri=token.asked["redirect_uri"],
            redirect_uri_provided_explicitly=token.asked["explicit"],
            resource=token.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Return the first tokens; the code is used up."""
        return await self._exchange(authorization_code.code, _CODE)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """Return what a refresh token is good for."""
        found = await self._agent_of(refresh_token, _REFRESH)
        if found is None or found[1].client != client.client_id:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=client.client_id or "",
            scopes=[SCOPE],
            resource=found[0].resource,
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Return the next tokens; those before are worth nothing any more."""
        return await self._exchange(refresh_token.token, _REFRESH)

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Return what an access token is good for."""
        found = await self._agent_of(token, _ACCESS)
        if found is None:
            return None
        return AccessToken(
            token=token, client_id=found[1].client or "", scopes=[SCOPE], resource=found[0].resource
        )

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Take all tokens back that came with this one."""

        def change(grants: Grants) -> tuple[Grants, None]:
            found = granting.find_token(grants, token.token, _OF_A_PROGRAM, self._now_ms())
            if found is None:
                return grants, None
            return granting.take_back_of(grants, found.agent, _OF_A_PROGRAM), None

        await self._change(change)

    async def answer(self, request: str) -> Pending | None:
        """Return how a request that waits stands."""
        return await self._change(lambda grants: granting.answered(grants, request, self._now_ms()))

    async def _exchange(self, secret: str, kinds: frozenset[str]) -> OAuthToken:
        now_ms = self._now_ms()

        def change(grants: Grants) -> tuple[Grants, OAuthToken | None]:
            found = granting.find_token(grants, secret, kinds, now_ms)
            if found is None:
                return grants, None
            rest = granting.take_back_of(grants, found.agent, _OF_A_PROGRAM)
            if found.kind.startswith("spent"):
                # Two have it, and nobody knows which of them is the program: both lose it (OAuth 2.1, 4.1.3 and 4.3.1).
                return (rest if granting.is_copied(found, now_ms) else grants), None
            grants = granting.take_back_of(granting.spend(grants, secret, now_ms), found.agent, _OF_A_PROGRAM)
            issue = partial(
                granting.issue,
                agent=found.agent,
                random=random_bytes,
                now_ms=now_ms,
                resource=found.resource,
            )
            grants, access = issue(grants, "access", lifetime_ms=granting.ACCESS_MS)
            grants, refresh = issue(grants, "refresh", lifetime_ms=granting.REFRESH_MS)
            return grants, OAuthToken(
                access_token=access,
                expires_in=granting.ACCESS_MS // 1_000,
                scope=SCOPE,
                refresh_token=refresh,
            )

        tokens = await self._change(change)
        if tokens is None:
            raise TokenError("invalid_grant", "this was used already, which ends what came of it")
        return tokens

    async def _find(self, secret: str, kinds: frozenset[str]) -> Token | None:
        return granting.find_token(await self._read(), secret, kinds, self._now_ms())

    async def _agent_of(self, secret: str, kinds: frozenset[str]) -> tuple[Token, Agent] | None:
        grants = await self._read()
        token = granting.find_token(grants, secret, kinds, self._now_ms())
        return None if token is None else (token, grants.agents[token.agent])

    async def _read(self) -> Grants:
        return await trio.to_thread.run_sync(self._ledger.read)

    async def _change(self, change: Callable[[Grants], tuple[Grants, Changed]]) -> Changed:
        return await trio.to_thread.run_sync(self._ledger.change, change)


def where_to(pending: Pending) -> str:
    """Return the address to which a program's user goes back with the owner's answer."""
    state: Any = pending.asked["state"]
    if pending.answer:
        return construct_redirect_uri(pending.redirect_uri, code=pending.answer, state=state)
    return construct_redirect_uri(pending.redirect_uri, error="access_denied", state=state)
