"""What a terminal is shown: short ids, rows that fit, colour."""

import pytest
from rich.cells import cell_len

from samemind.cli.terminal import clipped, colour_wanted, coloured, ids_in, memory_rows, shortened

RID = "01a210f7-14c2-74cd-984a-6c5e58a37588"
OTHER = "860fab8e-1727-82d5-8dce-4be9a339cfff"


def test_an_empty_list_of_a_past_before_the_memory_says_when_it_begins() -> None:
    nothing = {"memories": [], "total": 0}
    assert memory_rows(nothing, str) == ["no memories"]
    assert memory_rows({**nothing, "begins": "2026-01-01T12:00:00Z"}, str)[0].startswith(
        "no memories: this memory begins at 2026-01-01"
    )


def test_a_row_says_when_something_was_told_and_not_when_it_came_in() -> None:
    told = {
        "rid": RID,
        "created_at": "2026-11-26T12:00:00Z",
        "told_at": "2026-03-05T12:00:00Z",
        "device_name": "a",
    }
    rows = memory_rows({"memories": [told, {**told, "told_at": None}], "total": 2}, lambda _: "words")
    assert "2026-03-05" in rows[0]
    assert "2026-11-26" in rows[1]


def test_ids_are_shortened_wherever_they_stand_and_words_are_left_alone() -> None:
    document = {
        "rid": RID,
        "text": OTHER,
        "links": [{"rid": OTHER, "text": RID}],
        "undo": f"samemind retract {RID}",
    }
    assert ids_in(document) == [RID, OTHER]
    told = {"ids": [{"id": RID, "short": RID[:13]}, {"id": OTHER, "short": OTHER[:18]}]}
    assert shortened(document, lambda _: told) == {
        "rid": RID[:13],
        "text": OTHER,
        "links": [{"rid": OTHER[:18], "text": RID}],
        "undo": f"samemind retract {RID}",
    }
    assert shortened(document, lambda _: None) == document


@pytest.mark.parametrize(
    "text", ["plain", "日本語のとても長い文章です" * 3, "👩‍👩‍👧 family " * 9, "e\u0301" * 50, "x" * 300]
)
@pytest.mark.parametrize("width", [1, 2, 20, 80])
def test_a_row_fits_the_cells_of_the_terminal(text: str, width: int) -> None:
    assert cell_len(clipped(text, width)) <= max(width, 1)
    if cell_len(text) <= width:
        assert clipped(text, width) == text


def test_a_list_names_devices_only_where_there_are_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    rows = [
        {"rid": RID[:13], "device_name": "laptop", "created_at": "2026-01-02T03:04:05Z", "text": "Ann" * 40},
        {"rid": OTHER[:13], "device_name": "laptop", "created_at": "2026-01-02T03:04:05Z", "text": "Bob"},
    ]
    first, second, more = memory_rows({"memories": rows, "total": 5}, lambda memory: memory["text"])
    assert "laptop" not in first + second
    assert (len(first), first[-1]) == (70, "…")
    assert more == "and 3 more: -n 5 shows all"
    rows[1]["device_name"] = "phone"
    assert [
        "laptop" in row or "phone" in row for row in memory_rows({"memories": rows, "total": 2}, str)
    ] == [True] * 2


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_no_color_and_dumb_terminals_are_respected(environment: dict[str, str], wanted: bool) -> None:
    assert colour_wanted(environment) is wanted


def test_colour_adds_nothing_but_colour() -> None:
    lines = [
        "ok   key        fine",
        "NOT  disk       full",
        f"0.9452  {RID[:13]}",
        "        believed now: lives_in Porto",
    ]
    painted = coloured(lines)
    assert all("\x1b[" in line for line in painted)
    import re

    assert [re.sub("\x1b\\[[0-9]+m", "", line) for line in painted] == lines
