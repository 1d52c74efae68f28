"""Read what a telling claims, each claim with a type, so that two of them can be compared by their values.

A claim is a *value* (a sum by the month, a day of birth, a place where somebody lives), the words that say of what it
is the value, and how it is meant: as something that is so (a state), as a level that will be another tomorrow, as an
event of one day, or as a goal, an offer or a guess. Only states can contradict each other. Of what it is the value is
not named by a relation from a list: it is kept in the teller's own words, and compared by them.

Everything here is a pure function of the text.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from cognition.grammar.attributes import CHARACTERS_MAX, Attribute, attributes, seconds_of
from cognition.grammar.lexicon import CLOCKS, FEASTS, TRADES, PatternLexicon, languages_of, level, lexicon
from cognition.nowhere import is_nowhere
from cognition.numerals import in_decimals
from cognition.places import COUNTRIES, REGIONS
from cognition.times import folded, meanings, meant_by
from cognition.words import OWNER, SILENT_WORDS

# More than these in one text is a table, and no telling.
CLAIMS_MAX: Final = 24
# Two readers may read the same.
_READ_MAX: Final = 2 * CLAIMS_MAX
_KEPT: Final = 2_048
_LETTERS_MIN: Final = 3
_MINUTES: Final = 60
_HOURS: Final = 24
_HALF_DAY: Final = 720
# A name has a first and a last one.
_NAME_WORDS: Final = 2
# Of a text without capitals, words before a verb among which its subject stands.
_UNNAMED: Final = 12
# Of one of these lists a sentence holds a word if it states anything without a number, a role or an allergy.
_BEGIN_WITH: Final = frozenset(
    [
        *(
            "aged",
            "alone",
            "allergic",
            "called",
            "dislikes",
            "floor",
            "i_dislike",
            "i_like",
            "likes",
            "lives",
        ),
        *("my_name", "nothing", "origin", "owned", "siblings", "works", CLOCKS, TRADES),
    ]
)
# A sentence of so many words that says that something changed speaks of what follows.
_CRY_WORDS_MAX: Final = 4
# Times that are told without a number, in seconds.
_WHOLE: Final = {"half_hour": 1_800, "and_half_hour": 5_400, "half_year": 15_778_800}
_PERIODS: Final = {"per_month": 2_629_800, "per_year": 31_557_600, "per_week": 604_800}
_CURRENCY: Final = re.compile(r"[€£$₴₽]|\b(?:eur|euros?|pounds?|dollars?|zl|rub\w*|руб\w*|грн|грив\w*)\b")
# "Since the middle of May": so many words behind it tell when.
_SINCE_WORDS: Final = 2
_SINCE_WHEN: Final = frozenset(["month", "relative", "season"])
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
# Days and months begin large, and are no names.
_WHEN: Final = frozenset(["weekday", "month"])
# Words before a taste among which is whose it is.
_LIKING: Final = 3
# Parts that one person plays for somebody: whose they are stands beside them.
HELD_ONCE: Final = frozenset(["godfather", "godmother", "boss", "landlord"])
# Words on each side of a number among which stands what it is a number of.
_NEAR: Final = 5
# "duda, la cugina", "sister Duda": who has a role is named right beside it, with an article between.
_BEFORE_ROLE: Final = 2
_DAYS_MAX: Final = 31

_SENTENCE: Final = re.compile(r"(?<=[.!?…])[\"”’)]*\s+(?=\S)|\n+")
# A full stop behind these ends nothing.
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:dra?|dott|sig|mme|mr|mrs|ms|st|no|profa?|sr|sra|geb|nr|ca|av|c|ur|ul|г|ул|вул|tel|approx|\d{1,2}))\.$"
)
_SEGMENT: Final = re.compile(
    r"[,;:()–—]|\s-\s|\band\b|\bbut\b|\bund\b|\bet\b|\by\b|\be\b|\ben\b|\bi\b(?=\s+[^\W\d_])|\bи\b|\bі\b|\bта\b"
)
WORD: Final = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_NUMBER: Final = re.compile(r"\d")
_MONEY_BARE: Final = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?)\s?/\s?([^\W\d_]+)")
# "680 a month", "jeden Monat 1.420": who tells a sum by the month needs no currency.
_SUM: Final = r"(?<![\d.,:/€£$₴₽-])(\d{1,3}(?:[., ]\d{3})+|\d{2,6})(?![\d:/]|[.,]\d)"
_BY_MONTH: Final = r"(?:month|monat|mes|mois|mese|maand|miesiac|месяц|мисяц|місяць)(?!\w)"
_MONTHLY: Final = re.compile(
    rf"{_SUM}\s(?:(?:a|per|each|every|im|pro|je|al|par|por|ao|na|в|на)\s){_BY_MONTH}"
    rf"|(?:every|each|jeden|cada|chaque|ogni|elke|co|каждыи|кожен)\s{_BY_MONTH}\s(?:[^\W\d_]+\s)?{_SUM}"
    r"(?!\s?(?:€|£|\$|%|eur|min|kg|km|h\b))"
)
# What somebody pays by the month without naming a currency is no smaller.
_SUM_MIN: Final = 20
_NUMERIC_DATE: Final = re.compile(r"(?<![\d./-])(\d{1,2})[./-](\d{1,2})(?:[./-](\d{4}|\d\d))?(?![\d/-])")
_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_NAME: Final = re.compile(r"(?<![.!?…\n] )(?<!^)\b[^\W\d_]\w{2,}", re.MULTILINE)
_PLACE_ENDS: Final = re.compile(
    r"[,;:.!?()\n–—]|\s(?:with|and|since|over|above|where|by|near|next|com|con|mit|avec|met|z|ze|с|з|und|et|y|e|en|i|и|і|та|depuis|seit|"
    r"desde|dal|sinds|od|na|no|nas|nos|em|nel|nella|del|en|aan|op|przy|now|again|since|for|on|at|but|because|do|ao|da|por|sobre|chez|bei|à|a|in|im|auf|zusammen|together|alone|allein)\s"
)
_SHORT_NUMBER: Final = re.compile(
    r"[^\d.,;!?]{0,48}?(?<![\w])(\d{2,4}[-#*]\d{2,4}|\d{1,4}[^\W\d_]\d{1,4}|[a-z]?\d{3,6}[a-z]?)(?![\w:]|[.,]\d)"
)
_ALLERGY: Final = re.compile(r"al+erg|ал+ерг|uczul")
# "Open until seven" says when it closes.
_UNTIL: Final = re.compile(
    r"\b(?:until|till|til|to|bis|a|à|jusqu'a|hasta las?|fino alle|ate as|tot|do|до)\s+$"
)
# Whose sister it is, is not who the sister is.
_WHOSE: Final = re.compile(r"[^\W_]+'s\s+$")
# The first word of a sentence is a name where another follows it: "Barbara Jukes lives".
_FULL_NAME: Final = re.compile(
    r"(?:^|(?<=[.!?…\n] ))([^\W\d_]\w{2,})(?= [A-ZÀ-ÖØ-ÞА-ЯЁІЇЄҐ]\w)", re.MULTILINE
)
_CLOCK: Final = re.compile(
    r"(?<![\d.,:/])([01]?\d|2[0-3])\s?([:.h])\s?([0-5]\d)(?![\d.,]*\d|/|\s?(?:€|eur|%|kg|km))"
)
_HOUR: Final = re.compile(
    r"(?<![\d.,:/€£$-])(?:\d{1,2}(?![\d:]|[.,/-]\d|\s?(?:[%€£$]|st\b|nd\b|rd\b|th\b))|[^\W\d_]{2,})"
)
_AT: Final = re.compile(
    r"\b(?:at|by|from|till|until|to|um|bis|ab|gegen|a|à|as|às|las|alle|dalle|om|tot|vanaf|o|od|do|в|с|до|о|об|з)\s+$"
)
_STRUCK: Final = re.compile(
    r"\s?(?:uhr|h\b|heures?\b|uur\b|o'clock|am\b|pm\b|a\.m|p\.m|часов|часа\b|год\b|години\b|sharp)"
)
_DAY_OR_WORD: Final = re.compile(r"\d{1,2}(?=(?:st|nd|rd|th|er|\.|º|o|-?го|-?е)?\b)|[^\W\d_]+")
# "16th of March": no more than a few letters stand between a day and its month.
_OF_CHARACTERS_MAX: Final = 8
# A number word, with its ones behind it only if that is one word with it or two of a number.
_SPELLED: Final = re.compile(r"(?<![\w-])([^\W\d_]{2,})(?![^\W\d_])(?:-([^\W\d_]{2,})(?!\w))?")
_THING_ENDS: Final = re.compile(
    r"[,.;:!?()]|\bbut\b|\bso\b|\bmais\b|\baber\b|\bpero\b|\bma\b|\bmas\b|\bmaar\b|\bно\b|\bале\b|\bale\b"
)
# Characters in which a verb is denied, or what is liked is said to be nothing.
_NEGATING: Final = 28


class Mode(Enum):
    """How a claim is meant."""

    STATE = "state"
    LEVEL = "level"
    EVENT = "event"
    GOAL = "goal"


class TypedClaim(NamedTuple):
    """One value that a telling states. `kind` and `unit` say with what it compares; `told` are its words.

    `subject` are the words that may name whose or of what it is, `about` all telling words of its sentence, in their
    order; both leveled. `names` are those of them that are written like names, `clause` is the sentence without the
    value. `states`: it has a verb of what is so, and not of what was done. `of_another`: it tells its thing from one
    more of its kind, as the second, the old or the other one.
    """

    kind: str
    unit: str
    value: float | str
    told: str
    mode: Mode
    changes: bool
    subject: tuple[str, ...]
    about: tuple[str, ...]
    names: frozenset[str]
    clause: str
    negated: bool = False
    states: bool = False
    of_another: bool = False


class TypedReading(NamedTuple):
    """What a text claims, and the telling words and names of the whole of it."""

    claims: tuple[TypedClaim, ...]
    words: frozenset[str]
    names: frozenset[str]
    plain: str
    languages: frozenset[str]


class _Sentence(NamedTuple):
    text: str
    plain: str
    before: str
    names: frozenset[str]
    changes: bool
    lists: frozenset[str]
    roles: tuple[tuple[str, "re.Pattern[str]"], ...]
    words: PatternLexicon

    def has(self, name: str) -> bool:
        """Say whether it holds one of the words of a list."""
        return name in self.lists and self.words.lists[name].search(self.plain) is not None

    def holds(self, name: str, part: str) -> bool:
        """Say whether a part of it holds one of the words of a list."""
        return name in self.lists and self.words.lists[name].search(part) is not None

    def all_of(self, name: str) -> Iterator["re.Match[str]"]:
        """Return where it holds words of a list."""
        return self.words.lists[name].finditer(self.plain) if name in self.lists else iter(())


@lru_cache(_KEPT)
def read_claims(text: str) -> TypedReading:
    """Return what a text claims; of a long one its beginning."""
    text = in_decimals(text[:CHARACTERS_MAX])
    plain = level(text)
    languages = languages_of(plain)
    words = lexicon(languages)
    written = [*_NAME.findall(text), *_FULL_NAME.findall(text)]
    names = frozenset(level(name) for name in written if name[0].isupper()) - SILENT_WORDS
    names = frozenset(name for name in names if _WHEN.isdisjoint(meant_by(name)))
    claims: dict[TypedClaim, None] = {}
    for sentence in _sentences(text, plain, names, words):
        claims |= dict.fromkeys(_claims(sentence))
        if len(claims) >= CLAIMS_MAX:
            break
    return TypedReading(
        tuple(claims)[:CLAIMS_MAX],
        frozenset(telling(plain)),
        names,
        plain,
        frozenset(languages),
    )


def states_nothing(text: str) -> bool:
    """Say whether a text claims nothing; of most that is known before all of it is read, and nothing is kept of it."""
    some = in_decimals(text[:CHARACTERS_MAX])
    plain = level(some)
    sentences = _sentences(some, plain, frozenset(), lexicon(languages_of(plain)))
    return next(sentences, None) is None or not read_claims(text).claims


def told_by(reading: TypedReading, speaker: str | None) -> TypedReading:
    """Return a reading in which what the speaker says of themselves is said of somebody of that name, too."""
    names = telling(level(speaker)) if speaker else ()
    if not names or not any(claim.subject[:1] == (OWNER,) for claim in reading.claims):
        return reading
    claims = (
        claim._replace(subject=(*names, OWNER)) if claim.subject == (OWNER,) else claim
        for claim in reading.claims
    )
    return reading._replace(claims=tuple(claims))


def telling(plain: str) -> tuple[str, ...]:
    """Return the words of a leveled text that tell something, each once, in their order."""
    found: Sequence[str] = WORD.findall(plain)
    if "'" in plain:
        found = [word.removesuffix("'s").partition("'")[2] or word.removesuffix("'s") for word in found]
    return tuple(
        dict.fromkeys([word for word in found if len(word) >= _LETTERS_MIN and word not in SILENT_WORDS])
    )


def _sentences(text: str, plain: str, names: frozenset[str], words: PatternLexicon) -> Iterator[_Sentence]:
    """Return the sentences in which something may be stated."""
    start, changed = 0, False
    for match in [*_SENTENCE.finditer(plain), None]:
        end = len(plain) if match is None else match.start()
        if match is not None and "\n" not in match[0] and _ABBREVIATED.search(plain[start:end]):
            continue
        said = plain[start:end]
        if said.strip():
            lists = words.named_in(said)
            roles = words.roles.among(lists)
            sentence = _Sentence(text[start:end], said, plain[:start], names, changed, lists, roles, words)
            states = not _states_nothing(sentence)
            # "We've moved!" says of what follows that it is news.
            is_cry = len(said.split()) <= _CRY_WORDS_MAX
            changes = (states or is_cry) and _tells_change(sentence)
            if states:
                yield sentence._replace(changes=changes or changed)
            changed |= changes and is_cry
        start = end if match is None else match.end()


def _states_nothing(sentence: _Sentence) -> bool:
    """Say whether no reader finds anything in a sentence: most have no number, and no word that one begins with."""
    return (
        sentence.lists.isdisjoint(_BEGIN_WITH)
        and not sentence.roles
        and _NUMBER.search(sentence.plain) is None
        and _ALLERGY.search(sentence.plain) is None
        and not _says_number(sentence)
    )


def _tells_change(sentence: _Sentence) -> bool:
    return sentence.has("change") or (
        "since" in sentence.lists and _since_when(sentence.plain, sentence.words)
    )


def _since_when(said: str, words: PatternLexicon) -> bool:
    """Say whether something is told to hold since a month, a year or a day near by: then it did not before."""
    for match in words.lists["since"].finditer(said):
        for word in WORD.findall(said[match.end() :])[:_SINCE_WORDS]:
            if not _SINCE_WHEN.isdisjoint(meant_by(word)) or _YEAR.fullmatch(word):
                return True
    return False


def _mode(sentence: _Sentence) -> Mode:
    if sentence.plain.rstrip().endswith("?") or sentence.has("unsure"):
        return Mode.GOAL
    if sentence.has("level"):
        return Mode.LEVEL
    events = [match for match in sentence.all_of("event") if not _every(sentence, match.start())]
    return Mode.EVENT if events else Mode.STATE


def _every(sentence: _Sentence, start: int) -> bool:
    """Say whether what stands at a place comes round: "jeden Morgen" is every morning, and not tomorrow."""
    before = sentence.plain[:start].split()[-1:]
    return bool(before) and sentence.holds("every", before[0])


def _claims(sentence: _Sentence) -> Iterator[TypedClaim]:
    found = list(islice(_by_readers(sentence), _READ_MAX))
    yield from found
    yield from _bare_number(sentence, found)


def _by_readers(sentence: _Sentence) -> Iterator[TypedClaim]:
    for read in (
        _codes,
        _births,
        _born_in,
        _origins,
        _homes,
        _owners,
        _roles,
        _tastes,
        _favourites,
        _free_of,
        _works,
        _called,
        _is_who_or_what,
        _own_names,
        _held,
        _floors,
        _trades,
        _feasts,
        _only_children,
    ):
        yield from read(sentence)
    ages = list(_ages(sentence))
    yield from ages
    for claim in _quantities(sentence):
        if claim.kind != "duration" or not any(level(claim.told) in level(age.told) for age in ages):
            yield claim  # who is 67 years old does not take 67 years
    for read in (_counts_of, _years, _month_days, _ends_on):
        yield from read(sentence)


def _states(sentence: _Sentence) -> "re.Match[str] | None":
    """Return where a verb of what is so stands; "é" is one, and "e" none, though both are leveled alike."""
    for match in sentence.all_of("states"):
        if len(match[0]) > 1 or sentence.text[match.start()] in _ONE_LETTER:
            return match
    return _IS.search(sentence.plain)


_ONE_LETTER: Final = frozenset("aéèÉÈєЄ")
# In Russian and Ukrainian a dash is "is".
_IS: Final = re.compile(r"(?<=[а-яіїєґ] )—(?= [а-яіїєґ\d])")


def _made(
    sentence: _Sentence, kind: str, unit: str, value: float | str, span: tuple[int, int], subject: Sequence[str],
    *, negated: bool = False, mode: Mode | None = None,
) -> TypedClaim:  # fmt: skip
    start, end = span
    left = f"{sentence.text[:start]} {sentence.text[end:]}"
    mode = _mode(sentence) if mode is None else mode
    about = telling(level(left))
    named = sentence.names | frozenset(_first_name(sentence))
    another = sentence.has("others") and not sentence.has("floor")
    return TypedClaim(
        kind, unit, value, sentence.text[start:end].strip(), mode, sentence.changes,
        tuple(subject), about, named & frozenset(about), " ".join(left.split()), negated,
        _states(sentence) is not None and not another,
        another,
    )  # fmt: skip


# --- days of birth


def _births(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read days beside a word of birth: "turns five on 9 May", "Birthdays: Alfie 2 June, Tilly 14 March"."""
    cue = next(sentence.all_of("born"), None)
    if cue is None:
        return
    for value, start, end in _days(sentence.plain):
        # A party may be on another day; "turns six on 24 May, party in the garden" tells the day itself.
        if sentence.has("party") and not _TURNS_ON.search(sentence.plain[:start]):
            continue
        if start < cue.start() and sentence.plain[end : cue.start()].strip(" ,:(-"):
            continue
        # In a list of birthdays the word itself begins each line, and is nobody's name.
        named = [word for word in _named_before(sentence, start) if word not in telling(cue[0])]
        own = " ".join(sentence.plain[: cue.start()].split()[-1:])
        if not frozenset(named) & sentence.names and (
            sentence.holds("mine", own) or _of_self(sentence, sentence.plain)
        ):
            named = [OWNER]
        yield _made(sentence, "birthday", "", value, (start, end), named, mode=Mode.STATE)


