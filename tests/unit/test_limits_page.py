"""The page of limits says what the code holds."""

import importlib
import re
from pathlib import Path

import replica.limits

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "limits.md"
ROW = re.compile(r"^\| ([\d,]+) \| .* \| `([a-z_.]+)\.([A-Z_]+)` \|$", re.MULTILINE)


def test_the_page_of_limits_says_what_the_code_holds() -> None:
    rows = ROW.findall(PAGE.read_text())
    assert len(rows) > 30
    wrong = [
        f"{module}.{name}: the page says {told}"
        for told, module, name in rows
        if getattr(importlib.import_module(module), name) != int(told.replace(",", ""))
    ]
    assert wrong == []


def test_each_limit_of_a_write_or_a_link_is_on_the_page_or_is_no_limit_for_people() -> None:
    inner = {
        "PLACE_BYTES",
        "FRAME_OPS_TARGET",
        "FRAME_PAYLOAD_BYTES_TARGET",
        "SNAPSHOT_BYTES_FREE",
        "SEEN_MAX",
    }
    inner |= {
        "NAMES_MAX",
        "SURENESS_MAX",
        "JUDGES_MAX",
        "SIGNALS_MAX",
        "ENTRIES_SHOWN_MAX",
        "MEMBERS_SHOWN_MAX",
        "REFUSALS_SAID_MAX",
        "REFUSALS_MAX",
    }
    named = {name for _, module, name in ROW.findall(PAGE.read_text()) if module == "replica.limits"}
    assert {name for name in vars(replica.limits) if name.isupper()} - inner == named
