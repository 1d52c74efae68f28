"""Bring memories in, in batches, each of which is committed whole or not at all.

What is here already, or was forgotten here, is passed over: that is decided in the same call as the commit, so two
imports at once add nothing twice.
"""

import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final

import replica
from cognition import TakenIn, read_text, take_in
from cognition.contradictions.telling import ClaimWriter
from cognition.ingest.holding import texts_of
from cognition.ingest.linking import wait_for_links
from cognition.ingest.plan import stated
from replica import (
    Core,
    InvalidOp,
    MemoryId,
    Write,
    edge_weight,
    is_known,
    memories_called,
    read_settings,
)
from replica.codec import SALT_BYTES, check_text, encode_payload
from replica.fields import check_fields
from replica.labelling import within_an_add
from replica.reads.ids import is_forgotten, known_among
from samemind.commands.portable._claim_lines import BATCH as CLAIMS_BATCH
from samemind.commands.portable._claim_lines import ClaimsIn
from samemind.commands.portable._parts import FailedLine, Imported
from samemind.device import Device
from samemind.errors import Failed, SamemindError
from samemind.formats.op_ranges import Written, show_ranges
from samemind.held_back import edge_said, kept_back, line_kept_back, new_secrets
from samemind.portable.files import read_path
from samemind.portable.records import (
    Beside,
    Claimed,
    Edge,
    Item,
    JudgedClaims,
    Linked,
    Reads,
    Setting,
    Storable,
    Unreadable,
    in_characters,
)
from samemind.portable.texts import Source

# A commit holds up other writers while it is made: 2,000 take some 50 ms.
BATCH: Final = 2_000
# Of long texts fewer, as all of a page are held at once, several times over: 180 MB of them took 800 MB, and take 260.
# With a quarter of this they take 190, and full text files them half as slowly again.
PAGE_CHARACTERS: Final = 16_000_000
# Enough of a device's id to tell it from any other of its group.
DEVICE_DIGITS: Final = 12
# Reasons beyond these help nobody.
FAILURES_MAX: Final = 1_000


def outcome(
    counts: Counter[str],
    failed: list[FailedLine],
    *,
    unread: int = 0,
    undo: str | None = None,
    dry_run: bool = False,
) -> Imported:
    return Imported(
        imported=counts["imported"],
        skipped=counts["skipped"],
        relations=counts["relations"],
        forgotten=counts["forgotten"],
        facts=counts["facts"],
        held=counts["held"],
        failed=failed,
        unread=unread,
        undo=undo,
        dry_run=dry_run,
    )


def undo_command(device: Device, written: Written) -> str:
    """Return the command that takes back what was written here, whoever wrote meanwhile and whatever the clock was."""
    words = ["samemind", "retract", "--device", device.device_id.hex()[:DEVICE_DIGITS]]
    words += ["--ops", show_ranges(written.ranges)]
    home = device.home  # named always: whoever runs it may have another default
    words += ["--home", str(home.store if home.prefix else home.folder)]
    return shlex.join(words)


@contextmanager
def telling_what_came_in(device: Device, counts: Counter[str], written: Written) -> Iterator[None]:
    """Say of a store that cannot be written any more what it took before: each batch is stored for itself."""
    try:
        yield
    except replica.StoreFailed as error:
        if not written.ranges:
            raise
        raise Failed(
            f"{counts['imported']} came in and are kept, then the store could not be written "
            f"({error.__cause__ or error})",
            code="store_failed",
            hint="make room on the disk, then import the same files again to go on; "
            f"to take back what came in: {undo_command(device, written)}",
        ) from error


@dataclass(slots=True)
class Survey:
    """What has to be known of files before anything of them is taken."""

    total: int = 0
    parents: set[object] = field(default_factory=set)
    """The memories that say more in these files than their words."""
    claims: list[Claimed] = field(default_factory=list)
    """They come after all that they are of; few memories have any."""
    judged: list[JudgedClaims] = field(default_factory=list)
    """Likewise, after the claims."""
    links: list[Linked] = field(default_factory=list)
    """Likewise."""


def survey_files(paths: Sequence[Source], format: str) -> Survey:
    survey = Survey()
    for record in chain.from_iterable(read_path(path, format) for path in paths):
        if isinstance(record, Claimed):
            survey.claims.append(record)
            survey.parents.add(record.rid)
            continue
        if isinstance(record, JudgedClaims):
            survey.judged.append(record)
            continue
        if isinstance(record, Linked):
            survey.links.append(record)
            continue
        survey.total += 1
        if isinstance(record, Item) and "parent" in record.fields:
            survey.parents.add(record.fields["parent"])
    return survey


Found = tuple[str, Storable | Unreadable]
"""What a file holds, behind the words that name the file where there are several."""


def records_of(paths: Sequence[Source], format: str) -> Iterator[Found]:
    for path in paths:
        named = "" if len(paths) == 1 else f"{path if isinstance(path, Path) else path.name}: "
        for record in read_path(path, format):
            if isinstance(record, Item) or not isinstance(record, Beside):  # the union takes its time
                yield named, record


