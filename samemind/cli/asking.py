"""Ask before many notes come in: a folder that was named by mistake may hold thousands, and others hear of each.

Asked is who sits at a terminal. A program that calls, `--json` and `--raw` mean what they say.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from samemind.control.pouring import STANDARD_INPUT_PATH
from samemind.errors import NeedsDecision

# So many can be looked through, and forgotten one by one.
NOTES_UNASKED_MAX: Final = 100


def agree_to_import(files: Iterable[str]) -> None:
    """Return where nobody has to be asked, or somebody agreed; `NeedsDecision` where they did not."""
    files = list(files)
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or STANDARD_INPUT_PATH in files:
        return
    from samemind.portable.files import notes_in  # where somebody waits, and has time

    for folder in filter(Path.is_dir, map(Path, files)):
        if (count := len(notes_in(folder))) > NOTES_UNASKED_MAX:
            print(
                f"{folder} holds {count:,} Markdown notes, and each section of them becomes a memory, on every "
                "device of yours. Bring them in? [y/N] ",
                end="",
                file=sys.stderr,
                flush=True,
            )
            if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                raise NeedsDecision(
                    f"nothing was imported: {folder} holds {count:,} notes",
                    code="not_agreed",
                    hint="name the part of it that is meant, or say --yes",
                )
