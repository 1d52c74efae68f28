"""What the verbs about contradictions return."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from samemind.results.memories import NomineeView


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
    beliefs: list[BeliefView] = field(default_factory=list)
    resolutions: list[ResolutionView] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.entity} {self.relation}: {self.a.value} or {self.b.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradictions:
    """Contradictions: the open ones first, the worst and latest before the others. Iterating gives them."""

    contradictions: list[ContradictionView]
    total: int

    def __iter__(self) -> Iterator[ContradictionView]:
        return iter(self.contradictions)

    def __len__(self) -> int:
        return len(self.contradictions)

    def __getitem__(self, index: int) -> ContradictionView:
        return self.contradictions[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """How a contradiction stands now; `rid` is the memory that a merger made. `changed`: whether anything did."""

    contradiction: ContradictionView
    rid: str | None = None
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Two memories that may repeat or contradict each other: the later one, and the earlier one as its nominee."""

    rid: str
    text: str
    told_at: datetime | None
    nominee: NomineeView

    def __str__(self) -> str:
        return f"{self.rid} {self.nominee.rid}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Pairs that nobody judged, the likeliest first, and how many there are. Iterating gives them."""

    nominees: list[Unjudged]
    total: int

    def __iter__(self) -> Iterator[Unjudged]:
        return iter(self.nominees)

    def __len__(self) -> int:
        return len(self.nominees)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The verdict that stands on two memories, and who gave it; `changed`: whether this call did.

    `contradictions` are those between the two, by their ids, whether they are open or settled by it. A verdict of
    somebody who ranks higher stands: then nothing was written.
    """

    a: str
    b: str
    verdict: str
    by: str
    changed: bool
    op_id: str | None = None
    contradictions: list[str] = field(default_factory=list)


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