def next_page(records: Iterator[Found], size: int, workspace: str | None) -> list[Found]:
    page: list[Found] = []
    characters = 0
    for found in islice(records, size):
        page.append(found)
        characters += len(found[1].text) if isinstance(found[1], Item) else 0
        if characters >= PAGE_CHARACTERS:
            break
    return page if workspace is None else [(named, _into(workspace, record)) for named, record in page]


async def bring_claims(
    device: Device, claims: Sequence[Claimed], judged: Sequence[JudgedClaims], written: Written
) -> int:
    """Claim on the memories that are here now what came along with them, and say what was decided and said about it.

    Returns how many are held.
    """
    coming = ClaimsIn()

    def write(part: Sequence[Claimed], core: Core, connection: sqlite3.Connection) -> None:
        coming.write(core, connection, part, device.now_ms())

    for start in range(0, len(claims), CLAIMS_BATCH):
        await device.replica.run(written.noting(partial(write, claims[start : start + CLAIMS_BATCH])))
    if claims:
        await device.replica.run(written.noting(lambda core, _: coming.decide(core, claims, device.now_ms())))
        await device.replica.run(written.noting(lambda core, _: coming.judge(core, judged, device.now_ms())))
    return coming.held


def new_links(links: Iterable[Linked], connection: sqlite3.Connection) -> list[Linked]:
    """Return the links that name a memory which is not here yet: between others somebody may have withdrawn one."""
    return [link for link in links if not all(is_known(connection, rid) for rid in link.rids)]


def write_links(device: Device, links: Iterable[Linked], core: Core, connection: sqlite3.Connection) -> None:
    """Link what was brought in now as it was linked where it comes from."""
    here = [link for link in links if len([*memories_called(connection, link.rids)]) == len({*link.rids})]
    core.commit([Write(replica.SaysSame(link.rids, link.sureness)) for link in here], device.now_ms())


def _into(workspace: str, record: Storable | Unreadable) -> Storable | Unreadable:
    return (
        replace(record, fields={"workspace": workspace, **record.fields})
        if isinstance(record, Item)
        else record
    )


def sift(
    records: Iterable[Found],
) -> tuple[list[Storable], list[FailedLine]]:
    """Part what can be stored from what cannot, so that one bad line does not keep its batch out."""
    good: list[Storable] = []
    bad: list[FailedLine] = []
    for named, record in records:
        if isinstance(record, Unreadable):
            bad.append(FailedLine(line=record.line, reason=f"{named}{record.reason}"))
            continue
        try:
            if isinstance(record, Item):
                record = in_characters(record)
                check_text(record.text)
                fields, beyond = within_an_add(record.fields, record.rid)
                check_fields(fields, by_any=record.by_any)
                for each in beyond:
                    encode_payload(bytes(SALT_BYTES), each.body)
                if record.accesses != (0, 0):
                    encode_payload(bytes(SALT_BYTES), replica.Access(((record.rid, *record.accesses),)))
                record = replace(record, fields=fields, beyond=tuple(beyond)) if beyond else record
            elif isinstance(record, Edge):
                encode_payload(bytes(SALT_BYTES), _relate(record))  # refuses what no op may say
            else:
                encode_payload(bytes(SALT_BYTES), replica.Set(record.name, record.value))
            good.append(record)
        except (InvalidOp, SamemindError, UnicodeEncodeError) as error:
            bad.append(FailedLine(line=record.line, reason=f"{named}{error}"))
    return good, bad


def _relate(edge: Edge) -> replica.Relate:
    return replica.Relate(edge.source, edge.relation, edge.target, edge.weight)


def take_apart(records: list[Storable], parents: Set[object], now_ms: int) -> dict[MemoryId, TakenIn]:
    """Return what to write for each item, its facts included; days are UTC's, so that every device finds the same.

    A fact is not taken apart again, nor is a memory whose facts come along with it.
    """
    taken = {}
    for record in records:
        if isinstance(record, Item) and _may_read(record, parents) and record.reads is not Reads.NO:
            fields, found = read_text(record.text, record.fields, now_ms=now_ms, among=record.among)
            taken[record.rid] = take_in(record.rid, record.text, fields, found)
    return taken


def to_be_read(records: list[Storable], parents: Set[object]) -> dict[MemoryId, str | None]:
    """Return which items are to be read behind their commit, with the circle of their people."""
    return {
        record.rid: record.among
        for record in records
        if isinstance(record, Item) and _may_read(record, parents) and record.reads is Reads.YES
    }


def _may_read(item: Item, parents: Set[object]) -> bool:
    return "parent" not in item.fields and item.rid not in parents


