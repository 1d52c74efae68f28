"""Store many memories at once, in batches of 5,000 that are stored whole or not at all."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replica.json_text import parse_json
from samemind.commands.memories._claims import claims_of
from samemind.commands.memories._wordings import wordings_of
from samemind.declaring import Agents, ByHand, Command, Effects, Takes, option
from samemind.errors import SamemindError, Usage
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core, MemoryId
    from samemind.commands.memories._many import BatchLine
    from samemind.device import Device


# The fields that a JSON line may carry beside `text`, under their own names or as `remember` has them.
BATCH_KEYS: Final = "text, type, importance, speaker, session, at, tag, meta, rid, …"
# Half of a letter, which no text can hold; JSON can spell it all the same.
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberMany:
    """Store many memories at once, in batches of 5,000 that are stored whole or not at all."""

    batch: str | None = option(
        "--batch",
        f"JSON lines ({BATCH_KEYS}); - reads standard input",
        takes=Takes.PATH,
        hidden_from=("agents",),
    )
    lines: tuple[str, ...] = option("", "the lines themselves, where there is no file", default=())
    workspace: str | None = option("--workspace", "a space that several agents share")
    wait: bool = option(
        "--wait", "return once all can be found by meaning, too", hidden_from=("agents",), default=False
    )
    no_dedup: bool = option("--no-dedup", "has no effect: what you store is always stored", default=False)
    facts: bool = option("--facts", "store the facts they state as memories of their own, too", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedMany:
    """One rid for each line, in their order: each is a memory of its own; one stored before under its rid stands.

    `held` are those among them that look secret and wait to be released.
    """

    count: int
    rids: list[str]
    held: list[str] = field(default_factory=list)


async def run(device: "Device", options: RememberMany) -> RememberedMany:
    """Store many memories in their order.

    Each commit is atomic, and a bad line anywhere in it keeps all of it out.
    """
    from functools import partial

    import trio

    from cognition import FACTS_MAX
    from replica.limits import COMMIT_OPS_MAX
    from samemind.memory_trim import MANY, give_back
    from samemind.talk import note_talk

    lines: Sequence[str] = options.lines
    if options.batch is not None:
        lines = (await trio.Path(options.batch).read_text(encoding="utf-8")).split("\n")
    wanted = list(_read_lines(lines, options.workspace, device.now_ms()))
    rids: list[str] = []
    held: list[str] = []
    together = COMMIT_OPS_MAX // (1 + FACTS_MAX) if options.facts else COMMIT_OPS_MAX
    for start in range(0, len(wanted), together):
        part = wanted[start : start + together]
        if options.facts:  # in a thread: it takes a millisecond a text
            part = await trio.to_thread.run_sync(_take_apart, part, device.now_ms())
        written, kept = await device.replica.run(partial(_write_many, device, part, options))
        rids, held = rids + written, held + kept
    await note_talk(device, [line.fields for line in wanted])
    if any(line.wordings for line in wanted):
        device.mind.wordings.came()
    if options.wait:
        await device.mind.settle()
        await device.mind.wordings.catch_up()
    if len(rids) >= MANY:
        await give_back(device.replica)
    return RememberedMany(count=len(rids), rids=rids, held=held)


def _read_lines(lines: Iterable[str], workspace: str | None, now_ms: int) -> "Iterable[BatchLine]":
    from cognition import Extraction
    from replica import InvalidOp
    from replica.codec import check_text
    from replica.fields import check_fields
    from samemind.commands.memories._many import BatchLine
    from samemind.formats.fields import read_record

    asked: set[MemoryId] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            if isinstance(record, str):
                record = {"text": record}
            if not isinstance(record, dict) or not isinstance(record.get("text"), str):
                raise Usage("expected an object with a text", code="invalid")
            if "\\u" in line and _HALF.search(json.dumps(record, ensure_ascii=False)):
                raise Usage("expected text, got half of a letter", code="invalid")
            text = record.pop("text")
            rid = _rid(record, asked)
            wordings, claims = (_texts(record, name) for name in ("wordings", "claims"))
            fields = read_record(record)
            other = wordings_of(wordings, text) if wordings else None
            speaker = fields.get("speaker")
            by = speaker if isinstance(speaker, str) else None
            given = claims_of(claims, speaker=by, text=text, now_ms=now_ms) if claims else ()
            check_text(text)
            check_fields(fields)
        except json.JSONDecodeError as error:
            said = (
                f"expected a text or an object in JSON, which this is not from character {error.pos + 1} on"
            )
            raise Usage(f"line {number}: {said}", code="bad_line", hint="nothing was stored") from None
        except (SamemindError, InvalidOp, ValueError) as error:
            raise Usage(f"line {number}: {error}", code="bad_line", hint="nothing was stored") from None
        fields = {"workspace": workspace, **fields} if workspace is not None else fields
        yield BatchLine(text, fields, Extraction(given=given), wordings=other, rid=rid)


def _rid(record: dict[str, object], asked: "set[MemoryId]") -> "MemoryId | None":
    """Return the id that a line asks for, and note it: no other line can have it."""
    from replica import parse_memory_id

    given = record.pop("rid", None)
    if given is None:
        return None
    if not isinstance(given, str):
        raise Usage(f"rid: expected an id, got {given!r:.60}", code="invalid")
    rid = parse_memory_id(given)
    if rid in asked:
        raise Usage(f"rid: expected an id that no line before has, got {given}", code="invalid")
    asked.add(rid)
    return rid


def _texts(record: dict[str, object], name: str) -> list[str]:
    given = record.pop(name, None)
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise Usage(f"{name}: expected a list of texts, got {given!r:.60}", code="invalid")
    return given


def _take_apart(wanted: "list[BatchLine]", now_ms: int) -> "list[BatchLine]":
    """Return the lines with the facts in them; days are those of this machine."""
    from dataclasses import replace

    from cognition import read_text
    from cognition.own_zone import own_zone

    zone = own_zone()
    found = []
    for line in wanted:
        fields, read = read_text(line.text, line.fields, now_ms=now_ms, zone=zone)
        found.append(line._replace(fields=fields, found=replace(read, given=line.found.given)))
    return found


def _write_many(
    device: "Device",
    wanted: "list[BatchLine]",
    options: RememberMany,
    core: "Core",
    connection: "sqlite3.Connection",
) -> tuple[list[str], list[str]]:
    """Commit lines together; return an id for each, and the ids of those that were held back."""
    from cognition import take_in
    from cognition.contradictions.telling import ClaimWriter
    from cognition.ingest.linking import wait_for_links
    from cognition.ingest.plan import stated
    from cognition.wordings.tables import give
    from replica import is_known, new_memory_id, show_memory_id
    from samemind.formats.ids import check_asked_again
    from samemind.held_back import kept_back

    now_ms = device.now_ms()
    teller = ClaimWriter(core, connection, now_ms)
    rids: list[MemoryId] = []
    held: list[MemoryId] = []
    worded: dict[MemoryId, list[str]] = {}
    for text, fields, found, wordings, asked in wanted:
        if asked is not None and is_known(connection, asked):
            check_asked_again(core, asked, text)
            rids.append(asked)
            continue
        rid = asked or new_memory_id(now_ms, device.random)
        kept = kept_back(connection, rid, text, fields, now_ms)
        if kept is not None:
            rid = kept
            held.append(kept)
        else:
            taken = take_in(rid, text, fields, found)
            teller.tell(
                taken.writes, stated(connection, taken, fields, taken.writes, now_ms, newer=device.newer)
            )
            if wordings:
                worded[rid] = wordings
        rids.append(rid)
    teller.commit()
    give(connection, worded)
    wait_for_links(connection, rids)
    return [show_memory_id(rid) for rid in rids], [show_memory_id(rid) for rid in held]


def render(document: Document) -> list[str]:
    return [f"{document['count']} remembered"]


COMMAND: Final = Command(
    "remember-many",
    RememberMany,
    RememberedMany,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel="reads or writes files",
    library=ByHand("remember_many"),
    kept="what came in so far is kept, in whole batches; `samemind list` shows it",
    place=2,
)
