"""Sync with a mailbox now: fetch what is new, write what it lacks."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    from samemind.device import Device
    from sync.carrier.visit import Looked


@dataclass(frozen=True, slots=True, kw_only=True)
class LookIntoMailbox:
    """Sync with a mailbox now: fetch what is new, write what it lacks."""

    name: str | None = argument("its name; without it, all", metavar="NAME", optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxLooked:
    """What looking came to: files read and taken, ops that were new, files written and removed."""

    name: str
    files: int
    bytes: int
    fetched: int
    taken: int
    ops: int
    wrote: int
    removed: int
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesLooked:
    """What was looked into."""

    mailboxes: list[MailboxLooked]


async def run(device: "Device", options: LookIntoMailbox) -> MailboxesLooked:
    """Look now, through the daemon's connections or through ones that are made for it.

    One that fails is told once all were looked into: no mailbox waits for another to be mended.
    """
    from samemind.commands.mailbox._looking import look_into
    from samemind.home.mailboxes import mailbox_named, read_mailboxes, told_of
    from sync.errors import MailboxError

    home, name = device.home, options.name
    wanted = read_mailboxes(home) if name is None else [mailbox_named(home, name)]
    done, failed = [], []
    for settled in wanted:
        try:
            done.append(_looked_view(settled.name, await look_into(device, settled)))
        except MailboxError as error:
            failed.append(told_of(settled, error))
    if failed:
        first, said = failed[0], "; ".join(each.message for each in failed)
        raise type(first)(said, code=first.code, hint=first.hint)
    return MailboxesLooked(mailboxes=done)


def _looked_view(name: str, looked: "Looked") -> MailboxLooked:
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
    )


def render(document: Document) -> list[str]:
    return [
        f"mailbox {one_line(each['name'])}: {counted(each['taken'], 'file')} taken with {counted(each['ops'], 'op')}, "
        f"{each['wrote']} written, {each['removed']} removed"
        for each in document["mailboxes"]
    ] or ["no mailbox: samemind mailbox add"]


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
