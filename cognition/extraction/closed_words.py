"""Words with a capital that name nobody: days of the week, months, time zones, and the roles of a talk.

Only words that are certain: what is also the name of somebody or of a place stays one. So these are not here: April
and June, Julio, Abril, Domingo, Mardi, Maja and Mayo; surnames, which most days and months of Polish and Dutch are
(Piątek, Kwiecień, Vrijdag, Juin, Janvier); and what is spelled like a name without its accents (março, Marco).
"""

import re
from typing import Final

from cognition.times import folded

# English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian and Ukrainian.
_DAYS: Final = """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays tues weds thurs
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag montags dienstags mittwochs donnerstags
    freitags samstags sonnabends sonntags montagen dienstage dienstagen mittwoche mittwochen donnerstage donnerstagen
    freitage freitagen samstage samstagen sonnabende sonnabenden sonntage sonntagen
    lundi mercredi samedi lundis mardis mercredis jeudis vendredis samedis dimanches
    lunes martes miércoles jueves viernes sábado sábados domingos
    lunedì martedì mercoledì giovedì venerdì sabati domeniche
    segunda-feira terça-feira quarta-feira quinta-feira sexta-feira segundas-feiras terças-feiras quartas-feiras
    quintas-feiras sextas-feiras
    maandagen dinsdagen woensdagen donderdagen vrijdagen
    zaterdagen zondagen
    poniedziałek poniedziałki wtorki czwartki piątki
    понедельник вторник четверг воскресенье понедельники вторники четверги пятницы субботы воскресенья
    понеділок вівторок понеділки вівторки четверги п'ятниці суботи неділі
"""
_MONTHS: Final = """
    january february september october november december feb sept oct nov
    januar februar oktober dezember
    août septembre octobre novembre décembre
    enero febrero septiembre setiembre octubre noviembre diciembre
    gennaio febbraio settembre ottobre dicembre
    fevereiro junho julho setembro outubro novembro dezembro
    januari februari maart
    październik października październiku
    январь февраль апрель июнь июль сентябрь октябрь ноябрь декабрь января февраля апреля июня июля сентября
    октября ноября декабря январе феврале апреле июне июле сентябре октябре ноябре декабре
    січень квітень вересень жовтень січня квітня вересня жовтня січні квітні вересні жовтні
"""
_CALENDAR: Final = frozenset(map(folded, f"{_DAYS} {_MONTHS}".split()))
# Who speaks in a talk with an agent, and zones whose letters mean nothing else.
_CLOSED: Final = frozenset(["user", "assistant", "utc", "gmt", "cest", "mesz"])

# Letters that are a zone behind a time of day only: WEST and IST are words elsewhere.
_ZONES: Final = (
    "UTC|GMT|CES?T|WES?T|EES?T|MES?Z|BST|IST|MSK|E[SD]T|C[SD]T|M[SD]T|P[SD]T|AK[SD]T|HST|JST|KST|HKT|SGT|SAST"
    "|AE[SD]T|AC[SD]T|AWST|NZ[SD]T|BRT"
)
ZONE_BEHIND_TIME: Final = re.compile(
    rf"(?:(?<=\d[:.h]\d\d)|(?<=\d[apAP][mM])|(?<=\d [apAP][mM])|(?<=\d[hH])|(?<=\d [hH])|(?<=\d Uhr)) ?(?:{_ZONES})"
    r"(?![\w'’-])"
)


def is_calendar_word(name: str) -> bool:
    """Say whether a name is nothing but days of the week and months, in any of ten languages."""
    written = [word for word in name.split() if not word.islower()]  # "Lunedì di Luglio"
    return bool(written) and all(folded(word) in _CALENDAR for word in written)


def is_closed_word(name: str) -> bool:
    """Say whether a name is a role of a talk (user, assistant) or a time zone."""
    return name.casefold() in _CLOSED
