"""Turn text into the words that full text search is asked for.

Whatever people type becomes a query that SQLite accepts: only runs of letters and digits survive, each in
quotes, so operators, quotes, hyphens and brackets in a text never mean anything. The runs are those that
the index itself makes (`unicode61`), so `O'Brien` asks for the two words under which it was filed.

Common words are left out, because in a question they match everything and say nothing; but a query that
holds nothing else keeps them, since "who are you" may be a song.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

# Whoever owns the devices: the subject of "I" where nobody is named as speaker.
OWNER: Final = "owner"
# Enough for any question that a person types; more terms make the query slower and hardly change its order.
TERMS_MAX: Final = 64
# Longer runs are not words: nobody searches for the middle of a base64 blob.
TERM_CHARACTERS_MAX: Final = 64
# Words of a name or a quotation that have to stand side by side: more tell it from others no better, and a text is gone
# through for each. A member may write a name of thousands, and texts of a megabyte of the same words.
PHRASE_WORDS_MAX: Final = 8
# Characters of a query that are looked at: a pasted page is searched by its beginning.
QUERY_CHARACTERS_MAX: Final = 20_000
# What a candidate is put in order by: the rest of a longer text would not be looked at either, and a member may write
# any number of a megabyte each, of which some hundred are candidates at once. It is found by all of its words.
RANKED_CHARACTERS_MAX: Final = QUERY_CHARACTERS_MAX
# So many words without a small one among them are keywords of any language; more are a question, and in English
# questions have small words: all 1,020 of LoCoMo's development part do.
KEYWORDS_MAX: Final = 2
# Pictures without a word among them: each is looked for in every text.
SYMBOLS_MAX: Final = 8
_SIGNS: Final = frozenset({"So", "Sm", "Sc"})

_RUN: Final = re.compile(r"[^\W_]+")
# The same runs where all letters are ASCII, as most texts are: whatever is none of them becomes a space. It takes a
# third of the time, and every candidate of every recall is cut.
_APART: Final = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)) + bytes(128)

# What no text holds that anybody typed: it stands between texts that are cut together.
_END: Final = "\0"
_APART_EACH: Final = bytes(1) + _APART[1:]

_ENGLISH: Final = """
    a about above after again against all am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each few
    for from further had hadn has hasn have haven having he her here hers herself him himself his how i if
    in into is isn it its itself just ll m me might mightn more most must mustn my myself no nor not now o
    of off on once only or other our ours ourselves out over own re s same shan she should shouldn so some
    such t than that the their theirs them themselves then there these they this those through to too
    under until up us ve very was wasn we were weren what when where which while who whom whose why will
    with won would wouldn you your yours yourself yourselves
"""
_SPANISH: Final = """
    al como con cual cuál cuando cuándo de del donde dónde el ella ellas ellos en era eres es esa ese eso
    esta este esto fue ha han hay he la las le les lo los me mi mis más muy nos o para pero por porque qué
    que quien quién se ser si sin sobre son soy su sus también te tiene tu tus un una unas unos y ya yo
"""
_GERMAN: Final = """
    aber als am an auch auf aus bei bin bis bist da das dass dein dem den der des die dies diese dir du
    ein eine einem einen einer es für hat habe haben ich ihm ihn ihr im in ist ja kann man mein mich mir
    mit nach nicht noch nun nur ob oder sein seine sich sie sind so um und uns vom von vor wann war waren
    warum was wenn wer wie wir wird wo zu zum zur über
"""
_RUSSIAN: Final = """
    а без бы был была были было быть в вам вас во вот все вы где да для до его ее ей если есть ещё еще же
    за и из или им их к как какая какие какой ко когда кто ли меня мне мой моя мы на над не него нет ни но
    о об он она они оно от по под при с со так также там то того той только ты у уже чего чем что чтобы
    эта эти это этот я
"""
_UKRAINIAN: Final = """
    але без би був була були було бути в вам вас від він вона вони воно все ви де для до є же з за і із й
    його її їх та так також там те ти то той тільки у хто це цей ця ці чи що щоб я як яка який які коли
    мене мені мій моя ми на над не ні по про при
