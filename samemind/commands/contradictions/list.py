"""List contradictions (statements that cannot all be true), open ones first."""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ID_DIGITS, ContradictionView, status_words, subject
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, option
from samemind.formats.options import TIME
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    import sqlite3

    from samemind.commands.contradictions._work import Record
    from samemind.device import Device


LIST_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListContradictions:
    """List contradictions (statements that cannot all be true), open ones first."""

    status: str | None = option("--status", "only these", choices=("open", "settled"))
    attention: str | None = option(
        "--attention",
        "only these: asked about, mentioned beside what is recalled, or only listed",
        choices=("ask", "mention", "quiet"),
    )
    workspace: str | None = option("--workspace", "only those of this space")
    as_of: str | None = option("--as-of", f"as they were then: {TIME}", takes=Takes.TIME)
    limit: int = option(
        "--limit", "at most this many", default=50, metavar="N", short="-n", least=0, most=LIST_MAX
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradictions:
    """Contradictions: the open ones first, the worst and latest before the others. Iterating gives them."""

    contradictions: list[ContradictionView]
    total: int
    unread: int = 0
    """How many imported texts nobody has read yet: what they contradict is not found before."""

    def __iter__(self) -> Iterator[ContradictionView]:
        return iter(self.contradictions)

    def __len__(self) -> int:
        return len(self.contradictions)

    def __getitem__(self, index: int) -> ContradictionView:
        return self.contradictions[index]


async def run(device: "Device", options: ListContradictions) -> Contradictions:
    """List them: the open ones first, and of these the worst, and of these the latest."""
    from cognition.contradictions.relations import attention_of
    from cognition.contradictions.snoozing import snoozed
    from cognition.contradictions.values import folded
    from replica.reads.devices import device_names
    from samemind.commands.contradictions._work import Record, end_of, judged_then, view_of

    until_ms = end_of(options.as_of, device.now_ms())

    def read(connection: "sqlite3.Connection") -> Contradictions:
        rows = connection.execute(
            "SELECT slot, workspace, entity, relation, status, raised FROM contradiction"
        )
        found = []
        for *named, status, raised in rows.fetchall():
            record = Record(*named)
            if options.attention not in (None, attention_of(record.relation).value):
                continue
            if options.workspace is not None and folded(record.workspace or "") != folded(options.workspace):
                continue
            judged = None
            if until_ms is not None:  # how it stood, and so whether it is among the first, is in no table
                judged = judged_then(connection, record, until_ms)
                if judged.status is None:
                    continue
                status, raised = judged.status.value, judged.raised
            if options.status in (None, status):
                found.append((_rank(record, status, raised), record, judged))
        found.sort(key=itemgetter(0))
        names, later = device_names(connection), snoozed(connection, device.now_ms())
        return Contradictions(
            contradictions=[
                view_of(connection, record, judged or judged_then(connection, record, until_ms), names, later)
                for _, record, judged in found[: options.limit]
            ],
            total=len(found),
            unread=device.mind.ingest.brought,
        )

    return await device.replica.read(read)


def _rank(record: "Record", status: str, raised: int) -> tuple[bool, int, int, int, bytes]:
    from cognition.contradictions.relations import SEVERITIES, attention_of, relation_of
    from cognition.contradictions.slots import ContradictionStatus
    from samemind.commands.contradictions._work import NOTICED, ORDER

    severity = SEVERITIES[relation_of(record.relation).kind]
    attention = NOTICED.index(attention_of(record.relation))
    settled = status != ContradictionStatus.OPEN.value
    return settled, attention, ORDER.index(severity), -raised, record.slot


def render(document: Document) -> list[str]:
    """Return a list of them, a line each."""
    lines = [_line(each) for each in document["contradictions"]]
    left = document["total"] - len(lines)
    if left > 0 and lines:
        lines.append(f"and {left} more")
    if document["unread"]:
        texts = counted(document["unread"], "imported text is", "imported texts are")
        lines.append(f"{texts} still to be read: `samemind queue wait`, then ask again")
    return lines or ["nothing contradicts itself"]


def _line(each: Document) -> str:
    values = " or ".join(one_line(side["value"]) for side in (each["a"], each["b"], *each["others"]))
    return (
        f"{each['id'][:ID_DIGITS]}  {each['severity']:<6} "
        f"{subject(each['entity'], each['relation'])}{values}  ({status_words(each)})"
    )


COMMAND: Final = Command(
    "contradictions list",
    ListContradictions,
    Contradictions,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=CoreTool(
        place=7,
        name="contradictions",
        title="Contradictions",
        description=("List what cannot all be true, the worst first. Ask the user before settling one."),
        offered=(
            "status",
            "limit",
        ),
    ),
    panel=True,
    library=Method("contradictions"),
    workspace=Workspace.PUT,
    rows="contradictions",
    place=1,
    short=True,
    daily=True,
)
