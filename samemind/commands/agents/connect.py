"""Connect a program's agent to this memory; without a program, update the instructions of all connected ones."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import PROFILES, ChangedFile, file_lines
from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.errors import Usage
from samemind.formats.rendering import Document

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
    """Connect a program's agent to this memory; without a program, update the instructions of all connected ones."""

    program: str | None = argument(
        "the program; without it, every connected one",
        metavar="PROGRAM",
        optional=True,
        choices=PROGRAM_NAMES,
    )
    profile: str = option("--profile", "which tools it is given", default="core", choices=PROFILES)
    workspace: str | None = option("--workspace", "the space its agent is limited to")
    share: tuple[str, ...] = option("--share", "another space that it may read", default=(), metavar="W")
    show: bool = option("--show", "change nothing; print the instructions", default=False)
    remove: bool = option(
        "--remove", "disconnect it: remove settings and instructions", default=False, formerly="--undo"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """The files of a program, or of every connected one, and whether anything in them had to be changed.

    `hint` says what to do next, and `text` is what agents are told, where no program was named.
    """

    program: str | None
    path: str | None
    changed: bool
    files: list[ChangedFile]
    hint: str
    text: str
    version: int


def run(home: "Home", options: Connect) -> Connected:
    """Write a program's settings and its standing instructions, take both out again, or update what is connected."""
    from importlib.util import find_spec

    from samemind.agents.programs import PROGRAMS
    from samemind.agents.sdk import sdk_missing
    from samemind.commands.agents._files import removed
    from samemind.formats.arguments import check_share

    check_share(options.workspace, options.share)
    if options.show and options.remove:
        raise Usage("expected --show or --remove, got both", code="invalid")
    if options.show or options.program is None:
        if options.workspace is not None or options.profile != "core":
            raise Usage("expected a program to connect beside --profile or --workspace", code="invalid")
        if options.show:
            return _connected(None, [])
        files = _of_every(remove=options.remove)
        return _connected(
            None, files, hint="" if files else "no program is connected: samemind connect PROGRAM"
        )
    if not options.remove and find_spec("mcp") is None:
        raise sdk_missing()  # its agent would start a server that cannot serve, and show nobody why
    program = PROGRAMS[options.program]
    return _connected(program, removed(program) if options.remove else _written(program, home, options))


def _connected(program: "Program | None", files: list[ChangedFile], *, hint: str = "") -> Connected:
    from samemind.agents import editing
    from samemind.agents.protocol import VERSION, protocol_text

    changed = any(file.changed for file in files)
    return Connected(
        program=None if program is None else program.name,
        path=files[0].path if files else None,
        changed=changed,
        files=files,
        hint=f"{program.title}: {program.restart}" if changed and program is not None else hint,
        text=f"{editing.BLOCK_BEGINS.format(VERSION)}\n{protocol_text()}\n{editing.BLOCK_ENDS}"
        if program is None
        else "",
        version=VERSION,
    )


def _of_every(*, remove: bool) -> list[ChangedFile]:
    """Update the instructions of every connected program, or take settings and instructions out of all."""
    from samemind.agents import editing
    from samemind.agents.programs import PROGRAMS
    from samemind.agents.protocol import VERSION, protocol_text
    from samemind.commands.agents._files import change_file, is_connected, removed

    if remove:
        return [file for program in PROGRAMS.values() for file in removed(program) if file.changed]
    return [
        change_file(path, lambda text: editing.with_block(text, protocol_text(), VERSION))
        for program in PROGRAMS.values()
        if (path := program.rules_path()) is not None and is_connected(program)
    ]


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
    lines = [*file_lines(document), *filter(None, [document["hint"]])]
    return lines or [document["text"]]


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
    formerly=("setup",),
    daily=True,
)
