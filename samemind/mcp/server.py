"""Serve the verbs to agents as an MCP server on standard input and output.

The greeting needs nothing but this process: the memory is found, and its model loaded, in the background once the
client has had its answer. Calls that come before wait for it. The same-named verb does the work, in the program that
holds the store; here it is only described, asked for, and told in the words of the protocol.
"""

import base64
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache, partial
from importlib import resources
from importlib.metadata import version
from typing import Any, Final, cast

import trio
from mcp import types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from samemind.agents.calls import CallLog
from samemind.agents.protocol import protocol_text
from samemind.config import Home
from samemind.errors import Ambiguous, NotFound, SamemindError, Usage, explain
from samemind.library.home_store import HomeStore, VerbPerformer
from samemind.mcp import compat
from samemind.mcp.asking import DECIDES, FORM, decision, form, question
from samemind.mcp.calling import MAY_ONLY_READ, as_agent, options_of, told_to
from samemind.mcp.completing import COMPLETIONS_MAX, completions
from samemind.mcp.noting import HERE, NotedStore, client_of
from samemind.mcp.prompts import PROMPTS, prompt_text
from samemind.mcp.resources import (
    MIME_TYPE,
    PAGES,
    TEMPLATES,
    ResourcePage,
    listed_memories,
    memory_uri,
    page_of,
    read_page,
    title_of,
)
from samemind.mcp.schema import input_schema
from samemind.mcp.scope import Ask, Scope, scoped
from samemind.mcp.structured import structured
from samemind.mcp.telling import tell
from samemind.mcp.tools import Tool, core, full, named
from samemind.mcp.watching import Context, Subscriptions
from samemind.mcp.wire import Lines
from samemind.platform import system

# Links cost an agent's window what their memories cost in the text beside them.
LINKS_MAX: Final = 3


async def serve(home: Home, profile: str, scope: Scope) -> None:
    """Be the server until the client hangs up, or a signal comes."""
    store = HomeStore(home)
    greeted = trio.Event()
    with trio.open_signal_receiver(*system.ending_signals()) as signals:
        async with trio.open_nursery() as keeping:
            keeping.start_soon(store.keep)
            # What asks the store ends before it is closed.
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_until_signalled, signals, nursery.cancel_scope)
                nursery.start_soon(_warm_up, store, greeted)
                with Lines.opened() as lines:
                    wire = cast(Any, lines)  # the SDK says which class it wants, and uses two methods of it
                    noted = NotedStore(store, CallLog(home.local_agents_log), HERE.get, _now_ms)
                    async with open_server(noted, profile, scope, watched=store) as server:
                        server.middleware += [_Greeting(greeted), _naming]
                        async with stdio_server(wire, wire) as (incoming, outgoing):
                            await server.run(incoming, outgoing, server.create_initialization_options())
                nursery.cancel_scope.cancel()
            keeping.cancel_scope.cancel()


@asynccontextmanager
async def open_server(
    store: VerbPerformer,
    profile: str,
    scope: Scope,
    *,
    watched: VerbPerformer,
    read_only: bool = False,
    ending: trio.Event | None = None,
) -> AsyncIterator[Server[Any]]:
    """Make the server of one agent for the block: the tools of its profile, held to its scope.

    `watched` is the store where nobody writes down what is read of it, to see whether what an agent subscribed to has
    changed. `ending` is set a moment before the server ends, where agents cannot see that for themselves.
    """
    if profile == "compat":
        yield _Compat(store, scope, read_only=read_only).server()
        return
    tools = full() if profile == "full" else core()
    verbs = _Verbs(store, watched, scope, tools, read_only=read_only)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(verbs.changes.run)
        if ending is not None:
            nursery.start_soon(verbs.changes.end_with, ending)
        yield verbs.server()
        nursery.cancel_scope.cancel()


