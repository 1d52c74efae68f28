"""The closed set of things a device can say, and the envelope they travel in.

A body is what happened; an `Op` is a body in its envelope: who wrote it, where in their chain it stands, what they
had seen, and hashes that pin all of it. Bodies act on one memory (the op's `rid`) when they carry text, so that
erasing that memory's payloads erases the text; bodies that act on several things name ids only.

Kinds `ERASE` and the layout of the header never change version (an old device must understand both for ever).
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from replica.fields import Value
from replica.ids import MemoryId, OpId, OpRef, Origin
from replica.values import dataclass


class OpKind(IntEnum):
    """What an op does, as a number on the wire; numbers are never reused."""

    REMEMBER = 1
    EDIT = 2
    SET = 3
    FORGET = 4
    ERASE = 5
    RELATE = 6
    ACCESS = 7
    CLAIM = 8
    RESOLVE = 9
    PROPOSE = 10
    WITHDRAW = 11
    TRIGGER = 12
    RECEIPT = 13
    FEEDBACK = 14
    SAYS_SAME = 15
    UNLINK = 16
    TAG = 17
    UNTAG = 18
    SAME_SLOT = 19


# The newest version of each kind that this program can fold.
UNDERSTOOD: Final[Mapping[int, int]] = dict.fromkeys(OpKind, 1)

# Kinds whose payload holds a person's words, or what can be guessed from them (a trigger's id may be a hash of a name):
# they act on their rid only, and can be erased.
TEXT_KINDS: Final = frozenset(
    {OpKind.REMEMBER, OpKind.EDIT, OpKind.SET, OpKind.CLAIM, OpKind.TRIGGER, OpKind.TAG, OpKind.UNTAG}
)

# The status of a trigger that some device has shown to its person.
DELIVERED: Final = 1

# Kinds that say nothing without a memory to act on.
NEEDS_RID: Final = frozenset(
    {OpKind.REMEMBER, OpKind.EDIT, OpKind.CLAIM, OpKind.TRIGGER, OpKind.TAG, OpKind.UNTAG}
)


@dataclass(frozen=True, slots=True)
class Remember:
    """Add a memory: its text and the fields it starts with."""

    text: str
    fields: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Edit:
    """Change a memory's text: a Yjs update on the document that `base` names."""

    base: bytes
    update: bytes


