"""Failing worlds are shrunk, kept and replayed; a recording from another time says so."""

import json
from pathlib import Path

import pytest

import simulations
from simulations.bugs import BUGS
from simulations.drawing import draw
from simulations.recording import FORMAT, Recording, load, save
from simulations.run import simulate
from simulations.shrink import minimise, shrink

SEEDS = sorted((Path(simulations.__file__).parent / "seeds").glob("*.json"))
RECORDING = Recording(7, 3, None, "all", "frontier", "", frozenset({1, 2}), "convergence", "a cause")


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_seed_that_once_failed_holds_every_property_now(path: Path) -> None:
    recording = load(path)
    outcome = simulate(recording.options(), keep=recording.keep)
    assert not outcome.violations, recording.cause
    assert len(recording.cause) > 40, "a kept seed says what broke"


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_kept_seed_fails_again_when_what_it_was_kept_for_is_undone(path: Path) -> None:
    recording = load(path)
    assert recording.undone in BUGS, "a kept seed names the bug that brings its cause back"
    found = simulate(recording.options(undone=True), keep=recording.keep).violations
    assert recording.checker in {each.checker for each in found}


def test_the_shrinker_keeps_only_what_is_needed() -> None:
    assert minimise(list(range(100)), lambda keep: {17, 60} <= keep) == {17, 60}


def test_a_shrunk_world_fails_in_the_same_way_with_fewer_events() -> None:
    options = draw(1, bug="pairwise", ops=30)
    keep = shrink(options, "convergence")
    assert len(keep) < len(options.plan) / 3
    assert "convergence" in {each.checker for each in simulate(options, keep=keep).violations}


def test_a_recording_comes_back_as_it_was(tmp_path: Path) -> None:
    save(RECORDING, tmp_path / "kept.json")
    assert load(tmp_path / "kept.json") == RECORDING


def test_a_recording_of_an_older_format_says_that_its_seed_means_another_world(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    save(RECORDING, path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": FORMAT - 1}))
    with pytest.raises(ValueError, match=f"format {FORMAT - 1}.*means another world"):
        load(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not json", "cannot be read"),
        ("[]", "without a format number"),
        ("{}", "without a format number"),
        (f'{{"format": {FORMAT + 1}}}', "recorded by a later version"),
        (f'{{"format": {FORMAT}, "seed": "x"}}', "expected 'seed'"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_what_was_expected(
    tmp_path: Path, text: str, expected: str
) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=expected):
        load(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        load(tmp_path / "none.json")
