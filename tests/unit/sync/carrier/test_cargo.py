"""A file carries what a link would, to the members of the group and to nobody else."""

import copy
import hashlib
import io
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.public import SealedBox
from nacl.signing import VerifyKey

from replica.codec import pack
from replica.compaction import LEASE_MS, compact, leased
from replica.core import Core
from replica.ids import OpRef, Origin
from replica.keys import seal
from replica.limits import SEEN_MAX
from replica.membership import MEMBERS_MAX, revoke
from replica.ops import Erase, Set
from replica.snapshot import make_snapshot
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from sync.carrier.cargo import Brought, Taking, check, export, fill, header_of, messages, readers_of
from sync.carrier.header import SeenOf, read_vectors, vector_of
from sync.carrier.sealing import (
    BOX_BYTES,
    FILE_BYTES_MIN,
    MAGIC,
    MAGIC_1,
    MAGIC_2,
    PUBLIC_BYTES,
    Sealer,
    boxes_for,
    open_sealed,
    padme,
)
from sync.errors import LimitExceeded, RemoteProtocolError, SealedForOthers, SyncError, Untrusted
from sync.parts import parts_of
from sync.wire.limits import FRAME_BYTES_MAX
from tests.support.groups import founded, put_out
from tests.support.links import identity
from tests.support.replicas import (
    NOW_MS,
    acquaint,
    agree,
    core_of,
    edit,
    group,
    remember,
    say,
    sync,
    texts,
)


def load(core: Core, known: dict[int, int] | None = None) -> bytes:
    """Write a file for whoever holds what `known` covers."""
    file = io.BytesIO()
    export(core, known or {}, NOW_MS, file, entropy=Random(1).randbytes)
    return file.getvalue()


def unload(core: Core, name: str, data: bytes) -> Brought:
    """Take a file."""
    header = check(core, identity(name), io.BytesIO(data))
    taking = Taking(header)
    for message in messages(identity(name), io.BytesIO(data)):
        taking.take(core, message, NOW_MS)
    taking.done(core, NOW_MS)
    return taking.brought


def test_who_makes_a_file_and_who_takes_it_say_alike_what_its_ops_have_seen() -> None:
    """A shelf orders files by it, and knows of its own from `export` alone."""
    ann, bob = group("ann", "bob")
    remember(bob, "the boat is at the north pier")
    sync(ann, bob)
    remember(ann, "the boat leaks")
    file = io.BytesIO()
    made = export(ann, {}, NOW_MS, file, entropy=Random(1).randbytes)
    taking = Taking(check(bob, identity("bob"), io.BytesIO(file.getvalue())))
    for message in messages(identity("bob"), io.BytesIO(file.getvalue())):
        taking.take(bob, message, NOW_MS)
    assert {*made.needs} == {*taking.needs(bob)}
    assert bob.device in {place.origin.device for place in made.needs}


def test_who_was_paired_with_the_maker_reads_its_file_though_a_thief_had_revoked_it() -> None:
    """Till the file has named the root, any revocation counts: the file was said to be by no member, for ever."""
    laptop, _ = founded("laptop", "stolen")
    laptop.learn([], [revoke(identity("stolen").sign, identity("stolen").device_id, laptop.device)])
    put_out(laptop, "laptop", "stolen")
    remember(laptop, "the key is under the mat")
    phone = core_of("phone")
    phone.expect_root(laptop.device, None)
    acquaint(phone, "phone", "laptop")
    acquaint(laptop, "laptop", "phone")
    assert unload(phone, "phone", load(laptop)).ops == 1
    assert phone.membership.root == laptop.device
    assert phone.membership.standing == {laptop.device, phone.device}


def test_a_file_brings_another_device_to_agreement() -> None:
    laptop, phone = group("laptop", "phone")
    (rid, _) = remember(laptop, "Ann moved to Lisbon", "the key is under the mat")
    edit(laptop, rid, "Ann moved to Lisbon in May")
    assert unload(phone, "phone", load(laptop)).ops == 3
    assert agree(laptop, phone)
    assert unload(phone, "phone", load(laptop)).ops == 0, "taking it twice changes nothing"
    assert verify_replica(phone).ok
    assert phone.contacts[laptop.device].folded == phone.feeds.held()


