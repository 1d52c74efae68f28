"""What `doctor` says of the world around a device: each fault by its name, with what mends it."""

import sqlite3
from pathlib import Path

import pytest

from samemind.commands.device import _surroundings as look
from samemind.commands.device._parts import Check
from samemind.commands.group._parts import PeerView, peer_line
from samemind.config import Home
from samemind.formats.plain import to_json
from samemind.home.calendar_feed import FeedPlace
from tests.support.published import published

NOW_MS = 1_800_000_000_000


def peer(**more: object) -> PeerView:
    return PeerView(device_id="ab" * 32, name="phone", **more)  # type: ignore[arg-type]


def wrong(check: Check | None, name: str, *words: str) -> None:
    assert check is not None
    assert (check.name, check.ok) == (name, False)
    assert check.fix
    for word in words:
        assert word in f"{check.detail} {check.fix}", check


@published("PM-58")
def test_each_check_can_fail_and_is_named(tmp_path: Path) -> None:
    wrong(look.clock(0, []), "clock", "never set")
    wrong(look.clock(NOW_MS, [peer(offset_ms=-61_000)]), "clock", "phone", "61 seconds behind")
    assert look.clock(NOW_MS, [peer(offset_ms=59_000)]).ok
    off = to_json(peer(offset_ms=-2 * 3_600_000))
    assert "its clock is 2 hours behind this one" in peer_line(off)
    assert "clock" not in peer_line({**off, "state": "revoked"}) + peer_line({**off, "offset_ms": 59_000})
    wrong(look.daemon(running=False, listens=False, paired=True), "daemon", "samemind up")
    wrong(look.daemon(running=True, listens=False, paired=True), "daemon", "--listen")
    assert look.daemon(running=False, listens=False, paired=False).ok, "alone, nobody waits for it"
    assert look.pairing([]).fix.startswith("samemind pair")
    wrong(look.multicast("no such device", [peer()]), "multicast", "samemind peers add")
    assert look.multicast("no such device", [peer(address="10.0.0.2:7411")]).ok
    assert look.multicast(None, []).ok
    kept = FeedPlace("0f" * 32, "127.0.0.1", 7412)
    wrong(look.feed(kept, running=False, panel_at=None)[0], "calendar", "samemind up")
    for place in (None, ("127.0.0.1", 7413), ("::1", 7412)):
        (missed,) = look.feed(kept, running=True, panel_at=place)
        wrong(missed, "calendar", "127.0.0.1:7412", "calendar --feed --off")
    assert look.feed(kept, running=True, panel_at=("127.0.0.1", 7412))[0].ok
    assert look.feed(None, running=False, panel_at=None) == []
    (gone,) = look.agents([("cursor", str(tmp_path / "gone"))])
    wrong(gone, "agent", "samemind connect cursor")
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    wrong(look.writing(Home.at(tmp_path / "open")), "home", "chmod go-w")


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        ("Connection refused", "samemind up"),
        ("the call timed out", "firewall"),
        ("expected protocol version 3, got 2", "upgrade samemind"),
        ("this device is not paired", "samemind pair"),
        ("something nobody foresaw", "samemind sync phone"),
    ],
)
def test_a_peer_that_is_not_reached_says_why_and_what_to_do(error: str, fix: str) -> None:
    wrong(look.reach(peer(error=error, address="10.0.0.2:7411")), "peer", "10.0.0.2:7411", error, fix)
    assert look.reach(peer()) is None


def test_doctor_says_whether_the_store_is_encrypted(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    connection = sqlite3.connect(store)
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    assert "not encrypted" in look.encryption(store).detail
    store.write_bytes(b"\x8f" * 4096)
    assert look.encryption(store).detail == "the store is encrypted"
    assert look.encryption(store).ok
    for name in ("memory.db.before-restore-20270101T000000000000Z", "memory.db.recoded"):
        beside = tmp_path / name
        beside.write_bytes(b"SQLite format 3\0")
        wrong(look.encryption(store), "encryption", name, "samemind encrypt")
        beside.unlink()
