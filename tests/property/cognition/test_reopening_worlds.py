"""Whatever devices tell, decide, reopen and forget while they are apart: what they ask, and believe, in the end.

`python -m tests.property.cognition.test_reopening_worlds SEED` replays one world.
"""

import sys
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest

from cognition.contradictions.resolving import decide
from cognition.contradictions.slots import ClaimStatus, ContradictionStatus, Judged, judge
from cognition.contradictions.snoozing import snooze, snoozed
from cognition.contradictions.tables import judged_of, told_of
from cognition.contradictions.telling import ClaimWriter, telling_of, withdrawn
from cognition.contradictions.values import ENDED, compatible
from cognition.extraction.values import Statement
from cognition.judging.reopening import reopen
from cognition.judging.verdicts import Verdict
from replica import Core, Forget, MemoryId, Remember, Write, compact
from replica.verify import verify_replica
from sync.exchange import Exchange
from tests.support.deciding import VALUES, World, connection_of, make_store, records, retired
from tests.support.groups import put_out
from tests.support.replicas import DAY_MS, acquaint, agree, core_of, say, settle, sync

SEEDS: Final = range(16)
STEPS: Final = 24
NAMES: Final = ("ann", "ben", "cleo", "dora")
SAID: Final = (*VALUES, "Intel")


