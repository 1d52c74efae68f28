"""Worlds drawn from seeds hold every property, and one seed is one world everywhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from random import SystemRandom

import pytest

from replica.ids import DeviceId, OpRef, Origin
from replica.state.memories import MemoryCell
from simulations.checkers import all_checkers
from simulations.checkers.cognition import TOGETHER, summaries
from simulations.definition import Meaning, MemoryMeaning
from simulations.drawing import EVERYDAY, FAULTS, OPS_MAX, REPLICAS_MAX, draw
from simulations.options import Options
from simulations.playing import Outcome
from simulations.run import simulate
from simulations.trace import LEGEND
from simulations.wire import Wire
from tests.support.replicas import group, memories, remember, sync

# A fixed set that, between them, meets every fault; chosen for being quick.
FIXED_SEEDS = (*range(16), 32)
FRESH_SEEDS = 4
# The trace of one small world. It holds no sizes of compressed bytes, so it is the same on every Python and with every
# version of zstd; whoever changes what a seed draws changes `simulations.recording.FORMAT` and this line.
KNOWN_SEED = 5
KNOWN_TRACE = "dfaeb3aed25d53da58250fbe0e2254c1681cc1e8fb26ba60686dc4fc566e5f81"


def told(outcome: Outcome) -> str:
    seed, ops = outcome.options.seed, outcome.options.ops
    found = "; ".join(f"{each.checker}: {each.detail}" for each in outcome.violations[:3])
    return f"{found}\nagain: python -m simulations run --seed {seed} --ops {ops} --trace"


def twice(options: Options) -> Outcome:
    """Run a world two times: whatever is iterated out of order, or drawn beside the seed, shows here."""
    outcome = simulate(options)
    assert simulate(options).trace_hash == outcome.trace_hash
    return outcome


@pytest.mark.parametrize("seed", FIXED_SEEDS)
def test_a_known_seed_holds_every_property_and_is_the_same_world_twice(seed: int) -> None:
    outcome = twice(draw(seed))
    assert not outcome.violations, told(outcome)


@pytest.mark.parametrize("attempt", range(FRESH_SEEDS))
def test_a_fresh_seed_holds_every_property(attempt: int) -> None:
    outcome = twice(draw(SystemRandom().randrange(1 << 32), ops=40))
    assert not outcome.violations, told(outcome)


def test_what_one_summary_has_no_room_for_is_in_another_by_definition_too() -> None:
    """In this world seventy memories are proposed together; the definition once knew one summary for all of them."""
    outcome = simulate(draw(41805))
    assert not outcome.violations, told(outcome)


def test_members_are_summarised_so_many_at_a_time_by_definition_too() -> None:
    """A hostile member's chains came to 129 memories that proposals joined: the last one stands alone."""
    origin = Origin(DeviceId(bytes(32)), bytes(16))
    rids = [n.to_bytes(16) for n in range(TOGETHER + 1)]
    meaning = Meaning(proposals={OpRef(origin, 1, bytes(8)): tuple(rids)})
    for n, rid in enumerate(rids):
        meaning.memories[rid] = MemoryMeaning({OpRef(origin, n + 2, bytes(8)): (n + 1, f"word{n} told", {})})
    assert set[bytes]().union(*summaries(meaning).values()) == set(rids[:TOGETHER])


def test_two_that_both_ask_for_what_was_signed_may_both_send_all_of_it() -> None:
    """In this world two devices knew by a third one's word what each then asked the other for; one log was counted."""
    outcome = simulate(draw(43681))
    assert not outcome.violations, told(outcome)


def test_the_fixed_seeds_meet_every_fault_between_them() -> None:
    met = {fault for seed in FIXED_SEEDS for fault in draw(seed).faults}
    assert met == set(FAULTS)


def trace_of(seed: int, hash_seed: str) -> str:
    program = (
        "from simulations.drawing import draw\nfrom simulations.run import simulate\n"
        f"print(simulate(draw({seed}, faults='some')).trace_hash)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    return run.stdout.strip()


def test_a_seed_gives_the_trace_that_was_written_down_on_every_python_in_any_order_of_hash_tables() -> None:
    assert {trace_of(KNOWN_SEED, "1"), trace_of(KNOWN_SEED, "2")} == {KNOWN_TRACE}


def test_other_seeds_are_other_worlds() -> None:
    assert len({simulate(draw(seed, ops=5)).trace_hash for seed in range(6)}) == 6


def test_what_is_fixed_beside_a_seed_stays_fixed() -> None:
    options = draw(3, replicas=4, ops=9, faults="some")
    assert (options.replicas, options.ops, options.plan.count("write")) == (4, 9, 9)
    assert set(options.faults) == set(EVERYDAY)
    assert draw(3, faults="none").faults == ()


@pytest.mark.parametrize(
    ("fixed", "expected"),
    [
        ({"replicas": 1}, f"from 2 to {REPLICAS_MAX} replicas, got 1"),
        ({"ops": 0}, f"from 1 to {OPS_MAX} ops, got 0"),
        ({"faults": "many"}, "faults none, some or all; got 'many'"),
        ({"protocol": "pigeon"}, "one of the protocols frontier, hlc-cursor; got 'pigeon'"),
    ],
)
def test_options_that_make_no_world_are_refused(fixed: dict[str, str], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        draw(1, **fixed)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_hundred_replicas_come_to_rest_without_a_violation() -> None:
    outcome = simulate(draw(11, replicas=100, ops=100, faults="some"))
    assert not outcome.violations, told(outcome)
    assert outcome.deliveries > 5_000


def test_the_legend_in_the_documents_is_the_one_that_traces_use() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "simulation.md").read_text()
    for word, means in LEGEND.items():
        assert f"| `{word}` | {means} |" in page
    for fault in FAULTS:
        assert re.search(rf"^\| .*\b{fault}\b.* \|", page, re.MULTILINE), fault
    for checker in all_checkers():
        assert f"| {checker.name} |" in page


def test_what_one_replica_keeps_of_a_memory_no_other_can_change() -> None:
    """What is computed once for all are values; a dictionary among them would hide that a fold changes it."""
    with Wire().shared():
        ann, ben = group("ann", "ben")
        (rid,) = remember(ann, "one")
        sync(ann, ben)
        kept = [list(dict(core.store.all_cells()).values()) for core in (ann, ben)]
        (one,), (other,) = (cell.adds.values() for (cell,) in kept if isinstance(cell, MemoryCell))
        assert one == other
        assert one.fields is not other.fields
        assert memories(ann).keys() == memories(ben).keys() == {rid}
