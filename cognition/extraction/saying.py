"""Decide where what is said of a subject ends, and whether it can be read without the talk around it.

A value goes up to where something else begins. What then is cut off in its midst ("a plan to ensure"), announces
something that follows, or points at somebody whom only the talk knows ("broke up with him") is no value.
"""

# ruff: noqa: E501 - lists of words are easier to read in long lines

import re
from typing import Final

from cognition.extraction.clauses import KIN
from cognition.extraction.names import NAME

_CUT: Final = re.compile(
    r"\s*(?:[,;!?…]|(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)\.(?:\s|$)|--|\s[-–—]\s|—|\()"
    r"|\s+(?:and|but|so|or|cause|as|where|since|until|after|before|that|than)(?=\s+(?:I|we|he|she|they|it|you|there|that|this|my"
    r"|it['’]s|I['’]\w+|we['’]\w+|they['’]\w+|he['’]s|she['’]s|you['’]\w+)\b)"
    r"|\s+(?P<asking>whether|if|unless)\b"
    r"|\s+(?:because|which|when|while|so that|even though|though|although|but|so|whenever|who|just to|it['’]s|and now|and it"
    r"|and wow|and the|to see (?:how|if|what|that)|in order|due to the fact)\b"
    r"|\s+(?P<of>(?:to|about|of|for|on|with) )?(?P<asked>what|how|where|whatever|everything)?(?:\s*)(?<= )(?P<told>I|we)(?:['’]\w+)?\s"
)
# What only says that something follows, and not what.
_ANNOUNCES: Final = re.compile(
    r"^(?:(?:an?|the|some|any|my|our) )?(?:(?:really|very|so|pretty) )?(?:\w+ )?(?:news|surprise|update|question|favou?r to ask)\b",
    re.IGNORECASE,
)
_DEFINITE: Final = re.compile(r"(?:^|[ /])the \w+$", re.IGNORECASE)
_LAST_OF_SEVERAL: Final = re.compile(r",? and (?:(?! and ).)*$")
_TAIL: Final = re.compile(
    r"(?:\s+(?:too|as well|lately|these days|nowadays|though|tho|again|now|right now|a lot|so much|very much|recently|with you"
    r"|by the way|this time|so far|already|either|yet|today|then|and|or|to|of|with|for|in|on|at|the|a|an|from|by|around|before"
    r"|soon|once|anymore|really|there|here|after|like|about|originally|ever since|for a while now|lol|haha|actually|together|if|even"
    r"|kind of|sort of|out to be|maybe|because|just|as (?:fast|soon|much|long|well|good|hard|far)))+$"
)
# Verbs that want to be gone on with: what stands before them is whole, they are not.
_UNFINISHED: Final = re.compile(
    r",? (?:(?:and|or|just) )?(?:to|and|or|that) (?:see|know|say|tell|ensure|make sure|find(?: out)?|check|show|think|believe|decide|mean|get|give|have|do|be|make|keep|help|let|feel|use|take|ask|wonder|realize)$"
)
_UNFINISHED_ALONE: Final = re.compile(
    r"^(?:(?:and|just|actually|really|to|be able to|try to) )*(?:see|know|say|spend|enjoy|read|get|do|have|make|be|go|help|find|keep|use|give|take|tell|ask|just|try|like|start|feel|come|put|play|bring|let|show|add|talk|look|dive into|find out|think|hear|say that)$"
)
# What points outside the value to something that only the talk before it said.
_LEANS: Final = re.compile(
    r"^(?:it|that|this|these|those|them|you|your|yours|he|she|him|her|they|what|how|why|where|who|one|so|such|there|here|both"
    r"|all|everything|something|anything|nothing|stuff|things?|another one|the same|more|some|me|everyone|none|any|as|not|to be|to"
    r"|up|down|off|out|away|back|over|every time|every way|a (?:lot|bit|little|few|minute|second|while|point|call))$"
    r"|^(?:I|im|ive|we|it|that|those|these|them|you|your|he|she|what|how|why|who|if|the same|one (?:with|for|at|in|on|by)|this (?:one|amazing|awesome|great|cool|thing)|all (?:that|this|the)"
    r"|both|such|no|zero|neither|one of (?:the|these|those)|whether|being able|god|hell)\b"
    r"|\b(?:you|your|yours|you're|yourself|it|them|those|these|this|that one|something like|one of them|some of (?:it|them)|like that)$"
    # Small letters only: "This Is Us" and "U Penn" are names.
    r"|\b(?-i:you|your|yours|you're|yourself|u|this|that|these|those|it|them|each other|few|him|he|she|they|hers|theirs|himself|herself)\b"
    r"|\bhow (?:far|much|many|long|well|hard|good|great)$|^the (?:details|energy|results?|news|rest|best|idea|feeling|vibe)$"
    r"|^(?:to )?the (?:colou?r|design|idea|thing|one|parts?|price|place|way|fact|look|sound|style|view|first|second|other|latter|former|day|following)$"
    r"|\bthe fact\b|^the way\b|\b(?P<twice>\w{2,}) (?P=twice)\b|\b(?:kind of|sort of|you know|i mean|and stuff|like not|like with)\b|[@&/]$",
    re.IGNORECASE,
)
# A second statement without a word between: "found some skills are useful", "afraid the hall is full".
_ANOTHER: Final = re.compile(r"(?<!\bthat) (?:is|are|was|were|isn['’]t|wasn['’]t|has been|have been)\b")
# Somebody of whom "his", "her" and "their" further on may be said.
_SOMEBODY: Final = re.compile(
    rf"\b(?:my|our|an?|the) {KIN}\b|\bpeople\b|\beach\b|\b(?i:kids|children|students|friends)\b"
)
_NAMED: Final = re.compile(rf"(?<!^)\b{NAME}")
_OF_OTHERS: Final = re.compile(r"\b(?:his|her|their)\b")
_HER: Final = re.compile(
    r"\bher(?=$| (?:to|and|or|at|in|on|for|with|again|dearly|about|back|by|from|out|off|up|down|so|very|all|now|an?|the|not|never|too|more|enough|some|how|what|that|if|when|over|into|after|before|because|was|is|does|[\w-]+ly|same)\b)"
)
# "The fish here": of where they are.
_HERE: Final = re.compile(r"the \w+ (?:here|there)\b")
# No value has so many; what is left of a longer one by its end would be looked for at each of its words.
_VALUE_CHARACTERS_MAX: Final = 400
_SPACES: Final = re.compile(r"\s{2,}")


