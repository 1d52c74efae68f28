"""Build a block for a prompt: what memory knows about a question, fenced as data."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from replica.json_text import parse_json
from replica.values import dataclass
from samemind.commands.answers._parts import MergedText, PendingQuestion
from samemind.commands.keeping._parts import TriggerView
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.errors import Usage
from samemind.formats.options import FilterOptions
from samemind.formats.printable import safe
from samemind.formats.rendering import Document, begun

if TYPE_CHECKING:
    import sqlite3

    from cognition import Filters as Filtering
    from cognition.context.composing import Gathered, PromptSource
    from cognition.context.prompting import Said
    from replica import MemoryId
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeContext(FilterOptions):
    """Build a block for a prompt: what memory knows about a question, fenced as data."""

    query: str | None = argument(
        "the question; without it, an overview", metavar="QUERY", optional=True, joined=True
    )
    max_tokens: int | None = option("--max-tokens", "at most this many tokens", metavar="N")
    window: int | None = option(
        "--window", "the model's context window in tokens, of which memory gets a share", metavar="N"
    )
    conversation: tuple[str, ...] = option(
        "--conversation",
        "the conversation so far, as JSON lines of role and content; with --window, the result is the "
        "messages to send, memory included; - reads standard input",
        default=(),
        takes=Takes.MESSAGES,
    )
    compact_at: float = option(
        "--compact-at",
        "how full the window may be before the conversation is cut",
        default=0.8,
        metavar="SHARE",
    )
    overview: bool = option("--overview", "add what is pinned, recent, often used and stale", default=False)
    ids: bool = option("--ids", "end the line of each memory with its id", default=False)
    now: str | None = option(
        "--now", "the current time, from which words such as 'yesterday' count", takes=Takes.TIME
    )
    min_confidence: float = option(
        "--min-confidence",
        "only results at least this likely to be about the question, 0 to 1",
        default=0.1,
        metavar="X",
        least=0,
        most=1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """A heading, which is empty in a flat block, and the lines under it."""

    title: str
    lines: list[str]


Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """One message to a model: its role and its text."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """A block for a prompt, fenced as data, and at most how many tokens it takes.

    `class` (`kind` in Python) is what sort of question it answers; `rids` are the memories in it, the best first;
    `total` is how many memories there are. Where a conversation was given, `to_send` are the messages to send, as
    they were given, with the block in the system prompt, and `messages` their roles and texts; `compacted` tells what
    was done to make room: `trimmed`, and then `reduced`. `unembedded` memories could be found by their words alone.

    `triggers` are what memory would bring up and nobody has shown yet, `merged` the memories in the block whose text
    perhaps nobody wrote, since devices edited one place of it at once, and `questions` at most three contradictions
    that wait for a decision: those that the block is about, then those of the last day, then others, each day other
    ones. All this is for whoever talks with the owner, and no part of `text`.
    """

    text: str
    tokens: int
    kind: str = field(metadata={"key": "class"})
    sections: list[ContextSection]
    rids: list[str]
    total: int
    messages: list[PromptMessage] = field(default_factory=list)
    to_send: list[Meta] = field(default_factory=list)
    compacted: list[str] = field(default_factory=list)
    unembedded: int = 0
    triggers: list[TriggerView] = field(default_factory=list)
    questions: list[PendingQuestion] = field(default_factory=list)
    merged: list[MergedText] = field(default_factory=list)
    begins: datetime | None = None
    """When the memory begins, where the moment that was asked about lies before that."""

    def __str__(self) -> str:
        return self.text


async def run(device: "Device", options: MakeContext) -> ContextBlock:
    """Make the block: for a question what answers it, else (or beside it) an overview."""
    from cognition.context.composing import Gathered
    from cognition.context.overview import OverviewSection, read_overview, widen
    from cognition.context.prompting import Prompt, prompt
    from cognition.listing import count_kept
    from cognition.ranking.classes import SINGLE_HOP
    from replica import short_memory_ids, show_memory_id
    from samemind.formats.filtering import kept
    from samemind.moments import at_moment, begins_after

    talk = _conversation(options)
    query = options.query
    if query is None and options.conversation:
        query = next((said.content for said in reversed(talk) if said.role == "user" and said.content), None)
        if query is None:
            raise Usage(
                "expected a question, or a message with the role user in the conversation, got neither",
                code="invalid",
            )
    max_tokens = _budget(options)
    filters = kept(options)
    async with at_moment(device, options.as_of, options.seen_by) as mind:
        gathered = Gathered(SINGLE_HOP) if query is None else await _gathered(mind, query, filters, options)
        gathered = replace(gathered, flat_characters=device.settings.flat_characters)
        parts: list[OverviewSection] = []
        if options.overview or query is None:
            parts = await mind.read(partial(read_overview, filters=filters, now_ms=mind.now_ms))
        names = dict(gathered.names)
        if options.ids and parts:
            shown = [memory.rid for part in parts for memory in part.memories]
            names |= await mind.read(partial(short_memory_ids, rids=shown))
        made = Prompt((), widen(gathered.within(max_tokens), parts, max_tokens=max_tokens, names=names))
        if talk and options.window is not None:
            made = prompt(
                gathered, talk, window=options.window, at=options.compact_at, most=options.max_tokens
            )
        if mind is device.mind:
            device.rehearsals.note(made.context.rids if query is not None else ())
        total = await mind.read(lambda connection: count_kept(connection, filters))
        rids = made.context.rids if mind is device.mind else ()
        triggers, questions, merged = await mind.read(
            partial(_waiting, device, mind.now_ms, options.workspace, rids)
        )
    block = made.context
    return ContextBlock(
        text=block.text,
        tokens=block.tokens,
        kind=block.kind if query is not None else "overview",
        sections=[
            ContextSection(title=section.title, lines=list(section.lines)) for section in block.sections
        ],
        rids=[show_memory_id(rid) for rid in block.rids],
        total=total,
        messages=[PromptMessage(role=one.role, content=one.content) for one in made.messages],
        to_send=[one.to_send for one in made.messages],
        compacted=list(made.compacted),
        unembedded=gathered.unembedded,
        triggers=triggers,
        questions=questions,
        merged=merged,
        begins=None if total else await begins_after(device, options.as_of),
    )


def _waiting(
    device: "Device",
    now_ms: int,
    workspaces: tuple[str, ...],
    rids: "Sequence[MemoryId]",
    connection: "sqlite3.Connection",
) -> tuple[list[TriggerView], list[PendingQuestion], list[MergedText]]:
    from samemind.commands.answers._waiting import merged_texts, pending_questions, pending_triggers

    return (
        pending_triggers(connection, now_ms, device.thresholds, workspaces),
        pending_questions(connection, workspaces, rids, now_ms=now_ms),
        merged_texts(connection, rids),
    )


async def _gathered(
    source: "PromptSource", query: str, filters: "Filtering", options: MakeContext
) -> "Gathered":
    from cognition.context.composing import gather
    from samemind.formats.times import read_time

    now_ms = None if options.now is None else read_time(options.now, name="now")
    return await gather(
        source, query, filters, now_ms=now_ms, confidence_min=options.min_confidence, ids=options.ids
    )


def _budget(options: MakeContext) -> int:
    """Return how many tokens the block may take where there is no conversation."""
    from cognition import TOKENS_DEFAULT
    from cognition.context.budget import memory_budget

    if options.max_tokens is not None and options.max_tokens < 0:
        raise Usage(f"expected a budget of 0 tokens or more, got {options.max_tokens}", code="invalid")
    if options.window is not None and options.window <= 0:
        raise Usage(f"expected a window of 1 token or more, got {options.window}", code="invalid")
    if options.window is not None:
        return memory_budget(options.window, 0, options.max_tokens)
    return TOKENS_DEFAULT if options.max_tokens is None else options.max_tokens


def _conversation(options: MakeContext) -> "list[Said]":
    """Return the talk so far; `Usage` names the line that is none of it."""
    from cognition.context.prompting import Said

    if options.conversation and (options.window is None or options.overview):
        raise Usage("expected --window and no --overview with a conversation", code="invalid")
    if not 0 < options.compact_at <= 1:
        raise Usage(f"expected a share above 0 and up to 1, got {options.compact_at}", code="invalid")
    talk = []
    for number, line in enumerate(options.conversation, start=1):
        if not line.strip():
            continue
        try:
            talk.append(Said.of(parse_json(line)))
        except (ValueError, AttributeError):
            raise Usage(
                f"line {number}: expected a message with a role and a content, got {line!r:.60}",
                code="bad_line",
            ) from None
    return talk


def render(document: Document) -> list[str]:
    if document["text"]:
        return [safe(document["text"]), *map(_merged_line, document["merged"])]
    if not document["total"]:
        return [f"nothing is known{begun(document)}"]
    if document["class"] == "overview":
        return ["no room for any of what is known: a larger --max-tokens takes some"]
    return ["nothing that is known is close enough to that, or fits into so few tokens"]


def _merged_line(each: Document) -> str:
    """Return how to settle a text, without what devices wrote: this may be piped into a prompt, behind its fence."""
    rid = each["rid"]
    return (
        f"{rid} was edited on several devices at once, and merged: ask its owner which is right; "
        f"`samemind get {rid}` shows what each wrote, `samemind edit {rid} TEXT` settles it"
    )


COMMAND: Final = Command(
    "context",
    MakeContext,
    ContextBlock,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=CoreTool(
        place=3,
        name="context",
        title="Context",
        description=(
            "Get one block for the prompt within a budget of tokens: what memory holds about a "
            "question. Without a query, an overview for the start of a session: pinned, recent, "
            "often used, stale."
        ),
        offered=(
            "query",
            "max_tokens",
            "overview",
            "project",
            "workspace",
        ),
    ),
    panel=True,
    library=Method(
        "context",
        (
            "Build a block for a prompt: what memory knows about a question, fenced as data.\n\n"
            "With the `conversation` so far (messages of role and content, the last of the user the "
            "question where there is no other) and the `window` of the model, the `messages` to "
            "send: memory put in, and room made for it."
        ),
    ),
    workspace=Workspace.FILTERED,
    place=1,
)
