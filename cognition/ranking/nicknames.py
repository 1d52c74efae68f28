"""Well-known short forms of first names: who asks for Liz may mean Elizabeth.

A name means whoever bears it; only where a text or a speaker is not called so, one that goes with it may stand for it,
and counts less. Two short forms of one name go together too. Each line is one name in its spellings, then its short
forms; both may stand in several lines. A form that is a word too is somebody only where it is written as a name: the
cat is not Kate.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from cognition.extraction.names import names
from cognition.ranking.stem import is_irregular
from cognition.words import QUERY_CHARACTERS_MAX

_NAMES: Final = """
    alexander alexandr aleksander alexandre alejandro: alex sasha xander sandy ale
    alexandra aleksandra alejandra: alex sasha sandra lexi ale
    andrew: andy drew
    anthony antonio anton: tony toni toño
    barbara: barb babs
    benjamin: ben benny benji
    catherine katherine katharine kathryn katharina: kate katie kathy cathy cat kat kitty
    charles: charlie chuck
    christina christine cristina: chris chrissy tina
    christopher christoph: chris kit
    concepción: concha conchita
    daniel: dan danny
    david: dave davy
    deborah: deb debbie
    dolores: lola
    dorothy: dot dottie dolly
    edward eduard eduardo: ed eddie ted ned edu
    eleanor: ellie nell nora
    elizabeth elisabeth: liz lizzie lizzy eliza beth betty betsy libby lisa elsa
    eugene: gene
    frances francis francisco: fran frank paco pancho frankie
    franziska: franzi
    frederick friedrich: fred freddy fritz
    gregory: greg
    guadalupe: lupe
    ignacio: nacho
    isabella isabel: bella izzy isa
    jacob: jake
    james: jim jimmy jamie
    jennifer: jen jenny
    jessica: jess jessie
    johannes: hans hannes
    john: jack johnny
    jonathan: jon jonny
    joseph josef josé: joe joey sepp pepe
    joshua: josh
    josephine: josie jo
    katarina: kati kata
    lawrence: larry
    leonard leonardo: leo len lenny
    madeleine: maddie
    manuel: manolo manu
    margaret margarethe margarita: peggy maggie meg marge margie greta gretel rita
    matthew matthias: matt matze
    maximilian: max maxi
    melanie: mel
    melissa: mel
    michael: mike mick mickey michi
    nathaniel nathan: nate nat
    nicholas nicolas nikolaus: nick nico niko klaus
    pamela: pam
    patricia: pat patty trish tricia
    patrick: pat paddy
    peter: pete
    philip phillip: phil
    rebecca: becky becca
    richard: rick ricky rich dick
    robert: bob bobby rob robbie
    ronald: ron ronnie
    rosario: charo
    samantha: sam sammy
    samuel: sam sammy
    sebastian: seb basti
    stephen steven stefan: steve steffen
    susan susanne susanna: sue susie suzie
    theodore theodor: theo ted teddy
    thomas: tom tommy
    timothy: tim timmy
    ursula: uschi ulla
    valerie: val
    victoria: vicky tori
    vincent: vince vinny
    walter: walt wally
    william wilhelm: will bill billy willy willi
    wolfgang: wolfi wolf
    zachary: zach zack
    александр: саша шура
    александра: саша шура
    алексей: лёша леша алёша
    анастасия: настя
    анна: аня
    владимир: вова володя
    дмитрий: дима митя
    евгений евгения: женя
    екатерина: катя
    елена: лена
    иван: ваня
    мария: маша
    михаил: миша
    наталья наталия: наташа
    николай: коля
    ольга: оля
    павел: паша
    сергей: серёжа сережа
    татьяна: таня
    юрий: юра
    юлия: юля
    іван: ванько івась
    катерина: катя катруся
    марія: марійка маруся
    михайло: мишко
    микола: коля
    наталія: наталка наташа
    олександр: сашко саша
    олександра: леся саша
    олексій: олекса льоша
    софія: соня
    тетяна: таня
"""

_ALSO_WORDS: Final = """
    ale bill bob cat chuck dick dolly dot drew frank gene jack josh kit kitty matt max maxi nick pat rich rob ron sandy
    sue ted will wolf соня
"""
_WORDS: Final = frozenset(_ALSO_WORDS.split())
# Who begins a sentence and what follows: somebody, if that is what somebody did.
_BEGINS: Final = re.compile(r"(?:^|[.!?]\s+|\n)(\w+)(?:['’]s\b| (\w+))")


def _groups() -> Mapping[str, frozenset[str]]:
    together: dict[str, set[str]] = {}
    for line in _NAMES.strip().splitlines():
        spellings, _, shorts = line.partition(":")
        everybody = {*spellings.split(), *shorts.split()}
        for name in everybody:
            together.setdefault(name, set()).update(everybody)
    return {name: frozenset(others - {name}) for name, others in together.items()}


_TOGETHER: Final = _groups()


def others(name: str) -> frozenset[str]:
    """Return what else somebody of this first name may be called, all folded."""
    return _TOGETHER.get(name, frozenset())


def stands_in(text: str, said: Sequence[str], forms: frozenset[str]) -> bool:
    """Say whether a text, of these folded words, has somebody of one of these forms of a name."""
    here = forms.intersection(said)
    if not here or here - _WORDS:
        return bool(here)
    text = text[:QUERY_CHARACTERS_MAX]
    named = {word for name in names(text) for word in name.casefold().split()}
    for match in _BEGINS.finditer(text):
        follows = (match[2] or "").casefold()
        if match[1][0].isupper() and (not follows or follows.endswith("ed") or is_irregular(follows)):
            named.add(match[1].casefold())
    return not here.isdisjoint(named)
