"""Serve the verbs to agents as an MCP server on standard input and output.

The greeting needs nothing but this process: the memory is found, and its model loaded, in the background once the
client has had its answer. Calls that come before wait for it. The same-named verb does the work, in the program that
holds the store; here it is only described, asked for, and told in the words of the protocol.
"""

import os
import signal
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from importlib.metadata import version
from typing import Any, Final, Protocol, cast

import trio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from samemind.agents.protocol import protocol_text
from samemind.config import Home
from samemind.errors import SamemindError, Usage, explain
from samemind.mcp import compat
from samemind.mcp.resources import CONTRADICTIONS, MIME_TYPE, PROFILE, Page, read_page
from samemind.mcp.schema import input_schema, words_of
from samemind.mcp.scope import Scope, scoped
from samemind.mcp.store import Store
from samemind.mcp.telling import NOTE, brief, tell, within_bounds
from samemind.mcp.tools import Tool, core, full, named
from samemind.mcp.wire import Lines

# What a verb is asked where an agent does not say otherwise: what is settled is not to be asked again.
_UNLESS_TOLD: Final[Mapping[str, Mapping[str, Any]]] = {"contradictions list": {"status": "open"}}


async def serve(home: Home, profile: str, scope: Scope) -> None:
    """Be the server until the client hangs up, or a signal comes."""
    store = Store(home)
    greeted = trio.Event()
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_until_signalled, signals, nursery.cancel_scope)
            nursery.start_soon(store.keep)
            nursery.start_soon(_warm_up, store, greeted)
            with Lines.opened() as lines:
                wire = cast(Any, lines)  # the SDK says which class it wants, and uses two methods of it
                server = server_for(store, profile, scope)
                server.middleware.append(_Greeting(greeted))
                async with stdio_server(wire, wire) as (incoming, outgoing):
                    await server.run(incoming, outgoing, server.create_initialization_options())
            nursery.cancel_scope.cancel()


class Asked(Protocol):
    """Whatever has verbs performed: the store of a home, or the daemon's own device."""

    async def ask(self, verb: str, options: Mapping[str, Any], *, again: bool) -> Mapping[str, Any]:
        """Have a verb performed; `again` says that doing it twice is no different from doing it once."""
        ...


def server_for(store: Asked, profile: str, scope: Scope, *, read_only: bool = False) -> Server[Any]:
    """Return the server of one agent: the tools of its profile, held to its scope."""
    if profile == "compat":
        return _Compat(store, scope, read_only=read_only).server()
    tools = full() if profile == "full" else core()
    return _Verbs(store, scope, tuple(tool for tool in tools if tool.read_only or not read_only)).server()


class _Greeting:
    """Hears the first exchange end: from then on there is time for what is heavy."""

    def __init__(self, greeted: trio.Event) -> None:
        self._greeted = greeted

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next(ctx)
        finally:
            self._greeted.set()


class _Verbs:
    """Tools that are verbs."""

    def __init__(self, store: Asked, scope: Scope, tools: tuple[Tool, ...]) -> None:
        self._store = store
        self._scope = scope
        self._tools = named(tuple(tool for tool in tools if scope.allows(tool)))
        self._pages = (PROFILE, CONTRADICTIONS)

    def server(self) -> Server[Any]:
        return Server(
            "samemind",
            version=version("samemind"),
            title="samemind",
            instructions=protocol_text(),
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_read_resource=self._read,
        )

    async def _list(self, context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool, self._scope) for tool in self._tools.values()])

    async def _call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise _unknown(params.name, self._tools)
        arguments = params.arguments or {}

        async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
            again = tool.read_only or tool.idempotent
            if verb == "remember":
                # Under one id it may be asked for again, where the holder of the store ends.
                options, again = {"rid": _fresh_id(), "nominees": True, **options}, True
            if verb == "settle":
                options = {**options, "by": "agent"}
            return await self._store.ask(verb, options, again=again)

        try:
            _check_names(tool, arguments, self._scope)
            options = {**_UNLESS_TOLD.get(tool.verb, {}), **words_of(arguments)}
            document = await scoped(ask, self._scope)(tool.verb, options)
            document = within_bounds(tool.verb, document)
        except SamemindError as error:
            return refused(error)
        except Exception as error:
            return refused(explain(error))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=tell(tool.verb, document))],
            structured_content={**brief(tool.verb, document), "note": NOTE},
        )

    async def _resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[_page(page) for page in self._pages])

    async def _read(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
            return await self._store.ask(verb, options, again=True)

        uri = str(params.uri)
        try:
            known = any(page.uri == uri for page in self._pages)
            text = (
                await read_page(uri, scoped(ask, self._scope), whole=self._scope.workspace is None)
                if known
                else None
            )
        except SamemindError as error:
            raise MCPError(types.INTERNAL_ERROR, error.message) from error
        if text is None:
            raise MCPError(
                types.INVALID_PARAMS, f"expected one of {', '.join(page.uri for page in self._pages)}"
            )
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text)]
        )


