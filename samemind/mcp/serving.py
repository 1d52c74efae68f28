"""Start the MCP server, or say what is missing for it."""

from samemind.agents.sdk import sdk_missing
from samemind.config import Home
from samemind.formats.arguments import read_place
from samemind.mcp.scope import Scope

# What the extra brings, by the names that are imported.
_OF_THE_EXTRA = ("mcp", "mcp_types", "hypercorn", "starlette")


def serve(
    home: Home,
    profile: str,
    workspace: str | None,
    share: tuple[str, ...],
    *,
    http: str | None = None,
    url: str | None = None,
) -> None:
    """Serve until the agent hangs up: over HTTP at `http`, or on standard input and output where that is None."""
    scope = Scope(workspace, share)
    try:
        import trio

        if http is not None:
            from samemind.mcp.http import serve_alone

            trio.run(serve_alone, home, read_place(http, "--http"), url)
            return
        from samemind.mcp.server import serve as serve_here
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise sdk_missing() from None
    trio.run(serve_here, home, profile, scope)
