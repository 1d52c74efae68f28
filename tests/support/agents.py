"""Agents: the official MCP client, and `samemind mcp` as the process that it starts."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.cli import COMMAND, environment
from tests.support.forking import can_fork, loaded


@asynccontextmanager
async def agent(home: Path, *words: str, mode: str = "auto", **more: Any) -> AsyncIterator[Client]:
    """Connect a client to a server of its own, as an agent's host does; `more` is what the host can do."""
    command = [str(loaded().commands / "samemind")] if can_fork(os.environ) else COMMAND
    server = StdioServerParameters(
        command=command[0],
        args=[*command[1:], "--home", str(home), "mcp", *words],
        # The SDK's own imports warn; whether ours do, other tests see.
        env={**environment(), "PYTHONWARNINGS": "default"},
    )
    async with Client(stdio_client(server), mode=mode, **more) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured result."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content
