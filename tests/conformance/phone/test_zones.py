"""A phone counts by the clock of a zone: its own Python, under node, with the zones that its page brings."""

import json
from pathlib import Path

from tests.support.phone_page import run_kept_in_node

_SCRIPT = """
import json
from random import Random
from js import Intl
from cognition.reminding.repeating import following, rule_of
from replica import memories_called, parse_memory_id
from replica.keys import Ed25519PrivateKey
from samemind.phone.host import Phone
from sync.identity import Identity

NOW = 1_792_000_000_000  # 14 October 2026
identity = Identity.of(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
phone = Phone.open("/memory.db", identity, name="pocket", random=Random(1), now_ms=NOW)


def told(text, zone):
    rid = phone.remember(text, zone=zone, now_ms=NOW)["rid"]
    (it,) = memories_called(phone.connection, [parse_memory_id(rid)])
    first, rule = it.memory.fields.get("event_start"), rule_of(it.memory)
    return rule, None if rule is None else (following(first, rule, first) - first) / 3_600_000


own = Intl.DateTimeFormat().resolvedOptions().timeZone
rules = {"own": told("Choir every Sunday at 9:30", own)}
rules["none"] = told("Yoga every Sunday at 9:30", None)
rules["other"] = told("Chess every Sunday at 9:30", "Asia/Kathmandu")
rules["named"] = told("Remind me every Saturday at 3pm New York time to call", own)
rules["wall"] = told("Remind me every Sunday at 9 Berlin time to call", own)
print(json.dumps([own, rules]))
"""


def test_a_phone_knows_the_zones(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(_SCRIPT)
    for number, line in enumerate(run_kept_in_node(path).strip().split("\n")):
        own, rules = json.loads(line)
        sundays, saturdays = "FREQ=WEEKLY;BYDAY=SU", "FREQ=WEEKLY;BYDAY=SA"
        if number:  # the first runs in this machine's own zone
            assert own == ["Asia/Tokyo", "America/Lima"][number - 1]
            assert rules["own"] == [f"{sundays};TZID={own}", 7 * 24]
        assert rules["none"] == rules["other"] == [sundays, 7 * 24]
        assert rules["named"] == [f"{saturdays};TZID=America/New_York", 7 * 24]
        # From 18 to 25 October, when clocks are set back there.
        assert rules["wall"] == [f"{sundays};TZID=Europe/Berlin", 7 * 24 + 1]
