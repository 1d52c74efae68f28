"""Find what memories that came say otherwise than older ones, and claim both sides, so that it comes to be noticed.

Beside the strict reading of statements, which knows what is said of whom, stands the comparing of typed values
(`cognition.grammar`): it needs both texts, and how alike they are, so it is done behind the writing, when a device
thinks. What it finds it writes as claims of one slot on both memories. From then on the contradiction is a function of
ops like any other: it is the same on devices that have no vectors, another model or other words.

A memory is compared once, with the older ones nearest in meaning and with those that share a name with its subject. One
that claims nothing is with none: what was told here, or brought in, is asked for that when it is read
(`cognition.ingest.gate`), and what came from other devices when they think.
"""

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from cognition.contradictions.relations import THIS
from cognition.contradictions.slots import SettledBy, taken_back
from cognition.contradictions.tables import judged_of, need_no_comparing
from cognition.contradictions.telling import NAME_CHARACTERS_MAX
from cognition.contradictions.values import ENDED, about, compatible, folded
from cognition.contradictions.wording import NoMore, no_more
from cognition.filters import Filters
from cognition.grammar.lexicon import level
from cognition.grammar.pairing import EXACT, Disagreement, disagreements
from cognition.grammar.translating import in_words_of
from cognition.grammar.typed import TypedReading, states_nothing, told_by
from cognition.grammar.typed import read_claims as read_typed
from cognition.judging.nominating import Vectorized, answered, labels_of, may_be_compared
from cognition.judging.nominees import LABELLED
from cognition.memories import CHARACTERS_MAX, EACH, Shown, read_memories
from cognition.search.passes import by_match
from cognition.words import OWNER, quoted
from replica import Claim, Core, OpRef, Write, derived_transaction, numbers_with_facts
from replica.limits import NAMES_MAX
from replica.reads.claims import claims_of
from replica.reads.texts import last_edits

# Memories that one look takes up at most, and for how long: where they claim anything they take a few milliseconds
# each, and others wait for the store; where they claim nothing, many are done with in one write.
LOOKED_AT_MAX: Final = 128
LOOK_S: Final = 0.03
# Of those that share a name, as many as the best by words are compared.
_NAMED_MAX: Final = 24
_SUBJECT_WORDS_MAX: Final = 6
# What is found of one memory beyond this is a list told anew, and no contradiction.
FOUND_MAX: Final = 3

# What is left to whoever answers the nominees: of 63 finds of these kinds among 7,217 pairs of notes by people who
# had not seen the rules, 22 were contradictions, and the others looked alike or said the same.
JUDGED_ONLY: Final = frozenset({"count", "year", "floor", "duration", "role"})
# What one likes another may not.
_TASTES: Final = frozenset(["likes", "dislikes"])
# Under which relation each kind of value is claimed.
_RELATIONS: Final = {
    "born": "born", "age": "born", "origin": "comes_from",
    "home": "lives_in", "work": "works_at", "birthday": "birthday", "allergy": "allergy", "identifier": "number",
    "called": "called", "name": "name", "number": "number", "year": "since", "monthday": "day", "holder": "role",
    "owner": "owner", "role": "role", "likes": "attitude", "dislikes": "attitude", "money": "price", "clock": "time",
    "weekday": "day", "identity": "is",
    "until": "until", "feast": "day", "trade": "occupation", "siblings": "siblings",
    "duration": "duration", "mass": "dose", "dose": "dose",
}  # fmt: skip
_YEAR_MS: Final = 31_557_600_000
OTHER_RELATION: Final = "amount"
# Below this a dose is told of and not asked about.
ASKED_FROM: Final = 0.85


class DisagreeingPair(NamedTuple):
    """Two memories that disagree, the one that was told first before the other, and in what."""

    older: Shown
    newer: Shown
    of: Disagreement


def waiting(connection: sqlite3.Connection) -> list[int]:
    """Return the numbers of some memories that nobody compared yet, the oldest first."""
    return [
        number
        for (number,) in connection.execute(
            "SELECT id FROM claim_unread ORDER BY id LIMIT ?", (LOOKED_AT_MAX,)
        )
    ]


def find(
    connection: sqlite3.Connection,
    numbers: Sequence[int],
    vector_of: Callable[[sqlite3.Connection, int], Vectorized | None],
) -> tuple[list[DisagreeingPair], Sequence[int]]:
    """Return what some of these memories, the first ones, and older ones say against each other; and which they are."""
    found: list[DisagreeingPair] = []
    readings = _Readings()
    shown = {told.id: told for told in read_memories(connection, numbers, characters=CHARACTERS_MAX)}
    began = time.monotonic()
    for done, number in enumerate(numbers):
        if done and time.monotonic() - began > LOOK_S:
            return found, numbers[:done]
        told = shown.get(number)
        if told is None or (
            "parent" in told.memory.fields
            or "block" in told.memory.fields
            or told.memory.fields.get("archived")
        ):
            continue
        if not states_nothing(told.memory.text):
            found += _against(connection, told, readings, vector_of)
    return found, numbers


