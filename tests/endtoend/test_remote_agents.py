"""Agents from elsewhere: the official client over HTTP, with a plain token and by OAuth, against a real daemon."""

import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import trio
from mcp.client.auth.oauth2 import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged
from mcp.types import ResourceTemplateReference

from samemind.agents.calls import CallLog
from samemind.agents.ledger import Ledger
from samemind.config import Home
from samemind.library.home_store import HomeStore
from samemind.mcp.http import RemoteAgents
from tests.support.agents import call
from tests.support.cli import daemon, run

# No connection is used twice: what a client is about to say, while the owner decides, may meet the end of an idle one.
ONCE = httpx2.Limits(max_keepalive_connections=0)
# The SDK's own imports do; whether ours do, other tests see.
SDK_WARNS = "default"
CALLBACK = "http://127.0.0.1:9/callback"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A home, and where its daemon serves agents."""
    home = tmp_path / "home"
    with daemon(home, "--mcp-http", "127.0.0.1:0", PYTHONWARNINGS=SDK_WARNS) as running:
        yield home, running.said["mcp_url"]


def let_in(home: Path, name: str, *words: str) -> str:
    """Make a token."""
    token: str = run(home, "--json", "agents", "add", name, *words).json["token"]
    return token


@asynccontextmanager
async def connected(url: str, token: str, **options: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60, **options) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            yield client


class Storage:
    """Where a program keeps what it got."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Browser:
    """The user's browser: follows to the page that waits, shows its code to the owner, and comes back."""

    def __init__(
        self, home: Path, answer: str, *words: str, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self.home, self.answer, self.words = home, answer, words
        self.transport = transport
        self.came: dict[str, list[str]] = {}

    async def go(self, url: str) -> None:
        async with httpx2.AsyncClient(timeout=60, limits=ONCE, transport=self.transport) as http:
            page = await http.get(url, follow_redirects=True)
            assert page.status_code == 200, page.text
            assert "a &lt;b&gt;program&lt;/b&gt; asks for your memory" in page.text
            assert "default-src 'none'" in page.headers["content-security-policy"]
            found = re.search(r"samemind agents approve ([A-Z]{3}-[A-Z]{3})", page.text)
            assert found is not None
            listed = await trio.to_thread.run_sync(run, self.home, "agents", "list")
            assert found[1] in listed.out
            ran = await trio.to_thread.run_sync(run, self.home, "agents", self.answer, found[1], *self.words)
            assert ran.code == 0, ran.err
            back = await http.get(page.url)
            assert back.status_code == 302
            assert back.headers["location"].startswith(CALLBACK)
            self.came = parse_qs(urlsplit(back.headers["location"]).query)
            again = await http.get(page.url)
            assert again.status_code == 410

    async def back(self) -> AuthorizationCodeResult:
        if "error" in self.came:
            raise PermissionError(self.came["error"][0])
        return AuthorizationCodeResult(code=self.came["code"][0], state=self.came["state"][0])


def oauth(url: str, storage: Storage, browser: Browser) -> OAuthClientProvider:
    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [CALLBACK], "client_name": "a <b>program</b>"}
    )
    return OAuthClientProvider(url, metadata, storage, browser.go, browser.back)


def test_an_agent_with_a_token_uses_the_memory_until_it_is_revoked(served: tuple[Path, str]) -> None:
    home, url = served
    token = let_in(home, "Claude on the web")

    async def main() -> None:
        async with connected(url, token) as client:
            told = await call(client, "remember", text="Ann moved to Lisbon")
            (hit,) = (await call(client, "recall", query="where does Ann live?"))["results"]
            assert hit["rid"] == told["rid"]
            assert run(home, "agents", "revoke", "claude").out.splitlines() == [
                "Claude on the web is cut off",
                "what it told stays; to take that back: samemind retract --source 'agent Claude on the web'",
            ]
            with pytest.raises(Exception):  # noqa: B017 - the SDK has several ways to say that it was refused
                with trio.fail_after(30):
                    await client.call_tool("recall", {"query": "Ann"})

    trio.run(main)
    calls = run(home, "--json", "agents", "log", "Claude on the web").json["calls"]
    assert [(each["tool"], each["wrote"]) for each in calls] == [("remember", True), ("recall", False)]
    assert calls[0]["rids"] == calls[1]["rids"]
    assert run(home, "--json", "agents").json["agents"] == []
    rid = calls[0]["rids"][0]
    assert "from agent Claude on the web" in run(home, "why", rid).out
    assert run(home, "retract", "--source", "agent Claude on the web").code == 0
    assert "was forgotten" in run(home, "get", rid).err


