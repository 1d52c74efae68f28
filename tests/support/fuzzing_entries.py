"""Write what a member may, however odd: no op stops who holds it, and no verb that reads fails by what it says.

Whatever passes a replica's checks is folded on every device, with all tables that derive from it; one that could not be
would hold up all behind it, everywhere. The ops here are committed as another version's are taken in (`by_any`).
"""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import trio

from cognition.entities import TOLD_TRIPLE
from cognition.reminding.repeating import REPEATS
from cognition.triggers.kinds import KINDS, REMINDER
from cognition.triggers.snoozing import SNOOZED
from replica import Core, MemoryId, Write, new_memory_id, ops
from replica.errors import ReplicaError
from replica.fields import FIELDS, INT_MAX, INT_MIN, MS_MAX, Field, Value
from samemind.catalog import NAMES, verb_named
from samemind.declaring import Effects, declared
from samemind.errors import NotFound, Usage
from tests.support.doors import opened

OPS: Final = 40
RULES: Final = (
    "FREQ=DAILY", "FREQ=SECONDLY;BYHOUR=1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=" + "9" * 30,
    "FREQ=WEEKLY;UNTIL=99991231T235959Z", "TZID=../../etc/passwd;FREQ=DAILY", "TZID=Europe/Berlin;FREQ=WEEKLY",
)  # fmt: skip
TRIPLES: Final = (
    '["Ann", "knows", "Ben"]',
    '["a", "b", "\\ud800"]',
    "[" * 30_000,
    '["a", 1, {}]',
    "[]",
    "null",
)
SNOOZES: Final = tuple(
    f"{'ff' * 16}@{until}" for until in (0, 5, MS_MAX, MS_MAX + 1, 2**63, -(2**64), "9" * 5_000)
)
# What a text is read for: times, numbers, names, ids, JSON; and what a terminal or a page obeys.
TEXTS: Final = (
    "Ann lives in Lisbon", "Ann moved to Porto before the wedding", "Call Ben every Tuesday at 25:99", "born in 0",
    "rent is 310 a week", "remind me on 31 February 99999", "My phone is +" + "1" * 200, "9" * 4_000, "½ ² Ⅷ ٣",
    "nan", "9999-12-31", "0000-00-00", "-5000-01-01", "2024-02-30T25:61:61Z", "24:00", "1/0", "$1,000,000,000", "\x00",
    "\u202e", "İ", "ﷺ" * 100, "a\u0300" * 400, "(" * 300, "\n\r\t ", "\u2028", "<script>", "'; DROP TABLE memory;--",
)  # fmt: skip
# Entries of the metadata that mean something here, and what is near to what they may hold.
ENTRIES: Final[Mapping[str, tuple[str, ...]]] = {
    TOLD_TRIPLE: TRIPLES,
    REPEATS: RULES,
    **dict.fromkeys((f"{SNOOZED}{kind}" for kind in (*KINDS, "nobody's")), SNOOZES),
    **dict.fromkeys(("mentions", "category", "x"), TEXTS),
}
MEANT: Final = (TOLD_TRIPLE, REPEATS, f"{SNOOZED}{REMINDER.name}", *ENTRIES)
RELATIONS: Final = ("lives_in", "born", "age", "likes", "birthday", "attitude:tea", "number:rent", "x")
NUMBERS: Final = (
    0,
    1,
    -1,
    2**31,
    2**53 + 1,
    MS_MAX,
    -MS_MAX,
    MS_MAX + 1,
    INT_MAX,
    INT_MIN,
    1e-320,
    1.8e308 / 2,
    0.5,
)
QUESTIONS: Final = ("where does Ann live?", "what was before the wedding?", "last Tuesday")


def entries(random: Random) -> None:
    """Ops of a member, and then every verb that reads and needs no word, and a cycle of thinking."""
    trio.run(_told_and_read, random)


async def _told_and_read(random: Random) -> None:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        async with opened(Path(folder) / "ann", online=False, embedder="small") as ann:
            replica = ann.device.replica
            rids: list[MemoryId] = []
            for _ in range(OPS):
                write = _write(random, rids, replica.now_ms())
                with suppress(ReplicaError):  # what every device refuses
                    await replica.run(partial(_commit, write, replica.now_ms()))
            await ann.mind.think()
            for question in QUESTIONS:
                await ann.mind.recall(question)
            with suppress(NotFound):
                await ann.mind.graph("Ann")
            for verb in READING:
                with suppress(Usage):  # it needs a word after all
                    await ann.mind._ask(verb)
            assert (await ann.mind.verify()).ok