@dataclass(frozen=True, slots=True)
class Set:
    """Write one register: a field of the op's memory, or, without a rid, a setting that all devices share."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Forget:
    """Put a tombstone on every memory named."""

    rids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Erase:
    """Put a tombstone on every memory named, and prove that their payloads may be missing."""

    rids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Relate:
    """Write the register of one edge; a weight of `None` takes the edge away."""

    source: str
    relation: str
    target: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class Access:
    """State this origin's running totals: (memory, recalls so far, ms of the last one)."""

    totals: tuple[tuple[MemoryId, int, int], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """Take a claim from the op's memory: `entity` has `value` for `relation`.

    `replaces` names every claim of the slot that the author held when it says so: a change of mind.
    """

    entity: str
    relation: str
    value: str
    replaces: tuple[OpRef, ...]
    valid_from: int | None


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """Keep or hide one claim, which `rid`'s op at `claim` made."""

    rid: MemoryId
    claim: OpRef
    keep: bool


@dataclass(frozen=True, slots=True)
class Resolve:
    """Resolve a contradiction: one verdict a claim."""

    verdicts: tuple[ClaimVerdict, ...]


@dataclass(frozen=True, slots=True)
class Propose:
    """Propose that these memories be consolidated into one summary."""

    rids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take back the proposals made by these ops."""

    proposals: tuple[OpRef, ...]


@dataclass(frozen=True, slots=True)
class Trigger:
    """Raise a trigger's status on the op's memory: 0 pending, 1 delivered, 2 dismissed, 3 acted.

    `kind` says what sort of trigger it is and `about` which other memories it is about, so that a device that did not
    raise it can show it.
    """

    trigger: bytes
    status: int
    kind: str
    about: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Confirm that this device holds no payload of these erased memories any more."""

    rids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Feedback:
    """Teach the ranking by one recalled memory: how far each signal is to count for more or less, in units of 1e-9.

    It outlives the memory, and says nothing of it.
    """

    rid: MemoryId
    amounts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SaysSame:
    """Link two tellings that say the same. `sureness` is 1 to 100; a person's word is 100.

    A link changes neither memory. It says nothing where either is gone.
    """

    rids: tuple[MemoryId, MemoryId]
    sureness: int


@dataclass(frozen=True, slots=True)
class Unlink:
    """Withdraw the links made by these ops."""

    links: tuple[OpRef, ...]


@dataclass(frozen=True, slots=True)
class SameSlot:
    """Say that two claims are of one thing (`same`), or of two; None withdraws what was said of them.

    Each claim is named by its memory and by the op that made it, so nothing here is words, or a hash of some. `by` says
    who could tell, from 1 to 4: a list of words, a model, an agent, a person; what a higher one said counts first.
    `sureness` is 1 to 100.
    """

    rids: tuple[MemoryId, MemoryId]
    claims: tuple[OpRef, OpRef]
    same: bool | None
    by: int
    sureness: int

    @classmethod
    def of(
        cls,
        one: tuple[MemoryId, OpRef],
        other: tuple[MemoryId, OpRef],
        same: bool | None,
        *,
        by: int,
        sureness: int,
    ) -> "SameSlot":
        """Return what is said of two claims, in whichever order they are named."""
        (rid, claim), (other_rid, against) = sorted((one, other))
        return cls((rid, other_rid), (claim, against), same, by, sureness)


@dataclass(frozen=True, slots=True)
class Tag:
    """Put labels on the op's memory, each an element of an add-wins set."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Untag:
    """Take labels off the op's memory, as far as the author had seen them put on: whoever else did so keeps theirs."""

    labels: tuple[str, ...]


Body = (
    Remember
    | Edit
    | Set
    | Forget
    | Erase
    | Relate
    | Access
    | Claim
    | Resolve
    | Propose
    | Withdraw
    | Trigger
    | Receipt
    | Feedback
    | SaysSame
    | Unlink
    | Tag
    | Untag
    | SameSlot
)

KIND_OF: Final[Mapping[type, OpKind]] = {
    Remember: OpKind.REMEMBER,
    Edit: OpKind.EDIT,
    Set: OpKind.SET,
    Forget: OpKind.FORGET,
    Erase: OpKind.ERASE,
    Relate: OpKind.RELATE,
    Access: OpKind.ACCESS,
    Claim: OpKind.CLAIM,
    Resolve: OpKind.RESOLVE,
    Propose: OpKind.PROPOSE,
    Withdraw: OpKind.WITHDRAW,
    Trigger: OpKind.TRIGGER,
    Receipt: OpKind.RECEIPT,
    Feedback: OpKind.FEEDBACK,
    SaysSame: OpKind.SAYS_SAME,
    Unlink: OpKind.UNLINK,
    Tag: OpKind.TAG,
    Untag: OpKind.UNTAG,
    SameSlot: OpKind.SAME_SLOT,
}


class Write(NamedTuple):
    """One change to be written: a body, and the memory it acts on, if it acts on one.

    `by_any`: some version of this program said it before, maybe a later one, whose words are kept (`replica.fields`).
    """

    body: Body
    rid: MemoryId | None = None
    by_any: bool = False


class Op(NamedTuple):
    """One immutable change in its envelope.

    A `NamedTuple`, where the house prefers frozen dataclasses: a sync builds one for every op it takes, and this
    builds in a fifth of the time.
    """

    origin: Origin
    seq: int
    hlc: int
    seen: tuple[OpRef, ...]
    kind: int
    version: int
    ends: bool
    rid: bytes | None
    prev: OpId | None
    payload_hash: bytes
    payload: bytes | None
    id: OpId

    @property
    def place(self) -> OpRef:
        """The op's name for others."""
        return OpRef(self.origin, self.seq, self.id[:8])