def test_a_file_goes_on_from_what_a_peer_is_known_to_hold() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"old {n}" for n in range(400)))
    sync(laptop, phone)
    held = laptop.feeds.held()
    remember(laptop, "new")
    news = load(laptop, held)
    assert len(news) < len(load(laptop)) / 2
    assert unload(phone, "phone", news).ops == 1
    assert agree(laptop, phone)


def test_a_file_whose_forerunner_is_missing_is_refused_as_a_gap_and_harms_nothing() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    first, held = load(laptop), laptop.feeds.held()
    remember(laptop, "two")
    second = load(laptop, held)
    brought = unload(phone, "phone", second)
    assert brought.ops == 0
    assert brought.refused
    unload(phone, "phone", first)
    unload(phone, "phone", second)
    assert agree(laptop, phone)


def test_a_file_carries_a_snapshot_where_ops_left_the_log() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"note {n}" for n in range(50)))
    assert compact(laptop, NOW_MS) == 50
    remember(laptop, "above the base")
    unload(phone, "phone", load(laptop))
    assert agree(laptop, phone)
    assert verify_replica(phone).ok


def test_an_old_file_does_not_end_the_lease_of_its_maker() -> None:
    """Files come in any order, and whoever keeps them may show one that is a year old."""
    ann, ben = group("ann", "ben")
    remember(ben, "one")
    old = load(ben)
    later_ms = NOW_MS + LEASE_MS
    sync(ann, ben, later_ms)
    with io.BytesIO(old) as file:
        header = check(ann, identity("ann"), file)
    Taking(header).done(ann, later_ms)
    assert leased(ann, later_ms) == [ben.device]
    ahead_ms = later_ms + 10 * LEASE_MS
    ann.heard(ben.device, {}, ahead_ms)  # while this device's clock was wrong
    Taking(header._replace(made_ms=later_ms)).done(ann, later_ms)
    assert leased(ann, later_ms) == [ben.device]


def test_a_device_that_lost_its_store_takes_its_own_file_and_is_no_contact_of_itself() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "the key is under the mat")
    data = load(laptop)
    bare, _ = group("laptop", "phone")
    assert unload(bare, "laptop", data).ops == 1
    assert agree(bare, laptop)
    assert bare.device not in bare.contacts
    unload(phone, "phone", data)
    assert laptop.device in phone.contacts


def test_a_file_ends_with_what_passes_its_size_and_says_whether_that_is_all() -> None:
    laptop, phone = group("laptop", "phone")
    for commit in range(5):
        remember(laptop, *(f"note {commit} {n}" for n in range(200)))
    file = io.BytesIO()
    made = export(laptop, {}, NOW_MS, file, bytes_max=1, entropy=Random(1).randbytes)
    assert (0 < made.ops < 1_000, made.whole) == (True, False)
    assert unload(phone, "phone", file.getvalue()).ops == made.ops
    rest = export(laptop, phone.feeds.held(), NOW_MS, io.BytesIO(), bytes_max=1 << 20)
    assert (made.ops + rest.ops, rest.whole) == (1_000, True)


def test_who_has_not_folded_all_it_holds_is_not_heard_to_hold_it() -> None:
    """What it does not understand yet must stay in the logs of the others."""
    laptop, phone = group("laptop", "phone")
    remember(laptop, "the key is under the mat")
    for folded in (False, True):
        file = io.BytesIO()
        header = header_of(laptop, NOW_MS)._replace(folded=folded)
        keys = [laptop.membership.members[each].public_key for each in readers_of(laptop)]
        fill(laptop, header, {}, Sealer(file, keys))
        unload(phone, "phone", file.getvalue())
        assert (laptop.device in phone.contacts) is folded


def test_branches_travel_in_a_file() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(laptop, "shared")
    clone = core_of("laptop", seed="clone")
    acquaint(clone, "laptop", "phone", "tablet")
    unload(clone, "laptop", load(laptop))
    clone.origin, clone._own = laptop.origin, 0  # a cloned machine goes on in the same chain
    remember(laptop, "by the original")
    remember(clone, "by the clone")
    for core in (laptop, clone):
        unload(phone, "phone", load(core))
    unload(tablet, "tablet", load(phone))
    assert agree(phone, tablet)
    assert texts(tablet) == {"shared", "by the original", "by the clone"}


