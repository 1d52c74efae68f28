"""Fold the endings of words, so that a question about deploying is met by what was deployed.

Full text search has a stemmer of its own; this one serves the signals that compare a few hundred texts with
a query in memory, where nothing is looked up by the result. So it may be small: English plurals, -ing, -ed
and -ly, and the irregular verbs that conversations are full of. Words that it does not know stay as they
are.
"""

from functools import lru_cache
from typing import Final

_IRREGULAR: Final = {
    form: verb
    for verb, forms in {
        "become": "became",
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "child": "children kids kid",
        "choose": "chose chosen",
        "come": "came",
        "draw": "drew drawn",
        "drink": "drank drunk",
        "drive": "drove driven",
        "eat": "ate eaten",
        "fall": "fell fallen",
        "feed": "fed",
        "feel": "felt",
        "fight": "fought",
        "find": "found",
        "fly": "flew flown",
        "forget": "forgot forgotten",
        "freeze": "froze frozen",
        "get": "got gotten",
        "give": "gave given",
        "go": "went gone goes",
        "grow": "grew grown",
        "hang": "hung",
        "hear": "heard",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "lead": "led",
        "learn": "learnt",
        "leave": "left",
        "lend": "lent",
        "lose": "lost",
        "make": "made",
        "man": "men",
        "mean": "meant",
        "meet": "met",
        "pay": "paid",
        "person": "people",
        "ride": "rode ridden",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "show": "shown",
        "sing": "sang sung",
        "sit": "sat",
        "sleep": "slept",
        "speak": "spoke spoken",
        "spend": "spent",
        "stand": "stood",
        "steal": "stole stolen",
        "swim": "swam swum",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "throw": "threw thrown",
        "understand": "understood",
        "wake": "woke woken",
        "wear": "wore worn",
        "win": "won",
        "woman": "women",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}
_VOWELS: Final = frozenset("aeiouy")
# Words of a conversation; most repeat.
_KEPT: Final = 32_768
# What is left of a word must still be one.
_STEM_MIN: Final = 3


@lru_cache(_KEPT)
def stem(word: str) -> str:
    """Return what a folded word has in common with its other forms."""
    word = _IRREGULAR.get(word, word)  # and on: "choose" is folded too
    if len(word) <= _STEM_MIN or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "i"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "edly", "ed", "ly"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= _STEM_MIN and not _VOWELS.isdisjoint(rest):
            word = rest
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > _STEM_MIN:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > _STEM_MIN else word


def is_irregular(word: str) -> bool:
    """Say whether a folded word is an irregular form, of what was done mostly."""
    return word in _IRREGULAR


def is_form_of(one: str, other: str) -> bool:
    """Say whether two words are forms of one irregular verb or noun, or the same."""
    return _IRREGULAR.get(one, one) == _IRREGULAR.get(other, other)
