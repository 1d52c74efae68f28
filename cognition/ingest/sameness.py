"""Decide from the words alone whether two tellings say the same.

Likeness of vectors does not tell "Ann manages Bob" from "Bob manages Ann", nor Monday from Tuesday, and a better model
tells them apart worse. So this compares what is said, word by word, in order. Two tellings say the same

- in the same telling words in the same order: fillers, punctuation and the way in which a number, a day, a month or a
  unit is written do not tell, nor whether an article is there, everything else does: "der Hund" is not "den Hund",
  which may be who bites or who is bitten, "US" is not "us", and who had an old bike had a bike, but maybe another; or
- where one says its day or time at the other end, and they share a number, a date or a time.

So numbers, number words, weekdays, months, parts of day, units, names, negations and their order are equal in all that
is linked. What is missed is shown twice, which costs a line; nothing is ever dropped for being alike.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from cognition.words import is_english

# What a link is as sure of: a person's word is 100.
SAME_WORDS: Final = 95
SAME_BUT_ORDER: Final = 85
# From so many letters on, a telling in capitals is loud; a shorter one may be an abbreviation.
LETTERS_LOUD: Final = 12
# What is longer is a page, not a telling: only the very same words are the same then.
CHARACTERS_MAX: Final = 2_000

# Numbers, words, and every sign that is no mere punctuation: "C" is not "C++", nor "A" "A-", and a pizza is no burger.
_TOKEN: Final = re.compile(
    r"!=|~(?=\d)|(?:(?<=\b[A-Z])|(?<=\bAB))[-−](?![\w-])"
    r"|(?:(?<![\w.,])[-−]|(?<![^\s])(?<!\d\s)[-−–]\s+)?\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*"
    r"|(?<=\d)\^(?=\d)|[^\s\w.,;:!\"'’‘“”„«»()\[\]{}…–—\-/\\|`~^]"
)
_NUMBER: Final = re.compile(r"[-−–]?\s*\d")
_MINUS: Final = re.compile(r"[-−–]\s*")
# Behind these, and such signs, a sentence begins, and whatever word is first is written large.
_ENDS: Final = ".!?…:;"
_QUOTES: Final = " \t\n\r\"'’‘“”„«»()[]{}–—-"


def _table(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _forms(kind: str, lines: str) -> dict[str, str]:
    """Return forms by line: each form stands for the kind and the first form of its line."""
    return {form: f"{kind}:{line.split()[0]}" for line in lines.strip().splitlines() for form in line.split()}


_ARTICLES: Final = _table("the a an")
_FOREIGN_ARTICLES: Final = _table(
    "der die das den dem des ein eine einen einem einer eines el la los las un una unos unas"
)
_FILLERS: Final = _table(
    "really very actually indeed please wirklich sehr tatsächlich bitte realmente muy очень действительно дуже справді"
)
_CONTRACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
}
# Behind these a filler tells: who is not really ill may be ill; and "a" does before the others.
_NEGATING: Final = _table(
    "not no never nor nicht kein keine keinen keinem keiner nie no nunca ni не нет ни ні"
)
_AFTER_TELLING_ARTICLE: Final = _table("few little lot bit couple hundred thousand")
# Words that are written large by themselves, or small by whoever does not care.
_OF_ANY_CASE: Final = _table("i a")
_IS: Final = _table("it he she that there what who where how here")
_ENDINGS: Final[Mapping[str, str]] = {"m": "am", "re": "are", "ve": "have", "ll": "will"}
_NUMBERS: Final = _forms(
    "number",
    """
    0 zero cero ноль нуль
    1 one eins uno один одна одне одну
    2 two zwei dos два две дві
    3 three drei tres три
    4 four vier cuatro четыре чотири
    5 five fünf cinco пять п'ять
    6 six sechs seis шесть шість
    7 seven sieben siete семь сім
    8 eight acht ocho восемь вісім
    9 nine neun nueve девять дев'ять
    10 ten zehn diez десять
    11 eleven elf одиннадцать одинадцять
    12 twelve zwölf doce двенадцать дванадцять
    13 thirteen dreizehn trece тринадцать тринадцять
    14 fourteen vierzehn catorce четырнадцать чотирнадцять
    15 fifteen fünfzehn quince пятнадцать п'ятнадцять
    16 sixteen sechzehn dieciséis шестнадцать шістнадцять
    17 seventeen siebzehn diecisiete семнадцать сімнадцять
    18 eighteen achtzehn dieciocho восемнадцать вісімнадцять
    19 nineteen neunzehn diecinueve девятнадцать дев'ятнадцять
    20 twenty zwanzig veinte двадцать двадцять
    30 thirty dreißig treinta тридцать тридцять
    40 forty vierzig cuarenta сорок
    50 fifty fünfzig cincuenta пятьдесят п'ятдесят
    60 sixty sechzig sesenta шестьдесят шістдесят
    70 seventy siebzig setenta семьдесят сімдесят
    80 eighty achtzig ochenta восемьдесят вісімдесят
    90 ninety neunzig noventa девяносто дев'яносто
    100 hundred hundert cien сто
    1000 thousand tausend mil тысяча тисяча
    first erste ersten primero primera первый первая первое перший перша перше
    zweite zweiten segundo segunda второй вторая второе другий друга друге
    third dritte dritten tercero tercera третий третья третє третій третя
    fourth vierte vierten cuarto cuarta четвёртый четвертый четвертая четвертий четверта
    fifth fünfte fünften quinto quinta пятый пятая п'ятий п'ята
    once einmal однажды раз
    twice zweimal дважды двічі
    thrice dreimal трижды тричі
    """,
)
_WEEKDAYS: Final = _forms(
    "weekday",
    """
    monday montag lunes понедельник понеділок
    tuesday dienstag martes вторник вівторок
    wednesday mittwoch miércoles среда среду середа середу
    thursday donnerstag jueves четверг четвер
    friday freitag viernes пятница пятницу п'ятниця п'ятницю
    saturday samstag sonnabend sábado суббота субботу субота суботу
    sunday sonntag domingo воскресенье неділя неділю
    montags
    dienstags
    mittwochs
    donnerstags
    freitags
    samstags
    sonntags
    """,
)
_MONTHS: Final = _forms(
    "month",
    """
    january januar enero январь января январе січень січня січні
    february februar febrero февраль февраля феврале лютий лютого лютому
    march märz marzo март марта марте березень березня березні
    april abril апрель апреля апреле квітень квітня квітні
    june juni junio июнь июня июне червень червня червні
    july juli julio июль июля июле липень липня липні
    august agosto август августа августе серпень серпня серпні
    september septiembre сентябрь сентября сентябре вересень вересня вересні
    october oktober octubre октябрь октября октябре жовтень жовтня жовтні
    november noviembre ноябрь ноября ноябре листопад листопада листопаді
    december dezember diciembre декабрь декабря декабре грудень грудня грудні
    mayo мая травень травня травні
    """,
)
# Words of other senses when they are written small.
_WRITTEN_LARGE: Final[Mapping[str, str]] = {
    "May": "month:mayo",
    "Mai": "month:mayo",
    "Mon": "weekday:monday",
    "Tue": "weekday:tuesday",
    "Wed": "weekday:wednesday",
    "Thu": "weekday:thursday",
    "Fri": "weekday:friday",
    "Sat": "weekday:saturday",
    "Sun": "weekday:sunday",
}
_PARTS: Final = _forms(
    "part",
    """
    morning vormittag утро утром ранок вранці
    noon mittag mediodía полдень опівдні
    afternoon nachmittag tarde днём днем вдень
    evening abend вечер вечером вечір ввечері увечері
    night nacht noche ночь ночью ніч вночі
    midnight mitternacht medianoche полночь опівночі
    today heute hoy сегодня сьогодні
    tomorrow завтра
    yesterday gestern ayer вчера вчора
    tonight anoche
    morgen
    mañana
    mittags
    nachmittags
    abends
    nachts
    """,
)
_UNITS: Final = _forms(
    "unit",
    """
    € euro euros eur евро євро
    $ dollar dollars usd доллар доллара долларов
    £ pound pounds gbp
    % percent prozent процент процента процентов відсоток відсотків
    kg kilo kilos kilogram kilograms кг
    g gram grams gramm грамм г
    mg milligram milligrams мг
    ml milliliter milliliters millilitres мл
    l liter liters litre litres л
    km kilometer kilometers kilometres км
    m meter meters metre metres м
    cm centimeter centimeters centimetres см
    h hour hours std stunde stunden hora horas час часа часов година години годин
    min minute minutes minuten minuto minutos минута минуты минут хвилина хвилини хвилин
    """,
)
_TYPED: Final = {**_UNITS, **_NUMBERS, **_WEEKDAYS, **_MONTHS, **_PARTS}
_CURRENCIES: Final = frozenset("€$£")
# A shared one of these ties a telling down; a unit alone, or a name, does not.
_TYING: Final = ("number:", "weekday:", "month:", "part:")
_OF_TIME: Final = ("weekday:", "month:", "part:")
# What may stand before a day or a time, and goes with it.
_BEFORE_TIME: Final = _table(
    "on in at um am im gegen el la los las a por de en в во у о об this these diesen esta este"
)
_OF_CLOCK: Final = _table("at um las la a в о об")
_AFTER_CLOCK: Final = _table("am pm uhr o'clock часов часа утра вечера годині")
# What changes a telling when it is added.
_TURNING: Final = _table(
    """
    ? + < > = no not never none without nor nobody nothing neither stopped quit only almost nearly barely hardly
    maybe perhaps possibly probably allegedly supposedly half double if unless or except but instead before
    after until till since from to off out up down over under against more less than most least too former ex
    fake un will would should could might may must can did does had was were been again another other otherwise
    he she his her him hers they their them you your we our nicht kein keine keinen keinem keiner nie niemals
    ohne nur fast beinahe kaum vielleicht wahrscheinlich wenn falls oder außer aber vor nach bis seit von zu aus
    auf ab mehr weniger als er sie sein seine ihr ihre war waren wird würde soll sollte wieder anderer andere
    sin nunca jamás nadie nada solo sólo casi apenas quizás quizá si o u excepto pero antes después hasta desde
    hacia para más menos que él ella su sus era será otra otro ni tampoco не нет ни никогда никто ничего без
    только почти едва может возможно наверное если или кроме но до после с из от к на вниз вверх больше меньше
    чем он она его её ее их был была было будет опять другой другая ні ніколи ніхто нічого лише тільки майже
    ледь мабуть можливо якщо або чи крім але після від зі більше менше ніж він вона його її їх був була було
    буде знову інший інша
    cancelled canceled postponed rescheduled declined refused denied rejected failed missed skipped forgot
    abgesagt verschoben abgelehnt verweigert gekündigt storniert verpasst vergessen
    cancelada cancelado canceló aplazada aplazado pospuesta pospuesto suspendida suspendido anulada anulado
    rechazada rechazado rechazó olvidó
    отменена отменен отменён отменено отменили перенесена перенесен перенесён перенесли отказался отказалась
    скасовано скасована скасований скасували перенесено перенесли відмовився відмовилась
    """
)


class _Said(NamedTuple):
    """What a telling says: its telling words in order, without the times at its ends; these; and which tie it down.

    Beside words stands how they are written: `articles` before them, in a language in which these tell case and
    gender, and their first letters (`heads`), as far as these tell something.
    """

    words: tuple[str, ...]
    inner: tuple[str, ...]
    times: tuple[str, ...]
    ties: frozenset[str]
    articles: "_Written"
    heads: "_Written"


_Written = Mapping[str, frozenset[str]]


def sureness(text: str, known: str) -> int:
    """Return how sure it is that two tellings say the same, 1 to 100; 0 where they are not to be linked."""
    if max(len(text), len(known)) > CHARACTERS_MAX:
        return 0
    one, other = _said(text), _said(known)
    if not one.words or not other.words:
        return 0
    if _differ(one.articles, other.articles) or _differ(one.heads, other.heads):
        return 0
    if one.words == other.words:
        return SAME_WORDS
    return SAME_BUT_ORDER if one[1:3] == other[1:3] and one.ties & other.ties else 0


def telling_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that tell, in their order, each in one spelling: of what kind it is, where that is
    known ("number:20", "month:june").
    """
    return tuple(_telling(_TOKEN.findall(text), english=is_english(text), loud=_is_loud(text)))