def test_what_was_erased_goes_first_and_nothing_of_it_is_in_the_file() -> None:
    laptop, phone = group("laptop", "phone")
    (rid,) = remember(laptop, "an unspeakable word")
    old = load(laptop)
    unload(phone, "phone", old)
    say(laptop, Erase((rid,)))
    unload(phone, "phone", load(laptop))
    assert texts(phone) == set()
    unload(phone, "phone", old)
    assert texts(phone) == set(), "an old file cannot bring it back"


def test_strangers_and_those_who_were_put_out_read_nothing() -> None:
    laptop, phone = group("laptop", "phone")
    stranger = core_of("stranger")
    remember(laptop, "a secret that nobody else may read")
    data = load(laptop)
    assert b"secret" not in data
    with pytest.raises(Untrusted, match="sealed for other devices"):
        check(stranger, identity("stranger"), io.BytesIO(data))
    laptop.learn([], [revoke(identity("laptop").sign, laptop.device, phone.device)])
    with pytest.raises(Untrusted, match="sealed for other devices"):
        check(phone, identity("phone"), io.BytesIO(load(laptop)))


def test_a_file_of_a_stranger_or_of_one_who_was_put_out_is_refused() -> None:
    laptop, phone = group("laptop", "phone")
    stranger = core_of("stranger")
    acquaint(stranger, "stranger", "phone")
    remember(stranger, "believe me")
    with pytest.raises(Untrusted, match="not a member"):
        check(phone, identity("phone"), io.BytesIO(load(stranger)))
    remember(laptop, "from the thief")
    data = load(laptop)
    phone.learn([], [revoke(identity("phone").sign, phone.device, laptop.device)])
    with pytest.raises(Untrusted, match="revoked"):
        check(phone, identity("phone"), io.BytesIO(data))


def test_a_newcomer_that_a_member_introduces_in_the_file_is_believed() -> None:
    laptop, phone = group("laptop", "phone")
    acquaint(laptop, "laptop", "tablet")
    who = identity("tablet")
    tablet = Core(MemoryStore(), device=who.device_id, sign=who.sign, random=Random(1))
    tablet.adopt(laptop.membership)  # as a device does that parted from its clone
    remember(tablet, "from the newcomer")
    unload(phone, "phone", load(tablet))
    assert texts(phone) == {"from the newcomer"}


def test_one_who_was_put_out_cannot_introduce_another_by_a_file() -> None:
    laptop, phone = group("laptop", "phone")
    acquaint(laptop, "laptop", "accomplice")
    who = identity("accomplice")
    accomplice = Core(MemoryStore(), device=who.device_id, sign=who.sign, random=Random(1))
    accomplice.adopt(laptop.membership)
    remember(accomplice, "let me in")
    phone.learn([], [revoke(identity("phone").sign, phone.device, laptop.device)])
    with pytest.raises(Untrusted, match="not a member"):
        check(phone, identity("phone"), io.BytesIO(load(accomplice)))
    assert texts(phone) == set()


def test_who_was_put_out_by_a_thief_is_heard_in_a_file_with_what_puts_that_right() -> None:
    ann, ben, eve = founded("ann", "ben", "eve")
    ben.learn([], [revoke(identity("eve").sign, eve.device, ann.device)])
    assert ann.device not in ben.membership.standing
    remember(ann, "not mine to lose")
    with pytest.raises(Untrusted, match="revoked"):
        check(ben, identity("ben"), io.BytesIO(load(ann)))
    put_out(ann, "ann", "eve")
    assert unload(ben, "ben", load(ann)).ops == 1
    assert ben.membership.standing == {ann.device, ben.device}
    with pytest.raises(Untrusted, match="revoked"):
        check(ben, identity("ben"), io.BytesIO(load(eve)))