class _Compat:
    """The nine tools of the reference memory server."""

    def __init__(self, store: Asked, scope: Scope, *, read_only: bool) -> None:
        self._store = store
        self._scope = scope
        self._tools = {name: tool for name, tool in compat.TOOLS.items() if tool.read_only or not read_only}

    def server(self) -> Server[Any]:
        return Server(
            "samemind",
            version=version("samemind"),
            title="samemind",
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.takes,
                    output_schema=tool.gives,
                    annotations=types.ToolAnnotations(
                        title=tool.title,
                        read_only_hint=tool.read_only,
                        destructive_hint=tool.destructive,
                        idempotent_hint=True,
                        open_world_hint=False,
                    ),
                )
                for tool in self._tools.values()
            ]
        )

    async def _call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise _unknown(params.name, self._tools)

        async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
            return await self._store.ask(verb, options, again=True)

        try:
            document = await tool.does(scoped(ask, self._scope), params.arguments or {})
        except SamemindError as error:
            return refused(error)
        except Exception as error:
            return refused(explain(error))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=compat.tell(document))], structured_content=document
        )


def refused(error: SamemindError) -> types.CallToolResult:
    """Return an error as something that the model can read and mend."""
    text = f"{error.message}. {error.hint}" if error.hint else error.message
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content={"error": error.document()},
        is_error=True,
    )


def _described(tool: Tool, scope: Scope) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.options(), scope.hides),
        # What is left out is as the protocol has it: a tool writes, may destroy, and is another thing the second time.
        annotations=types.ToolAnnotations(
            read_only_hint=True if tool.read_only else None,
            destructive_hint=None if tool.read_only else tool.destructive,
            idempotent_hint=True if tool.idempotent and not tool.read_only else None,
            open_world_hint=False,
        ),
    )


def _check_names(tool: Tool, arguments: Mapping[str, Any], scope: Scope) -> None:
    """Refuse what the tool was not described with: a model that made it up should hear so."""
    known = input_schema(tool.options(), scope.hides)["properties"]
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        raise Usage(f"{tool.name}: expected only {', '.join(known)}; got {', '.join(unknown)}")


def _page(page: Page) -> types.Resource:
    return types.Resource(
        uri=page.uri, name=page.name, title=page.title, description=page.description, mime_type=MIME_TYPE
    )


def _fresh_id() -> str:
    """Return the id of a memory to be, a UUIDv7, as `replica.ids` makes them; that is too heavy to load here."""
    drawn = int.from_bytes(os.urandom(10)) & ~(0xF << 76) & ~(0b11 << 62)
    return str(uuid.UUID(int=time.time_ns() // 1_000_000 << 80 | 0x7 << 76 | drawn | 0b10 << 62))


def _unknown(name: str, tools: Mapping[str, Any]) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"expected a tool among {', '.join(tools)}; got {name[:60]!r}")


async def _warm_up(store: Store, greeted: trio.Event) -> None:
    await greeted.wait()
    try:
        await store.ask("warmup", {}, again=True)
    except SamemindError:
        pass  # the first call will say what is wrong, to somebody who can hear it


async def _until_signalled(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    await anext(signals)
    scope.cancel()
