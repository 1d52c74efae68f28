"""Part a text into sentences: after `.`, `!`, `?` or `…`, a space, and a capital (or at a line's end).

A full stop behind a title, an initial or a common abbreviation ends nothing.
"""

import re
from typing import Final

from cognition.extraction.names import CAPITAL

_END: Final = re.compile(
    rf"(?<=[.!?…])[\"”’)»]*(?:\s+(?=[\"“‘('«„¿¡]*{CAPITAL})|\s+(?=[\"“(¿¡]*[0-9])|\s*\n+\s*)|\s*\n+\s*"
)
# What an end begins with, where more follows: to look for that takes a tenth of the time.
_MAY_END: Final = re.compile(r"[.!?…\n]")
# A text is read for its facts, and then for what it states: the second reading finds what the first one made of as many
# sentences.
SENTENCES_KEPT: Final = 32
# An end is looked for at each space of a run.
_SPACES: Final = re.compile(r"[^\S\n]{2,}")
# With what stands before it: a longer stretch need not be looked at each time.
_ABBREVIATION_CHARACTERS_MAX: Final = 12
_NO_END: Final = re.compile(
    r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|No|Inc|Ltd|Co|Sra?|Dra|z\.B|bzw|ca|Hr|Fr"
    r"|т\.е|т\.к|г|им|ул|[A-ZА-ЯЁІЇЄҐ])\.$"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the space around them."""
    text = _SPACES.sub(" ", text)
    if _MAY_END.search(text, 0, len(text) - 1) is None:
        return [alone] if (alone := text.strip()) else []
    parts: list[str] = []
    start = 0
    for match in _END.finditer(text):
        before = text[max(start, match.start() - _ABBREVIATION_CHARACTERS_MAX) : match.start()]
        if "\n" not in match[0] and _NO_END.search(before):
            continue
        parts.append(text[start : match.end()].strip())
        start = match.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]
