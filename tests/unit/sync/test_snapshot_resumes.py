"""A snapshot whose transfer was cut goes on where it was, unless what it holds has changed."""

import pytest

from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.ops import Erase
from replica.snapshot import make_snapshot
from replica.verify import verify_replica
from sync import exchange
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.wire.messages import Base, decode_message, encode_message
from tests.support.replicas import NOW_MS, agree, group, remember, say, sync, texts

PART_BYTES = 400


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a snapshot of a few hundred memories many parts."""
    monkeypatch.setattr(exchange, "BASE_PART_BYTES", PART_BYTES)


def converse(one: Core, other: Core, *, parts_max: int) -> list[Base]:
    """Let two devices talk until so many parts have come, and cut the link; return the parts."""
    ours, theirs = Exchange(one, other.device, NOW_MS), Exchange(other, one.device, NOW_MS)
    to_them, to_us, came = ours.more(NOW_MS), theirs.more(NOW_MS), list[Base]()
    while (to_them or to_us) and len(came) < parts_max:
        if to_them:
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if to_us:
            message = decode_message(to_us[0])
            if isinstance(message, Base):
                came.append(message)
            to_them += ours.receive(to_us.pop(0), NOW_MS)
    return came


def compacted() -> tuple[Core, Core]:
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(300)))
    compact(laptop, NOW_MS)
    return laptop, phone


def test_only_the_rest_is_sent_after_a_cut() -> None:
    laptop, phone = compacted()
    whole = len(list(exchange.parts_of(make_snapshot(laptop))))
    assert whole > 10
    first = converse(phone, laptop, parts_max=6)
    assert texts(phone) == set()
    rest = converse(phone, laptop, parts_max=10_000)
    assert [part.index for part in first] == [*range(6)]
    assert [part.index for part in rest] == [*range(6, whole)]
    assert agree(phone, laptop)
    assert verify_replica(phone).ok
    assert phone.partials == {}


def test_cut_again_and_again_it_still_arrives() -> None:
    laptop, phone = compacted()
    sent = 0
    while not texts(phone):
        sent += len(converse(phone, laptop, parts_max=3))
    assert sent == len(list(exchange.parts_of(make_snapshot(laptop))))
    sync(phone, laptop)
    assert agree(phone, laptop)


def test_a_base_that_changed_is_sent_anew() -> None:
    laptop, phone = compacted()
    converse(phone, laptop, parts_max=6)
    remember(laptop, "one more")
    assert compact(laptop, NOW_MS + LEASE_MS)
    anew = converse(phone, laptop, parts_max=10_000)
    assert anew[0].index == 0
    assert agree(phone, laptop)


def test_words_that_are_erased_meanwhile_are_dropped_with_what_came() -> None:
    laptop, phone = compacted()
    (rid,) = remember(laptop, "an unspeakable word")
    compact(laptop, NOW_MS)
    converse(phone, laptop, parts_max=6)
    assert phone.partials
    say(laptop, Erase((rid,)))
    phone.learn((), (), laptop.proofs.values())
    assert phone.partials == {}, "what came may hold the words"
    converse(phone, laptop, parts_max=1)
    anew = converse(phone, laptop, parts_max=10_000)
    assert agree(phone, laptop)
    assert anew
    assert "an unspeakable word" not in texts(phone)


def test_parts_that_make_another_snapshot_than_was_announced_are_the_peers_fault() -> None:
    laptop, phone = compacted()
    ours = Exchange(phone, laptop.device, NOW_MS)
    theirs = Exchange(laptop, phone.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    with pytest.raises(RemoteProtocolError, match="its parts make another"):  # noqa: PT012 -- whichever message it is
        while to_them or to_us:
            if to_them:
                to_us += theirs.receive(to_them.pop(0), NOW_MS)
            if to_us:
                message = decode_message(to_us.pop(0))
                if isinstance(message, Base) and message.index == 3:
                    message = Base(bytes(PART_BYTES), 3, message.count, message.digest)
                to_them += ours.receive(encode_message(message), NOW_MS)
    assert texts(phone) == set()
