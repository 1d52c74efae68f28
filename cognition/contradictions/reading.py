"""Read from a text what it states that only one thing can be true of: where somebody works, lives, when they were born.

A stricter reading than that of facts: a fact that is a little off is one more memory, a claim that is a little off
accuses somebody of contradicting themselves. So places and firms have to be named, tastes have to be short, and what
is past, planned, wished or asked is left out. The words also tell whether something has *changed* ("I just started at
Meta", "now", "no longer"), and that something has *ended* ("I left Google").

English first; of other languages, what their fact patterns give as places and firms.
"""

# ruff: noqa: E501 - a pattern is easier to read on one line than in pieces

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from itertools import chain
from typing import Final

from cognition.contradictions.habits import habits_of, work_and_partner
from cognition.contradictions.numbers import counted, numbers_of
from cognition.contradictions.values import folded
from cognition.contradictions.wording import (
    CORRECTS,
    FOR_A_WHILE,
    MANNER,
    PASSING,
    VAGUE,
    asks,
    no_more,
    says_change,
    thing_of,
)
from cognition.expressions import late
from cognition.extraction import When, find_dates
from cognition.extraction.clauses import Clause, ClauseReader
from cognition.extraction.engine import facts_in
from cognition.extraction.language import language_of
from cognition.extraction.meant import meant
from cognition.extraction.names import NAME, is_name
from cognition.extraction.values import Statement, beginning
from cognition.nowhere import is_nowhere
from cognition.places import COUNTRIES, REGIONS
from cognition.words import OWNER

# More statements than this in one text is a list, for which patterns are the wrong tool.
STATEMENTS_MAX: Final = 10


_UNSURE: Final = late(
    r"\b(?:if|wish|maybe|perhaps|might|would|could|should|dream(?:ed|t)?|imagine|as though|not sure|supposedly|rumou?r)\b",
    re.IGNORECASE,
)
_PLACE: Final = rf"(?:the )?(?P<value>{NAME})"
# Articles are no names, but names of towns and firms begin with them: The Hague, Los Angeles, Den Haag, Le Monde.
_OF_TOWNS: Final = frozenset(["The", "Los", "Las", "La", "Le", "Les", "El", "Den", "Al", "Lo"])
_BIRTH: Final = late(r"\b(?:birthday|born)\b", re.IGNORECASE)
_BUT_NOW: Final = late(r",? but (?:now|these days|nowadays),? (?=(?:I|he|she|we|they|my|[A-Z]\w+)\b)")
_BEFORE_DATE: Final = late(r"(?:^since|\b(?:in|on|from|as of|until|around|about)) +$", re.IGNORECASE)
_SINCE: Final = late(r"\bsince\b", re.IGNORECASE)

_YEAR_MS: Final = 365 * 86_400_000
# A town is told with what it lies in: "Brooklyn, New York" is no other place than New York.
_LIES_IN: Final = late(rf", (?P<wider>{NAME})(?=$|[.,;!])")
_WIDER: Final = COUNTRIES | REGIONS | {"new york", "washington", "london", "berlin", "paris"}

