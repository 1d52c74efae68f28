"""The candidates of one query, side by side: a row each, and columns that signals are computed from.

Columns are arrays, so that a signal is one expression over all candidates. What stands next to what is in
the pool too: in a conversation the answer is often next door to the words of the question, so a candidate
knows the rows of the turns around it, as far as they are candidates themselves.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cognition.contradictions.selves import Selves, is_assistant
from cognition.decay import PROFILE_DEFAULT, PROFILES, DecayProfile, Lives
from cognition.ranking import scoring
from cognition.ranking.nicknames import stands_in
from cognition.ranking.query import Query
from cognition.ranking.reading import NO_STEM, Glossary, TextWords
from cognition.ranking.stem import stem
from cognition.words import words

Column = NDArray[np.float64]
Rows = NDArray[np.int64]

# Turns on each side that are looked at, and brought in (ML-65).
NEAR: Final = (-2, -1, 1, 2)
# Names of speakers that are remembered by their stems: a household, and all whom it talks to.
_NAMES_KEPT: Final = 4_096
# A word that is less like a term than this is not like it at all: any two words have some cosine.
LIKE_MIN: Final = 0.3
# A text with less than this share of a term's runs of letters has nothing spelled like it; with nearly all, a form.
SPELLED_MIN: Final = 0.4
SPELLED_SPAN: Final = 0.5
# What another form of a name counts: less than the name itself, which may be somebody else's.
CALLED_SO: Final = 0.9
# What a kind of the thing that was asked for counts, or another word for it.
STANDS_FOR: Final = 0.8
# BM25 over grams: how soon more of the same says no more, and how much the length of a text counts.
_SATED: Final = 1.2
_BY_LENGTH: Final = 0.75
# Rows whose texts are read once more for how they say it.
LEADING_MAX: Final = 48
# Hashes of grams: of those of a question, hardly two share one.
_GRAM_HASHES: Final = 1 << 16
_MIXES: Final = np.uint64(0x9E3779B97F4A7C15)
# Grams of a question that are looked for: those of some forty words.
_GRAMS_MAX: Final = 512


class WordLikeness(Protocol):
    """Knows how like words are to each other."""

    @property
    def glossary(self) -> Glossary:
        """What is known of words beside their likeness; a pool keeps to the one it began with."""
        ...

    def cosines(
        self, glossary: Glossary, which: NDArray[np.int64], terms: Sequence[str]
    ) -> NDArray[np.float32]:
        """Return a row for each word of a glossary, by numbers that rise, and a column for each term."""
        ...

    def weigh(self, terms: Sequence[str]) -> Column:
        """Return how telling each term is, as against the others."""
        ...


class CandidateRow(NamedTuple):
    """One candidate, as the store has it."""

    id: int
    rid: bytes
    content: int
    text: str
    speaker: str | None
    conversation: str | None
    position: int | None
    time_ms: int
    importance: float | None
    accesses: int
    last_access: int
    type: str | None = None
    certainty: float | None = None
    valence: float | None = None
    half_life_s: float | None = None
    updated_ms: int = 0
    mentions: int | None = None
    """How often it was told; None where that was once."""
    event_start: int | None = None
    event_end: int | None = None
    """When it happens, in ms; the end may be unknown."""
    repeats: str | None = None
    """The rule by which it happens again (`cognition.reminding.repeating`)."""
    about: str = ""
    """The words of its date and labels."""
    permitted: int = 1
    """Whether the filters let it through; 0 or 1, as SQLite has it."""


class Worth(NamedTuple):
    """What candidates are worth beside what they say: that they matter, have not faded, are new, and feel as asked.

    This is the composite score of YantrikDB's paper, taken apart: a weighted sum of similarity, strength and recency
    (and of the graph, where it was followed), raised by importance as far as the memory is relevant at all, times a
    factor for its mood. Its parts stand in the table of signals as they stand in that score, so that each has a name,
    can be switched off, and shows in an explanation. Together with the similarity, which other signals say better, they
    add up to it: `composite`.

    Importance is what somebody set. Where nobody did, it is the salience that follows from what became of a memory: how
    sure its source was, how often it was told again and recalled, and how much of it has not faded.
    """

    strength: Column
    recency: Column
    importance: Column
    mood: Column
    composite: Column


@dataclass(frozen=True)
class Pool:
    """All candidates of a query.

    `words` is BM25 over its best, `meaning` the cosine, neither below 0, both less where the source was doubtful.
    `standing` is the cosine in spreads above the middle of the store's.
    """

    query: Query
    rows: Sequence[CandidateRow]
    words: Column
    meaning: Column
    now_ms: int
    lexicon: WordLikeness | None = None
    # The numbers of rows that the graph connects with the question.
    connected: frozenset[int] = frozenset()
    # How memories fade.
    profile: DecayProfile = PROFILES[PROFILE_DEFAULT]
    believed: Mapping[int, float] = field(default_factory=dict)
    """How far these memories, by number, say what is believed of what is asked for: 1, or 0 where it was replaced."""
    then: frozenset[int] = frozenset()
    """The numbers of memories that say what held at the time in the past that is asked for."""
    selves: Selves = field(default_factory=Selves)
    """By what names who asks is called."""
    standings: Column | None = None
    """The cosine in spreads above the middle of the store's; None where no vector was looked at."""
    zone: tzinfo = UTC
    """By whose clock who asks means a day."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _fields(self) -> dict[str, tuple[Any, ...]]:
        return dict(zip(CandidateRow._fields, zip(*self.rows, strict=True), strict=True)) if self.rows else {}

    def all_of(self, field: str) -> tuple[Any, ...]:
        """Return one field of every row."""
        return self._fields.get(field, ())

    def numbers(self, field: str, unset: float = 0.0) -> Column:
        """Return a field that holds numbers as a column, with something for where it is not set."""
        if (field, unset) not in self._columns:
            self._columns[field, unset] = self._made(field, unset)
        return self._columns[field, unset]

    @cached_property
    def _columns(self) -> dict[tuple[str, float], Column]:
        """What several signals ask for."""
        return {}

    def _made(self, field: str, unset: float) -> Column:
        values = self.all_of(field)
        if are_unset(values):
            return np.full(len(values), unset)
        column = np.array(values, np.float64)  # None is NaN there
        missing = np.isnan(column)
        return np.where(missing, unset, column) if missing.any() else column

    @cached_property
    def none(self) -> Column:
        """A signal that says nothing of any candidate: the same column for all that do, and nobody writes into it."""
        column = self.blank()
        column.flags.writeable = False
        return column

    def blank(self) -> Column:
        """Return a column of zeros to write into."""
        return np.zeros(len(self))

    def once(self, of: "Callable[[Pool], Column]") -> Column:
        """Return a column that takes long and that more than a signal asks for; nobody writes into it."""
        if of not in self._made_once:
            self._made_once[of] = of(self)
        return self._made_once[of]

    @cached_property
    def _made_once(self) -> "dict[Callable[[Pool], Column], Column]":
        return {}

    def column(self, says: "Sequence[float] | NDArray[np.bool_]") -> Column:
        """Return 1 for each candidate of which something is so, or how far it is."""
        return np.array(says, np.float64).reshape(len(self))

    def of_facts(self, column: Column) -> Column:
        """Keep what is said of memories that stand alone: a turn of talk need not name what the talk is about."""
        kept: Column = column * (1 - self.told)
        return kept

    @cached_property
    def names(self) -> frozenset[str]:
        """The speakers of the pool whom the query names."""
        speakers = self.all_of("speaker")
        return frozenset() if are_unset(speakers) else self.query.names({who for who in speakers if who})

    @cached_property
    def topic(self) -> tuple[str, ...]:
        """What is asked about, without the names of speakers."""
        return self.query.topic(self.names)

    def spoken_by(self, stems: Set[str]) -> NDArray[np.bool_]:
        """Return which rows somebody said whose name has any of some stems."""
        speakers = self.all_of("speaker")
        named = {who for who in {*speakers} if not stems.isdisjoint(_stems_of(who))}
        return np.array([who in named for who in speakers], np.bool_)

    @cached_property
    def near(self) -> dict[int, Rows]:
        """For each distance in NEAR, the row of the turn that far away in the same conversation, or -1."""
        turns: list[tuple[int, dict[int, int], int]] = []
        by_conversation: dict[object, dict[int, int]] = {}
        for row, (conversation, position) in enumerate(
            zip(self.all_of("conversation"), self.all_of("position"), strict=True)
        ):
            if position is not None:
                at = by_conversation.setdefault(conversation, {})
                at[position] = row
                turns.append((row, at, position))
        which = [row for row, _, _ in turns]
        found = {step: np.full(len(self.rows), -1, np.int64) for step in NEAR}
        for step, rows in found.items():
            rows[which] = [at.get(position + step, -1) for _, at, position in turns]
        return found

    @cached_property
    def conversations(self) -> Rows:
        """A number for each row's conversation; a memory that is no turn is one by itself."""
        numbers: dict[object, int] = {}
        return np.array(
            [
                numbers.setdefault(conversation or (number,), len(numbers))
                for number, conversation in zip(self.all_of("id"), self.all_of("conversation"), strict=True)
            ],
            np.int64,
        )

    @cached_property
    def told(self) -> Column:
        """1 where the row is a turn of a conversation."""
        positions = self.all_of("position")
        if are_unset(positions):
            return self.none
        return np.array([position is not None for position in positions], np.float64)

    @cached_property
    def has_turns(self) -> bool:
        """Whether any row is a turn of a conversation."""
        return bool(self.told.any())

    @cached_property
    def asking(self) -> Column:
        """1 where a turn of a conversation asks something."""
        if not self.has_turns:
            return self.none
        return np.array(["?" in text for text in self.all_of("text")], np.float64) * self.told

    @cached_property
    def with_verb(self) -> Column:
        """1 where the verb of the question is, or one of its meaning."""
        verbs = self.query.tables.verbs
        asked = verbs.groups(self.query.terms)
        return self.column(self.said.meeting(verbs, asked)) if asked else self.none

    @cached_property
    def with_bridge(self) -> Column:
        """1 where the field's own word for something in the question is."""
        bridges = self.query.tables.bridges
        asked = bridges.groups(self.query.terms)
        return self.column(self.said.meeting(bridges, asked)) if asked else self.none

    @cached_property
    def standing(self) -> Column:
        """The cosine in spreads above the middle of the store's; 0 where no vector was looked at."""
        return self.none if self.standings is None else self.standings

    @cached_property
    def _runs_of_topic(self) -> list[tuple[list[int], list[int]]]:
        """For each term of the topic: a hash for each run of three letters, its ends included, and for each of four."""
        spelled = [f" {term} " for term in self.topic]
        threes, fours = (some.tolist() for some in _grams("".join(spelled)))
        ends = [*accumulate(map(len, spelled), initial=0)]
        return [(threes[start : end - 2], fours[start : end - 3]) for start, end in pairwise(ends)]

    @cached_property
    def _runs(self) -> tuple[Rows, Column, Column]:
        """The question's runs of three and four letters; row by run: how often it is there; and the rows' lengths."""
        # No `np.unique`: that loads masked arrays first, which takes as long as a recall.
        runs = {run for some in self._runs_of_topic for each in some for run in each}
        sought = np.array(sorted(runs)[:_GRAMS_MAX], np.int64)
        place = np.full(_GRAM_HASHES, -1, np.int16)
        place[sought] = np.arange(len(sought))
        texts, labels, apart = self.all_of("text"), self.all_of("about"), "   "
        if any(labels):
            texts, apart = tuple([f"{text} {about}" for text, about in zip(texts, labels, strict=True)]), "  "
        whole = apart.join(texts)
        if whole.isascii():
            whole = whole.lower()
        else:  # each by itself, since most are plain all the same and take no time; "ß" becomes two letters
            texts = tuple([text.casefold() for text in texts])
            whole = apart.join(texts)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + len(apart)
        # A run that reaches into the next text begins with its last letter or two: a space, which ends no word.
        first = np.repeat(np.arange(len(texts)) * len(sought), lengths)
        places = []
        for run in _grams(f" {whole}{apart[1:]}"):
            which = place[run]
            (held,) = (which >= 0).nonzero()
            places.append(first[held] + which[held])
        often = np.bincount(np.concatenate(places), minlength=len(texts) * len(sought)).astype(np.float64)
        return sought, often.reshape(len(texts), len(sought)), lengths.astype(np.float64)

    @cached_property
    def grams(self) -> Column:
        """BM25 over runs of three and four letters, as a share of the best that a text could have."""
        sought, table, lengths = self._runs
        if not len(sought) or not len(self):
            return self.none
        holding = np.add.reduce(self._with_runs, axis=0)
        rarity = np.log1p((len(self) - holding + 0.5) / (holding + 0.5))
        usual = lengths.sum() / len(self)
        shortened = _SATED * (1 - _BY_LENGTH + _BY_LENGTH * lengths / usual)
        said = table * (_SATED + 1) / (table + shortened[:, None])
        column: Column = said @ rarity / (rarity.sum() * (_SATED + 1))
        return column

    @cached_property
    def _with_runs(self) -> Column:
        """Row by run: 1 where it is there."""
        _, table, _ = self._runs
        return (table > 0).astype(np.float64)

    @cached_property
    def met(self) -> Column:
        """Row by term: how far the row has the term, or a word like it, or one that is spelled much like it."""
        sought, _, _ = self._runs
        at = {run: place for place, run in enumerate(sought.tolist())}
        of_term = np.zeros((len(sought), len(self.topic)))
        for place, (threes, _) in enumerate(self._runs_of_topic):
            runs = [at[run] for run in threes if run in at]
            for run in runs:
                of_term[run, place] += 1
        counts = of_term.sum(axis=0)
        spelled = (self._with_runs @ of_term) / np.maximum(counts, 1)
        column: Column = np.maximum(self.alike, _share((spelled - SPELLED_MIN) / SPELLED_SPAN))
        return column

    @cached_property
    def named_only(self) -> Column:
        """How far a row names whom or what the question names and holds nothing of what is asked of them."""
        named = [at for at, term in enumerate(self.topic) if term in self.query.proper_nouns]
        rest = [at for at, term in enumerate(self.topic) if term not in self.query.proper_nouns]
        worth = self.rarity[rest]
        if not named or not worth.sum():
            return self.none
        column: Column = self.met[:, named].mean(axis=1) * (1 - self.met[:, rest] @ (worth / worth.sum()))
        return column

    @cached_property
    def worth(self) -> Worth:
        """What each row is worth beside what it says."""
        return _worth_of(self)

    @cached_property
    def held(self) -> Column:
        """`words`, as far as any row covers what was asked: the best of those that hold "day" alone is no good one."""
        covered = (self.exact @ self.rarity).max(initial=0.0) if self.topic else 1.0
        column: Column = self.words * covered
        return column

    @cached_property
    def evidence(self) -> Column:
        """What words and meaning say together, before anything else is asked."""
        column: Column = self.held + 0.5 * self.meaning
        return column

    @cached_property
    def leading(self) -> list[int]:
        """The rows that are looked at more closely: those for which words and meaning say most."""
        order: list[int] = np.argsort(-self.evidence, kind="stable").tolist()
        return order[:LEADING_MAX]

    @cached_property
    def telling(self) -> list[int]:
        """The rows that state what is asked for of whom it is asked, where it asks for one thing; the latest last."""
        asked = self.query.asked
        if asked is None:
            return []
        rows = [
            i
            for i in self.leading
            if asked.tells(self.rows[i].text) and not (asked.of_self and is_assistant(self.rows[i].speaker))
        ]
        return sorted(rows, key=lambda i: (self.rows[i].time_ms, self.rows[i].id))

    @cached_property
    def said(self) -> TextWords:
        """What the rows say, word by word."""
        glossary = Glossary() if self.lexicon is None else self.lexicon.glossary
        return TextWords(glossary, self.all_of("text"), self.all_of("about"))

    @cached_property
    def exact(self) -> Column:
        """Row by term: 1 where the row holds a form of the term."""
        held = np.zeros((len(self.rows), len(self.topic)))
        for at, term in enumerate(self.topic):
            held[:, at] = self.said.with_stem(term)
        return held

    @cached_property
    def rarity(self) -> Column:
        """What each term of the topic is worth: the fewer rows hold it and the more it tells, the more. Sums to 1."""
        worth = np.log1p(len(self.rows) / (1 + self.exact.sum(axis=0)))
        if self.lexicon is not None and self.topic:
            worth = worth * self.lexicon.weigh(self.topic)
        total = worth.sum()
        column: Column = worth / total if total else worth
        return column

    @cached_property
    def alike(self) -> Column:
        """Row by term: how like the row's nearest word is to the term, 1 for a form of the term itself."""
        column = self.exact
        if self.lexicon is not None and self.topic:
            like = self._nearest(self.lexicon)
            column = np.maximum(self.exact, _share((like - LIKE_MIN) / (1 - LIKE_MIN)))
        for at, term in enumerate(self.topic):
            if term in self.query.called:
                column = column.copy()  # without a lexicon it is `exact` itself
                column[:, at] = np.maximum(column[:, at], CALLED_SO * self.called[term])
            if kinds := self.query.kinds.get(term, ()):
                there = self.said.with_any(kinds)
                column = column.copy()
                column[:, at] = np.maximum(column[:, at], np.where(there, STANDS_FOR, 0.0))
        return column

    def _nearest(self, lexicon: WordLikeness) -> Column:
        """Return, row by term, the cosine of the row's word that is most like it; 0 for a row without words."""
        said = self.said
        near = np.zeros((len(self.rows), len(self.topic)))
        telling = said.stems != NO_STEM
        words = said.words[telling]
        if not len(words):
            return near
        # Each word once: most stand in many texts.
        here = np.zeros(words.max() + 1, np.bool_)
        here[words] = True
        (which,) = here.nonzero()
        place = np.empty(len(here), np.int64)
        place[which] = np.arange(len(which))
        cosines = lexicon.cosines(said.glossary, which, self.topic)
        texts = said.texts[telling]
        is_first = np.ones(len(texts), np.bool_)
        np.not_equal(texts[1:], texts[:-1], out=is_first[1:])
        (starts,) = is_first.nonzero()
        near[texts[starts]] = np.maximum.reduceat(cosines[place[words]], starts, axis=0)
        return near

    @cached_property
    def called(self) -> dict[str, Column]:
        """For each name that has other forms, 1 where the row has somebody of one of these."""
        found = {name: np.zeros(len(self.rows)) for name in self.query.called}
        for name, forms in self.query.called.items():
            for i in np.flatnonzero(self.said.with_any(forms)).tolist():
                found[name][i] = stands_in(self.rows[i].text, self.said.telling(i), forms)
        return found

    def of_conversations(self, column: Column) -> Column:
        """Return for each row the best of its conversation, or 0."""
        if not any(self.all_of("conversation")):
            return np.maximum(column, 0.0)  # all stand by themselves
        best = np.zeros(len(self.rows))
        np.maximum.at(best, self.conversations, column)
        return best[self.conversations]

    def at(self, column: Column, step: int) -> Column:
        """Return a column as seen by the row `step` turns away: 0 where nobody stands there."""
        if not self.has_turns:
            return self.none if column.ndim == 1 else np.zeros_like(column)
        rows = self.near[step]
        missing = (rows < 0) if column.ndim == 1 else (rows < 0)[:, None]
        return np.where(missing, 0.0, column[rows])


