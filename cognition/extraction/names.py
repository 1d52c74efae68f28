"""Find proper nouns by their capitals, in any script that has them.

Capitals say little at the beginning of a sentence, where every word has one: a single word there counts as a
name only if the text names it again elsewhere, or uses it as one ("Alice is", "Alice's"), and before a name it is a
part of it only if it is often written with a capital ("New York", but "Met Tom").
"""

import re
from collections.abc import Iterable, Iterator, Set
from functools import cache
from itertools import dropwhile
from pathlib import Path
from typing import Final

from cognition.words import ENGLISH_WORDS, STOP_WORDS, is_english

# Latin, Greek, Cyrillic, Armenian and Georgian: the alphabets that have capitals, all below this.
_ALPHABETS_END: Final = 0x2000


def _ranges(letters: Iterable[int]) -> str:
    """Return a character class of these letters, as ranges: a class of a thousand letters is slow to compile."""
    spans: list[list[int]] = []
    for letter in letters:
        if spans and letter == spans[-1][1] + 1:
            spans[-1][1] = letter
        else:
            spans.append([letter, letter])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)


CAPITAL: Final = f"[{_ranges(code for code in range(0x41, _ALPHABETS_END) if chr(code).isupper())}]"
# A capital and at least two letters or apostrophes.
_PROPER: Final = re.compile(rf"(?<![\w'’]){CAPITAL}(?:['’]?[^\W\d_]){{2,}}")
# A word of a name: also short ones and ones with digits or hyphens ("Wi-Fi", "K2", "Al").
WORD: Final = rf"{CAPITAL}[\w'’&]*(?:-[\w'’]+)*"
_JOINED: Final = r"(?:of the|of|the|de la|de|del|di|da|van|von|der|und|y|&)"
NAME: Final = rf"{WORD}(?: (?:{_JOINED} )?{WORD})*"
_NAMES: Final = re.compile(rf"(?<![\w'’]){NAME}")
_AND: Final = re.compile(r" (?:y|und) ")
# The number of a bank account (ISO 13616): a country, two digits, and groups of four.
_ACCOUNT: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,}")
# What stands before a capital that only begins a sentence.
_STARTS: Final = re.compile(r"(?:^|[.!?…:;\n]['\"”’)]*\s+|[\"“(«„*•]\s*|(?:^|\n)\s*[-–—]+\s*)$")
_USED_AS_NAME: Final = re.compile(
    r"['’]s\b|\s+(?:is|was|has|had|lives|works|likes|loves|moved|said|told|(?:and|y|und) (?=[A-Z])|asked|went|got)\b"
)

_TIME_WORDS: Final = """
    today yesterday tomorrow now tonight monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december mon tue wed thu fri sat sun
"""
_SAID_WORDS: Final = """
    wow yeah yes yep yup nope nah thanks thank hey hello hi bye cheers congrats congratulations sorry please
    sure okay great good nice cool awesome amazing absolutely definitely exactly totally really maybe perhaps
    well also just still even ever never always often sometimes usually recently lately finally actually
    honestly hopefully sounds looks seems glad happy love gonna gotta wanna got let lets let's don't can't
    i'm i've i'll i'd it's that's there's here's what's we're we've they're you're he's she's didn't doesn't
    isn't haven't hasn't hadn't wasn't weren't aren't won't couldn't wouldn't shouldn't
    one two three first last next another every many much more most some any nothing something
    everything anything someone anyone everyone somebody everybody nobody oh ah ooh haha hmm huh aww omg lol
    yay whoa gosh god damn dear since like been being seeing doing having getting making going thinking
    looking keep take check see guess speaking talk agreed right true wait welcome good-bye ms mr mrs dr
    ive im id youre dont cant isnt
    plus instead anyway anyways btw besides however therefore meanwhile otherwise though although unless while
"""
_COMMON: Final = frozenset(f"{_TIME_WORDS} {_SAID_WORDS}".split())
# Frequent words of many languages that are written small at least twelve times as often as with a capital: verbs and
# small words, and no "Mark", "Will" or "New". `samemind._tools.common_words` writes them.
COMMON_WORDS: Final = Path(__file__).with_name("common_words.txt")
# What a note bids, which titles hold as well, so that it is often written with a capital.
_BIDDEN: Final = """
    ask bring call congratulate contact download drop follow join lend meet message pay phone pick remember send
    show take tell text thank visit wish write
"""
NOT_NAMES: Final = STOP_WORDS | _COMMON
# Beside another name, small words of other languages belong to it in an English text: "Los Angeles", "Die Hard".
_NOT_IN_ENGLISH: Final = ENGLISH_WORDS | _COMMON


