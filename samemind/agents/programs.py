"""Know the programs that run agents: where each keeps its servers, and where it reads standing instructions."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from samemind.platform import system


@dataclass(frozen=True, slots=True)
class Program:
    """One program. Paths are from the home folder; `rules` is None where only the server itself can tell its agent."""

    name: str
    title: str
    settings: str
    keys: tuple[str, ...]
    rules: str | None = None
    restart: str = "restart it, and the tools are there"
    toml: bool = False
    entry: str = "command"
    """How it spells a server: `command` and `args` apart, `typed` with its type, or `list` for all in one."""

    def settings_path(self) -> Path:
        """Return the file that lists its servers."""
        return _place(self.settings)

    def rules_path(self) -> Path | None:
        """Return the file that holds what its agent is always told."""
        return None if self.rules is None else _place(self.rules)

    def server(self, command: str, args: list[str]) -> Mapping[str, object]:
        """Return the entry for a server, as this program spells it."""
        match self.entry:
            case "typed":
                return {"type": "stdio", "command": command, "args": args}
            case "list":
                return {"type": "local", "command": [command, *args], "enabled": True}
            case _:
                return {"command": command, "args": args}


_NAME: Final = "samemind"
_SERVERS: Final = ("mcpServers", _NAME)
# The folder in which programs keep settings per user.
_CONFIG: Final = "{config}"

PROGRAMS: Final[Mapping[str, Program]] = {
    program.name: program
    for program in (
        Program(
            "claude", "Claude Code", ".claude.json", _SERVERS, ".claude/CLAUDE.md",
            "start a new session, or type /mcp in this one", entry="typed",
        ),
        Program("claude-desktop", "Claude Desktop", f"{_CONFIG}/Claude/claude_desktop_config.json", _SERVERS),
        Program("cursor", "Cursor", ".cursor/mcp.json", _SERVERS),
        Program(
            "codex", "Codex", ".codex/config.toml", ("mcp_servers", _NAME), ".codex/AGENTS.md",
            "start a new session", toml=True,
        ),
        Program("gemini", "Gemini CLI", ".gemini/settings.json", _SERVERS, ".gemini/GEMINI.md"),
        Program(
            "windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", _SERVERS,
            ".codeium/windsurf/memories/global_rules.md",
        ),
        Program("vscode", "Visual Studio Code", f"{_CONFIG}/Code/User/mcp.json", ("servers", _NAME), entry="typed"),
        Program(
            "opencode", "opencode", ".config/opencode/opencode.json", ("mcp", _NAME), ".config/opencode/AGENTS.md",
            entry="list",
        ),
    )
}  # fmt: skip


def _place(path: str) -> Path:
    home = Path.home()
    if not path.startswith(_CONFIG):
        return home / path
    if system.KIND == "windows":
        config = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        config = home / "Library" / "Application Support"
    else:
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return config / path.removeprefix(f"{_CONFIG}/")