_LIVES: Final = (
    late(rf"(?:(?:am|is|are) )?(?:live|lives|living|reside|resides|residing|based) (?:now )?in {_PLACE}"),
    late(rf"(?:have|has) (?:been living|lived|resided|been based) in {_PLACE}(?= (?:since|for|all)\b)"),
    late(
        rf"(?:have |has )?(?:moved|relocated)(?: back| over| out| away| here)?(?: from {NAME})? to {_PLACE}"
    ),
)
_WORKS: Final = (
    late(
        rf"(?:(?:am|is|are) )?(?:work|works|working|employed) (?:now )?(?:as an? [a-z][\w -]*? )?(?:at|for|by) {_PLACE}"
    ),
    late(rf"(?:have|has) (?:been working|worked) (?:at|for) {_PLACE}(?= (?:since|for)\b)"),
    late(
        rf"(?:have |has )?(?:started|began)(?: working| work| a job| a new job| my job| my new job| a (?:new )?position)?(?: as an? [\w -]+?)? (?:at|with) {_PLACE}"
    ),
    late(
        rf"(?:have |has )?(?:got|landed|took|accepted|found)(?: an?| the| my)?(?: new| full-time| part-time| dream)? (?:job|position|role|offer|internship)(?: as an? [\w -]+?)? (?:at|with|from) {_PLACE}"
    ),
    late(rf"(?:have |has )?joined {_PLACE}(?= as (?:an?|the|their|its)\b)"),
    late(rf"(?:was|were|got|have been|has been) hired (?:by|at) {_PLACE}"),
)
_LEFT: Final = (
    ("works_at", late(rf"(?:used to work|no longer works?|don['’]t work|doesn['’]t work|stopped working) (?:at|for) {_PLACE}(?P<more>.*)$")),
    ("works_at", late(rf"(?:left|quit|resigned from|retired from|was fired from|got fired from|was laid off (?:by|from)|got laid off (?:by|from)) (?:(?:my|his|her|the) job (?:at|with) )?{_PLACE}$")),
    ("lives_in", late(rf"(?:used to live|no longer lives?|don['’]t live|doesn['’]t live|stopped living) in {_PLACE}(?P<more>.*)$")),
    ("lives_in", late(rf"moved (?:away|out) from {_PLACE}$")),
)  # fmt: skip
# "I left Paris" and "I left Google at six" tell of a way home, not of a job.
_BARE_LEFT: Final = late(r"left (?!(?:my|his|her|the) job\b)")
_OF_THE_DAY: Final = late(
    r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening)|last night|early|late|at (?:\d|noon|midnight))\b",
    re.IGNORECASE,
)
# Whom one works for beside the work.
_ON_THE_SIDE: Final = late(r"\bon (?:the )?(?:weekends?|side|\w+days)\b", re.IGNORECASE)
# "I'm from Google, calling about …"
_ON_BEHALF: Final = late(r"\b(?:calling|writing|reaching out|here to|about your)\b", re.IGNORECASE)
_NEGATED: Final = late(r"^(?:don|doesn)['’]t\b")
_NO_MORE: Final = late(r"\b(?:any ?more|any longer|no longer)\b", re.IGNORECASE)
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH: Final = rf"(?:{'|'.join(_MONTHS)})"
_BIRTHDAY: Final = late(
    rf"(?:is|was born)(?: always)?(?: on)?(?: the)? (?P<value>(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?)(?:,? \d{{4}})?)",
    re.IGNORECASE,
)
_BORN_IN: Final = late(rf"was born in {_PLACE}(?!\w)")
_SPOUSE: Final = late(
    rf"(?:am|is|are|got)(?: happily| now)? married to {_PLACE}(?:$|[.,;!]| (?:and|since|for)\b)"
)
_STATUS: Final = late(
    r"(?:am|is|are|got|have been|has been)(?: happily| recently| now| still| officially| currently)? (?P<value>single|married|engaged|divorced|widowed)"
    r"(?= to [A-Z]|$|[.,;!]| (?:now|again|and|since|for|with (?:two|three|a|\d))\b)(?! and)"
)
_DIET: Final = late(
    r"(?:am|is|became|went|turned|have been|has been)(?: an?)?(?: strict| full| fully| mostly)? (?P<value>vegan|vegetarian|pescatarian|carnivore)(?=$|[.,;!]| (?:now|and|since|for|again)\b)"
)
_IS_CALLED: Final = late(
    r"(?:is|['’]s)(?: called| named)? (?P<value>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)(?=$|[.,;!]| (?:and|who)\b)"
)
_FROM: Final = late(rf"(?:am|come) (?:originally )?from {_PLACE}$")
_FAVOURITE_AFTER: Final = late(
    rf"(?:\b(?:think|guess|believe) (?:that )?(?P<thought>[a-z][\w'-]*(?: [a-z][\w'-]*)?)|(?P<value>{NAME})) (?:is|are|has to be)(?: still| now| definitely| probably| always)? (?P<whose>my|{NAME}['’]s) (?:all[- ]time |absolute |new )?(?:favou?rite|fave|fav)"
    r" (?P<topic>[a-z][\w-]*(?: [a-z][\w-]*)?)(?=$|[.,;!]| (?:and|because|of all time|ever|so far)\b)"
)
_FAVOURITE_CALLED: Final = late(
    rf"\b[Mm]y (?:all[- ]time |absolute |new )?(?:favou?rite|fave|fav) (?P<topic>[a-z][\w-]*)(?: called| named|,) (?P<value>{NAME})(?=$|[.,;!]| )"
)
# Of these there is a favourite each time.
_EACH_TIMES: Final = """
    part parts memory memories moment moments thing things one ones way time times bit day scene spot line quote
"""
_EACH_TIME: Final = frozenset(_EACH_TIMES.split())
# What is so for a week says nothing of these.
_LASTING: Final = frozenset({"attitude", "diet", "prefers"})
# Other words for the same thing.
_TOPICS: Final = {"colour": "color", "film": "movie", "novel": "book"}
_SPOUSES: Final = late(r"^(?:wife|husband|spouse)$")
_FAVOURITE: Final = late(
    r"(?:is|has to be|is now|is definitely)(?: still| now| definitely| probably| always)? (?P<value>[^,.;!?]+)"
)
_TASTE: Final = late(
    r"(?:really |absolutely |truly )?(?:(?P<likes>love|loves|like|likes|enjoy|enjoys|adore|adores)"
    r"|(?P<dislikes>hate|hates|dislike|dislikes|can['’]t stand|cannot stand|don['’]t (?:really )?like|doesn['’]t (?:really )?like|don['’]t enjoy|doesn['’]t enjoy)) (?P<value>[^,.;!?()]+)"
)
_PREFERS: Final = late(
    r"(?:prefer|prefers) (?P<one>[\w' -]+?) (?:to|over|rather than|instead of) (?P<other>[\w' -]+)"
)
_FRIENDS: Final = late(rf"(?:am|is|are)(?: good| best| close)? friends with {_PLACE}")
_SPEAKS: Final = late(rf"(?:speak|speaks)(?: fluent)? {_PLACE}")
# "My number is …": no clause of the fact patterns, since the subject is a thing.
_OWN_THING: Final = late(
    r"\b(?P<whose>[Mm]y|(?P<name>[A-Z][\w-]+)['’]s) (?:new )?(?P<thing>phone number|mobile number|number|email|e-mail|email address|home address|address) is (?:now )?"
    r"(?P<value>[\w.+-]+@[\w-]+\.[\w.-]*\w|\+?\d[\d ()/-]{4,}\d|\d+ [A-Z][\w' ]+|[A-Z][\w' ]+ \d+)"
)
_OWN_THINGS: Final = ("number is ", "mail is ", "address is ")
_THINGS: Final = {
    "phone number": "phone", "mobile number": "phone", "number": "phone", "email": "email", "e-mail": "email",
    "email address": "email", "home address": "address", "address": "address",
}  # fmt: skip


