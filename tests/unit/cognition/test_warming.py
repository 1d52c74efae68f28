"""What reading takes can be made ready ahead: no text that comes then waits for an expression to be compiled."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

# In a process of its own, since others would have read something before.
_SCRIPT: Final = """
import json
import re._compiler
from datetime import datetime
from cognition.ingest.holding import secret_kinds
from cognition.times import windows
from cognition.reminding.reading import read_reminder
from cognition.ingest.plan import read_text
from cognition.warming import make_ready

made = []
plain = re._compiler.compile
re._compiler.compile = lambda *given: (made.append(given[0]), plain(*given))[1]
steps = 0
for _ in (make_ready() if READY else ()):
    steps += 1
before = len(made)
for text in TEXTS:
    read_reminder(text, datetime(2026, 3, 1, 8))
    read_text(text, {}, now_ms=1_772_352_000_000)
    secret_kinds(text, {})
    windows(text, 1_772_352_000_000)
print(json.dumps([steps, [str(each) for each in made[before:] if len(each) > WORD_MAX]]))
"""
# Single words ("days?") are compiled when a date is told by them, in a moment each.
_WORD_MAX: Final = 20
_TEXTS: Final = (
    "My sister Ines lives in Porto since May, and I prefer the window seat. We moved there two years ago.",
    "Meine Schwester wohnt in Hamburg, und ich trinke lieber Tee. Vorgestern war ich beim Arzt.",
    "Mi hermana trabaja en un hospital y prefiero el café. La semana pasada fui al médico.",
    "Моя сестра живёт в Казани, я люблю чай и вчера была у врача.",
    "Моя сестра живе в Одесі, я люблю чай і вчора була у лікаря.",
)


@pytest.mark.parametrize("is_ready", [True, False])
def test_no_text_waits_for_an_expression_once_all_is_ready(is_ready: bool) -> None:
    script = f"READY, TEXTS, WORD_MAX = {is_ready!r}, {_TEXTS!r}, {_WORD_MAX}\n{_SCRIPT}"
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, timeout=120, check=True
    )
    steps, compiled = json.loads(done.stdout)
    if is_ready:
        assert compiled == []
        assert steps > 100  # each is short
    else:
        assert len(compiled) > 100
