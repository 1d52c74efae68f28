"""Keep contradictions in step with the claims, inside the transaction that folds them.

The replica shows claims in its table `claim`; here each is filed under the slot that its names say (`own`) and under
the one that stands for all that are one with that (`slot`: that of the oldest claim), and each of these with two values
or more has its record. A batch judges only the slots that it touches, so that finding contradictions costs in
proportion to what is new, on the device that wrote a claim and on every other alike. All of it follows from ops, and
can be made anew at any time.

`claim_retired` holds memories that say nothing but what no longer holds: recall leaves them out, as it does archived
ones. A memory that says more, or that tells of a change as it happened, stays.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from cognition.versions import made_anew
from replica import FollowingTables, RowChange, new_and_others, read_claims, read_settings, transaction
from replica.derived import INDEX_OF_RELATIONS, INDEX_OF_RESOLUTIONS, on_judged, on_judged_no_more
from replica.reads.claims import (
    ClaimNames,
    claim_names,
    claiming_about,
    claiming_among,
    claiming_between,
    entities_named,
    numbers_claiming,
)
from replica.reads.ids import follow_one_another
from replica.reads.log import origins_of
from replica.reads.memories import EACH
from replica.reads.texts import LastEdit, last_edits, text_at

# What judges is loaded by the functions that judge: a store is opened, and listed, without it.
if TYPE_CHECKING:
    from cognition.contradictions.judgments import Neighbourhood
    from cognition.contradictions.selves import Selves
    from cognition.contradictions.slots import ClaimStatus, Judged, LiveClaim
    from replica import ShownClaim

    Standings = Mapping[bytes, ClaimStatus]

# The entries of the profile that say by what names the owner is called.
NAME: Final = "profile.name"
ALIASES: Final = "profile.aliases"
# What one device claims in one slot, or of one memory, beyond the newest of these does not count, so that no member can
# make every change there take seconds. In one slot, somebody's tastes of a lifetime may stand, from one import.
IN_SLOT_PER_DEVICE_MAX: Final = 4_096
# Ten are read out of a text; a person adds some.
OF_MEMORY_PER_DEVICE_MAX: Final = 512
# Raise it when a table, or what a slot comes to, changes.
CLAIMS_VERSION: Final = 13

_CREATE: Final = (
    """CREATE TABLE claim_slot (
        slot BLOB NOT NULL, id INTEGER NOT NULL, claim BLOB NOT NULL, own BLOB NOT NULL, PRIMARY KEY (slot, id, claim)
    ) WITHOUT ROWID""",
    "CREATE INDEX claim_slot_by_memory ON claim_slot (id)",
    "CREATE INDEX claim_slot_by_names ON claim_slot (own)",
    """CREATE TABLE contradiction (
        slot BLOB PRIMARY KEY,
        workspace TEXT,
        entity TEXT NOT NULL,
        relation TEXT NOT NULL,
        status TEXT NOT NULL,
        settled_by TEXT,
        raised INTEGER NOT NULL,
        told INTEGER NOT NULL,
        attention TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX contradiction_by_status ON contradiction (status, raised)",
    "CREATE INDEX contradiction_not_told ON contradiction (told) WHERE told = 0",
    "CREATE TABLE claim_retired (id INTEGER PRIMARY KEY)",
    # What nobody compared yet with what was told before it: see `cognition.judging.noticing`.
    "CREATE TABLE claim_unread (id INTEGER PRIMARY KEY)",
    # By what names the owner is called, as far as claims were filed by them (`selves`).
    "CREATE TABLE claim_own (name TEXT PRIMARY KEY) WITHOUT ROWID",
    # Of a judgment the two slots, in both directions, with the memories on whose claims it was given.
    """CREATE TABLE slot_judgment (
        slot BLOB NOT NULL, against BLOB NOT NULL, judgment BLOB NOT NULL,
        id INTEGER NOT NULL, other INTEGER NOT NULL, by INTEGER NOT NULL, hlc INTEGER NOT NULL, op BLOB NOT NULL,
        same INTEGER NOT NULL, sureness INTEGER NOT NULL, device BLOB NOT NULL,
        PRIMARY KEY (slot, against, judgment)
    ) WITHOUT ROWID""",
    "CREATE INDEX slot_judgment_by_device ON slot_judgment (slot, device, hlc, op)",
    "CREATE INDEX slot_judgment_by_name ON slot_judgment (judgment)",
    "CREATE INDEX slot_judgment_by_memory ON slot_judgment (id)",
    "CREATE INDEX slot_judgment_by_other ON slot_judgment (other)",
    "CREATE TABLE judgment_due (judgment BLOB PRIMARY KEY) WITHOUT ROWID",
    on_judged("slot_judged", "INSERT OR IGNORE INTO judgment_due VALUES (new.judgment)"),
    on_judged_no_more("slot_judged_no_more", "INSERT OR IGNORE INTO judgment_due VALUES (old.judgment)"),
)
# Those on the replica's table stay when our tables go.
_DROP_TRIGGERS: Final = (
    "DROP TRIGGER IF EXISTS slot_judged",
    "DROP TRIGGER IF EXISTS slot_judged_no_more",
)
_TABLES: Final = (
    "claim_slot",
    "contradiction",
    "claim_retired",
    "claim_unread",
    "claim_own",
    "slot_judgment",
    "judgment_due",
)
# SQLite takes more; one size keeps the statement cached.
_IDS_MAX: Final = 500
# Rows beyond one such statement are found by a range, where they have no gap.
_RANGE_MIN: Final = _IDS_MAX + 1
# A third of the cost of a statement a row, where many new memories follow one another, as they do.
_NEW_RANGE_MIN: Final = 4