def turns(word: str) -> bool:
    """Say whether a telling word changes what the others say, however small it is: "not", "only", a number, a day."""
    return ":" in word or word in _TURNING


def _differ(one: _Written, other: _Written) -> bool:
    """Say whether the same word is written otherwise; that one telling leaves open how is no difference."""
    return any(other.get(word, ways) != ways for word, ways in one.items())


def _articles(raw: Sequence[str]) -> _Written:
    return _ways(
        (word, article) for article, word in pairwise(map(str.casefold, raw)) if article in _FOREIGN_ARTICLES
    )


def _heads(text: str) -> _Written:
    """Return the first letters of words, as far as their case tells something.

    That of a sentence tells nothing, nor does any where somebody writes all words small, or all large.
    """
    if text.islower() or text.isupper():
        return {}
    inner = [match[0] for match in _TOKEN.finditer(text) if not _begins(text[: match.start()])]
    return _ways((word.casefold(), word[0]) for word in inner if not _is_of_any_case(word.casefold()))


def _is_of_any_case(word: str) -> bool:
    """Say whether a word is the same small and large: "monday", "PM". A month may be somebody's name."""
    return word in _OF_ANY_CASE or word in _AFTER_CLOCK or (word in _TYPED and word not in _MONTHS)


def _begins(before: str) -> bool:
    """Say whether a sentence begins behind these words."""
    before = before.rstrip(_QUOTES)
    return not before or before[-1] in _ENDS


