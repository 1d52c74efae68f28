"""A snapshot whose transfer was cut goes on where it was, unless what it holds has changed."""

from pathlib import Path
from random import Random

import pytest

from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.errors import StoreFailed
from replica.membership import revoke
from replica.oplog import Changes, PartRow, Store
from replica.ops import UNDERSTOOD, Erase, Feedback, OpKind
from replica.purging import purge
from replica.snapshot import make_snapshot
from replica.storage.memory_store import MemoryStore
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.parts import parts_of
from sync.states import Phase
from sync.wire.messages import Base, decode_message, encode_message
from tests.support.links import identity
from tests.support.replicas import (
    NOW_MS,
    MakeStore,
    acquaint,
    agree,
    core_of,
    group,
    remember,
    say,
    sqlite_store,
    sync,
    texts,
)

PART_BYTES = 400


def cut(snapshot: bytes) -> list[Base]:
    """Make a snapshot of a few hundred memories many parts."""
    return list(parts_of(snapshot, part_bytes=PART_BYTES))


def talk(core: Core, peer: Core) -> Exchange:
    return Exchange(core, peer.device, NOW_MS, cut=cut)


def converse(one: Core, other: Core, *, parts_max: int) -> list[Base]:
    """Let two devices talk until so many parts have come, and cut the link; return the parts."""
    ours, theirs = talk(one, other), talk(other, one)
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


def restarted(laptop: Core, store: Store) -> Core:
    """The phone, as a program that has just begun finds it."""
    who = identity("phone")
    phone = Core(store, device=who.device_id, sign=who.sign, random=Random(3))
    if not phone.membership.members:
        phone.adopt(laptop.membership)
    return phone


def test_only_the_rest_is_sent_after_a_cut() -> None:
    laptop, phone = compacted()
    whole = len(cut(make_snapshot(laptop)))
    assert whole > 10
    first = converse(phone, laptop, parts_max=6)
    assert texts(phone) == set()
    rest = converse(phone, laptop, parts_max=10_000)
    assert [part.index for part in first] == [*range(6)]
    assert [part.index for part in rest] == [*range(6, whole)]
    assert agree(phone, laptop)
    assert verify_replica(phone).ok
    assert phone.partials == {}