class ClaimTables(FollowingTables):
    """A `replica.DerivedTables`: one record for each slot whose claims have more than one value."""

    def __init__(self, *, reads: bool = True) -> None:
        """Without `reads` nothing is queued of what is there when the tables are made: nobody compares it."""
        self._reads = reads

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if another version left them."""
        with transaction(connection):
            create = (*_DROP_TRIGGERS, *_CREATE)
            if made_anew(connection, "claim_version", CLAIMS_VERSION, tables=_TABLES, create=create):
                _name(connection)
                _follow(connection, numbers_claiming(connection))
                if self._reads:
                    connection.execute(
                        "INSERT INTO claim_unread SELECT id FROM shown_memory WHERE parent IS NULL"
                    )
            # A question for one thing looks its slot up by the relation, and by whom it is about.
            connection.execute(INDEX_OF_RELATIONS)
            connection.execute(INDEX_OF_RESOLUTIONS)

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: SQLite overwrites the rows that `changed` deletes, and nothing else holds words."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch: judge every slot that a claim of these memories is in, or was in.

        Without changes, settings may have changed, and with them by what names the owner is called, or what was said of
        claims.
        """
        if not changes:
            renamed = _name(connection)
            if renamed or _is_due(connection):
                _follow(connection, renamed)
            return
        fresh, others = new_and_others(changes)
        if fresh:  # of which nothing is claimed
            connection.execute(
                """INSERT OR IGNORE INTO claim_unread
                   SELECT id FROM shown_memory WHERE id BETWEEN ? AND ? AND parent IS NULL""",
                (fresh[0], fresh[-1]),
            )
        unread = [change.id for change in others if _says_something_else(change)]
        if follow_one_another(unread, least=_NEW_RANGE_MIN):
            connection.execute(
                "INSERT OR IGNORE INTO claim_unread SELECT id FROM shown_memory WHERE id BETWEEN ? AND ?",
                (min(unread), max(unread)),
            )
        else:
            connection.executemany(
                "INSERT OR IGNORE INTO claim_unread VALUES (?)", [(number,) for number in unread]
            )
        numbers = [change.id for change in others]
        held = [change.id for change in others if change.before is not None]
        touched = {*_filed_among(connection, held), *_claiming_among(connection, numbers)}
        if touched or _is_due(connection):
            _follow(connection, sorted(touched))