class _Greeting:
    """Hears the first exchange end: from then on there is time for what is heavy."""

    def __init__(self, greeted: trio.Event) -> None:
        self._greeted = greeted

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        try:
            return await call_next(ctx)
        finally:
            self._greeted.set()


def _now_ms() -> int:
    return (
        time.time_ns() // 1_000_000
    )  # as `replica.wall_clock_ms`, which loads what the greeting does without


async def _naming(ctx: Any, call_next: Any) -> Any:
    """Have what answers a request know which program asks. Each says who it is in every request, or in its first."""
    client = ctx.session.client_params
    HERE.set(client_of(None if client is None else client.client_info))
    return await call_next(ctx)


class _McpServer(Server[Any]):
    """A server that says in each way of the protocol that its list of resources changes."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *arguments: Any, **options: Any
    ) -> InitializationOptions:
        """Return what the server says of itself to clients of before 2026-07-28."""
        told = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(told, *arguments, **options)


class _Verbs:
    """Tools that are verbs; and resources, prompts, completions and questions about the same memory."""

    def __init__(
        self,
        store: VerbPerformer,
        watched: VerbPerformer,
        scope: Scope,
        tools: tuple[Tool, ...],
        *,
        read_only: bool,
    ) -> None:
        self._store = store
        self._scope = scope
        allowed = named(tuple(tool for tool in tools if scope.allows(tool.verb)))
        self._tools = {name: tool for name, tool in allowed.items() if tool.read_only or not read_only}
        self._withheld = allowed.keys() - self._tools.keys()
        self._pages = tuple(page for page in PAGES if scope.allows(page.verb))
        self._templates = tuple(page for page in TEMPLATES if scope.allows(page.verb))
        self._prompts = {prompt.name: prompt for prompt in PROMPTS if scope.allows(prompt.verb)}
        quiet = scoped(_asking(watched), scope)
        self.changes = Subscriptions(
            watched, partial(self._text_of, ask=quiet), partial(_state_of_list, quiet)
        )

    def server(self) -> Server[Any]:
        return _McpServer(
            "samemind",
            version=version("samemind"),
            title="samemind",
            instructions=protocol_text(),
            icons=[icon()],
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_list_resource_templates=self._resource_templates,
            on_read_resource=self._read,
            on_subscribe_resource=self.changes.subscribe,
            on_unsubscribe_resource=self.changes.unsubscribe,
            on_subscriptions_listen=self.changes.listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._prompt,
            on_completion=self._complete,
        )

    async def _list(self, context: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool, self._scope) for tool in self._tools.values()])

    async def _call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise _unknown("tool", params.name, self._tools, is_withheld=params.name in self._withheld)
        arguments = params.arguments or {}
        ask = scoped(self._asking_for(tool, context), self._scope)
        try:
            options = options_of(tool, arguments, self._scope)
            if tool.verb == "contradictions resolve" and not DECIDES & options.keys():
                decided = await _ask_person(context, params, options, ask)
                if not isinstance(decided, dict):
                    return decided
                options |= decided
            document = await ask(tool.verb, options)
        except SamemindError as error:
            return refused(error, tool, self._tools.values())
        except MCPError:
            raise
        except Exception as error:
            return refused(explain(error), tool, self._tools.values())
        return types.CallToolResult(
            content=[
                types.TextContent(type="text", text=tell(tool.verb, document, options)),
                *_links(tool.verb, document),
            ],
            structured_content=structured(tool.verb, document, options),
        )

    def _asking_for(self, tool: Tool, context: Context) -> Ask:
        """Return how the tool's verb is asked for: what it says meanwhile goes to whoever wants to hear of progress."""

        done = -1

        async def hear(said: Mapping[str, Any]) -> None:
            nonlocal done
            progress = said.get("progress")
            # The protocol has progress rise; what begins anew, as with another model, is told once it is ahead.
            if isinstance(progress, Mapping) and progress["done"] > done:
                done = progress["done"]
                await context.session.report_progress(done, progress["total"])

        async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
            given, again = as_agent(tool, verb, options)
            return await self._store.ask(verb, given, again=again, hear=hear)

        return ask

    async def _resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        try:
            memories, following = await listed_memories(scoped(_asking(self._store), self._scope), cursor)
        except SamemindError as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from error
        await self.changes.watch_list(context)
        pages = [_page(page) for page in self._pages] if cursor is None else []
        return types.ListResourcesResult(resources=[*pages, *map(_resource, memories)], next_cursor=following)

    async def _resource_templates(self, context: Context, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=page.uri,
                    name=page.name,
                    title=page.title,
                    description=page.description,
                    mime_type=MIME_TYPE,
                )
                for page in self._templates
            ]
        )

    async def _read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        text = await self._text_of(uri, ask=scoped(_asking(self._store), self._scope))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text)]
        )

    async def _text_of(self, uri: str, *, ask: Ask) -> str:
        found = page_of(uri)
        if found is None or found[0] not in (*self._pages, *self._templates):
            known = ", ".join(page.uri for page in (*self._pages, *self._templates))
            raise MCPError(types.INVALID_PARAMS, f"expected one of {known}; got {uri[:120]!r}")
        try:
            return await read_page(*found, ask, whole=self._scope.workspace is None)
        except (NotFound, Ambiguous, Usage) as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from error
        except SamemindError as error:
            raise MCPError(types.INTERNAL_ERROR, error.message) from error

    async def _list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    title=prompt.title,
                    description=prompt.description,
                    arguments=[
                        types.PromptArgument(name=name, description=means, required=False)
                        for name, means in prompt.arguments.items()
                    ],
                )
                for prompt in self._prompts.values()
            ]
        )

    async def _prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise _unknown("prompt", params.name, self._prompts)
        arguments = params.arguments or {}
        unknown = sorted(arguments.keys() - prompt.arguments.keys())
        if unknown:
            known = ", ".join(prompt.arguments) or "no arguments"
            raise MCPError(types.INVALID_PARAMS, f"{prompt.name}: expected {known}; got {', '.join(unknown)}")
        try:
            text = await prompt_text(
                prompt, arguments, scoped(_asking(self._store), self._scope), datetime.now(tz=UTC)
            )
        except SamemindError as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from error
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.description, messages=[said])

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        of = params.ref.name if isinstance(params.ref, types.PromptReference) else str(params.ref.uri)
        try:
            # What a workspace holds is not told apart by names and ids, so there is nothing to complete from in one.
            found = (
                await completions(of, params.argument.name, params.argument.value, _asking(self._store))
                if self._scope.workspace is None
                else []
            )
        except SamemindError as error:
            raise MCPError(types.INTERNAL_ERROR, error.message) from error
        return types.CompleteResult(
            completion=types.Completion(
                values=found[:COMPLETIONS_MAX], total=len(found), has_more=len(found) > COMPLETIONS_MAX
            )
        )


