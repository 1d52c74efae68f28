"""Checkers can fail: each planted bug is caught, and by a checker that it is about."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from simulations import links
from simulations.bugs import BUGS, HARMLESS
from simulations.carrying import draw_carrying
from simulations.checkers import all_checkers, erasure
from simulations.drawing import draw
from simulations.hostile import behaviour
from simulations.options import Options
from simulations.run import simulate
from simulations.scenarios import SCENARIOS, run_scenario

SEEDS_MAX = 200
# Where the search need not begin at 0: the first seed that catches a bug, as far as it is not among the first few.
CATCHING_SEEDS = {
    "accesses-added": 19,
    "any-add": 16,
    "any-count": 118,
    "any-file": 22,
    "any-revocation": 37,
    "any-root": 2,
    "any-text": 116,
    "any-update": 27,
    "base-as-now": 32,
    "claim-drop": 13,
    "compact-unknown": 24,
    "cut": 8,
    "digest-drifts": 3,
    "edges-stay": 2,
    "hide": 2,
    "hide-in-lists": 2,
    "keeps-erased": 3,
    "mid-commit": 7,
    "no-full-vector": 138,
    "no-hash": 1,
    "no-proof": 10,
    "no-spine": 13,
    "no-tombstone": 4,
    "nobody-accused": 18,
    "not-durable": 1,
    "old-takes-new": 140,
    "overwrite": 2,
    "one-part-proven": 122461,
    "pairwise": 1,
    "part-of-none": 2,
    "parts-shared": 32,
    "proof-forgotten": 101590,
    "record-stays": 53,
    "replace": 7,
    "replaces-shown": 39,
    "sends-all": 1,
    "sent-back": 29,
    "shared-client": 97,
    "short-stem": 29,
    "skip": 2,
    "snapshot-of-state": 8,
    "somebody-accused": 5,
    "status-falls": 7,
    "statuses-stay": 8,
    "summary-stays": 3,
    "tag-dropped": 8,
    "tags-united": 28,
    "tie-feed": 4,
    "tombstones-collected": 4,
    "union": 7,
    "unsigned": 5,
    "unsigned-end": 5,
    "untag-all": 8,
}

# What meeting by files heals: its seed's plan ends before that.
HEALED_BY_FILES = {"proof-forgotten"}

# These take a few things in the right order, which few seeds draw: the scenario says which.
SCRIPTED = {
    "any-add": "two_adds",
    "any-text": "later_text",
    "no-full-vector": "branch_below_a_base",
    "old-takes-new": "base_of_a_later_version",
    "replaces-shown": "hidden_claim",
}


@pytest.mark.parametrize(("bug", "name"), SCRIPTED.items())
def test_a_shy_bug_is_caught_by_its_scenario_too(bug: str, name: str) -> None:
    found = {each.checker for each in run_scenario(SCENARIOS[name], bug=bug).violations}
    assert BUGS[bug].caught_by & found


class Caught(BaseException):
    """Ends a world where a checker has found what was looked for; nothing that a world guards against is it."""


def is_caught(options: Options, by: frozenset[str]) -> bool:
    """Whether one of these checkers finds anything: what the world would come to after that is not waited for."""

    def say(line: str) -> None:
        _, _, found = line.partition(" violation ")
        if found.strip().partition(": ")[0] in by:
            raise Caught

    try:
        simulate(options, say=say)
    except Caught:
        return True
    return False


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_caught(bug: str) -> None:
    first = CATCHING_SEEDS.get(bug, 0)
    for seed in [first, *(seed for seed in range(SEEDS_MAX) if seed != first)]:
        options = draw(seed, bug=bug)
        if bug in HEALED_BY_FILES:
            files = draw_carrying(seed, options.faults)
            options = replace(options, plan=options.plan[: len(options.plan) - len(files)])
        if is_caught(options, BUGS[bug].caught_by):
            return
    pytest.fail(f"{bug} ({BUGS[bug].says}) was not caught within {SEEDS_MAX} seeds")


def test_the_broken_rule_that_a_page_shows_is_seen_to_be_broken() -> None:
    """Seeds draw other worlds when the simulator changes: the one that the page names may show nothing any more."""
    page = Path(__file__, "../../../docs/how-to/replay-a-seed.md").resolve().read_text()
    ((seed, bug),) = re.findall(r"simulations run --seed (\d+) --bug ([\w-]+)", page)
    assert simulate(draw(int(seed), bug=bug)).violations


# What the model behind the design can switch on.
MODEL_RULES = frozenset(
    [
        "hlc_order",
        "replace",
        "cut",
        "pairwise",
        "nohash",
        "noproof",
        "tie_feed",
        "mid_commit",
        "union",
        "noincarnation",
        "nospine",
        "nofullvec",
        "snap_state",
        "compact_unknown",
        "tomb_gc",
        "acc_feed",
        "replaces_shown",
        "any_add",
        "claim_drop",
        "old_takes_new",
    ]
)


def test_every_wrong_rule_of_the_model_has_its_counterpart_here() -> None:
    named = [bug.model for bug in (BUGS | HARMLESS).values() if bug.model]
    assert len(named) == len(set(named))
    assert set(named) == MODEL_RULES


def test_the_page_lists_every_planted_bug_with_what_catches_it() -> None:
    page = Path(__file__, "../../../docs/explanation/simulation.md").resolve().read_text()
    for name, bug in (BUGS | HARMLESS).items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        _, _, says, caught, model, _ = (cell.strip() for cell in row.split("|"))
        assert says == bug.says
        assert model.strip("`") == bug.model
        if bug in BUGS.values():
            assert caught == ", ".join(sorted(bug.caught_by))


def test_every_checker_has_a_bug_that_it_catches() -> None:
    caught = frozenset[str]().union(*(bug.caught_by for bug in BUGS.values()))
    assert {checker.name for checker in all_checkers()} <= caught


@pytest.mark.parametrize("bug", HARMLESS)
def test_a_rule_that_is_wrong_and_harmless_is_not_needed_for_correctness(bug: str) -> None:
    for seed in range(6):
        assert not simulate(draw(seed, bug=bug)).violations


def test_a_bug_is_gone_when_its_world_is_over() -> None:
    assert simulate(draw(1, bug="pairwise")).violations
    assert not simulate(draw(1)).violations


def test_two_devices_that_would_talk_for_ever_are_a_finding_and_not_a_test_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a quarter of what sessions may say, so that it costs a tenth; the same world without the bug needs less."""
    monkeypatch.setattr(links, "SESSION_MESSAGES_MAX", 500)
    monkeypatch.setattr(behaviour, "_TURNS_MAX", 100)
    assert not simulate(draw(7)).violations
    violations = simulate(draw(7, bug="snapshot-of-state")).violations
    assert any(
        each.checker == "no_wedge" and "#" in each.detail and "without end" in each.detail
        for each in violations
    )


def test_the_words_of_an_erased_memory_are_looked_for_whole() -> None:
    """In `python -m simulations run --seed 7086 --faults all` the erased "c348" began a word of another memory."""
    assert not erasure.holds(b"\x01c3487 c3488\x80", "c348")
    assert erasure.holds(b"\x01c3487 c348\x80", "c348")
    assert erasure.holds(b"\xa4c348", "c348")
