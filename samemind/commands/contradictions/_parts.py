"""What several commands of this family take, return and show."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefView:
    """One claim: what was said, by whom and where, and what became of it.

    `standing` is `held`, `replaced` (it has changed since) or `hidden` (a resolution decided against it).
    """

    rid: str
    value: str
    text: str
    speaker: str | None
    device: str
    device_name: str | None
    told_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the values that stand against each other, and the memory that said so last; `rids` are all that do."""

    value: str
    rid: str
    text: str
    speaker: str | None
    device: str
    device_name: str | None
    told_at: datetime | None
    rids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionView:
    """A decision that counts: which values it kept and which it hid. Several of them disagree."""

    device: str
    device_name: str | None
    at: datetime
    kept: list[str]
    hidden: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionView:
    """Several values of which one can be true. `a` was told first; `others` are there where more than two are.

    `status` is `open` or `settled`, `settled_by` `change` or `resolution`. `attention` says how one that is open comes
    to your notice: it is asked about (`ask`), shown beside what is recalled (`mention`) or only listed (`quiet`).
    `action` is what its severity asks for: `ask`, `ask_naturally` or `keep_both`.
    """

    id: str
    severity: str
    kind: str
    relation: str
    entity: str
    workspace: str | None
    a: Side
    b: Side
    others: list[Side] = field(default_factory=list)
    status: str
    settled_by: str | None
    action: str
    attention: str
    raised_at: datetime
    snoozed_until: datetime | None = None
    """Until when nobody is asked about it."""
    beliefs: list[BeliefView] = field(default_factory=list)
    resolutions: list[ResolutionView] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{subject(self.entity, self.relation)}{self.a.value} or {self.b.value}"


# Enough of an id to type, as prefixes of six and more are taken.
ID_DIGITS: Final = 12


_ATTENTION: Final = {"ask": "to be asked", "mention": "mentioned where it comes up", "quiet": "only listed"}


_SETTLED: Final = {
    "change": "settled by a change of mind",
    "resolution": "settled by a decision",
}


def nominated(nominees: Sequence[Document]) -> list[str]:
    """Return the older memories that a new one may repeat or contradict, a line each, with the values that differ."""
    lines = []
    for each in nominees:
        values = "; ".join(
            f"{one_line(value['before'])} then, {one_line(value['now'])} now"
            for value in each["values"]
            if each["relation"] == "differs" and value["before"].casefold() != value["now"].casefold()
        )
        when = f"  ({clock(each['told_at'])})" if each["told_at"] else ""
        lines.append(
            f"  compare {each['rid']}  {one_line(each['text'])}{when}{f'  {values}' if values else ''}"
        )
    return lines


def raised(document: Document) -> list[str]:
    """Return which questions stand between a memory and others, where it was told or corrected."""
    return [f"contradicted: {each[:ID_DIGITS]}" for each in document["contradictions"]]


def subject(entity: str, relation: str) -> str:
    """Return of what the values of a contradiction are, to stand before them on one line."""
    from cognition.contradictions.relations import subject_of

    words = one_line(subject_of(entity, relation))
    return f"{words} " if words else ""


def status_words(each: Document) -> str:
    if each["status"] == "open" and each["snoozed_until"]:
        return f"open, postponed until {clock(each['snoozed_until'])}"
    if each["status"] == "open":
        return f"open, {_ATTENTION.get(each['attention'], each['attention'])}"
    return _SETTLED.get(each["settled_by"], "settled")


@dataclass(frozen=True, slots=True, kw_only=True)
class NomineeValue:
    """What two tellings both state: the kind (money, clock, date …), as told before and as told now."""

    kind: str
    before: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NomineeView:
    """An older memory that a new one may repeat or contradict: whoever understands both can `settle` it.

    `relation` is a guess by their values alone: `differs`, `repeats` or `alike`. `why` says what they share.
    """

    rid: str
    text: str
    speaker: str | None
    told_at: datetime | None
    relation: str
    values: list[NomineeValue] = field(default_factory=list)
    why: str
    weight: float

    def __str__(self) -> str:
        return self.rid


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A memory says something else now, and so do the facts beside it.

    `settled` are contradictions that this settled, `contradictions` ones that it left or made open. A correction that
    looks secret is `held`: it waits on this device, under this id, and was not made.
    """

    rid: str
    text: str
    facts: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    held: str | None = None
