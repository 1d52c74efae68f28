"""Say who did it to whom: a question asks for one of the two, and names the other.

"Who lent Anna money?" is not answered by what Anna lent, though both name Anna and the lending. In the sentences that
are read here, whoever acts stands before the verb and whom it is done to behind it; a passive turns that around, and in
German the auxiliary stands where the verb would. "I" is whoever speaks. Where a language tells it by endings alone, or
a sentence says it another way, nothing is said.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from cognition.ranking.stem import stem
from cognition.words import words

_WHO: Final = frozenset({"who", "wer", "quién", "quien"})
_WHOM: Final = frozenset({"whom", "wem", "wen"})
_ASKING: Final = frozenset({"what", "where", "which", "when", "how", "was", "wo", "wann"}) | _WHO | _WHOM
_DO: Final = frozenset({"do", "does", "did"})
# Between the verb and who does it.
_HAVE: Final = frozenset({"has", "have", "had", "hat", "haben", "hatte", "ha", "han"})
_BE: Final = frozenset({"am", "is", "are", "was", "were", "been", "being", "be", "got", "gets", "get"})
_SUBJECT: Final = frozenset({"i", "we", "ich", "wir"})
_OBJECT: Final = frozenset({"me", "us", "mir", "mich", "uns"})


class Asked(NamedTuple):
    """What a question says of an act: its verb, who is named, and whether that one acts."""

    verb: str
    name: str
    acts: bool
    of_people: bool
    """Whether the other one is what is asked for, as against what, where or when."""


def asked(question: str, names: Collection[str]) -> Asked | None:
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
        return Asked(stem(after[0]), name, True, told[0] in _WHO | _WHOM)
    if told[0] in _WHOM and told[at - 1] in _HAVE and after:
        return Asked(stem(after[-1]), name, True, True)
    if told[0] not in _WHO:
        return None
    if told[1] in _HAVE:
        # "Who has invited Anna", and "Wer hat Anna eingeladen".
        verb = told[2] if at > 2 else after[-1] if after else ""
    else:
        verb = told[1]
    if not verb or verb in _BE or verb in _DO or verb in names:
        return None
    return Asked(stem(verb), name, False, True)


def contradicts(question: Asked, text: str, called: Collection[str], speaks: bool | None) -> bool:
    """Say whether a text tells of the act, and the one who is named has the other part in it wherever it does.

    `called` are the names of that one; `speaks` says whether the text is theirs, None where nobody is known to.
    """
    told = words(text)
    stems = [stem(word) for word in told]
    wrong = False
    for at, each in enumerate(stems):
        if each != question.verb:
            continue
        acts = _acts(told, at, called, speaks)
        if acts is None:
            continue
        if acts == question.acts:
            return False
        wrong = True
    return wrong


def _acts(told: Sequence[str], at: int, names: Collection[str], speaks: bool | None) -> bool | None:
    """Say whether the one who is named does what the verb at a place says; None where that is not told."""
    begin = at
    for back in range(at - 1, max(-1, at - 7), -1):
        if told[back] in _HAVE:
            begin = back  # in German all but the one who acts stands between the two
            break
    before = told[max(0, begin - 4) : begin]
    after = [word for word in told[begin + 1 :] if word != told[at]][:6]
    passive = begin > 0 and told[at - 1] in _BE and not told[at].endswith("ing")
    own = any(word in _SUBJECT for word in before[-2:])
    is_before = own or any(word in names for word in before)
    is_after = any(word in names for word in after) or (
        speaks is True and any(word in _OBJECT for word in after)
    )
    if own and not speaks:
        return speaks  # somebody else acts, or who knows who
    if is_before == is_after:
        return None
    return is_before != passive
