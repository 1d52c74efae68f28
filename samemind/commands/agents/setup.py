"""Update the instructions of connected agents; or show them, or disconnect every program."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.agents._parts import ChangedFile, file_lines
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Usage
from samemind.rendering import Document

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Update the instructions of connected agents; or show them, or disconnect every program."""

    show: bool = option("--show", "only show it", default=False)
    undo: bool = option("--undo", "take it out of every program, and the servers too", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What agents are told, and the files where that was written or taken out."""

    text: str
    version: int
    path: str | None
    changed: bool
    files: list[ChangedFile]


def run(home: "Home", options: Setup) -> SetUp:
    """Show what agents are told; bring it up to date where it is installed; or take everything out again."""
    from samemind.agents import editing
    from samemind.agents.programs import PROGRAMS
    from samemind.agents.protocol import VERSION, protocol_text
    from samemind.commands.agents._files import change_file, is_connected, removed

    if options.show and options.undo:
        raise Usage("expected --show or --undo, got both", code="invalid")
    files: list[ChangedFile] = []
    if options.undo:
        for program in PROGRAMS.values():
            files += removed(program)
    elif not options.show:
        for program in PROGRAMS.values():
            if (path := program.rules_path()) is not None and is_connected(program):
                files.append(
                    change_file(path, lambda text: editing.with_block(text, protocol_text(), VERSION))
                )
    return SetUp(
        text=f"{editing.BLOCK_BEGINS.format(VERSION)}\n{protocol_text()}\n{editing.BLOCK_ENDS}",
        version=VERSION,
        path=files[0].path if files else None,
        changed=any(file.changed for file in files),
        files=[file for file in files if file.changed or not options.undo],
    )


def render(document: Document) -> list[str]:
    return file_lines(document) if document["files"] else [document["text"]]


COMMAND: Final = Command(
    "setup",
    Setup,
    SetUp,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="writes the settings of other programs",
    library=None,
    alone=True,
    place=3,
)
