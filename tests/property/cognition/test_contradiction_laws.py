"""Whatever is told, decided and forgotten on devices that are apart: once they meet, they ask the same questions."""

from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cognition.contradictions.relations import relation_of
from cognition.contradictions.slots import ClaimStatus, ContradictionStatus
from cognition.contradictions.tables import ClaimTables, judged_of, told_of
from cognition.contradictions.values import compatible
from cognition.judging.verdicts import Verdict
from replica import compact
from replica.reads.log import verdicts_on
from replica.verify import verify_replica
from tests.support.deciding import VALUES, World, asked, connection_of, make_store, play, records, retired
from tests.support.published import published
from tests.support.replicas import DAY_MS, agree, group, settle, sync

STEPS = st.one_of(
    st.tuples(st.just("tell"), st.integers(0, 2), st.sampled_from(VALUES), st.booleans()),
    st.tuples(st.just("again"), st.integers(0, 2), st.sampled_from(VALUES), st.integers(0, 9)),
    st.tuples(st.just("resolve"), st.integers(0, 2), st.sets(st.sampled_from(VALUES), min_size=1)),
    st.tuples(st.just("reopen"), st.integers(0, 2)),
    st.tuples(st.just("forget"), st.integers(0, 2), st.integers(0, 9)),
    st.tuples(st.just("sync"), st.integers(0, 2), st.integers(0, 2)),
)


@published("YD-42")
@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=3, max_size=18))
def test_devices_that_agree_ask_the_same_questions(steps: list[tuple[Any, ...]]) -> None:
    world = World(group("ann", "ben", "cleo", make_store=make_store), [], Random(1))
    for step in steps:
        play(world, step)
    settle(world.cores, world.now_ms)
    assert agree(*world.cores)
    first, *others = world.cores
    for other in others:
        assert records(other) == records(first)
        assert retired(other) == retired(first)
    assert len(records(first)) <= 1, "one slot, one record"
    assert verify_replica(first).ok
    kept, gone = records(first), retired(first)
    connection = connection_of(first)
    connection.execute("DELETE FROM claim_version")
    ClaimTables().migrate(connection)
    assert (records(first), retired(first)) == (kept, gone), "made anew, the tables are what they had become"
    compact(first, world.now_ms + DAY_MS)
    assert records(first) == kept, "what leaves the log leaves no question behind, and takes none along"


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=3, max_size=14))
def test_only_a_decision_or_a_change_takes_a_value_away(steps: list[tuple[Any, ...]]) -> None:
    """Whatever merges, a claim that nobody replaced, decided against or forgot holds."""
    world = World(group("ann", "ben", "cleo", make_store=make_store), [], Random(2))
    for step in steps:
        play(world, step)
    settle(world.cores, world.now_ms)
    for _, entity, relation, status, *_ in records(world.cores[0]):
        assert relation_of(relation).single
        connection = connection_of(world.cores[0])
        ((slot,),) = connection.execute("SELECT slot FROM contradiction WHERE entity = ?", (entity,))
        judged = judged_of(connection, slot)
        named = {claim for belief in judged.beliefs for claim in belief.told.replaces}
        for belief in judged.beliefs:
            keeps = [opinion.keep for opinion in belief.opinions]
            if belief.standing is ClaimStatus.HIDDEN:
                assert keeps
                assert not any(keeps)
            if belief.standing is ClaimStatus.REPLACED:
                assert named
            if belief.told.claim not in named and not keeps:
                assert belief.standing is not ClaimStatus.HIDDEN
        held = [belief.told.value for belief in judged.beliefs if belief.standing is ClaimStatus.HELD]
        disputed = any(not compatible(one, other) for one in held for other in held)
        if status == ContradictionStatus.OPEN.value:
            assert disputed, "nobody is asked what is not in dispute"


DECISIONS = st.one_of(
    st.tuples(st.just("keep"), st.lists(st.integers(0, 4), min_size=1, max_size=3)),
    st.tuples(st.just("since"), st.integers(0, 4)),
    st.tuples(st.just("merge"), st.just(0)),
    st.tuples(
        st.just("settle"),
        st.tuples(st.sampled_from([*Verdict]), st.integers(0, 4), st.integers(0, 4)),
    ),
)


