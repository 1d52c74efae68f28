"""Say how a question feels: badly, well, or neither (YD-20).

By words alone, in the languages of the other tables, stems marked with `*`. A question about what went wrong is best
answered by what was felt to be wrong, so memories of that mood come first; a neutral question prefers neither mood.
"""

from typing import Final

from cognition.ranking.vocabulary import WordGroups
from cognition.words import words

MOODS: Final = {
    "negative": """
        sad sadness unhappy depressed down upset cry angry anger annoyed furious mad frustrated afraid fear scared
        anxious anxiety worry worried stress stressed lonely hurt pain bad worse worst awful terrible horrible hate
        regret guilty ashamed wrong fail failure problem trouble broken lost loss die death crisis disappointed struggle
        trist* enojad* miedo preocupad* dolor malo mala fracas* problema* traurig* wütend* angst* sorge* schmerz*
        schlecht* schlimm* fehler* груст* печал* злой злит* страх* боюсь боль плох* ошибк* проблем* сумн* гнів*
        біль поган* помилк*
    """,
    "positive": """
        happy happiness glad joy joyful delighted excited proud love loved enjoy enjoyed fun great good better best
        wonderful amazing fantastic beautiful success successful win won celebrate grateful thankful hope relaxed
        content smile laugh favorite favourite
        feliz content* alegr* orgullos* amor mejor genial éxito* glücklich* freu* froh* stolz* liebe* toll* erfolg*
        счастлив* рад радост* радов* горд* люб* лучш* успех* щаслив* радіс* пишаю* найкращ* успіх*
    """,
}
_moods: Final = WordGroups(MOODS)
# "Not happy" feels as "sad" does.
_NEGATIONS: Final = frozenset(
    {
        "not",
        "no",
        "never",
        "without",
        "cannot",
        "don",
        "didn",
        "isn",
        "wasn",
        "nicht",
        "kein",
        "keine",
        "не",
        "нет",
    }
)


def mood_of(text: str) -> int:
    """Return -1 for a text that feels badly, 1 for one that feels well, and 0 for neither, or as much of both."""
    total, turned = 0, False
    for word in words(text):
        found = _moods.of(word)
        if found:
            here = ("positive" in found) - ("negative" in found)
            total += -here if turned and here > 0 else here
            turned = False
        elif word in _NEGATIONS:
            turned = True
    return (total > 0) - (total < 0)
