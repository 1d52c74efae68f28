"""An import under `kill -9` at random moments: what was acknowledged is there, and nothing is there twice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import samemind

ROOT = Path(__file__).parents[2]
LINES = 300


def imported_under(kills: int, tmp_path: Path, seed: int) -> None:
    file, home = tmp_path / "notes.jsonl", tmp_path / "home"
    file.write_text(
        "\n".join(json.dumps({"id": str(n), "text": f"Note number {n} of many"}) for n in range(LINES))
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killed_import", str(home), str(file), str(kills), str(seed)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=300,
    )  # fmt: skip
    acknowledged = starts = finished = homes = 0
    for line in done.stdout.splitlines():
        word, *numbers = line.split()
        match word, [int(number) for number in numbers]:
            case "start", [rows]:
                starts += 1
                assert rows >= acknowledged, f"{rows} memories are left of {acknowledged} (seed {seed})"
            case "ack", [rows]:
                acknowledged = rows
            case "done", [new, known]:
                finished += 1
                assert new + known == LINES
                acknowledged = LINES
            case _:
                acknowledged, homes = 0, homes + 1  # what follows is another device
    assert finished >= 2
    assert starts > finished, "no kill fell into an import"
    with samemind.open_blocking(home / str(homes)) as mind:
        texts = [memory.text for memory in mind.list(limit=2 * LINES)]
        assert sorted(texts) == sorted(f"Note number {n} of many" for n in range(LINES))
        assert mind.verify().ok


@pytest.mark.endtoend
def test_an_import_that_is_killed_at_some_random_moments_loses_and_doubles_nothing(tmp_path: Path) -> None:
    imported_under(4, tmp_path, seed=7)


@pytest.mark.slow
@pytest.mark.endtoend
def test_an_import_that_is_killed_at_a_dozen_random_moments_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """`make torture` kills it fifty times."""
    imported_under(12, tmp_path, seed=6)
