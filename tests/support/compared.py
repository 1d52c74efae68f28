"""Count how much of memories a question compares."""

from typing import Any

import pytest

from cognition.ranking import pool


def lengths_compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return where the length of each text is noted that questions compare by runs of letters from now on."""
    read, grams = list[int](), pool._grams

    def counting(text: str) -> Any:
        read.append(len(text))
        return grams(text)

    monkeypatch.setattr(pool, "_grams", counting)
    return read
