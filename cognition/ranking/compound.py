"""Split a question that is two questions, so that each is searched for what it asks.

"When did I join the gym and why did I stop" has one answer in January and another in June: searched as one, the words
of each drown the other. Six rules, the most specific first; the first that matches is the one that splits. A question
is left whole if it is short, if a part would hold next to nothing, or if there are so many that it is a pasted page.
"""

import re
from typing import Final, NamedTuple

from cognition.words import STOP_WORDS, words

# Shorter questions are one question, whatever they hold.
TOKENS_MIN: Final = 8
# What a part must hold beside common words.
CONTENT_MIN: Final = 2
# Each part is a search of its own, and nobody asks more at once; a page of a thousand sentences would be a thousand.
PARTS_MAX: Final = 8
# Nothing longer stands before a sentence's end as one word.
_WORD_CHARACTERS_MAX: Final = 64

_ABBREVIATIONS: Final = ("e.g", "i.e", "dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "no", "approx")


class Split(NamedTuple):
    """The parts of a question, and the rule that made them; one part and no rule where it is left whole."""

    parts: tuple[str, ...]
    rule: str | None


# What begins with a run of spaces is looked for at each of them: one look behind is enough, since parts are stripped.
RULES: Final = (
    ("and-wh", re.compile(r"(?<=\s)and\s+(?=(?:why|how|when|where|who|what|which)\b)", re.IGNORECASE)),
    ("because", re.compile(r"(?<=\s)because\s+", re.IGNORECASE)),
    ("comma-also", re.compile(r",\s+also\s+", re.IGNORECASE)),
    ("and-also", re.compile(r"(?<=\s)and\s+also\s+", re.IGNORECASE)),
    ("sentence-q", re.compile(r"(?<=\?)\s+(?=[^\W\d_])")),
    ("sentence-period", re.compile(r"(?<=\.)\s+(?=[^\W\d_][^\W\d_])")),
)


def split(text: str) -> Split:
    """Return the questions that a question holds."""
    whole = Split((text,), None)
    if len(words(text)) < TOKENS_MIN:
        return whole
    for name, pattern in RULES:
        parts = _cut(text, name, pattern)
        if len(parts) > 1:
            if len(parts) <= PARTS_MAX and all(len(_content(part)) >= CONTENT_MIN for part in parts):
                return Split(parts, name)
            return whole
    return whole


def _cut(text: str, name: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    parts, start = [], 0
    for match in pattern.finditer(text):
        if name.startswith("sentence") and not _begins(text, match):
            continue
        parts.append(text[start : match.start()].strip())
        start = match.end()
    return tuple(part for part in (*parts, text[start:].strip()) if part)


def _begins(text: str, gap: re.Match[str]) -> bool:
    """Say whether a sentence begins after this gap: a capital, a small letter after a full stop, no abbreviation."""
    before = text[max(0, gap.start() - _WORD_CHARACTERS_MAX) : gap.start()].casefold()
    after = text[gap.end() : gap.end() + 2]
    if not after[0].isupper():
        return False
    if before.endswith("?"):
        return True
    last = before[:-1].split()[-1] if before[:-1].split() else ""
    return after[1].islower() and "." not in last and last not in _ABBREVIATIONS and len(last) > 1


def _content(text: str) -> set[str]:
    return {word for word in words(text) if word not in STOP_WORDS}
