"""Open a store for one device that runs alone, and answer what its page asks.

All of it is synchronous and takes the time as an argument: a worker of a browser does one thing after another. What is
told is on the disk when `remember` returns; what it states is read behind that (`cognition.ingest.gate`), a slice
whenever the worker calls `read` because nobody asks for anything.
"""

import sqlite3
from collections.abc import Sequence
from heapq import nsmallest
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn

from cognition.consolidation.tables import SummaryTables
from cognition.contradictions.relations import Attention
from cognition.contradictions.resolving import changed, decide, merge, merger_of
from cognition.contradictions.slots import ContradictionStatus, Judged
from cognition.contradictions.snoozing import snooze, snoozed
from cognition.contradictions.tables import ClaimTables, judged_of
from cognition.ingest.gate import SLICE_S, NewTelling, TellingReader
from cognition.ingest.holding import secret_kinds, texts_of
from cognition.ingest.local import LocalTables
from cognition.ingest.plan import dated
from cognition.memories import Shown, read_memories
from cognition.own_zone import own_zone
from cognition.reminding.due_fields import with_reminder
from cognition.reminding.repeating import following, latest, rule_of
from cognition.tables import CognitionTables
from cognition.triggers.kinds import REMINDER
from cognition.triggers.tables import TriggerTables
from cognition.triggers.told_once import told_once, told_with
from replica import (
    REST_ROWS_MIN,
    Core,
    DerivedTables,
    Forget,
    Memory,
    MemoryId,
    NameNotFound,
    Set,
    SqliteStore,
    Write,
    bring_much_over,
    connect,
    count_tellings,
    introduce,
    is_known,
    memories_called,
    memories_of,
    new_memory_id,
    numbers_with_facts,
    parse_memory_id,
    show_memory_id,
)
from replica.codec import check_text
from replica.hlc import latest_plausible
from replica.purging import purge
from replica.reads.devices import device_names
from replica.refold import refold_after_upgrade
from samemind.phone.finding import MergedLater, NewsIndex, find, find_with, merge_words, newest
from sync.identity import Identity

LIST_MAX: Final = 200
# How far ahead what falls due is listed, and how long what is past stays on the list.
_AHEAD_MS: Final = 60 * 86_400_000
_BEHIND_MS: Final = 14 * 86_400_000
_PROSPECTIVE: Final = "prospective"
# An earlier start left a log that is at least so long: it is brought over at the first rest, as every start reads it.
LOG_LEFT_BYTES_MIN: Final = 1_000_000

# SQLite's log: its head, and the head of each frame, both with the salts of this round; and where they are.
_LOG_HEAD_BYTES: Final = 32
_FRAME_HEAD_BYTES: Final = 24
_PAGE_SIZE_IN_HEAD: Final = slice(8, 12)
_SALTS_IN_HEAD: Final = slice(16, 24)
_SALTS_IN_FRAME: Final = slice(8, 16)

Answer = dict[str, Any]


class LooksSecret(Exception):
    """What is told looks like a secret, which every device of the group would hold: its owner has to say so twice."""


