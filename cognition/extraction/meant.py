"""Say which sentences of a text are its author's own word for something that is so.

Left out are what others said (quoted speech, the lines of a letter that is answered), what is only supposed, joked or
dreamt, and what happens in a story. Each of them reads like a statement, and none of them is one. A title in quotes
("I Am Legend") is told from speech by its capitals.
"""

# ruff: noqa: E501 - lists of words are easier to read in long lines

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cognition.extraction.sentences import SENTENCES_KEPT, sentences

# The lines of the letter that this one answers.
_ANSWERED: Final = re.compile(r"^[ \t]*(?:>|\|[ \t]).*$", re.MULTILINE)
# Longer than this is no quotation: the second mark is missing, or the first one meant inches.
_QUOTED_CHARACTERS_MAX: Final = 600
_QUOTED: Final = re.compile(
    rf"[\"“„«](?P<words>[^\"“”„«»\n]{{6,{_QUOTED_CHARACTERS_MAX}}})[\"”“»]", re.MULTILINE
)
# Somebody speaks: a title has none of these, or it has capitals.
_SPEAKS: Final = re.compile(
    r"\b(?:I|I['’]\w+|i|we|you|my|your|he|she|they|it['’]s|yo|me|mi|tú|nosotros|ich|wir|du|mein\w*|я|мы|ты|ми|ти|мой|моя|мій|моя"
    r"|меня|мене|у нас)\b",
    re.IGNORECASE,
)
_LONG_WORD: Final = re.compile(r"[^\W\d_]{4,}")
# How a sentence begins that only supposes, or tells of a story or a dream.
_SUPPOSED: Final = re.compile(
    r"(?:(?:and|but|so|well|oh|yeah|like|ok|okay|now|then|also|because|cause),? )*(?:(?:even |only |as |what )?if(?! you (?:must|want to|really want to) know\b| you ask me\b)|unless|suppos(?:e|ing)"
    r"|imagine|assum(?:e|ing)|pretend|let['’]?s (?:say|pretend|imagine|assume)|say I|in case|had I|were I|as though|it(?:['’]s| is| was) (?:like|as if|as though)"
    r"|rumou?r has it|legend has it|according to|in (?:the|this|that|a|an|my|our|his|her|their|one|some) (?:\w+ )?(?:movie|film|book|novel|game|story|show|series"
    r"|song|dream|play|episode|campaign|fantasy|nightmare|poem|next life|previous life|past life|other life|scenario|example)(?! (?:clubs?|jobs?|stores?|shops?|group|night)\b)"
    r"|my (?:character|avatar|persona)|last night I dream(?:ed|t)|I dream(?:ed|t)|I had (?:a|this) (?:\w+ )?(?:dream(?! (?:job|house|home|car|wedding|team))|nightmare)"
    r"|si|como si|imagina|supongamos|ojalá|wenn|falls|angenommen|stell dir|als ob|если|если бы|представь|допустим|якщо|якби|уяви|припустимо)\b",
    re.IGNORECASE,
)
# What turns a statement round: ", right.", "not!", "yeah right".
_JOKED: Final = re.compile(
    r"(?:^(?:yeah,? right|oh,? (?:great|joy|brilliant|wonderful|fantastic|perfect|super|lovely)(?=, )|as if\b|just what I (?:need|always wanted))"
    r"|\b(?:just kidding|(?:I['’]m|I am|was|am) (?:only |just )?(?:kidding|joking)|j/k|jk|/s)\b|[,.!] (?:right|as if|said no one ever|not|yeah right)[.!]*$)",
    re.IGNORECASE,
)
# A sentence of its own that takes the one before it back.
_TAKEN_BACK: Final = re.compile(
    r"(?:(?:ha)+,? |lol,? |no,? |nah,? )?(?:just |only |I['’]m (?:just |only )?)?(?:kidding|joking|jk|not|as if|es broma|war nur ein scherz|шучу|жартую)"
    r"[.!]*(?:$| )",
    re.IGNORECASE,
)


def own_words(text: str) -> str:
    """Return a text without what others say in it."""
    if ">" in text or "|" in text:
        text = _ANSWERED.sub("", text)
    return _QUOTED.sub(lambda match: match[0] if _is_title(match["words"]) else '""', text)


@lru_cache(SENTENCES_KEPT)
def meant(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in which its author says that something is so."""
    parts = sentences(own_words(text))
    return tuple(part for part, after in zip(parts, [*parts[1:], ""], strict=False) if _is_meant(part, after))


def _is_meant(sentence: str, after: str) -> bool:
    return not (_SUPPOSED.match(sentence) or _JOKED.search(sentence) or _TAKEN_BACK.fullmatch(after))


def _is_title(words: str) -> bool:
    if not _SPEAKS.search(words):
        return True
    long: Sequence[str] = _LONG_WORD.findall(words)
    return bool(long) and all(word[0].isupper() for word in long)
