"""A sentence is passed over unread where no reader would find anything in it, and nowhere else."""

import json
from pathlib import Path

import pytest

from cognition.grammar import typed
from cognition.grammar.typed import read_claims, states_nothing

GROUPS = Path(__file__).parents[3] / "data" / "groups"
# Each file is written in languages of its own.
LINES_OF_EACH = 40


def notes() -> list[str]:
    groups = [
        json.loads(line)
        for file in sorted(GROUPS.glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()[:LINES_OF_EACH]
    ]
    return [
        text
        for group in groups
        for text in (group["old"], *group["contradicts"], *group["same"], *group["change"])
    ]


def test_what_is_passed_over_states_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    told = notes()
    read = [read_claims.__wrapped__(text).claims for text in told]
    passed_over = [text for text in told if states_nothing(text)]
    monkeypatch.setattr(typed, "_states_nothing", lambda sentence: False)
    assert [read_claims.__wrapped__(text).claims for text in told] == read
    assert passed_over == [text for text, claims in zip(told, read, strict=True) if not claims]
    assert 0 < len(passed_over) < len(told)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("We've moved! Our rent is 900 euros a month.", True),
        ("A quiet walk by the canal", False),
        ("Isla: no allergies", True),
        ("choir on Thursdays at half past seven", True),
        ("the sky was a deep blue over the harbour", False),
        ("mia madre è maestra", True),
        ("", False),
    ],
)
def test_a_note_claims_something_or_nothing(text: str, claims: bool) -> None:
    assert bool(read_claims(text).claims) is claims
    assert states_nothing(text) is not claims