def whole_value(said: str, *, own: bool, infinitive: bool) -> str | None:
    """Return what is said of the subject, up to where something else begins; None if it leans on the unsaid.

    `own` says that the subject is the speaker, so that "her" is of somebody else; `infinitive`, that a verb is to follow.
    """
    cut = _CUT.search(said)
    value = said[: cut.start()] if cut is not None else said
    if len(value) > _VALUE_CHARACTERS_MAX:
        return None
    if cut is not None and cut["asking"] in ("if", "unless"):  # it is so only under a condition
        return None
    if cut is not None and cut["told"]:
        if cut["of"]:  # "… and talking about what we …": the last of several is not whole
            value = _LAST_OF_SEVERAL.sub("", value)
        elif not cut["asked"] and _DEFINITE.search(
            value
        ):  # "the connection I have …": which, is behind the cut
            return None
    before, _, named = value.partition(": ")
    if " and " not in named:  # only a whole list is kept; "three dogs: Max" has lost the others at a comma
        value = before
    whole = value
    value = _TAIL.sub("", value.strip(" .\"“”'’*~"))
    value = _TAIL.sub("", _UNFINISHED.sub("", value))
    value = _SPACES.sub(" ", value).strip()
    if value.count('"') % 2:  # the other one of the pair was at the end
        value = value.replace('"', "")
    if (
        len(value) < 2
        or _HERE.match(whole)
        or _LEANS.search(value)
        or _ANNOUNCES.search(value)
        or _ANOTHER.search(value)
        or _HER.search(value)
        or (own and _is_of_others(value))
        or (infinitive and _UNFINISHED_ALONE.match(value))
        or not any(letter.isalnum() for letter in value)
    ):
        return None
    return value


def _is_of_others(value: str) -> bool:
    """Say whether "her dog" is of somebody whom the value does not name before."""
    found = _OF_OTHERS.search(value)
    return found is not None and not (
        _SOMEBODY.search(value, 0, found.start()) or _NAMED.search(value, 0, found.start())
    )
