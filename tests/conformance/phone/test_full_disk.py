"""A browser's disk that fills up, below SQLite in the phone's own Python: it says so, and nothing told is lost."""

import json
from pathlib import Path

from tests.support.phone_page import run_in_node

_SCRIPT = """
import json
from random import Random
from js import privateDisk
from replica.errors import StoreFailed
from replica.keys import Ed25519PrivateKey
from samemind.phone.host import Phone
from sync.identity import Identity

NOW = 1_764_057_600_000
LONG = "and so on " * 300
await privateDisk.mount("/disk")
identity = Identity.of(Ed25519PrivateKey.generate())
phone = Phone.open("/disk/memory.db", identity, name="pocket", random=Random(1), now_ms=NOW)
told, refused = [], []
# What fails first is now this statement, now that one; a private window does not even say that it failed.
for room, privately in ((100_000, False), (250_000, True), (400_000, False), (600_000, True)):
    privateDisk.leave(room, privately)
    privateDisk.makeRoom()  # there is none for zeros, and none of it is taken
    for number in range(400):
        try:
            told.append(phone.remember(f"telling {len(told)} {LONG}", now_ms=NOW + len(told))["rid"])
        except StoreFailed as error:
            refused.append(str(error))
            break
    asked = phone.recent(limit=5, now_ms=NOW)  # what is there can be read meanwhile
    assert [each["rid"] for each in asked] == told[::-1][:5], (asked, told)
    privateDisk.widen()
    before = privateDisk.counts.flushes
    told.append(phone.remember(f"told when there was room again, {room}", now_ms=NOW + len(told))["rid"])
    assert privateDisk.counts.flushes > before
(whole,) = phone.connection.execute("PRAGMA integrity_check").fetchone()
digests = phone.digests()
phone.connection.close()
again = Phone.open("/disk/memory.db", identity, name="pocket", random=Random(2), now_ms=NOW + 10**6)
kept = {each["rid"] for each in again.recent(limit=200, now_ms=NOW)}
print(json.dumps({
    "refused": refused, "told": len(told), "lost": sorted({*told} - kept), "beyond": sorted(kept - {*told}),
    "whole": whole, "same": digests == again.digests(),
}))
"""


def test_a_full_disk_is_said_to_be_full_loses_nothing_and_lets_go_on_when_there_is_room(
    tmp_path: Path,
) -> None:
    path = tmp_path / "script.py"
    path.write_text(_SCRIPT)
    said = json.loads(run_in_node(path).strip().split("\n")[-1])
    assert len(said["refused"]) == 4
    assert all("disk is full" in each for each in said["refused"]), said["refused"]
    assert said["told"] > 12
    assert (said["lost"], said["beyond"], said["whole"], said["same"]) == ([], [], "ok", True)