class Phone:
    """One device's store, its key, and what it may be asked."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        core: Core,
        identity: Identity,
        random: Random,
        local: LocalTables,
        now_ms: int,
        *,
        has_log: bool,
    ) -> None:
        """`has_log`: whether an earlier start left a log that is to be brought over."""
        self.connection = connection
        self.core = core
        self.identity = identity
        self._random = random
        self._rows_brought_over = -REST_ROWS_MIN if has_log else 0
        self._now_ms = now_ms
        self._merged_at = core.position
        # Nothing is linked: what nominates repetitions takes numpy, which is larger than all that a phone loads.
        self._reader = TellingReader(local, lambda: self._now_ms, newer=False, links=False)
        self._reader.open(connection)

    @classmethod
    def open(cls, path: str, identity: Identity, *, name: str, random: Random, now_ms: int) -> "Phone":
        """Open a store, or begin one: `name` is what a new device goes by. Nobody else can open it meanwhile."""
        has_log = _reaches(Path(f"{path}-wal"), LOG_LEFT_BYTES_MIN)
        connection = connect(path, exclusive=True)
        local = LocalTables()
        derived: list[DerivedTables] = [
            CognitionTables(embeds=False),
            MergedLater(),
            local,
            ClaimTables(),
            SummaryTables(),
            TriggerTables(),
            NewsIndex(),
        ]
        store = SqliteStore(connection, derived)
        core = Core(store, device=identity.device_id, sign=identity.sign, random=random)
        refold_after_upgrade(core, now_ms)
        if core.device not in core.membership.members:  # else it was founded by an earlier start
            core.found(
                introduce(
                    identity.sign,
                    core.device,
                    public_key=identity.public_key,
                    certificate=identity.certificate,
                    name=name,
                )
            )
        return cls(connection, core, identity, random, local, now_ms, has_log=has_log)

    # -- telling ---------------------------------------------------------------------------------------------

    def remember(
        self, text: str, *, rid: str | None = None, anyway: bool = False, zone: str | None = None, now_ms: int
    ) -> Answer:
        """Store a text, which is read later; asked again under the same `rid`, it is stored once.

        `zone`: the name of the time zone of this device's clock, by which what repeats is counted; by UTC without it.
        `LooksSecret` for what looks like one, unless `anyway` it is to be told.
        """
        text = text.strip()
        check_text(text)
        name = new_memory_id(now_ms, self._random) if rid is None else parse_memory_id(rid)
        if is_known(self.connection, name):
            return {"rid": show_memory_id(name), "due_ms": None, "is_without_time": False}
        reminding = with_reminder(text, {}, now_ms, own_zone=lambda: zone)
        if not anyway:
            _check_secrets(secret_kinds(text, reminding.fields))
        self._now_ms = now_ms
        asked = dated(text, reminding.fields, now_ms=now_ms, zone=own_zone())
        self._reader.tell(self.core, self.connection, NewTelling(name, text, asked, now_ms), facts=True)
        self.clean(now_ms)
        due_ms, lacks_time = reminding.due_ms, reminding.lacks_time
        return {"rid": show_memory_id(name), "due_ms": due_ms, "is_without_time": lacks_time}

    @property
    def has_unread(self) -> bool:
        """Whether something waits to be read, of this start or an earlier one."""
        return self._reader.waits

    @property
    def is_behind(self) -> bool:
        """Whether `read` has something to do: to read, or to merge words of this start."""
        return self.has_unread or self._merged_at != self.core.position

    def read(self, *, now_ms: int, budget_s: float = SLICE_S) -> bool:
        """Read some of what was told, for about so long, or merge words behind it; say whether there may be more."""
        self._now_ms = now_ms
        if self._reader.waits and self._reader.read_some(self.core, self.connection, budget_s):
            return True
        if self._merged_at != self.core.position and not merge_words(self.connection):
            self._merged_at = self.core.position
        return self.is_behind

    def edit(self, rid: str, text: str, *, anyway: bool = False, now_ms: int) -> Answer:
        """Change a memory's words; what is changed elsewhere at the same time stays.

        What was told before is read before: as it was told, and not as it reads afterwards. `LooksSecret` for what the
        memory does not hold already and looks like one, unless `anyway` it is to be told.
        """
        name, text = parse_memory_id(rid), text.strip()
        if not anyway:
            memories = [shown.memory for shown in memories_called(self.connection, [name])]
            known = [each for one in memories for each in (one.text, *texts_of(one.fields))]
            _check_secrets(secret_kinds(text, {}, known=known))
        self._now_ms = now_ms
        self._reader.read_all(self.core, self.connection)
        self.core.commit(self.core.edits_of(name, text), now_ms)
        return self.memory(rid)

    def forget(self, rid: str, *, now_ms: int) -> Answer:
        """Take a memory away, with the facts that were taken from it."""
        name = parse_memory_id(rid)
        shown = memories_of(self.connection, numbers_with_facts(self.connection, name))
        names = [it.rid for it in shown]
        if not names:
            raise NameNotFound(f"there is no memory {rid} here")
        self.core.commit([Write(Forget(tuple(names)))], now_ms)
        self.clean(now_ms)
        return {"rid": rid}

    def done(self, rid: str, *, now_ms: int) -> Answer:
        """Put away what was due; it is kept, and not listed any more. What repeats is due at its next time instead.

        `before`: what `not_done` takes to undo it.
        """
        name = parse_memory_id(rid)
        # Told twice, it is listed once.
        told = told_with(self.connection, self._reminders(now_ms), name)
        told = told or [*memories_called(self.connection, [name])]
        changes = [(it, change) for it in told for change in _put_away(it.memory, now_ms)]
        self.core.commit([Write(change, it.rid) for it, change in changes], now_ms)
        return {
            "rid": rid,
            "before": [
                (show_memory_id(it.rid), change.name, it.memory.fields.get(change.name))
                for it, change in changes
            ],
        }

    def not_done(self, before: Sequence[tuple[str, str, int | bool | None]], *, now_ms: int) -> None:
        """Undo what `done` did: `before` is what it answered with."""
        writes = [Write(Set(field, value), parse_memory_id(rid)) for rid, field, value in before]
        self.core.commit(writes, now_ms)

    # -- asking ----------------------------------------------------------------------------------------------

    def ask(self, question: str, *, limit: int, now_ms: int) -> list[Answer]:
        """Return what fits a question, the best first."""
        hits = find(self.connection, question, min(limit, LIST_MAX), now_ms, own_zone())
        return [{**self._view(hit.shown), "score": round(hit.score, 4)} for hit in hits]

    def answered(self, question: str, rids: Sequence[bytes], *, limit: int, now_ms: int) -> list[Answer]:
        """Return what fits a question where another device has found these: its order first, then this one's own.

        None of it where nothing that it found is here.
        """
        hits = find_with(self.connection, question, rids, min(limit, LIST_MAX), now_ms, own_zone())
        return [{**self._view(hit.shown), "score": round(hit.score, 4)} for hit in hits]

    def recent(self, *, limit: int, now_ms: int) -> list[Answer]:
        """Return what was told or changed last, here or elsewhere; a change that a clock far ahead stamped is none."""
        latest = latest_plausible(now_ms)
        answers = []
        for shown in newest(self.connection, min(limit, LIST_MAX), now_ms):
            view = self._view(shown)
            answers.append(view if shown.memory.updated <= latest else view | {"changed_ms": view["told_ms"]})
        return answers

    def known(self, *, rids: list[str]) -> list[str]:
        """Return those of these memories that are here and not forgotten."""
        names = [parse_memory_id(rid) for rid in rids]
        return [show_memory_id(shown.rid) for shown in memories_called(self.connection, names)]

    def memory(self, rid: str) -> Answer:
        """Return one memory as it reads now."""
        for shown in memories_called(self.connection, [parse_memory_id(rid)]):
            return self._view(shown)
        raise NameNotFound(f"there is no memory {rid} here")

    def due(self, *, now_ms: int) -> list[Answer]:
        """Return what falls due soon, or did lately, the first first."""
        reminders = told_once(self.connection, self._reminders(now_ms))
        due = [(_due_of(it.memory, now_ms), it) for it in reminders]
        shown = [each for each in due if now_ms - _BEHIND_MS <= each[0] <= now_ms + _AHEAD_MS]
        return [
            {**self._view(it), "due_ms": ms}
            for ms, it in nsmallest(LIST_MAX, shown, key=lambda each: each[0])
        ]

    def _reminders(self, now_ms: int) -> list[Shown]:
        """Return what falls due soon, or did lately, and what began before that: it may repeat."""
        listed = "SELECT id FROM due WHERE kind = ? AND at_ms BETWEEN ? AND ? ORDER BY at_ms"
        from_ms, until_ms = now_ms - _BEHIND_MS, now_ms + _AHEAD_MS
        near = self.connection.execute(f"{listed} LIMIT ?", (REMINDER.name, from_ms, until_ms, LIST_MAX))
        older = self.connection.execute(f"{listed} DESC LIMIT ?", (REMINDER.name, 0, from_ms, LIST_MAX))
        return [*read_memories(self.connection, sorted({number for (number,) in (*near, *older)}))]

    def questions(self, *, now_ms: int) -> list[Answer]:
        """Return what contradicts itself and waits for an answer, the latest first; not what was put off."""
        rows = self.connection.execute(
            """SELECT slot, entity, relation FROM contradiction WHERE status = ? AND attention != ?
               ORDER BY raised DESC, slot""",
            (ContradictionStatus.OPEN.value, Attention.QUIET.value),
        )
        later = snoozed(self.connection, now_ms)
        asked = [row for row in rows if row[0] not in later][:LIST_MAX]
        return [self._question(*row) for row in asked]

    def snooze(self, slot: str, until_ms: int, *, now_ms: int) -> list[Answer]:
        """Put a question off on every device. Return what is asked now."""
        *_, judged = self._asked(slot)
        if judged.status is not ContradictionStatus.OPEN:
            _refuse_settled()
        self.core.commit([snooze(self.connection, bytes.fromhex(slot), until_ms)], now_ms)
        return self.questions(now_ms=now_ms)

    def settle(
        self, slot: str, keep: Sequence[str], *, since_ms: int | None = None, now_ms: int
    ) -> list[Answer]:
        """Decide a question: these values are kept, the others hidden. Return what is left.

        With `since_ms` it changed: the one value that is kept holds since then, and the others held until then.
        """
        entity, relation, _, judged = self._asked(slot)
        if merger_of(self.connection, judged) is not None:
            _refuse_settled()
        values = [side[0].told.value for side in judged.sides if side[0].told.value in keep]
        if len(values) < len(keep):
            raise NameNotFound("what is kept is not asked about any more: look at the question again")
        if since_ms is not None:
            (value,) = values
            changes = changed(self.core, judged, value, since_ms, entity=entity, relation=relation)
            self.core.commit(changes, now_ms)
            return self.questions(now_ms=now_ms)
        name = bytes.fromhex(slot)
        decide(self.core, self.connection, name, values, entity=entity, relation=relation, now_ms=now_ms)
        return self.questions(now_ms=now_ms)

    def merge(self, slot: str, text: str, *, anyway: bool = False, now_ms: int) -> list[Answer]:
        """Decide a question by a new memory in place of all that it is about. Return what is left.

        `LooksSecret` for what none of them holds already and looks like one, unless `anyway` it is to be told.
        """
        text = text.strip()
        check_text(text)
        entity, relation, workspace, judged = self._asked(slot)
        if not anyway:
            _check_secrets(secret_kinds(text, {}, known=[*self._texts_of(judged).values()]))
        rid = new_memory_id(now_ms, self._random)
        merge(
            self.core,
            judged,
            rid,
            text,
            workspace=workspace,
            entity=entity,
            relation=relation,
            now_ms=now_ms,
        )
        return self.questions(now_ms=now_ms)

    def reopen(self, slot: str, *, now_ms: int) -> list[Answer]:
        """Take the last decision on a question back. Return what is asked now."""
        entity, relation, *_ = self._asked(slot)
        undo = import_module("cognition.judging.reopening").reopen  # few decisions are regretted
        name = bytes.fromhex(slot)
        done = undo(self.core, self.connection, name, entity=entity, relation=relation, now_ms=now_ms)
        if done is None:
            raise NameNotFound("no decision settled this question: what was told since did")
        return self.questions(now_ms=now_ms)

    def _asked(self, slot: str) -> tuple[str, str, str | None, Judged]:
        """Return whom a question is about, in what, in which space, and how it stands."""
        name = bytes.fromhex(slot)
        row = self.connection.execute(
            "SELECT entity, relation, workspace FROM contradiction WHERE slot = ?", (name,)
        ).fetchone()
        if row is None:
            _refuse_settled()
        entity, relation, workspace = row
        return entity, relation, workspace, judged_of(self.connection, name)

    def devices(self) -> list[Answer]:
        """Return the devices of the group, this one first."""
        group = self.core.membership
        return sorted(
            (
                {
                    "id": device.hex(),
                    "name": member.name,
                    "is_here": device == self.core.device,
                    "is_out": device not in group.standing,
                }
                for device, member in group.members.items()
            ),
            key=lambda each: (not each["is_here"], each["is_out"], each["name"]),
        )

    def status(self, *, now_ms: int) -> Answer:
        """Return how much there is, and how this device stands in its group."""
        slots = self.connection.execute(
            "SELECT slot FROM contradiction WHERE status = ? AND attention != ?",
            (ContradictionStatus.OPEN.value, Attention.QUIET.value),
        )
        later = snoozed(self.connection, now_ms)
        questions = sum(slot not in later for (slot,) in slots)
        return {
            "device": self.core.device.hex(),
            "memories": count_tellings(self.connection),
            "questions": questions,
            "devices": len(self.core.membership.standing),
            "is_out": self.is_out,
            "position": self.core.position,
        }

    def digests(self) -> Answer:
        """Return what two devices that hold the same come to, each in hexadecimal digits."""
        digests = self.core.digests()
        return {"visible": digests.visible.hex(), "state": digests.state.hex()}

    @property
    def is_out(self) -> bool:
        """Whether this device was revoked."""
        return self.core.device in self.core.membership.revoked

    def clean(self, now_ms: int) -> None:
        """Take what was erased out of the files, too."""
        if self.core.has_unpurged:
            purge(self.core, now_ms)

    def rest(self) -> None:
        """Bring what was written into the store's file, where that is much; for when nobody asks for anything."""
        self._rows_brought_over = bring_much_over(self.connection, self._rows_brought_over)

    # -- showing ---------------------------------------------------------------------------------------------

    def _view(self, shown: Shown) -> Answer:
        memory = shown.memory
        fields = memory.fields
        return {
            "rid": show_memory_id(shown.rid),
            "text": memory.text,
            "told_ms": fields.get("told_at", memory.created >> 16),
            "changed_ms": memory.updated >> 16,
            "device": shown.device.hex(),
            "by": shown.device_name,
            "is_here": shown.device == self.core.device,
            "speaker": fields.get("speaker"),
            "topic": fields.get("topic"),
            "due_ms": fields.get("event_start") if fields.get("type") == _PROSPECTIVE else None,
            "variants": self._variants(shown),
        }

    def _variants(self, shown: Shown) -> list[Answer]:
        """Return what each device wrote, where they edited one place of a memory at once."""
        if shown.memory.updated == shown.memory.created:
            return []
        found = import_module("replica.variants").variants_of(
            self.connection, (shown.rid,)
        )  # few are changed
        names = device_names(self.connection) if found else {}
        return [{"text": each.text, "by": names.get(each.origin.device)} for each in found.get(shown.rid, [])]

    def _question(self, slot: bytes, entity: str, relation: str) -> Answer:
        judged = judged_of(self.connection, slot)
        texts = self._texts_of(judged)
        return {
            "slot": slot.hex(),
            "entity": entity,
            "relation": relation,
            "sides": [
                {
                    "value": side[0].told.value,
                    "told_ms": max(belief.told.told_ms for belief in side),
                    "text": texts.get(bytes(side[-1].told.rid), ""),
                }
                for side in judged.sides
            ],
        }

    def _texts_of(self, judged: Judged) -> dict[bytes, str]:
        rids = {MemoryId(belief.told.rid) for belief in judged.beliefs}
        return {bytes(it.rid): it.memory.text for it in memories_called(self.connection, rids)}


