"""How Spanish, German, Russian and Ukrainian state the commonest facts.

A verb is matched by its stem with the endings of "I" and of a name, and told in the third person. Values keep
the case in which they were said, so only languages whose nouns do not bend give triples of places.
"""

# ruff: noqa: E501 - a pattern is easier to read on one line than in pieces

from collections.abc import Mapping
from typing import Final

from cognition.extraction.names import NAME, WORD
from cognition.extraction.pattern import Whole, whole

_V: Final = r"(?P<v>[^,.;!?]{2,60}?)(?=$|[,.;!?]| y | pero | und | aber | и | но | і | та | але )"
_PLACE: Final = rf"(?P<v>{NAME})"
_S: Final = rf"(?P<s>{NAME})"

# What may stand between a German verb and where: since when, with whom, still.
_MEANWHILE: Final = (
    r"(?:(?:jetzt|nun|noch|wieder|schon|momentan|zurzeit|derzeit|aktuell|gerade|mittlerweile|inzwischen|alleine?|zusammen"
    r"|mit (?:mein|dein|sein|ihr|unser)e?[rmn]? \w+|(?:seit|vor) (?:(?:der|dem|den|einem|einer|zwei|drei|\d+|letzte[mnr]) )?\w+) ){0,3}"
)
# A German noun has a capital too: what one lives in, and works by, that is no place and no firm.
_NO_PLACE: Final = r"(?!(?:Angst|Sorge|Frieden|Freiheit|Armut|Not|Scheidung|Trennung|Rente|Miete|Untermiete|Pension|Quarantäne|Beziehung|Zukunft|Wohnung|Ruhe)\b)"
_NO_FIRM: Final = r"(?!(?:Regen|Schnee|Sonne|Hitze|Kälte|Nacht|Nebel|Tag|Tageslicht|Licht|Kerzenlicht|Musik|Bedarf|Gelegenheit|Freunden|Bekannten|Kollegen|Leben|Geld)\b)"
# Who is named, and not "my sister", "they" or "somebody": whose that is, a name does not say.
_WHO: Final = rf"(?<!ein )(?<!eine )(?<!nser )(?<!nsere )(?<!hr )(?<!hre )(?P<s>(?!(?:(?:[MmDdSs]ein|Unser|Ihr|Euer|Ein|Kein|Jed|Dies)(?:e[rmn]?)?|Der|Die|Das|Er|Sie|Es|Wir|Ich|Du|Wer|Man|Niemand|Jemand|Alle)\b){NAME})"
_NOT: Final = r"(?! (?:nicht|nie|kaum)\b)"
_TOWN: Final = rf"{_NO_PLACE}(?P<v>{NAME}(?: (?:am (?:Main|Neckar|Rhein|Inn|See|Lech|Harz)|an der {WORD}|ob der {WORD}))?){_NOT}"
_FIRM: Final = rf"(?:bei|beim|für)(?: (?:der|dem|den|die|das))? {_NO_FIRM}{_PLACE}{_NOT}"

