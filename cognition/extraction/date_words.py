"""The words by which people name a day relative to the day on which they speak, language by language.

Tables only; `cognition.extraction.dates` does the sums. A phrase stands for a unit and a count of them from
the day of telling: yesterday is one day back, last week one week back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

DAY: Final = "day"
WEEK: Final = "week"
WEEKEND: Final = "weekend"
MONTH: Final = "month"
YEAR: Final = "year"


@dataclass(frozen=True, slots=True)
class DateWords:
    """One language's words for time. Patterns are regular expressions without groups of their own."""

    phrases: Mapping[str, tuple[str, int]]
    """Whole phrases: (unit, count from now)."""
    numbers: Mapping[str, int]
    units: Mapping[str, str]
    """Forms of day, week, month and year, as regular expressions."""
    ago: tuple[str, ...]
    """Templates with N and U for a count and a unit, going back."""
    ahead: tuple[str, ...]
    weekdays: tuple[str, ...]
    """Monday first."""
    last: tuple[str, ...]
    """Templates with D for a weekday: the latest one before the day of telling."""
    next: tuple[str, ...]
    months: tuple[str, ...]
    """January first; forms that a date may have."""
    prefix: str = ""
    """What may stand before a phrase and belongs to it."""


_ENGLISH: Final = DateWords(
    phrases={
        "the day before yesterday": (DAY, -2),
        "the day after tomorrow": (DAY, 2),
        "yesterday(?: (?:morning|afternoon|evening|night))?": (DAY, -1),
        "last night": (DAY, -1),
        "today|tonight|this (?:morning|afternoon|evening)|earlier today": (DAY, 0),
        "tomorrow(?: (?:morning|afternoon|evening|night))?": (DAY, 1),
        "last weekend|(?:the|this) past weekend": (WEEKEND, -1),
        "this weekend": (WEEKEND, 0),
        "next weekend": (WEEKEND, 1),
        "last week|the other week": (WEEK, -1),
        "this week": (WEEK, 0),
        "next week": (WEEK, 1),
        "last month": (MONTH, -1),
        "this month": (MONTH, 0),
        "next month": (MONTH, 1),
        "last year": (YEAR, -1),
        "this year": (YEAR, 0),
        "next year": (YEAR, 1),
    },
    numbers={
        "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "four": 4, "five": 5, "six": 6,
        "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    },
    units={"days?": DAY, "weeks?": WEEK, "months?": MONTH, "years?": YEAR},
    ago=("N U ago", "N U back"),
    ahead=("in N U(?:['’]s? time)?", "N U from now"),
    weekdays=("mon(?:day)?", "tue(?:s(?:day)?)?", "wed(?:nesday)?", "thu(?:rs(?:day)?)?", "fri(?:day)?",
              "sat(?:urday)?", "sun(?:day)?"),
    last=("last D(?: (?:morning|afternoon|evening|night))?", "this past D"),
    next=("next D(?: (?:morning|afternoon|evening|night))?", "this coming D", "this D"),
    months=("jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?",
            "aug(?:ust)?", "sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?"),
    prefix="(?:on |since |earlier |late |early |just |by |for )?",
)  # fmt: skip
_SPANISH: Final = DateWords(
    phrases={
        "anteayer|antes de ayer": (DAY, -2),
        "ayer(?: por la (?:mañana|tarde|noche))?|anoche": (DAY, -1),
        "hoy|esta (?:mañana|tarde|noche)": (DAY, 0),
        "pasado mañana": (DAY, 2),
        "(?<!la )(?<!esta )mañana(?: por la (?:mañana|tarde|noche))?": (DAY, 1),
        "el fin de semana pasado": (WEEKEND, -1),
        "este fin de semana": (WEEKEND, 0),
        "el próximo fin de semana|el fin de semana que viene": (WEEKEND, 1),
        "la semana pasada": (WEEK, -1),
        "esta semana": (WEEK, 0),
        "la semana que viene|la próxima semana": (WEEK, 1),
        "el mes pasado": (MONTH, -1),
        "este mes": (MONTH, 0),
        "el mes que viene|el próximo mes": (MONTH, 1),
        "el año pasado": (YEAR, -1),
        "este año": (YEAR, 0),
        "el año que viene|el próximo año": (YEAR, 1),
    },
    numbers={"un": 1, "una": 1, "dos": 2, "un par de": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
             "siete": 7, "ocho": 8, "nueve": 9, "diez": 10},
    units={"d[ií]as?": DAY, "semanas?": WEEK, "mes(?:es)?": MONTH, "años?": YEAR},
    ago=("hace N U",),
    ahead=("dentro de N U", "en N U"),
    weekdays=("lunes", "martes", "mi[eé]rcoles", "jueves", "viernes", "s[aá]bado", "domingo"),
    last=("el D pasado", "el pasado D"),
    next=("el próximo D", "el D que viene"),
    months=("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "sep?tiembre", "octubre",
            "noviembre", "diciembre"),
)  # fmt: skip
_GERMAN: Final = DateWords(
    phrases={
        "vorgestern": (DAY, -2),
        "gestern(?: (?:früh|morgen|mittag|nachmittag|abend|nacht))?": (DAY, -1),
        "heute(?: (?:früh|morgen|mittag|nachmittag|abend|nacht))?": (DAY, 0),
        "übermorgen": (DAY, 2),
        "(?<!am )(?<!heute )(?<!guten )morgen(?: (?:früh|vormittag|mittag|nachmittag|abend))?": (DAY, 1),
        "(?:am )?letzte[sn] wochenende": (WEEKEND, -1),
        "(?:an )?diese[sm] wochenende": (WEEKEND, 0),
        "(?:am )?nächste[sn] wochenende": (WEEKEND, 1),
        "letzte woche|vorige woche": (WEEK, -1),
        "diese woche": (WEEK, 0),
        "nächste woche": (WEEK, 1),
        "letzten monat": (MONTH, -1),
        "diesen monat": (MONTH, 0),
        "nächsten monat": (MONTH, 1),
        "letztes jahr": (YEAR, -1),
        "dieses jahr": (YEAR, 0),
        "nächstes jahr": (YEAR, 1),
    },
    numbers={"einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7,
             "acht": 8, "neun": 9, "zehn": 10},
    units={"tag(?:en?)?": DAY, "wochen?": WEEK, "monat(?:en?)?": MONTH, "jahr(?:en?)?": YEAR},
    ago=("vor N U",),
    ahead=("in N U",),
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
    last=("letzten D", "vergangenen D", "vorigen D"),
    next=("nächsten D", "kommenden D"),
    months=("jan(?:uar)?", "feb(?:ruar)?", "märz", "april", "mai", "juni", "juli", "aug(?:ust)?",
            "sept?(?:ember)?", "okt(?:ober)?", "nov(?:ember)?", "dez(?:ember)?"),
    prefix="(?:am |seit |bis )?",
)  # fmt: skip
_RUSSIAN: Final = DateWords(
    phrases={
        "позавчера": (DAY, -2),
        "вчера(?: (?:утром|днём|днем|вечером|ночью))?": (DAY, -1),
        "сегодня(?: (?:утром|днём|днем|вечером|ночью))?": (DAY, 0),
        "послезавтра": (DAY, 2),
        "завтра(?: (?:утром|днём|днем|вечером|ночью))?": (DAY, 1),
        "(?:в|на) прошлые выходные|на прошлых выходных": (WEEKEND, -1),
        "(?:в|на) эти выходные|на этих выходных": (WEEKEND, 0),
        "(?:в|на) следующие выходные": (WEEKEND, 1),
        "на прошлой неделе|неделю назад": (WEEK, -1),
        "на этой неделе": (WEEK, 0),
        "на следующей неделе|через неделю": (WEEK, 1),
        "в прошлом месяце|месяц назад": (MONTH, -1),
        "в этом месяце": (MONTH, 0),
        "в следующем месяце|через месяц": (MONTH, 1),
        "в прошлом году|год назад": (YEAR, -1),
        "в этом году": (YEAR, 0),
        "в следующем году|через год": (YEAR, 1),
    },
    numbers={"один": 1, "одну": 1, "два": 2, "две": 2, "три": 3, "четыре": 4, "пять": 5, "шесть": 6, "семь": 7,
             "восемь": 8, "девять": 9, "десять": 10},
    units={"дн(?:я|ей)|день": DAY, "недел[юиь]": WEEK, "месяц(?:а|ев)?": MONTH, "год(?:а)?|лет": YEAR},
    ago=("N U назад",),
    ahead=("через N U",),
    weekdays=("понедельник", "вторник", "среду", "четверг", "пятницу", "субботу", "воскресенье"),
    last=("в прошл(?:ый|ую|ое) D",),
    next=("в (?:следующ(?:ий|ую|ее)|эт[оу]т?) D",),
    months=("января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября",
            "ноября", "декабря"),
)  # fmt: skip
_UKRAINIAN: Final = DateWords(
    phrases={
        "позавчора": (DAY, -2),
        "[ву]чора(?: (?:вранці|вдень|ввечері|увечері|вночі))?": (DAY, -1),
        "сьогодні(?: (?:вранці|вдень|ввечері|увечері|вночі))?": (DAY, 0),
        "післязавтра": (DAY, 2),
        "завтра(?: (?:вранці|вдень|ввечері|увечері|вночі))?": (DAY, 1),
        "минулих вихідних|на минулих вихідних": (WEEKEND, -1),
        "цих вихідних|на цих вихідних": (WEEKEND, 0),
        "наступних вихідних|на наступних вихідних": (WEEKEND, 1),
        "минулого тижня|на минулому тижні|тиждень тому": (WEEK, -1),
        "цього тижня|на цьому тижні": (WEEK, 0),
        "наступного тижня|на наступному тижні|через тиждень|за тиждень": (WEEK, 1),
        "минулого місяця|місяць тому": (MONTH, -1),
        "цього місяця": (MONTH, 0),
        "наступного місяця|через місяць": (MONTH, 1),
        "минулого року|торік|рік тому": (YEAR, -1),
        "цього року": (YEAR, 0),
        "наступного року|через рік": (YEAR, 1),
    },
    numbers={"один": 1, "одну": 1, "два": 2, "дві": 2, "три": 3, "чотири": 4, "п['’ʼ]ять": 5, "шість": 6,
             "сім": 7, "вісім": 8, "дев['’ʼ]ять": 9, "десять": 10},
    units={"дні(?:в)?|день": DAY, "тижн(?:і|ів)|тиждень": WEEK, "місяц(?:і|ів)|місяць": MONTH,
           "рок(?:и|ів)|рік": YEAR},
    ago=("N U тому",),
    ahead=("через N U", "за N U"),
    weekdays=("понеділ(?:ок|ка)", "вівтор(?:ок|ка)", "серед[уи]", "четвер(?:га)?", "п['’ʼ]ятниц[юі]",
              "субот[уи]", "неділ[юі]"),
    last=("(?:[ву] )?минул(?:ий|ого|у|ої) D",),
    next=("(?:[ву] )?(?:наступн(?:ий|ого|у|ої)|ц(?:ей|ю|ього|ієї)) D",),
    months=("січня", "лютого", "березня", "квітня", "травня", "червня", "липня", "серпня", "вересня", "жовтня",
            "листопада", "грудня"),
)  # fmt: skip

LANGUAGES: Final[Mapping[str, DateWords]] = {
    "en": _ENGLISH,
    "es": _SPANISH,
    "de": _GERMAN,
    "ru": _RUSSIAN,
    "uk": _UKRAINIAN,
}