def _refuse_settled() -> NoReturn:
    raise NameNotFound("this question is settled already, or what it was about is gone")


def _check_secrets(kinds: Sequence[str]) -> None:
    if kinds:
        raise LooksSecret(
            f"this looks like a secret ({', '.join(kinds)}): every device of yours would hold it"
        )


def _put_away(memory: Memory, now_ms: int) -> list[Set]:
    """Return what puts a reminder away: what repeats is due at its next time instead."""
    first_ms, end_ms = memory.fields.get("event_start"), memory.fields.get("event_end")
    if first_ms is not None:
        again_ms = following(first_ms, rule_of(memory), max(now_ms, _due_of(memory, now_ms)))
        if again_ms is not None:
            ends = [] if end_ms is None else [Set("event_end", end_ms + again_ms - first_ms)]
            return [Set("event_start", again_ms), *ends]
    return [Set("archived", True)]


def _due_of(memory: Memory, now_ms: int) -> int:
    """Return when a reminder is due, or was last; of what repeats, a time that is long over gives way to the next."""
    first_ms, rule = int(memory.fields["event_start"]), rule_of(memory)
    due_ms = latest(first_ms, rule, now_ms)
    if due_ms >= now_ms - _BEHIND_MS:
        return due_ms
    return following(first_ms, rule, now_ms) or due_ms


def _reaches(log: Path, size: int) -> bool:
    """Say whether a log of SQLite's goes on for so many bytes: behind its end are older frames, or zeros."""
    if not log.is_file() or log.stat().st_size < size:
        return False
    with log.open("rb") as file:
        head = file.read(_LOG_HEAD_BYTES)
        frame_bytes = _FRAME_HEAD_BYTES + int.from_bytes(head[_PAGE_SIZE_IN_HEAD])
        file.seek(_LOG_HEAD_BYTES + (size - _LOG_HEAD_BYTES) // frame_bytes * frame_bytes - frame_bytes)
        return file.read(_FRAME_HEAD_BYTES)[_SALTS_IN_FRAME] == head[_SALTS_IN_HEAD]