def write_page(
    device: Device,
    records: list[Storable],
    taken: Mapping[MemoryId, TakenIn],
    unread: Mapping[MemoryId, str | None],
    held: set[object],
    core: Core,
    connection: sqlite3.Connection,
) -> Counter[str]:
    """Commit what is new of a batch, to be read later where it is `unread`; return how many `Imported` has of each.

    A link that a text holds counts with it. `held` names what was held of earlier batches, and comes to name what is of
    this one: all else of them is in the store.
    """
    now_ms = device.now_ms()
    teller = ClaimWriter(core, connection, now_ms)
    counts: Counter[str] = Counter()
    accesses: list[tuple[replica.MemoryId, int, int]] = []
    seen = set[object]()
    for record in records:
        name = _name_of(record)
        again = name in seen or name in held
        if isinstance(record, Edge):
            if record.said_in is not None and is_forgotten(connection, record.said_in):
                continue  # it was taken back with the words that it is from
            said = edge_said(record.source, record.relation, record.target)
            if again or _has_edge(connection, record):  # with its weight; the file's may be older
                counts["skipped"] += record.said_in is None
            elif line_kept_back(connection, said, now_ms):
                counts["held"] += 1
                held.add(name)
            else:
                counts["imported"] += record.said_in is None
                counts["relations"] += record.said_in is None
                teller.tell([Write(_relate(record))])
        elif isinstance(record, Setting):
            # What this device has set stays: a file may be older.
            if again or "" in read_settings(connection, record.name):
                counts["skipped"] += 1
            elif line_kept_back(connection, _setting_said(record), now_ms):
                counts["held"] += 1
                held.add(name)
            else:
                counts["imported"] += 1
                teller.tell([Write(replica.Set(record.name, record.value))])
        elif again or is_known(connection, record.rid):
            counts["skipped"] += 1
            counts["forgotten"] += is_forgotten(connection, record.rid)
        elif kept_back(connection, record.rid, record.text, record.fields, device.now_ms()) is not None:
            counts["held"] += 1
            held.add(name)
        else:
            alone = TakenIn((Write(replica.Remember(record.text, record.fields), record.rid),), (), 0)
            each = taken.get(record.rid, alone)
            writes = _new_of(each, record, connection)
            counts.update(imported=1, facts=len(writes) - 1)
            teller.tell(writes, stated(connection, each, record.fields, writes, now_ms, newer=device.newer))
            if record.beyond:
                teller.tell(record.beyond)
            if record.accesses != (0, 0):
                accesses.append((record.rid, *record.accesses))
        seen.add(name)
    if accesses:
        teller.tell([Write(replica.Access(tuple(sorted(accesses))))])
    with device.mind.ingest.bringing(unread) if unread else nullcontext():
        ops = teller.commit()
    told = [op.rid for op in ops if op.kind == replica.OpKind.REMEMBER and op.rid is not None]
    wait_for_links(connection, told)
    return counts


def _new_of(taken: TakenIn, record: Item, connection: sqlite3.Connection) -> list[Write]:
    """Return what to write for an item, without facts that are here already."""
    own, *beside = taken.writes
    new = (fact for fact in beside if fact.rid is not None and not is_known(connection, fact.rid))
    return [own._replace(by_any=record.by_any), *new]


def would_write(
    records: Sequence[Storable], seen: set[object], connection: sqlite3.Connection
) -> Counter[str]:
    """Return how many `write_page` would count of each; write nothing. `seen` names what earlier batches held."""
    counts: Counter[str] = Counter()
    rids = [record.rid for record in records if isinstance(record, Item)]
    here = known_among(connection, rids)
    for record in records:
        fields: Mapping[str, replica.Value] = {}
        name = _name_of(record)
        if isinstance(record, Item):  # first: nearly all are
            known = name in seen or record.rid in here
            said, fields = record.text, record.fields
        elif isinstance(record, Edge):
            if record.said_in is not None and is_forgotten(connection, record.said_in):
                continue
            known = name in seen or _has_edge(connection, record)
            said = edge_said(record.source, record.relation, record.target)
        else:
            known = name in seen or "" in read_settings(connection, record.name)
            said = _setting_said(record)
        seen.add(name)
        what = "skipped" if known else "held" if new_secrets(connection, said, fields) else "imported"
        if isinstance(record, Edge):
            if record.said_in is not None and what != "held":
                continue  # it counts with the text that it is from
            counts["relations"] += what == "imported"
        counts[what] += 1
    counts["forgotten"] = sum(here.get(rid, False) for rid in rids) if here else 0
    return counts


def _name_of(record: Storable) -> object:
    """Return what a file says once: what names it again is passed over."""
    if isinstance(record, Item):
        return record.rid
    return (record.source, record.relation, record.target) if isinstance(record, Edge) else record.name


def _setting_said(setting: Setting) -> str:
    return f"{setting.name}: {'; '.join(texts_of({setting.name: setting.value}))}"


def _has_edge(connection: sqlite3.Connection, edge: Edge) -> bool:
    return edge_weight(connection, edge.source, edge.relation, edge.target) is not None