_SPANISH: Final = (
    whole("location", "fact", "spatial", 0.95, rf"(?:(?:[Yy]o )?[Vv]ivo|{_S} vive) (?:ahora )?en {_PLACE}",
          "{s} vive en {v}", relation="lives_in"),
    whole("moved", "event", "spatial", 0.95, rf"(?:(?:[Yy]o )?[Mm]e mudé|{_S} se mudó) a {_PLACE}",
          "{s} se mudó a {v}", relation="lives_in"),
    whole("origin", "fact", "spatial", 0.9, rf"(?:(?:[Yy]o )?[Ss]oy|{_S} es) de {_PLACE}",
          "{s} es de {v}", relation="comes_from"),
    whole("works at", "fact", "semantic", 0.95, rf"(?:(?:[Yy]o )?[Tt]rabajo|{_S} trabaja) (?:en|para) {_PLACE}",
          "{s} trabaja en {v}", relation="works_at"),
    whole("identity", "fact", "semantic", 0.95, rf"(?:[Mm]e llamo|[Mm]i nombre es) (?P<s>{NAME})(?P<v>)", "{s} se llama {s}"),
    whole("allergy", "fact", "semantic", 0.95, rf"(?:(?:[Yy]o )?[Ss]oy|{_S} es) alérgic[oa] (?:al?|a (?:la|los|las)) {_V}",
          "{s} tiene alergia a {v}", relation="allergic_to"),
    whole("loves", "preference", "affective", 0.9, rf"(?:[Mm]e (?:gustan?|encantan?)|[Aa] {_S} le (?:gustan?|encantan?)) {_V}",
          "a {s} le gusta {v}", relation="likes"),
    whole("choice", "decision", "factual", 0.9, rf"(?P<i>[Ee]legimos|[Ee]scogimos|[Uu]samos) {_V}(?: en lugar de .+)?", "{clause}"),
)  # fmt: skip
_GERMAN: Final = (
    whole("location", "fact", "spatial", 0.95, rf"(?:[Ii]ch (?:wohne?|lebe?)|[Ww]ir (?:wohnen|leben)|{_WHO} (?:wohnt|lebt)) {_MEANWHILE}in {_TOWN}",
          "{s} wohnt in {v}", relation="lives_in"),
    whole("moved", "event", "spatial", 0.95, rf"(?:[Ii]ch bin|\bBin|[Ww]ir sind|{_WHO} ist) {_MEANWHILE}nach {_PLACE} (?:um)?gezogen",
          "{s} ist nach {v} gezogen", relation="lives_in"),
    whole("origin", "fact", "spatial", 0.9, rf"(?:[Ii]ch (?:komme|bin)|{_S} (?:kommt|ist)) aus {_PLACE}",
          "{s} kommt aus {v}", relation="comes_from"),
    whole("works at", "fact", "semantic", 0.95, rf"(?:[Ii]ch arbeite|{_WHO} arbeitet) {_MEANWHILE}{_FIRM}",
          "{s} arbeitet bei {v}", relation="works_at"),
    whole("identity", "fact", "semantic", 0.95, rf"(?:[Ii]ch heiße|[Mm]ein Name ist) (?P<s>{WORD}(?: {WORD})?)(?P<v>)", "{s} heißt {s}"),
    whole("allergy", "fact", "semantic", 0.95, rf"(?:[Ii]ch bin|{_S} ist) allergisch gegen {_V}",
          "{s} ist allergisch gegen {v}", relation="allergic_to"),
    whole("loves", "preference", "affective", 0.9, rf"(?:[Ii]ch (?:liebe|mag)|{_S} (?:liebt|mag)) {_V}",
          "{s} mag {v}", relation="likes"),
    whole("choice", "decision", "factual", 0.9, r"(?P<i>[Ww]ir) (?:nutzen|verwenden|haben uns für) (?P<v>[^,.;!?]{2,60})", "{clause}"),
)  # fmt: skip
_RUSSIAN: Final = (
    whole("location", "fact", "spatial", 0.95, rf"(?:(?:[Яя] )?[Жж]иву|{_S} жив[её]т) (?:сейчас )?во? {_PLACE}", "{s} живёт в {v}"),
    whole("moved", "event", "spatial", 0.95, rf"(?:(?:[Яя] )?|{_S} )(?P<verb>[Пп]ереехал[аи]?) во? {_PLACE}", "{s} {verb} в {v}"),
    whole("works at", "fact", "semantic", 0.95, rf"(?:(?:[Яя] )?[Рр]аботаю|{_S} работает) (?:в|на) {_PLACE}", "{s} работает в {v}"),
    whole("origin", "fact", "spatial", 0.9, rf"(?:[Яя]|{_S}) родом из {_PLACE}", "{s} из {v}"),
    whole("identity", "fact", "semantic", 0.95, rf"[Мм]еня зовут (?P<s>{NAME})(?P<v>)", "имя: {s}"),
    whole("allergy", "fact", "semantic", 0.95, rf"[Уу] (?:меня|(?P<s>{NAME})) аллергия на {_V}", "{s}: аллергия на {v}"),
    whole("loves", "preference", "affective", 0.9, rf"(?:(?:[Яя] )?(?:очень )?[Лл]юблю|{_S} любит) {_V}", "{s} любит {v}"),
    whole("choice", "decision", "factual", 0.9, rf"(?P<i>[Мм]ы) (?:выбрали|используем) {_V}", "{clause}"),
)  # fmt: skip
_UKRAINIAN: Final = (
    whole("location", "fact", "spatial", 0.95, rf"(?:(?:[Яя] )?(?:[Жж]иву|[Мм]ешкаю)|{_S} (?:живе|мешкає)) (?:зараз )?[ув] {_PLACE}",
          "{s} живе в {v}"),
    whole("moved", "event", "spatial", 0.95, rf"(?:(?:[Яя] )?|{_S} )(?P<verb>[Пп]ереїха(?:в|ла|ли)) (?:до|в|у) {_PLACE}", "{s} {verb} до {v}"),
    whole("works at", "fact", "semantic", 0.95, rf"(?:(?:[Яя] )?[Пп]рацюю|{_S} працює) (?:[ув]|на) {_PLACE}", "{s} працює в {v}"),
    whole("origin", "fact", "spatial", 0.9, rf"(?:[Яя]|{_S}) родом з[іи]? {_PLACE}", "{s} з {v}"),
    whole("identity", "fact", "semantic", 0.95, rf"[Мм]ене звати (?P<s>{NAME})(?P<v>)", "ім'я: {s}"),
    whole("allergy", "fact", "semantic", 0.95, rf"[Уу] (?:мене|(?P<s>{NAME})) алергія на {_V}", "{s}: алергія на {v}"),
    whole("loves", "preference", "affective", 0.9, rf"(?:(?:[Яя] )?(?:дуже )?[Лл]юблю|{_S} любить) {_V}", "{s} любить {v}"),
    whole("choice", "decision", "factual", 0.9, rf"(?P<i>[Мм]и) (?:обрали|використовуємо) {_V}", "{clause}"),
)  # fmt: skip