def _days(plain: str) -> Iterator[tuple[str, int, int]]:
    """Return the days of a year that are named, as month and day, and where."""
    for match in _ISO.finditer(plain):
        yield f"{int(match[2]):02}-{int(match[3]):02}", match.start(), match.end()
    for match in _NUMERIC_DATE.finditer(plain):
        day, month = int(match[1]), int(match[2])
        if (
            1 <= month <= 12
            and 1 <= day <= _DAYS_MAX
            and (match[3] or "/" in match[0] or match[0].count(".") > 1)
        ):
            yield f"{month:02}-{day:02}", match.start(), match.end()
    tokens = list(_DAY_OR_WORD.finditer(plain))
    for at, word in enumerate(tokens):
        month_named = meant_by(word[0]).get("month")
        if not isinstance(month_named, int) or word[0].isdecimal():
            continue
        for other in (*reversed(tokens[max(0, at - 3) : at]), *tokens[at + 1 : at + 2]):
            start, end = min(word.start(), other.start()), max(word.end(), other.end())
            between = plain[min(word.end(), other.end()) : max(word.start(), other.start())]
            is_day = other[0].isdecimal() and 1 <= int(other[0]) <= _DAYS_MAX
            if is_day and len(between) <= _OF_CHARACTERS_MAX and "," not in between:
                yield f"{month_named:02}-{int(other[0]):02}", start, end
                break


