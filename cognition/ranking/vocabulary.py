"""Tables of words that stand for one another: verbs of one meaning, and the jargon of a field.

"Where do I live" is answered by "moved to Lisbon" and by "живёт в Лиссабоне". Each group lists words, and stems marked
with `*` that any ending may follow, in five languages side by side: nothing looks at which language a text is in.

Whoever has other words, of a language that is not here or of a trade, adds them (`with_own`).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.ranking.stem import stem

Groups = Mapping[str, str]

# PM-22: what people do, own and are called.
VERBS: Final[Groups] = {
    "live": """
        live reside dwell based home move relocate settle viv* resid* mud* wohn* leb* zog* umgezogen
        жив* прожив* переех* переезж* меш* переїх*
    """,
    "work": "work job employ employer position trabaj* emple* arbeit* beruf* работ* прац* робот*",
    "own": "own have possess belong bought buy tien* pose* compr* besitz* gehör* владе* купи* волод* має*",
    "lead": """
        lead manage manager head boss direct run lider* dirig* jef* leit* führ* chef* руковод* возглавл*
        начальник* керу* очолю*
    """,
    "decide": """
        decide decision choose choice pick agree settle opt decid* elig* eleg* escog* acord* entscheid*
        entschied* wähl* beschl* реш* выбра* виріш* обра*
    """,
    "deploy": """
        deploy host ship release run rollout despleg* aloj* public* bereitstell* ausroll* развер*
        разверт* хост* выкат* розгор*
    """,
    "fix": """
        fix repair solve patch resolve correct arregl* repar* soluc* reparier* beheb* behob* lös*
        исправ* почин* виправ* полагод*
    """,
    "name": "name call nickname known llam* nombr* apod* heiß* nenn* зов* назв* имя імен* зва* назив* ім'я",
}
# PM-21: what a field calls things.
BRIDGES: Final[Groups] = {
    "typing": "typing types typed mypy pyright annotation hint",
    "database": "database db postgres postgresql sqlite mysql mariadb mongodb redis duckdb",
    "policy": "policy rule guideline convention standard",
    "lifetime": "lifetime ttl expiry expire expiration duration timeout validity",
    "deploy": "deploy deployment docker kubernetes heroku fly vercel hosting server",
    "plan": "plan roadmap milestone goal schedule",
}
# PM-18: what people ask for when they ask what was used.
USE: Final = frozenset({"use", "using", "used", "usar", "nutzen", "использовать"})
USED: Final[Groups] = {
    "use": "use deploy host run rely build choose adopt usa* utiliz* nutz* verwend* использ* використ*"
}

_KEPT: Final = 32_768


class WordGroups:
    """Which groups a word belongs to, by a table; words of a text are looked up once each."""

    def __init__(self, groups: Groups) -> None:
        self._groups = {name: tuple(text.split()) for name, text in groups.items()}
        whole: dict[str, set[str]] = {}
        for name, entries in self._groups.items():
            for entry in (name, *entries):
                if not entry.endswith("*"):
                    whole.setdefault(stem(entry), set()).add(name)
        self._whole = {word: frozenset(names) for word, names in whole.items()}
        starts: dict[str, set[str]] = {}
        for name, entries in self._groups.items():
            for entry in entries:
                if entry.endswith("*"):
                    starts.setdefault(entry[:-1], set()).add(name)
        self._starts = {start: frozenset(names) for start, names in starts.items()}
        self._lengths = sorted(set(map(len, starts)))
        self.of = lru_cache(_KEPT)(self._of)

    def spells(self, word: str) -> bool:
        """Say whether a word, or a form of it, stands here as a whole."""
        return stem(word) in self._whole

    def groups(self, some: Iterable[str]) -> frozenset[str]:
        """Return every group that any of these words belongs to."""
        return frozenset().union(*map(self.of, some))

    def asked_for(self, names: Iterable[str]) -> list[str]:
        """Return full text terms for all words of some groups; stems ask for any ending."""
        return [
            f'"{entry[:-1]}" *' if entry.endswith("*") else f'"{entry}"'
            for name in sorted(names)
            for entry in self._groups[name]
            if "'" not in entry
        ]

    def _of(self, word: str) -> frozenset[str]:
        found = self._whole.get(stem(word), frozenset())
        for length in self._lengths:  # the shortest first
            if length > len(word):
                break
            if (begun := self._starts.get(word[:length])) is not None:
                found |= begun
        return found


class Tables(NamedTuple):
    """The words that stand for one another, as a device has them."""

    verbs: WordGroups
    bridges: WordGroups

    def spell(self, word: str) -> bool:
        """Say whether a word stands in any group as a whole; what a stem begins may still be a slip."""
        return any(table.spells(word) for table in self)


TABLES: Final = Tables(WordGroups(VERBS), WordGroups(BRIDGES))
used: Final = WordGroups(USED)


def with_own(own: Mapping[str, Sequence[str]]) -> Tables:
    """Return the tables with a device's own words: of the group that is called so, or of a new one of that name.

    Words of a new group stand for its name too, and are as much worth as the jargon of a field.
    """
    verbs, bridges = dict(VERBS), dict(BRIDGES)
    for name, entries in ((name.casefold(), entries) for name, entries in own.items()):
        table = verbs if name in verbs else bridges
        table[name] = " ".join([table.get(name, name), *entries]).casefold()
    return Tables(WordGroups(verbs), WordGroups(bridges))