def test_each_agent_has_its_own_space_and_one_that_only_reads_has_no_tool_to_write(
    served: tuple[Path, str],
) -> None:
    home, url = served
    assert run(home, "remember", "the code is 4711", "--workspace", "red").code == 0
    blue = let_in(home, "blue", "--workspace", "blue", "--profile", "full")
    reader = let_in(home, "reader", "--read-only")

    async def main() -> None:
        async with connected(url, blue) as client, connected(url, reader) as other:
            await call(client, "remember", text="the sky is blue")
            assert "4711" not in str(await call(client, "recall", query="what is the code?"))
            tools = {tool.name: tool for tool in (await other.list_tools()).tools}
            assert "recall" in tools
            assert "remember" not in tools
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
            assert "4711" in str(await call(other, "recall", query="what is the code?"))
            with pytest.raises(Exception, match="this agent may only read: expected a tool among"):
                await other.call_tool("remember", {"text": "x"})

    trio.run(main)


def test_a_program_comes_in_by_oauth_when_its_owner_approves_and_not_when_refused(
    served: tuple[Path, str],
) -> None:
    home, url = served
    storage = Storage()

    async def main() -> None:
        auth = oauth(url, storage, Browser(home, "approve", "--workspace", "w"))
        async with httpx2.AsyncClient(auth=auth, timeout=60, limits=ONCE) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                await call(client, "remember", text="Ann moved to Lisbon")
        assert storage.tokens is not None
        assert storage.tokens.refresh_token
        (agent,) = run(home, "--json", "agents").json["agents"]
        assert (agent["by"], agent["workspace"], agent["calls"]) == ("oauth", "w", 1)
        base = url.removesuffix("/mcp")
        assert storage.client is not None
        given = {
            "client_id": storage.client.client_id or "",
            "client_secret": storage.client.client_secret or "",
        }
        refreshing = {
            "grant_type": "refresh_token", "refresh_token": storage.tokens.refresh_token, **given,
        }  # fmt: skip
        async with httpx2.AsyncClient(timeout=60) as http:
            refreshed = await http.post(f"{base}/token", data=refreshing)
            assert refreshed.status_code == 200, refreshed.text
            assert refreshed.json()["access_token"] != storage.tokens.access_token
            stale = await http.post(f"{base}/token", data=refreshing)
            assert stale.json()["error"] == "invalid_grant", "a refresh token is good once"
        with pytest.raises(Exception):  # noqa: B017 - and the access token before it is worth nothing
            async with connected(url, storage.tokens.access_token) as client:
                await client.list_tools()
        async with connected(url, refreshed.json()["access_token"]) as client:
            assert (await client.list_tools()).tools
        refused = oauth(url, Storage(), Browser(home, "refuse"))
        with pytest.raises(Exception) as caught:  # noqa: PT012 - wrapped in groups by the SDK
            async with httpx2.AsyncClient(auth=refused, timeout=60, limits=ONCE) as http:
                async with Client(streamable_http_client(url, http_client=http)) as client:
                    await client.list_tools()
        error: BaseException = caught.value
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        assert "access_denied" in str(error)

    trio.run(main)


class BelowAPath(httpx2.AsyncBaseTransport):
    """A reverse proxy that hands on what is below a path, and knows nothing else."""

    def __init__(self, app: RemoteAgents, path: str, *, takes_off: bool) -> None:
        self.server = httpx2.ASGITransport(app=app)
        self.path, self.takes_off = path, takes_off

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if not request.url.path.startswith(f"{self.path}/"):
            return httpx2.Response(404)
        url = request.url
        if self.takes_off:
            url = url.copy_with(raw_path=url.raw_path.removeprefix(self.path.encode()))
        handed_on = httpx2.Request(request.method, url, headers=request.headers, stream=request.stream)
        return await self.server.handle_async_request(handed_on)


