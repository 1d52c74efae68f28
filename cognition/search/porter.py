"""Stem English words as SQLite's full text search does (Porter, 1980), letter by letter the same.

To have SQLite stem the words of a question, they are filed in a table and read from it: that takes three times as long.
What SQLite does otherwise than the paper: words of one or two letters, and those beyond 64, stay as they are; and a
suffix is only one where something stands before it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

# SQLite leaves longer words as they are.
LETTERS_MAX: Final = 64
_LETTERS_MIN: Final = 3

# By the last letter but one: suffixes, and what stands in their place.
_Endings = Mapping[str, Sequence[tuple[str, str]]]
_SECOND: Final[_Endings] = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "g": (("logi", "log"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
}
_THIRD: Final[_Endings] = {
    "a": (("ical", "ic"),),
    "s": (("ness", ""),),
    "t": (("icate", "ic"), ("iciti", "ic")),
    "u": (("ful", ""),),
    "v": (("ative", ""),),
    "z": (("alize", "al"),),
}
_FOURTH: Final[_Endings] = {
    "a": (("al", ""),),
    "c": (("ance", ""), ("ence", "")),
    "e": (("er", ""),),
    "i": (("ic", ""),),
    "l": (("able", ""), ("ible", "")),
    "n": (("ant", ""), ("ement", ""), ("ment", ""), ("ent", "")),
    "o": (("ion", ""), ("ou", "")),
    "s": (("ism", ""),),
    "t": (("ate", ""), ("iti", "")),
    "u": (("ous", ""),),
    "v": (("ive", ""),),
    "z": (("ize", ""),),
}


def porter_stem(word: str) -> str:
    """Return the stem of a word of small ASCII letters and digits, at most `LETTERS_MAX`."""
    if len(word) < _LETTERS_MIN:
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and "v" in _sounds(word[:-1]):
        word = word[:-1] + "i"
    word = _without_suffix(word, _SECOND, 0)
    word = _without_suffix(word, _THIRD, 0)
    word = _without_suffix(word, _FOURTH, 1)
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _sounds(word: str) -> str:
    """Return "v" for each vowel of a word and "c" for all else; "y" is a vowel behind what is none."""
    sounds = ""
    is_vowel = True
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and not is_vowel)
        sounds += "v" if is_vowel else "c"
    return sounds


def _measure(word: str) -> int:
    """Return how often vowels are followed by something else."""
    return _sounds(word).count("vc")


def _is_short(word: str) -> bool:
    """Say whether a word ends in a vowel between two others, the last of which is heard."""
    return word[-1:] not in ("w", "x", "y") and _sounds(word).endswith("cvc")


def _without_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-2] if word.endswith(("sses", "ies")) and word not in ("sses", "ies") else word[:-1]


def _without_past(word: str) -> str:
    """Return a word without "ed" or "ing", and put right what is left."""
    if word.endswith("eed") and word != "eed":
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            left = word.removesuffix(suffix)
            return _put_right(left) if "v" in _sounds(left) else word
    return word


def _put_right(left: str) -> str:
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if len(left) > 1 and left[-1] == left[-2] and left[-1] not in "aeioulsz":
        return left[:-1]
    return left + "e" if _measure(left) == 1 and _is_short(left) else left


def _without_suffix(word: str, endings: _Endings, least: int) -> str:
    """Return a word with another suffix in place of its own, where what stands before that measures more than `least`.

    The first that fits decides.
    """
    for suffix, other in endings.get(word[-2:-1], ()):
        if word.endswith(suffix) and word != suffix:
            before = word.removesuffix(suffix)
            fits = _measure(before) > least and (suffix != "ion" or before[-1] in "st")
            return before + other if fits else word
    return word