class _Compat:
    """The nine tools of the reference memory server."""

    def __init__(self, store: VerbPerformer, scope: Scope, *, read_only: bool) -> None:
        self._store = store
        self._scope = scope
        self._tools = {name: tool for name, tool in compat.TOOLS.items() if tool.read_only or not read_only}
        self._withheld = compat.TOOLS.keys() - self._tools.keys()

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
            raise _unknown("tool", params.name, self._tools, is_withheld=params.name in self._withheld)

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


async def _ask_person(
    context: Context, params: types.CallToolRequestParams, options: Mapping[str, Any], ask: Ask
) -> dict[str, Any] | types.CallToolResult | types.InputRequiredResult:
    """Have the host ask its user what is true, and return what was decided; an empty decision where it cannot ask."""
    wanted = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    if "id" not in options or not context.session.check_client_capability(wanted):
        return {}
    contradiction = await ask("contradictions show", {"id": options["id"]})
    asked = types.ElicitRequestFormParams(
        message=question(contradiction), requested_schema=form(contradiction)
    )
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        answer: Any = await context.session.elicit_form(
            asked.message, asked.requested_schema, related_request_id=context.request_id
        )
    elif FORM in (params.input_responses or {}):
        answer = (params.input_responses or {})[FORM]
    else:
        return types.InputRequiredResult(input_requests={FORM: types.ElicitRequest(params=asked)})
    content = answer.content if isinstance(answer, types.ElicitResult) and answer.action == "accept" else None
    decided = None if content is None else decision(contradiction, content)
    if decided is None:
        text = "The user did not decide: it stays open. Do not ask again now."
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content={"id": contradiction["id"], "status": contradiction["status"]},
        )
    return decided


