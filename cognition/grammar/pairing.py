"""Say whether a telling contradicts an older one: two values of one type, of one thing, that cannot both hold.

Nothing names the thing for certain, so a guard stands before every verdict: equal type and dimension, both told as
something that is so, a subject or a name that both share, and values that differ by more than the coarser of them was
told. A newer telling that says that something has changed, or that names the older value, contradicts nothing.

Pure, and the same on every device but for the likeness, which comes of a device's own model: who finds a pair writes it
down as ops, and from then on all devices agree on it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from cognition.grammar.attributes import ROUNDED_SHARE, YEARS_APART_MAX, Attribute, differ
from cognition.grammar.lexicon import level, lexicon, words_of
from cognition.grammar.typed import HELD_ONCE, STREETS, WORD, Mode, TypedClaim, TypedReading, telling
from cognition.times import folded, meanings

# Kinds that are compared by their subject alone; the others by what is near in meaning.
EXACT: Final = frozenset(
    [
        "birthday",
        "home",
        "work",
        "identifier",
        "owner",
        "allergy",
        "likes",
        "dislikes",
        "role",
        "born",
        "age",
        "origin",
        "called",
        "name",
        "holder",
        "count",
        "floor",
        "year",
        "monthday",
        "trade",
        "feast",
        "siblings",
        "identity",
    ]
)
# Digits of an identifier that are written down wrongly together; more are another number.
DIGITS_APART_MAX: Final = 3
# Of a long number these may all be wrong.
_LAST_DIGITS: Final = 4
_YEAR: Final = 31_557_600
# Shorter values than this stand in a text for many things.
_OLD_CHARACTERS_MIN: Final = 3
# More names beside a role are a list of people.
HOLDERS_MAX: Final = 3
# These numbers say when or where something is, and not how much of it.
_PLACED: Final = frozenset(["clock", "weekday", "floor", "year", "monthday"])
# More counts in a text are a list of what is there, or of what to buy.
COUNTED_MAX: Final = 2
# What two texts have to share, with what a name and a word more count for, until they count one thing.
_COUNTS_ALIKE: Final = 0.38
_NAMELESS_ALIKE: Final = 0.55
_WORD_MIN: Final = 3
# A text that tells more values of one kind is a list, and each is compared with each of another list. Of 10,000 texts
# that people wrote none tells so many.
LISTED_MAX: Final = 8
# How often something was done counts no things.
_TIMES_COUNTED_WORDS: Final = (
    "times fois veces volte vezes keer maal mal razy raz раз рази разів points pages people"
)
_TIMES_COUNTED: Final = frozenset(level(_TIMES_COUNTED_WORDS).split())
# Who tells one number twice is hardly ever off by more.
TIMES_APART_MAX: Final = 4
# Below this nothing is written down.
SURENESS_MIN: Final = 0.7
# Relations of two people of whom one excludes the other, and parts that one person plays for somebody.
_BONDS: Final = """
    sister brother cousin aunt uncle niece nephew mother father daughter son wife husband girlfriend boyfriend
"""
BONDS: Final = frozenset(_BONDS.split())
# These are told of one person together with others: an aunt is somebody's mother-in-law. Only in the same words do they
# exclude each other.
_MORE_BONDS: Final = """
    grandmother grandfather stepmother stepfather mother_in_law father_in_law sister_in_law brother_in_law
    daughter_in_law son_in_law
"""
_ALL_BONDS: Final = BONDS | frozenset(_MORE_BONDS.split())
# What one is to the other in the first of these, the other is to the one in the second.
_CONVERSE: Final = (
    frozenset(["mother", "father", "daughter", "son"]),
    frozenset(["aunt", "uncle", "niece", "nephew"]),
    frozenset(["wife", "husband", "girlfriend", "boyfriend"]),
    frozenset(["sister", "brother"]),
)
# A longer word is another form of one with so many letters if it only ends otherwise: "vitamin", "vitamine".
_STEM_MIN: Final = 5
_ENDING_MAX: Final = 2
# What numbers are counted in says nothing of what they count.
_COUNTED_WORDS: Final = """
    minute minutes minuten minuti minutos minut минут хвилин hour hours heure heures uhr uur uren ora ore hora horas
    godzina godzinie godzin час часа часов jour jours every each half quarter past pro par per por about euro euros
    pounds open closed mondays tuesdays wednesdays thursdays fridays saturdays sundays evenings mornings
