"""Sync with a mailbox now: fetch what is new, write what it lacks."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from samemind.device import Device
    from samemind.errors import SamemindError
    from sync.carrier.visit import Looked


@dataclass(frozen=True, slots=True, kw_only=True)
class LookIntoMailbox:
    """Sync with a mailbox now: fetch what is new, write what it lacks."""

    name: str | None = argument("its name; without it, all", metavar="NAME", optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxLooked:
    """What looking came to: files read and taken, ops that were new, files written and removed.

    `no_room`: why a file was left there that this device's disk has no room for.
    """

    name: str
    files: int
    bytes: int
    fetched: int
    taken: int
    ops: int
    wrote: int
    removed: int
    refused: list[str] = field(default_factory=list)
    no_room: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesLooked:
    """What was looked into."""

    mailboxes: list[MailboxLooked]


async def run(device: "Device", options: LookIntoMailbox) -> MailboxesLooked:
    """Look now, through the daemon's connections or through ones that are made for it.

    All are looked into at once, as a daemon does: no mailbox waits for one that is slow, or that fails.
    """
    import outcome
    import trio

    from samemind.commands.mailbox._looking import look_into
    from samemind.home.mailboxes import SavedMailbox, mailbox_named, read_mailboxes, told_of
    from sync.errors import MailboxError

    home, name = device.home, options.name
    wanted = read_mailboxes(home) if name is None else [mailbox_named(home, name)]
    looks: dict[str, outcome.Outcome[Looked]] = {}

    async def look(settled: SavedMailbox) -> None:
        looks[settled.name] = await outcome.acapture(look_into, device, settled)

    async with trio.open_nursery() as nursery:
        for settled in wanted:
            nursery.start_soon(look, settled)
    done, failed = [], {}
    for settled in wanted:
        try:
            done.append(_looked_view(settled.name, looks[settled.name].unwrap()))
        except MailboxError as error:
            failed[settled.name] = told_of(settled, error)
    if failed:
        raise _all_told(failed)
    return MailboxesLooked(mailboxes=done)


def _all_told(failed: "Mapping[str, SamemindError]") -> "SamemindError":
    """Return one error that tells of all mailboxes that failed, as the first does."""
    first, *others = failed.values()
    if not others:
        return first
    hint = "; ".join(f"{name}: {each.hint}" for name, each in failed.items() if each.hint)
    said = "; ".join(each.message for each in failed.values())
    return type(first)(said, code=first.code, hint=hint)


def _looked_view(name: str, looked: "Looked") -> MailboxLooked:
    no_room = looked.most_missing
    return MailboxLooked(
        name=name,
        files=looked.files,
        bytes=looked.size,
        fetched=looked.fetched,
        taken=looked.taken,
        ops=looked.ops,
        wrote=len(looked.wrote),
        removed=len(looked.removed),
        refused=list(dict.fromkeys(looked.refused)),
        no_room=None if no_room is None else f"{no_room}; {no_room.fix}",
    )


def render(document: Document) -> list[str]:
    lines = []
    for each in document["mailboxes"]:
        name = f"mailbox {one_line(each['name'])}"
        lines.append(
            f"{name}: {counted(each['taken'], 'file')} taken with {counted(each['ops'], 'op')}, "
            f"{each['wrote']} written, {each['removed']} removed"
        )
        if each["no_room"] is not None:
            lines.append(f"{name}: {one_line(each['no_room'])}")
    return lines or ["no mailbox: samemind mailbox add"]


COMMAND: Final = Command(
    "mailbox look",
    LookIntoMailbox,
    MailboxesLooked,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=Method(
        "look_into_mailboxes",
        "Sync with a mailbox now, or with all: fetch what is new, write what is lacking.",
    ),
    place=4,
)
