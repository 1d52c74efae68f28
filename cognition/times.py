"""Read which times a question means: "last week", "im März", "the first two weeks of June", "двадцять першого травня".

Ten languages share one table of words: a question is short, nobody says which language it is in, and many mix two. So
each word is looked up for what it may mean (a month, a weekday, "last", a count), and a few patterns over those
meanings make stretches of time. A month that is named without a year is the latest and the coming one. The same
reader finds the times that a memory names, from the day on which it was told.

Days are those of a zone, by whose clock the text is meant: of UTC where nobody says.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from cognition.days import DAY_MS, moment_shown, shown_at
from cognition.numerals import in_decimals
from replica.values import dataclass

# What was told a few hours beside a day may belong to it: late at night, or on a journey.
ROUGHLY_MS: Final = DAY_MS // 4
# Words whose meanings are remembered.
_KEPT: Final = 4_096
# Texts whose times are remembered, each for a day; of as many rows as are kept for the next question, most name none.
_TEXTS_KEPT: Final = 8_192
# A text of a memory is read for times up to here.
_CHARACTERS_MAX: Final = 1_000
_COUNT_MAX: Final = 400
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The 29th of February 2024: what a text names on any day, if only that one, it names on this.
_LEAP_DAY: Final = 19_782
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+")
# What the next three look for holds a digit, and most texts hold none: to look for one takes a tenth of their time.
_DIGIT: Final = re.compile(r"\d")
_ISO: Final = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
# Of "2.5 years" the whole ones count: the year is right, and five would be wrong.
_DECIMAL: Final = re.compile(r"(?<![\d.,:/-])(\d+)[.,]\d{1,2} (?=([^\W\d_]+))")
_APOSTROPHES: Final = re.compile(r"['’ʼ]")
# Of "3-9 May" and "28 April – 3 May"; not of a date, a phone number or a score of more than two parts.
_BETWEEN_DAYS: Final = re.compile(
    r"((?<![\d.,:/–—-])\d{1,2}\.? ?|[^\W\d_]\.? )[-–—] ?(?=\d{1,2}(?![\d:/–—-]))"
)


class Window(NamedTuple):
    """A stretch of time, in ms; both ends belong to it."""

    start_ms: int
    end_ms: int

    def holds(self, time_ms: int) -> bool:
        """Say whether something was told then, or a few hours beside it."""
        return self.start_ms - ROUGHLY_MS <= time_ms <= self.end_ms + ROUGHLY_MS

    def meets(self, other: "Window") -> bool:
        """Say whether two stretches have a moment in common."""
        return self.start_ms <= other.end_ms and other.start_ms <= self.end_ms

    @property
    def days(self) -> float:
        """How long it is."""
        return (self.end_ms - self.start_ms) / DAY_MS


# What a word may mean: en de fr es it pt nl pl ru uk. A star stands for any ending.
_MONTHS: Final = (
    "january januar* janvier enero gennaio janeiro stycz* январ* січень січня січні",
    "february februar* fevrier febrero febbraio fevereiro luty lutego lutym феврал* лютий лютого лютому",
    "march marz mars marzo março maart marzec marca marcu март марта марте березень березня березні",
    "april* avril abril kwiecien kwietnia kwietniu апрел* квітень квітня квітні",
    "may mai mayo maggio maio mei maj maja maju маи мая мае травень травня травні",
    "june juni juin junio giugno junho czerw* июн* червень червня червні",
    "july juli juillet julio luglio julho lipiec lipca lipcu июл* липень липня липні",
    "august* aout agosto sierp* август* серпень серпня серпні",
    "september septembre septiembre setiembre settembre setembro wrzesien wrzesnia wrzesniu сентябр* верес*",
    "october oktober octobre octubre ottobre outubro pazdziernik* октябр* жовтень жовтня жовтні",
    "november novembre noviembre novembro listopad* ноябр* листопад*",
    "december dezember decembre diciembre dicembre dezembro grudzien grudnia grudniu декабр* грудень грудня грудні",
)
_WEEKDAYS: Final = (
    "monday montag* lundi lunes lunedi segunda maandag poniedzialek poniedzialki понедельник* понеділ*",
    "tuesday dienstag* mardi martes martedi terça dinsdag wtorek wtorki вторник* вівтор*",
    "wednesday mittwoch* mercredi miercoles mercoledi quarta woensdag srode srody sroda среду среда середу середа",
    "thursday donnerstag* jeudi jueves giovedi quinta donderdag czwartek czwartki четверг* четвер",
    "friday freitag* vendredi viernes venerdi sexta vrijdag piatek piatki пятниц* пятниц*",
    "saturday samstag* sonnabend* samedi sabado sabato zaterdag sobote soboty sobota суббот* субот*",
    "sunday sonntag* dimanche domingo domenica zondag niedziele niedziela воскресень* неділю неділя",
)
_UNITS: Final = {
    "day": "day days tag tage tagen jour jours dia dias giorno giorni dag dagen dzien dni день дня днеи дні днів",
    "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken tydzien tygodnie"
    " tygodni tygodniu неделя неделю недели недель неделе тиждень тижня тижні тижнів",
    "month": "month months monat monate monaten monats mois mes meses mese mesi maand maanden miesiac miesiaca miesiace"
    " miesiecy miesiacu месяц месяца месяцев месяце місяць місяця місяці місяців",
    "year": "year years jahr jahre jahren jahres an ans annee annees año años anno anni ano anos jaar rok roku lata lat"
    " год года году лет рік року роки років",
    "weekend": "weekend weekends wochenende wochenenden finde выходные выходных вихідні вихідних",
}
_NEAR: Final = {
    -1: "last past letzte letzten letzter letztes letztem vergangene vergangenen vorige vorigen dernier derniere"
    " derniers dernieres passe passee pasado pasada pasados pasadas ultimo ultima ultimos ultimas ultimi scorso scorsa"
    " scorsi passado passada vorig afgelopen ostatni ostatnim ostatnia ostatnie ostatnich zeszlym zeszly zeszla"
    " zeszlego прошлыи прошлую"
    " прошлои прошлом прошлое прошлого прошлые последние последнии минулого минулии минулу минулої минулому минулих"
    " останні",
    0: "this these diese diesen dieser dieses diesem ce cet cette este esta estos esto deste desta neste nesta questo"
    " questa quest deze dit tym ten tego этот эту этои этом этого эти цеи цю цього цьому цих ці",
    1: "next coming upcoming nachste nachsten nachster nachstes kommende kommenden prochain prochaine prochains"
    " prochaines proximo proxima proximos proximas prossimo prossima prossimi prossime volgende komende przyszly"
    " przyszlym przyszla nastepny następnym следующ* ближаиш* наступн* наиближч*",
}
_RELATIVE: Final = {
    0: "today tonight heute aujourdhui hoy oggi hoje vandaag dzis dzisiaj сегодня сьогодні",
    -1: "yesterday gestern hier ayer anoche ieri ontem gisteren wczoraj вчера вчора учора",
    -2: "vorgestern avanthier anteayer anteontem laltroieri eergisteren przedwczoraj позавчера позавчора",
    1: "tomorrow demain domani amanha jutro завтра",
    2: "ubermorgen apresdemain overmorgen pojutrze послезавтра післязавтра",
}
_AGO: Final = "ago vor hace ha il fa atras geleden temu назад тому back"
_AHEAD: Final = "in within dans tra fra dentro em over za через за innerhalb nel next"
_PARTS: Final = {
    (
        0.0,
        0.34,
    ): "early beginning start anfang debut inicio comeco principios comienzos inizio inizi begin poczatku"
    " poczatek начале начала початку",
    (0.33, 0.67): "mid middle mitte milieu mediados meta meados polowie середине середині",
    (0.66, 1.0): "late end ende fin final finales fine fim einde eind koncu koniec конце кінці наприкінці",
}
_NUMBERS: Final = {
    1: "a an one ein eine einem einer eines einen un une una uno um uma een jeden jedna одна один одну одного"
    " first premier erste ersten первого першого",
    2: "two couple zwei deux dos due dois duas twee dwa dwie два две дві второго другого",
    3: "three drei trois tres tre drie trzy три третьего третього",
    4: "four vier quatre cuatro quattro quatro cztery четыре чотири четвертого",
    5: "five funf cinq cinco cinque vijf piec пять пять пятого пятого",
    6: "six sechs seis sei zes szesc шесть шість шестого",
    7: "seven sieben sept siete sette sete zeven siedem семь сім седьмого сьомого",
    8: "eight acht huit ocho otto oito osiem восемь вісім восьмого",
    9: "nine neun neuf nueve nove negen dziewiec девять дев'ять девятого девятого",
    10: "ten zehn dix diez dieci dez tien dziesiec десять десятого",
    11: "eleven elf onze undici одиннадцатого одинадцятого",
    12: "twelve zwolf douze doce dodici doze twaalf двенадцатого дванадцятого",
    13: "тринадцатого тринадцятого dreizehnten",
    14: "fortnight quinze четырнадцатого чотирнадцятого",
    15: "fifteen пятнадцатого пятнадцятого",
    16: "шестнадцатого шістнадцятого",
    17: "семнадцатого сімнадцятого",
    18: "восемнадцатого вісімнадцятого",
    19: "девятнадцатого девятнадцятого",
    20: "twenty zwanzig vingt veinte venti vinte двадцать двадцять двадцатого двадцятого",
    30: "thirty dreißig trente treinta trenta trinta тридцать тридцять тридцатого тридцятого",
}
# First and last month.
_SEASONS: Final = {
    (
        3,
        5,
    ): "spring fruhling fruhjahr printemps primavera lente voorjaar wiosna wiosne весна весну весной весною",
    (6, 8): "summer sommer lete verano estate verao zomer lato lecie летом літом влітку",
    (
        9,
        11,
    ): "autumn fall herbst automne otoño autunno outono herfst jesien jesienia осень осенью осінь восени",
    (12, 2): "winter hiver invierno inverno zima zime зима зимой взимку",
}
# Month, first day, last day.
_HOLIDAYS: Final = {
    (
        12,
        24,
        26,
    ): "christmas xmas weihnachten weihnacht* noel navidad natale natal kerst kerstmis рождеств* різдв*",
    (12, 24, 24): "heiligabend nochebuena wigilia wigilie",
    (12, 31, 31): "silvester* nochevieja reveillon sylwester sylwestra",
    (1, 1, 1): "neujahr capodanno",
    (10, 31, 31): "halloween",
    (2, 14, 14): "valentine valentines valentinstag",
}
_EASTER: Final = "easter ostern paques pascua pasqua pascoa pasen wielkanoc пасха пасху великдень"
# "May" is a month where one of these stands before it.
_BEFORE_MAY: Final = frozenset(
    ["in", "of", "early", "late", "mid", "last", "next", "since", "during", "this", "until", "by"]
)
_FILLERS: Final = frozenset(
    [
        *("of", "de", "do", "del", "st", "nd", "rd", "th", "er", "e", "the", "le"),
        *("o", "a", "la", "den", "el", "il", "в", "у", "d", "dei", "des", "du", "l", "dem", "della"),
    ]
)
# What stands between the first and the last day of a stretch, in one word or several ("tot en met", "bis zum").
_TO: Final = frozenset(
    [
        *("to", "till", "until", "through", "thru", "bis", "au", "jusquau", "al", "a", "ao", "ate"),
        *("hasta", "fino", "tot", "t", "по"),
    ]
)
# These also say "by" or "before", so they do it behind a word for "from" only.
_TO_BEHIND_FROM: Final = frozenset(["do", "до"])
_FROM: Final = frozenset(["od", "с", "со", "від", "з", "із", "зі"])
_AFTER_TO: Final = frozenset(["zum", "den", "em", "en", "met", "m", "the", "el", "o", "le", "al", "au", "a"])
_ORDINALS: Final = frozenset(["st", "nd", "rd", "th", "er"])
# And after one of these the word for "and" does.
_BETWEEN: Final = frozenset(
    ["between", "zwischen", "entre", "tra", "fra", "tussen", "miedzy", "между", "між", "поміж"]
)
_AND: Final = frozenset(["and", "und", "et", "y", "e", "en", "a", "i", "и", "і", "й", "та"])
# What most words mean: one for all of them, since thousands are remembered.
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


def _table() -> dict[str, list[tuple[str, object]]]:
    found: dict[str, list[tuple[str, object]]] = {}

    def put(kind: str, value: object, text: str) -> None:
        for word in text.split():
            spelled = folded(word.removesuffix("*")) + ("*" if word.endswith("*") else "")
            found.setdefault(spelled, []).append((kind, value))

    for number, text in enumerate(_MONTHS, 1):
        put("month", number, text)
    for number, text in enumerate(_WEEKDAYS):
        put("weekday", number, text)
    for kind, table in (
        ("unit", _UNITS),
        ("near", _NEAR),
        ("relative", _RELATIVE),
        ("part", _PARTS),
        ("number", _NUMBERS),
        ("season", _SEASONS),
        ("holiday", _HOLIDAYS),
    ):
        for value, text in table.items():
            put(kind, value, text)
    put("ago", True, _AGO)
    put("ahead", True, _AHEAD)
    put("easter", True, _EASTER)
    return found


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question, and what it may mean, by kind."""

    spelled: str
    means: Mapping[str, object]