"""
_COUNTED: Final = frozenset(level(_COUNTED_WORDS).split())
_TIMES: Final = frozenset(["month", "weekday", "unit", "number", "part", "season"])


Stated = TypeVar("Stated", Attribute, TypedClaim)


class Disagreement(NamedTuple):
    """Two values that cannot both hold: of what kind, of what, as told before and as told now, and how sure that is.

    `quality` parts values of one kind that say nothing against each other: when it opens, and when it closes.
    `in_same_words`: both sentences are the same but for the value.
    """

    kind: str
    entity: str
    before: str
    now: str
    sureness: float
    quality: str = ""
    in_same_words: bool = False


def disagreements(
    older: TypedReading, newer: TypedReading, likeness: float, years: float = 0.0
) -> list[Disagreement]:
    """Return what a newer telling says that an older one contradicts, the surest first.

    `likeness` is the cosine of the two, `years` are those between them.
    """
    return sorted(_disagreements(older, newer, likeness, years), key=lambda each: -each.sureness)


def disagree(older: TypedReading, newer: TypedReading, likeness: float) -> bool:
    """Say whether `disagreements` would find any, without looking for all: two lists may have hundreds."""
    return any(True for _ in _disagreements(older, newer, likeness, 0.0))


def _disagreements(
    older: TypedReading, newer: TypedReading, likeness: float, years: float
) -> Iterator[Disagreement]:
    both = _Both(older, newer)
    nows = first_of_each_kind(newer.claims)
    for before in first_of_each_kind(older.claims):
        for now in nows:
            if before.kind != now.kind and {before.kind, now.kind} != {"likes", "dislikes"}:
                continue
            meant = now.kind == "identifier" or Mode.GOAL not in (before.mode, now.mode)
            changes = now.changes and now.value not in BONDS and now.kind != "year"  # nobody becomes a cousin
            if not meant or changes or _are_two(before, now) or both.newer_names(before):
                continue
            judged = _in_same_words(before, now, older, newer)
            if judged is None and now.kind != "identity":
                judged = _judged(before, now, older, newer, likeness, years, both)
            if judged is not None:
                yield judged


def first_of_each_kind(stated: Iterable[Stated]) -> list[Stated]:
    """Return what a telling claims or states, of each kind the first `LISTED_MAX`."""
    count = Counter[str]()
    first = []
    for each in stated:
        count[each.kind] += 1
        if count[each.kind] <= LISTED_MAX:
            first.append(each)
    return first


class _Both:
    """What two tellings have in common: asked for by each pair of their claims, and found out once.

    Two lists of prices have hundreds of pairs. To ask all of them of each took 0.7 s for two texts.
    """

    def __init__(self, older: TypedReading, newer: TypedReading) -> None:
        self._older = older
        self._newer = newer
        self._by_kind: dict[str, bool] = {}
        self._named: dict[TypedClaim, bool] = {}
        self._equal: int | None = None

    def newer_names(self, before: TypedClaim) -> bool:
        """Return whether the newer telling names the older value, too."""
        if before not in self._named:
            self._named[before] = _names_old(before, self._newer)
        return self._named[before]

    def equal_values(self) -> int:
        """Return how many telling numbers the two have in common: the same sum, the same size."""
        if self._equal is None:
            one, other = (
                {
                    (each.kind, each.value)
                    for each in reading.claims
                    if each.kind in _TELLING and _is_telling(each.value)
                }
                for reading in (self._older, self._newer)
            )
            self._equal = len(one & other)
        return self._equal

    def agree(self, kind: str) -> bool:
        """Return whether any number of this kind that the one tells is no other than one that the other tells."""
        if kind not in self._by_kind:
            ones, others = (
                [claim for claim in first_of_each_kind(reading.claims) if claim.kind == kind]
                for reading in (self._older, self._newer)
            )
            self._by_kind[kind] = any(
                _unit_of(one, other) is not None and not apart(one, other) for one in ones for other in others
            )
        return self._by_kind[kind]


def _are_two(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether just one tells its thing from others of its kind: "my second job"; older brothers are brothers."""
    return before.of_another is not now.of_another and now.kind not in _OF_ANY


# "Every other nut is fine" says nothing of another person.
_OF_ANY: Final = frozenset(["siblings", "allergy", "likes", "dislikes"])


# Kinds of which a plain sentence has one value, if it says that something is so.
_ONE_VALUE: Final = frozenset(
    [
        *("called", "clock", "count", "dose", "duration", "floor", "home", "identifier", "length", "mass"),
        *("identity", "money", "monthday", "number", "owner", "percent", "role", "volume", "weekday", "work"),
        "year",
    ]
)
# Of these the verb that is read says what is so.
_STATED: Final = frozenset(["called", "home", "identifier", "identity", "owner", "work"])
# These are told of a subject, which the words beside the value need not hold: of "I live in Porto" that is "live".
_OF_SOMEBODY: Final = frozenset(["home", "work"])
# Who counts years or months counts on: "lives here for three years".
_DURATION_MAX_S: Final = 2_000_000
# Words beside the value that two sentences have in common at least.
_FRAME_MIN: Final = 2
_SHORT: Final = 2


