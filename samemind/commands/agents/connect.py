"""Connect a program's agent to this memory: write its settings and instructions; safe to repeat."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import PROFILES, ChangedFile, file_lines
from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.rendering import Document

if TYPE_CHECKING:
    from samemind.agents.programs import Program
    from samemind.config import Home


# As samemind.agents.programs has them; named again since that is read only where it is needed.
PROGRAM_NAMES: Final = (
    "claude",
    "claude-desktop",
    "cursor",
    "codex",
    "gemini",
    "windsurf",
    "vscode",
    "opencode",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connect:
    """Connect a program's agent to this memory: write its settings and instructions; safe to repeat."""

    program: str = argument("the program", metavar="PROGRAM", choices=PROGRAM_NAMES)
    profile: str = option("--profile", "which tools it is given", default="core", choices=PROFILES)
    workspace: str | None = option("--workspace", "the space its agent is limited to")
    share: tuple[str, ...] = option("--share", "another space that it may read", default=(), metavar="W")
    remove: bool = option("--remove", "remove what was written", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A program's settings: their path, and whether anything had to be changed. `hint` says what to do next."""

    program: str
    path: str
    changed: bool
    files: list[ChangedFile]
    hint: str


def run(home: "Home", options: Connect) -> Connected:
    """Write a program's settings and its standing instructions, or take both out again."""
    from importlib.util import find_spec

    from samemind.agents.programs import PROGRAMS
    from samemind.agents.sdk import sdk_missing
    from samemind.arguments import check_share
    from samemind.commands.agents._files import removed

    program = PROGRAMS[options.program]
    check_share(options.workspace, options.share)
    if not options.remove and find_spec("mcp") is None:
        raise sdk_missing()  # its agent would start a server that cannot serve, and show nobody why
    files = removed(program) if options.remove else _written(program, home, options)
    changed = any(file.changed for file in files)
    return Connected(
        program=program.name,
        path=files[0].path,
        changed=changed,
        files=files,
        hint=f"{program.title}: {program.restart}" if changed else "",
    )


def _written(program: "Program", home: "Home", options: Connect) -> list[ChangedFile]:
    from samemind.agents import editing
    from samemind.agents.protocol import VERSION, protocol_text
    from samemind.commands.agents._files import change_file
    from samemind.starting import own_command

    command, *args = [*own_command(home), "mcp"]
    if options.profile != "core":
        args += ["--profile", options.profile]
    if options.workspace is not None:
        args += ["--workspace", options.workspace]
    for space in options.share:
        args += ["--share", space]
    entry = program.server(command, args)
    put = editing.with_toml if program.toml else editing.with_json
    files = [change_file(program.settings_path(), lambda text: put(text, program.keys, entry))]
    rules = program.rules_path()
    if rules is not None and options.profile != "compat":
        files.append(change_file(rules, lambda text: editing.with_block(text, protocol_text(), VERSION)))
    return files


def render(document: Document) -> list[str]:
    return [*file_lines(document), *filter(None, [document["hint"]])]


COMMAND: Final = Command(
    "connect",
    Connect,
    Connected,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="writes the settings of other programs",
    library=None,
    alone=True,
    place=2,
    daily=True,
)
