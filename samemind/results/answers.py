"""What the verbs return that make something of memories: a block for a prompt, and reasons."""

from dataclasses import dataclass, field
from datetime import datetime

from samemind.results.keeping import TriggerView


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """A heading, which is empty in a flat block, and the lines under it."""

    title: str
    lines: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message to a model."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingQuestion:
    """A contradiction that waits for its owner: whose what, and the values of which one can be true."""

    id: str
    entity: str
    relation: str
    values: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """A block for a prompt, fenced as data, and at most how many tokens it takes.

    `class` (`kind` in Python) is what sort of question it answers; `rids` are the memories in it, the best first;
    `total` is how many memories there are. Where a conversation was given, `messages` are what to send, the block in
    the system prompt, and `compacted` tells what was done to make room: `trimmed`, and then `reduced`. `unembedded`
    memories could be found by their words alone.

    `triggers` are what memory would bring up and nobody has shown yet, `questions` the contradictions that wait for a
    decision: for whoever talks with the owner, and no part of `text`.
    """

    text: str
    tokens: int
    kind: str = field(metadata={"key": "class"})
    sections: list[ContextSection]
    rids: list[str]
    total: int
    messages: list[PromptMessage] = field(default_factory=list)
    compacted: list[str] = field(default_factory=list)
    unembedded: int = 0
    triggers: list[TriggerView] = field(default_factory=list)
    questions: list[PendingQuestion] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """One memory on the way back to where something came from: who told it, and which op on which device wrote it.

    `relation` is `itself`, or how the one before it came from this one. What was forgotten has no text, and what lies
    below the base no op.
    """

    rid: str
    relation: str
    text: str | None
    source: str | None = None
    speaker: str | None = None
    session: str | None = None
    turn: str | None = None
    told_at: datetime | None = None
    op_id: str | None = None
    hash: str | None = None
    written_at: datetime | None = None
    device: str | None = None
    device_name: str | None = None
    origin: str | None = None
    seq: int | None = None
    signature_ok: bool | None = None
    vouched_by: str | None = None
    """The device on whose word alone it is known: it came within a snapshot, and not as its author signed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Where a memory comes from, itself first.

    `signature_ok` is null where nothing could be checked: the log was folded into the base, and members vouch for it.
    """

    rid: str
    chain: list[Provenance]
    signature_ok: bool | None
    derived: list[str] = field(default_factory=list)
    """What was taken from it in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView:
    """One stage of a recall: whether the memory passed it, and what there is to say."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """The stages that a memory went through for a question, up to the one that dropped it."""

    rid: str
    query: str
    found: bool
    stages: list[StageView]