def read_statements(
    text: str, *, told_at_ms: int, speaker: str | None = None, language: str | None = None, zone: tzinfo = UTC
) -> tuple[Statement, ...]:
    """Return what a text claims, each slot's last word on it; an "I" whom nobody named is the owner."""
    text = beginning(text)
    language = language_of(text) if language is None else language
    subject = speaker or OWNER
    found: dict[tuple[str, str], Statement] = {}
    reader = ClauseReader(subject)
    for sentence in meant(text):
        dates = find_dates(sentence, told_at_ms=told_at_ms, language=language, zone=zone)

        def read(sentence: str, dates: Sequence[When] = dates) -> Iterator[Statement]:
            if language != "en":
                yield from _of_facts(sentence, subject, told_at_ms, language, zone)
            else:
                yield from _of_sentence(sentence, subject, reader, dates, told_at_ms)
            yield from _of_oneself(sentence, subject)

        ends = _ended(sentence, read)
        turns = {(each.entity, each.relation) for each in ends}
        is_correction = CORRECTS.search(sentence) is not None
        for statement in chain(ends, read(sentence)):
            if is_correction or (statement.entity, statement.relation) in turns:
                statement = replace(statement, changes=True)
            dated = _dated(statement, sentence, told_at_ms, dates)
            if dated is not None:
                found[folded(dated.entity), dated.relation] = dated
    return tuple(found.values())[:STATEMENTS_MAX]