# "Turns six on", "wird sechs am", "fait ses 6 ans le": right before a day it is the birthday's, whatever else is said.
_TURNS_ON: Final = re.compile(
    r"(?:turns|turning|wird|wordt|fait(?: ses)?|cumple|compie|faz|konczy|исполняется|виповнюється|исполнится)\s+"
    r"(?:\d{1,3}|[^\W\d_]+)(?:\s+(?:years?(?: old)?|jahre?|ans|anos|anni|jaar|lat|лет|років))?"
    r"\s+(?:on(?: the)?|am|le|el(?: dia)?|il|no dia|dia|op|w dniu)?\s*$"
)


def _named_before(sentence: _Sentence, start: int) -> tuple[str, ...]:
    """Return the names that stand nearest before a place in a sentence: in its part, else in it, else before it."""
    said = sentence.plain[:start]
    cuts = [match.end() for match in _SEGMENT.finditer(said)]
    part = said[cuts[-1] :] if cuts else said
    for where in (part, said, sentence.before):
        found = [
            word for word in telling(where) if word in sentence.names and not _is_kin(sentence, where, word)
        ]
        if found:
            return tuple(found[-_NAME_WORDS:])
    if start and (word := _first_name(sentence)):
        return word
    return () if sentence.names else telling(f"{sentence.before} {said}")[-_UNNAMED:]


def _is_kin(sentence: _Sentence, where: str, name: str) -> bool:
    """Say whether a name stands there only to say whose sister somebody is."""
    behind = re.search(rf"(?<!\w){re.escape(name)}'s\s+([^\W\d_]+)", where)
    return behind is not None and any(pattern.fullmatch(behind[1]) for _, pattern in sentence.roles)


def _person_before(sentence: _Sentence, start: int) -> tuple[str, ...]:
    """Return who does what a verb says; nobody where it is a relation of the one who is named: "Marta's sister"."""
    named = _named_before(sentence, start)
    said = sentence.plain[:start]
    roles = [pattern for _, pattern in sentence.roles]
    if named and any(pattern.fullmatch(named[-1]) for pattern in roles):
        return ()
    if named and any(_relative_of(pattern, said, named[-1]) for pattern in roles):
        return ()
    behind = said[said.rfind(named[-1]) + len(named[-1]) :] if named and named[-1] in said else said
    if any(pattern.search(behind) for pattern in roles):
        return ()
    return tuple(word for word in named if not any(pattern.fullmatch(word) for pattern in roles))


def _relative_of(role: "re.Pattern[str]", said: str, name: str) -> bool:
    """Say whether a name tells whose relation is spoken of: "le frère de Marie", "de broer van Jan"."""
    return any(
        re.match(rf"\s+(?:of|de|du|di|da|do|van|von|d')\s*{re.escape(name)}(?!\w)", said[match.end() :])
        for match in role.finditer(said)
    )


def _first_name(sentence: _Sentence) -> tuple[str, ...]:
    """Return the first word of a sentence if it may be a name: every sentence begins large."""
    first = WORD.search(sentence.plain)
    if first is None or not sentence.text[first.start()].isupper():
        return ()
    return telling(first[0])


