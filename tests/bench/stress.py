"""Ask 900 questions about 30 facts (the shape of PM-69): 30 ways each, in five languages.

Five people, of whom one is the asker, and six things to know of each: so every question has four neighbours that
differ in the name alone, and the asker's own are asked as "I". Each fact is told in one language and asked about in all
five; a sixth of the questions are two questions in one. Everything is made from tables, so that two runs ask the same.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Final, NamedTuple

from cognition import RankedMemory, StaticEmbedder
from cognition.ranking.compound import split
from cognition.recall.stages import fuse_hits
from tests.support.recalling import Memory

LANGUAGES: Final = ("en", "es", "de", "ru", "uk")
DEPTHS: Final = (1, 3, 10)
# Whom it is about, and the language in which they are told of. The first is the asker.
PEOPLE: Final = (("I", "en"), ("Alice", "en"), ("Bruno", "es"), ("Greta", "de"), ("Oleg", "ru"))


class Attribute(NamedTuple):
    """One thing to know of somebody: how it is told, and how it is asked, by language; `{}` is the person."""

    told: dict[str, str]
    asked: dict[str, str]
    own: dict[str, str]
    values: tuple[str, ...]


ATTRIBUTES: Final = (
    Attribute(
        {"en": "{} lives in {}", "es": "{} vive en {}", "de": "{} wohnt in {}", "ru": "{} живёт в городе {}"},
        {
            "en": "Where does {} live",
            "es": "¿Dónde vive {}",
            "de": "Wo wohnt {}",
            "ru": "Где живёт {}",
            "uk": "Де живе {}",
        },
        {
            "en": "Where do I live",
            "es": "¿Dónde vivo yo",
            "de": "Wo wohne ich",
            "ru": "Где я живу",
            "uk": "Де я живу",
        },
        ("Lisbon", "Porto", "Sevilla", "Leipzig", "Tomsk"),
    ),
    Attribute(
        {
            "en": "{} works at {}",
            "es": "{} trabaja en {}",
            "de": "{} arbeitet bei {}",
            "ru": "{} работает в {}",
        },
        {
            "en": "Where does {} work",
            "es": "¿Dónde trabaja {}",
            "de": "Wo arbeitet {}",
            "ru": "Где работает {}",
            "uk": "Де працює {}",
        },
        {
            "en": "Where do I work",
            "es": "¿Dónde trabajo yo",
            "de": "Wo arbeite ich",
            "ru": "Где я работаю",
            "uk": "Де я працюю",
        },
        ("Stripe", "Airbus", "Zara", "Siemens", "Yandex"),
    ),
    Attribute(
        {"en": "{} bought a {}", "es": "{} compró un {}", "de": "{} kaufte einen {}", "ru": "{} купил {}"},
        {
            "en": "What did {} buy",
            "es": "¿Qué compró {}",
            "de": "Was kaufte {}",
            "ru": "Что купил {}",
            "uk": "Що купив {}",
        },
        {
            "en": "What did I buy",
            "es": "¿Qué compré yo",
            "de": "Was kaufte ich",
            "ru": "Что я купил",
            "uk": "Що я купив",
        },
        ("Volvo", "Tesla", "Seat", "Opel", "Lada"),
    ),
    Attribute(
        {
            "en": "{} manages the project {}",
            "es": "{} dirige el proyecto {}",
            "de": "{} leitet das Projekt {}",
            "ru": "{} руководит проектом {}",
        },
        {
            "en": "Which project does {} lead",
            "es": "¿Qué proyecto dirige {}",
            "de": "Welches Projekt leitet {}",
            "ru": "Каким проектом руководит {}",
            "uk": "Яким проєктом керує {}",
        },
        {
            "en": "Which project do I lead",
            "es": "¿Qué proyecto dirijo yo",
            "de": "Welches Projekt leite ich",
            "ru": "Каким проектом я руковожу",
            "uk": "Яким проєктом я керую",
        },
        ("Aurora", "Borealis", "Cometa", "Donner", "Energia"),
    ),
    Attribute(
        {
            "en": "{} decided to learn {}",
            "es": "{} decidió aprender {}",
            "de": "{} entschied, {} zu lernen",
            "ru": "{} решил учить {}",
        },
        {
            "en": "What did {} decide to learn",
            "es": "¿Qué decidió aprender {}",
            "de": "Was entschied {} zu lernen",
            "ru": "Что решил учить {}",
            "uk": "Що вирішив вчити {}",
        },
        {
            "en": "What did I decide to learn",
            "es": "¿Qué decidí aprender yo",
            "de": "Was entschied ich zu lernen",
            "ru": "Что я решил учить",
            "uk": "Що я вирішив вчити",
        },
        ("Rust", "Haskell", "Erlang", "Kotlin", "Scala"),
    ),
    Attribute(
        {
            "en": "{} repaired the {}",
            "es": "{} reparó el {}",
            "de": "{} reparierte den {}",
            "ru": "{} починил {}",
        },
        {
            "en": "What did {} fix",
            "es": "¿Qué reparó {}",
            "de": "Was reparierte {}",
            "ru": "Что починил {}",
            "uk": "Що полагодив {}",
        },
        {
            "en": "What did I fix",
            "es": "¿Qué reparé yo",
            "de": "Was reparierte ich",
            "ru": "Что я починил",
            "uk": "Що я полагодив",
        },
        ("router", "oven", "motor", "Computer", "трактор"),
    ),
)
# Ways to ask one question; the last asks a second one with it.
FRAMES: Final = (
    "{}?",
    "{}",
    "Tell me: {}?",
    "{}, please?",
    "Hey, {}? Thanks",
    "{} and what is the plan for dinner?",
)


class Asked(NamedTuple):
    """One question, the memory that answers it, its language and its kind."""

    text: str
    answer: int
    language: str
    kind: str


def facts() -> list[str]:
    """Return the thirty memories, one person after another."""
    told = []
    for at, (name, language) in enumerate(PEOPLE):
        for attribute in ATTRIBUTES:
            text = attribute.told[language].format(name, attribute.values[at])
            own = {"lives": "live", "works": "work", "manages": "manage"}
            told.append(" ".join(own.get(word, word) if name == "I" else word for word in text.split(" ")))
    return told


def questions() -> Iterator[Asked]:
    """Return the nine hundred questions."""
    for (at, (name, told_in)), (of, attribute), language, frame in product(
        enumerate(PEOPLE), enumerate(ATTRIBUTES), LANGUAGES, FRAMES
    ):
        plain = attribute.own[language] if name == "I" else attribute.asked[language].format(name)
        kind = "compound" if " and " in frame else "of oneself" if name == "I" else "of others"
        if kind != "compound" and language != told_in:
            kind = f"{kind}, across languages"
        yield Asked(frame.format(plain), at * len(ATTRIBUTES) + of, language, kind)


def places(embedder: StaticEmbedder | None = None) -> list[tuple[Asked, int | None]]:
    """Ask everything; return the place of each answer among ten, from 0, or None."""
    memory = Memory(embedder or StaticEmbedder())
    rids = [memory.home.remember(text) for text in facts()]
    memory.embed()

    def ask(text: str) -> list[RankedMemory]:
        parts = [memory.recall(part, k=10) for part in split(text).parts]
        return parts[0] if len(parts) == 1 else fuse_hits(parts, 10)

    found = []
    for asked in questions():
        hits = [hit.rid for hit in ask(asked.text)]
        found.append((asked, hits.index(rids[asked.answer]) if rids[asked.answer] in hits else None))
    return found


def report(say: Callable[[str], None] = print) -> None:
    """Print the shares of answers among the first 1, 3 and 10, by language and by kind."""
    found = places()
    say(f"\nStress, {len(found)} questions on {len(facts())} facts in five languages: top 1 / 3 / 10, %")
    groups: dict[str, list[int | None]] = {"all": [place for _, place in found]}
    for asked, place in found:
        groups.setdefault(asked.language, []).append(place)
        groups.setdefault(asked.kind, []).append(place)
    for name, each in groups.items():
        shares = (sum(place is not None and place < k for place in each) / len(each) for k in DEPTHS)
        say(f"  {name:>30}" + "".join(f"{100 * share:8.1f}" for share in shares))