ROUNDS = st.one_of(
    st.tuples(st.just("tell"), st.integers(0, 1), st.sampled_from(VALUES), st.just(False)),
    st.tuples(st.just("decide"), st.integers(0, 1), DECISIONS),
    st.tuples(st.just("reopen"), st.integers(0, 1)),
    st.tuples(st.just("sync"), st.integers(0, 1), st.integers(0, 1)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ROUNDS, max_size=6), st.lists(DECISIONS, min_size=1, max_size=3), st.booleans())
def test_a_decision_that_is_taken_back_was_never_made(
    rounds: list[tuple[Any, ...]], decisions: list[tuple[Any, ...]], is_elsewhere: bool
) -> None:
    """Whatever was decided before, also apart, and however often since, on this device or on another."""
    world = World(group("ann", "ben", make_store=make_store), [], Random(3))
    ann, ben = world.cores
    told = [("tell", at, value, False) for at, value in enumerate(VALUES[:2])]
    last = [("tell", at, value, False) for at, value in enumerate(["Intel", "Shell"])]
    for step in (*told, ("sync", 0, 1), *rounds, *last):
        play(world, step)
    settle(world.cores, world.now_ms)
    before = asked(ann)
    assume({status for _, status, _ in before[1]} == {"open"})
    for decision in decisions:
        world.now_ms += 1_000
        world.decide(ann, decision)
    # Where a question is settled, a verdict on two memories raises another, about them alone.
    assume([(slot, "open") for slot, _, _ in asked(ann)[1]] == [each[:2] for each in before[1]])
    assume({status for _, status, _ in asked(ann)[1]} == {"settled"})
    sync(ann, ben, world.now_ms)
    world.now_ms += 1_000
    world.reopen(ben if is_elsewhere else ann)
    settle(world.cores, world.now_ms)
    assert asked(ann) == asked(ben) == before
    assert verify_replica(ann).ok


def test_a_clock_that_stands_still_makes_no_one_decision_of_two() -> None:
    """As of a device whose peer's clock is ahead: until it is passed, all is stamped with one millisecond."""
    world = World(group("ann", make_store=make_store), [], Random(4))
    (ann,) = world.cores
    for value in ("Google", "Meta"):
        world.tell(ann, value, changes=False, again=None)
    world.decide(ann, ("keep", [0]))
    world.tell(ann, "Apple", changes=False, again=None)
    before = asked(ann)
    for decision in (("keep", [1]), ("since", 2), ("merge", 0)):
        world.decide(ann, decision)
    world.reopen(ann)
    assert asked(ann) == before
    assert [status for _, status, _ in before[1]] == ["open"]