def _born_in(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read a year beside a word of birth: "Mum was born in 1953"."""
    for cue in sentence.all_of("born"):
        year = _BORN_YEAR.match(sentence.plain, cue.end())
        subject = _somebody_before(sentence, cue.start()) if year is not None else ()
        if year is not None and subject:
            span = year.start(1), year.end(1)
            yield _made(sentence, "born", "", float(year[1]), span, subject, mode=Mode.STATE)
            return


def _ages(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read how old somebody is: "Pep is 67 years old", "mama wird 70"."""
    if sentence.has("party") or sentence.has("unsure"):
        return
    for match in sentence.all_of("aged"):
        number = _AGE.search(match[0])
        spoken = [sentence.words.numbers[word] for word in match[0].split() if word in sentence.words.numbers]
        age = int(number[0]) if number is not None else next(iter(spoken), 0)
        subject = _somebody_before(sentence, match.start())
        # "When I was ten years old" tells how old somebody was.
        was = sentence.holds("was", sentence.plain[: match.end()])
        if 0 < age < _AGE_MAX and subject and not was:
            yield _made(sentence, "age", "", float(age), match.span(), subject, mode=Mode.STATE)


def _origins(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read where somebody comes from: "Fergus Adair comes from Belfast", "mi madre nació en Alcoy"."""
    for match in sentence.all_of("origin"):
        rest = sentence.text[match.end() :]
        place = _PLACE_NAME.match(rest)
        if place is None or level(place[1]) in COUNTRIES or level(place[1]) in REGIONS:
            continue
        subject = _somebody_before(sentence, match.start())
        start = match.end() + place.start(1)
        if len(subject) == 1 and subject[0] not in sentence.names and not subject[0].startswith(OWNER):
            continue  # bread comes from somewhere, too
        if subject and not {"month", "weekday"} & meant_by(place[1]).keys():
            yield _made(sentence, "origin", "", level(place[1]), (start, start + len(place[1])), subject)


def _somebody_before(sentence: _Sentence, start: int) -> tuple[str, ...]:
    """Return of whom a verb is said: a name, the speaker, or the speaker's mother, father, husband or wife."""
    said = sentence.plain[:start]
    cuts = [match.end() for match in _SEGMENT.finditer(said)]
    part = said[cuts[-1] :] if cuts else said
    for role, pattern in sentence.roles:
        if role in _ONE_OF and (match := pattern.search(part)) is not None:
            led = part[: match.start()]
            own = (sentence.holds("mine", led) or not led.strip()) and not _OF_SOMEBODY.match(
                part, match.end()
            )
            others = any(other.search(led) for _, other in sentence.roles)
            return (f"{OWNER} {role}",) if own and not others else ()
    if _I.search(part):
        return (OWNER,)
    if _SOMEBODY.search(part) and not any(word in sentence.names for word in telling(part)):
        earlier = tuple(word for word in telling(_last_sentence(sentence.before)) if word in sentence.names)
        return earlier if len(earlier) == 1 else ()  # of two, nobody knows who is meant
    alone = WORD.findall(part)
    if len(alone) == 1 and part is said and (first := _first_name(sentence)):
        return first
    named = _person_before(sentence, start)
    return tuple(word for word in named if word in sentence.names)


def _who_before(sentence: _Sentence, start: int) -> tuple[str, ...]:
    """Return who does what a verb says: whoever is named, or somebody's of whom there is one."""
    return _person_before(sentence, start) or _somebody_before(sentence, start)


def _last_sentence(before: str) -> str:
    parts = [part for part in _SENTENCE.split(before) if part and part.strip()]
    return parts[-1] if parts else ""


# Of these somebody has one.
_ONE_OF: Final = frozenset(["mother", "father", "husband", "wife", "parents"])
_OF_SOMEBODY: Final = re.compile(r"\s+(?:of|von|de|du|di|da|do|van)\s|'s\b")
_I: Final = re.compile(r"(?<!\w)(?:i|i'm|ich|je|j'|yo|io|eu|ik|ja|я)(?!\w)")
# Who was named in the sentence before is meant by these.
_SOMEBODY: Final = re.compile(
    r"(?<!\w)(?:he|she|he's|she's|er|sie|il|elle|ella|lui|lei|ele|ela|hij|zij|on|ona|он|она|вин|вона|він)(?!\w)"
)
_BORN_YEAR: Final = re.compile(r"[^\d.,;!?]{0,12}\b((?:18|19|20)\d\d)\b(?![./-]\d)")
_AGE: Final = re.compile(r"\d{1,3}")
_AGE_MAX: Final = 120
_PLACE_NAME: Final = re.compile(
    r"\s+([A-ZÀ-ÖØ-ÞŁŚŻŹĆА-ЯЁІЇЄҐ][\w'-]*(?: [A-ZÀ-ÖØ-ÞŁŚŻŹĆА-ЯЁІЇЄҐ][\w'-]*){0,2})"
)


# --- where somebody lives, and what is whose


def _homes(sentence: _Sentence) -> Iterator[TypedClaim]:
    for match in sentence.all_of("lives"):
        rest = sentence.plain[match.end() :]
        stop = _PLACE_ENDS.search(f"{rest} ", 1)
        place = rest[: stop.start() if stop else len(rest)].strip(" :,'")
        if not place or len(place.split()) > 5 or place in COUNTRIES or place in REGIONS:
            continue
        start = match.end() + rest.find(place)
        written = sentence.text[start : start + len(place)]
        if sentence.names and not any(word[:1].isupper() or word[:1].isdecimal() for word in written.split()):
            continue
        if is_nowhere(written):
            continue
        unit = "street" if re.search(r"\d", place) or not STREETS.isdisjoint(place.split()) else "town"
        subject = _who_lives(sentence, match)
        if subject is not None:
            yield _made(sentence, "home", unit, place, (start, start + len(place)), subject)
    for match in sentence.all_of("address"):
        found = _ADDRESS.match(sentence.plain, match.end())
        if found is None or sentence.holds("lives", sentence.plain[match.start() : found.start(1)]):
            continue
        whose = f"{sentence.plain[: match.start()]} {sentence.plain[match.end() : found.start(1)]}"
        others = [
            word
            for word in telling(whose)
            if not sentence.holds("mine", word) and not sentence.holds("states", word)
        ]
        own = not others and sentence.holds("mine", whose)
        subject = (OWNER,) if own else tuple(others)[:_NAME_WORDS]
        if subject:
            yield _made(sentence, "home", "street", found[1].strip(), found.span(1), subject)


def _who_lives(sentence: _Sentence, match: "re.Match[str]") -> tuple[str, ...] | None:
    """Return who lives where a verb says; None where "live" stands behind nobody who does."""
    start = match.start()
    if not _first_person(match[0]):
        own = sentence.holds("address", match[0]) and _is_mine(sentence, match.end())
        return (OWNER,) if own else _who_before(sentence, start)
    if match[0].startswith("live") and not sentence.plain[:start].rstrip().endswith(
        ("i", "we", "i now", "we now")
    ):
        return _somebody_before(sentence, start) or None
    return (OWNER,)


# "L'indirizzo della nonna è piazza Garibaldi 6": whose it is stands between, and a street has a number.
_ADDRESS: Final = re.compile(
    r"(?: (?!is\b)[^\W\d_][\w']*){0,4}?\s?(?: (?:is|ist|lautet|est|es|e|to|are)|:| [—–-])\s+"
    r"([^.,;:!?()]{0,40}?\d{1,4}[a-z]?)(?![\w.,]\d)"
)


def _is_mine(sentence: _Sentence, end: int) -> bool:
    """Say whether what is told up to a place is the speaker's own, and not their mother's: "my address is"."""
    led = " ".join(sentence.plain[:end].split()[-_MINE_WORDS:])
    return sentence.holds("mine", led) and not any(
        pattern.search(sentence.plain) for _, pattern in sentence.roles
    )


# "My address is", "mi dirección es": so many words hold whose it is.
_MINE_WORDS: Final = 3


def _first_person(verb: str) -> bool:
    return verb.split()[0] in _I_LIVE


_STREET_WORDS: Final = """
    street road avenue lane cottage cottages rue quai place calle piazza via rua avenida straat laan plein ulica strasse
    straße weg gasse allee улица улице вулиця вулиці apartment flat house wohnung appartement piso stock third second
    first floor etage 1st 2nd 3rd
"""
STREETS: Final = frozenset(level(_STREET_WORDS).split())
# What only speakers say of themselves.
_FIRST_PERSON: Final = """
    live wohne lebe vis vivo abito moro woon mieszkam живу work arbeite trabajo lavoro trabalho werk pracuję работаю
    працюю vivimos abitiamo viviamo moramos vivemos mieszkamy живём живемо wir we wij nous my mein meine mon ma mi
    minha mijn mój мой мій casa chez
"""
_I_LIVE: Final = frozenset(level(_FIRST_PERSON).split())


def _owners(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read whose a thing is: "the red bike belongs to Tom", "der Anhänger gehört meinem Nachbarn", "la Vespa è mia"."""
    for match in sentence.all_of("owned"):
        rest = sentence.plain[match.end() :]
        stop = _THING_ENDS.search(rest)
        rest = rest[: stop.start() if stop else len(rest)]
        words = WORD.findall(rest)[:_OWNER_WORDS]
        subject = telling(sentence.plain[: match.start()])
        words = words[1:] if words[:1] and words[0] in _TITLES and len(words) > 1 else words
        if not words or not subject or len(subject) > _THING_WORDS:
            continue
        if sentence.holds("me", words[0]):
            owner = OWNER
        elif _is_somebody(sentence, words):
            owner = " ".join(word for word in telling(" ".join(words)) if not sentence.holds("mine", word))
        else:
            continue
        start = match.end() + len(rest) - len(rest.lstrip())
        end = match.end() + rest.find(words[-1]) + len(words[-1])
        yield _made(sentence, "owner", "", owner, (start, max(start + 1, end)), subject)
    for match in (*sentence.all_of("mine_end"), *_IS_ONES.finditer(sentence.plain)):
        subject = telling(sentence.plain[: match.start()])
        if _THING_ENDS.match(f"{sentence.plain[match.end() :]}.") and 0 < len(subject) <= _THING_WORDS:
            owner = OWNER if match.re is not _IS_ONES else match[1]
            yield _made(sentence, "owner", "", owner, match.span(), subject)


def _is_somebody(sentence: _Sentence, words: Sequence[str]) -> bool:
    """Say whether words that an owner is told by begin with a name, or with somebody of the speaker's: "my uncle"."""
    first = words[1] if words[0] in _ARTICLES and len(words) > 1 else words[0]
    named = first in sentence.names or (not sentence.names and len(first) >= _LETTERS_MIN)
    return named or (len(words) > 1 and sentence.holds("mine", words[0]))


# Words that tell whose something is, at most, and words that tell what it is.
_OWNER_WORDS: Final = 3
_THING_WORDS: Final = 6
_ARTICLES: Final = frozenset(["the", "der", "dem", "la", "le", "a", "o"])
_TITLE_WORDS: Final = """
    mr mrs ms dr herr herrn frau monsieur madame signor signora señor señora senhor senhora dona meneer mevrouw pan pana
    panu pani пан пана пану пані господин госпожа dra dott dottor dottore dottoressa dottssa mme doctora doutora
"""
_TITLES: Final = frozenset(level(_TITLE_WORDS).split())
# "The red kayak is Tom's."
_IS_ONES: Final = re.compile(r"\b(?:is|are) ([^\W\d_]{3,})'s(?!\w)")


_LABEL: Final = re.compile(r"\s*:")


def _roles(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read who is what to whom, where both are named: "Le parrain de Mila est Bastien", "duda, la cugina di rafa"."""
    spans = [match.span() for _, pattern in sentence.roles for match in pattern.finditer(sentence.plain)]
    for role, pattern in sentence.roles:
        for match in pattern.finditer(sentence.plain):
            if any(_is_within(match.span(), span) for span in spans):
                continue  # whose mother-in-law somebody is, is not whose mother
            if _LABEL.match(sentence.plain, match.end()) and sentence.plain[: match.start()].strip():
                continue  # "Phone Mum: …" tells whose line it is; "Sister: Ann" who is what
            near = [
                *_words_at(sentence.plain[: match.start()], -1),
                *_words_at(sentence.plain[match.end() :], 2),
            ]
            if role not in HELD_ONCE:
                near = [
                    *_words_at(_WHOSE.sub("", sentence.plain[: match.start()]), -_BEFORE_ROLE),
                    *_words_at(sentence.plain[match.end() :], 1),
                ]
            yield _made(sentence, "role", role, role, match.span(), near)


def _is_within(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and other[0] <= one[0] and one[1] <= other[1]


def _words_at(plain: str, count: int) -> tuple[str, ...]:
    words = WORD.findall(plain)
    return telling(" ".join(words[count:] if count < 0 else words[:count]))


# What is read by each list of words.
_TASTES: Final = {
    "allergic": "allergy",
    "likes": "likes",
    "dislikes": "dislikes",
    "i_like": "likes",
    "i_dislike": "dislikes",
}


def _tastes(sentence: _Sentence) -> Iterator[TypedClaim]:
    for name, kind in _TASTES.items():
        for match in sentence.all_of(name):
            rest = sentence.plain[match.end() :]
            stop = _THING_ENDS.search(rest)
            thing = rest[: stop.start() if stop else len(rest)]
            end = match.end() + len(thing)
            begins = max(0, match.start() - _NEGATING)
            before = sentence.plain[begins : match.start()]
            denial = sentence.words.lists["not"].search(before) if "not" in sentence.lists else None
            if kind == "likes" and denial is not None:
                continue
            if kind == "allergy" and sentence.holds("nothing", f"{match[0]} {thing[:_NEGATING]}"):
                unit = "nothing"
            else:
                unit = "only" if kind == "allergy" and sentence.holds("only", before) else ""
            if "degree" in sentence.lists:
                thing = sentence.words.lists["degree"].sub("", thing)
            value = telling(thing) or (telling(before) if unit == "only" or name.startswith("i_") else ())
            if kind == "allergy":
                subject = _named_before(sentence, match.start()) or telling(sentence.plain[: match.start()])
                if not frozenset(subject) & sentence.names and _of_self(
                    sentence, sentence.plain[: match.end()]
                ):
                    subject = (OWNER,)
            elif name.startswith("i_"):
                subject = (OWNER,)
            else:
                subject = _words_at(sentence.plain[: match.start()], -_LIKING)
            made = _made(
                sentence,
                kind,
                unit,
                " ".join(value),
                (match.start(), end),
                subject,
                negated=denial is not None,
            )
            if denial is not None:  # what is denied is told with what denies it
                made = made._replace(told=sentence.text[begins + denial.start() : end].strip())
            yield made


def _favourites(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read what the speaker likes best: "coriander is one of my favourite herbs", "il mio piatto preferito"."""
    for match in sentence.all_of("favourite"):
        cuts = [*(cut.start() for cut in _THING_ENDS.finditer(sentence.plain)), len(sentence.plain)]
        part = sentence.plain[: min(cut for cut in cuts if cut >= match.end())]
        mine = sentence.holds("mine", part) or _I.search(part)
        if not mine or sentence.holds("not", part):
            continue
        value = [word for word in telling(part) if word not in match[0] and not sentence.holds("mine", word)]
        if value:
            yield _made(sentence, "likes", "", " ".join(value), (0, len(part)), (OWNER,))


def _of_self(sentence: _Sentence, part: str) -> bool:
    """Say whether a part of a sentence tells something of the speaker: "I", "soy", "у меня"."""
    return _I.search(part) is not None or sentence.holds("i_am", part) or sentence.holds("i_have", part)


def _free_of(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read that somebody has no allergies at all: "Isla: no medicine allergies"."""
    if _OF_SOMETHING.search(sentence.plain):
        return
    spans = [
        match.span()
        for match in sentence.all_of("nothing")
        if _ALLERGY.search(match[0]) and not _TO_SOMETHING.match(sentence.plain, match.end())
    ]
    for match in _ALLERGIES.finditer(sentence.plain):
        before = " ".join(sentence.plain[: match.start()].split()[-_DENIED_WORDS:])
        if not spans and sentence.holds("not", before):
            spans.append(match.span())
    for start, end in spans[:1]:
        subject = _all_named_before(sentence, start) or telling(sentence.plain[:start])
        whose = " ".join(sentence.plain[:end].split()[-_WHOSE_WORDS:])
        if not frozenset(subject) & sentence.names and _of_self(sentence, whose):
            subject = (OWNER,)
        yield _made(sentence, "allergy", "nothing", sentence.plain[start:end], (start, end), subject)


def _all_named_before(sentence: _Sentence, start: int) -> tuple[str, ...]:
    said = telling(sentence.plain[:start])
    return tuple(word for word in said if word in sentence.names) or _named_before(sentence, start)


# "No medicine allergies": so many words before it are looked at for what denies it.
_DENIED_WORDS: Final = 2
# "I really have no allergies", but not "I think the baby has no allergies".
_WHOSE_WORDS: Final = 5
_TO: Final = r"\s+(?:to|gegen|auf|a|à|aux?|al|all[ae]?|alle|agli|ai|tegen|voor|na|на)\s"
_TO_SOMETHING: Final = re.compile(_TO)
# "Gegen Bienengift bin ich nicht allergisch": what it is to may stand first.
_OF_SOMETHING: Final = re.compile(
    r"(?<!\w)(?:gegen|tegen|на|na)\s+([^\W\d_]{3,}).{0,40}?(?:al+erg|ал+ерг|uczul)"
)
_ALLERGIES: Final = re.compile(rf"(?<!\w)(?:al+erg[a-z]*|ал+ерг[^\W\d_]*|uczule[a-z]*)(?!\w)(?!{_TO})")


# The word right before something: "ya no trabajo en", but not "no, trabajo en".
_WORD_BEFORE: Final = re.compile(r"([^\s,;:.!?]+) $")


def _works(sentence: _Sentence) -> Iterator[TypedClaim]:
    for match in sentence.all_of("works"):
        found = re.match(
            r"\s*(?:the |der |die |das |la |le |el |os |as |o |a )?[«\"„“]?((?:[^\W_][\w&'-]*\s?){1,3})",
            sentence.text[match.end() :],
        )
        before = _WORD_BEFORE.search(sentence.plain, 0, match.start())
        if found is None or (before is not None and sentence.holds("not", before[1])):
            continue
        firm = [word for word in found[1].split() if word[:1].isupper()]
        if not firm:
            continue
        start = match.end() + sentence.text[match.end() :].find(firm[0])
        subject = (OWNER,) if _first_person(match[0]) else _who_before(sentence, match.start())
        value = " ".join(level(word) for word in firm)
        yield _made(sentence, "work", "", value, (start, start + len(" ".join(firm))), subject)


def _called(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read how something or somebody is called: "our cat is called Miso", "der Hund heißt Bruno"."""
    if sentence.has("others"):
        return  # of two cats each has a name
    for match in sentence.all_of("called"):
        found = _CALLED.match(sentence.text, match.end())
        if found is None or _LISTED.match(sentence.text, found.end()):
            continue
        said = sentence.plain[: match.start()]
        cuts = [cut.end() for cut in _SEGMENT.finditer(said)]
        subject = (telling(said[cuts[-1] :] if cuts else said) or telling(said))[-_NAME_WORDS:]
        if subject:
            yield _made(sentence, "called", "", level(found[1]), found.span(1), subject, mode=_told(sentence))


def _is_who_or_what(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read who or what something is, by a name behind a verb: "Lily's teacher is Mrs Boyle", "la radio è una Bosch".

    One has many friends and neighbours, and some brothers, and the next guest is somebody else. Nor is somebody a name
    who is a teacher, which German writes large.
    """
    if sentence.roles or any(map(sentence.has, ("many", "others", "not"))):
        return
    found = _IS_NAME.search(sentence.text)
    if found is None:
        return
    said = sentence.plain[: found.start()]
    subject = telling(said)
    coded = any(letter.isdecimal() for letter in found[2])
    if not found[2][0].isupper() and (not coded or found[2].isdecimal()):
        return
    titled = level(found[1] or "").rstrip(".") in _TITLES
    if "de" in languages_of(sentence.plain) and not (coded or titled):
        return
    if not 0 < len(subject) <= _THING_WORDS or len(said.split()) < _FRAME_WORDS_MIN:
        return
    if any(not _NO_NAMES.isdisjoint(meant_by(word)) for word in telling(level(found[2]))):
        return
    yield _made(sentence, "identity", "", level(found[2]), found.span(2), subject, mode=_told(sentence))


# Words before a verb, at least: "it is", "das ist" tell nothing of what it is.
_FRAME_WORDS_MIN: Final = 2
_NO_NAMES: Final = frozenset(["month", "weekday", "season", "number", "unit"])


def _own_names(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read how the speaker is called: "ich heiße Julia", "je m'appelle Léa", "меня зовут Юлия"."""
    for match in sentence.all_of("my_name"):
        found = _OWN_NAME.match(sentence.text, match.end())
        if found is not None and not sentence.holds("not", sentence.plain[: match.start()]):
            yield _made(sentence, "name", "", level(found[1]), found.span(1), (OWNER,), mode=_told(sentence))


def _told(sentence: _Sentence) -> Mode:
    """How a name is meant: who asks for it does not tell it."""
    return Mode.GOAL if sentence.plain.rstrip().endswith("?") else Mode.STATE


def _held(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read who somebody's own dentist, boss or husband is: "my dentist is Dr Okafor", "unser Vermieter Herr Kern"."""
    for role, pattern in sentence.roles:
        if role not in _HELD_BY_ONE:
            continue
        for match in pattern.finditer(sentence.plain):
            before = " ".join(sentence.plain[: match.start()].split()[-_BEFORE_ROLE:])
            found = _HOLDER.match(sentence.text, match.end())
            if (
                found is None
                or before.endswith("'s")
                or not sentence.holds("mine", before)
                or sentence.has("others")
            ):
                continue
            name = " ".join(word for word in telling(level(found[1])) if word not in _TITLES)
            if name and not {"month", "weekday"} & meant_by(name.split()[0]).keys():
                yield _made(sentence, "holder", role, name, found.span(1), (f"{OWNER} {role}",))


_HELD_BY_ONE: Final = frozenset(["boss", "landlord", "dentist", "gp", "mother", "father", "wife", "husband"])
_CAPITAL: Final = "A-ZÀ-ÖØ-ÞŁŚŻŹĆА-ЯЁІЇЄҐ"
_CALLED: Final = re.compile(rf"\s+(?:is\s+|to\s+)?[\"'„«“]?([{_CAPITAL}][\w'-]+(?: [{_CAPITAL}][\w'-]+)?)")
# "My name is actually Silke", "note my name: Patrizia".
_OWN_NAME: Final = re.compile(
    rf"(?::|\s[—–-])?\s+(?:[^\W\d_A-Z]+ )?[\"'„«“]?([{_CAPITAL}][\w'-]+(?: [{_CAPITAL}][\w'-]+)?)"
)
# A password is no longer.
_CODE_MAX: Final = 40
_IS_NAME: Final = re.compile(
    r"(?<!\w)(?:is|are|ist|sind|est|sont|es|son|è|sono|é|são|zijn|jest|są|to|это|є|це)\s+"
    r"(?:(?:an?|the|une?|el|la|le|les|il|lo|los|las|o|os|as|um|uma|una|een|de|het|der|die|das|eine?)\s+)?"
    r"(?:((?:[Dd]r|[Mm]rs?|[Mm]s|[Hh]err|[Ff]rau|[Mm]onsieur|[Mm]adame|M|Mme|[Ss]ig(?:nora?)?|dott\.?(?:ssa|oressa)?|dottor(?:essa)?|"
    r"[Ss]eñora?|[Ss]enhora?|[Dd]ona|[Mm]eneer|[Mm]evrouw|[Pp]ani?|[Dd]outora?|[Dd]octora?|profe?)\.?)\s+)?"
    rf"[\"'„«“]?([{_CAPITAL}][\w'&-]+(?: [{_CAPITAL}\d][\w'&-]*){{0,2}}|\w{{2,{_CODE_MAX}}}(?!\w))"
    r"[\"'”»]?(?=\s*[.!,;]|\s*$)"
)
# "Called Max and Moritz": each has one of the names.
_LISTED: Final = re.compile(rf"[\"'”»]?(?:,| and| und| et| y| e| en| i| и| і| та| &)\s+[{_CAPITAL}]")
_HOLDER: Final = re.compile(
    r",?\s+(?:(?:is|ist|est|es|è|é|to|это|це|heißt|heet|s'appelle|se llama|si chiama|chama-se|called|named|now)\s+)?"
    r"(?:(?:the|la|le|el|o|a|die|der|de)\s+)?"
    r"((?:(?:Dra?\.?|Mrs?\.?|Ms\.?|Herr|Frau|Mme|M\.|pan|pani|dott\.?(?:ssa|oressa|or)?|señora?|meneer|mevrouw)\s)?"
    rf"[{_CAPITAL}][\w'-]+(?: [{_CAPITAL}][\w'-]+)?)"
)


def _trades(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read what somebody works as: "Marcus teaches maths", "Théo ... quince años de contable", "Wim is postbode"."""
    if TRADES not in sentence.lists:
        return
    found = []
    for trade, pattern in sentence.words.trades:
        match = pattern.search(sentence.plain)
        if match is not None:
            found.append((trade, match))
    if len(found) != 1:
        return  # two in one sentence are two people, or one who changed
    ((trade, match),) = found
    subject = _nearest_person(sentence, match.start())
    if subject:
        yield _made(sentence, "trade", "", trade, match.span(), subject, mode=_told(sentence))


def _nearest_person(sentence: _Sentence, start: int) -> tuple[str, ...]:
    """Return who was named last before a place, by name or as the speaker's mother, son and the like."""
    cuts = [match.end() for match in _SEGMENT.finditer(sentence.plain[:start])]
    if _I.search(sentence.plain[cuts[-1] if cuts else 0 : start]):
        return (OWNER,)
    for where in (sentence.plain[:start], sentence.before):
        best = (-1, "")
        for word in WORD.finditer(where):
            if word[0] in sentence.names:
                best = word.start(), word[0]
        for role, pattern in sentence.words.roles.among(sentence.words.named_in(where)):
            for match in pattern.finditer(where):
                if match.start() >= best[0]:
                    best = match.start(), f"{OWNER} {role}"
        if best[1]:
            return (best[1],)
    return ()


def _feasts(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read on which day something is that happens once: a wedding, a first night, a launch."""
    said = sentence.plain
    if FEASTS not in sentence.lists:  # "Marta is getting married! 14 June, in the chapel"
        said = _last_sentence(sentence.before)
        if not said or len(said.split()) > _HEADING_WORDS_MAX:
            return
    days = list(_days(sentence.plain))
    if len({day for day, _, _ in days}) != 1:
        return
    named = [(name, match) for name, pattern in sentence.words.feasts if (match := pattern.search(said))]
    if named:
        name, match = named[-1]
        day, start, end = days[0]
        about = telling(sentence.plain if said is sentence.plain else f"{said} {sentence.plain}")
        named_by = tuple(word for word in about if word not in match[0])
        yield _made(sentence, "feast", name, day, (start, end), named_by, mode=_told(sentence))


# A sentence of no more words says what the next one is about.
_HEADING_WORDS_MAX: Final = 6


def _only_children(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read whether somebody has brothers and sisters: "I'm an only child", "Malte hat zwei Brüder"."""
    for match in sentence.all_of("alone"):
        subject = _person_at(sentence, match.start())
        if subject:
            yield _made(sentence, "siblings", "none", "none", match.span(), subject, mode=Mode.STATE)
        return
    for match in sentence.all_of("siblings"):
        if _has(sentence, match.start()):
            subject = _person_at(sentence, match.start())
            if subject:
                yield _made(sentence, "siblings", "some", "some", match.span(), subject, mode=Mode.STATE)
            return
    for role, pattern in sentence.roles:
        if role in ("sister", "brother"):
            for match in pattern.finditer(sentence.plain):
                before = " ".join(sentence.plain[: match.start()].split()[-_BEFORE_ROLE:])
                if sentence.holds("mine", before) and not sentence.holds("not", before):
                    yield _made(sentence, "siblings", "some", role, match.span(), (OWNER,), mode=Mode.STATE)
                    return


def _person_at(sentence: _Sentence, start: int) -> tuple[str, ...]:
    """Return of whom something is told: the speaker where they say so or nobody is named, else who is named."""
    if _of_self(sentence, sentence.plain):
        return (OWNER,)
    first = _first_name(sentence)
    if first and (sentence.holds("states", first[0]) or not sentence.plain[:start].strip()):
        first = ()  # "Sono figlio unico": a verb begins the sentence
    return _nearest_person(sentence, start) or first or (() if sentence.names else (OWNER,))


def _has(sentence: _Sentence, start: int) -> bool:
    """Say whether somebody is told to have what stands at a place, or so many of it: "I have two brothers"."""
    led = sentence.plain[:start]
    between = (
        led[match.end() :]
        for name in ("i_have", "has")
        for match in sentence.all_of(name)
        if match.end() <= start
    )
    return any(len(words.split()) <= _BEFORE_ROLE and not sentence.holds("not", words) for words in between)


def _floors(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read on which floor something is: "third floor", "im 2. Stock", "5 этаж"."""
    for match in sentence.all_of("floor"):
        before = WORD.findall(sentence.plain[: match.start()])[-2:]
        behind = WORD.findall(sentence.plain[match.end() :])[:1]
        for word in (*reversed(before), *behind):
            digits = re.match(r"(\d{1,2})(?:st|nd|rd|th|e|er|eme|o|a|º|ª)?$", word)
            number = int(digits[1]) if digits is not None else sentence.words.nth.get(word)
            if number is not None and number < _FLOORS:
                first = sentence.plain.rfind(word, 0, match.start()) if word not in behind else match.start()
                span = first, match.end()
                yield _made(sentence, "floor", "", float(number), span, telling(sentence.plain))
                break


_FLOORS: Final = 60


# --- what has a number

_COUNT: Final = re.compile(
    r"(?<![\w.,:/€£$₴₽#+-])(\d{1,4})(?![\w:/%°€£$₴₽-]|[.,]\d|\.)\s+([^\W\d_]{3,})(?:\s+([^\W\d_]{3,}))?"
)
# More counts in a sentence are a list: of what to buy, or what was there.
_COUNTS_MAX: Final = 2


def _counts_of(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read how many of something there are: "the band has 38 players", "24 sensors in the north aisle"."""
    plain = _in_digits(sentence.plain, sentence.words)
    found = []
    for match in _COUNT.finditer(plain):
        nouns = [word for word in match.groups()[1:] if word and word not in SILENT_WORDS]
        is_place = (
            sentence.holds("floor", match[2]) or sentence.holds("states", match[2]) or match[2] == "числа"
        )
        if not nouns or nouns[0] != match[2] or is_place or _is_measured(match[2]) or int(match[1]) < 2:
            continue
        if 1900 <= int(match[1]) < 2100 or (len(nouns) > 1 and _is_measured(nouns[1])):
            continue
        span = (match.start(1), match.end(1)) if plain == sentence.plain else (0, 0)
        made = _made(sentence, "count", "", float(match[1]), span, nouns)
        found.append(made._replace(told=f"{match[1]} {match[2]}"))
    if len(found) <= _COUNTS_MAX:
        yield from found


def _years(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read a year in which something was or began, if a sentence names one and no day of it."""
    found = list(_A_YEAR.finditer(sentence.plain))
    if len(found) == 1 and not sentence.has("born"):
        before = WORD.findall(sentence.plain[: found[0].start()])[-1:]
        if not before or "month" not in meant_by(before[0]):
            once = sentence.has("once_only")
            made = _made(
                sentence,
                "year",
                "",
                float(found[0][1]),
                found[0].span(1),
                telling(sentence.plain),
                mode=Mode.STATE if once else None,
            )
            yield made._replace(states=once or made.states)


def _month_days(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read on which day of each month something is: "rent goes out on the 1st", "аванс 15 числа"."""
    words = WORD.findall(sentence.plain)
    by_month = any(meant_by(word).get("unit") == "month" for word in words)
    if not (by_month or sentence.has("costs") or sentence.has("per_month") or "числа" in words):
        return
    if any({"month", "weekday"} & meant_by(word).keys() for word in words):
        return
    found = [
        match for match in _MONTH_DAY.finditer(sentence.plain) if 1 <= int(match[1] or match[2]) <= _DAYS_MAX
    ]
    if len(found) == 1:
        yield _made(
            sentence,
            "monthday",
            "",
            float(found[0][1] or found[0][2]),
            found[0].span(),
            telling(sentence.plain),
        )


def _ends_on(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read until when something runs: "guarantee until March 2029", "el contrato vence el 31 de agosto de 2028"."""
    cue = next(sentence.all_of("expires"), None)
    if cue is None:
        return
    for word in WORD.finditer(sentence.plain):
        month = meant_by(word[0]).get("month")
        if not isinstance(month, int) or word[0].isdecimal():
            continue
        year = _YEAR_BEHIND.match(sentence.plain, word.end())
        if year is not None:
            span = word.start(), year.end()
            value = f"{year[1]}-{month:02}"
            yield _made(sentence, "until", "", value, span, telling(sentence.plain), mode=_told(sentence))
            return


_YEAR_BEHIND: Final = re.compile(r"\.?,?\s(?:de\s|del\s|of\s)?((?:19|20)\d\d)(?!\w)")
_A_YEAR: Final = re.compile(r"(?<![\w.,/€£$#-])(1[89]\d\d|20[0-4]\d)(?![\w/-]|[.,]\d|\s?[€£$%])")
_MONTH_DAY: Final = re.compile(
    r"(?<![\w.,:/])(?:(?:(?:on|by|until) )?the |am |zum |jeden |le |el |el dia |il |no dia |dia |op de |de |do |до )?"
    r"(\d{1,2})(?:(?:st|nd|rd|th|\.|e|er|o|º|-?го|ego)(?![\w\d])|(?= числа))"
    r"(?!\s?(?:floor|stock|etage|piso|piano|andar|\d))"
    r"|(?<!\w)(?:el dia|no dia|dia|le|il giorno|dnia) (\d{1,2})(?![\w:.,/]|\s?(?:€|%|h\b))"
)


def _is_measured(word: str) -> bool:
    """Say whether a number before a word is a measure or a time, and counts no things."""
    small = folded(word)
    return (
        bool({"month", "weekday", "unit", "number", "relative", "season"} & meanings(small).keys())
        or seconds_of(small) is not None
        or any(each.value is not None for each in attributes(f"7 {word}"))
    )


def _bare_number(sentence: _Sentence, found: Sequence[TypedClaim]) -> Iterator[TypedClaim]:
    """Read the only number of a sentence that says what is so, where no reader knows what it counts: "on port 5432"."""
    numbers = list(_BARE.finditer(sentence.plain))
    states = _states(sentence)
    if len(numbers) != 1 or states is None or any(_NUMBER.search(claim.told) for claim in found):
        return
    span = numbers[0].span()
    if span[0] >= states.end():
        yield _made(sentence, "number", "", numbers[0][0].rstrip(".:-"), span, telling(sentence.plain))


# A number, a version, an address of a network, a number with letters: "5432", "3.11", "10.0.0.5", "X1234567".
_BARE: Final = re.compile(r"(?<![\w.,:/+-])[a-z]{0,3}\d[\w.:-]*(?![\w/%°€£$₴₽])")


def _codes(sentence: _Sentence) -> Iterator[TypedClaim]:
    """Read short numbers that name something where a word before them says so: "the gate code is 4471"."""
    for match in sentence.all_of("code"):
        found = _SHORT_NUMBER.match(sentence.plain, match.end())
        if found is not None:
            span = found.start(1), found.end(1)
            near = _words_at(sentence.plain[: match.start()], -_NEAR) + _words_at(
                sentence.plain[found.end() :], _NEAR
            )
            yield _made(sentence, "identifier", match[0], found[1], span, near)


def _quantities(sentence: _Sentence) -> Iterator[TypedClaim]:
    if not (_NUMBER.search(sentence.plain) or _says_number(sentence)):
        return
    hours = "close" if sentence.has("closes") else "open" if sentence.has("opens") else ""
    round_at = sentence.has("every") or _is_weekday(sentence.plain)
    comes_round = hours or ("end" if sentence.has("ends") else "at" if round_at else "")
    subject = telling(sentence.plain)
    one_day = sentence.has("holiday") or next(_days(sentence.plain), None) is not None
    if comes_round and not one_day:
        for value, start, end in _clocks(sentence):
            minutes = float(value % _HALF_DAY)
            before = sentence.plain[:start]
            until = comes_round == "open" and _UNTIL.search(before) and not sentence.holds("not", before)
            unit = "close" if until else comes_round
            yield _made(sentence, "clock", unit, minutes, (start, end), subject, mode=_lasting(sentence))
    for name, seconds in _WHOLE.items():
        for match in sentence.all_of(name):
            yield _made(sentence, "duration", "", float(seconds), match.span(), subject)
    plain = _in_digits(sentence.plain, sentence.words)
    for each in attributes(plain):
        if each.value is None or each.kind in ("date", "clock"):
            continue
        if each.kind != "weekday":
            yield _counted(sentence, plain, each)
        elif comes_round and not sentence.holds("since", _before(plain, each.told)):
            made = _made(
                sentence, "weekday", comes_round, each.value, (0, 0), subject, mode=_lasting(sentence)
            )
            yield made._replace(told=each.told)
    for bare in _MONTHLY.finditer(plain):
        told = next(filter(None, bare.groups()))
        sum_of = float(re.sub(r"[.,\s](?=\d{3})", "", told).replace(",", "."))
        if sum_of >= _SUM_MIN:
            unit = f"?/{_PERIODS['per_month']}"
            made = _made(sentence, "money", unit, sum_of, (0, 0), subject, mode=_lasting(sentence))
            yield made._replace(told=told)
    for bare in _MONEY_BARE.finditer(plain):
        period = seconds_of(folded(bare[2]))
        if period is not None:
            sum_of = float(bare[1].replace(",", "."))
            yield _made(sentence, "money", f"?/{period:.0f}", sum_of, (0, 0), subject)._replace(told=bare[0])


def _counted(sentence: _Sentence, plain: str, each: Attribute) -> TypedClaim:
    """Return the claim of a number with a unit, and among which words it stands."""
    assert each.value is not None
    told = level(each.told)
    at = plain.find(told)
    if at < 0 and (grouped := _grouped(told).search(plain)):
        at, told = grouped.start(), grouped[0]
    kind, _, name = each.kind.partition(" ")
    if at < 0:
        return _made(sentence, kind, name, each.value, (0, 0), telling(plain))._replace(told=each.told)
    behind = plain[at + len(told) :]
    unit = f"{name}{_period(behind) or _adverb_of(sentence, plain)}" if kind == "money" else name
    span = (at, at + len(told)) if plain == sentence.plain else (0, 0)
    beside = _words_at(plain[:at], -_NEAR) + _words_at(behind, _NEAR)
    mode = _lasting(sentence) if kind == "money" and "/" in unit else None
    return _made(sentence, kind, unit, each.value, span, beside, mode=mode)._replace(told=each.told)


@lru_cache(256)
def _grouped(told: str) -> "re.Pattern[str]":
    """Return what finds a number that is written in groups: "1150 €" is told as "1 150 €"."""
    digits, _, rest = told.partition(" ")
    groups = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", "\\\\s", digits)
    return re.compile(rf"(?<!\d){groups}\s{re.escape(rest)}" if rest else rf"(?<!\d){groups}(?!\d)")


def _adverb_of(sentence: _Sentence, plain: str) -> str:
    """Return what a sum is paid for where an adverb says so: "monatlich", "miesięcznie"."""
    if len(_CURRENCY.findall(plain)) > 1:
        return ""
    return next((f"/{seconds}" for name, seconds in _PERIODS.items() if sentence.has(name)), "")


def _before(plain: str, told: str) -> str:
    """Return the two words before what was told: "since last Tuesday" is no day that comes round."""
    return " ".join(plain.partition(level(told))[0].split()[-2:])


def _is_weekday(plain: str) -> bool:
    """Say whether something is told to be on a weekday as a rule: "Thursday is choir", "Montag ist Kletterabend"."""
    return any(
        "weekday" in meant_by(match[1]) or "weekday" in meant_by(match[1].removesuffix("s"))
        for match in _DAY_IS.finditer(plain)
    )


_DAY_IS: Final = re.compile(
    r"([^\W\d_]{4,})(?:\s(?:nights?|evenings?|mornings?|abend|abende|vormittag))?\s(?:is|are|ist|sind|es|est|e|son|sono)\s(?!\d)"
)


@lru_cache(_KEPT)
def _names_weekday(word: str) -> bool:
    plain = folded(word)
    return "weekday" in meanings(plain) or "weekday" in meanings(plain.removesuffix("s"))


def _says_number(sentence: _Sentence) -> bool:
    """Say whether a sentence without a digit tells a number, a day or a stretch of time."""
    if not sentence.lists.isdisjoint({CLOCKS, *_WHOLE}):
        return True
    numbers = sentence.words.numbers
    return any(word in numbers or _names_weekday(word) for word in WORD.findall(sentence.plain))


def _lasting(sentence: _Sentence) -> Mode:
    """What comes round is no event, though it is told with words of one: "open today and every Monday"."""
    mode = _mode(sentence)
    if mode is Mode.EVENT and sentence.has("exception"):
        return mode
    return Mode.GOAL if mode is Mode.GOAL else Mode.STATE


# "1100 euros de alquiler al mes": between a sum and what it is paid for stands a word at most, and no longer one.
_BETWEEN_MAX: Final = 9


def _period(behind: str) -> str:
    """Return what a sum is paid for: a month, an hour, or nothing that is said."""
    for match in re.finditer(r"[^\W\d_]+", re.split(r"[,;.()+]", behind[:24])[0]):
        seconds = seconds_of(folded(match[0]))
        if seconds is not None:
            return f"/{seconds:.0f}"
        if len(match[0]) > _BETWEEN_MAX:
            break
    return ""


def _in_digits(plain: str, words: PatternLexicon) -> str:
    """Return a text with its number words in digits: "sixty-eight pounds" is "68 pounds"."""

    def put(match: "re.Match[str]") -> str:
        tens, ones = words.numbers.get(match[1]), words.numbers.get(match[2] or "")
        if tens is None or tens < 2:
            return match[0]
        if ones is not None and tens >= 20 and 0 < ones < 10:
            return str(tens + ones)
        return f"{tens}{match[0][len(match[1]) :]}"

    return _SPELLED.sub(put, plain) if any(map(words.numbers.__contains__, WORD.findall(plain))) else plain


def _clocks(sentence: _Sentence) -> Iterator[tuple[int, int, int]]:
    """Return times of day in minutes, with where they stand; what is read by one way is not read by the next."""
    taken: list[tuple[int, int]] = []
    for read in (_beside_hours, _written_clocks, _struck_hours):
        for minutes, start, end in read(sentence):
            if not any(begun < end and start < done for begun, done in taken):
                taken.append((start, end))
                yield minutes, start, end


def _beside_hours(sentence: _Sentence) -> Iterator[tuple[int, int, int]]:
    """Read "half past seven", "halb acht", "sept heures et demie"."""
    for pattern, minutes in sentence.words.beside_hour if CLOCKS in sentence.lists else ():
        for match in pattern.finditer(sentence.plain):
            hour = (
                int(match["hour"]) if match["hour"].isdecimal() else sentence.words.numbers.get(match["hour"])
            )
            if hour is not None and 0 < hour <= _HOURS:
                yield hour * _MINUTES + minutes, *match.span()


def _written_clocks(sentence: _Sentence) -> Iterator[tuple[int, int, int]]:
    """Read "18:30", "9h15", and with a word of time beside it "7.30"."""
    plain = sentence.plain
    for match in _CLOCK.finditer(plain):
        start, end = match.span()
        if match[2] != "." or _AT.search(plain[:start]) or _STRUCK.match(plain, end):
            yield _afternoon(int(match[1]), plain[end:]) * _MINUTES + int(match[3]), start, end


def _struck_hours(sentence: _Sentence) -> Iterator[tuple[int, int, int]]:
    """Read "at six", "um 9", "18 uhr", "6 pm"."""
    plain = sentence.plain
    for match in _HOUR.finditer(plain):
        hour = int(match[0]) if match[0].isdecimal() else sentence.words.numbers.get(match[0])
        if hour is None or not 0 < hour <= _HOURS:
            continue
        start, end = match.span()
        at = _AT.search(plain[:start]) is not None and not _counts(plain[end:])
        if at or _STRUCK.match(plain, end):
            yield _afternoon(hour, plain[end : end + 6]) * _MINUTES, start, end


def _counts(behind: str) -> bool:
    """Say whether what stands behind a number makes it a number of something."""
    word = re.match(r"\s*([^\W\d_]+)", behind)
    return word is not None and (seconds_of(folded(word[1])) is not None or "month" in meant_by(word[1]))


def _afternoon(hour: int, behind: str) -> int:
    return hour + 12 if behind.lstrip().startswith(("pm", "p.m")) and hour < 12 else hour