async def _state_of_list(ask: Ask) -> tuple[int, tuple[str, ...]]:
    """Return what differs when other memories are listed than before."""
    found = await ask("list", {"limit": 1})
    return found["total"], tuple(memory["rid"] for memory in found["memories"])


def _asking(store: VerbPerformer) -> Ask:
    """Return how a store is asked for what only reads."""

    async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
        return await store.ask(verb, options, again=True)

    return ask


@cache
def icon() -> types.Icon:
    """Return the picture that hosts show beside this server's name."""
    picture = resources.files("samemind.panel").joinpath("static", "icon.svg").read_bytes()
    source = f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"
    return types.Icon(src=source, mime_type="image/svg+xml", sizes=["any"])


def _links(verb: str, document: Mapping[str, Any]) -> list[types.ResourceLink]:
    """Return where a host can read the first memories that a result names."""
    memories = (
        [document]
        if verb in ("get", "remember") and not document.get("held")
        else document.get("results", [])
    )
    return [
        types.ResourceLink(
            uri=memory_uri(memory["rid"]),
            name=memory["rid"],
            title=title_of(memory) or None,
            mime_type=MIME_TYPE,
        )
        for memory in memories[:LINKS_MAX]
    ]


def _resource(memory: Mapping[str, Any]) -> types.Resource:
    return types.Resource(
        uri=memory_uri(memory["rid"]), name=memory["rid"], title=title_of(memory), mime_type=MIME_TYPE
    )


def refused(
    error: SamemindError, tool: Tool | None = None, shown: Iterable[Tool] = ()
) -> types.CallToolResult:
    """Return an error as something that the model can read and mend: in the names of the tools it was `shown`."""
    told = error if tool is None else told_to(tool, error, shown)
    ends = "" if told.message.endswith("?") else "."
    text = f"{told.message}{ends} {told.hint}" if told.hint else told.message
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content={"error": told.document()},
        is_error=True,
    )


def _described(tool: Tool, scope: Scope) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.options(), scope.hides, tool.unless_told()),
        # What is left out is as the protocol has it: a tool writes, may destroy, and is another thing the second time.
        annotations=types.ToolAnnotations(
            read_only_hint=True if tool.read_only else None,
            destructive_hint=None if tool.read_only else tool.destructive,
            idempotent_hint=True if tool.idempotent and not tool.read_only else None,
            open_world_hint=False,
        ),
    )


def _page(page: ResourcePage) -> types.Resource:
    return types.Resource(
        uri=page.uri, name=page.name, title=page.title, description=page.description, mime_type=MIME_TYPE
    )


def _unknown(what: str, name: str, known: Mapping[str, Any], *, is_withheld: bool = False) -> MCPError:
    may = f"{MAY_ONLY_READ}: " if is_withheld else ""
    return MCPError(
        types.INVALID_PARAMS, f"{may}expected a {what} among {', '.join(known)}; got {name[:60]!r}"
    )


async def _warm_up(store: HomeStore, greeted: trio.Event) -> None:
    await greeted.wait()
    try:
        await store.ask("warmup", {}, again=True)
    except SamemindError:
        pass  # the first call will say what is wrong, to somebody who can hear it


async def _until_signalled(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    await anext(signals)
    scope.cancel()
