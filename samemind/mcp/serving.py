"""Start the MCP server, or say what is missing for it."""

from samemind.agents.sdk import sdk_missing
from samemind.arguments import read_place
from samemind.config import Home
from samemind.errors import Usage
from samemind.mcp.scope import Scope
from samemind.results.agents import Served
from samemind.surface.agents import ServeMcp

# What the extra brings, by the names that are imported.
_OF_THE_EXTRA = ("mcp", "mcp_types", "hypercorn", "starlette")


def mcp(home: Home, options: ServeMcp) -> Served:
    """Serve until the agent hangs up."""
    if options.http is not None and (options.workspace or options.share or options.profile != "core"):
        raise Usage(
            "expected no --profile, --workspace or --share beside --http: each remote agent has its own",
            hint="samemind agents add NAME --workspace W",
        )
    if options.http is None and options.url is not None:
        raise Usage("expected --http beside --url")
    scope = Scope(options.workspace, options.share)
    try:
        import trio

        if options.http is not None:
            from samemind.mcp.http import serve_alone

            place = read_place(options.http, "--http")
            trio.run(serve_alone, home, place, options.url)
            return Served()
        from samemind.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise sdk_missing() from None
    trio.run(serve, home, options.profile, scope)
    return Served()