def _ways(pairs: Iterable[tuple[str, str]]) -> _Written:
    found: dict[str, frozenset[str]] = {}
    for word, way in pairs:
        found[word] = found.get(word, frozenset()) | {way}
    return found


@lru_cache(maxsize=64)
def _said(text: str) -> _Said:
    raw = _TOKEN.findall(text)
    english = is_english(text)
    words = tuple(_telling(raw, english=english, loud=_is_loud(text)))
    first, last = 0, len(words)
    while first < last and (step := _time_at(words[first:last])):
        first += step
    while last > first and (step := _time_before(words[first:last])):
        last -= step
    times = tuple(word for word in (*words[:first], *words[last:]) if ":" in word or word in _AFTER_CLOCK)
    ties = frozenset(word for word in words if word.startswith(_TYING))
    return _Said(words, words[first:last], times, ties, {} if english else _articles(raw), _heads(text))


def _telling(raw: Sequence[str], *, english: bool, loud: bool) -> Iterable[str]:
    """Give the telling words, each in one spelling."""
    currency = ""  # a sign before its number is told behind it
    negated = False
    for place, (word, following) in enumerate(pairwise((*raw, ""))):
        if word in _CURRENCIES and _NUMBER.match(following):
            currency = _TYPED[word]
            continue
        if word in _WRITTEN_LARGE:
            yield _WRITTEN_LARGE[word]
            continue
        folded = word.casefold().replace("’", "'")
        negated = negated or folded in _NEGATING or folded.endswith("n't")
        if _NUMBER.match(folded):
            yield f"number:{_MINUS.sub('-', folded)}"
            if currency:
                yield currency
            currency = ""
        elif len(word) == 1 and word.isupper() and folded not in _OF_ANY_CASE and not loud:
            yield word  # no metre, but a million
        elif folded in _TYPED or folded in _AFTER_CLOCK:
            yield _TYPED.get(folded, folded)
        elif folded in _CONTRACTIONS:
            yield from _CONTRACTIONS[folded]
        elif (word == "A" and place) or (folded == "a" and following.casefold() in _AFTER_TELLING_ARTICLE):
            yield "a"  # a vitamin, a plan or a grade; "a few" is not "few"
        elif (folded in _FILLERS and not negated) or _is_article(folded, english=english):
            continue
        elif word[1:].islower() or len(word) == 1 or loud:
            yield from _apart(folded)
        else:
            yield from _apart(word.replace("’", "'"))  # "US" is not "us"


