"""Start the MCP server, or say what is missing for it."""

from samemind.agents.sdk import sdk_missing
from samemind.config import Home
from samemind.mcp.scope import Scope
from samemind.results.agents import Served
from samemind.surface.agents import ServeMcp


def mcp(home: Home, options: ServeMcp) -> Served:
    """Serve until the agent hangs up."""
    scope = Scope(options.workspace, options.share)
    try:
        import trio

        from samemind.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise sdk_missing() from None
    trio.run(serve, home, options.profile, scope)
    return Served()
