"""The verbs that bring memories in and take them out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from samemind.declaring import Agents, ByHand, Command, Effects, Takes, argument, option
from samemind.results.portable import Exported, Imported

# What samemind.portable.files can read.
FORMATS: Final = ("auto", "jsonl", "markdown", "locomo", "chatgpt", "claude", "mem0", "mcp-memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """Bring memories in; what came in before is passed over."""

    files: tuple[str, ...] = argument(
        "files to read; a folder stands for the notes in it, or the export unpacked there, - for standard input",
        takes=Takes.PATH,
        many=True,
    )
    format: str = option("--format", "how they are written", default="auto", choices=FORMATS)
    workspace: str | None = option("--workspace", "the space they go to")
    facts: bool = option("--facts", "store the facts in them beside them too", default=False)
    dry_run: bool = option("--dry-run", "only say what would come in", default=False)
    yes: bool = option(
        "--yes", "at a terminal, do not ask before many notes come in", default=False, short="-y"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Take every memory out, with everything that belongs to it."""

    format: str = option("--format", "how to write them", default="jsonl", choices=("jsonl", "markdown"))
    output: str | None = option(
        "--output",
        "the file to write, for markdown a new folder; without it, standard output",
        takes=Takes.NEW_PATH,
        short="-o",
    )


def _came_to_something(result: Mapping[str, Any]) -> bool:
    """Of a file some lines may be bad, and not all of them."""
    return bool(result["imported"] or result["skipped"] or result["held"] or not result["failed"])


IMPORT: Final = Command(
    "import",
    Import,
    Imported,
    "samemind.verbs.portable",
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=ByHand("import_"),
    went_well=_came_to_something,
    kept="what came in so far is kept; import the same files again to go on",
    streams=True,
    place=1,
    daily=True,
)
EXPORT: Final = Command(
    "export",
    Export,
    Exported,
    "samemind.verbs.portable",
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=ByHand("export"),
    streams=True,
    place=2,
)