def write(
    core: Core,
    connection: sqlite3.Connection,
    found: Iterable[DisagreeingPair],
    numbers: Sequence[int],
    now_ms: int,
) -> None:
    """Claim both sides of each, unless one stands between the two already; these memories are compared now."""
    for each in found:
        entity, relation = _slot_of(each)
        if max(len(entity), len(relation), len(each.of.before), len(each.of.now)) > NAME_CHARACTERS_MAX:
            continue
        before, now = (
            _value(connection, each, it, told)
            for it, told in ((each.older, each.of.before), (each.newer, each.of.now))
        )
        if compatible(before, now) or _stands(connection, each):
            continue
        claims = [
            _claim(core, connection, it, entity, relation, value)
            for it, value in ((each.older, before), (each.newer, now))
        ]
        core.commit([claim for claim in claims if claim is not None], now_ms)
    with derived_transaction(connection):
        need_no_comparing(connection, numbers)


def _value(connection: sqlite3.Connection, found: DisagreeingPair, it: Shown, told: str) -> str:
    """Return under which value a side is claimed: who is as old as that was born in about this year."""
    if found.of.kind != "age":
        return told
    age = int(float(told))
    return about(time.gmtime(_told_ms(connection, [it])[it.id] / 1_000).tm_year - age)


def _against(
    connection: sqlite3.Connection,
    told: Shown,
    readings: "_Readings",
    vector_of: Callable[[sqlite3.Connection, int], Vectorized | None],
) -> list[DisagreeingPair]:
    reading = readings.of(told)
    by_meaning = vector_of(connection, told.id)
    near = [] if by_meaning is None else by_meaning.near(connection, told)
    likeness = {
        it.id: cosine - (LABELLED if labels_of(told) or labels_of(it) else 0)
        for it, cosine in near
        if cosine is not None
    }
    known = {it.id: it for it, _ in near}
    kinds = {claim.kind for claim in reading.claims}
    kinds |= _TASTES if kinds & _TASTES else frozenset()
    if kinds & EXACT:
        known |= {it.id: it for it in _named(connection, told, reading)}
    judged = answered(connection, told.rid) if known else frozenset()
    comparable = [
        it
        for it in known.values()
        if it.rid not in judged
        and it.memory.fields.get("parent") is None
        and not kinds.isdisjoint(claim.kind for claim in readings.of(it).claims)
    ]
    when_ms = _told_ms(connection, [told, *known.values()]) if comparable else {}
    found: list[DisagreeingPair] = []
    for it in comparable:
        theirs = readings.of(it)
        older, newer = (it, told) if when_ms[it.id] <= when_ms[told.id] else (told, it)
        before, now = (theirs, reading) if older is it else (reading, theirs)
        if by_meaning is not None:
            texts = older.memory.text, newer.memory.text
            now = in_words_of(before, now, *texts, by_meaning.by_meaning.of_words)
        cosine = likeness.get(it.id)
        years = (when_ms[newer.id] - when_ms[older.id]) / _YEAR_MS
        for of in disagreements(before, now, cosine or 0.0, years):
            if of.kind in JUDGED_ONLY and not of.in_same_words:
                continue
            if (
                (cosine is not None or of.kind in EXACT)
                and _of_one(older, newer, of)
                and not any(
                    _ends(readings.no_more(each), of, now)
                    for each in known.values()
                    if each is not it and when_ms[older.id] <= when_ms[each.id] <= when_ms[newer.id]
                )
            ):
                found.append(DisagreeingPair(older, newer, of))
                break
    found.sort(key=lambda each: (-each.of.sureness, -each.older.id))
    return found[:FOUND_MAX]


def _ends(said: NoMore | None, of: Disagreement, now: TypedReading) -> bool:
    """Say whether a sentence that ends something, told between the two, ends what was said at the first."""
    if said is None or not said.ends(of.before):
        return False
    return any(
        (each.kind, each.entity, each.before) == (of.kind, of.entity, of.before)
        for each in disagreements(read_typed(said.sentence), now, 0.0)
    )


class _Readings:
    """What memories claim: of one look each is read once, however many are compared with it."""

    def __init__(self) -> None:
        self._by_id: dict[int, TypedReading] = {}
        self._ended: dict[int, NoMore | None] = {}

    def of(self, it: Shown) -> TypedReading:
        """Return what a memory claims, with what its speaker says of themselves told of them by name."""
        if it.id not in self._by_id:
            speaker = it.memory.fields.get("speaker")
            reading = told_by(read_typed(it.memory.text), speaker if isinstance(speaker, str) else None)
            self._by_id[it.id] = reading
        return self._by_id[it.id]

    def no_more(self, it: Shown) -> NoMore | None:
        """Return what a memory says to be no more."""
        if it.id not in self._ended:
            self._ended[it.id] = no_more(it.memory.text)
        return self._ended[it.id]


