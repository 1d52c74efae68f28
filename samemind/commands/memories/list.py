"""List memories, newest first."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.declaring import Agents, Command, Effects, Method, Workspace, option
from samemind.errors import Usage
from samemind.formats.memory_view import Listed
from samemind.formats.options import FilterOptions
from samemind.formats.rendering import Document, none_listed, titled

if TYPE_CHECKING:
    import sqlite3

    from samemind.device import Device


# Nobody reads more in one go; `--offset` goes on from there.
LIST_MAX: Final = 100_000
_MERGED: Final = "  (edited on several devices at once: `samemind get` shows what they wrote)"


@dataclass(frozen=True, slots=True, kw_only=True)
class List(FilterOptions):
    """List memories, newest first."""

    fading: bool = option("--fading", "those about to fade away, faintest first", default=False)
    each: bool = option("--each", "list each memory, also where several say the same", default=False)
    limit: int = option(
        "--limit", "at most this many", default=50, metavar="N", short="-n", least=0, most=LIST_MAX
    )
    offset: int = option("--offset", "skip this many", default=0, metavar="N", least=0)


async def run(device: "Device", options: List) -> Listed:
    """List memories, newest first."""
    from replica.collector import collector_paused
    from samemind.commands.memories._standing import each_page, fading_page, list_page, put_away
    from samemind.formats.filtering import kept
    from samemind.moments import begins_after, moment_of, nothing_told, read_at

    filters, now_ms = kept(options), moment_of(device, options.as_of)
    if options.fading and options.each:
        raise Usage("expected --fading or --each, got both", code="invalid")
    page = fading_page if options.fading else each_page if options.each else list_page

    def read(connection: "sqlite3.Connection") -> Listed:
        with collector_paused():  # of a thousand memories nothing goes again before all are there
            return page(
                connection,
                filters,
                limit=options.limit,
                offset=options.offset,
                now_ms=now_ms,
                profile=device.profile,
            )

    listed = await read_at(device, options.as_of, options.seen_by, read)
    if listed.total:
        return listed
    return replace(
        listed,
        begins=await begins_after(device, options.as_of),
        put_away=await put_away(device, options, filters),
        empty=await device.replica.read(nothing_told),
    )


def render(document: Document) -> list[str]:
    lines = [
        f"{memory['rid']}  {titled(memory)}{_MERGED if memory.get('variants') else ''}"
        for memory in document["memories"]
    ]
    left = document["total"] - len(lines)
    return (
        [*lines, f"and {left} more: -n {document['total']} shows all"]
        if lines and left > 0
        else lines or none_listed(document)
    )


COMMAND: Final = Command(
    "list",
    List,
    Listed,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "list",
        (
            "List memories, newest first; or, `fading`, those that are about to be forgotten, the "
            "faintest first."
        ),
    ),
    workspace=Workspace.FILTERED,
    opens_mind=False,
    rows="memories",
    place=5,
    elsewhere=("ls",),
    daily=True,
)