class Life:
    """One random life of two to four devices, of which one may be put out and one more may come."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        names = NAMES[: self.random.randint(2, 4)]
        cores = [core_of(name, make_store()) for name in names]
        for core, name in zip(cores, names, strict=True):
            acquaint(core, name, *names)
        self.names = dict(zip(cores, names, strict=True))
        self.world = World(cores, [], self.random)
        self.forgotten: set[MemoryId] = set()
        self.trace: list[str] = []

    @property
    def cores(self) -> list[Core]:
        return self.world.cores

    def live(self) -> None:
        steps: tuple[tuple[Callable[[Core], object], float], ...] = (
            (self.tell, 6),
            (self.correct, 2),
            (self.forget, 1.5),
            (self.restore, 1),
            (self.decide, 5),
            (self.reopen, 4),
            (self.snooze, 1),
            (self.sync, 7),
            (self.compact, 1),
            (self.join, 0.3),
            (self.incarnate, 0.5),
            (self.put_out, 0.2),
        )
        for _ in range(STEPS):
            self.world.now_ms += self.random.choice((0, 1, 1_000))
            (step,) = self.random.choices([step for step, _ in steps], [weight for _, weight in steps])
            core = self.random.choice(self.cores)
            self.note(f"{step.__name__} {self.names[core]}")
            step(core)

    def note(self, what: str) -> None:
        self.trace.append(what)

    def tell(self, core: Core) -> None:
        value, changes = self.random.choice(SAID), self.random.random() < 0.15
        self.trace[-1] += f" {value}{' now' * changes}"
        self.world.tell(core, value, changes=changes, again=None)

    def correct(self, core: Core) -> None:
        here = self._here(core)
        if not here:
            return
        rid, value, now_ms = self.random.choice(here), self.random.choice(SAID), self.world.now_ms
        self.trace[-1] += f" {rid.hex()[-4:]} {value}"
        connection = connection_of(core)
        told = telling_of(rid, {}, now_ms, corrects=True)
        statements = [Statement("Ann", "works_at", value, False)] if self.random.random() < 0.8 else []
        text = f"Ann works at {value}" if statements else f"Ann likes {value}"
        teller = ClaimWriter(core, connection, now_ms)
        ended = withdrawn(core, connection, told, statements)
        teller.tell([*core.edits_of(rid, text), *ended], [(told, each) for each in statements])
        teller.commit()

    def forget(self, core: Core) -> None:
        here = self._here(core)
        if here:
            rid = self.random.choice(here)
            self.trace[-1] += f" {rid.hex()[-4:]}"
            self.forgotten.add(rid)
            say(core, Forget((rid,)), now_ms=self.world.now_ms)

    def restore(self, core: Core) -> None:
        """Bring in what was forgotten, as an import does."""
        gone = sorted(self.forgotten - {*self._here(core)})
        if not gone:
            return
        rid, value = self.random.choice(gone), self.random.choice(SAID)
        self.trace[-1] += f" {rid.hex()[-4:]} {value}"
        teller = ClaimWriter(core, connection_of(core), self.world.now_ms)
        told = telling_of(rid, {}, self.world.now_ms), Statement("Ann", "works_at", value, False)
        teller.tell([Write(Remember(f"Ann works at {value}", {}), rid)], [told])
        teller.commit()

    def decide(self, core: Core) -> None:
        how = self.any_decision()
        self.trace[-1] += f" {how}"
        self.world.decide(core, how)

    def any_decision(self) -> tuple[Any, ...]:
        kind = self.random.choice(("keep", "keep", "since", "merge", "settle"))
        if kind == "keep":
            return kind, self.random.choices(range(5), k=self.random.randint(1, 3))
        if kind == "settle":
            pair = self.random.randrange(5), self.random.randrange(5)
            return kind, (self.random.choice([*Verdict]), *pair)
        return kind, self.random.randrange(5)

    def reopen(self, core: Core) -> None:
        self.world.reopen(core)

    def snooze(self, core: Core) -> None:
        connection = connection_of(core)
        for slot in open_slots(core):
            core.commit([snooze(connection, slot, self.world.now_ms + DAY_MS)], self.world.now_ms)

    def sync(self, core: Core) -> None:
        others = [other for other in self.cores if other is not core]
        if not others:
            return
        other = self.random.choice(others)
        self.trace[-1] += f" {self.names[other]}"
        now_ms = self.world.now_ms
        if self.random.random() < 0.7:
            sync(core, other, now_ms)
        else:  # a link that is cut
            ours, theirs = Exchange(core, other.device, now_ms), Exchange(other, core.device, now_ms)
            to_them, to_us = ours.more(now_ms), theirs.more(now_ms)
            for _ in range(self.random.randint(1, 5)):
                if to_them:
                    to_us += theirs.receive(to_them.pop(0), now_ms)
                if to_us:
                    to_them += ours.receive(to_us.pop(0), now_ms)

    def compact(self, core: Core) -> None:
        """Let ops leave the log, also those that others have not heard of: they get the base as a snapshot."""
        later = self.random.choice((0, 100 * DAY_MS))
        compact(core, self.world.now_ms + later)

    def join(self, host: Core) -> None:
        if len(self.cores) >= len(NAMES):
            return
        name = f"new {len(self.names)}"
        core = core_of(name, make_store())
        for known, its in ((host, self.names[host]), (core, name)):
            acquaint(known, its, name, self.names[host])
        sync(core, host, self.world.now_ms)
        for other in self.cores:
            other.learn(host.membership.members.values(), [])
        self.names[core] = name
        self.cores.append(core)

    def incarnate(self, core: Core) -> None:
        core.incarnate()

    def put_out(self, core: Core) -> None:
        """Revoke the last device, which nobody hears any more."""
        if len(self.cores) < 3 or core is self.cores[-1]:
            return
        gone = self.cores.pop()
        for other in self.cores:
            put_out(other, self.names[other], self.names[gone])

    def settle(self) -> None:
        settle(self.cores, self.world.now_ms)
        settle(self.cores, self.world.now_ms)

    def _here(self, core: Core) -> list[MemoryId]:
        rows = connection_of(core).execute("SELECT rid FROM memory ORDER BY rid")
        return [MemoryId(rid) for (rid,) in rows]


def open_slots(core: Core) -> list[bytes]:
    rows = connection_of(core).execute("SELECT slot FROM contradiction WHERE status = 'open' ORDER BY slot")
    return [slot for (slot,) in rows]


def questions(core: Core) -> list[tuple[bytes, str, str]]:
    return (
        connection_of(core)
        .execute("SELECT slot, entity, relation FROM contradiction ORDER BY slot")
        .fetchall()
    )


def held(judged: Judged) -> set[tuple[bytes, str]]:
    return {
        (belief.told.rid, belief.told.value)
        for belief in judged.beliefs
        if belief.standing is ClaimStatus.HELD and belief.told.value != ENDED
    }


def check_all_alike(life: Life) -> None:
    """All devices hold, ask and put off the same; no side appears twice, and what is hidden is hidden for another."""
    first, *others = life.cores
    connection, now_ms = connection_of(first), life.world.now_ms
    assert agree(*life.cores)
    for other in others:
        assert records(other) == records(first)
        assert retired(other) == retired(first)
        assert snoozed(connection_of(other), now_ms) == snoozed(connection, now_ms)
    found = {slot for (slot,) in connection.execute("SELECT slot FROM claim_slot")}
    out_of_sight = retired(first)
    asked = {slot for slot, _, _ in questions(first)}
    for slot in sorted(found):
        judged = judged_of(connection, slot)
        values = [side[0].told.value for side in judged.sides]
        for at, value in enumerate(values):
            assert not any(compatible(value, other) for other in values[:at]), f"{value} is a side twice"
        claims = [belief.told.claim for side in judged.sides for belief in side]
        assert len(claims) == len({*claims}), "a claim is of one side"
        hidden = [belief for belief in judged.beliefs if belief.standing is ClaimStatus.HIDDEN]
        for belief in hidden:
            assert not any(opinion.keep for opinion in belief.opinions), "only a decision hides"
        assert not hidden or slot in asked, "what is hidden can be brought back"
        assert out_of_sight.isdisjoint({rid for rid, _ in held(judged)}), "what holds is recalled"


def check_undone(life: Life) -> None:
    """Decide a question, forget some of it, and take the decision back, on one device or on two at once.

    What is asked then is what would be without the decision; and deciding again wins, on every device.
    """
    world, random = life.world, life.random
    core = random.choice(life.cores)
    for value in ("Shell", "Bosch"):
        world.now_ms += 1_000
        world.tell(core, value, changes=False, again=None)
    life.settle()
    connection = connection_of(core)
    slot, entity, relation = next(each for each in questions(core) if each[2] == "works_at")
    named = {"entity": entity, "relation": relation}
    told = told_of(connection, slot)
    assert judge(relation, told).status is ContradictionStatus.OPEN
    for _ in range(random.randint(1, 2)):
        world.now_ms += 1_000
        how = life.any_decision()
        life.note(f"decide {how}")
        world.decide(core, how)
    if judged_of(connection, slot).status is not ContradictionStatus.SETTLED:
        return
    life.settle()
    gone = {each.rid for each in told if random.random() < 0.15}
    life.note(f"forget {sorted(each.hex()[-4:] for each in gone)}")
    for rid in sorted(gone):
        say(random.choice(life.cores), Forget((MemoryId(rid),)), now_ms=world.now_ms)
    life.settle()
    check_all_alike(life)
    without = judge(relation, [each for each in told if each.rid not in gone])
    world.now_ms += 1_000
    for other in random.sample(life.cores, k=random.randint(1, 2)):
        life.note(f"reopen {life.names[other]}")
        reopen(other, connection_of(other), slot, **named, now_ms=world.now_ms)
    life.settle()
    check_all_alike(life)
    after = judged_of(connection, slot)
    if without.status is ContradictionStatus.OPEN:  # else it was open before that, and is so again
        assert held(after) == held(without)
        assert after.status is ContradictionStatus.OPEN
    check_decided_again(life, slot, named)


def check_decided_again(life: Life, slot: bytes, named: dict[str, str]) -> None:
    """Two devices reopen a question, or leave it as it is, while a third decides it; then somebody decides again."""
    world, random = life.world, life.random
    core = random.choice(life.cores)
    for other in life.cores:
        if other is not core and random.random() < 0.5:
            life.note(f"apart: reopen {life.names[other]}")
            reopen(other, connection_of(other), slot, **named, now_ms=world.now_ms)
    how = life.any_decision()
    life.note(f"apart: {life.names[core]} {how}")
    world.now_ms += 1_000
    world.decide(core, how)
    life.settle()
    check_all_alike(life)
    core = random.choice(life.cores)
    judged = judged_of(connection_of(core), slot)
    if judged.status is None:
        return
    kept = random.choice([side[0].told.value for side in judged.sides])
    life.note(f"again: {life.names[core]} {kept}")
    world.now_ms += 1_000
    decide(core, connection_of(core), slot, [kept], **named, now_ms=world.now_ms)
    life.settle()
    check_all_alike(life)
    now = judged_of(connection_of(core), slot)
    assert now.status is ContradictionStatus.SETTLED
    assert held(now)
    assert all(compatible(value, kept) for _, value in held(now)), (held(now), kept)


def run(seed: int) -> None:
    life = Life(seed)
    try:
        life.live()
        life.settle()
        check_all_alike(life)
        check_undone(life)
        assert verify_replica(life.cores[0]).ok
    except Exception:
        print(f"replay: python -m tests.property.cognition.test_reopening_worlds {seed}")
        print("\n".join(life.trace))
        raise


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_ask_the_same_and_a_decision_undone_was_never_made(seed: int) -> None:
    run(seed)


if __name__ == "__main__":
    run(int(sys.argv[1]))