def windows(text: str, now_ms: int, zone: tzinfo = UTC) -> tuple[Window, ...]:
    """Return the stretches of time that a text names, as meant at a time in ms since 1970, by the clock of a zone."""
    if not 0 <= now_ms < 250_000_000_000_000:
        return ()
    text = text[:_CHARACTERS_MAX]
    if zone is UTC:
        return _windows(text, now_ms // DAY_MS)
    if not _windows(text, _LEAP_DAY):  # most texts name no time, and are spared the look at a clock
        return ()
    found = _windows(text, _shown(now_ms, zone) // DAY_MS)
    return tuple(Window(of_clock(each.start_ms, zone), of_clock(each.end_ms + 1, zone) - 1) for each in found)


def of_clock(shown_ms: int, zone: tzinfo) -> int:
    """Return when the clock of a zone shows what that of UTC shows at a time, both in ms since 1970.

    Beyond the years of a calendar it is the time itself.
    """
    if zone is UTC:
        return shown_ms
    try:
        return moment_shown(shown_ms, zone)
    except OverflowError:  # beyond the years of a calendar
        return shown_ms


def in_days_of_utc(window: Window, zone: tzinfo) -> Window:
    """Return the stretch that UTC's clock shows when that of a zone shows this one: the same days, as UTC has them."""
    if zone is UTC:
        return window
    return Window(_shown(window.start_ms, zone), _shown(window.end_ms + 1, zone) - 1)


def with_days_of_utc(window: Window, zone: tzinfo) -> Window:
    """Return the stretch that holds this one, and the same days as UTC has them: what was imported may be dated so."""
    days = in_days_of_utc(window, zone)
    return Window(min(window.start_ms, days.start_ms), max(window.end_ms, days.end_ms))


def as_meant(time_ms: int, zone: tzinfo) -> int:
    """Return a time; or of a midnight of UTC, which stands for a day in a diary that was imported, the zone's own."""
    return time_ms if time_ms % DAY_MS else of_clock(time_ms, zone)


def _shown(time_ms: int, zone: tzinfo) -> int:
    """Return what the clock of a zone shows at a time: when UTC's shows the same."""
    if zone is UTC:
        return time_ms
    try:
        return shown_at(time_ms, zone)
    except OverflowError:
        return time_ms


@lru_cache(_TEXTS_KEPT)
def _windows(text: str, day: int) -> tuple[Window, ...]:
    today = (_EPOCH + timedelta(days=day)).date()
    words = _words(text)
    found: list[tuple[date, date]] = []
    for year, month, number in _ISO.findall(text) if _DIGIT.search(text) else ():
        try:
            named = date(int(year), int(month), int(number))
        except ValueError:
            continue  # a day that no calendar has
        found.append((named, named))
    taken: set[int] = set()
    # Most words of most texts mean no time, and nothing that is read here begins with one.
    places = [at for at, word in enumerate(words) if word.means or word.spelled in _BEGIN_PAIRS]
    for pattern in _PATTERNS if places else ():
        for at in places:
            if at in taken:
                continue
            spans, until = _dates_of(pattern, words, at, today)
            if spans and not taken.intersection(range(at, until)):
                found += spans
                taken.update(range(at, until))
    return tuple(dict.fromkeys(_window(*span) for span in found))


Pattern = Callable[[Sequence[_Word], int, date], tuple[list[tuple[date, date]], int]]


def _dates_of(
    pattern: Pattern, words: Sequence[_Word], at: int, today: date
) -> tuple[list[tuple[date, date]], int]:
    try:
        return pattern(words, at, today)
    except (ValueError, OverflowError):
        return [], at


def _window(first: date, last: date) -> Window:
    def ms(day: date) -> int:
        return (day - _EPOCH.date()).days * DAY_MS

    return Window(ms(first), ms(last) + DAY_MS - 1)


def folded(text: str) -> str:
    """Return a word as the table spells it: small, without accents and apostrophes."""
    plain = _APOSTROPHES.sub("", text.casefold()).replace("-", "")
    if plain.isascii():
        return plain
    plain = unicodedata.normalize("NFKD", plain)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).replace("ł", "l")


def _words(text: str) -> list[_Word]:
    plain = in_decimals(text)
    if _DIGIT.search(plain):
        plain = _BETWEEN_DAYS.sub(_until, plain)
    plain = folded(plain)
    if _DIGIT.search(plain):  # which "①" is by now
        plain = _DECIMAL.sub(_whole, plain)
    return [*map(_word, _TOKEN.findall(plain))]


def _until(match: "re.Match[str]") -> str:
    return f"{match[1]} to "


@lru_cache(_KEPT)
def _word(spelled: str) -> _Word:
    if not spelled.isdecimal():
        return _Word(spelled, meanings(spelled))
    return _Word(
        spelled, {"year": int(spelled)} if len(spelled) == 4 else {"number": min(int(spelled), 9_999)}
    )


def _whole(match: "re.Match[str]") -> str:
    return f"{match[1]} " if "unit" in meanings(match[2]) else match[0]


@lru_cache(_KEPT)
def meanings(word: str) -> Mapping[str, object]:
    """Return what a folded word may mean, by kind: a month, a weekday, a unit, a number, a day from today."""
    whole = _TABLE.get(word, [])
    begun = [each for size in range(3, len(word) + 1) for each in _TABLE.get(word[:size] + "*", [])]
    return MappingProxyType(dict((*begun, *whole))) if begun or whole else _NOTHING


@lru_cache(_KEPT)
def meant_by(word: str) -> Mapping[str, object]:
    """Return what a word may mean, as it is written: a few hundred words are most of what anybody tells."""
    return meanings(folded(word))


def _get(words: Sequence[_Word], at: int, kind: str) -> object:
    return words[at].means.get(kind) if 0 <= at < len(words) else None


def _skip(words: Sequence[_Word], at: int) -> int:
    """Return the place of the next word that is no filler."""
    while at < len(words) and words[at].spelled in _FILLERS:
        at += 1
    return at


def _count(words: Sequence[_Word], at: int) -> tuple[int, int]:
    """Return a number that stands here, also of two words ("двадцять першого"), and where it ends; 0 for none."""
    number = _get(words, at, "number")
    if not isinstance(number, int) or number > _COUNT_MAX:
        return 0, at
    more = _get(words, at + 1, "number")
    if number in (20, 30) and isinstance(more, int) and more < 10 and not words[at + 1].spelled.isdecimal():
        return number + more, at + 2
    return number, at + 1


def _month_at(words: Sequence[_Word], at: int) -> int | None:
    month = _get(words, at, "month")
    if not isinstance(month, int):
        return None
    if words[at].spelled in ("may", "march", "mars", "mai", "mei", "marca", "marco"):
        before = words[at - 1] if at else None
        told = before is not None and (
            before.spelled in _BEFORE_MAY
            or before.spelled in _FILLERS
            or not {"number", "near", "part", "ahead"}.isdisjoint(before.means)
            or before.spelled in ("im", "em", "en", "seit", "depuis", "desde")
        )
        after = at + 1 < len(words) and not {"number", "year"}.isdisjoint(words[at + 1].means)
        return month if told or after else None
    return month


class _NamedDay(NamedTuple):
    """A day of a month as it stands in a text, and where it ends; `day` is 0 where none does."""

    day: int
    month: int | None
    year: int | None
    month_leads: bool
    end: int


_NO_DAY: Final = _NamedDay(0, None, None, False, 0)


def _named_day(words: Sequence[_Word], at: int) -> _NamedDay:
    """Return the day of a month that stands here, with its month and year where these do."""
    day, end = _count(words, at)
    month_at, leads = _skip(words, end), False
    month = _month_at(words, month_at) if day else None
    if month is not None:
        end = month_at + 1
    else:
        if leads := (month := _month_at(words, at)) is not None:
            day, end = _count(words, _skip(words, at + 1))
        if _get(words, end, "unit") is not None:
            return _NO_DAY
    if not 1 <= day <= 31:
        return _NO_DAY
    year_at = _skip(words, end)
    year = _get(words, year_at, "year")
    if not isinstance(year, int):
        return _NamedDay(day, month, None, leads, end)
    return _NamedDay(day, month, year, leads, year_at + 1)


def _day_of_month(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "25 December", "25 de abril 2026", "двадцять першого травня", "June 3rd"."""
    day, month, year, _, end = _named_day(words, at)
    if not day or month is None:
        return [], at
    if year is not None:
        return [(date(year, month, day),) * 2], end
    return [(each, each) for each in _around(today, lambda year: date(year, month, day))], end


def _stretch(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "3 to 9 May", "vom 28. April bis zum 3. Mai 2026", "entre le 3 et le 9 mai", "June 3rd to 9th"."""
    first = _named_day(words, at)
    to = _past_to(words, at, first) if first.day else 0
    last = _named_day(words, _skip(words, to)) if to else _NO_DAY
    if not last.day or (last.month is None and (first.month is None or not first.month_leads)):
        return [], at
    day, month = first.day, first.month or last.month or 0
    last_day, last_month = last.day, last.month or month
    over_new_year = (month, day) > (last_month, last_day)
    if over_new_year and month == last_month and first.year == last.year:
        return [], at
    years = last.year - first.year if first.year and last.year else int(over_new_year)
    if year := first.year or (last.year and last.year - years):
        firsts = [date(year, month, day)]
    else:
        firsts = _around(today, lambda year: date(year, month, day))
    spans = [(each, date(each.year + years, last_month, last_day)) for each in firsts]
    return [span for span in spans if span[0] < span[1]], last.end


def _past_to(words: Sequence[_Word], at: int, first: _NamedDay) -> int:
    """Return where the words end that say, behind a day, that a stretch goes on to another; 0 where none do."""
    end = first.end
    while end < len(words) and words[end].spelled in _ORDINALS:
        end += 1
    if end >= len(words):
        return 0
    to, before = words[end].spelled, [word.spelled for word in words[max(0, at - 2) : at]]
    if not (
        (to in _TO and not (to == "a" and first.month_leads))  # "on May 3 a 20 percent discount"
        or (to in _TO_BEHIND_FROM and not _FROM.isdisjoint(before[-1:]))
        or (to in _AND and not _BETWEEN.isdisjoint(before))
    ):
        return 0
    end += 1
    while end < len(words) and words[end].spelled in _AFTER_TO:
        end += 1
    return end


def _around(today: date, on: Callable[[int], date]) -> list[date]:
    """Return the latest such day and the coming one, if that is nearer than half a year."""
    found = []
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            found.append(on(year))
        except ValueError:
            continue
    past = [day for day in found if day <= today]
    coming = [day for day in found if today < day <= today + timedelta(days=183)]
    return [*past[-1:], *coming[:1]]


def _months(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "in March", "Anfang März", "the first two weeks of June", "last May", "June 2025"."""
    month = _month_at(words, at)
    if month is None:
        return [], at
    year, near = _get(words, _skip(words, at + 1), "year"), _get(words, at - 1, "near")
    if isinstance(year, int):
        firsts, end = [date(year, month, 1)], _skip(words, at + 1) + 1
    else:
        each = _around(today, lambda year: date(year, month, 1))
        firsts, end = (each[-1:] if near == 1 else each[:1] if near == -1 else each), at + 1
    return [_portion(words, at, first, _last_of(first)) for first in firsts], end


def _last_of(first: date, months: int = 1) -> date:
    month = first.year * 12 + first.month - 1 + months
    return date(month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _portion(words: Sequence[_Word], at: int, first: date, last: date) -> tuple[date, date]:
    """Return the part of a stretch that the words before it name."""
    nearby = range(max(0, at - 5), at)
    for place in reversed(nearby):
        part = _get(words, place, "part")
        if isinstance(part, tuple):
            days = (last - first).days + 1
            begins = int(days * part[0])
            ends = max(begins, int(days * part[1]) - 1)  # "early last day": a day is not parted
            return first + timedelta(days=begins), first + timedelta(days=ends)
        if _get(words, place, "unit") == "week" and _get(words, place - 1, "number") is not None:
            count, _ = _count(words, place - 1)
            if any(_get(words, before, "near") == -1 for before in range(max(0, place - 3), place)):
                return max(first, last - timedelta(days=7 * count - 1)), last
            return first, min(last, first + timedelta(days=7 * count - 1))
    return first, last


def _near(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "last week", "next two weeks", "la semaine prochaine", "am letzten Montag", "this weekend"."""
    near, end = _get(words, at, "near"), at + 1
    count = 1
    if isinstance(near, int):
        count, end = _count(words, end)
        if not count:
            count = 1
    what = end
    if (
        isinstance(near, int)
        and what < len(words)
        and not {"unit", "weekday", "season"} & words[what].means.keys()
    ):
        # "les deux prochaines semaines": the count stands before.
        return [], at
    if near is None:
        count, what = _count(words, at)
        count = count or 1
        middle = _get(words, what, "near")
        if isinstance(middle, int) and what > at:  # "deux prochaines semaines"
            near, what = middle, what + 1
            end = what + 1
        else:
            near, end = _get(words, what + 1, "near"), what + 2
    else:
        end = what + 1
    if not isinstance(near, int):
        return [], at
    weekday, unit, season = (_get(words, what, kind) for kind in ("weekday", "unit", "season"))
    if isinstance(weekday, int):
        return [_weekday_near(today, weekday, near)], end
    if isinstance(season, tuple):
        return [_season_near(today, season, near)], end
    if not isinstance(unit, str) or (not near and words[what].spelled in _DAYS):
        return [], at  # "these days" are no day
    if count > 1 and near:
        days = count * _LENGTHS[unit]
        span = (today - timedelta(days=days), today) if near < 0 else (today, today + timedelta(days=days))
        return [span], end
    first, last = _unit_near(today, unit, near)
    return [_portion(words, at, first, last)], end


_DAYS: Final = frozenset(["days", "tage", "tagen", "jours", "dias", "giorni", "dagen", "dni", "днеи", "днів"])
_LENGTHS: Final = {"day": 1, "week": 7, "weekend": 7, "month": 31, "year": 365}


def _unit_near(today: date, unit: str, near: int) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=near)
    match unit:
        case "day":
            return today + timedelta(days=near), today + timedelta(days=near)
        case "week":
            return monday, monday + timedelta(days=6)
        case "weekend":
            return monday + timedelta(days=4), monday + timedelta(days=6)
        case "month":
            month = today.year * 12 + today.month - 1 + near
            first = date(month // 12, month % 12 + 1, 1)
            return first, _last_of(first)
        case _:
            return date(today.year + near, 1, 1), date(today.year + near, 12, 31)


def _weekday_near(today: date, weekday: int, near: int) -> tuple[date, date]:
    if near < 0:
        day = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    else:
        day = today + timedelta(days=(weekday - today.weekday() - near) % 7 + near)
    return day, day


def _season_near(today: date, season: tuple[int, int], near: int) -> tuple[date, date]:
    firsts = [date(year, season[0], 1) for year in range(today.year - 2, today.year + 2)]
    begun = [first for first in firsts if first <= today]
    first = next(first for first in firsts if first > today) if near > 0 else begun[-1]
    if near < 0 and _last_of(first, 3) >= today:
        first = begun[-2]
    return first, _last_of(first, 3)


def _counted(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "two weeks ago", "vor drei Tagen", "in a month", "tra due settimane", "within three weeks"."""
    before = at
    start = at + 1 if {"ago", "ahead"} & words[at].means.keys() else at
    if words[before].spelled == "il":  # il y a
        start = at + 3
    start = _skip(words, start) if start > at and not _count(words, start)[0] else start
    count, end = _count(words, start)
    unit = _get(words, end, "unit")
    if not count or not isinstance(unit, str):
        return [], at
    ago = _get(words, end + 1, "ago") and words[end + 1].spelled not in ("vor", "hace", "ha", "il")
    back = ago or (start > before and _get(words, before, "ago") and words[before].spelled not in _POST_ONLY)
    ahead = start > before and _get(words, before, "ahead")
    end += 2 if ago else 1
    days = count * _LENGTHS[unit]
    slack = timedelta(days=0 if unit == "day" else _LENGTHS[unit] // 2)
    if back:
        middle = today - timedelta(days=days)
        return [(middle - slack, middle + slack)], end
    if ahead:
        middle = today + timedelta(days=days)
        first = today if words[before].spelled in ("within", "innerhalb", "dentro") else middle - slack
        return [(first, middle + slack)], end
    return [], at


_POST_ONLY: Final = frozenset(["ago", "fa", "atras", "geleden", "temu", "назад", "тому", "back"])


def _relative(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "yesterday", "übermorgen", "the day before yesterday"."""
    days = _get(words, at, "relative")
    if not isinstance(days, int):
        return [], at
    if days == -1 and at >= 1 and words[at - 1].spelled in ("before", "avant", "laltro"):
        days = -2
    if days == 1 and at >= 1 and words[at - 1].spelled in ("after", "apres"):
        days = 2
    day = today + timedelta(days=days)
    return [(day, day)], at + 1


def _weekdays(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "on Saturday": the latest one, and the coming one; not of "Saturday 5 December", which is one day."""
    weekday = _get(words, at, "weekday")
    dated = _named_day(words, _skip(words, at + 1))
    if not isinstance(weekday, int) or (dated.day and dated.month is not None):
        return [], at
    past = today - timedelta(days=(today.weekday() - weekday) % 7)
    return [(past, past), (past + timedelta(days=7),) * 2], at + 1


def _named(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read holidays and seasons: "Boxing Day", "Silvester", "at Easter", "in the summer"."""
    pair = " ".join(word.spelled for word in words[at : at + 2])
    holiday = _PAIRS.get(pair) or _get(words, at, "holiday")
    end = at + (2 if pair in _PAIRS else 1)
    if isinstance(holiday, tuple):
        month, first, last = holiday
        each = _around(today, lambda year: date(year, month, first))
        return [(day, day + timedelta(days=last - first)) for day in each], end
    if _get(words, at, "easter"):
        return [(day - timedelta(days=2), day + timedelta(days=1)) for day in _around(today, _easter)], end
    season = _get(words, at, "season")
    if isinstance(season, tuple) and words[at].spelled not in ("fall", "lente", "lato"):
        return [_season_near(today, season, 0)], end
    return [], at


_PAIRS: Final = {
    "boxing day": (12, 26, 26),
    "christmas eve": (12, 24, 24),
    "christmas day": (12, 25, 25),
    "new years": (12, 31, 32),
    "new year": (12, 31, 32),
    "bonfire night": (11, 5, 5),
}
_BEGIN_PAIRS: Final = frozenset(pair.split()[0] for pair in _PAIRS)


def _easter(year: int) -> date:
    """Return Easter Sunday (Meeus)."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    j = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * j) // 433
    n = (h + j - 7 * m + 90) // 25
    return date(year, n, (h + j - 7 * m + 33 * n + 19) % 32)


def _ends(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "at the end of the month", "Ende des Monats", "à la fin de l'année": of the one that it is."""
    unit_at = _skip(words, at + 1)
    unit = _get(words, unit_at, "unit")
    if _get(words, at, "part") is None or unit not in ("month", "year"):
        return [], at
    return [_portion(words, unit_at, *_unit_near(today, unit, 0))], unit_at + 1


def _years(words: Sequence[_Word], at: int, today: date) -> tuple[list[tuple[date, date]], int]:
    """Read "in 2024"."""
    year = _get(words, at, "year")
    if not isinstance(year, int) or not 1900 <= year <= 2100:
        return [], at
    return [(date(year, 1, 1), date(year, 12, 31))], at + 1


_PATTERNS: Final[tuple[Pattern, ...]] = (
    *(_stretch, _day_of_month, _months, _near, _counted, _ends, _relative, _named, _weekdays, _years),
)
_TABLE: Final = _table()
