"""Snapshots that break off must not stay in memory: each link that did so kept 150 MB, for good."""

import gc
import os
from pathlib import Path

import pytest

from replica.core import Core
from sync.exchange import Exchange
from sync.wire.messages import BASE_PART_BYTES, Base, decode_message, encode_message
from tests.support.replicas import NOW_MS, group, sqlite_store

PARTS, LINKS = 40, 5
MB = 1 << 20


def resident_bytes() -> int:
    """What this process holds of the machine's memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def broken_off(core: Core, peer: Core, link: int) -> Exchange:
    """A link on which forty parts of a thousand come, none of which packs, and then nothing."""
    ours, theirs = Exchange(core, peer.device, NOW_MS), Exchange(peer, core.device, NOW_MS)
    for message in theirs.more(NOW_MS):
        ours.receive(message, NOW_MS)
    ours.more(NOW_MS)
    for index in range(PARTS):
        part = Base(os.urandom(BASE_PART_BYTES), index, 1_000, bytes([link]) * 32)
        said = ours.receive(encode_message(part), NOW_MS)
        assert type(decode_message(said[-1])).__name__ == "Ack"
    return ours


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured by Linux's own count")
def test_what_came_of_a_snapshot_stays_in_the_store_alone_when_its_link_is_over(tmp_path: Path) -> None:
    laptop, phone = group("laptop", "phone")
    phone = Core(
        sqlite_store(str(tmp_path / "memory.db")), device=phone.device, sign=phone.sign, random=phone._random
    )
    phone.adopt(laptop.membership)
    held = []
    before = resident_bytes()
    for link in range(LINKS):
        exchange = broken_off(phone, laptop, link)
        exchange.close()
        held.append(exchange)  # as whatever shows why a link ended does
    gc.collect()
    assert phone.partials == {}
    assert resident_bytes() - before < 1.5 * PARTS * BASE_PART_BYTES
    assert len(phone.store.parts(laptop.device)) == PARTS, "the next link goes on where the last was"
    again = Exchange(phone, laptop.device, NOW_MS)
    assert again._incoming.tell() is not None
