"""Many claims in a file to be brought in, all of one memory: read once, not once for each line."""

import json
from pathlib import Path
from typing import Any

import pytest

import samemind
from samemind.commands.portable import _claim_lines

CLAIMS = 300


def test_the_claims_of_a_memory_are_read_once_for_all_lines_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    claims_of = _claim_lines.claims_of  # type: ignore[attr-defined]

    def counted(*asked: Any) -> Any:
        nonlocal read
        read += 1
        return claims_of(*asked)

    monkeypatch.setattr(_claim_lines, "claims_of", counted)
    rid = "01a21b7d-9540-77a1-a254-000000000001"
    lines: list[dict[str, object]] = [{"kind": "memory", "rid": rid, "text": "Notes on a village"}]
    for number in range(CLAIMS):  # every value twice, which is two claims
        said = {"entity": f"Ann{number // 2}", "relation": "lives_in", "value": f"House {number // 2}"}
        lines.append({"kind": "claim", "id": f"{number:016x}", "rid": rid, **said})
    file = tmp_path / "village.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.import_(file)
        assert read == 1
        before = mind.stats()
        mind.import_(file)
        assert read == 2
        assert mind.stats().ops == before.ops, "what is claimed here already is left as it is"
