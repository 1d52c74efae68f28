"""What was told to a program that is killed in the next moment is read by the next one."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import samemind
from samemind.commands.memories._pins import PINS_MAX

TALK = "Alice is the tech lead at Stripe. She prefers Python over Java and lives in Berlin with her dog."
TELLS = f"""
import os, signal, sys
import samemind

with samemind.open_blocking(sys.argv[1]) as mind:
    told = mind.remember({TALK!r}, read=False)
    assert not told.read and not told.facts, told
    mind.remember("I work at Google")
    print(mind.remember("I work at Meta").rid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_program_leaves_what_it_told_to_be_read(tmp_path: Path) -> None:
    """Facts, links and claims are behind the commit: a crash in between loses nothing."""
    told = subprocess.run(
        [sys.executable, "-c", TELLS, str(tmp_path / "home")], capture_output=True, text=True, check=False
    )
    assert told.returncode == -signal.SIGKILL, told.stderr
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.get(told.stdout.strip()).text == "I work at Meta"
        found = [memory.text for memory in mind.list()]
        assert {"Alice is the tech lead at Stripe", "Alice prefers Python over Java"} <= {*found}
        assert [each.relation for each in mind.contradictions()] == ["works_at"]


def test_the_next_question_finds_what_was_told_and_what_follows_from_it(tmp_path: Path) -> None:
    """Who asks right after telling gets the words, the facts and the number of tellings."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        first = mind.remember("The rent is 950 euros")
        again = mind.remember("Really, the rent is 950 euros", read=False)
        assert (again.read, again.says_same) == (False, [])
        (hit,) = mind.recall("the rent is 950 euros", k=1)
        assert (hit.tellings, {hit.rid, *hit.same}) == (2, {first.rid, again.rid})
        talk = mind.remember(TALK, read=False)
        assert len(mind.forget(talk).facts) == 3
        assert len(mind.list()) == 1


def test_who_waits_is_told_what_was_found(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        rent = mind.remember("The rent is 950 euros")
        told = mind.remember("Really, the rent is 950 euros", read=True)
        assert (told.read, told.says_same) == (True, [rent.rid])
        assert len(mind.remember(TALK, read=True).facts) == 3


BURST = [
    f"The {word} stands in the cellar" for word in ("acorn", "brush", "cricket", "dune", "engine", "flute")
]
TELLS_A_BURST = f"""
import os, signal, sys
import samemind

with samemind.open_blocking(sys.argv[1]) as mind:
    for text in {BURST!r}:
        mind.remember(text)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_burst_that_nobody_had_time_to_file_is_found_by_its_words(tmp_path: Path) -> None:
    """Each of it once, and the file is sound."""
    told = subprocess.run(
        [sys.executable, "-c", TELLS_A_BURST, str(tmp_path / "home")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == -signal.SIGKILL, told.stderr
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert sorted(memory.text for memory in mind.list()) == sorted(BURST)
        for text in BURST:
            assert mind.recall(text.split()[1], k=1)[0].text == text
        assert mind.verify().ok
    with closing(sqlite3.connect(tmp_path / "home" / "memory.db")) as connection:
        places = connection.execute("SELECT term, doc, col, offset FROM memory_word_at").fetchall()
        assert len(places) == len({*places}) > len(BURST)
        connection.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")
        assert connection.execute("SELECT count(*) FROM op_aside").fetchone() == (0,)


def test_what_was_just_told_counts_for_what_is_told_next(tmp_path: Path) -> None:
    """What came out of a recall keeps its speaker, and no more are pinned than there is room for."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("It rains")  # whoever watches is woken by this, and then not for a while
        mind.remember("The rent is 950 euros", speaker="Ann")
        again = mind.remember("The rent is 950 euros", source="recall")
        assert mind.get(again).speaker == "Ann"
        for number in range(PINS_MAX):
            mind.remember(f"The code of door {number} is known", pin=True)
        with pytest.raises(samemind.NeedsDecision, match="pinned already"):
            mind.remember("One door more", pin=True)
