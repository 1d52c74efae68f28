"""The signals that order candidates: one table, each signal pure, named, weighed and switchable.

A score is the sum of weight times signal. Signals lie between 0 and 1, the weights say how much each counts
and carry the sign. They were fitted (listwise, by `make bench-recall`) on conversations of the LoCoMo
benchmark and judged on conversations that the fit had not seen; a signal that only knows what talk is like
says nothing of memories that are no turns of a conversation.

`words` and `meaning` are the two searches. `echo` is the lexical search with soft edges: how well each term
of the question is met by the nearest word of the text, by word vectors, so that "physician" is met by "doctor".
`covered` asks whether the turns around hold all terms together. Next come what stands around a candidate
(`before`, `after`, `answers`, `session`), who spoke, and what kind of answer is wanted. What a memory is worth beside
what it says comes last (`cognition.ranking.worth`): importance counts only as far as it is about the question at all.

Most signals say nothing of what was asked about: any memory may be new, or name a day. These lift nothing that is
about something else. What the topical signals give the best of a row's conversation (a memory that is no turn is one
by itself), as a share of what they give the best of all, is how relevant a row is; a signal `beside` the topic counts
from one share on and wholly from another.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from cognition import scoring
from cognition.ranking import rules
from cognition.ranking.pool import LENGTH_SATED, Column, Pool
from cognition.ranking.reading import TIME

# The one signal that is not asked of the whole pool, and of nobody where there is no model.
RERANKER: Final = "reranker"


class Share(NamedTuple):
    """From how relevant on something counts, and from how relevant on it counts wholly."""

    begins: float
    whole: float


# What a memory is worth decides between memories that are equally relevant, or nearly so.
AMONG_EQUALS: Final = Share(0.9, 1.0)
# What kind of answer it is decides among the more relevant ones.
AMONG_LIKE: Final = Share(0.5, 1.0)
# Who said it where decides among all that has to do with the question.
AMONG_RELATED: Final = Share(0.0, 0.3)
# By these it is known how relevant a memory is.
TOPICAL: Final = frozenset(
    {"words", "meaning", "echo", "covered", "before", "after", "answers", "phrase", "verb", "bridge", "graph"}
)


class Signal(NamedTuple):
    """One reason to rank a candidate higher (or lower, where the weight is negative)."""

    name: str
    weight: float
    of: Callable[[Pool], Column]
    says: str
    is_rule: bool = False
    """Whether it is one of the fourteen rules on predicates (`cognition.ranking.rules`)."""
    beside: Share | None = None
    """Between which shares of relevance it comes to count; None: it is about the topic, or takes away."""


class Scored(NamedTuple):
    """The outcome: a score for each row, and what each signal gave each row."""

    scores: Column
    contributions: Mapping[str, Column]


def _echo(pool: Pool) -> Column:
    column: Column = pool.alike @ pool.rarity
    return column


def _covered(pool: Pool) -> Column:
    around = pool.exact
    if pool.told.any():
        around = np.maximum.reduce([around, pool.at(around, -1), pool.at(around, 1)])
    column: Column = around @ pool.rarity
    return column


def _session(pool: Pool) -> Column:
    return pool.of_conversations(pool.evidence)


def _questions(pool: Pool) -> Column:
    return np.array(["?" in text for text in pool.all_of("text")], np.float64) * pool.told


def _speaker(pool: Pool) -> Column:
    names = pool.names
    return np.array([speaker in names for speaker in pool.all_of("speaker")], np.float64)


def _length(pool: Pool) -> Column:
    lengths = np.log1p(list(map(len, pool.all_of("text")))) / np.log(LENGTH_SATED)
    return np.where(pool.told > 0, np.minimum(1.0, lengths), 1.0)


def _opening(pool: Pool) -> Column:
    return np.array([position == 0 for position in pool.all_of("position")], np.float64)


def _when(pool: Pool) -> Column:
    if not pool.query.asks_when:
        return np.zeros(len(pool))
    return pool.said.naming(TIME).astype(np.float64)


def _graph(pool: Pool) -> Column:
    if not pool.connected:
        return np.zeros(len(pool))
    return np.array([number in pool.connected for number in pool.all_of("id")], np.float64)


def _use(pool: Pool) -> Column:
    return scoring.access_boost(pool.numbers("accesses")) - 1


def _reranker(pool: Pool) -> Column:
    return np.zeros(len(pool))  # until it has judged the best of them: `cognition.reranking.mixing`


SIGNALS: Final = (
    Signal("words", 1.0, lambda pool: pool.held, "holds the words that were asked for (BM25)"),
    Signal("meaning", 2.5, lambda pool: pool.meaning, "is about the same (cosine)"),
    Signal("echo", 2.3, _echo, "has a word like each that was asked for"),
    Signal("covered", 1.5, _covered, "the turns around it hold all that was asked for"),
    Signal("before", 1.3, lambda pool: pool.at(pool.evidence, -2), "the turn two before fits"),
    Signal("after", 0.5, lambda pool: pool.at(pool.evidence, 2), "the turn two after fits"),
    Signal(
        "answers",
        1.4,
        lambda pool: pool.at(pool.evidence * _questions(pool), -1),
        "follows a question that fits",
    ),
    Signal("session", 2.6, _session, "its conversation has what fits best"),
    Signal("speaker", 2.4, _speaker, "was said by the one who is named", beside=AMONG_RELATED),
    Signal("length", 1.5, _length, "is long enough to say something", beside=AMONG_RELATED),
    Signal("question", -0.5, _questions, "asks rather than tells"),
    Signal("opening", 1.3, _opening, "opens its conversation", beside=AMONG_RELATED),
    Signal("when", 2.0, _when, "names a time, as was asked", beside=AMONG_LIKE),
    Signal("entity", -1.5, rules.entity_missing, "does not name whom or what was named", is_rule=True),
    Signal("phrase", 1.5, rules.phrase, "has the very words that were quoted, or the whole name"),
    Signal("role", -5.0, rules.role, "tells it the other way round: who did it is whom it was done to"),
    Signal("verb", 0.5, rules.verb, "has the verb, or one of its meaning", is_rule=True),
    Signal("verb and topic", 0.5, rules.verb_and_topic, "has the verb and what it is asked of", is_rule=True),
    Signal("most words", 0.5, rules.most_words, "has nearly all words of the question", is_rule=True),
    Signal("bridge", 1.0, rules.bridge, "has what the field calls it", is_rule=True),
    Signal("prefix", 2.0, rules.prefix, "is labelled as what was asked for", is_rule=True),
    Signal("policy", 1.0, rules.policy, "decides, as a policy does", is_rule=True, beside=AMONG_LIKE),
    Signal("other policy", -1.0, rules.policy_of_another, "is no policy on what was asked", is_rule=True),
    Signal(
        "duration", 1.0, rules.duration, "names a duration, as was asked", is_rule=True, beside=AMONG_LIKE
    ),
    Signal(
        "current", 1.0, rules.current, "says that it holds now, as was asked", is_rule=True, beside=AMONG_LIKE
    ),
    Signal("quantity", 0.7, rules.quantity, "names a number, as was asked", is_rule=True, beside=AMONG_LIKE),
    Signal(
        "roster", 1.0, rules.roster, "names several people, as was asked", is_rule=True, beside=AMONG_LIKE
    ),
    Signal("used", 1.0, rules.use, "says what was used", is_rule=True, beside=AMONG_LIKE),
    Signal("nothing shared", -1.5, rules.nothing_shared, "has no word of the question", is_rule=True),
    Signal("self", 0.5, rules.first_person, "is said of oneself, as was asked"),
    Signal("graph", 1.0, _graph, "names what is connected to the question"),
    Signal(
        "strength",
        scoring.BASE_WEIGHTS["decay"],
        lambda pool: pool.worth.strength,
        "matters, and has not faded",
        beside=AMONG_EQUALS,
    ),
    Signal(
        "recency",
        scoring.BASE_WEIGHTS["recency"],
        lambda pool: pool.worth.recency,
        "is new",
        beside=AMONG_EQUALS,
    ),
    Signal(
        "importance",
        1.0,
        lambda pool: pool.worth.importance,
        "matters, and is about this",
        beside=AMONG_EQUALS,
    ),
    Signal("mood", 1.0, lambda pool: pool.worth.mood, "feels as the question does", beside=AMONG_EQUALS),
    Signal("use", 0.4, _use, "is often recalled", beside=AMONG_EQUALS),
    Signal(RERANKER, 4.0, _reranker, "answers, to a model that holds question and text side by side"),
)
WEIGHTS: Final[Mapping[str, float]] = {signal.name: signal.weight for signal in SIGNALS}


def score(pool: Pool, weights: Mapping[str, float] = WEIGHTS) -> Scored:
    """Return every row's score; a signal that has no weight, or weight 0, is not even asked."""
    given = {
        signal.name: weight * signal.of(pool)
        for signal in SIGNALS
        if (weight := weights.get(signal.name, 0.0))
    }
    relevant = _relevance(pool, given)
    counting = {share: _counting(relevant, share) for share in (AMONG_EQUALS, AMONG_LIKE, AMONG_RELATED)}
    total = np.zeros(len(pool))
    for signal in SIGNALS:
        if signal.name in given:
            if signal.beside is not None:
                given[signal.name] = given[signal.name] * counting[signal.beside]
            total += given[signal.name]
    return Scored(total, given)


def _relevance(pool: Pool, given: Mapping[str, Column]) -> Column:
    """Return how relevant every row is, as a share of the most relevant; where none is, all are alike.

    Where any row has a word of the question, or one like it, what has none is not relevant at all.
    """
    about = sum(
        (given[signal.name] for signal in SIGNALS if signal.name in TOPICAL & given.keys()),
        np.zeros(len(pool)),
    )
    by_words = about * (1 - rules.nothing_shared(pool))
    about = pool.of_conversations(by_words if by_words.any() else about)
    most = about.max(initial=0.0)
    return about / most if most > 0 else np.ones(len(pool))


def _counting(relevant: Column, share: Share) -> Column:
    counted: Column = np.clip((relevant - share.begins) / (share.whole - share.begins), 0, 1)
    return counted