def are_unset(values: Sequence[object]) -> bool:
    """Say whether none of some values is set, as of most fields in most stores.

    The first is looked at by itself: to compare numbers with None takes longer than to make a column of them.
    """
    return not values or (values[0] is None and values.count(None) == len(values))


def _share(column: Column) -> Column:
    """Return numbers held between 0 and 1. Not by `np.clip`, which asks more than it does."""
    held: Column = np.minimum(np.maximum(column, 0.0), 1.0)
    return held


@lru_cache(_NAMES_KEPT)
def _stems_of(name: str | None) -> frozenset[str]:
    return frozenset(map(stem, words(name))) if name else frozenset()


def _grams(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a hash for each run of three letters, and for each of four; of a text that is shorter, none."""
    if text.isascii():
        letters = np.frombuffer(text.encode(), np.uint8).astype(np.uint64)
    else:
        letters = np.frombuffer(text.encode("utf-32-le", errors="replace"), np.uint32).astype(np.uint64)
    mixed = letters * _MIXES
    found = []
    for at in (1, 2, 3):
        mixed = mixed[:-1]
        mixed ^= letters[at:]
        mixed *= _MIXES
        if at > 1:
            found.append(mixed >> np.uint64(48))  # 16 bits, which are the same as a signed number
    threes, fours = found
    return threes.view(np.int64), fours.view(np.int64)


def _worth_of(pool: Pool) -> Worth:
    """Return what the candidates of a pool are worth."""
    now_ms = pool.now_ms
    decay = pool.profile.column(_lives(pool), now_ms)
    derived = scoring.salience(
        confidence=pool.numbers("certainty", 1.0),
        reinforcements=_told_again(pool.all_of("mentions")),
        accesses=pool.numbers("accesses"),
        decay=decay,
    )
    told = pool.numbers("importance", np.nan)
    importance = np.where(np.isnan(told), derived, told)
    signals = {
        "similarity": pool.meaning,
        "decay": importance * decay,
        "recency": scoring.recency(now_ms - pool.numbers("time_ms")),
    }
    weights = scoring.BASE_WEIGHTS
    if pool.connected:
        signals["graph"] = np.array([number in pool.connected for number in pool.all_of("id")], np.float64)
        weights = scoring.GRAPH_WEIGHTS
    base = scoring.base(signals, weights)
    raised = scoring.amplified(base, similarity=pool.meaning, importance=importance)
    valence, felt = pool.numbers("valence"), raised
    if valence.any():  # few memories say how they feel
        felt = raised * scoring.valence_boost(valence, _alignment(valence, pool.query.mood))
    return Worth(signals["decay"], signals["recency"], raised - base, felt - raised, felt)


def _alignment(valence: Column, mood: int) -> Column:
    """Return 1 where moods agree and -1 where they oppose; a neutral question agrees with both (YD-21)."""
    agrees: Column = np.where(valence * mood < 0, -1.0, 1.0)
    return agrees


def _told_again(mentions: Sequence[object]) -> Column:
    """Return how often each was told again: 0 where whoever labelled it meant something else by mentions."""
    column: Column = np.zeros(len(mentions))
    if mentions.count(None) < len(mentions):  # few stores tell anything twice
        column[:] = [count - 1 if type(count) is int and count > 0 else 0 for count in mentions]
    return column


def _lives(pool: Pool) -> Lives:
    """Return what strength depends on; a recall that a wrong clock stamped ahead of now does not count."""
    recalled_ms = pool.numbers("last_access")
    return Lives(
        pool.all_of("type"),
        pool.numbers("time_ms"),
        pool.numbers("updated_ms"),
        np.where((recalled_ms > 0) & (recalled_ms <= pool.now_ms), recalled_ms, np.nan),
        pool.numbers("half_life_s", np.nan),
    )