def need_no_comparing(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Note that these memories claim nothing, or were compared, in the caller's transaction."""
    connection.executemany("DELETE FROM claim_unread WHERE id = ?", [(number,) for number in numbers])


def _says_something_else(change: RowChange) -> bool:
    """Say whether a memory is new or has other words; facts that were taken from one are read with that."""
    after = change.after
    if after is None or "parent" in after.fields:
        return False
    return change.before is None or change.before.text != after.text


def _name(connection: sqlite3.Connection) -> list[int]:
    """Note by what names the owner is called now; return the memories whose claims have to be filed anew for that."""
    from cognition.contradictions.selves import Selves, names_in

    aliases = read_settings(connection, ALIASES).get("")
    name = str(read_settings(connection, NAME).get("", ""))
    before = selves_of(connection)
    now = Selves(names_in(name, aliases if isinstance(aliases, str) else None))
    if before == now:
        return []
    connection.execute("DELETE FROM claim_own")
    connection.executemany("INSERT INTO claim_own VALUES (?)", [(name,) for name in sorted(now.names)])
    changed = [each for each in entities_named(connection) if before.named(each) != now.named(each)]
    return claiming_about(connection, changed)


def selves_of(connection: sqlite3.Connection) -> "Selves":
    """Return the names under which claims are filed as the owner's."""
    from cognition.contradictions.selves import Selves

    return Selves(frozenset(name for (name,) in connection.execute("SELECT name FROM claim_own")))


def told_of(connection: sqlite3.Connection, slot: bytes) -> "list[LiveClaim]":
    """Return the claims of one slot; whoever is the owner is told of as that, without a name."""
    from cognition.contradictions.judgments import apart_in
    from cognition.contradictions.slots import LiveClaim, Opinion

    selves = selves_of(connection)
    found = read_claims(connection, *_counting(connection, slot))
    rows = connection.execute(
        f"""SELECT m.id, m.rid, m.told_at, m.created, m.updated, m.feed, m.speaker
           FROM shown_memory m WHERE m.id IN {EACH}""",
        (json.dumps(sorted({claim.id for claim in found})),),
    )
    memories = {number: _Source(*rest) for number, *rest in rows}
    changed = [number for number, it in memories.items() if it.updated > it.created]
    edits = last_edits(connection, changed) if changed else {}
    # A reader holds no transaction: a memory that went since the statement before says nothing.
    claims = [claim for claim in found if claim.id in memories]
    tellings = [_telling(shown, memories[shown.id], edits.get(shown.id)) for shown in claims]
    feeds = {claim.feed for claim in claims} | {feed for _, feed in tellings}
    feeds |= {each.feed for claim in claims for each in claim.verdicts}
    devices = {feed: origin.device for feed, origin in origins_of(connection, feeds).items()}
    apart = apart_in(connection, slot)
    return [
        LiveClaim(
            shown.claim,
            shown.feed,
            shown.seq,
            shown.id,
            memories[shown.id].rid,
            shown.value,
            shown.hlc,
            told_ms,
            shown.valid_from,
            None if selves.is_own(memories[shown.id].speaker) else memories[shown.id].speaker,
            devices[shown.feed],
            devices[told_on],
            shown.replaces,
            tuple(
                Opinion(verdict.op, verdict.hlc, devices[verdict.feed], verdict.keep)
                for verdict in shown.verdicts
            ),
            apart.get(shown.id, ()),
        )
        for shown, (told_ms, told_on) in zip(claims, tellings, strict=True)
    ]


class _Source(NamedTuple):
    """A memory that claims something: `feed` is that of whoever told it."""

    rid: bytes
    told_at: int | None
    created: int
    updated: int
    feed: int
    speaker: str | None


def _telling(shown: "ShownClaim", it: _Source, edit: LastEdit | None) -> tuple[int, int]:
    """Return when what a claim says was told, in ms since 1970, and by an op of which feed.

    Its words were written with the memory, or at the last edit before the claim. Of an edit before a later one the
    state keeps no stamp: then the claim, which a correction makes in one commit with the edit, tells it.
    """
    if edit is None:
        return it.created >> 16 if it.told_at is None else it.told_at, it.feed
    if shown.hlc >= edit.hlc:
        return edit.hlc >> 16, shown.feed if edit.feed is None else edit.feed
    return shown.hlc >> 16 if it.told_at is None else it.told_at, shown.feed


def _counting(connection: sqlite3.Connection, slot: bytes) -> tuple[str, tuple[bytes | int, ...]]:
    """Return which claims of a slot count, as a join and its values: all, or of very many the newest of each device."""
    ((count,),) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM claim_slot WHERE slot = ? LIMIT ?)",
        (slot, IN_SLOT_PER_DEVICE_MAX + 1),
    )
    if count <= IN_SLOT_PER_DEVICE_MAX:
        return "JOIN claim_slot s ON s.id = c.id AND s.claim = c.claim WHERE s.slot = ?", (slot,)
    return (
        """JOIN (
            SELECT d.id AS number, d.claim AS name,
            row_number() OVER (PARTITION BY f.device ORDER BY d.hlc DESC, d.claim DESC) AS nth
            FROM claim_slot s JOIN shown_claim d ON d.id = s.id AND d.claim = s.claim
            JOIN known_feed f ON f.no = d.feed WHERE s.slot = ?
        ) ON number = c.id AND name = c.claim WHERE nth <= ?""",
        (slot, IN_SLOT_PER_DEVICE_MAX),
    )


