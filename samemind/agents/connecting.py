"""Read which programs are connected to this memory, from their settings."""

from pathlib import Path

from samemind.agents import editing
from samemind.agents.programs import PROGRAMS
from samemind.errors import Failed, SamemindError


def read_settings(path: Path) -> str:
    """Return the text of a program's settings; empty where there are none."""
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
            text = read_settings(program.settings_path())
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
