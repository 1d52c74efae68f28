"""Turn what was recalled into one block of text for a prompt, within a budget of tokens.

A simple question gets a flat list: who said it, what, and about when. Headings, labels and scores around single facts
made models answer worse. Other questions get sections, the evidence first, empty ones left out.

The block is data, not instructions: it stands between fences that say so, and nothing inside can close them, whatever a
memory says. Memories are taken whole, the best first, while they fit; what does not fit is left out, so that the budget
holds to the token. What follows about the owner comes unasked: it gives way to the best answer, and takes no more than
a share from the others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from cognition.context.budget import tokens
from cognition.context.fences import FENCE_CLOSES, FENCE_OPENS, plain, quoted
from cognition.days import happening
from cognition.ranking.classes import SINGLE_HOP, QueryClass
from cognition.recall.known import DISPUTED as KNOWN_DISPUTED
from cognition.recall.known import REPLACED, Answer
from cognition.recall.stages import RankedMemory
from cognition.reminding.repeating import rule_text
from cognition.reminding.rule_words import rule_in_words
from replica import Memory, MemoryId

# Of a simple question's block; beyond it answers got worse.
FLAT_CHARACTERS_MAX: Final = 1_500
TOKENS_DEFAULT: Final = 2_000
# Of a block, for what follows about the owner, while answers want room: two or three lines of the smallest block.
UNASKED_SHARE: Final = 0.25
# Likewise, for what the owner wrote and what is due: however much that is, a question is answered too.
WRITTEN_SHARE: Final = 0.5
# Above this a memory is set apart as important.
IMPORTANT_MIN: Final = 0.8

_WRITTEN: Final = ("profile", "reminders")
_UNASKED: Final = ("project", "preference", "identity")
# Behind a line that says what another memory denies, as recall marks it for agents.
DISPUTED: Final = " CONTRADICTED"
# Behind a line that says what is believed of the very thing that was asked for, or was once.
BELIEVED_NOW: Final = " BELIEVED NOW"
NO_LONGER: Final = " NO LONGER"
NO_NAMES: Final[Mapping[MemoryId, str]] = {}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines under it."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """A block for a prompt, how many tokens it may take, and the memories in it, the best first."""

    text: str
    tokens: int
    kind: str
    sections: tuple[Section, ...]
    rids: tuple[MemoryId, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """Lines that stand beside what was recalled: the profile, what is due, and what conversations were about.

    Of the profile, `project`, `preference` and `identity` follow from memories, the most telling first.
    """

    profile: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    preference: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    def reduced(self) -> "Around":
        """Return what is kept where a trimmed conversation is still too long: the work, and half of the tastes."""
        return replace(self, preference=self.preference[: -(-len(self.preference) // 2)], identity=())

    @property
    def unasked(self) -> tuple[str, ...]:
        """What follows about the owner from memories."""
        return (*self.project, *self.preference, *self.identity)

    @property
    def owner(self) -> tuple[str, ...]:
        """All that is said of the owner, in the order in which it is put in."""
        return (*self.profile, *self.unasked)


def assemble(
    hits: Sequence[RankedMemory],
    kind: QueryClass,
    *,
    max_tokens: int = TOKENS_DEFAULT,
    around: Around = Around(),
    flat_characters: int = FLAT_CHARACTERS_MAX,
    names: Mapping[MemoryId, str] = NO_NAMES,
) -> Context:
    """Return the block for these hits, with the lines around them as far as they fit.

    Room goes to what the owner wrote and what is due, up to half of it, the best hit, a share of what follows about the
    owner (LO-23), the other hits, the rest of all that, and summaries, in this order.
    What is due stands among the reminders, whether it is a hit or not.
    A simple question's block is no longer than `flat_characters`, whatever the budget (ML-87).
    A line of a memory that has one of the `names` ends with it.
    A budget that holds nothing gives an empty text.
    """
    if max_tokens < 0:
        raise ValueError(f"expected a budget of 0 tokens or more, got {max_tokens}")

    chosen: list[RankedMemory] = []

    def fits(taken: Sequence[RankedMemory], beside: Around) -> bool:
        text = render(_sections(taken, kind, beside, names))
        inner = len(text) - len(FENCE_OPENS) - len(FENCE_CLOSES)
        return tokens(text) <= max_tokens and (kind is not SINGLE_HOP or inner <= flat_characters)

    def leaves_room(lines: Callable[[Around], Sequence[str]], share: float, beside: Around) -> bool:
        text = "\n".join(lines(beside))
        return (
            fits(chosen, beside)
            and tokens(text) <= share * max_tokens
            and (kind is not SINGLE_HOP or len(text) <= share * flat_characters)
        )

    def line(hit: RankedMemory) -> str:
        return line_of(hit.memory, name=names.get(hit.rid))

    def take(some: Sequence[RankedMemory]) -> None:
        for hit in some:
            if line(hit) not in beside.reminders and fits([*chosen, hit], beside):
                chosen.append(hit)

    written = partial(leaves_room, lambda beside: (*beside.profile, *beside.reminders), WRITTEN_SHARE)
    unasked = partial(leaves_room, lambda beside: beside.unasked, UNASKED_SHARE)
    beside = _widened(Around(), around, _WRITTEN, written)
    take(hits[:1])
    beside = _widened(beside, around, _UNASKED, unasked)
    take(hits[1 : kind.context])
    told = {*map(line, chosen)}
    rest = replace(around, reminders=tuple(line for line in around.reminders if line not in told))
    beside = _widened(beside, rest, (*_WRITTEN, *_UNASKED, "sessions"), partial(fits, chosen))
    sections = _sections(chosen, kind, beside, names)
    text = render(sections)
    due = [hit for hit in hits[: kind.context] if line(hit) in beside.reminders]
    return Context(text, tokens(text), kind.name, sections, tuple(hit.rid for hit in (*chosen, *due)))


def _widened(beside: Around, around: Around, names: Iterable[str], fits: Callable[[Around], bool]) -> Around:
    """Return what stands beside the hits with more of these sorts of line, as many as fit, in their order."""
    for name in names:
        for line in getattr(around, name):
            had = getattr(beside, name)
            wider = tuple(each for each in getattr(around, name) if each == line or each in had)
            if line not in had and fits(changed := replace(beside, **{name: wider})):
                beside = changed
    return beside


def _sections(
    hits: Sequence[RankedMemory], kind: QueryClass, beside: Around, names: Mapping[MemoryId, str]
) -> tuple[Section, ...]:
    if kind is SINGLE_HOP:
        flat = (*beside.owner, *beside.reminders, *_lines(hits, names))
        return (Section("", flat),) if flat else ()
    facts = [hit for hit in hits if hit.memory.fields.get("position") is None]
    turns = [hit for hit in hits if hit.memory.fields.get("position") is not None]
    evidence = [hit for hit in turns if any(found.channel != "near" for found in hit.found)]
    around = [hit for hit in turns if all(found.channel == "near" for found in hit.found)]
    important = [hit for hit in facts if hit.memory.fields.get("importance", 0.0) >= IMPORTANT_MIN]
    others = [hit for hit in facts if hit not in important]
    sections = (
        Section("PROFILE", beside.owner),
        Section("REMINDERS", beside.reminders),
        Section("KEY FACTS", _lines(others, names)),
        Section("TOP EVIDENCE", _lines(evidence, names)),
        Section("RAW CONVERSATION EXCERPTS", _lines(sorted(around, key=_place), names)),
        Section("SESSION CONTEXT", beside.sessions),
        Section("Important Memories", _lines(important, names)),
    )
    return tuple(section for section in sections if section.lines)


def _place(hit: RankedMemory) -> tuple[str, int]:
    fields = hit.memory.fields
    return str(fields.get("conversation", "")), int(fields.get("position", 0))


def _lines(hits: Iterable[RankedMemory], names: Mapping[MemoryId, str]) -> tuple[str, ...]:
    return tuple(
        line_of(hit.memory, often=hit.tellings, name=names.get(hit.rid))
        + (DISPUTED if hit.contradiction is not None else "")
        + _believed(hit.claim)
        for hit in hits
    )


def _believed(answer: Answer | None) -> str:
    """Return what is said behind a line of what was asked for: that it holds and what held before, or what does now."""
    if answer is None or answer.standing == KNOWN_DISPUTED:
        return ""
    told, others = (NO_LONGER, answer.now) if answer.standing == REPLACED else (BELIEVED_NOW, answer.earlier)
    beside = ", ".join(quoted(value.value) for value in others)
    return f"{told} ({'now' if answer.standing == REPLACED else 'before'}: {beside})" if beside else told


def line_of(memory: Memory, *, often: int = 1, name: str | None = None) -> str:
    """Return a memory as one line: who, what, when it was told and when it happens, how often, and how to name it.

    Nothing in it can be taken for more than what was said.
    """
    said = quoted(memory.text, speaker=memory.fields.get("speaker"))
    told_at = memory.fields.get("told_at")
    date = _date(memory.created >> 16 if told_at is None else told_at)
    told = [date] if date else []
    happens = _happening(memory)
    told += [f"when: {happens}"] if happens not in ("", date) else []
    told += [f"told {often} times"] if often > 1 else []
    about = f" ({', '.join(told)})" if told else ""
    return f"- {said}{about}{named(name)}"


def named(name: str | None) -> str:
    """Return what stands behind a line by which a memory can be named, as recall writes it."""
    return "" if name is None else f" [{name}]"


def _happening(memory: Memory) -> str:
    """Return when a memory says that something happens, and how it repeats; empty where it says no such time."""
    start_ms, end_ms = memory.fields.get("event_start"), memory.fields.get("event_end")
    when = "" if start_ms is None else happening(start_ms, end_ms)
    rule = rule_text(memory)
    return f"{when}, {plain(rule_in_words(rule))}" if when and rule else when


def _date(ms: int) -> str:
    try:
        return f"{_EPOCH + timedelta(milliseconds=ms):%Y-%m-%d}"
    except OverflowError:
        return ""


def render(sections: Sequence[Section]) -> str:
    """Return sections as the fenced block; nothing where there are none."""
    if not sections:
        return ""
    blocks = [
        "\n".join([f"## {section.title}", *section.lines] if section.title else section.lines)
        for section in sections
    ]
    return "\n".join([FENCE_OPENS, "\n\n".join(blocks), FENCE_CLOSES])