def _in_same_words(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading
) -> Disagreement | None:
    """Say whether two sentences that tell what is so are the same but for their value: "we have three hens", "five".

    Whoever tells two things of one kind tells them apart. So here nothing is asked of how near the texts are, nor
    whether they name anybody. Logs and measures repeat their words, too: their sentences have no verb of a state.
    """
    if (
        now.kind not in _ONE_VALUE
        or before.kind != now.kind
        or before.mode is not Mode.STATE
        or now.mode is not Mode.STATE
        or not (now.kind in _STATED or (before.states and now.states))
        or (now.kind == "duration" and float(now.value) > _DURATION_MAX_S)
        or (now.kind == "count" and not _shared(before.subject[:1], now.subject[:1]))
        or not _values_differ(before, now)
        or not _is_one_frame(before, now)
    ):
        return None
    words = [word for word in _shared(before.about, now.about) if not _is_counted(word)]
    names = [word for word in words if _is_name(word, older, newer)]
    whose = _shared(before.subject, now.subject) if now.kind in _OF_SOMEBODY else []
    entity = " ".join((whose or names or words)[:3])
    if not entity:
        return None
    return Disagreement(
        now.kind, entity, before.told, now.told, 0.85, _quality(now, now.unit), in_same_words=True
    )


def _values_differ(before: TypedClaim, now: TypedClaim) -> bool:
    if now.kind == "role":
        roles = frozenset([str(before.value), str(now.value)])
        return len(roles) > 1 and roles <= _ALL_BONDS and not roles <= _COUPLES
    if now.kind == "home":
        return _places_differ(before, now)
    if now.kind in ("called", "identity", "owner", "work"):
        return _names_part(before, now)
    if before.unit != now.unit:
        return False
    if (
        isinstance(before.value, str)
        or isinstance(now.value, str)
        or now.kind in _PLACED
        or now.kind == "count"
    ):
        return before.value != now.value
    return apart(before, now)


# Who was one of these becomes the other.
_COUPLES: Final = frozenset(["wife", "husband", "girlfriend", "boyfriend"])


