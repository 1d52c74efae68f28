"""Guess in which of the languages that have tables a text is written: by its letters, then by its small words."""

import re
from typing import Final

_WORDS: Final = re.compile(r"[^\W\d_]+")
_CYRILLIC: Final = re.compile("[а-яёіїєґА-ЯЁІЇЄҐ]")
_UKRAINIAN: Final = re.compile("[іїєґІЇЄҐ]")
# Words that only one of the three has.
_SPANISH_WORDS: Final = """
    el los las una y que por con para muy pero esta este es soy me mi nos yo ayer hoy hace del al está vivo
    trabajo gusta encanta llamo fui voy tengo semana
"""
_GERMAN_WORDS: Final = """
    ich und der das ist nicht ein eine einen mit für auf wir sie bin habe hat den dem von zu im am gestern heute
    morgen wohne wohnt wohnen lebe lebt leben arbeite arbeitet mag liebe liebt heiße heißt kommt nach letzte letzten vor
    bei seit jetzt mein meine
"""
_ENGLISH_WORDS: Final = """
    the and is are was i you he she we they it of to my a with for not have has had that this but so be been at
    on from about just
"""
_SMALL_WORDS: Final = {
    "en": frozenset(_ENGLISH_WORDS.split()),
    "es": frozenset(_SPANISH_WORDS.split()),
    "de": frozenset(_GERMAN_WORDS.split()),
}


def language_of(text: str) -> str:
    """Return `en`, `es`, `de`, `ru` or `uk`; English where nothing says otherwise."""
    if _CYRILLIC.search(text):
        return "uk" if _UKRAINIAN.search(text) else "ru"
    words = _WORDS.findall(text.casefold())
    counts = {language: sum(map(small.__contains__, words)) for language, small in _SMALL_WORDS.items()}
    return max(counts, key=lambda language: counts[language])