# What stands before a statement that denies it, or makes it a part of another: "no vivo en", "что я люблю".
DENIED: Final[Mapping[str, str]] = {
    "es": r"(?i)\b(?:no|ni|nunca|jamás|tampoco|si|cuando|donde|dónde|qué|quien|quién|como|cómo|antes|casi)(?: (?:me|te|le|se|yo|ya))*\s*$",
    "de": r"(?i)\b(?:nicht|nie|niemals|kaum|wenn|ob|was|wo|dass|früher|fast)\s*$",
    "ru": r"(?i)\b(?:не|ни|никогда|вряд ли|если|когда|что|чего|чем|кого|где|куда|как|раньше|почти|якобы)(?: (?!но\b|и\b|а\b)\w+){0,2}\s*$",
    "uk": r"(?i)\b(?:не|ні|ніколи|навряд чи|якщо|коли|що|чого|чим|кого|де|куди|як|раніше|майже|нібито)(?: (?!але\b|і\b|й\b|та\b|а\b)\w+){0,2}\s*$",
}
# What points outside the value, denies it behind the verb, or is another clause.
LEANING: Final[Mapping[str, str]] = {
    "es": r"(?i)^(?:lo|la|los|las|le|les|eso|esto|esa|ese|aquello|él|ella|ellos|más|mucho|nada|así)$"
    r"|\b(?:tu|tus|ti|usted|su|sus|es[oae]s?|est[aeo]s?|él|ella|ellos|nada|el hecho|la idea de que)\b|^(?:que|cuando|cómo|como)\b|^(?:el|la) (?:color|idea|forma|manera|parte|lugar)$",
    "de": r"(?i)\b(?:es|das|dies\w*|jene\w*|ihn|sie|ihr\w*|ihm|dich|dir|dein\w*|du|er|sein\w*|nicht|nie|kein\w*|alles|etwas|nichts)\b"
    r"|^(?:die|der|den) (?:Farbe|Idee|Art|Teil|Ort|Stil|Platz|Gedanke\w*|Plan)\b|^(?:wie|wenn|dass|so|mehr|sehr|gerne)\b",
    "ru": r"(?i)\b(?:это\w*|эт\w{1,2}|его|её|ее|ей|им|их|ему|него|неё|них|он|она|они|оно|тебя|тебе|ты|твой|твоя|твою|вас|вам|ваш\w*|я|мы|то|тот|та|того|такого|такие|такую|всё|больше|меньше|не)\b"
    r"|^(?:когда|как|что|и|а|но|же|ли)\b",
    "uk": r"(?i)\b(?:це|цей|ця|цю|цього|ці|цих|його|її|їй|їм|їх|йому|нього|неї|них|він|вона|вони|воно|тебе|тобі|ти|твій|твоя|твою|вас|вам|ваш\w*|я|ми|то|той|та|того|таке|такі|таку|все|більше|менше|не)\b"
    r"|^(?:коли|як|що|і|й|а|але|ж|же|чи)\b",
}
PATTERNS: Final[Mapping[str, tuple[Whole, ...]]] = {
    "es": _SPANISH,
    "de": _GERMAN,
    "ru": _RUSSIAN,
    "uk": _UKRAINIAN,
}