def test_a_member_cannot_sign_for_another() -> None:
    """Who can read a file knows its key, and could write another one under it; the signature is the maker's."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(laptop, "true")
    file = io.BytesIO()
    forged = header_of(laptop, NOW_MS)._replace(held=())
    keys = [each.public_key for each in laptop.membership.members.values()]
    fill(phone, forged, {}, Sealer(file, keys))
    with pytest.raises(Untrusted, match="not signed"):
        check(tablet, identity("tablet"), io.BytesIO(file.getvalue()))


def test_a_snapshot_in_a_file_is_its_makers_own() -> None:
    """Else a member could hand on what another knew long ago as if that were said now."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(phone, "known to the phone")
    assert compact(phone, NOW_MS) == 1
    taking = Taking(header_of(laptop, NOW_MS))
    (part,) = parts_of(make_snapshot(phone))
    with pytest.raises(RemoteProtocolError, match="own maker"):
        taking.take(tablet, part, NOW_MS)
    assert texts(tablet) == set()


def test_nothing_is_hidden_behind_the_last_message() -> None:
    """Not even by a member: what a device is made to store is what it can read."""
    file = io.BytesIO()
    sealer = Sealer(file, [identity("phone").public_key])
    sealer.add(b"said")
    sealer._waiting += bytes(4) + b"hidden"
    sealer.end()
    with pytest.raises(RemoteProtocolError, match="nothing but zeros"):
        list(open_sealed(io.BytesIO(file.getvalue()), identity("phone").private_key.private_bytes_raw()))


def test_every_cut_and_every_flipped_byte_is_refused_before_anything_is_taken() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "whole or not at all")
    data, chance = load(laptop), Random(3)
    for end in [0, 1, len(MAGIC), *(chance.randrange(len(data)) for _ in range(60)), len(data) - 1]:
        with pytest.raises(SyncError):
            check(phone, identity("phone"), io.BytesIO(data[:end]))
    for at in (chance.randrange(len(data)) for _ in range(120)):
        bad = bytearray(data)
        bad[at] ^= 1 << chance.randrange(8)
        try:
            check(phone, identity("phone"), io.BytesIO(bytes(bad)))
        except SyncError:
            continue
        pytest.fail(f"a flipped bit in byte {at} went through")
    with pytest.raises(RemoteProtocolError, match="cut off, altered"):
        check(phone, identity("phone"), io.BytesIO(data + b"x"))
    assert texts(phone) == set()


def test_a_file_that_announces_too_much_costs_nothing() -> None:
    _, phone = group("laptop", "phone")
    with pytest.raises(LimitExceeded):
        check(phone, identity("phone"), io.BytesIO(MAGIC + b"\xff\xff\xff\xff"))
    with pytest.raises(RemoteProtocolError, match="another"):
        check(phone, identity("phone"), io.BytesIO(b"PK\x03\x04 some other program's file"))
    file = io.BytesIO()
    sealer = Sealer(file, [identity("phone").public_key])
    sealer._waiting += (FRAME_BYTES_MAX + 1).to_bytes(4, "big")
    sealer.end()
    with pytest.raises(LimitExceeded):
        check(phone, identity("phone"), io.BytesIO(file.getvalue()))


@pytest.mark.parametrize(
    ("magic", "most"),
    [(MAGIC, boxes_for(MEMBERS_MAX)), (MAGIC_2, boxes_for(MEMBERS_MAX)), (MAGIC_1, MEMBERS_MAX)],
)
def test_a_file_has_room_for_as_many_boxes_as_the_largest_group_and_for_no_more(
    magic: bytes, most: int
) -> None:
    """Only the first format had no boxes that nobody can open."""
    size = BOX_BYTES if magic == MAGIC else PUBLIC_BYTES + BOX_BYTES
    front, key = PUBLIC_BYTES if magic == MAGIC else 0, identity("phone").private_key.private_bytes_raw()
    for boxes, error in ((most, SealedForOthers), (most + 1, LimitExceeded)):
        file = magic + boxes.to_bytes(4, "big") + bytes([9]) * front + bytes(boxes * size)
        with pytest.raises(error):
            next(open_sealed(io.BytesIO(file), key))


def test_a_file_of_the_first_format_that_was_altered_is_refused() -> None:
    key, front = bytes(32), SealedBox(VerifyKey(identity("phone").public_key).to_curve25519_public_key())
    box = front.encrypt(key)
    sealed = seal(key, bytes(11) + b"\1", b"message", hashlib.sha256(box).digest())
    whole = MAGIC_1 + (1).to_bytes(4, "big") + box + len(sealed).to_bytes(4, "big") + sealed
    mine = identity("phone").private_key.private_bytes_raw()
    assert list(open_sealed(io.BytesIO(whole), mine)) == [(b"message", True)]
    for altered, reason in (
        (whole[:-1] + b"x", "altered"),
        (whole + b"x", "goes on"),
        (whole[:-1], "cut off"),
    ):
        with pytest.raises(RemoteProtocolError, match=reason):
            list(open_sealed(io.BytesIO(altered), mine))


