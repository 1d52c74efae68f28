"""A start that goes on from a memory that was kept is a start like any other: the phone's own Python, under node."""

import json
from pathlib import Path

from tests.support.phone_page import run_kept_in_node

_SCRIPT = """
import json, random, re._compiler
from datetime import datetime
from pathlib import Path
from random import Random
from replica import codec
from replica.keys import Ed25519PrivateKey
from samemind.phone.host import Phone
from sync.identity import Identity

made = []
plain = re._compiler.compile
re._compiler.compile = lambda *given: (made.append(given[0]), plain(*given))[1]

NOW = 1_764_057_600_000
identity = Identity.of(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
phone = Phone.open("/memory.db", identity, name="pocket", random=Random(1), now_ms=NOW)
for number in range(20):
    phone.remember(f"Anna moved to street {number}, and my dentist is at Hauptstrasse {number}", now_ms=NOW + number)
phone.forget(phone.recent(limit=1, now_ms=NOW)[0]["rid"], now_ms=NOW + 100)
print(json.dumps({
    "digests": phone.digests(),
    "found": [hit["text"] for hit in phone.ask("dentist", limit=5, now_ms=NOW + 200)],
    "drawn": random.random(),
    "salts": Path("/memory.db-wal").read_bytes()[16:24].hex(),
    "packs": type(getattr(codec.pack.__self__, "_pack", codec.pack).__self__).__module__,
    "offset": datetime(2026, 1, 5).astimezone().utcoffset().total_seconds(),
    "compiled": len(made),
}))
"""


def test_what_goes_on_from_a_memory_is_another_device_each_time_and_no_other_program(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(_SCRIPT)
    scratch, first, second = map(json.loads, run_kept_in_node(path).strip().split("\n"))
    for kept in (first, second):
        for same in ("digests", "found"):
            assert kept[same] == scratch[same]
        assert kept["compiled"] == 0 < scratch["compiled"]
        assert kept["packs"] == scratch["packs"] == "msgpack._cmsgpack"
    assert len(scratch["found"]) == 5
    # What has to be another each time is, and so are the hours of whoever has travelled.
    for other in ("drawn", "salts"):
        assert len({each[other] for each in (scratch, first, second)}) == 3
    assert (first["offset"], second["offset"]) == (9 * 3_600, -5 * 3_600)
