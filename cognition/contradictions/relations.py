"""Say of each relation whether it has one value or several, and how much two values of it matter.

A slot is (workspace, entity, relation). Only a relation of which there is one value at a time can be contradicted: Ann
works at one place, and has many friends. The class decides how it comes to somebody's notice: where somebody lives is
asked, a price is shown beside what is recalled, and what nobody needs is listed. Nothing but a decision, or word of a
change, settles it.

Some relations are named together with what they are about (`favorite:colour`, `attitude:sushi`), so that two values of
one slot always speak of the same thing.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Final

from replica.values import dataclass


class RelationKind(Enum):
    """What sort of thing a relation tells of somebody."""

    IDENTITY = "identity"
    FACT = "fact"
    PREFERENCE = "preference"
    JUDGED = "judged"
    """Somebody who understands both said that they disagree."""
    DETAIL = "detail"
    """A price, an hour, a number: it matters to whoever needs it."""
    MINOR = "minor"


class Severity(Enum):
    """How much a contradiction matters."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Action(Enum):
    """What is to be done about a contradiction that nothing has settled."""

    ASK = "ask"
    ASK_NATURALLY = "ask_naturally"
    KEEP_BOTH = "keep_both"


class Attention(Enum):
    """How a contradiction that nothing has settled comes to somebody's notice."""

    ASK = "ask"
    """It is asked about, one a day."""
    MENTION = "mention"
    """It is shown beside what is recalled, and told to agents."""
    QUIET = "quiet"
    """It is listed."""


SEVERITIES: Final[Mapping[RelationKind, Severity]] = {
    RelationKind.IDENTITY: Severity.HIGH,
    RelationKind.FACT: Severity.HIGH,
    RelationKind.PREFERENCE: Severity.MEDIUM,
    RelationKind.JUDGED: Severity.MEDIUM,
    RelationKind.DETAIL: Severity.LOW,
    RelationKind.MINOR: Severity.LOW,
}
ACTIONS: Final[Mapping[Severity, Action]] = {
    Severity.HIGH: Action.ASK,
    Severity.MEDIUM: Action.ASK_NATURALLY,
    Severity.LOW: Action.KEEP_BOTH,
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What is known of a relation: its class, and whether it has one value at a time."""

    kind: RelationKind
    single: bool = True
    follows: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Values that come after others in a life: told later, such a one takes the place of those."""
    beside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Values that say nothing against others: a wife's "girlfriend" may be a friend."""


# Kinds of which a value is compared by what its words say of it, and not under the relation's name alone.
DETAILS: Final = frozenset({RelationKind.DETAIL})
# Under which two memories claim what they say that somebody set against each other: `judged:PAIR`.
JUDGED: Final = "judged"
# The entity of a claim whose words name nothing in particular.
THIS: Final = "this"

# How a claim may be meant that is no state: it stands under this name (`goal:weight`), and contradicts nothing. Of a
# level the newest counts, events are of their day, and a goal is no fact.
MODES: Final = ("level", "event", "goal", "rule")
RELATIONS: Final[Mapping[str, Relation]] = {
    "works_at": Relation(RelationKind.IDENTITY),
    "lives_in": Relation(RelationKind.IDENTITY),
    # Berlin and Germany do not contradict each other: towns are compared with towns, countries with countries.
    "lives_in_region": Relation(RelationKind.IDENTITY),
    "lives_in_country": Relation(RelationKind.IDENTITY),
    "name": Relation(RelationKind.IDENTITY),
    "birthday": Relation(RelationKind.FACT),
    "born_in": Relation(RelationKind.FACT),
    "spouse": Relation(RelationKind.FACT),
    "relationship_status": Relation(
        RelationKind.FACT,
        follows={
            "single": frozenset({"dating", "engaged", "divorced", "widowed"}),
            "dating": frozenset({"single", "divorced", "widowed"}),
            "engaged": frozenset({"single", "dating", "divorced", "widowed"}),
            "married": frozenset({"single", "dating", "engaged", "divorced", "widowed"}),
            "divorced": frozenset({"single", "dating", "engaged", "married"}),
            "widowed": frozenset({"single", "dating", "engaged", "married", "divorced"}),
        },
        beside={"dating": frozenset({"married", "engaged"})},
    ),
    "favorite": Relation(RelationKind.PREFERENCE),
    "attitude": Relation(RelationKind.PREFERENCE),
    "prefers": Relation(RelationKind.PREFERENCE),
    "diet": Relation(RelationKind.PREFERENCE),
    "allergy": Relation(RelationKind.FACT),
    "dose": Relation(RelationKind.FACT),
    JUDGED: Relation(RelationKind.JUDGED),
    # What is compared by its value where nothing but words says of what it is the value.
    "number": Relation(RelationKind.DETAIL),
    "owner": Relation(RelationKind.DETAIL),
    "role": Relation(RelationKind.DETAIL),
    "called": Relation(RelationKind.DETAIL),
    "price": Relation(RelationKind.DETAIL),
    "time": Relation(RelationKind.DETAIL),
    "day": Relation(RelationKind.DETAIL),
    "duration": Relation(RelationKind.DETAIL),
    "until": Relation(RelationKind.DETAIL),
    "occupation": Relation(RelationKind.DETAIL),
    "siblings": Relation(RelationKind.DETAIL),
    "amount": Relation(RelationKind.DETAIL),
    "friends_with": Relation(RelationKind.MINOR, single=False),
    "speaks": Relation(RelationKind.MINOR, single=False),
    "employment": Relation(RelationKind.MINOR),
    "habit": Relation(RelationKind.MINOR),
    "ever": Relation(RelationKind.MINOR, follows={"has": frozenset({"never"})}),
    "number_of": Relation(RelationKind.MINOR),
    "born": Relation(RelationKind.MINOR),
    "since": Relation(RelationKind.MINOR),
    "comes_from": Relation(RelationKind.MINOR),
    "comes_from_region": Relation(RelationKind.MINOR),
    "comes_from_country": Relation(RelationKind.MINOR),
    **{mode: Relation(RelationKind.MINOR, single=False) for mode in MODES},
}  # fmt: skip
# What somebody is asked about: who and where people are, and what may hurt them.
ASKED: Final = frozenset(
    ["lives_in", "lives_in_region", "lives_in_country", "works_at", "birthday", "name", "allergy", "dose"]
)
# A relation that this version does not know, from a newer one or from a program: two values are noted, nobody is asked.
UNKNOWN: Final = Relation(RelationKind.MINOR)


def subject_of(entity: str, relation: str, *, in_words: bool = False) -> str:
    """Return what values are of, up to the colon: "Ann works_at: ", or "Ann works at: " in words.

    What somebody judged has no relation that anybody would read: of it, only what both texts name is said, if anything.
    """
    if relation.startswith(f"{JUDGED}:"):
        return "" if entity == THIS else f"{entity}: "
    return f"{entity} {relation_words(relation) if in_words else relation}: "


def relation_words(relation: str) -> str:
    """Return a relation as people read it."""
    if relation.startswith(f"{JUDGED}:"):
        return "which is true?"
    return relation.replace("_", " ").replace(":", ": ")


def relation_of(name: str) -> Relation:
    """Return what is known of a relation; of `favorite:colour`, what holds for all favourites."""
    return RELATIONS.get(name.partition(":")[0], UNKNOWN)


def attention_of(name: str) -> Attention:
    """Return how an open contradiction in a relation comes to somebody's notice."""
    if name.partition(":")[0] in ASKED:
        return Attention.ASK
    return Attention.QUIET if relation_of(name).kind is RelationKind.MINOR else Attention.MENTION