"""
STOP_WORDS: Final = frozenset(" ".join((_ENGLISH, _SPANISH, _GERMAN, _RUSSIAN, _UKRAINIAN)).split())
ENGLISH_WORDS: Final = frozenset(_ENGLISH.split())
_OTHER_WORDS: Final = frozenset(" ".join((_SPANISH, _GERMAN, _RUSSIAN, _UKRAINIAN)).split())


# Small words elsewhere that say something in English: "bin" is German for "am", "son" Spanish for "are".
_TELLING_IN_ENGLISH: Final = frozenset(
    ["bin", "con", "den", "die", "era", "hat", "hay", "man", "sin", "son", "war"]
)
# What says nothing in a text of whatever language.
SILENT_WORDS: Final = STOP_WORDS - _TELLING_IN_ENGLISH
_FOREIGN_WORDS: Final = SILENT_WORDS - ENGLISH_WORDS


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded to lower case."""
    folded = text[:QUERY_CHARACTERS_MAX].casefold()
    return folded.encode().translate(_APART).decode().split() if folded.isascii() else _RUN.findall(folded)


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Return the same of each of some texts: those of ASCII letters are cut together, which takes half the time."""
    cut = [text[:QUERY_CHARACTERS_MAX] for text in texts]
    whole = _END.join([text if text.isascii() else "" for text in cut])
    if whole.count(_END) != len(cut) - 1:  # there are none, or one holds what stands between them
        return [*map(words, cut)]
    apart = whole.lower().encode().translate(_APART_EACH).decode().split(_END)
    return [some.split() if text.isascii() else words(text) for text, some in zip(cut, apart, strict=True)]


def terms(text: str) -> list[str]:
    """Return the words worth asking for.

    Each once, in order, without common ones unless there are no others. An English question has the small words of
    English alone, or "When is bin day?" would not ask for the bin.
    """
    found = dict.fromkeys(words(text))
    all_terms = [word[:TERM_CHARACTERS_MAX] for word in found]
    common = ENGLISH_WORDS if _are_english(set(found)) else STOP_WORDS
    telling = [word for word in all_terms if word not in common]
    return (telling or all_terms)[:TERMS_MAX]


def phrase(text: str) -> str:
    """Return the words that a name or a quotation begins with, as they are looked for side by side."""
    return " ".join(words(text)[:PHRASE_WORDS_MAX])


def symbols(text: str) -> list[str]:
    """Return the pictures and signs of a text that holds no word, each once: "🍕", "€", "∞".

    Full text files none of them, so a question of nothing else is answered by reading. Marks that stand between words
    are no signs, nor is what only colours a picture.
    """
    if words(text):
        return []
    found = dict.fromkeys(text[:QUERY_CHARACTERS_MAX])
    return [sign for sign in found if unicodedata.category(sign) in _SIGNS][:SYMBOLS_MAX]


def silent_in(text: str, found: Iterable[str]) -> frozenset[str]:
    """Return which words say nothing in a text that these are the words of.

    In an English one those of English alone, as in a question: "Los Angeles" and "MIT" name something there.
    """
    return SILENT_WORDS if _FOREIGN_WORDS.isdisjoint(found) or not is_english(text) else ENGLISH_WORDS


def is_english(text: str) -> bool:
    """Guess whether a question is English, by its small words and letters.

    A question without any is of a language that is in no table here, unless it is so short that it may be keywords.
    What has one small word in common with English, as "Waar is Alice", passes: this is a guess and no detector.
    """
    return _are_english(set(words(text)))


def _are_english(found: set[str]) -> bool:
    small = found & STOP_WORDS
    english, other = small - _OTHER_WORDS, small - ENGLISH_WORDS
    strange = [word for word in found - small if not word.isascii()]
    if english or other or strange:
        return len(english) >= len(other) + len(strange)
    return not small and len(found) <= KEYWORDS_MAX  # "was" and "in" alone may be German


def any_of(wanted: Iterable[str]) -> str:
    """Return the full text query that asks for any of these words; they must come from `terms` or `words`."""
    return " OR ".join(quoted(wanted))


def quoted(wanted: Iterable[str]) -> list[str]:
    """Return words, or runs of words, as full text expressions; they must come from `terms` or `words`."""
    return [f'"{word}"' for word in wanted]
