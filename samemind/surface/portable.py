"""The verbs that bring memories in and take them out."""

from dataclasses import dataclass
from typing import Final

from samemind.results.portable import Exported, Imported
from samemind.surface.declare import Verb, argument, option

# What samemind.portable.files can read.
FORMATS: Final = ("auto", "jsonl", "markdown", "locomo", "chatgpt", "claude", "mem0", "mcp-memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """Bring memories in; what came in before is passed over."""

    files: tuple[str, ...] = argument(
        "files to read; a folder stands for the Markdown notes in it, - for standard input",
        metavar="FILE",
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
        metavar="FILE",
        short="-o",
    )


IMPORT: Final = Verb("import", Import, Imported, "samemind.verbs.portable", streams=True)
EXPORT: Final = Verb("export", Export, Exported, "samemind.verbs.portable", streams=True)