def _of_sentence(
    sentence: str, subject: str, reader: ClauseReader, dates: Sequence[When], told_at_ms: int
) -> Iterator[Statement]:
    if _UNSURE.search(sentence):
        return
    turns = _BUT_NOW.search(sentence) is not None
    sentence = _BUT_NOW.sub("; ", sentence)
    owned = sentence if any(map(sentence.__contains__, _OWN_THINGS)) else ""
    for match in _OWN_THING.finditer(owned):
        yield Statement(
            match["name"] or subject,
            _THINGS[match["thing"]],
            match["value"].strip(),
            changes=says_change(sentence),
        )
    stated = sentence if "fav" in sentence and not asks(sentence) else ""
    for match in _FAVOURITE_AFTER.finditer(stated):
        whose = subject if match["whose"] == "my" else match["whose"][:-2]
        if match["thought"] or is_name(match["value"].split()[0]):
            value = match["thought"] or match["value"]
            yield from _favourite(whose, match["topic"], value, says_change(sentence))
    for match in _FAVOURITE_CALLED.finditer(stated):
        yield from _favourite(subject, match["topic"], match["value"], says_change(sentence))
    undated = sentence if _BIRTH.search(sentence) else _undated(sentence, dates)
    clauses = list(reader.clauses(undated))
    yield from counted(subject, undated)
    plain = [statement for clause in clauses for statement in _of_clause(clause, subject, sentence)]
    for_a_while = FOR_A_WHILE.search(sentence) is not None or PASSING.search(sentence) is not None
    if for_a_while:
        plain = [each for each in plain if each.relation.partition(":")[0] not in _LASTING]
    if not any(statement.relation == "works_at" for statement in plain):
        yield from work_and_partner(subject, sentence, clauses)
    for clause in clauses:
        if clause.subject is not None and not clause.favourite and clause.spoken.lower() != "my name":
            yield from habits_of(clause.subject, clause, for_a_while=for_a_while)
            yield from numbers_of(clause.subject, clause, told_at_ms, for_a_while=for_a_while)
    for statement in plain:
        statement = _widened(statement, undated)
        yield replace(statement, changes=True) if turns else statement


def _widened(statement: Statement, sentence: str) -> Statement:
    """Return where somebody lives together with what that lies in, where the sentence goes on to say so."""
    if statement.relation == "lives_in" and not statement.ends:
        at = sentence.find(statement.value) + len(statement.value)
        if (match := _LIES_IN.match(sentence, at)) and folded(match["wider"]) in _WIDER:
            return replace(statement, value=f"{statement.value}, {match['wider']}")
    return statement


def _of_clause(clause: Clause, subject: str, sentence: str) -> Iterator[Statement]:
    entity, said = clause.subject, clause.predicate
    if entity is None:
        return
    changes = says_change(clause.said)
    if clause.relative is not None:
        name, what = clause.relative
        whose, _, role = what.partition("'s ")
        if _SPOUSES.match(role):
            yield Statement(whose, "spouse", name, changes)
    if clause.spoken.lower() == "my name":
        yield Statement(subject, "name", entity, changes)
        return
    whose, of, what = entity.rpartition("'s ")
    if clause.favourite:
        if match := _FAVOURITE.match(said):
            yield from _favourite(whose, what.partition(" ")[2], match["value"], changes)
        return
    if of and what == "birthday":
        if match := _BIRTHDAY.match(said):
            yield Statement(whose, "birthday", match["value"], changes)
        return
    if (
        of
        and _SPOUSES.match(what)
        and (match := _IS_CALLED.match(said))
        and is_name(match["value"].split()[0])
    ):
        yield Statement(whose, "spouse", match["value"], changes)
    yield from _of_person(entity, clause, said, changes, sentence)


def _favourite(whose: str, topic: str, value: str, changes: bool) -> Iterator[Statement]:
    thing, about = thing_of(value), folded(topic)
    if (
        thing
        and not VAGUE.search(topic)
        and not MANNER.search(topic)
        and not _EACH_TIME.intersection(about.split())
    ):
        yield Statement(whose, f"favorite:{_TOPICS.get(about, about)}", thing, changes)