def _commit(write: Write, now_ms: int, core: Core, _: object) -> None:
    core.commit([write], now_ms)


def _needs_nothing(name: str) -> bool:
    verb = verb_named(name)
    reads = verb.effects is Effects.READ and verb.library is not None and not (verb.alone or verb.streams)
    return reads and not any(each.required for each in declared(verb.options))


READING: Final = tuple(name for name in NAMES if _needs_nothing(name))


def _write(random: Random, rids: list[MemoryId], now_ms: int) -> Write:
    """Return an op about a memory that is there, or about none."""
    rid = random.choice(rids) if rids and random.random() < 0.8 else new_memory_id(now_ms, random)
    other = random.choice(rids) if rids else new_memory_id(now_ms, random)
    text = random.choice(TEXTS)
    two = sorted({rid, other})
    match random.randrange(16):
        case 0 | 1 | 2 | 3:
            rid = new_memory_id(now_ms, random)
            rids.append(rid)
            names = random.sample(sorted(FIELDS), random.randrange(6))
            fields = {name: _fitting(random, name) for name in names}
            return Write(ops.Remember(text, {**fields, "meta": _meta(random)}), rid, by_any=True)
        case 4 | 5:
            entry = random.choice(MEANT)
            return Write(ops.Set(f"meta.{entry}", _entry(random, entry)), rid, by_any=True)
        case 6:
            name = random.choice([*FIELDS, "of a later version"])
            return Write(ops.Set(name, _fitting(random, name)), rid, by_any=True)
        case 7:
            weight = random.choice([None, 0.0, 1.0, 1e-320])
            return Write(ops.Relate(text, random.choice(TEXTS), random.choice(TEXTS), weight))
        case 8:
            relation, since = random.choice([*RELATIONS, text]), random.choice([None, 0, MS_MAX, -MS_MAX])
            return Write(ops.Claim("Ann", relation, random.choice(TEXTS), (), since), rid)
        case 9:
            kind = random.choice([*KINDS, text])
            return Write(ops.Trigger(random.randbytes(16), random.choice([0, 1, 2, 3, 4, 99]), kind, ()), rid)
        case 10:
            return Write(ops.SaysSame((two[0], two[-1]), random.choice([0, 1, 100, 255])))
        case 11:
            amount = random.choice([1, -1, 2**31])
            return Write(ops.Feedback(rid, ((random.choice(["words", text]), amount),)))
        case 12:
            return Write(ops.Access(((rid, random.choice([1, 2**60]), random.choice([0, MS_MAX, now_ms])),)))
        case 13:
            return Write(ops.Tag((text,)), rid)
        case 14:
            return Write(ops.Propose(tuple(two)))
        case _:
            return Write(ops.Forget((rid,)))


def _plain(random: Random) -> Value:
    """Return what a register may hold, or nearly."""
    return random.choice([random.choice(TEXTS), random.choice(NUMBERS), random.choice([True, False, None])])


def _meta(random: Random) -> dict[str, Any]:
    return {entry: _entry(random, entry) for entry in random.sample(MEANT, random.randrange(3))}


def _entry(random: Random, entry: str) -> Any:
    return random.choice(ENTRIES[entry]) if random.random() < 0.8 else _plain(random)


def _fitting(random: Random, name: str) -> Value:
    """Return a value that a field of a memory may hold: its words, or the ends of its range."""
    field = FIELDS.get(name)
    if field is None:
        return _plain(random)
    tags = sorted({random.choice(TEXTS), random.choice(TEXTS)})
    offered: list[Any] = [*TEXTS, *NUMBERS, True, random.randbytes(16), tags, _meta(random), *field.words]
    random.shuffle(offered)
    return next((each for each in offered if _may_be(field, each)), None)


def _may_be(field: Field, value: Any) -> bool:
    try:
        field.check(value)
    except ReplicaError:
        return False
    return True