def proper_nouns(text: str) -> frozenset[str]:
    """Return the proper nouns of a text word by word, in lower case."""
    found = (match[0].casefold().removesuffix("'s").removesuffix("’s") for match in _PROPER.finditer(text))
    return frozenset(word for word in found if len(word) > 2 and word not in NOT_NAMES)


def names(text: str, *, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names in a text, each once, in order; `known` are names that count wherever they stand."""
    certain: dict[str, None] = {}
    doubtful: list[str] = []
    order: list[str] = []
    known = {name.casefold() for name in known}
    common = _NOT_IN_ENGLISH if is_english(text) else NOT_NAMES
    for start, said in _runs(text):
        name = _trimmed(said, common)
        if not name:
            continue
        at = start + said.index(name)
        if at == start and " " in name and begins(text, at):
            name = _without_beginning(name)
            at = start + said.rindex(name)
        order.append(name)
        if (
            " " in name
            or at > start
            or name.casefold() in known
            or not begins(text, at)
            or (_USED_AS_NAME.match(text, at + len(name)) and not name.endswith("ing"))
        ):
            certain[name] = None
        else:
            doubtful.append(name)
    singles = {word for name in certain for word in name.split()}
    certain |= dict.fromkeys(name for name in doubtful if name in singles)
    return tuple(dict.fromkeys(name for name in order if name in certain))


def _runs(text: str) -> Iterator[tuple[int, str]]:
    """Return the runs of capitalised words in a text, and where each begins: "Julia y Marcos" are two."""
    text = _ACCOUNT.sub(lambda account: "." * len(account[0]), text)
    for match in _NAMES.finditer(text):
        start = match.start()
        for part in _AND.split(match[0]):
            yield text.index(part, start), part
            start += len(part)


def is_name(word: str, common: Set[str] = NOT_NAMES) -> bool:
    """Say whether a capitalised word may be a name rather than a `common` one, as at the start of a sentence."""
    return word.casefold().replace("’", "'") not in common


def begins(text: str, at: int) -> bool:
    """Say whether a sentence begins here."""
    return _STARTS.search(text[max(0, at - 12) : at]) is not None


def _without_beginning(name: str) -> str:
    """Return what begins a sentence without its first word, if that has its capital from there ("Told the Altea")."""
    first, *others = name.split(" ")
    return " ".join(dropwhile(_joins, others)) if first.lower() in _beginnings() else name


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(f"{COMMON_WORDS.read_text(encoding='utf-8')} {_BIDDEN}".split())


def _joins(word: str) -> bool:
    return not word[0].isupper()  # "of", "&"


def _trimmed(name: str, common: Set[str]) -> str:
    """Return a run of capitalised words without the common ones around it ("Thanks Mel" is Mel)."""
    words = name.replace("’s", "'s").removesuffix("'s").removesuffix("'").split(" ")
    while words and (not is_name(words[0], common) or words[0].islower()):
        words.pop(0)
    while words and (not is_name(words[-1], common) or words[-1].islower()):
        words.pop()
    if len(words) == 1 and (len(words[0]) < 2 or "'" in words[0][-3:] or not is_name(words[0])):
        return ""
    joined = " ".join(words)
    return joined if joined in name else ""
