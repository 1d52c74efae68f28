"""Fourteen rules that look at what a question wants and what a text is: predicates, each a signal like the others.

They come from PMB's predicate-aware reranker ("PAMVR"), which multiplies; here each adds its weight, so that they stand
in one table with everything else, can be switched off one by one, and show in an explanation. A rule that does not
apply to a question says nothing about any candidate.
"""

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from cognition.extraction.names import proper_nouns
from cognition.ranking import roles
from cognition.ranking.reading import NUMBER, SELF
from cognition.ranking.stem import stem
from cognition.ranking.vocabulary import USE, used
from cognition.words import STOP_WORDS, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cognition.ranking.pool import Column, Pool

_PREFIX: Final = re.compile(r"what(?:'s|’s| is| was)? the (\w+)\b")
_POLICY: Final = re.compile(r"\b(?:(\w+)[- ])?(?:policy|rule|convention|guideline)s?\b")
_DECISION: Final = re.compile(
    r"\b(policy|decided|decision|agreed|always|never|must|should|we (use|chose|require|prefer)|rule|convention)\b"
)
_ASKS_DURATION: Final = re.compile(r"\b(lifetime|duration|how long|ttl|expir\w*|timeout)\b")
_DURATION: Final = re.compile(
    r"\d+\s*[- ]?(ms|s|sec\w*|m|min\w*|h|hours?|hrs?|d|days?|weeks?|months?|years?|stunden|tage?|минут\w*|дн\w+)\b"
)
_ASKS_NOW: Final = re.compile(r"\b(now|current|currently|today|these days|at the moment|nowadays|still)\b")
_NOW: Final = re.compile(
    r"\b(now|current|currently|these days|at the moment|as of|since|nowadays|today|latest)\b"
)
# Two searches: one expression with anything in between looks from every "who" to the end of a pasted page.
_ASKS_WHO: Final = re.compile(r"\bwho(se)?\b")
_GROUP: Final = re.compile(r"\b(team|group|members?|staff|crew|board|band|family)\b")
# A roster names at least this many people.
_ROSTER_MIN: Final = 2
# A word that is as like a term as this is shared with the question.
SHARED: Final = 0.5
# What is missing where somebody is called otherwise.
CALLED_OTHERWISE: Final = 0.5
# All but this share of a question's words is most of them.
_MOST: Final = 0.75


def _each(pool: "Pool", says: "list[bool] | NDArray[np.bool_]") -> "Column":
    return np.array(says, np.float64).reshape(len(pool.rows))


def _none(pool: "Pool") -> "Column":
    return np.zeros(len(pool.rows))


def _of_facts(pool: "Pool", column: "Column") -> "Column":
    """Keep what a rule says of memories that stand alone: a turn of talk need not name what the talk is about."""
    kept: Column = column * (1 - pool.told)
    return kept


def entity_missing(pool: "Pool") -> "Column":
    """PM-06, PM-24: the share of the people and things named that the text, its speaker and its labels do not name."""
    if not pool.query.proper_nouns:
        return _none(pool)
    missing = []
    for name in pool.query.proper_nouns:
        lacks = _each(pool, ~(pool.said.with_stem(name) | pool.spoken_by({stem(name)})))
        if others := pool.query.called.get(name, frozenset()):
            # Elizabeth for Liz, who may be somebody else.
            otherwise = (pool.called[name] > 0) | pool.spoken_by(frozenset(map(stem, others)))
            lacks[otherwise] = np.minimum(lacks[otherwise], CALLED_OTHERWISE)
        missing.append(lacks)
    return _of_facts(pool, np.mean(missing, axis=0))


def phrase(pool: "Pool") -> "Column":
    """ML-64: what was quoted, or a name of several words, stands there as it was asked."""
    phrases = [f" {each.strip(chr(34))} " for each in pool.query.phrases]
    if not phrases:
        return _none(pool)
    texts = [f" {' '.join(words(row.text))} " for row in pool.rows]
    return _each(pool, [any(each in text for each in phrases) for text in texts])


def role(pool: "Pool") -> "Column":
    """Who did it to whom is told the other way round."""
    names = pool.query.proper_nouns | {words(name)[0] for name in pool.names}
    asked = roles.asked(pool.query.text, names)
    if asked is None:
        return _none(pool)
    called = {asked.name} | pool.query.called.get(asked.name, frozenset())
    contradicts = _none(pool)
    for i in np.flatnonzero(pool.said.with_stem(asked.verb)).tolist():
        row = pool.rows[i]
        speaks = not called.isdisjoint(words(row.speaker)) if row.speaker else None
        contradicts[i] = roles.contradicts(asked, row.text, called, speaks)
    # In talk, what somebody did is often told by whoever was there.
    return contradicts if asked.of_people else _of_facts(pool, contradicts)


