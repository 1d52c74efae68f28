"""Connect agents to this memory: an entry in their settings, and what they are told about using it.

Every file is written whole or not at all, and the one that was there is kept beside it. A second run finds everything
in its place and changes nothing.
"""

import os
import shutil
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from samemind.agents import editing
from samemind.agents.programs import PROGRAMS, Program
from samemind.agents.protocol import VERSION, protocol_text
from samemind.agents.sdk import sdk_missing
from samemind.arguments import check_share
from samemind.config import Home
from samemind.durable import whole_file
from samemind.errors import Failed, SamemindError, Usage
from samemind.results.agents import ChangedFile, Connected, SetUp
from samemind.starting import own_command
from samemind.surface.agents import Connect, Setup


def connect(home: Home, options: Connect) -> Connected:
    """Write a program's settings and its standing instructions, or take both out again."""
    program = PROGRAMS[options.program]
    check_share(options.workspace, options.share)
    if not options.remove and find_spec("mcp") is None:
        raise sdk_missing()  # its agent would start a server that cannot serve, and show nobody why
    files = _removed(program) if options.remove else _written(program, home, options)
    changed = any(file.changed for file in files)
    return Connected(
        program=program.name,
        path=files[0].path,
        changed=changed,
        files=files,
        hint=f"{program.title}: {program.restart}" if changed else "",
    )


def setup(home: Home, options: Setup) -> SetUp:
    """Show what agents are told; bring it up to date where it is installed; or take everything out again."""
    if options.show and options.undo:
        raise Usage("expected --show or --undo, got both", code="invalid")
    files: list[ChangedFile] = []
    if options.undo:
        for program in PROGRAMS.values():
            files += _removed(program)
    elif not options.show:
        for program in PROGRAMS.values():
            if (path := program.rules_path()) is not None and _is_connected(program):
                files.append(_change(path, lambda text: editing.with_block(text, protocol_text(), VERSION)))
    return SetUp(
        text=f"{editing.BLOCK_BEGINS.format(VERSION)}\n{protocol_text()}\n{editing.BLOCK_ENDS}",
        version=VERSION,
        path=files[0].path if files else None,
        changed=any(file.changed for file in files),
        files=[file for file in files if file.changed or not options.undo],
    )


def _written(program: Program, home: Home, options: Connect) -> list[ChangedFile]:
    command, *args = [*own_command(home), "mcp"]
    if options.profile != "core":
        args += ["--profile", options.profile]
    if options.workspace is not None:
        args += ["--workspace", options.workspace]
    for space in options.share:
        args += ["--share", space]
    entry = program.server(command, args)
    put = editing.with_toml if program.toml else editing.with_json
    files = [_change(program.settings_path(), lambda text: put(text, program.keys, entry))]
    rules = program.rules_path()
    if rules is not None and options.profile != "compat":
        files.append(_change(rules, lambda text: editing.with_block(text, protocol_text(), VERSION)))
    return files


def _removed(program: Program) -> list[ChangedFile]:
    take = editing.without_toml if program.toml else editing.without_json
    files = [_change(program.settings_path(), lambda text: take(text, program.keys), create=False)]
    rules = program.rules_path()
    if rules is not None:
        files.append(_change(rules, editing.without_block, create=False))
    return files


def _is_connected(program: Program) -> bool:
    take = editing.without_toml if program.toml else editing.without_json
    text = _read(program.settings_path())
    return take(text, program.keys) != text


def _change(path: Path, edit: Callable[[str], str], *, create: bool = True) -> ChangedFile:
    """Edit a file; the one that was there is kept beside it under the time of the change."""
    path = Path(os.path.realpath(path))  # a link that somebody made stays one
    if not create and not path.exists():
        return ChangedFile(path=str(path), changed=False)
    before = _read(path)
    try:
        after = edit(before)
    except SamemindError as error:
        raise Failed(f"{path}: {error.message}", code=error.code, hint=error.hint) from None
    if after == before and path.exists():
        return ChangedFile(path=str(path), changed=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    backup = None
    mode = 0o600
    if path.exists():
        backup = path.with_name(f"{path.name}.before-samemind-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
        shutil.copy2(path, backup)
        mode = stat.S_IMODE(path.stat().st_mode)
    with whole_file(path, mode=mode) as scratch:
        scratch.write_text(after, encoding="utf-8", newline="")
    return ChangedFile(path=str(path), changed=True, backup=None if backup is None else str(backup))


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise Failed(f"{path}: expected text in UTF-8", code="settings_unreadable") from None


def connected_commands() -> list[tuple[str, str]]:
    """Return the programs whose agents start a server of ours, and the command that each starts."""
    found = []
    for program in PROGRAMS.values():
        try:
            text = _read(program.settings_path())
            place: object = editing.read_toml(text) if program.toml else editing.read_json(text)
        except SamemindError:
            continue  # not ours to judge; connecting says what is wrong with it
        for key in program.keys:
            place = place.get(key) if isinstance(place, dict) else None
        command = place.get("command") if isinstance(place, dict) else None
        if isinstance(command, list):
            command = command[0] if command else None
        if isinstance(command, str):
            found.append((program.name, command))
    return found
