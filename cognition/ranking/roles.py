"""Say who did it to whom: a question asks for one of the two, and names the other.

"Who lent Anna money?" is not answered by what Anna lent, though both name Anna and the lending. In the clauses that
are read here, whoever acts stands before the verb, with small words between at most, and whom it is done to behind it;
a passive turns that around, and in German the auxiliary stands where the verb would. "I" is whoever speaks. Where a
language tells it by endings alone, a clause says it another way, or an act is done by both ("married", "works with"),
nothing is said: to be wrong here costs more than to be silent.
"""

import re
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from cognition.ranking.stem import stem
from cognition.words import QUERY_CHARACTERS_MAX, words

_WHO: Final = frozenset({"who", "wer", "quién", "quien"})
_WHOM: Final = frozenset({"whom", "wem", "wen"})
_ASKING: Final = frozenset({"what", "where", "which", "when", "how", "was", "wo", "wann"}) | _WHO | _WHOM
_DO: Final = frozenset({"do", "does", "did"})
# Between the verb and who does it.
_HAVE: Final = frozenset({"has", "have", "had", "hat", "haben", "hatte", "ha", "han"})
_BE: Final = frozenset({"am", "is", "are", "was", "were", "been", "being", "be", "got", "gets", "get"})
_WERDEN: Final = frozenset({"wurde", "wurden", "wird", "werden"})
_PASSIVE: Final = _BE | _WERDEN
# Behind these, all but the one who acts may stand before the verb.
_AUXILIARY_OF_GERMAN: Final = frozenset({"hat", "haben", "hatte"}) | _WERDEN
_OTHER_SMALL: Final = """
    will would can could may might must shall should to also always ever finally just later never not now often once
    only really recently soon sometimes still then auch dann gestern heute nie nicht noch oft schon no nunca siempre ya
"""
_SMALL: Final = _DO | _HAVE | _BE | _WERDEN | frozenset(_OTHER_SMALL.split())
_AND: Final = frozenset({"and", "or", "und", "oder", "y", "o"})
_OTHER_JOINS: Final = "but because while when who which that than as weil als aber dass que cuando"
# With these another clause begins.
_JOINS: Final = _AND | frozenset(_OTHER_JOINS.split())
_THERE: Final = "with without beside next near at like mit ohne neben bei con sin junto"
# Whoever stands behind one of these does it, or is there, too.
_BESIDE: Final = frozenset(_THERE.split())
_BY: Final = frozenset({"by", "von", "por"})
_BY_BOTH: Final = """
    marry divorce meet date know befriend talk speak chat argue fight quarrel
    heiratet geheiratet heiratete kennt kennen traf getroffen trifft spricht sprach gesprochen
"""
# What two people do, whichever of them is named first.
_MUTUAL: Final = frozenset(map(stem, _BY_BOTH.split()))
_SUBJECT: Final = frozenset({"i", "ich", "yo"})
_FIRST_PERSON: Final = _SUBJECT | {"we", "wir", "nosotros"}
_OBJECT: Final = frozenset({"me", "us", "mir", "mich", "uns"})
_CLAUSE: Final = re.compile(r"[.,;:!?()\n–—]+")
# How far from its verb whom it is done to may stand, and where nothing is before the verb.
_OBJECT_WITHIN: Final = 6
_OBJECT_WITHIN_ALONE: Final = 2


class ActQuery(NamedTuple):
    """What a question says of an act: its verb, who is named, and whether that one acts."""

    verb: str
    name: str
    acts: bool
    of_people: bool
    """Whether the other one is what is asked for, as against what, where or when."""


def asked(question: str, names: Set[str]) -> ActQuery | None:
    """Return the act that a question asks of, where it names one of two people."""
    told = words(question)
    if len(told) < 3 or told[0] not in _ASKING:
        return None
    at = next((i for i, word in enumerate(told) if i and word in names), None)
    if at is None:
        return None
    name, after = told[at], told[at + 1 :]
    if after[:1] == ["s"]:
        return None  # of somebody or something of theirs
    if told[at - 1] in _DO and after:
        return _of(after[0], name, acts=True, of_people=told[0] in _WHO | _WHOM)
    if told[0] in _WHOM and told[at - 1] in _HAVE and after:
        return _of(after[-1], name, acts=True, of_people=True)
    if told[0] not in _WHO or not (_BESIDE | _BY).isdisjoint(told[:at]):
        return None
    if told[1] in _HAVE:
        # "Who has invited Anna", and "Wer hat Anna eingeladen".
        verb = told[2] if at > 2 else after[-1] if after else ""
    else:
        verb = told[1]
    return None if verb in names else _of(verb, name, acts=False, of_people=True)


def _of(verb: str, name: str, *, acts: bool, of_people: bool) -> ActQuery | None:
    # What somebody has or gets may be told of whoever gives it.
    if not verb or verb in _BE | _HAVE | _DO or stem(verb) in _MUTUAL:
        return None
    return ActQuery(stem(verb), name, acts, of_people)


def contradicts(question: ActQuery, text: str, called: Set[str], speaks: bool | None) -> bool:
    """Say whether a text tells of the act, and the one who is named has the other part in it wherever it does.

    `called` are the names of that one; `speaks` says whether the text is theirs, None where nobody is known to.
    """
    wrong = False
    for clause in _CLAUSE.split(text[:QUERY_CHARACTERS_MAX]):
        told = words(clause)
        for at, word in enumerate(told):
            if stem(word) != question.verb:
                continue
            acts = _acts(told, at, called, speaks)
            if acts is None:
                continue
            if acts == question.acts:
                return False
            wrong = True
    return wrong


def _acts(told: Sequence[str], at: int, names: Set[str], speaks: bool | None) -> bool | None:
    """Say whether the one who is named does what the verb at a place says; None where that is not told."""
    begin = at
    if at == len(told) - 1:  # where German has what an auxiliary began
        begin = next((back for back in range(at) if told[back] in _AUXILIARY_OF_GERMAN), at)
    subject = next((back for back in range(begin - 1, -1, -1) if told[back] not in _SMALL), -1)
    passive = not told[at].endswith("ing") and not _PASSIVE.isdisjoint(told[subject + 1 : at])
    others = {*names, *(_OBJECT if speaks else ())}
    within = _OBJECT_WITHIN if subject >= 0 else _OBJECT_WITHIN_ALONE
    behind = _behind(told[begin + 1 :][:within], others)
    if behind:
        return True
    who = [told[place] for place in (subject, subject - 2) if place >= 0]
    if len(who) == 2 and told[subject - 1] not in _AND:
        who.pop()
    before = not names.isdisjoint(who) or (speaks is True and not _FIRST_PERSON.isdisjoint(who))
    if before == (behind is False):
        alone = who[:1] and who[0] in _SUBJECT and names.isdisjoint(told)
        return False if alone and speaks is False and not passive else None
    return before and not passive


def _behind(after: Sequence[str], names: Set[str]) -> bool | None:
    """Say whether the one who is named does what the verb before these words says, or it is done to them."""
    for place, word in enumerate(after):
        if word in names:
            of_theirs = after[place + 1 : place + 2] == ["s"]
            return None if of_theirs else place > 0 and after[place - 1] in _BY
        if word in _BESIDE or word in _JOINS:
            return None
    return None