def test_sizes_of_files_and_numbers_of_boxes_are_few() -> None:
    """What the place where files lie learns: one of few lengths, and the group's size to the next power of two."""
    sizes, boxes = set(), set()
    for count in range(1, 12):
        names = [f"device {n}" for n in range(count)]
        core = group(*names)[0]
        remember(core, "one short note")
        file = io.BytesIO()
        export(core, {}, NOW_MS, file, tells_group=False)
        data = file.getvalue()
        sizes.add(len(data))
        boxes.add(int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "big"))
    assert sizes == {FILE_BYTES_MIN}
    assert boxes == {4, 8, 16}


@given(st.integers(1, 1 << 30))
def test_padding_adds_at_most_an_eighth_and_keeps_order(length: int) -> None:
    assert length <= padme(length) <= length + max(1, length // 8)
    assert padme(padme(length)) == padme(length)
    assert padme(length) <= padme(length + 1)


@given(st.lists(st.integers(1, 200_000), min_size=1, max_size=5), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_what_was_sealed_comes_out_whatever_its_lengths(lengths: list[int], readers: int) -> None:
    random, file = Random(sum(lengths)), io.BytesIO()
    said = [random.randbytes(length) for length in lengths]
    sealer = Sealer(file, [identity(f"reader {n}").public_key for n in range(readers)], random.randbytes)
    for message in said:
        sealer.add(message)
    sealer.end()
    key = identity("reader 0").private_key.private_bytes_raw()
    opened = list(open_sealed(io.BytesIO(file.getvalue()), key))
    assert [message for message, _ in opened] == said
    assert [last for _, last in opened] == [False] * (len(said) - 1) + [True]
    assert len(file.getvalue()) >= FILE_BYTES_MIN


def test_a_plain_file_stays_small_as_the_group_grows() -> None:
    """1.2 kB and 80 bytes for each member, before padding: a box of 48, and where its feeds end."""
    for count in (2, 5, 10, 20, 40):
        cores = group(*(f"device {n}" for n in range(count)))
        for core in cores:
            remember(core, "its own")
        for core in cores[1:]:
            sync(cores[0], core)
        held = cores[0].feeds.held()
        remember(cores[0], "everything is known but this")
        say(cores[0], Set("theme", "dark"))  # names nobody else's op any more
        held[cores[0].own_feed or 0] += 1
        file = io.BytesIO()
        header = header_of(cores[0], NOW_MS, tells_group=False)
        keys = [each.public_key for each in cores[0].membership.members.values()]
        sealer = Sealer(file, keys)
        fill(cores[0], header, held, sealer)
        plain = sealer.said + len(MAGIC) + 4 + PUBLIC_BYTES + BOX_BYTES * count
        assert plain <= 1_200 + 80 * count, f"{plain} bytes for {count} members"


def plain_bytes(cores: list[Core], seen: int) -> int:
    """Return how long a file of one short memory is before any padding; its op has seen news of so many others."""
    writer, *others = cores
    for each in others[:seen]:
        remember(each, "news of another's")
        sync(writer, each)
    known = {feed.no: feed.seq for feed in writer.feeds}
    remember(writer, "I take the train at a quarter to nine on Tuesdays")
    readers = [writer.membership.members[each].public_key for each in readers_of(writer)]
    file = io.BytesIO()
    sealer = Sealer(file, readers)
    header = header_of(writer, NOW_MS, tells_group=False)
    assert len(header.held) == len(cores)
    exported = fill(writer, header, known, sealer)
    assert exported.ops == 1
    front = len(MAGIC) + 4 + PUBLIC_BYTES + BOX_BYTES * len(readers)
    return front + sealer.said + 16


@pytest.mark.parametrize("members", [1, 2, 5, 8, 20, 60])
def test_a_plain_file_is_so_large_before_padding(members: int) -> None:
    """A kilobyte, and for each member a box of 48 bytes and some 30 for where it stands.

    What the op has seen of others is named too, at some 70 bytes a device.
    """
    cores = group(*(f"device {n}" for n in range(members)))
    for each in cores:
        remember(each, "first words")
    for _ in range(2):
        for each in cores[1:]:
            sync(cores[0], each)
    remember(cores[0], "after it saw them all")
    plain = plain_bytes(cores, 1)
    assert plain <= 1_200 + 80 * members
    assert plain_bytes(cores, members - 1) - plain <= 75 * max(0, members - 2)


@pytest.mark.parametrize(
    ("plain", "reason"),
    [
        ([], "of 1 segments, got 0"),
        ([[b"\xff", []]], "got number 8"),
        ([[b"", [[7, 1, bytes(8)]]]], "got number 8"),
        ([[b"", [[0, 1, bytes(7)]]]], "short id"),
        ([[b"", [[True, 1, bytes(8)]]]], "short id"),
        ([[b"", 0]], "bits, places"),
        ([[b"\xff" * SEEN_MAX, []]], "bits, places"),
        ([[b"\xff" * (SEEN_MAX // 8), []]] * 2_000, "at most"),
        ("all", "something else"),
    ],
)
def test_what_writers_had_seen_is_bounded_before_it_is_believed(plain: Any, reason: str) -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "first")
    unload(phone, "phone", load(laptop))
    remember(laptop, "second")
    file = io.BytesIO()
    export(laptop, {0: 1}, NOW_MS, file)
    taking = Taking(check(phone, identity("phone"), io.BytesIO(file.getvalue())))
    *_, frame = messages(identity("phone"), io.BytesIO(file.getvalue()))

    def take() -> None:
        for message in (read_vectors(pack(["seen", plain])), frame):
            taking.take(phone, message, NOW_MS)

    with pytest.raises(RemoteProtocolError, match=reason):
        take()
    assert texts(phone) == {"first"}


def test_what_a_writer_had_seen_of_somebody_unknown_is_left_open() -> None:
    """It is refused as out of turn, if the reader needs it, and is taken once the reader knows more."""
    place = OpRef(Origin(identity("ann").device_id, b"incarnat"), 3, bytes(8))
    assert vector_of(SeenOf(0b101, ()), [place, None, None]) is None
    assert vector_of(SeenOf(0b001, ((1, 2, bytes(8)),)), [place, None]) is None
    assert vector_of(SeenOf(0b001, ((0, 2, bytes(8)),)), [place]) == (place, place._replace(seq=2))
    assert vector_of(None, [place]) is None


def test_a_file_tells_what_the_writer_of_a_branch_had_seen() -> None:
    """Of the branch alone, to whoever folded away what it leaves: what was seen there stands nowhere else."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(tablet, "of the tablet")
    sync(laptop, tablet)
    remember(laptop, "before the backup")
    held = laptop.feeds.held()
    store = copy.deepcopy(laptop.store)
    who = identity("laptop")
    restored = Core(store, device=who.device_id, sign=who.sign, random=Random("restored"))
    remember(laptop, "on the first way", "and on")
    unload(phone, "phone", load(laptop))
    assert compact(phone, NOW_MS) == 4
    remember(restored, "on the other way")
    remember(tablet, "more of the tablet")
    sync(restored, tablet)
    assert unload(phone, "phone", load(restored, held)).refused == ()
    assert texts(phone) == texts(restored) | {"on the first way", "and on"}
    assert verify_replica(phone).ok


def test_a_branch_in_the_middle_of_a_file_is_taken_by_whoever_compacted_what_it_leaves() -> None:
    """A device was restored from a backup and went on; others had its first way, and folded it away."""
    laptop, phone = group("laptop", "phone")
    remember(laptop, "before the backup")
    store = copy.deepcopy(laptop.store)
    who = identity("laptop")
    restored = Core(store, device=who.device_id, sign=who.sign, random=Random("restored"))
    for n in range(3):
        remember(laptop, f"on the first way {n}")
    unload(phone, "phone", load(laptop))
    assert compact(phone, NOW_MS) == 4
    for n in range(3):
        remember(restored, f"on the other way {n}")
    assert unload(phone, "phone", load(restored)).refused == ()
    assert len(texts(phone)) == 7
    assert verify_replica(phone).ok