def _of_person(entity: str, clause: Clause, said: str, changes: bool, sentence: str) -> Iterator[Statement]:
    for relation, pattern in _LEFT:
        if match := pattern.match(said):
            if _NEGATED.match(said) and not _NO_MORE.search(clause.said):
                return  # a plain denial: of what, is not said
            if _BARE_LEFT.match(said) and (folded(match["value"]) in _WIDER or _OF_THE_DAY.search(sentence)):
                return
            yield Statement(entity, place_relation(relation, match["value"]), match["value"], True, ends=True)
            return
    if not FOR_A_WHILE.search(clause.said):
        for relation, patterns in (("lives_in", _LIVES), ("works_at", _WORKS)):
            for pattern in patterns:
                match = pattern.match(said)
                if match and _may_be(relation, match["value"], clause.said):
                    yield Statement(entity, place_relation(relation, match["value"]), match["value"], changes)
                    return
    for relation, pattern in (
        ("birthday", _BIRTHDAY), ("born_in", _BORN_IN), ("spouse", _SPOUSE), ("diet", _DIET),
        ("friends_with", _FRIENDS), ("speaks", _SPEAKS),
    ):  # fmt: skip
        match = pattern.match(said)
        if match is None or (relation == "born_in" and match["value"].split()[0].lower() in _MONTHS):
            continue
        if relation == "birthday" and not said.startswith("was born"):
            continue
        yield Statement(entity, relation, match["value"], changes)
    if (
        clause.spoken.lower() in ("i", "we")
        and (match := _FROM.match(said))
        and not _ON_BEHALF.search(sentence)
    ):
        yield Statement(entity, place_relation("comes_from", match["value"]), match["value"], changes)
    if match := _STATUS.match(said):
        yield Statement(entity, "relationship_status", match["value"].lower(), changes)
    yield from _of_taste(entity, said, changes)


def _of_taste(entity: str, said: str, changes: bool) -> Iterator[Statement]:
    if match := _PREFERS.match(said):
        one, other = thing_of(match["one"]), thing_of(match["other"])
        if one and other:
            yield Statement(entity, "prefers:" + "|".join(sorted((folded(one), folded(other)))), one, changes)
    elif (match := _TASTE.match(said)) and (thing := thing_of(match["value"])):
        taste = "likes" if match["likes"] else "dislikes"
        yield Statement(entity, f"attitude:{folded(thing)}", taste, changes)


def _may_be(relation: str, value: str, said: str) -> bool:
    """Say whether this may be where somebody lives, or for whom they work."""
    first, *more = value.split()
    if more and first in _OF_TOWNS:
        first = more[0]
    if relation == "lives_in":
        return is_name(first) and not is_nowhere(value)
    return is_name(first) and not _ON_THE_SIDE.search(said)


def _of_facts(
    sentence: str, subject: str, told_at_ms: int, language: str, zone: tzinfo
) -> Iterator[Statement]:
    for fact in facts_in([sentence], told_at_ms=told_at_ms, speaker=subject, language=language, zone=zone):
        if fact.triple is not None and fact.triple.predicate in ("lives_in", "works_at"):
            changes = fact.pattern == "moved" or _CHANGE_ELSEWHERE.search(sentence) is not None
            place = fact.triple.object
            yield Statement(fact.triple.subject, place_relation(fact.triple.predicate, place), place, changes)


