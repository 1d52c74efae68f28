"""What somebody lives in, or moves to, that is no place: fear, peace, a flat share, Zoom; in ten languages.

The words that say where somebody lives say this as well ("ich lebe in Angst", "vivo en paz"), and read as a home each
would contradict the town. Harmony and Hope are towns, too: what is written large is a name, but for German, whose nouns
all are.
"""

from typing import Final

_GERMAN: Final = """
    angst ängsten sorge sorgen frieden unfrieden freiheit armut not scheidung trennung rente miete untermiete pension
    quarantäne beziehung zukunft vergangenheit gegenwart wohnung ruhe unruhe harmonie wohlstand luxus sünde eile saus
    gedanken sicherheit unsicherheit hoffnung blase wg wohngemeinschaft elend einsamkeit isolation furcht panik schulden
    stress überfluss reichtum ehe partnerschaft gemeinschaft traum träumen illusion lüge chaos dunkelheit schatten hölle
    tag augenblick moment hier jetzt verhältnissen umständen erinnerungen erwartung gefahr gefangenschaft haft würde
"""
_OTHERS: Final = """
    fear peace past present future moment now hope luxury sin comfort denial head bubble poverty debt misery harmony
    silence pain hell anxiety dread panic terror exile hiding limbo uncertainty squalor solitude isolation moderation
    dream dreams nightmare fantasy lie shadow shadows shame memories style clover sync danger captivity

    peur paix passé angoisse misère luxe colocation couple concubinage pauvreté solitude harmonie espoir doute crédit
    présent avenir silence terreur crainte honte rêve illusion mensonge ombre autarcie communauté péché deux danger

    paz miedo pasado presente futuro miseria pareja nubes armonía pecado pobreza soledad lujo angustia ansiedad guerra
    esperanza alquiler silencio mentira sueño burbuja luna peligro comunidad vergüenza

    pace paura passato miseria affitto coppia ansia povertà armonia peccato lusso solitudine angoscia credito speranza
    silenzio sogno bugia bolla nuvole pericolo comunità vergogna

    medo passado pobreza aluguel aluguer casal harmonia luxo solidão angústia ansiedade esperança silêncio
    mentira sonho bolha perigo comunidade vergonha

    angst vrede verleden heden toekomst armoede luxe onderhuur bubbel harmonie zonde ellende eenzaamheid onzekerheid
    hoop stilte schulden spanning weelde gevaar schaamte

    strachu pokoju przeszłości zgodzie biedzie nędzy luksusie grzechu samotności harmonii niepewności długach ciszy
    nadziei kłamstwie świecie niewoli wstydzie konkubinacie

    страхе прошлом настоящем будущем мире нищете бедности долг ожидании грехе роскоши одиночестве согласии гармонии
    тревоге долгах тишине надежде лжи достатке опасности покое

    страху страсі минулому майбутньому мирі злиднях бідності борг очікуванні гріху розкоші самотності злагоді гармонії
    тривозі боргах тиші надії брехні достатку небезпеці спокої
"""
# What else one moves to: "we moved to Zoom for the meeting". It tells by its first word.
_MOVED_TO: Final = """
    zoom slack teams microsoft discord skype whatsapp telegram signal google gmail outlook notion jira
    trello windows linux ubuntu mac macos iphone android python rust java kotlin typescript javascript
    github gitlab aws azure netflix spotify plan phase chapter room table step
"""
_LARGE_TOO: Final = frozenset(_GERMAN.split())
_SMALL: Final = _LARGE_TOO | frozenset(_OTHERS.split())
_PROGRAMS: Final = frozenset(_MOVED_TO.split())


def is_nowhere(written: str) -> bool:
    """Say whether what somebody lives in, as it was written, is no place."""
    words = [word.strip("'’\".,!") for word in written.replace("'", " ").replace("’", " ").split()]
    if words and words[0].lower() in _PROGRAMS:
        return True
    return any(word in _SMALL if word.islower() else word.lower() in _LARGE_TOO for word in words)
