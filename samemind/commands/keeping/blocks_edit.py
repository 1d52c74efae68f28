"""Write a block; edits made elsewhere at the same time are merged."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import BlockView
from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.errors import NotFound, Usage
from samemind.formats.printable import safe
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class EditBlock:
    """Write a block; edits made elsewhere at the same time are merged."""

    label: str = argument("its label; a new one makes a block", metavar="LABEL")
    text: str = argument("the new text; - reads it from standard input", metavar="TEXT")


async def run(device: "Device", options: EditBlock) -> BlockView:
    """Write a block; the first to write it makes it, with a text that every device would make it with."""
    from cognition.profile import owner as known
    from replica import Remember, Write, show_memory_id
    from replica.codec import check_text
    from replica.reads.ids import is_forgotten
    from replica.reads.texts import text_of
    from samemind.commands.keeping._profile import checked_label, find_block
    from samemind.refusing import refuse_secret

    label = checked_label(options.label)
    rid = known.block_id(label)
    if not options.text.strip():
        raise Usage(
            "expected the text of the block, got none",
            code="invalid",
            hint=f"to take it out of every prompt, and keep it: samemind archive {show_memory_id(rid)}",
        )
    check_text(options.text)

    def write(core: "Core", connection: "sqlite3.Connection") -> BlockView:
        now_ms = device.now_ms()
        if is_forgotten(connection, rid):
            raise NotFound(
                f"the block {label!r} was forgotten, for good", code="forgotten", hint="choose another label"
            )
        before = text_of(connection, rid)
        refuse_secret(f"{label}: {options.text}", known=[] if before is None else [label, before])
        if before is None:
            core.commit([Write(Remember(known.first_text(label), {"block": label}), rid)], now_ms)
        if text_of(connection, rid) != options.text:
            core.commit(core.edits_of(rid, options.text), now_ms)
        return find_block(connection, label)

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    return [safe(document["text"])]


COMMAND: Final = Command(
    "blocks edit",
    EditBlock,
    BlockView,
    run=run,
    render=render,
    place=14,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "edit_block", "Write a block, or create it; edits made elsewhere at the same time are merged."
    ),
    idempotent=True,
)
