"""Make a new group without the ops of a device that turned bad; stop the daemon first."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import some_lines
from samemind.declaring import Agents, Command, Effects, Takes, option
from samemind.errors import Failed, NeedsDecision, Usage
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    import sqlite3

    from replica import Core, DeviceId, MemoryId
    from replica.rebuilding import Carried
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildGroup:
    """Make a new group without the ops of a device that turned bad; stop the daemon first."""

    without: tuple[str, ...] = option(
        "--without",
        "the id or name of a device to leave out, with what it wrote; may be given several times",
        metavar="ID",
        default=(),
    )
    staying: tuple[str, ...] = option(
        "--with",
        "the id or name of a device that stays although one that is left out introduced it",
        metavar="ID",
        default=(),
    )
    since: str | None = option(
        "--since",
        "keep what they wrote before this time, as far as a device that stays had seen it by then",
        takes=Takes.TIME,
    )
    keep: tuple[str, ...] = option(
        "--keep",
        (
            "the id of a memory that only they wrote and that this device is to keep in its own name; "
            "may be given several times"
        ),
        metavar="ID",
        default=(),
    )
    dry_run: bool = option(
        "--dry-run", "change nothing; show what would go and what would stay", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A memory that a rebuilt group does not have, since only devices told it that are left out.

    `edited`: somebody who stays had changed it since.
    """

    rid: str
    text: str
    told_by: str
    edited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What came of a group that was rebuilt, or, after a dry run, what would come of it.

    `stays`: the devices that may move into it. `left_out`: whose ops are not in it, and `known`: those that were in the
    group earlier, whose ops are. `ops` are in it, `ops_left_out` are not. `memories_back`: those that left-out
    devices had forgotten; `memories_left_out`: those that only they had told. `texts_mended`: memories that read as
    those who stay left them, who had edited what a left-out device wrote. `words_lost`: memories that a left-out
    device erased: this device has their words no more. `refused`: why ops were not taken over.
    `before`: where the store is kept that was there.
    """

    dry_run: bool
    stays: list[str]
    left_out: list[str]
    known: list[str] = field(default_factory=list)
    ops: int = 0
    ops_left_out: int = 0
    memories: int = 0
    memories_left_out: list[LeftOut] = field(default_factory=list)
    memories_back: list[str] = field(default_factory=list)
    memories_kept: list[str] = field(default_factory=list)
    texts_mended: list[str] = field(default_factory=list)
    words_lost: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    before: str | None = None


def run(home: "Home", options: RebuildGroup) -> Rebuilt:
    """Rebuild it: with this device as its founder, and the others to move in one by one."""
    from cognition.ingest import local
    from replica import peer_notes
    from replica.rebuilding import authors_of, carry_over, found, holds_of, mend_texts, tell_again
    from replica.replica import wall_clock_ms
    from samemind.commands.group._rebuilding import held_alone
    from samemind.formats.ids import find_memory
    from samemind.formats.times import read_time

    with held_alone(home, "samemind group rebuild") as place:
        with place.open(home.store) as (old, connection):
            stay, bad = _chosen(old, connection, options)
            keep = [find_memory(connection, each) for each in options.keep]
            until_ms = None if options.since is None else read_time(options.since, name="--since")
            reaches = authors_of(old, stay, bad, until_ms=until_ms)
            holds, now_ms = holds_of(reaches), wall_clock_ms()
            with place.open(place.fresh) as (new, target):
                found(old, new, place.identity.sign, reaches, bad, now_ms)
                carried = carry_over(old, new, holds, now_ms)
                if carried.refused:
                    raise Failed(
                        f"some of what is to stay could not be copied: {'; '.join(carried.refused)}",
                        code="not_rebuilt",
                        hint="samemind verify says what is wrong with the store; nothing was changed",
                    )
                mend_texts(old, new, holds, carried, now_ms)
                tell_again(old, new, keep, carried, now_ms)
                local.carry_over(connection, target)
                peer_notes.copy_notes(connection, target, sorted(stay))
                result = _told(old, new, stay, bad, carried, dry_run=options.dry_run)
        if options.dry_run:
            return result
        # Nobody has the old store open any more: some systems move no file that somebody has.
        kept = place.put(home.store)
    return replace(result, before=str(kept))


def _chosen(
    core: "Core", connection: "sqlite3.Connection", options: RebuildGroup
) -> "tuple[set[DeviceId], set[DeviceId]]":
    """Return who stays beside this device, and who is left out with what it wrote."""
    from samemind.formats.ids import find_device

    bad = {find_device(connection, each) for each in options.without}
    staying = {find_device(connection, each) for each in options.staying}
    if not bad and core.device in core.membership.standing:
        raise Usage("expected --without and the device that turned bad, got none", code="invalid")
    if core.device in bad:
        raise NeedsDecision(
            "this device cannot leave itself out",
            code="own_device",
            hint="rebuild from a device that stays",
        )
    if both := bad & staying:
        raise Usage(f"expected either --with or --without for {_names(core, both)}, got both", code="invalid")
    group = core.membership
    doubtful = group.standing - group.without(bad).standing - bad - staying - {core.device}
    if doubtful:
        raise NeedsDecision(
            f"{_names(core, doubtful)} came into the group through a device that is left out",
            code="introduced_by_bad",
            hint="say for each whether it stays (--with) or goes (--without)",
        )
    return {*group.standing, *staying} - bad - {core.device}, bad


def _names(core: "Core", devices: "set[DeviceId] | frozenset[DeviceId]") -> str:
    return ", ".join(ascii(core.membership.members[each].name) for each in sorted(devices))


def _told(
    old: "Core",
    new: "Core",
    stay: "set[DeviceId]",
    bad: "set[DeviceId]",
    carried: "Carried",
    *,
    dry_run: bool,
) -> Rebuilt:
    """Say what came of it, by comparing what shows in both stores."""
    from replica import MemoryId, show_memory_id

    members = old.membership.members
    before, after = old.store.all_memories(), new.store.all_memories()
    gone = sorted(MemoryId(rid) for rid in before - after)
    earlier = members.keys() - stay - bad - {old.device}
    return Rebuilt(
        dry_run=dry_run,
        stays=sorted(members[each].name for each in stay),
        left_out=sorted(members[each].name for each in bad),
        known=sorted(members[each].name for each in earlier),
        ops=carried.ops,
        ops_left_out=carried.dropped,
        memories=len(after),
        memories_left_out=[_left_out(old, rid) for rid in gone],
        memories_back=[show_memory_id(rid) for rid in sorted(after - before)],
        memories_kept=[show_memory_id(rid) for rid in carried.told],
        texts_mended=[show_memory_id(rid) for rid in carried.texts],
        words_lost=[show_memory_id(rid) for rid in carried.erased],
    )


def _left_out(old: "Core", rid: "MemoryId") -> LeftOut:
    from replica import show_memory_id
    from replica.rebuilding import shown_of

    memory = shown_of(old, [rid])[rid]
    teller = old.feeds.origin_of(memory.feed).device
    others = {old.feeds.origin_of(row.feed).device for row in old.store.memory_rows(rid)} - {teller}
    return LeftOut(
        rid=show_memory_id(rid),
        text=memory.text,
        told_by=old.membership.members[teller].name,
        edited=bool(others),
    )


_TEXT_CHARACTERS: Final = 60


def render(document: Document) -> list[str]:
    would = "would be " if document["dry_run"] else ""
    lines = [
        f"{would}left out, with {counted(document['ops_left_out'], 'write')}: {_names_line(document['left_out'])}",
        f"{would}kept: {counted(document['memories'], 'memory', 'memories')}, {counted(document['ops'], 'write')}",
    ]
    if document["known"]:
        lines.append(f"of earlier devices all stays that is here: {_names_line(document['known'])}")
    for key, said in (
        ("memories_back", "back, since only they had forgotten it"),
        ("memories_kept", "kept in this device's name"),
        ("texts_mended", "reads as those left it who stay"),
        ("words_lost", "erased by them: its words are no longer here"),
    ):
        lines += some_lines(document[key], lambda rid, said=said: f"{rid}  {said}")  # type: ignore[misc]
    lines += some_lines(document["memories_left_out"], _left_out_line)
    if document["dry_run"]:
        return [*lines, "nothing was changed"]
    lines.append(f"what was there is kept in {document['before']}; to take it back: samemind restore FILE")
    if document["stays"]:
        lines.append(
            f"next, here: samemind up, then samemind pair for each of {_names_line(document['stays'])}"
        )
        lines.append("and there: samemind down, then samemind group rejoin CODE")
    return lines


def _left_out_line(memory: Document) -> str:
    text = one_line(memory["text"])
    short = text if len(text) <= _TEXT_CHARACTERS else f"{text[: _TEXT_CHARACTERS - 1]}…"
    edited = ", and somebody who stays had changed it" if memory["edited"] else ""
    return f"{memory['rid']}  goes: told by {one_line(memory['told_by'])} alone{edited}: {short}"


def _names_line(names: Sequence[str]) -> str:
    return ", ".join(map(one_line, names)) or "nobody"


COMMAND: Final = Command(
    "group rebuild",
    RebuildGroup,
    Rebuilt,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="needs the store for itself, and the daemon holds it",
    library=None,
    alone=True,
    place=9,
)