def _claiming_among(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[int]:
    """Return those of the memories that claims were taken from."""
    if follow_one_another(numbers, least=_RANGE_MIN):
        return claiming_between(connection, min(numbers), max(numbers))
    return claiming_among(connection, numbers) if numbers else []


def _filed_among(connection: sqlite3.Connection, numbers: Sequence[int]) -> Iterable[int]:
    """Return those of the memories that have a claim in a slot."""
    if follow_one_another(numbers, least=_RANGE_MIN):
        rows = connection.execute(
            "SELECT DISTINCT id FROM claim_slot WHERE id BETWEEN ? AND ?", (min(numbers), max(numbers))
        )
        yield from (number for (number,) in rows)
        return
    for start in range(0, len(numbers), _IDS_MAX):
        chunk = numbers[start : start + _IDS_MAX]
        rows = connection.execute(
            f"SELECT DISTINCT id FROM claim_slot WHERE id IN ({','.join('?' * len(chunk))})", chunk
        )
        yield from (number for (number,) in rows)


def _is_due(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM judgment_due LIMIT 1").fetchone() is not None


def _follow(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    """File the claims of these memories anew, and judge the slots that they are in or left."""
    from cognition.contradictions import judgments
    from cognition.contradictions.slots import ClaimStatus

    due = judgments.due(connection)
    if due or judgments.are_any(connection):
        said = {*due, *judgments.moved_by(connection, due), *judgments.about(connection, numbers)}
        slots = _file_joined(connection, numbers, said)
    else:
        owns, slots = _file(connection, numbers)
        slots |= owns
    affected = set(numbers)
    standings: dict[bytes, Standings] = {}
    for slot in slots:
        judged = _judge_slot(connection, slot)
        standings[slot] = _standings(judged)
        # Whoever has a claim that holds says something that holds; the others are to be looked at.
        affected |= {belief.told.id for belief in judged.beliefs if belief.standing is not ClaimStatus.HELD}
        affected |= {
            number
            for (number,) in connection.execute(
                "SELECT r.id FROM claim_retired r JOIN claim_slot s ON s.id = r.id WHERE s.slot = ?", (slot,)
            )
        }
    for number in sorted(affected):
        _retire(connection, number, standings)


def _file(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> tuple[dict[bytes, None], dict[bytes, None]]:
    """File the claims of these memories by their names; return the slots that these say, or said, and those left."""
    selves = selves_of(connection)
    owns: dict[bytes, None] = {}
    slots: dict[bytes, None] = {}
    for number in numbers:
        for slot, own in connection.execute("SELECT slot, own FROM claim_slot WHERE id = ?", (number,)):
            slots[slot] = owns[own] = None
        connection.execute("DELETE FROM claim_slot WHERE id = ?", (number,))
        for named in _newest_of_each_device(connection, number):
            own = selves.slot(named.workspace, named.entity, named.relation)
            owns[own] = None
            connection.execute("INSERT INTO claim_slot VALUES (?, ?, ?, ?)", (own, number, named.claim, own))
    return owns, slots


def _newest_of_each_device(connection: sqlite3.Connection, number: int) -> list[ClaimNames]:
    """Return the claims of a memory that count, in the order in which they were made."""
    found = claim_names(connection, number)
    if len(found) <= OF_MEMORY_PER_DEVICE_MAX:
        return found
    origins = origins_of(connection, {each.feed for each in found})
    counted: Counter[bytes] = Counter()
    newest = []
    for each in reversed(found):
        device = origins[each.feed].device
        counted[device] += 1
        if counted[device] <= OF_MEMORY_PER_DEVICE_MAX:
            newest.append(each)
    return newest[::-1]


def _file_joined(
    connection: sqlite3.Connection, numbers: Sequence[int], said: Iterable[bytes]
) -> dict[bytes, None]:
    """File these claims and judgments, and whatever is one slot with them now, or was; return the slots to be judged.

    What was one is looked for before any judgment is filed, and what is, afterwards: so a slot that is joined to others
    no more is found, too, and nothing is read that can be reached from none of these.
    """
    from cognition.contradictions import judgments

    owns, slots = _file(connection, numbers)
    before = {*owns, *judgments.slots_of(connection, said), *judgments.slots_meant(connection, said)}
    beside = judgments.Neighbourhood(connection)
    near = {slot for own in sorted(before) for slot in _reached(connection, beside, own)}
    judgments.file(connection, sorted(said), selves_of(connection))
    heads = judgments.joined(connection, sorted({*owns, *near, *judgments.slots_of(connection, said)}))
    for own, head in sorted(heads.items()):
        slots[head] = None
        filed = connection.execute(
            "SELECT slot, id, claim FROM claim_slot WHERE own = ? AND slot != ?", (own, head)
        ).fetchall()
        for slot, number, claim in filed:
            slots[slot] = None
            # Written anew, so that whoever follows this table hears of it.
            connection.execute(
                "DELETE FROM claim_slot WHERE slot = ? AND id = ? AND claim = ?", (slot, number, claim)
            )
            connection.execute("INSERT INTO claim_slot VALUES (?, ?, ?, ?)", (head, number, claim, own))
    return slots


def _reached(connection: sqlite3.Connection, beside: "Neighbourhood", own: bytes) -> Iterable[bytes]:
    """Return the slots with which one may be joined by now, and those that it kept from being joined to others."""
    from cognition.contradictions.judgments import neighbours, reached

    near = reached(beside, own)
    return {own, *neighbours(connection, own)} if near.is_too_much else near.slots


def record_of(connection: sqlite3.Connection, own: bytes) -> bytes:
    """Return the slot that stands for a slot and all that are one with it."""
    row = connection.execute("SELECT slot FROM claim_slot WHERE own = ? LIMIT 1", (own,)).fetchone()
    return own if row is None else row[0]


def _judge_slot(connection: sqlite3.Connection, slot: bytes) -> "Judged":
    """Judge a slot, and bring its record up to date."""
    from cognition.contradictions.relations import attention_of
    from cognition.contradictions.slots import Judged, judge

    named = connection.execute(
        """SELECT m.workspace, c.entity, c.relation FROM claim_slot s JOIN shown_claim c ON c.id = s.id AND
           c.claim = s.claim JOIN shown_memory m ON m.id = s.id WHERE s.slot = ? ORDER BY c.hlc, c.claim LIMIT 1""",
        (slot,),
    ).fetchone()
    judged = Judged((), (), None) if named is None else judge(named[2], told_of(connection, slot))
    if judged.status is None:
        connection.execute("DELETE FROM contradiction WHERE slot = ?", (slot,))
        return judged
    settled_by = None if judged.settled_by is None else judged.settled_by.value
    connection.execute(
        """INSERT INTO contradiction VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT (slot) DO UPDATE SET
           workspace = excluded.workspace, entity = excluded.entity, relation = excluded.relation,
           told = CASE WHEN status = excluded.status AND settled_by IS excluded.settled_by AND
           raised = excluded.raised THEN told ELSE 0 END,
           status = excluded.status, settled_by = excluded.settled_by, raised = excluded.raised,
           attention = excluded.attention""",
        (slot, *named, judged.status.value, settled_by, judged.raised, attention_of(named[2]).value),
    )
    return judged


def _standings(judged: "Judged") -> "Standings":
    """Return what became of each claim that its memory's words still say."""
    from cognition.contradictions.slots import taken_back

    silent = taken_back(judged.beliefs)
    return {belief.told.claim: belief.standing for belief in judged.beliefs if belief.told.id not in silent}


def _retire(connection: sqlite3.Connection, number: int, standings: "dict[bytes, Standings]") -> None:
    """Note whether a memory says nothing that still holds; `standings`, by slot, are added to."""
    from cognition.contradictions.slots import ClaimStatus

    claims: dict[bytes, set[bytes]] = {}
    rows = connection.execute("SELECT slot, claim FROM claim_slot WHERE id = ?", (number,))
    for slot, claim in rows.fetchall():
        claims.setdefault(slot, set()).add(claim)
    standing = []
    for slot, own in claims.items():
        if slot not in standings:
            standings[slot] = _standings(judged_of(connection, slot))
        standing += [standings[slot][claim] for claim in own if claim in standings[slot]]
    gone = False
    if standing and ClaimStatus.HELD not in standing:
        text = text_at(connection, number)
        if text is not None:
            from cognition.contradictions.wording import CHANGE
            from cognition.extraction.sentences import sentences

            told_as_news = ClaimStatus.HIDDEN not in standing and CHANGE.search(text) is not None
            gone = len(sentences(text)) == 1 and not told_as_news
    if gone:
        connection.execute("INSERT OR IGNORE INTO claim_retired VALUES (?)", (number,))
    else:
        connection.execute("DELETE FROM claim_retired WHERE id = ?", (number,))


def judged_of(connection: sqlite3.Connection, slot: bytes) -> "Judged":
    """Return what the claims of a slot come to."""
    from cognition.contradictions.slots import Judged, judge

    relation = connection.execute(
        """SELECT c.relation FROM claim_slot s JOIN shown_claim c ON c.id = s.id AND c.claim = s.claim
           WHERE s.slot = ? LIMIT 1""",
        (slot,),
    ).fetchone()
    return Judged((), (), None) if relation is None else judge(relation[0], told_of(connection, slot))
