"""Ask before many notes come in: what was named by mistake may hold thousands, and others hear of each.

Counted is all that was named together, folders and single notes: a shell makes many files of one `*.md`.

Asked is who sits at a terminal. A program that calls, `--json` and `--raw` mean what they say.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from samemind.control.pouring import STANDARD_INPUT_PATH
from samemind.errors import NeedsDecision, Usage

# So many can be looked through, and forgotten one by one.
NOTES_UNASKED_MAX: Final = 100
# Seventeen words and what stands between them; nothing else that is piped in by mistake is read to its end.
_CODE_CHARACTERS_MAX: Final = 1_000


def recovery_code(words: Sequence[str]) -> list[str]:
    """Return the words of a recovery code that somebody types where they are not shown, or that a program pipes in.

    On the line itself they would stay in the history of the shell, and be seen by whoever lists processes.
    """
    if words:
        raise Usage(
            "expected the recovery code on standard input, not on the line, where the shell keeps it",
            code="code_on_the_line",
            hint="leave the words out and type them when asked, and remove this line from the shell's history",
        )
    if sys.stdin.isatty() and sys.stderr.isatty():
        from getpass import getpass

        return getpass("the words of the recovery code: ", stream=sys.stderr).split()
    return sys.stdin.readline(_CODE_CHARACTERS_MAX).split()


def agree_to_import(files: Iterable[str], format: str = "auto") -> None:
    """Return where nobody has to be asked, or somebody agreed; `NeedsDecision` where they did not."""
    paths = [Path(each) for each in files]
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or Path(STANDARD_INPUT_PATH) in paths:
        return
    from samemind.portable.files import is_note, notes_in  # where somebody waits, and has time

    count = sum(len(notes_in(path)) if path.is_dir() else is_note(path.name, format) for path in paths)
    if count <= NOTES_UNASKED_MAX:
        return
    holds = f"{paths[0]} holds" if len(paths) == 1 else f"what was named, {paths[0]} and so on, holds"
    print(
        f"{holds} {count:,} Markdown notes, and each section of them becomes a memory, on every "
        "device of yours. Bring them in? [y/N] ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise NeedsDecision(
            f"nothing was imported: {holds} {count:,} notes",
            code="not_agreed",
            hint="name the part of it that is meant, or say --yes",
        )