def _is_one_frame(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether two sentences are the same words in the same order, but for their values."""
    clauses = [level(claim.clause) for claim in (before, now)]
    if now.kind == "role":  # "is my brother, a son of the same parents"
        clauses = [clause.partition(",")[0] for clause in clauses]
    one, other = map(WORD.findall, clauses)
    shorter = min(len(one), len(other))
    front = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    if now.kind == "role" and front == shorter and front >= _FRAME_MIN and before.names & now.names:
        return max(len(one), len(other)) - front <= 1  # "my sister", "my elder cousin"
    back = next((at for at in range(shorter - front) if one[-1 - at] != other[-1 - at]), shorter - front)
    if front + back >= _FRAME_MIN and all(
        _are_of_value(words[front : len(words) - back], words, claim)
        for words, claim in ((one, before), (other, now))
    ):
        return True
    return _are_same_words(before, now)


def _are_same_words(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether two sentences tell of the same in another order: "there are 22 in Ann's class", "Ann's class has 27".

    Of two that are named, one may owe the other what the other owes the one, so their order counts.
    """
    framing = _framing_words()
    one, other = (
        [word for word in claim.about if word not in framing and not word.isdecimal()]
        for claim in (before, now)
    )
    names = [[word for word in words if word in before.names | now.names] for words in (one, other)]
    numbers = [
        [number for number in _DIGITS.findall(claim.clause) if number not in claim.told]
        for claim in (before, now)
    ]
    alike = sorted(one) == sorted(other) and names[0] == names[1] and numbers[0] == numbers[1]
    return alike and len(one) >= _FRAME_MIN


@lru_cache(1)
def _framing_words() -> frozenset[str]:
    """Return the words that tell nothing of what a sentence is about: small ones, verbs of states, and numbers."""
    lists = ("small", "states", "mine")
    return frozenset(lexicon().numbers).union(*map(words_of, lists))


_DIGITS: Final = re.compile(r"\d+")


def _are_of_value(some: list[str], words: list[str], claim: TypedClaim) -> bool:
    """Say whether some words of a sentence belong to the value: told in it, a number, or leading to it ("w", "we").

    Of a sentence from which the value was cut out none does.
    """
    if not some:
        return True
    told = frozenset(WORD.findall(level(claim.told)))
    return not told.isdisjoint(words) and all(
        len(word) <= _SHORT or word in told or word in lexicon().numbers or "number" in meanings(folded(word))
        for word in some
    )


def _names_old(before: TypedClaim, newer: TypedReading) -> bool:
    """Say whether a newer telling holds the older value, too: whoever names both knows of both."""
    if before.kind not in (
        "home",
        "work",
        "origin",
        "money",
        "clock",
        "weekday",
        "birthday",
        "year",
        "count",
    ):
        return False
    old = level(before.told)
    return (
        len(old) >= _OLD_CHARACTERS_MIN
        and re.search(rf"(?<![\w.,]){re.escape(old)}(?!\w|[.,]\d|\s\d)", newer.plain) is not None
    )


def _judged(
    before: TypedClaim,
    now: TypedClaim,
    older: TypedReading,
    newer: TypedReading,
    likeness: float,
    years: float,
    both: _Both,
) -> Disagreement | None:
    match now.kind:
        case "birthday" | "born":
            return (
                _of_subject(before, now, 0.95 if now.kind == "birthday" else 0.85)
                if before.value != now.value
                else None
            )
        case "age":
            grown = float(now.value) - float(before.value)
            return _of_subject(before, now, 0.8) if abs(grown - years) > YEARS_APART_MAX else None
        case "home" | "origin":
            return (
                _of_subject(before, now, 0.9 if now.kind == "home" else 0.85)
                if _places_differ(before, now)
                else None
            )
        case "work":
            return _of_subject(before, now, 0.85) if _names_part(before, now) else None
        case "name" | "trade" | "siblings":
            sureness = 0.9 if now.kind == "name" else 0.75
            return _of_subject(before, now, sureness) if _first_shown(before) != _first_shown(now) else None
        case "until" | "feast":
            return _days_differ(before, now, older, newer, likeness)
        case "holder":
            return (
                _of_subject(before, now, 0.75)
                if before.unit == now.unit and _names_part(before, now)
                else None
            )
        case "identifier":
            return _numbers_differ(before, now)
        case "owner":
            return _of_thing(before, now) if before.value != now.value else None
        case "allergy":
            return _of_subject(before, now, 0.85) if _allergies_differ(before, now) else None
        case "likes" | "dislikes":
            return _of_subject(before, now, 0.75) if _tastes_differ(before, now) else None
        case "called":
            return _called_otherwise(before, now, older, newer)
        case "count" | "floor" | "year" | "monthday":
            return _counts_differ(before, now, older, newer, likeness)
        case "role":
            return _roles_differ(before, now, older, newer)
        case _:
            return _quantities_differ(before, now, older, newer, likeness, both)


def _of_subject(before: TypedClaim, now: TypedClaim, sureness: float) -> Disagreement | None:
    shared = _shared(before.subject, now.subject)
    if not shared or _are_two_people(before, now):
        return None
    quality = ""
    if now.kind in ("likes", "dislikes") or (now.kind == "allergy" and before.negated is not now.negated):
        quality = " ".join(sorted(_things_of(before, now)))
    return Disagreement(now.kind, " ".join(shared[:3]), _shown(before), _shown(now), sureness, quality)


def _are_two_people(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether both name somebody by several words of which they share some: "Mona Jones" and "Mona Weber"."""
    one, other = ([word for word in claim.subject if word in claim.names] for claim in (before, now))
    are_whole = all(
        len(name) > 1 and " ".join(name) in level(claim.clause)
        for name, claim in ((one, before), (other, now))
    )
    return are_whole and len(_shared(one, other)) < len(one) and len(_shared(other, one)) < len(other)


def _first_shown(claim: TypedClaim) -> str:
    """Return a value by which two are told apart: of a name the first, as who has a surname has it twice."""
    return str(claim.value).split()[0] if claim.kind == "name" else _shown(claim)


def _shown(claim: TypedClaim) -> str:
    """Return how a value is shown: in its words, and of an allergy to nothing else that it is the only one."""
    if claim.kind == "age":
        return f"{claim.value:.0f}"
    if claim.kind in ("trade", "until", "feast"):
        return str(claim.value)  # in whatever language it was told
    if claim.kind == "siblings":
        return "only child" if claim.unit == "none" else "has siblings"
    if claim.kind in ("allergy", "likes", "dislikes") and claim.unit == "only":
        return f"{claim.value} (only)"
    if claim.kind == "allergy" and claim.negated and claim.unit != "nothing":
        return claim.told.split(maxsplit=1)[0]  # "not": more words would tell the same more precisely
    return claim.told


def _shared(one: Sequence[str], other: Sequence[str]) -> list[str]:
    # Words that begin otherwise are most of them, and are never one name.
    return [word for word in one if any(word[:1] == each[:1] and _same(word, each) for each in other)]


def _same(one: str, other: str) -> bool:
    """Say whether two words are one name: "Milas" is Mila's."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) == len(long):
        return short == long
    added = len(long) - len(short)
    return long.startswith(short) and (
        long == short + "s" or (added <= _ENDING_MAX and len(short) >= _STEM_MIN)
    )


def _places_differ(before: TypedClaim, now: TypedClaim) -> bool:
    one, other = (frozenset(str(each.value).replace(",", " ").split()) - STREETS for each in (before, now))
    if before.unit != now.unit:
        return False
    numbers = [frozenset(word for word in words if word[0].isdecimal()) for words in (one, other)]
    in_one_street = bool(numbers[0] and numbers[1]) and one - numbers[0] == other - numbers[1]
    return one.isdisjoint(other) or (in_one_street and numbers[0].isdisjoint(numbers[1]))


def _numbers_differ(before: TypedClaim, now: TypedClaim) -> Disagreement | None:
    one, other = str(before.value), str(now.value)
    if len(one) != len(other) or not (
        1 <= sum(a != b for a, b in zip(one, other, strict=True)) <= DIGITS_APART_MAX
        or (len(one) > 2 * _LAST_DIGITS and one[:-_LAST_DIGITS] == other[:-_LAST_DIGITS] and one != other)
    ):
        return None
    shared = _shared(before.about, now.about)
    swapped = sorted(one) == sorted(other)  # then it is one number, whatever it is of
    # A PIN and "the code of the gate" have the word for it in common, which says of neither what it opens.
    named_otherwise = before.unit != now.unit and shared == [level(before.unit)]
    if (
        not shared
        or (len(shared) == 1 and not swapped and (named_otherwise or _contrasted(before, now)))
        or before.mode is now.mode is Mode.EVENT
    ):
        return None  # of two bills that were sent each has its number
    return Disagreement(now.kind, " ".join(shared[:3]), before.told, now.told, 0.9)


def _of_thing(before: TypedClaim, now: TypedClaim) -> Disagreement | None:
    shared = _shared(before.subject, now.subject)
    return Disagreement(now.kind, " ".join(shared), before.told, now.told, 0.8) if len(shared) >= 2 else None


def _called_otherwise(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading
) -> Disagreement | None:
    """Say whether one thing has two names: the same noun, whosever it is, and neither text says the other's name."""
    one, other = str(before.value).split(), str(now.value).split()
    if _shared(tuple(one), tuple(other)) or set(one) & newer.words or set(other) & older.words:
        return None
    if not _same(before.subject[-1], now.subject[-1]) or (
        "de" not in older.languages and before.subject[-1] in older.names
    ):
        return None
    whose = [_whose(claim, reading) for claim, reading in ((before, older), (now, newer))]
    if whose[0] != whose[1] and not _shared(*whose):
        return None
    return Disagreement("called", now.subject[-1], before.told, now.told, 0.75)


def _whose(claim: TypedClaim, reading: TypedReading) -> tuple[str, ...]:
    mine = words_of("mine")
    return tuple(word for word in claim.subject[:-1] if word in reading.names and word not in mine)


def _counts_differ(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading, likeness: float
) -> Disagreement | None:
    """Say whether one thing is told to be otherwise many, on another floor, of another year or day of the month."""
    counted = now.kind == "count"
    beside = words_of("floor") | words_of("small") | _TIMES_COUNTED
    nouns = tuple(_shared(before.subject, now.subject)) if counted else (now.kind,)
    stated = before.mode is now.mode is Mode.STATE
    if (
        not frozenset(nouns).isdisjoint(_TIMES_COUNTED)
        or not nouns
        or not stated
        or before.value == now.value
        or not _comparable(before, now)
    ):
        return None
    one, other = (
        [each.value for each in reading.claims if each.kind == now.kind] for reading in (older, newer)
    )
    if max(len(one), len(other)) > COUNTED_MAX or not frozenset(one).isdisjoint(other):
        return None
    everywhere = counted and not _contrasted(before, now)
    about = (older.words, newer.words) if everywhere else (before.about, now.about)
    shared = [
        word
        for word in _shared(*(tuple(sorted(each)) for each in about))
        if (len(word) > _WORD_MIN or _is_name(word, older, newer))
        and not _is_counted(word)
        and word not in beside
        and not _shared((word,), nouns)
    ]
    names = [word for word in shared if _is_name(word, older, newer)]
    alike = likeness + 0.05 * min(len(shared), 3) + 0.1 * min(len(names), 2)
    if now.kind == "year" and not (names and len(shared) > len(names)):
        return None  # much happens to one person
    contrasted = _contrasted(before, now) and not (now.kind == "floor" and names)
    if not shared or contrasted or alike < (_COUNTS_ALIKE if names else _NAMELESS_ALIKE):
        return None
    return Disagreement(now.kind, " ".join((names or shared)[:3]), before.told, now.told, 0.75, nouns[0])


def _days_differ(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading, likeness: float
) -> Disagreement | None:
    if now.kind == "until":
        return _ends_differ(before, now, older, newer, likeness)
    return _feasts_differ(before, now, older, newer)


def _feasts_differ(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading
) -> Disagreement | None:
    """Say whether one wedding, launch or first night is told to be on two days."""
    heads = [_HEADED.match(level(claim.clause)) for claim in (before, now)]
    if before.unit != now.unit or before.value == now.value:
        return None
    if heads[0] and heads[1] and heads[0][0] != heads[1][0]:
        return None
    shared = [
        word
        for word in _shared(before.subject, now.subject)
        if not _is_counted(word) and _is_name(word, older, newer)
    ]
    nobody = not any(_named(claim, reading) for claim, reading in ((before, older), (now, newer)))
    if not shared and not nobody:
        return None
    entity = " ".join((shared or [now.unit])[:3])
    return Disagreement(now.kind, entity, _shown(before), _shown(now), 0.75, now.unit)


def _ends_differ(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading, likeness: float
) -> Disagreement | None:
    """Say whether one guarantee, lease or pass is told to end in two months."""
    shared = [
        word
        for word in _shared(tuple(sorted(older.words)), tuple(sorted(newer.words)))
        if not _is_counted(word) and word not in words_of("expires")
    ]
    if (
        before.value == now.value
        or not shared
        or _contrasted(before, now)
        or _others_named(before, now, older, newer)
    ):
        return None
    if likeness + 0.05 * min(len(shared), 3) < _ENDS_ALIKE:
        return None
    return Disagreement(now.kind, " ".join(shared[:3]), _shown(before), _shown(now), 0.75)


def _others_named(before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading) -> bool:
    """Say whether each clause names something, and not the same."""
    one, other = (
        tuple(word for word in claim.subject if word in reading.names)
        for claim, reading in ((before, older), (now, newer))
    )
    return bool(one and other) and not _shared(one, other)


# Of two that end, one text is hardly ever so like the other unless they are one.
_ENDS_ALIKE: Final = 0.35


def _named(claim: TypedClaim, reading: TypedReading) -> bool:
    """Say whether a clause names something: by a name, or by what stands before a colon."""
    return any(word in reading.names and not _is_counted(word) for word in claim.subject) or bool(
        _HEADED.match(claim.clause)
    )


_HEADED: Final = re.compile(r"[^\s:]+:")


def _names_part(before: TypedClaim, now: TypedClaim) -> bool:
    return frozenset(str(before.value).split()).isdisjoint(str(now.value).split())


def _allergies_differ(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether one has an allergy that the other rules out: "to nothing", "only to", "not to"."""
    for one, other in ((before, now), (now, before)):
        if one.negated or one.unit == "nothing":
            continue
        things = frozenset(str(one.value).split())
        others = frozenset(str(other.value).split())
        if other.unit == "nothing" or (other.negated and _things_of(one, other)):
            return True
        if other.unit == "only" and one.unit != "only" and things and others and not things & others:
            return True
    return False


def _tastes_differ(before: TypedClaim, now: TypedClaim) -> bool:
    return before.kind != now.kind and bool(_things_of(before, now))


def _things_of(one: TypedClaim, other: TypedClaim) -> frozenset[str]:
    """Return what both are about, as the first spells it: "grzyby" are the "grzybów" that somebody hates."""
    others = str(other.value).split()
    return frozenset(word for word in str(one.value).split() if any(_is_form(word, each) for each in others))


def _is_form(one: str, other: str) -> bool:
    """Say whether two words are forms of one: they part in their endings alone."""
    stem = max(_STEM_MIN - 1, min(len(one), len(other)) - _ENDING_MAX)
    return one == other or (
        one[:stem] == other[:stem] and max(len(one), len(other)) - stem <= _ENDING_MAX + 1
    )


def _roles_differ(
    before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading
) -> Disagreement | None:
    shared = _shared(before.about, now.about)
    if before.value != now.value:
        beside = _shared(before.subject, now.subject)
        roles = frozenset([str(before.value), str(now.value)])
        if older.names or newer.names:
            beside = [word for word in beside if _is_name(word, older, newer)]
        if beside and len(shared) >= 2 and roles <= BONDS and not any(roles <= pair for pair in _CONVERSE):
            return Disagreement("role", " ".join(shared[:3]), before.told, now.told, 0.75)
        return None
    if before.value not in HELD_ONCE:
        return None
    beside = _shared(before.subject, now.subject)
    whose = [name for name in beside if _is_name(name, older, newer)]
    one, other = _holders(before, whose), _holders(now, whose)
    few = max(len(one), len(other)) <= HOLDERS_MAX
    if whose and one and other and few and not _shared(one, other):
        return Disagreement("role", f"{whose[0]} {now.value}", " ".join(one), " ".join(other), 0.75)
    return None


@lru_cache(1)
def _hours_words() -> frozenset[str]:
    """Return the words by which hours and prices are told: they say nothing of what is open, or costs that."""
    lists = ("opens", "closes", "starts", "ends", "every", "per", "costs")
    return frozenset(word for name in lists for word in words_of(name))


def _is_counted(word: str) -> bool:
    return (
        word in _COUNTED
        or word in _hours_words()
        or word.isdecimal()
        or not _TIMES.isdisjoint(meanings(folded(word)))
    )


def _is_name(word: str, older: TypedReading, newer: TypedReading) -> bool:
    first = word[:1]  # as in `_shared`
    return any(
        name[:1] == first and _same(word, name) for reading in (older, newer) for name in reading.names
    )


def _holders(claim: TypedClaim, whose: list[str]) -> tuple[str, ...]:
    """Return who is named beside a role, without whose it is."""
    return tuple(
        word
        for word in claim.about
        if word in claim.names and not _is_counted(word) and not any(_same(word, each) for each in whose)
    )


def _quantities_differ(
    before: TypedClaim,
    now: TypedClaim,
    older: TypedReading,
    newer: TypedReading,
    likeness: float,
    both: _Both,
) -> Disagreement | None:
    unit = _unit_of(before, now)
    if now.kind == "weekday" and {before.unit, now.unit} == {"open", "close"}:
        return _open_and_closed(before, now)
    if (
        unit is None
        or not apart(before, now)
        or not _comparable(before, now)
        or before.mode is not Mode.STATE
        or now.mode is not Mode.STATE
    ):
        return None
    if both.agree(now.kind) or _of_other_months(before, now):
        return None
    shared = [word for word in _shared(before.about, now.about) if not _is_counted(word)]
    if _contrasted(before, now) or (now.kind == "clock" and _of_other_days(before, now)):
        return None
    names = [word for word in shared if _is_name(word, older, newer)]
    if now.kind == "weekday" and not names and before.names and now.names:
        return None  # each is of somebody else
    near = [word for word in _shared(before.subject, now.subject) if not _is_counted(word)]
    equal = both.equal_values()
    if not shared and not equal and older.languages & newer.languages:
        return None  # in one language one thing is told with a word in common
    sureness = _sureness(now, unit, likeness, len(shared), len(names), len(near), equal)
    if sureness < SURENESS_MIN or (len(shared) < 2 and not names and _of_others(before, now, older, newer)):
        return None
    entity = " ".join((names or shared)[:3])
    return Disagreement(
        now.kind, entity, before.told, now.told, round(min(sureness, 1.0), 2), _quality(now, unit)
    )


def _open_and_closed(before: TypedClaim, now: TypedClaim) -> Disagreement | None:
    """Say whether one thing is told to be closed on a day, and to be open on it."""
    words = [tuple(word for word in claim.subject if not _is_counted(word)) for claim in (before, now)]
    shared = _shared(*words)
    if (
        before.value != now.value
        or before.mode is not now.mode
        or len(shared) != max(map(len, words))
        or not shared
    ):
        return None
    first, second = (f"{claim.unit} {claim.told}" for claim in (before, now))
    return Disagreement(now.kind, " ".join(shared[:3]), first, second, 0.8)


def _quality(now: TypedClaim, unit: str) -> str:
    if now.kind in ("clock", "weekday"):
        return "" if unit == "at" else unit
    return _PERIODS.get(unit.partition("/")[2], "")


# What a sum is paid for, in seconds.
_PERIODS: Final = {"3600": "hour", "86400": "day", "604800": "week", "2629800": "month", "31557600": "year"}


def _contrasted(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether two sentences part in what they are about, and else are one: "gross salary", "net salary", "room 12".

    Who tells one thing twice hardly ever does so in the same words but for its name.
    """
    one, other = (
        [word for word in claim.about if not _is_counted(word) and word not in level(claim.told)]
        for claim in (before, now)
    )
    mine = [word for word in one if not any(_same(word, each) for each in other)]
    theirs = [word for word in other if not any(_same(word, each) for each in one)]
    if (
        len(mine) == len(theirs) == 1
        and len(one) == len(other)
        and one.index(mine[0]) == other.index(theirs[0])
    ):
        return True
    numbered = [dict(_NUMBERED.findall(level(claim.clause))) for claim in (before, now)]
    return any(numbered[1].get(word, number) != number for word, number in numbered[0].items())


_NUMBERED: Final = re.compile(r"(?<![^\W_])([^\W\d_]{3,}) #?(\d{1,3})(?![\w:]|[.,]\d)")


def _of_other_months(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether each is of another month, or of another year: "electricity in May", "heating for 2023"."""
    one, other = (
        frozenset(
            [
                *(
                    month
                    for word in claim.about
                    if (month := meanings(folded(word)).get("month")) is not None
                ),
                *_YEARS.findall(claim.clause),
            ]
        )
        for claim in (before, now)
    )
    return bool(one and other) and one.isdisjoint(other)


_YEARS: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def _of_other_days(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether hours are of other days, or those of one day beside those of all."""
    one, other = (
        {
            day
            for word in claim.about
            if (
                day := meanings(folded(word.removesuffix("s"))).get(
                    "weekday", meanings(folded(word)).get("weekday")
                )
            )
            is not None
        }
        for claim in (before, now)
    )
    return bool(other) and not one & other


def _comparable(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether two numbers are of one order: half an hour is no other telling of two weeks."""
    one, other = before.value, now.value
    if isinstance(one, str) or isinstance(other, str) or now.kind in _PLACED:
        return True
    return min(abs(one), abs(other)) * TIMES_APART_MAX >= max(abs(one), abs(other)) > 0


def _sureness(
    now: TypedClaim, unit: str, likeness: float, shared: int, names: int, near: int, equal: int
) -> float:
    """Return how sure it is that two numbers are of one thing."""
    alike = likeness + 0.05 * min(shared, 3) + 0.08 * min(names, 2) + 0.2 * min(equal, 2)
    never = 2.0
    match now.kind:
        case "mass" | "dose":
            wanted = 0.34 if near and (now.kind == "dose" or _is_medicine(now)) else never
        case "money":
            wanted = 0.34 if "/" in unit else 0.5 if near > 1 else never
        case "clock" | "weekday" if unit in ("open", "close"):
            wanted = 0.34
        case "clock":
            wanted = 0.30 if shared > names else 0.5
        case "weekday":
            wanted = 0.42 if shared > names else never
        case "duration":
            wanted = 0.30 if equal and names else 0.34 if near and names else 0.45 if near > 1 else never
            if isinstance(now.value, float) and now.value >= _YEAR and shared == names and not equal:
                wanted = never  # of one person many things are some years ago
        case _:
            wanted = 0.6 if equal and names else never
    return SURENESS_MIN + (alike - wanted)


def _is_medicine(claim: TypedClaim) -> bool:
    return isinstance(claim.value, float) and claim.value < 1


def _unit_of(before: TypedClaim, now: TypedClaim) -> str | None:
    """Return the unit that two numbers share; "430 a month" may be of any currency."""
    if before.unit == now.unit:
        return now.unit
    one, _, period = before.unit.partition("/")
    other, _, other_period = now.unit.partition("/")
    return now.unit if period and period == other_period and "?" in (one, other) else None


_TELLING: Final = frozenset(["money", "percent", "volume", "length", "mass", "identifier"])
_TELLING_FROM: Final = 3


def _is_telling(value: float | str) -> bool:
    return isinstance(value, str) or len(f"{value:.6g}".strip("0.").replace(".", "")) >= _TELLING_FROM - 1


def _of_others(before: TypedClaim, now: TypedClaim, older: TypedReading, newer: TypedReading) -> bool:
    """Say whether one of two sentences tells of somebody of whom the other text does not speak."""
    for claim, reading in ((before, newer), (now, older)):
        first = claim.clause.split(maxsplit=1)[0] if claim.clause else ""
        word = telling(level(first))
        if first[:1].isupper() and word and word[0] not in reading.words and now.kind in ("mass", "dose"):
            return True
    return False


def apart(before: TypedClaim, now: TypedClaim) -> bool:
    """Say whether two numbers differ by more than the coarser of them was told; what is paid for is told in full."""
    if "/" in now.unit and isinstance(before.value, float) and isinstance(now.value, float):
        return abs(before.value - now.value) > ROUNDED_SHARE * max(before.value, now.value)
    return differ(Attribute(before.kind, before.value, ""), Attribute(now.kind, now.value, ""))
