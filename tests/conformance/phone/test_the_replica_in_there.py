"""The replica's own tests in the phone's Python, under node: protocol vectors, unit tests, laws, and whole worlds."""

from itertools import count, islice
from pathlib import Path
from typing import Final

import pytest

from simulations.drawing import draw
from simulations.run import simulate
from tests.support.phone_page import run_in_node, run_tests_in_node

# Each takes a busy machine a minute, which is far less than any test of ours may take.
_SECONDS_MAX: Final = 400
_WORLDS: Final = 12
_OPS: Final = 12
# Few, since starting takes as long as three worlds do; two, so that neither takes long.
_PARTS: Final = 2
_SCRIPT: Final = Path(__file__).parents[2] / "support" / "phone_worlds.py"

_VECTORS: Final = ("tests/unit/test_protocol_vectors.py",)
# What goes alongside is vectors, which no phone has.
_NOT_FOR_A_PHONE: Final = ("not alongside",)

_UNIT: Final = "tests/unit/replica"
# A browser's Python has no threads, no processes, and no trio; nor does it hold what commands are made of.
_OTHER_FILES: Final = (
    *("storage/test_driver.py", "storage/test_interrupts.py", "test_asyncio_host.py", "test_supervision.py"),
    *("test_beside.py", "test_evidence.py"),
)
_OTHER_TESTS: Final = (
    *("test_a_full_disk_says_so", "test_a_disk_without_a_free_byte", "test_a_process_that_dies"),
    "test_two_threads",
    # Of a log beside the store, which only processes that share memory have.
    *("test_commits_write_over_room", "test_room_is_made_behind", "test_room_that_is_made_ahead"),
    "test_a_log_of_nothing_but_room",
    *("test_a_disk_without_room_to_spare", "test_the_last_that_a_disk_has"),
    "test_a_chapter_is_edited_without_comparing",  # which is of time
    # Of sizes alone, which come of the bytes that vectors hold this interpreter to; each takes seconds in there.
    *(
        "test_a_long_log_on_few_memories_comes_to",
        "test_bytes_end_a_frame_too",
        "test_a_long_log_leaves_in_frames",
    ),
    # Of labels, in every order that ops may come in: no line is theirs alone, and a third of the time in there was.
    *("test_what_0_1_0_wrote_apart", "test_two_devices_that_label_a_memory", "test_a_whole_write_of_0_1_0"),
    # Drawn with a seed each, of which the first will do for an interpreter: they took half of the time in there.
    *(f"what_a_fold_comes_to[{seed}]" for seed in range(1, 6)),
    *(f"as_if_it_were_folded_again[{seed}-" for seed in range(1, 12)),
)

# Four of its forty histories: two on each kind of store.
_HISTORIES: Final = tuple(
    "tests/property/replica/test_bases_merge.py::"
    f"test_a_group_that_compacts_as_it_likes_ends_equal_and_verifies[{seed}]"
    for seed in range(0, 40, 10)
)
_MERGE: Final = ("tests/property/replica/test_merge_laws.py", *_HISTORIES)
_CONVERGE: Final = ("tests/property/replica/test_convergence_laws.py", "tests/property/sync/wire")


def _unit(*names: str, but: tuple[str, ...] = ()) -> tuple[str, ...]:
    left_out = [f"--ignore={_UNIT}/{name}" for name in (*_OTHER_FILES, *but)]
    return (*(f"{_UNIT}/{name}" for name in names), *left_out, "-k", f"not ({' or '.join(_OTHER_TESTS)})")


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(_unit("state", "storage"), id="unit-tests-of-state-and-storage"),
        pytest.param(_unit("", but=("state", "storage")), id="unit-tests-of-the-rest"),
        # Starting takes as long as half of the laws do.
        pytest.param((*_MERGE, *_CONVERGE, *_VECTORS, "-k", *_NOT_FOR_A_PHONE), id="laws-and-vectors"),
    ],
)
def test_the_replicas_own_tests_pass_in_a_phones_python(asked: tuple[str, ...]) -> None:
    told = run_tests_in_node(*asked, seconds=_SECONDS_MAX)
    assert " passed" in told
    assert " failed" not in told


@pytest.mark.parametrize("part", range(_PARTS))
def test_worlds_leave_the_same_traces_as_here(part: int) -> None:
    """Those whose devices only remember and meet: a phone thinks of nothing by vectors."""
    drawn = islice((seed for seed in count(1) if not draw(seed, ops=_OPS).thinks), _WORLDS)
    seeds = [*drawn][part::_PARTS]
    told = run_in_node(_SCRIPT, str(_OPS), *map(str, seeds), seconds=_SECONDS_MAX)
    here = [f"{seed} {simulate(draw(seed, ops=_OPS)).trace_hash}" for seed in seeds]
    assert told.split("\n")[:-1] == here