def test_verdicts_are_found_without_reading_the_whole_log(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(group("ann", make_store=make_store), [], Random(5))
    (ann,) = world.cores
    connection = connection_of(ann)
    for value in VALUES[:2]:
        world.tell(ann, value, changes=False, again=None)
    for at in (0, 1, 0):
        world.now_ms += 1_000
        world.decide(ann, ("keep", [at]))
    ((slot,),) = connection.execute("SELECT slot FROM contradiction").fetchall()
    google, meta = (told.claim for told in told_of(connection, slot))
    said: list[str] = []
    connection.set_trace_callback(said.append)
    found = verdicts_on(connection, {google, meta})
    connection.set_trace_callback(None)
    plan = " ".join(str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {said[0]}"))
    assert "op_by_resolution" in plan
    decided = [{google: True, meta: False}, {google: False, meta: True}, {google: True, meta: False}]
    assert [each.keeps for each in found] == decided
    assert [each.keeps for each in verdicts_on(connection, {meta})] == [
        {meta: each[meta]} for each in decided
    ]
    assert verdicts_on(connection, {bytes(8)}) == []
    monkeypatch.setattr("replica.reads.log.VERDICTS_READ_MAX", 1)
    newest = max(each.hlc for each in found)
    assert {each.hlc for each in verdicts_on(connection, {google, meta})} == {newest}


def test_what_two_devices_dated_apart_is_dated_so_again() -> None:
    """Each claimed the value anew, from a time of its own, without knowing of the other."""
    world = World(group("ann", "ben", make_store=make_store), [], Random(6))
    ann, _ = world.cores
    since = ("since", 0)
    told = [("tell", 0, "Google", False), ("tell", 1, "Meta", False), ("sync", 0, 1)]
    for step in (*told, ("decide", 0, since), ("decide", 1, since), ("tell", 0, "Intel", False)):
        play(world, step)
    settle(world.cores, world.now_ms)
    before = asked(ann)
    play(world, ("decide", 0, since))
    play(world, ("reopen", 0))
    assert asked(ann) == before


def test_decisions_that_did_not_know_of_each_other_count_again_as_they_did() -> None:
    """One kept Meta and one hid it, so it held: also where only the log has these verdicts."""
    world = World(group("ann", "ben", make_store=make_store), [], Random(7))
    ann, ben = world.cores
    told = [("tell", 0, "Google", False), ("tell", 1, "Meta", False), ("sync", 0, 1)]
    apart = [("decide", 0, ("keep", [1])), ("decide", 1, ("keep", [0])), ("tell", 0, "Apple", False)]
    for step in (*told, *apart):
        play(world, step)
    settle(world.cores, world.now_ms)
    before = asked(ann)
    assert len(before[0]) == 3
    for step in (("decide", 0, ("keep", [0])), ("sync", 0, 1), ("reopen", 1)):
        play(world, step)
    settle(world.cores, world.now_ms)
    assert asked(ann) == asked(ben) == before


def test_a_verdict_that_the_base_alone_has_counts_again() -> None:
    """It left the log before another overrode it."""
    world = World(group("ann", make_store=make_store), [], Random(8))
    told = [("tell", 0, "Google", False), ("tell", 0, "Meta", False), ("decide", 0, ("keep", [1]))]
    for step in (*told, ("compact", 0), ("tell", 0, "Apple", False)):
        play(world, step)
    before = asked(world.cores[0])
    assert len(before[0]) == 2, "Google is hidden"
    for step in (("decide", 0, ("keep", [2])), ("reopen", 0)):
        play(world, step)
    assert asked(world.cores[0]) == before


def test_a_decision_that_left_the_log_without_a_trace_is_not_taken_for_none() -> None:
    """Both were kept instead of the merger, and one alone then; of that between, nothing is left."""
    world = World(group("ann", make_store=make_store), [], Random(9))
    for step in (("tell", 0, "Google", False), ("tell", 0, "Meta", False)):
        play(world, step)
    before = asked(world.cores[0])
    for decision in (("merge", 0), ("keep", [0, 1]), ("keep", [0])):
        play(world, ("decide", 0, decision))
    play(world, ("compact", 0))
    play(world, ("reopen", 0))
    assert asked(world.cores[0]) == before, "the merger stood in no question"


def test_what_was_set_apart_before_the_decision_holds_again_beside_the_question() -> None:
    """Meta is of another thing than both others, so it is no side of the question; the decision hid it, too."""
    world = World(group("ann", make_store=make_store), [], Random(10))
    for value in VALUES:
        play(world, ("tell", 0, value, False))
    for pair in ((1, 0), (1, 2)):
        play(world, ("decide", 0, ("settle", (Verdict.TWO_THINGS, *pair))))
    before = asked(world.cores[0])
    assert [status for _, status, _ in before[1]] == ["open"]
    for kept in ([0], [0, 1]):
        play(world, ("decide", 0, ("keep", kept)))
        play(world, ("reopen", 0))
        assert asked(world.cores[0]) == before


def test_what_a_decision_left_as_it_was_is_not_claimed_without_end() -> None:
    """It said once more what a change had settled, so there is nothing to give back."""
    world = World(group("ann", make_store=make_store), [], Random(11))
    (ann,) = world.cores
    play(world, ("tell", 0, "Google", False))
    world.tell(ann, "Meta", changes=True, again=None)
    play(world, ("decide", 0, ("settle", (Verdict.CHANGED, 0, 1))))
    before = asked(ann), ann.position
    play(world, ("reopen", 0))
    assert (asked(ann), ann.position) == before


@pytest.mark.parametrize(("claims_max", "shown"), [(5, 3), (6, 2)])
def test_of_very_many_claims_few_decisions_are_looked_behind(
    claims_max: int, shown: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then all is asked that was told, as behind very many decisions."""
    monkeypatch.setattr("cognition.judging.reopening.CLAIMS_MAX", claims_max)
    world = World(group("ann", make_store=make_store), [], Random(12))
    told = [("tell", 0, value, False) for value in VALUES]
    decided = [("decide", 0, ("keep", [number])) for number in (1, 1, 1)]
    for step in (*told[:2], decided[0], told[2], *decided[1:], ("reopen", 0)):
        play(world, step)
    assert len(asked(world.cores[0])[0]) == shown