def verb(pool: "Pool") -> "Column":
    """PM-07: the verb, or one of its meaning, is there."""
    verbs = pool.query.tables.verbs
    asked = verbs.groups(pool.query.terms)
    if not asked:
        return _none(pool)
    return _each(pool, pool.said.meeting(verbs, asked))


def verb_and_topic(pool: "Pool") -> "Column":
    """PM-08: the verb is there, and so is something that it is asked of."""
    topic = [i for i, term in enumerate(pool.topic) if not pool.query.tables.verbs.of(term)]
    if not topic or len(topic) == len(pool.topic):
        return _none(pool)
    column: Column = verb(pool) * (pool.exact[:, topic].max(axis=1) > 0)
    return column


def most_words(pool: "Pool") -> "Column":
    """PM-09: nearly all words of the question are there."""
    if len(pool.topic) < 2:
        return _none(pool)
    return _of_facts(pool, _each(pool, pool.exact.mean(axis=1) >= _MOST))


def bridge(pool: "Pool") -> "Column":
    """PM-10: what the field calls it is there."""
    bridges = pool.query.tables.bridges
    asked = bridges.groups(pool.query.terms)
    if not asked:
        return _none(pool)
    return _each(pool, pool.said.meeting(bridges, asked))


def prefix(pool: "Pool") -> "Column":
    """PM-11: "what's the fix" asks for a note that begins with "Fix:"."""
    asked = _PREFIX.search(pool.query.folded)
    if asked is None:
        return _none(pool)
    return _each(pool, [row.text.casefold().startswith(f"{asked.group(1)}:") for row in pool.rows])


def policy(pool: "Pool") -> "Column":
    """PM-12: a policy is asked for, and this decides rather than mentions."""
    if _POLICY.search(pool.query.folded) is None:
        return _none(pool)
    return _each(pool, [_DECISION.search(row.text.casefold()) is not None for row in pool.rows])


def policy_of_another(pool: "Pool") -> "Column":
    """PM-13: a policy on something is asked for, and this does not name it."""
    asked = _POLICY.search(pool.query.folded)
    subject = asked.group(1) if asked is not None else None
    if subject is None or subject in STOP_WORDS:
        return _none(pool)
    return _each(pool, ~pool.said.with_stem(subject))


def duration(pool: "Pool") -> "Column":
    """PM-14: a duration is asked for, and here are digits and a unit."""
    if _ASKS_DURATION.search(pool.query.folded) is None:
        return _none(pool)
    return _each(pool, [_DURATION.search(row.text.casefold()) is not None for row in pool.rows])


def current(pool: "Pool") -> "Column":
    """PM-15: what holds now is asked for, and this says that it does."""
    if _ASKS_NOW.search(pool.query.folded) is None:
        return _none(pool)
    return _each(pool, [_NOW.search(row.text.casefold()) is not None for row in pool.rows])


def quantity(pool: "Pool") -> "Column":
    """PM-16: how many or how long is asked, and here is a number."""
    if not pool.query.asks_number:
        return _none(pool)
    return _each(pool, pool.said.naming(NUMBER))


def roster(pool: "Pool") -> "Column":
    """PM-17: who belongs to a group is asked, and here are several names."""
    asked = _ASKS_WHO.search(pool.query.folded)
    if asked is None or _GROUP.search(pool.query.folded, asked.end()) is None:
        return _none(pool)
    return _each(pool, [len(proper_nouns(row.text)) >= _ROSTER_MIN for row in pool.rows])


def use(pool: "Pool") -> "Column":
    """PM-18: what was used is asked, and this deploys, hosts or runs on it."""
    if USE.isdisjoint(words(pool.query.folded)):
        return _none(pool)
    return _each(pool, pool.said.meeting(used, frozenset({"use"})))


def nothing_shared(pool: "Pool") -> "Column":
    """PM-19: how far not one word of the question is there, nor one like it, nor one that stands for it."""
    if not pool.topic:
        return _none(pool)
    shared = np.maximum(pool.alike.max(axis=1, initial=0.0) / SHARED, np.maximum(verb(pool), bridge(pool)))
    return _of_facts(pool, np.maximum(0, 1 - shared))


def first_person(pool: "Pool") -> "Column":
    """PM-64: the asker asks of themselves, and this is said of oneself."""
    if not pool.query.of_self:
        return _none(pool)
    return _each(pool, pool.said.naming(SELF))