def _is_loud(text: str) -> bool:
    return text.isupper() and len(text) > LETTERS_LOUD


def _is_article(word: str, *, english: bool) -> bool:
    return word in _ARTICLES or (not english and word in _FOREIGN_ARTICLES)


def _apart(word: str) -> Iterable[str]:
    """Cut a word at its apostrophe, where something else stands behind it: "isn't", "Ann's", "they've"."""
    stem, mark, ending = word.partition("'")
    if not mark:
        yield word
    elif ending == "t" and stem.endswith("n"):
        yield from (stem.removesuffix("n"), "not")
    elif ending in _ENDINGS:
        yield from (stem, _ENDINGS[ending])
    elif ending == "s":
        yield from (stem, "is" if stem in _IS else "'s")
    else:
        yield word


def _time_at(words: tuple[str, ...]) -> int:
    """Return how many words a day or a time takes at the beginning of some words; 0 where none stands there."""
    at = 0
    while at < len(words) and words[at] in _BEFORE_TIME:
        at += 1
    if at == len(words):
        return 0
    if words[at].startswith(_OF_TIME):
        return at + 1
    if words[at].startswith("number:") and at and words[at - 1] in _OF_CLOCK:
        more = at + 1 < len(words) and words[at + 1] in _AFTER_CLOCK
        return at + 1 + more
    return 0


def _time_before(words: tuple[str, ...]) -> int:
    """Return how many words a day or a time takes at the end of some words."""
    at = len(words) - 1
    clock = words[at] in _AFTER_CLOCK
    at -= clock
    if at < 0:
        return 0
    of_time = words[at].startswith(_OF_TIME)
    if not of_time and not (words[at].startswith("number:") and at and words[at - 1] in _OF_CLOCK):
        return 0
    while at and words[at - 1] in _BEFORE_TIME:
        at -= 1
    return len(words) - at
