"""Write an entry into the settings of other programs, and what their agents are told, or take both out again.

Every file is written whole or not at all, and the one that was there is kept beside it. A second run finds everything
in its place and changes nothing.
"""

import os
import shutil
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from samemind.agents import editing
from samemind.agents.connecting import read_settings
from samemind.agents.programs import Program
from samemind.commands.agents._parts import ChangedFile
from samemind.durable import whole_file
from samemind.errors import Failed, SamemindError


def removed(program: Program) -> list[ChangedFile]:
    take = editing.without_toml if program.toml else editing.without_json
    files = [change_file(program.settings_path(), lambda text: take(text, program.keys), create=False)]
    rules = program.rules_path()
    if rules is not None:
        files.append(change_file(rules, editing.without_block, create=False))
    return files


def is_connected(program: Program) -> bool:
    take = editing.without_toml if program.toml else editing.without_json
    text = read_settings(program.settings_path())
    return take(text, program.keys) != text


def change_file(path: Path, edit: Callable[[str], str], *, create: bool = True) -> ChangedFile:
    """Edit a file; the one that was there is kept beside it under the time of the change."""
    path = Path(os.path.realpath(path))  # a link that somebody made stays one
    if not create and not path.exists():
        return ChangedFile(path=str(path), changed=False)
    before = read_settings(path)
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