@pytest.mark.parametrize("takes_off", [True, False])
def test_a_program_comes_in_by_oauth_through_a_proxy_that_serves_it_below_a_path(
    tmp_path: Path, takes_off: bool
) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    public = "https://box.example/samemind"

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            store = HomeStore(home)
            app = RemoteAgents(
                store,
                Ledger(home),
                CallLog(home.agents_log),
                nursery,
                host="127.0.0.1",
                port=1,
                public_url=public,
                stop=trio.Event(),
            )
            proxy = BelowAPath(app, "/samemind", takes_off=takes_off)
            auth = oauth(app.url, Storage(), Browser(home.folder, "approve", transport=proxy))
            async with httpx2.AsyncClient(auth=auth, timeout=60, transport=proxy) as http:
                async with Client(streamable_http_client(app.url, http_client=http)) as client:
                    assert "recall" in {tool.name for tool in (await client.list_tools()).tools}
                hello = await http.post(app.url, json={}, headers={"origin": "https://box.example"})
                assert hello.json().get("error") != "foreign_origin"
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_to_other_machines_it_is_https_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with daemon(home, "--mcp-http", "0.0.0.0:0", PYTHONWARNINGS=SDK_WARNS) as running:
        url = running.said["mcp_url"]
        assert url.startswith("https://")
        port = urlsplit(url).port
        token = let_in(home, "phone")
        context = ssl.create_default_context(cafile=str(home / "panel.pem"))

        async def main() -> None:
            async with connected(url, token, verify=context) as client:
                await call(client, "remember", text="Ann moved to Lisbon")
            async with httpx2.AsyncClient(timeout=60) as http:
                with pytest.raises(httpx2.TransportError):
                    await http.post(f"http://127.0.0.1:{port}/mcp", json={})

        trio.run(main)


def test_a_remote_agent_hears_of_changes_of_its_own_space_alone(served: tuple[Path, str]) -> None:
    """Over HTTP and held to a workspace: what it subscribed to, no prompt that needs all of memory, and no names."""
    home, url = served

    async def main() -> None:
        mine, other = let_in(home, "Mine", "--workspace", "work"), let_in(home, "Other")
        async with connected(url, mine) as client, connected(url, other) as writer:
            assert [each.name for each in (await client.list_prompts()).prompts] == [
                "recap",
                "review_questions",
            ]
            listed = [each.uri for each in (await client.list_resources()).resources]
            assert listed == ["samemind://profile", "samemind://contradictions"]
            person = ResourceTemplateReference(uri="samemind://people/{name}")
            assert (await client.complete(person, {"name": "name", "value": ""})).completion.values == []
            told = await call(writer, "remember", text="Ann lives in Lisbon")
            with pytest.raises(MCPError, match="no memory has the id"):
                await client.read_resource(f"samemind://memory/{told['rid']}")
            async with client.listen(resources_list_changed=True) as stream:
                await call(writer, "remember", text="Tom lives in Turin")
                with trio.move_on_after(2):
                    pytest.fail(f"heard {await anext(stream)} of another space")
                await call(writer, "remember", text="The staging server is called heron", workspace="work")
                with trio.fail_after(60):
                    assert await anext(stream) == ResourcesListChanged()

    trio.run(main)


# The SDK's client leaves what it read the stream by.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_daemon_that_is_told_to_end_tells_subscriptions_so(tmp_path: Path) -> None:
    """Who subscribed is not left to think that the link broke."""
    with daemon(tmp_path, "--mcp-http", "127.0.0.1:0", PYTHONWARNINGS=SDK_WARNS) as up:
        token = let_in(tmp_path, "Mine")

        async def main() -> None:
            async with connected(up.said["mcp_url"], token) as client:
                async with client.listen(resources_list_changed=True) as stream:
                    up.process.terminate()
                    with trio.fail_after(60), pytest.raises(StopAsyncIteration):
                        await anext(stream)

        trio.run(main)
        assert up.process.wait(60) == 0
