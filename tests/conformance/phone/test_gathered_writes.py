"""What SQLite writes for a memory reaches a browser's disk as one piece, and all of it before that is acknowledged."""

import json
from pathlib import Path

from tests.support.phone_page import run_in_node

_SCRIPT = """
import json, sqlite3
from pathlib import Path
from random import Random
from js import privateDisk
from replica.keys import Ed25519PrivateKey
from replica.storage import sql
from samemind.phone.host import Phone
from sync.identity import Identity

NOW = 1_764_057_600_000
sql.REST_ROWS_MIN = 1
await privateDisk.mount("/disk")
identity = Identity.of(Ed25519PrivateKey.generate())
phone = Phone.open("/disk/memory.db", identity, name="pocket", random=Random(1), now_ms=NOW)

def after_a_kill():
    for name in ("memory.db", "memory.db-wal"):
        Path("/" + name).write_bytes(privateDisk.held(name).to_bytes())
    found = sqlite3.connect("/memory.db")
    (whole,) = found.execute("PRAGMA integrity_check").fetchone()
    texts = [text for (text,) in found.execute("SELECT text FROM memory ORDER BY id")]
    found.close()
    return whole, texts

told, wholes, lost, most = [], set(), 0, 0
for number in range(60):
    flushes, writes = privateDisk.counts.flushes, privateDisk.counts.writes
    told.append(f"telling {number} " + "and so on " * (number * 7))
    phone.remember(told[-1], now_ms=NOW + number)
    assert privateDisk.counts.flushes - flushes == 1, number  # also where the log begins anew
    most = max(most, privateDisk.counts.writes - writes)
    whole, texts = after_a_kill()
    wholes.add(whole)
    lost += texts != [text.strip() for text in told]
    if number % 7 == 0:
        privateDisk.makeRoom()  # zeros, which are no part of the log
        assert len(privateDisk.held("memory.db-wal").to_bytes()) > 2_000_000
    if number % 20 == 19: # what is read behind it is flushed by nobody, and what is brought over is read from the log
        while phone.read(now_ms=NOW + number):
            pass
        phone.rest()
print(json.dumps({"most": most, "wholes": sorted(wholes), "lost": lost}))
"""


def test_a_memory_is_written_in_one_piece_and_is_all_there_once_it_is_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(_SCRIPT)
    said = json.loads(run_in_node(path).strip().split("\n")[-1])
    assert (said["wholes"], said["lost"]) == (["ok"], 0)
    assert said["most"] <= 3  # some forty without that
