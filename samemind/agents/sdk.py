"""What is said where the SDK that serves agents is not installed: by the server, and before one is named."""

from samemind.errors import Failed


def sdk_missing() -> Failed:
    """Return the error, with what to install: as in pyproject.toml, by a name that any index has."""
    return Failed(
        "expected the MCP SDK, which is not installed",
        code="extra_missing",
        hint="pip install 'mcp>=2.3,<3'",
    )
