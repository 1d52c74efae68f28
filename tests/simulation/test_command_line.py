"""`python -m simulations`: what it prints, what it returns, and what it says of a slip."""

import json
from pathlib import Path

import pytest

from simulations import report, sweep
from simulations.__main__ import FOUND, INTERRUPTED, OK, USAGE, main
from simulations.recording import FORMAT
from simulations.sweep import SeedResult


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    parsed = json.loads(capsys.readouterr().out)
    assert isinstance(parsed, dict)
    return parsed


def test_run_prints_one_document_with_the_promised_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--seed", "0x3", "--ops", "5", "--json"]) == OK
    told = document(capsys)
    promised = {
        "seed",
        "replicas",
        "ops",
        "converged",
        "violations",
        "lost_ops",
        "ticks",
        "messages",
        "bytes",
    }
    assert promised | {"trace_hash"} <= set(told)
    assert (told["seed"], told["violations"]) == (3, [])


def test_run_prints_what_was_drawn_first_and_a_line_for_each_event(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "--seed", "3", "--ops", "5", "--trace"]) == OK
    shown = capsys.readouterr()
    assert shown.err.startswith("seed 3\nreplicas ")
    assert "writes" in shown.out


def test_a_violation_is_exit_code_1_with_the_command_that_shows_it_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "--seed", "1", "--bug", "pairwise"]) == FOUND
    shown = capsys.readouterr()
    assert "convergence: " in shown.out
    assert "run --seed 1 --faults all --protocol frontier --bug pairwise --trace" in shown.err


def test_sweep_adds_up_and_keeps_the_smallest_trace_of_the_first_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = tmp_path / "kept.json"
    line = [
        *("sweep", "--seeds", "3..4", "--replicas", "3", "--ops", "3", "--bug", "pairwise"),
        *("--jobs", "1", "-o", str(kept), "--json"),
    ]
    assert main(line) == FOUND
    told = document(capsys)
    assert told["seeds"] == 2
    assert told["failed"] == [4]
    assert main(["replay", str(kept), "--json"]) == FOUND
    assert document(capsys)["violations"]


def test_sweep_gives_the_same_totals_on_one_process_and_on_two(capsys: pytest.CaptureFixture[str]) -> None:
    """Nine seeds, since a process is given eight at a time."""
    worlds = ["--seeds", "0..8", "--replicas", "2", "--ops", "1", "--faults", "none"]
    totals = []
    for jobs in ("1", "2"):
        assert main(["sweep", *worlds, "--jobs", jobs, "--json"]) == OK
        totals.append({key: value for key, value in document(capsys).items() if key != "took_s"})
    assert totals[0] == totals[1]


def test_a_sweep_that_is_interrupted_tells_what_was_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_seed(seed: int, fixed: dict[str, object]) -> SeedResult:
        if seed == 2:
            raise KeyboardInterrupt
        return SeedResult(seed, (), {"ops": 7}, "")

    monkeypatch.setattr(sweep, "run_seed", run_seed)
    assert main(["sweep", "--seeds", "0..9", "--jobs", "1", "--json"]) == INTERRUPTED
    shown = capsys.readouterr()
    told = json.loads(shown.out)
    assert (told["seeds"], told["ops"], told["interrupted"]) == (2, 14, True)
    assert "interrupted after 2 of 10 seeds" in shown.err


def test_scenario_tells_its_story(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", "wrong_year"]) == OK
    assert "wrong_year: Stores that let the higher stamp win" in capsys.readouterr().out


def test_report_writes_one_page_that_asks_the_network_for_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(report, "OPS", report.OPS[:2])  # the other points of one line take most of the time
    page = tmp_path / "page.html"
    assert main(["report", "-o", str(page), "--replicas-max", "4", "--json"]) == OK
    assert document(capsys) == {"path": str(page)}
    text = page.read_text()
    assert text.count("<svg") == 5
    assert "http" not in text
    assert "<script" not in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["run", "--seed", "1", "--replicas", "-3"], "number of 0 or more, got -3"),
        (["run", "--seed", "1", "--replicas", "1"], "from 2 to"),
        (["run", "--seed", "soon"], "expected a number, got 'soon'"),
        (["run"], "--seed"),
        (["run", "--seed", "1", "--bug", "typo"], "expected one of the bugs"),
        (["sweep", "--seeds", "9..1"], "range of 1 to"),
        (["sweep", "--seeds", "9"], "range such as 0..100"),
        (["sweep", "--seeds", "1..2", "--jobs", "0"], "from 1 to 256 jobs"),
        (["scenario", "nowhere"], "expected one of a_flood"),
        (["replay", "no-such-file.json"], "cannot be read"),
        (["report", "-o", "no/such/folder/page.html"], "folder that exists"),
        (["report", "-o", "."], "a file to write, got the folder"),
        (["report", "-o", "page.html", "--replicas-max", "0"], "at least 2 replicas, got 0"),
        (["sweep", "--seeds", "1..2", "-o", "no/such/folder/kept.json"], "folder that exists"),
        ([], "VERB"),
    ],
)
def test_a_slip_is_exit_code_2_and_says_what_was_expected(
    capsys: pytest.CaptureFixture[str], line: list[str], expected: str
) -> None:
    assert main([*line, "--json"]) == USAGE
    error = document(capsys)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "usage"
    assert expected in error["message"]


def test_replay_of_an_older_recording_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"format": FORMAT - 1}))
    assert main(["replay", str(path)]) == USAGE
    assert "its seed means another world now" in capsys.readouterr().err