def test_what_a_newcomer_got_does_not_go_back() -> None:
    """It holds the base of the one it came from, who would merge his own words for nothing."""
    laptop, phone = compacted()
    ours, theirs = Exchange(phone, laptop.device, NOW_MS), Exchange(laptop, phone.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    while to_them or to_us:
        if to_them:
            assert not isinstance(decode_message(to_them[0]), Base)
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if to_us:
            to_them += ours.receive(to_us.pop(0), NOW_MS)
    assert agree(phone, laptop)
    assert laptop.merged == 0
    assert ours.unsent() == theirs.unsent() == 0


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_a_program_that_was_killed_goes_on_where_it_was(make_store: MakeStore) -> None:
    """The phone ends its programs every few parts, and the snapshot arrives all the same."""
    laptop, _ = compacted()
    store = make_store()
    phone = restarted(laptop, store)
    whole = len(cut(make_snapshot(laptop)))
    sent = []
    while not texts(phone):
        sent += [part.index for part in converse(phone, laptop, parts_max=4)]
        phone = restarted(laptop, store)
    assert sent == [*range(whole)]
    sync(phone, laptop)
    assert agree(phone, laptop)
    assert verify_replica(phone).ok
    assert store.parts(laptop.device) == []


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_what_came_is_in_no_store_once_it_is_of_no_use(make_store: MakeStore) -> None:
    laptop, _ = compacted()
    (rid,) = remember(laptop, "an unspeakable word")
    compact(laptop, NOW_MS)
    store = make_store()
    phone = restarted(laptop, store)
    converse(phone, laptop, parts_max=4)
    assert len(store.parts(laptop.device)) == 4
    phone = restarted(laptop, store)
    before = store.parts(laptop.device)[0].digest
    remember(laptop, "one more")
    compact(laptop, NOW_MS + LEASE_MS)
    converse(phone, laptop, parts_max=2)
    assert [row.digest == before for row in store.parts(laptop.device)] == [False] * 2, "a newer one begins"
    say(laptop, Erase((rid,)))
    phone = restarted(laptop, store)
    phone.learn((), (), laptop.proofs.values())
    assert store.parts(laptop.device) == [], "they may hold the word"


def test_erased_words_are_in_no_page_that_held_parts(tmp_path: Path) -> None:
    laptop, _ = compacted()
    (rid,) = remember(laptop, "an unspeakable word")
    store = SqliteStore(connect(str(tmp_path / "phone.db")))
    phone = restarted(laptop, store)
    words = b"an unspeakable word" * 1_000
    for no in range(3):
        store.write(Changes(part=PartRow(laptop.device, no, bytes(32), 4, words)), NOW_MS)
    say(laptop, Erase((rid,)))
    phone.learn((), (), laptop.proofs.values())
    assert purge(phone, NOW_MS)
    assert all(b"unspeakable" not in path.read_bytes() for path in tmp_path.iterdir())
    store.connection.close()


def test_parts_of_a_snapshot_that_is_refused_are_not_kept_to_be_refused_again() -> None:
    laptop, _ = compacted()
    store = MemoryStore()
    converse(restarted(laptop, store), laptop, parts_max=4)
    spoiled = store.parts(laptop.device)[1]
    store.write(Changes(part=spoiled._replace(part=bytes(PART_BYTES))), NOW_MS)
    phone = restarted(laptop, store)
    with pytest.raises(RemoteProtocolError, match="its parts make another"):
        converse(phone, laptop, parts_max=10_000)
    assert store.parts(laptop.device) == []
    phone = restarted(laptop, store)
    converse(phone, laptop, parts_max=10_000)
    assert agree(phone, laptop)


def test_what_a_refused_snapshot_covers_is_still_lacking_when_the_peer_asks_again() -> None:
    """An older program does not take it before its upgrade, and whoever looks is told how far behind it is."""
    laptop, _ = group("laptop", "phone")
    remember(laptop, "one", "two")
    say(laptop, Feedback(remember(laptop, "three")[0], (("words", 1),)))
    compact(laptop, NOW_MS + LEASE_MS)
    understood = {kind: version for kind, version in UNDERSTOOD.items() if kind != OpKind.FEEDBACK}
    who = identity("phone")
    phone = Core(MemoryStore(), device=who.device_id, sign=who.sign, random=Random(1), understood=understood)
    phone.adopt(laptop.membership)
    ours, theirs = Exchange(laptop, phone.device, NOW_MS), Exchange(phone, laptop.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    asked = False
    while to_them or to_us or not asked:
        if not to_them and not to_us:
            assert ours.unsent() == 4, "it was refused"
            theirs.ask()
            to_us, asked = theirs.more(NOW_MS), True
        to_us += [answer for said in to_them for answer in theirs.receive(said, NOW_MS)]
        to_them = [answer for said in to_us for answer in ours.receive(said, NOW_MS)]
        to_us = []
    assert ours.unsent() == 4, "and is lacking all the same, though it is not sent again on this link"


@pytest.mark.parametrize("held", [0, 3])
def test_a_part_that_could_not_be_written_leaves_no_hole(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    """The disk was full once: memory was a part ahead of the store, and the next one was written behind a gap.

    Where it was the first, the next link asked for what follows none, which is no question (seeds 337 and 803).
    """
    laptop, _ = compacted()
    store = sqlite_store()
    phone = restarted(laptop, store)
    converse(phone, laptop, parts_max=held)

    def full(changes: Changes, now_ms: int) -> None:
        raise StoreFailed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", full)
        with pytest.raises(StoreFailed):
            converse(phone, laptop, parts_max=2)
    converse(phone, laptop, parts_max=2)
    assert [row.no for row in store.parts(laptop.device)] == [*range(held + 2)]
    phone = restarted(laptop, store)
    converse(phone, laptop, parts_max=10_000)
    assert agree(phone, laptop)


def test_parts_behind_a_hole_are_asked_for_again() -> None:
    laptop, _ = compacted()
    store = sqlite_store()
    converse(restarted(laptop, store), laptop, parts_max=6)
    store.connection.execute("DELETE FROM part WHERE no = 2")
    phone = restarted(laptop, store)
    rest = converse(phone, laptop, parts_max=10_000)
    assert rest[0].index == 2
    assert agree(phone, laptop)


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_parts_of_what_came_otherwise_go_with_the_next_conversation(make_store: MakeStore) -> None:
    laptop, _ = group("laptop", "phone")
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(300)))
    tablet = core_of("tablet")
    for core, name in ((laptop, "laptop"), (tablet, "tablet")):
        acquaint(core, name, "laptop", "phone", "tablet")
    sync(tablet, laptop)
    compact(laptop, NOW_MS + LEASE_MS)
    store = make_store()
    converse(restarted(laptop, store), laptop, parts_max=6)
    sync(restarted(laptop, store), tablet)
    phone = restarted(laptop, store)
    assert store.parts(laptop.device) != []
    sync(phone, laptop)
    sync(phone, laptop)
    assert agree(phone, laptop)
    assert store.parts(laptop.device) == []


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_parts_of_who_is_put_out_go_at_once(make_store: MakeStore) -> None:
    laptop, _ = compacted()
    store = make_store()
    phone = restarted(laptop, store)
    converse(phone, laptop, parts_max=4)
    who = identity("phone")
    phone.learn([], [revoke(who.sign, who.device_id, laptop.device)])
    assert phone.partials == {}
    assert store.parts(laptop.device) == []


def test_cut_again_and_again_it_still_arrives() -> None:
    laptop, phone = compacted()
    sent = 0
    while not texts(phone):
        sent += len(converse(phone, laptop, parts_max=3))
    assert sent == len(cut(make_snapshot(laptop)))
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
    ours = talk(phone, laptop)
    theirs = talk(laptop, phone)
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


class Talk:
    """A conversation of two devices, a message at a time each way."""

    def __init__(self, one: Core, other: Core) -> None:
        self.ours, self.theirs = talk(one, other), talk(other, one)
        self.to_them, self.to_us = self.ours.more(NOW_MS), self.theirs.more(NOW_MS)
        self.came: list[int] = []
        self.went: list[int] = []

    def step(self) -> bool:
        """Let each side hear a message; False when neither has anything to hear."""
        if not (self.to_them or self.to_us):
            return False
        if self.to_them:
            if isinstance(message := decode_message(self.to_them[0]), Base):
                self.went.append(message.index)
            self.to_us += self.theirs.receive(self.to_them.pop(0), NOW_MS)
        if self.to_us:
            if isinstance(message := decode_message(self.to_us[0]), Base):
                self.came.append(message.index)
            self.to_them += self.ours.receive(self.to_us.pop(0), NOW_MS)
        return True

    def until(self, parts: int) -> "Talk":
        while len(self.came) < parts and self.step():
            pass
        return self


@pytest.mark.parametrize("ahead", [0, 2, 9])
@pytest.mark.parametrize("in_step", [True, False])
def test_two_links_to_one_peer_bring_one_snapshot_each_on_its_own(ahead: int, in_step: bool) -> None:
    """They shared what had come: the second began it anew, and the first accused its peer (seed 32)."""
    laptop, phone = compacted()
    one = Talk(phone, laptop).until(ahead)
    other = Talk(phone, laptop)
    while (one.step() | other.step()) if in_step else (other.step() or one.step()):
        pass
    assert agree(phone, laptop)
    assert phone.store.parts(laptop.device) == []
    assert verify_replica(phone).ok


def test_a_snapshot_goes_on_behind_what_was_told_though_that_is_given_up_meanwhile() -> None:
    """What came of it whole from somebody else made an end of it, and the peer was accused of leaving parts out."""
    laptop, phone = compacted()
    tablet = core_of("tablet")
    for core, name in ((laptop, "laptop"), (phone, "phone"), (tablet, "tablet")):
        acquaint(core, name, "laptop", "phone", "tablet")
    sync(tablet, laptop)
    Talk(phone, laptop).until(6)
    again = Talk(phone, laptop)
    while again.ours.session.phase is not Phase.OPEN:
        again.step()
    again.to_us += again.theirs.receive(again.to_them.pop(0), NOW_MS)  # it is asked for the rest
    sync(phone, tablet)
    assert phone.store.parts(laptop.device) == []
    while again.step():
        pass
    assert again.came[0] == 6
    assert agree(phone, laptop)


def test_who_sent_a_snapshot_does_not_get_it_back() -> None:
    """Being the base of who took it, it was sent back whole: twice the bytes, and merged where it came from."""
    laptop, phone = compacted()
    both = Talk(phone, laptop)
    while both.step():
        pass
    assert both.came == [*range(len(cut(make_snapshot(laptop))))]
    assert both.went == []
    assert agree(phone, laptop)


def test_parts_cut_before_their_maker_heard_of_an_erasure_are_kept_in_no_store() -> None:
    """The phone knows already that the words are erased, and the laptop is sending a snapshot that holds them."""
    laptop, phone = compacted()
    (rid,) = remember(laptop, "an unspeakable word")
    compact(laptop, NOW_MS)
    tablet = core_of("tablet")
    for core, name in ((laptop, "laptop"), (phone, "phone"), (tablet, "tablet")):
        acquaint(core, name, "laptop", "phone", "tablet")
    sync(tablet, laptop)
    both = Talk(phone, laptop)
    while both.ours.session.phase is not Phase.OPEN:
        both.step()
    say(tablet, Erase((rid,)))
    phone.learn((), (), tablet.proofs.values())
    both.until(4)
    assert phone.store.parts(laptop.device) == []
    while both.step():
        pass
    sync(phone, tablet)
    sync(phone, laptop)
    assert agree(phone, laptop)
    assert "an unspeakable word" not in texts(phone)
