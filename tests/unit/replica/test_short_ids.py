"""How ids may be typed: by a beginning that no other id has, and that none told later will have."""

from replica import MemoryId, Remember, devices_beginning, memories_beginning, show_memory_id
from replica.ops import Write
from tests.support.replicas import NOW_MS, core_of, remember, sqlite_store


def test_a_memory_is_called_by_the_least_that_tells_it_apart_now_and_later() -> None:
    """By thirteen characters, or one more than a neighbour shares with it."""
    store = sqlite_store()
    rids = [
        MemoryId(bytes.fromhex(digits.ljust(32, "0"))) for digits in ("01" * 6, "01" * 6 + "7abc", "02" * 6)
    ]
    core_of("ann", store).commit([Write(Remember(rid.hex(), {}), rid) for rid in rids], NOW_MS)
    called = {each.rid: each for each in memories_beginning(store.connection, "", limit=9, characters=4)}
    assert [called[rid].short for rid in rids] == ["01010101-0101-0", "01010101-0101-7", "02020202-0202"]
    assert [called[rid].text for rid in rids] == ["0101", "0101", "0202"]
    assert all(show_memory_id(rid).startswith(called[rid].short) for rid in rids)


def test_digits_find_the_memories_that_begin_so_and_no_more_than_are_asked_for() -> None:
    store = sqlite_store()
    rids = remember(core_of("ann", store), "one", "two", "three")
    for rid in rids:
        found = memories_beginning(store.connection, rid.hex(), limit=9, characters=9)
        assert [each.rid for each in found] == [rid]
    assert len(memories_beginning(store.connection, "", limit=2, characters=9)) == 2
    assert memories_beginning(store.connection, rids[0].hex() + "0", limit=9, characters=9) == []


def test_a_device_is_found_by_its_first_digits_and_called_by_its_name() -> None:
    store = sqlite_store()
    device = core_of("ann", store).origin.device
    assert devices_beginning(store.connection, device.hex()[:7], limit=9) == [
        (device, device.hex()[:13], "ann")
    ]
    other = "0" if device.hex()[0] != "0" else "1"
    assert devices_beginning(store.connection, other, limit=9) == []
    assert devices_beginning(store.connection, device.hex() + "0", limit=9) == []