def _named(connection: sqlite3.Connection, told: Shown, reading: TypedReading) -> list[Shown]:
    """Return older memories that hold a word of the subjects of what is claimed exactly."""
    subjects = [
        word
        for claim in reading.claims
        if claim.kind in EXACT
        for word in (claim.subject or claim.about)[-_SUBJECT_WORDS_MAX:]
    ]
    wanted = [word for word in dict.fromkeys(subjects) if word != OWNER]
    rows = by_match(connection, quoted(wanted), Filters(), _NAMED_MAX) if wanted else []
    return [
        it
        for it in read_memories(connection, [number for number, _ in rows], characters=CHARACTERS_MAX)
        if may_be_compared(told, it)
    ]


def _of_one(older: Shown, newer: Shown, of: Disagreement) -> bool:
    """Say whether two that speak of themselves, or of their own mother, are one person."""
    return not _is_owners(of) or older.memory.fields.get("speaker") == newer.memory.fields.get("speaker")


def _is_owners(of: Disagreement) -> bool:
    """Say whether it is about the speaker, or about the speaker's mother and the like."""
    return OWNER in of.entity.split()


def _told_ms(connection: sqlite3.Connection, its: Iterable[Shown]) -> dict[int, int]:
    """Return when the words of each of these memories were written, by its number, in ms since 1970."""
    found, changed = dict[int, int](), list[int]()
    for it in its:
        told_at = it.memory.fields.get("told_at")
        found[it.id] = told_at if isinstance(told_at, int) else it.memory.created >> 16
        if it.memory.updated > it.memory.created:
            changed.append(it.id)
    edits = last_edits(connection, changed) if changed else {}
    return found | {number: edit.hlc >> 16 for number, edit in edits.items()}


def _slot_of(found: DisagreeingPair) -> tuple[str, str]:
    """Return of whom or what it is, as the older one spells it, and under which relation."""
    of = found.of
    relation = _RELATIONS.get(of.kind, OTHER_RELATION)
    if relation == "dose" and of.sureness < ASKED_FROM:
        relation = OTHER_RELATION
    if of.quality:
        relation = f"{relation}:{of.quality}"
    if _is_owners(of):
        speaker = found.older.memory.fields.get("speaker")
        whose = speaker if isinstance(speaker, str) and speaker else OWNER
        words = of.entity.split()
        kin = " ".join(words[words.index(OWNER) + 1 :])
        return f"{whose}'s {kin}" if kin else whose, relation
    texts = [(text, level(text)) for text in (found.older.memory.text, found.newer.memory.text)]
    spelled = [_spelled(word, texts) for word in of.entity.split()]
    return " ".join(spelled) or THIS, relation


def _spelled(word: str, texts: Sequence[tuple[str, str]]) -> str:
    """Return a leveled word as the first of some texts that holds it spells it."""
    for text, plain in texts:
        match = re.search(rf"(?<!\w){re.escape(word)}", plain)
        if match is not None:
            return text[match.start() : match.end()]
    return word


def _stands(connection: sqlite3.Connection, found: DisagreeingPair) -> bool:
    """Say whether something stood between the two already, or the facts taken from them, whatever became of it.

    What ended only because one was worded anew is compared by its new words.
    """
    numbers = [numbers_with_facts(connection, it.rid) for it in (found.older, found.newer)]
    rows = connection.execute(
        f"""SELECT DISTINCT c.slot, c.settled_by FROM contradiction c JOIN claim_slot one ON one.slot = c.slot
            JOIN claim_slot other ON other.slot = c.slot WHERE one.id IN ({EACH}) AND other.id IN ({EACH})""",
        (json.dumps(numbers[0]), json.dumps(numbers[1])),
    )
    return any(
        settled_by != SettledBy.CHANGE.value
        or taken_back(judged_of(connection, slot).beliefs).isdisjoint([*numbers[0], *numbers[1]])
        for slot, settled_by in rows.fetchall()
    )


def _claim(
    core: Core, connection: sqlite3.Connection, it: Shown, entity: str, relation: str, value: str
) -> Write | None:
    """Return what claims a value of a memory, unless it does already; after its words changed it is claimed anew."""
    own = [
        each
        for each in claims_of(connection, it.id)
        if (folded(each.entity), each.relation) == (folded(entity), relation)
    ]
    replaced = {name for each in own for name in each.replaces}
    live = {each.value for each in own if each.claim not in replaced}
    if value in live:
        return None
    before = own if ENDED in live else []
    places = sorted(OpRef(core.feeds.origin_of(each.feed), each.seq, each.claim) for each in before)
    return Write(Claim(entity, relation, value, tuple(places[-NAMES_MAX:]), None), it.rid)