# How one says of oneself where one lives and works, in the languages that have no patterns of clauses and where names of
# places keep their form: "w Krakowie" is no name. What stands between the verb and the name says that it is so.
_OWN_VERBS_OF: Final = """
    wohne lebe arbeite j'habite vis travaille abito vivo lavoro moro trabalho woon werk
"""
_OWN_VERBS: Final = frozenset(_OWN_VERBS_OF.split())
_NOW_ELSEWHERE: Final = r"(?: (?:jetzt|inzwischen|nun|maintenant|désormais|ora|adesso|agora|nu|inmiddels))?"
_DENIED_BEFORE: Final = r"(?<!\bnon )(?<!\bnão )(?<!\bnicht )(?<!\bniet )"
_OF_ONESELF: Final = (
    ("lives_in", late(
        rf"{_DENIED_BEFORE}(?i:\b(?:wohne|lebe)(?: ich)?{_NOW_ELSEWHERE} in|\b(?:j['’]habite|je vis){_NOW_ELSEWHERE} (?:à|en|au)"
        rf"|\b(?:abito|vivo){_NOW_ELSEWHERE} (?:a|ad|in)|\b(?:moro|vivo){_NOW_ELSEWHERE} (?:em|no|na)"
        rf"|\b(?:ik woon|woon ik){_NOW_ELSEWHERE} in) {_PLACE}")),
    ("works_at", late(
        rf"{_DENIED_BEFORE}(?i:\barbeite(?: ich)?{_NOW_ELSEWHERE} (?:bei|für)|\b(?:je|et) travaille{_NOW_ELSEWHERE} (?:chez|pour)"
        rf"|\blavoro{_NOW_ELSEWHERE} (?:in|per|alla|presso|da)|\btrabalho{_NOW_ELSEWHERE} (?:na|no|em|para a|para o)"
        rf"|\b(?:ik werk|werk ik|en werk){_NOW_ELSEWHERE} (?:bij|voor)) {_PLACE}")),
)  # fmt: skip
_NEWLY: Final = late(
    r"\b(?:jetzt|inzwischen|maintenant|désormais|adesso|ora|agora|nu|inmiddels)\b", re.IGNORECASE
)


def _of_oneself(sentence: str, subject: str) -> Iterator[Statement]:
    if _OWN_VERBS.isdisjoint(folded(sentence).replace(",", " ").split()) or sentence.rstrip().endswith("?"):
        return
    for relation, pattern in _OF_ONESELF:
        match = pattern.search(sentence)
        if (
            match
            and is_name(match["value"].split()[0])
            and not (relation == "lives_in" and is_nowhere(match["value"]))
        ):
            newly = _NEWLY.search(match[0]) is not None
            yield Statement(subject, place_relation(relation, match["value"]), match["value"], newly)


_MAY_END: Final = frozenset(
    ["works_at", "lives_in", "lives_in_country", "lives_in_region", "spouse", "relationship_status", "diet"]
)


def _ended(sentence: str, read: Callable[[str], Iterable[Statement]]) -> list[Statement]:
    """Return what a sentence says to be no more: what it would say, to these readers, without the words that end it."""
    said = no_more(sentence)
    if said is None or asks(sentence):
        return []
    return [
        replace(each, changes=True, ends=True)
        for each in read(said.sentence)
        if each.relation in _MAY_END and said.ends(each.value)
    ]


_CHANGE_ELSEWHERE: Final = late(
    r"\b(?:ahora|ya no|desde|jetzt|nicht mehr|inzwischen|neuerdings|seit)\b", re.IGNORECASE
)


def place_relation(relation: str, value: str) -> str:
    """Return where a place is compared: countries with countries, regions with regions, all else with towns."""
    name = folded(value)
    if relation not in ("lives_in", "comes_from"):
        return relation
    return (
        f"{relation}_country" if name in COUNTRIES else f"{relation}_region" if name in REGIONS else relation
    )


def _dated(statement: Statement, sentence: str, told_at_ms: int, dates: Sequence[When]) -> Statement | None:
    """Return a statement with since when it holds, if the sentence says so; None if that is still to come."""
    if statement.relation in ("birthday", "born_in") or len(dates) != 1:
        return statement
    (when,) = dates
    if when.start_ms > told_at_ms:
        if not _SINCE.search(sentence) or when.start_ms - _YEAR_MS > told_at_ms:
            return None
        return replace(
            statement, valid_from=when.start_ms - _YEAR_MS
        )  # "since May", told in March: last year's
    if statement.changes or _SINCE.search(sentence):
        return replace(statement, valid_from=when.start_ms)
    return statement


def _undated(sentence: str, dates: Sequence[When]) -> str:
    """Return a sentence without the words of its dates, which would stand between a subject and its verb."""
    for when in sorted(dates, key=lambda each: -each.at):
        before, after = sentence[: when.at], sentence[when.at + len(when.words) :]
        before = _BEFORE_DATE.sub("", before)
        if before.strip() and _SINCE.match(when.words):
            before = f"{before.rstrip()} since"  # tells "have lived in Porto since 2019" from "have lived in Porto"
        sentence = f"{before.rstrip()} {after.lstrip(' ,') if not before.strip() else after.lstrip()}".strip()
    return re.sub(r" (?=[.,;!])", "", sentence)
