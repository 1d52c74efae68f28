"""What an agent is told about using memory: when to search, store, clean up and distrust.

The text is a file of this package, so that it can be read, quoted and translated without reading code. `VERSION` goes
up with every change of it, and is written beside it wherever it is installed.
"""

from importlib.resources import files
from typing import Final

VERSION: Final = 1


def protocol_text() -> str:
    """Return the text, in Markdown."""
    return files("samemind.agents").joinpath("protocol.md").read_text(encoding="utf-8").strip()
