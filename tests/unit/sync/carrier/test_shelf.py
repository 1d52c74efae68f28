"""A place that several devices write files to: what each fetches, writes and removes."""

import copy
import io
import math
import tracemalloc
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import IO, Any

import pytest

from replica.compaction import compact
from replica.core import Core
from replica.errors import StoreFailed
from replica.ids import OpRef, Origin
from replica.membership import name_root, revoke
from replica.ops import Erase
from replica.storage.memory_store import MemoryStore
from sync.carrier import visit
from sync.carrier.cargo import Reach, check, header_of
from sync.carrier.shelf import (
    ALTERED_MS_MIN,
    FETCH_BYTES_MAX,
    FETCH_FILES_MAX,
    FILE_BYTES_MAX,
    LISTED_MS_MAX,
    TIER_FILES_MAX,
    UNREADABLE_MS_MAX,
    Filed,
    FileState,
    Shelf,
    is_altered,
    name_of,
    tier,
)
from sync.carrier.visit import Looked, Visitor, Wrote
from sync.errors import Denied, Full
from tests.support.links import identity
from tests.support.replicas import DAY_MS, NOW_MS, acquaint, agree, core_of, group, remember, say, sync, texts
from tests.support.visits import Box, Larger, Locked, Small, Visiting, any_name, never

FROZEN = Path(__file__).parents[4] / "docs" / "protocol" / "frozen" / "carried"


def devices(*names: str) -> list[Visiting]:
    """Devices that were all paired with each other."""
    return [Visiting(core, name) for core, name in zip(group(*names), names, strict=True)]


def same_device(name: str) -> dict[str, Any]:
    """What a copy of a device is made with, beside the copy of its store."""
    who = identity(name)
    return {"device": who.device_id, "sign": who.sign, "random": Random(f"{name}, cloned")}


def leave_notes(maker: Visiting, box: Box, count: int) -> None:
    """Have a device write so many files, a note in each."""
    for n in range(count):
        remember(maker.core, f"note {n}")
        maker.visit(box)


def makers(box: Box, reader: Visiting) -> list[bytes]:
    """Who made the files."""
    return [check(reader.core, identity(reader.name), io.BytesIO(data)).maker for data in box.values()]


def holds(box: Box, reader: Visiting, word: str) -> bool:
    """Say whether a newcomer who may read everything finds a word in it."""
    core = Core(
        MemoryStore(),
        device=reader.core.device,
        sign=identity(reader.name).sign,
        random=Random(4),
    )
    core.adopt(reader.core.membership)
    fresh = Visiting(core, reader.name)
    for _ in range(3):
        fresh.visit(box, writes=False)
    return any(word in text for text in texts(core))


def test_devices_that_only_share_a_place_agree_and_it_comes_to_rest() -> None:
    laptop, phone, tablet = all_of_them = devices("laptop", "phone", "tablet")
    box: Box = {}
    for n in range(3):
        for each in all_of_them:
            remember(each.core, f"{each.name} {n}")
            each.visit(box)
    for each in (laptop, phone):
        each.visit(box)
    assert agree(laptop.core, phone.core, tablet.core)
    assert len(texts(laptop.core)) == 9
    before = dict(box)
    for _ in range(3):
        for each in all_of_them:
            looked = each.visit(box)
            assert (looked.fetched, looked.wrote, looked.removed) == (0, [], []), "one list, nothing else"
    assert box == before


def test_each_file_is_fetched_once_also_by_a_program_that_was_restarted() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 5)
    assert phone.visit(box, writes=False).fetched == 5
    phone.restart()
    assert phone.visit(box, writes=False).fetched == 0
    assert laptop.visit(box).fetched == 0, "its own it has written itself"


def test_what_was_fetched_is_remembered_though_what_was_to_be_written_had_no_room() -> None:
    laptop, phone = devices("laptop", "phone")
    box = Small()
    leave_notes(laptop, box, 5)
    box.room = sum(map(len, box.values()))
    remember(phone.core, "from the phone")
    with pytest.raises(Full):
        phone.visit(box)
    phone.restart()
    assert phone.visit(box, writes=False).fetched == 0


def test_a_file_that_is_never_handed_out_stops_no_other() -> None:
    """A bad spot of a stick, or the rights of whoever wrote it: nothing came and nothing was written any more."""
    laptop, phone = devices("laptop", "phone")
    box = Locked()
    leave_notes(laptop, box, 5)
    box.shut = [next(reversed(box))]
    remember(phone.core, "from the phone")
    assert phone.visit(box).fetched == 4
    assert phone.visit(box).fetched == 0, "it is not asked for at each look"
    laptop.visit(box)
    assert "from the phone" in texts(laptop.core)
    box.shut = ()
    phone.now_ms += DAY_MS
    assert phone.visit(box).fetched == 1
    assert agree(laptop.core, phone.core)


def test_where_several_are_not_handed_out_what_was_fetched_is_taken_and_the_rest_comes_later() -> None:
    laptop, phone = devices("laptop", "phone")
    box = Locked()
    leave_notes(laptop, box, 8)
    box.shut = frozenset(list(box)[:4])
    failed = 0
    remember(phone.core, "from the phone")
    while "from the phone" not in texts(laptop.core):
        try:
            phone.visit(box)
        except Denied:
            failed += 1
        laptop.visit(box)
    assert failed == 2, "a second one that fails may mean that nothing can be reached"
    assert {kept.state for kept in phone.shelf.kept.values()} >= {FileState.UNFETCHED}
    phone.now_ms += 40 * DAY_MS
    with pytest.raises(Denied):
        phone.visit(box)
    assert len(box) == 9, "nothing was removed that others can read"
    box.shut = ()
    phone.now_ms += DAY_MS
    phone.visit(box)
    assert agree(laptop.core, phone.core)


def crowded(laptop: Visiting, tablet: Visiting) -> Larger:
    """A mailbox with three large files of the laptop, a small one that follows them, and a small one of the tablet."""
    box = Larger()
    for n in range(3):
        remember(laptop.core, f"long {n} " + Random(n).randbytes(20_000).hex())
        laptop.visit(box)
    for maker in (laptop, tablet):
        remember(maker.core, f"of the {maker.name}")
        maker.visit(box, writes=True)
    box.room_here = 10_000
    return box


def test_while_this_device_has_no_room_for_large_files_small_ones_come_and_news_go() -> None:
    """It was a failure of the file, and two of them one of the mailbox: nothing was written any more."""
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box = crowded(laptop, tablet)
    remember(phone.core, "from the phone")
    looked = phone.visit(box)
    assert [error.missing > 0 for error in looked.no_room.values()] == [True] * 3
    assert looked.most_missing is max(looked.no_room.values(), key=lambda error: error.missing)
    assert "of the tablet" in texts(phone.core)
    assert len(looked.wrote) == 1
    tablet.visit(box)
    assert "from the phone" in texts(tablet.core)


def test_what_there_was_no_room_for_comes_at_the_next_look_however_long_that_was_so() -> None:
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box = crowded(laptop, tablet)
    for _ in range(12):
        phone.now_ms += DAY_MS
        phone.visit(box)
    assert "of the laptop" not in texts(phone.core), "what it follows lies in a large one"
    phone.restart()
    phone.visit(box)
    box.room_here = math.inf
    assert phone.visit(box).again, "what waited for them may be taken now"
    assert phone.visit(box).no_room == {}
    assert texts(phone.core) == texts(laptop.core) | {"of the tablet"}


def test_what_there_is_room_for_once_another_file_is_taken_comes_in_the_same_look() -> None:
    """What was fetched lies on the disk until it is taken, too."""
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box = Larger()
    remember(laptop.core, "long " + Random(0).randbytes(20_000).hex())
    laptop.visit(box)
    tablet.visit(box)
    box.room_here = 10_000
    looked = phone.visit(box)
    assert (looked.taken, len(looked.no_room), looked.again) == (1, 1, True)
    looked = phone.visit(box)
    assert (looked.taken, len(looked.no_room), looked.again) == (0, 1, False)


def test_of_names_that_were_never_read_little_is_held() -> None:
    """Fourteen mailboxes that listed as many as they may had a device hold 200 MB between two looks."""
    shelf, count = Shelf(), 20_000
    tracemalloc.start()
    try:
        shelf.listed({f"{n:032x}.samemind": 5_000 for n in range(count)}, NOW_MS)
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held_bytes < 12 * count


def test_large_files_without_room_leave_what_one_look_may_fetch_to_others() -> None:
    """As much as it fetches at most, of which it fetched nothing: small files behind them never came."""
    shelf, half = Shelf(), FETCH_BYTES_MAX // 2
    first, second = sorted(any_name(Random(n).randbytes) for n in range(2))
    large = {first: half, second: half - 1}
    assert set(shelf.listed(large, NOW_MS)) == set(large)
    for name in large:
        shelf.no_room(name)
    small = {any_name(Random(f"small {n}").randbytes): 4_096 for n in range(9)}
    *chosen, last = shelf.listed(large | small, NOW_MS)
    assert set(chosen) == set(small)
    assert last == second, "as many of the large as it may, the smallest first"


def test_what_came_in_part_is_not_fetched_at_each_look_where_a_disk_has_less_room_than_it_says() -> None:
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box = crowded(laptop, tablet)
    box.refuses_late = True
    assert len(phone.visit(box).no_room) == 3
    looked = phone.visit(box)
    assert (looked.asked_for, looked.no_room) == (1, {}), "a minute is not over, but for what waits for them"
    phone.now_ms += DAY_MS
    box.room_here = math.inf
    phone.visit(box)
    phone.visit(box)
    assert texts(phone.core) == texts(laptop.core) | {"of the tablet"}


@pytest.mark.parametrize("dated_ms", [NOW_MS - DAY_MS, NOW_MS + DAY_MS], ids=["earlier", "later"])
def test_whoever_was_revoked_is_not_heard_by_one_that_finds_the_revocation_beside_its_file(
    dated_ms: int,
) -> None:
    """Both files were checked before either was taken, so whoever had been away for a while heard a thief."""
    laptop, phone, thief = devices("laptop", "phone", "thief")
    sync(laptop.core, thief.core)
    laptop.core.learn([], [revoke(identity("laptop").sign, laptop.core.device, thief.core.device)])
    remember(laptop.core, "of the laptop")
    box: Box = {}
    laptop.visit(box)
    thief.now_ms = dated_ms
    remember(thief.core, "of the thief")
    alone: Box = {}
    thief.visit(alone)
    phone.visit(box | alone, writes=False)
    assert texts(phone.core) == {"of the laptop"}
    assert sorted(kept.state for kept in phone.shelf.kept.values()) == [FileState.TAKEN, FileState.STRANGE]


def test_only_what_is_new_is_written_and_each_states_the_group_once() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, *(f"note {n}" for n in range(300)))
    (first,) = laptop.visit(box).wrote
    remember(phone.core, "from the phone")
    (second,) = phone.visit(box).wrote
    assert second.ops == 1
    assert second.size < first.size
    remember(phone.core, "more from the phone")
    phone.visit(box)
    tells = [check(phone.core, identity("phone"), io.BytesIO(data)).tells_group for data in box.values()]
    assert sorted(tells) == [False, True, True]


def test_many_small_files_become_one_and_a_newcomer_opens_few() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    most = 0
    for n in range(20 * TIER_FILES_MAX):
        remember(laptop.core, f"note {n}")
        laptop.visit(box)
        most = max(most, len(box))
    assert most <= 3 * TIER_FILES_MAX
    phone.visit(box)
    assert len(texts(phone.core)) == 20 * TIER_FILES_MAX


def test_what_is_merged_leaves_at_once_with_a_second_look() -> None:
    (laptop,) = devices("laptop")
    box: Box = {}
    leave_notes(laptop, box, TIER_FILES_MAX - 1)
    remember(laptop.core, "one more")
    looked = laptop.visit(box)
    assert (len(looked.wrote), looked.removed, looked.again) == (2, [], True)
    again = laptop.visit(box)
    assert (again.wrote, len(again.removed), again.again) == ([], TIER_FILES_MAX, False)
    assert len(box) == 1


def test_a_file_tells_what_its_maker_held() -> None:
    """Or no op would leave the log where a mailbox is all that devices share."""
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "a note")
    laptop.visit(box)
    phone.visit(box)
    phone.visit(box)
    laptop.visit(box)
    assert laptop.core.contacts[phone.core.device].folded == laptop.core.feeds.held()


def test_a_file_that_is_gone_is_forgotten_though_nothing_else_is_new() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 2)
    phone.visit(box, writes=False)
    name, data = box.popitem()
    phone.visit(box, writes=False)
    phone.restart()
    assert name not in phone.shelf.kept
    box[name] = data
    assert phone.visit(box, writes=False).fetched == 1


def test_a_file_that_went_missing_is_written_again_by_whoever_looks_next() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 3)
    phone.visit(box)
    del box[min(box)]
    assert [wrote.ops for wrote in phone.visit(box).wrote] == [1]
    assert laptop.visit(box).fetched == 2, "with that by which the phone states the group"
    (watch,) = (Visiting(core_of("watch"), "watch"),)
    acquaint(watch.core, "watch", "laptop", "phone")
    acquaint(laptop.core, "laptop", "watch")
    laptop.visit(box)
    for _ in range(2):
        watch.visit(box, writes=False)
    assert len(texts(watch.core)) == 3


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_several_devices_wrote_in_turn_is_merged_once_and_stays_few_files(seed: int) -> None:
    """Whoever has sixteen small files writes them as one, with what they follow: the others' small ones go, too."""
    chosen, box = Random(seed), Box()
    all_of_them = devices("laptop", "phone", "tablet")
    most = written = 0
    for n in range(TIER_FILES_MAX + 6):
        for each in chosen.sample(all_of_them, 3):
            remember(each.core, f"{each.name} {n}")
            looked = each.visit(box)
            assert len(looked.wrote) <= 2, "what is new, and what is merged"
            most, written = max(most, len(box)), written + sum(wrote.ops for wrote in looked.wrote)
    for each in 2 * all_of_them:
        each.visit(box)
    assert agree(*(each.core for each in all_of_them))
    assert most <= 3 * (TIER_FILES_MAX + 1)
    assert len(box) <= 2 * TIER_FILES_MAX
    assert written <= 3 * 3 * (TIER_FILES_MAX + 6), "each op twice, and some by two who merge at once"
    assert holds(box, all_of_them[0], "laptop 0")


def test_files_are_not_merged_where_one_of_them_would_stay() -> None:
    """What another's file has is not written again: what is written for two files may be smaller than one of them."""
    laptop, phone = devices("laptop", "phone")
    box, other = Box(), Box()
    remember(laptop.core, *(f"note {n}" for n in range(4)))
    Visiting(laptop.core, "laptop").visit(other)
    phone.visit(other, writes=False)
    remember(phone.core, *(f"from the phone {n}" for n in range(10)))
    phone.visit(box)  # with the laptop's four
    known = dict(box)
    box.clear()
    remember(laptop.core, "the fifth")
    laptop.shelf = Shelf(merge_at=2)
    laptop.visit(box)  # five of its own
    box |= known
    laptop.visit(box)
    remember(laptop.core, "the sixth")
    looks = [laptop.visit(box) for _ in range(3)]
    assert [len(looked.wrote) for looked in looks] == [1, 0, 0]
    phone.visit(box)
    assert agree(laptop.core, phone.core)


def test_no_two_files_wait_for_each_other() -> None:
    """What was said in turn lies in a file each; written anew as one, each file would follow the other."""
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "question")
    (asked,) = laptop.visit(box).wrote
    phone.visit(box)
    remember(phone.core, "answer")
    phone.visit(box)
    laptop.visit(box)
    remember(laptop.core, "thanks")
    (thanked,) = laptop.visit(box).wrote
    del box[asked.name], box[thanked.name]
    laptop.now_ms += LISTED_MS_MAX
    laptop.visit(box)
    for word in ("question", "answer", "thanks"):
        assert holds(box, phone, word)


def test_a_branch_counts_with_its_stem_only() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "stem")
    (stem,) = laptop.visit(box).wrote
    core = Core(copy.deepcopy(laptop.core.store), **same_device("laptop"))
    clone = Visiting(core, "laptop", now_ms=NOW_MS + 500)
    remember(laptop.core, "one way")
    remember(clone.core, "the other way")
    for each in (laptop, clone):
        each.visit(box)
    for each in (phone, laptop, clone, phone):
        each.visit(box)
    assert agree(laptop.core, phone.core, clone.core)
    for name in [name for name in box if name == stem.name]:
        del box[name]
    phone.now_ms += LISTED_MS_MAX
    assert [each.ops for each in phone.visit(box).wrote] == [3]
    for word in ("stem", "one way", "the other way"):
        assert holds(box, phone, word)


def test_a_listing_that_is_late_makes_nobody_write_again_at_once() -> None:
    laptop, _ = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "one note")
    (wrote,) = laptop.visit(box).wrote
    hidden = {wrote.name: box.pop(wrote.name)}
    assert not laptop.visit(box).wrote, "it may be listed in a moment"
    box |= hidden
    assert not laptop.visit(box).wrote
    del box[wrote.name]
    assert laptop.visit(box).wrote, "it was listed, and is gone"
    box.clear()
    laptop.now_ms += LISTED_MS_MAX
    assert laptop.visit(box).wrote, "it never came"


def test_nothing_is_removed_for_the_sake_of_a_file_that_is_not_listed() -> None:
    laptop, _ = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, TIER_FILES_MAX - 1)
    remember(laptop.core, "the last")
    looked = laptop.visit(box)
    assert [wrote.ops for wrote in looked.wrote] == [1, TIER_FILES_MAX], "they are written as one, too"
    assert not looked.removed
    del box[looked.wrote[1].name]
    assert not laptop.visit(box).removed
    assert len(box) >= TIER_FILES_MAX


def test_two_copies_of_a_device_that_follow_different_founders_lose_nothing_and_rewrite_one_small_file() -> (
    None
):
    """Each takes what the other states of its group for an old word of its own. How often is `sync.mailbox.pace`'s."""
    laptop, phone = devices("laptop", "phone")
    clone = Visiting(Core(copy.deepcopy(laptop.core.store), **same_device("laptop")), "laptop")
    for core, founder in ((laptop.core, "laptop"), (phone.core, "laptop"), (clone.core, "phone")):
        who = identity(founder)
        core.membership.add([name_root(who.sign, who.device_id, public_key=who.public_key, name=founder)], [])
    box: Box = {}
    all_of_them = (laptop, clone, phone)
    for each in all_of_them:
        remember(each.core, f"{each.name} {each is clone}")
    for _ in range(3):
        for each in all_of_them:
            each.visit(box)
    files, wrote = len(box), list[Wrote]()
    for _ in range(6):
        for each in all_of_them:
            each.now_ms += LISTED_MS_MAX
            wrote += each.visit(box).wrote
            assert len(box) <= files + 1
            assert agree(laptop.core, phone.core, clone.core)
            assert all(holds(box, reader, word) for reader in (laptop, phone) for word in ("True", "False"))
    assert {(each.ops, each.has_base, each.again) for each in wrote} == {(0, False, True)}
    assert len(wrote) <= 2 * 6


def test_a_newcomer_reads_everything_and_one_who_was_revoked_nothing_new() -> None:
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box: Box = {}
    remember(laptop.core, "before")
    laptop.visit(box)
    acquaint(laptop.core, "laptop", "watch")
    laptop.visit(box)
    watch = Visiting(core_of("watch"), "watch")
    acquaint(watch.core, "watch", "laptop")
    watch.visit(box)
    assert texts(watch.core) == {"before"}
    laptop.core.learn([], [revoke(identity("laptop").sign, laptop.core.device, tablet.core.device)])
    remember(laptop.core, "after the theft")
    laptop.visit(box)
    tablet.visit(box)
    assert "after the theft" not in texts(tablet.core)
    phone.visit(box)
    assert texts(phone.core) == {"before", "after the theft"}


def test_one_that_knows_that_it_was_revoked_writes_and_removes_nothing() -> None:
    """Its own files are good to nobody: it wrote all that it has 64 times at each look, until the place was full."""
    laptop, _, tablet = devices("laptop", "phone", "tablet")
    box: Box = {}
    remember(laptop.core, "before")
    laptop.visit(box)
    tablet.visit(box)
    tablet.core.learn([], [revoke(identity("laptop").sign, laptop.core.device, tablet.core.device)])
    remember(tablet.core, "of no concern to others")
    before = dict(box)
    for _ in range(2):
        looked = tablet.visit(box)
        assert (looked.wrote, looked.removed) == ([], [])
        tablet.now_ms += 40 * DAY_MS
    assert box == before


def test_files_of_one_who_was_revoked_go_once_others_have_what_is_in_them() -> None:
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box: Box = {}
    remember(tablet.core, "by the tablet while it was one of us")
    tablet.visit(box)
    laptop.visit(box)
    assert tablet.core.device in makers(box, laptop)
    laptop.core.learn([], [revoke(identity("laptop").sign, laptop.core.device, tablet.core.device)])
    laptop.visit(box)
    laptop.visit(box)
    assert set(makers(box, laptop)) == {laptop.core.device}
    phone.visit(box)
    assert texts(phone.core) == {"by the tablet while it was one of us"}


def test_a_file_that_is_not_good_stays_until_good_ones_reach_what_it_has() -> None:
    """Writing is put off, as for the seconds that news are collected: whoever comes by meanwhile finds it all."""
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box: Box = {}
    remember(tablet.core, "by the tablet while it was one of us")
    tablet.visit(box)
    laptop.visit(box)
    laptop.core.learn([], [revoke(identity("laptop").sign, laptop.core.device, tablet.core.device)])
    for _ in range(3):
        laptop.visit(box, may_write=never)
    assert tablet.core.device in makers(box, phone)
    phone.visit(box, may_write=never)
    assert texts(phone.core) == {"by the tablet while it was one of us"}


def test_a_maker_that_knew_of_as_many_erasures_and_of_others_may_have_written_the_words() -> None:
    ann, ben = devices("ann", "ben")
    for each, text in ((ann, "one"), (ben, "another")):
        say(each.core, Erase(tuple(remember(each.core, text))))
    theirs = header_of(ben.core, NOW_MS)
    shelf = Shelf()
    shelf.took(any_name(), 1, Filed.of(theirs, (), ()), NOW_MS)
    assert theirs.known.erasures == len(ann.core.proofs)
    assert shelf.stale(ann.core) == {ben.core.device: 1}


def test_what_was_erased_leaves_when_the_first_device_that_knows_comes_by() -> None:
    laptop, phone, tablet = devices("laptop", "phone", "tablet")
    box: Box = {}
    (rid,) = remember(laptop.core, "an unspeakable word")
    remember(laptop.core, "harmless")
    laptop.visit(box)
    tablet.visit(box)
    old = set(box)
    say(laptop.core, Erase((rid,)))
    sync(laptop.core, phone.core)
    phone.visit(box)  # which never wrote a word of it
    phone.visit(box)
    assert not old & set(box), "every file from before is gone, whoever made it"
    assert not holds(box, tablet, "unspeakable")
    assert holds(box, tablet, "harmless")
    before = dict(box)
    laptop.visit(box)
    tablet.visit(box)
    assert before.keys() <= box.keys(), "it was written once, not by each of them"
    assert texts(tablet.core) == {"harmless"}


def test_what_an_older_program_wrote_is_taken_and_counts() -> None:
    """Files that 0.1.0 wrote into a folder: one of a whole history, and one that goes on from it."""
    old = {path.name: path.read_bytes() for path in FROZEN.iterdir()}
    box = dict(old)
    _, phone = devices("laptop", "phone")
    looked = phone.visit(box)
    assert looked.taken == len(old) == 2
    assert texts(phone.core) == {"written by 0.1.0", "and in the same file", "in a file that goes on"}
    assert sum(wrote.ops for wrote in looked.wrote) == 0, "what they have is reached"


def test_a_base_counts_for_what_left_the_log() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, *(f"note {n}" for n in range(50)))
    assert compact(laptop.core, NOW_MS) == 50
    remember(laptop.core, "above the base")
    (wrote,) = laptop.visit(box).wrote
    assert wrote.has_base
    assert not laptop.visit(box).wrote
    phone.visit(box)
    assert agree(laptop.core, phone.core)
    assert not phone.visit(box).wrote


def test_a_store_that_lost_ops_since_takes_their_files_again() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "a note")
    laptop.visit(box)
    phone.visit(box)
    empty = core_of("phone", seed="again")
    acquaint(empty, "phone", "laptop")
    phone.core = empty
    phone.visit(box)
    assert phone.visit(box).taken == 1
    assert texts(empty) == {"a note"}


def test_junk_is_read_seldom_and_removed_after_a_month_if_it_is_named_as_ours() -> None:
    laptop, _ = devices("laptop", "phone")
    junk, theirs = name_of(b"nonsense"), "holiday.samemind"
    box: Box = {junk: b"nonsense", theirs: b"not ours to judge"}
    assert laptop.visit(box).fetched == 2
    assert laptop.visit(box).fetched == 0
    laptop.now_ms += 11 * 60_000
    assert laptop.visit(box).fetched == 2
    laptop.now_ms += 11 * 60_000
    assert laptop.visit(box).fetched == 0, "and ever more seldom"
    laptop.now_ms += UNREADABLE_MS_MAX - DAY_MS
    laptop.visit(box)
    assert junk in box
    laptop.now_ms += DAY_MS
    laptop.visit(box)
    assert junk not in box
    assert theirs in box


def test_of_two_groups_at_one_place_neither_removes_what_the_other_wrote() -> None:
    """After a month of files that it cannot read, each removed the other's, and each wrote its own again."""
    laptop, phone = devices("laptop", "phone")
    theirs, their_phone = devices("their laptop", "their phone")
    box: Box = {}
    groups = ((laptop, phone), (theirs, their_phone))
    for maker, _ in groups:
        remember(maker.core, f"by {maker.name}")
        maker.visit(box)
    written = dict(box)
    for _ in range(3):
        for each in (laptop, phone, theirs, their_phone):
            each.visit(box)
            each.now_ms += UNREADABLE_MS_MAX
            assert each.visit(box).fetched == 0, "what is sealed for others is read once"
    assert written.items() <= box.items()
    for maker, reader in groups:
        assert texts(reader.core) == {f"by {maker.name}"}


def test_a_file_of_another_group_under_a_name_that_is_no_hash_shows_not_that_it_is_whole() -> None:
    """The place may have swapped what 0.1.0 wrote here for it: it is tried again, and goes after a month."""
    (laptop,), (theirs,) = devices("laptop"), devices("their laptop")
    box: Box = {}
    remember(theirs.core, "theirs")
    theirs.visit(box)
    ((_, data),) = box.items()
    name = "0123456789abcdef-000001.samemind"
    box = {name: data}
    laptop.visit(box)
    assert laptop.shelf.kept[name].state is FileState.UNREADABLE
    laptop.now_ms += UNREADABLE_MS_MAX
    laptop.visit(box)
    assert name not in box


def test_a_file_that_this_device_has_no_room_for_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is whole, and may be the only one that has what its maker wrote."""
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 1)
    (name,) = box

    def refuse(*_: object) -> None:
        raise StoreFailed("the store could not be written; make room on its disk")

    with monkeypatch.context() as patched:
        patched.setattr(phone.core.store, "write", refuse)
        for _ in range(3):
            phone.now_ms += UNREADABLE_MS_MAX
            assert "make room" in phone.visit(box).refused[0]
    assert name in box
    assert phone.shelf.kept[name].state is FileState.WAITS
    assert "make room" in phone.shelf.kept[name].reason
    phone.now_ms += DAY_MS
    phone.visit(box)
    assert texts(phone.core) == {"note 0"}


def test_what_the_store_had_no_room_for_comes_soon_after_there_is_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A disk that was full for a day had each file wait for another one."""
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 1)

    def refuse(*_: object) -> None:
        raise StoreFailed("the store could not be written; make room on its disk")

    with monkeypatch.context() as patched:
        patched.setattr(phone.core.store, "write", refuse)
        for _ in range(9):
            phone.now_ms += DAY_MS
            assert phone.visit(box).fetched == 1
            assert phone.visit(box).fetched == 0, "not at each look"
    phone.now_ms += 600_000
    phone.visit(box)
    assert texts(phone.core) == {"note 0"}


def test_what_there_was_no_room_for_and_is_nonsense_is_read_as_seldom_as_other_nonsense() -> None:
    shelf, name = Shelf(), any_name(Random(0).randbytes)
    shelf.no_room(name)
    for _ in range(3):
        shelf.failed(name, 5_000, FileState.UNREADABLE, "nonsense", NOW_MS)
    assert shelf.listed({name: 5_000}, NOW_MS + 600_000) == []


def test_a_file_that_grew_is_read_again_at_once() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "a note")
    laptop.visit(box)
    ((name, data),) = box.items()
    assert phone.visit({name: data[:1000]}, writes=False).taken == 0
    assert phone.shelf.kept[name].state is FileState.ALTERED
    assert phone.visit(box, writes=False).taken == 1


@pytest.mark.parametrize("spoilt", [b"", b"junk", None])
def test_a_file_that_is_spoilt_after_all_have_taken_it_is_written_again(spoilt: bytes | None) -> None:
    """Nobody read it again, and so it counted for ever as holding what a newcomer found nowhere."""
    laptop, phone, watch = devices("laptop", "phone", "watch")
    box: Box = {}
    remember(laptop.core, "a note")
    laptop.visit(box)
    phone.visit(box)
    laptop.visit(box)
    ((name, data),) = ((name, data) for name, data in box.items() if holds({name: data}, phone, "a note"))
    box[name] = data[:1000] if spoilt is None else spoilt
    phone.restart()
    assert phone.visit(box).wrote
    assert laptop.visit(box).fetched == 2, "the spoilt one, and what was written in its stead"
    for each in (phone, laptop, watch):
        each.visit(box)
    assert texts(watch.core) == {"a note"}
    for each in (phone, laptop, watch):
        each.visit(box)
        rested = each.visit(box)
        assert (rested.fetched, rested.wrote) == (0, []), "and then it rests"


@pytest.mark.parametrize("how", ["deleted", "spoilt", "never listed"])
@pytest.mark.parametrize("told", [True, False])
def test_a_plan_says_which_files_the_place_has_lost(told: bool, how: str) -> None:
    laptop, _ = devices("laptop", "phone")
    box: Box = {}
    if told:  # otherwise there is only the file that states the group
        remember(laptop.core, "a note")
    laptop.visit(box)
    ((name, data),) = box.items()
    if how != "never listed":
        laptop.visit(box)
    del box[name]
    if how == "spoilt":
        box[name] = data + b"x"
    laptop.now_ms += LISTED_MS_MAX
    plan = laptop.visit(box, may_write=never).plan
    assert plan is not None
    assert plan.lost == (name,)
    looked = laptop.visit(box)
    assert [wrote.again for wrote in looked.wrote] == [True]
    assert looked.plan is not None
    assert not looked.plan.lost, "it is there again"
    box[name] = data
    remember(laptop.core, "news")
    assert [wrote.again for wrote in laptop.visit(box).wrote] == [False]


def test_nothing_is_lost_where_honest_devices_remove_files() -> None:
    """Since they erased something, wrote many as one, put somebody out, or took somebody in."""
    laptop, phone, watch = devices("laptop", "phone", "watch")
    box: Box = {}
    looks = []
    (rid,) = remember(laptop.core, "an unspeakable word")
    for n in range(2 * TIER_FILES_MAX):
        remember(laptop.core, f"note {n}")
        remember(phone.core, f"{n} by the phone")
        looks += [each.visit(box) for each in (laptop, phone, watch)]
    say(phone.core, Erase((rid,)))
    looks += [each.visit(box) for _ in range(3) for each in (phone, laptop, watch)]
    remember(watch.core, "by the watch")
    (of_watch,) = watch.visit(box).wrote
    looks += [each.visit(box) for each in (laptop, phone)]
    watch_id = watch.core.device
    laptop.core.learn([], [revoke(laptop.core.sign, laptop.core.device, watch_id)])
    del box[of_watch.name]  # by itself: it is not the mailbox that lost it
    looks += [each.visit(box) for _ in range(3) for each in (laptop, phone)]
    assert sum(len(each.removed) for each in looks) > 2 * TIER_FILES_MAX
    assert not any(each.wrote_again for each in looks)


def test_files_whose_names_were_swapped_are_read_again_and_written_again() -> None:
    laptop, phone, watch = devices("laptop", "phone", "watch")
    box: Box = {}
    for text in ("a note", "a longer note. " + " ".join(map(str, range(5_000)))):
        remember(laptop.core, text)
        laptop.visit(box)
    phone.visit(box)
    laptop.visit(box)
    short, *_, long = sorted(box, key=lambda name: len(box[name]))
    box[short], box[long] = box[long], box[short]
    looked = phone.visit(box)
    assert looked.fetched == 2
    assert looked.wrote
    watch.visit(box)
    assert len(texts(watch.core)) == 2
    until_it_rests(box, laptop, phone, watch)
    assert {short, long}.isdisjoint(box)


def until_it_rests(box: Box, *who: Visiting) -> None:
    """Let devices look once a day until a look of each finds nothing to do."""
    for _ in range(10):
        for each in who:
            each.now_ms += DAY_MS
        looked = [each.visit(box) for each in who]
        if not any(each.fetched or each.wrote or each.removed for each in looked):
            return
    raise AssertionError("the place does not come to rest")


def test_a_name_tells_what_was_written_under_it() -> None:
    laptop, _ = devices("laptop", "phone")
    box: Box = {}
    laptop.visit(box)
    ((name, data),) = box.items()
    assert name == name_of(data)
    assert not is_altered(name, name_of(data))
    assert is_altered(name, name_of(data[:-1] + bytes([data[-1] ^ 1])))
    copied, by_0_1_0 = name.replace(".", " (copy)."), "0123456789abcdef-000001.samemind"
    for others in ("holiday.samemind", copied, by_0_1_0):
        assert not is_altered(others, name_of(data)), "what these names are of, nobody knows"


@pytest.mark.parametrize("spoilt", ["swapped", "replayed", "junk"])
def test_a_place_that_served_other_files_of_the_same_size_parts_nobody_once_it_is_honest(spoilt: str) -> None:
    """Who had taken a file counted it for ever, and whoever came later found something else in its place."""
    laptop, phone, watch = devices("laptop", "phone", "watch")
    box: Box = {}
    laptop.visit(box)
    names = list[str]()
    for n in range(2):
        remember(laptop.core, f"note {n}")
        names += [wrote.name for wrote in laptop.visit(box).wrote]
    phone.visit(box)
    laptop.visit(box)
    first, second = names
    assert len(box[first]) == len(box[second])
    if spoilt == "swapped":
        box[first], box[second] = box[second], box[first]
    else:
        box[second] = box[first] if spoilt == "replayed" else bytes(len(box[second]))
    looked = watch.visit(box)
    assert watch.shelf.kept[second].state is FileState.ALTERED
    assert (texts(watch.core) == {"note 0", "note 1"}) == (spoilt == "swapped"), (
        "what is good is taken at once"
    )
    assert second not in looked.removed, "it may not be all there yet"
    until_it_rests(box, laptop, phone, watch)
    assert second not in box
    assert texts(watch.core) == {"note 0", "note 1"}
    assert agree(laptop.core, phone.core, watch.core)
    assert holds(box, phone, "note 0")
    assert holds(box, phone, "note 1")


def with_an_altered_note() -> tuple[Visiting, Visiting, Box, str, bytes]:
    """Return two devices, a box with the only note of the first, which was altered there, its name and what it was."""
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "a note")
    laptop.visit(box)
    ((name, data),) = box.items()
    box[name] = bytes(len(data))
    return laptop, phone, box, name, data


def test_what_was_altered_is_read_again_and_removed_after_an_hour() -> None:
    laptop, phone, box, name, _ = with_an_altered_note()
    began, read = phone.now_ms, 0
    while name in box:
        read += phone.visit(box).fetched
        assert phone.now_ms - began <= ALTERED_MS_MIN + 120_000
        phone.now_ms += 60_000
    assert read == 3, "at once, and after 10 and 30 minutes"
    assert phone.now_ms - began >= ALTERED_MS_MIN
    laptop.now_ms = phone.now_ms
    laptop.visit(box)
    phone.visit(box)
    assert texts(phone.core) == {"a note"}


def test_what_was_read_as_altered_by_a_clock_far_ahead_is_removed_an_hour_after_that_was_set_right() -> None:
    """It was read again each day, and would have lain there until the year that the clock had shown."""
    _, phone, box, name, _ = with_an_altered_note()
    phone.now_ms += 40 * 365 * DAY_MS
    phone.visit(box)
    phone.now_ms -= 40 * 365 * DAY_MS
    began = phone.now_ms
    while name in box:
        phone.visit(box)
        assert phone.now_ms - began <= ALTERED_MS_MIN + 120_000
        phone.now_ms += 60_000
    assert phone.now_ms - began >= ALTERED_MS_MIN


def test_a_newcomer_has_within_an_hour_what_was_swapped_after_all_had_taken_it() -> None:
    laptop, phone, watch = devices("laptop", "phone", "watch")
    box: Box = {}
    remember(laptop.core, "note 0")
    laptop.visit(box)
    remember(laptop.core, "note 1")
    (wrote,) = laptop.visit(box).wrote
    phone.visit(box)
    box[wrote.name] = bytes(len(box[wrote.name]))
    began = watch.now_ms
    while texts(watch.core) != {"note 0", "note 1"}:
        for each in (watch, laptop, phone):
            each.visit(box)
            each.now_ms += 300_000
        assert watch.now_ms - began <= ALTERED_MS_MIN + 900_000, "it took a day"


def removals(phone: Visiting, box: Box, name: str, days: int) -> list[int]:
    """Return when a device removes a file that is put there again, altered, as soon as it is gone; in minutes."""
    began, removed, data = phone.now_ms, list[int](), box[name]
    while phone.now_ms - began < days * DAY_MS:
        phone.visit(box, may_write=never)
        if name not in box:
            removed.append((phone.now_ms - began) // 60_000)
            name = any_name(Random(f"{len(removed)}").randbytes)
            box[name] = data
        phone.now_ms += 300_000
    return removed


def test_where_one_device_is_served_other_bytes_for_ever_it_removes_them_ever_more_seldom() -> None:
    _, phone, box, name, _ = with_an_altered_note()
    removed = removals(phone, box, name, 12)
    pauses = [after - before for before, after in pairwise([0, *removed])]
    hours = [round(pause / 60) for pause in pauses]
    assert hours[:5] == [1, 2, 4, 8, 16]
    assert set(hours[5:]) == {24}
    box.clear()
    phone.now_ms += 6 * DAY_MS
    box[name] = bytes(1_000)
    assert round(removals(phone, box, name, 1)[0] / 60) == 1, "it is forgiven after so many days"


def test_files_that_were_altered_at_once_are_removed_at_once_and_are_one_doubt() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 5)
    for each in list(box):
        box[each] = bytes(len(box[each]))
    began = phone.now_ms
    while len(phone.visit(box, may_write=never).removed) < 5:
        phone.now_ms += 60_000
        assert phone.now_ms - began <= ALTERED_MS_MIN + 120_000
    name = any_name()
    box[name] = bytes(1_000)
    removed = removals(phone, box, name, 1)
    assert round(removed[0] / 60) == 2


def test_what_was_altered_for_a_while_only_is_taken_as_soon_as_it_is_read_again() -> None:
    _, phone, box, name, data = with_an_altered_note()
    phone.visit(box, writes=False)
    assert not phone.shelf.kept[name].is_altered, "it may have been on its way there"
    phone.now_ms += 600_000
    phone.visit(box, writes=False)
    assert phone.shelf.kept[name].is_altered, "and is named to whoever asks what is wrong"
    box[name] = data
    phone.now_ms += 1_200_000
    phone.visit(box, writes=False)
    assert texts(phone.core) == {"a note"}
    assert phone.shelf.kept[name].state is FileState.TAKEN


def test_what_was_read_as_altered_once_or_twice_is_not_removed_however_far_the_clock_jumps() -> None:
    _, phone, box, name, data = with_an_altered_note()
    for _ in range(2):
        assert not phone.visit(box).removed, "it may be on its way there"
        phone.now_ms += 2 * DAY_MS
    box[name] = data
    phone.visit(box)
    assert texts(phone.core) == {"a note"}


@pytest.mark.parametrize("state", [FileState.WAITS, FileState.STRANGE, FileState.UNREADABLE])
def test_for_how_long_a_file_waited_for_something_else_does_not_count_against_it(state: FileState) -> None:
    (phone,) = devices("phone")
    name = any_name()
    for _ in range(5):
        phone.shelf.failed(name, 1_000, state, "for some reason", phone.now_ms)
        phone.now_ms += DAY_MS
    phone.shelf.failed(name, 1_000, FileState.ALTERED, "it was read wrongly", phone.now_ms)
    assert not phone.shelf.kept[name].is_altered
    phone.now_ms += 60_000
    assert phone.shelf.plan(phone.core, phone.now_ms).remove == ()


@pytest.mark.parametrize(
    "name", ["../../a.samemind", "/a.samemind", "..\\a.samemind", "C:a.samemind", "a\r\nb.samemind"]
)
def test_a_name_that_would_lead_out_of_the_mailbox_is_not_asked_for(name: str) -> None:
    assert Shelf().listed({name: 9, "a (2).samemind": 9}, NOW_MS) == ["a (2).samemind"]


def test_a_flood_only_delays() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "a note")
    laptop.visit(box)
    box |= {f"{n:032x}.samemind": b"" for n in range(3 * FETCH_FILES_MAX)}
    looks = 0
    while texts(phone.core) != {"a note"}:
        assert phone.visit(box, writes=False).fetched <= FETCH_FILES_MAX
        looks += 1
        assert looks < 6
    huge = Shelf()
    assert huge.listed({any_name(): FILE_BYTES_MAX + 1}, NOW_MS) == []
    assert [kept.state for kept in huge.kept.values()] == [FileState.UNREADABLE]


def test_of_files_that_are_too_large_a_look_remembers_so_many_and_the_next_ones_the_others() -> None:
    """A hundred thousand, and others with each look, were 200,000 rows of the store each time: for seconds no other."""
    large = {f"{n:032x}.samemind": FILE_BYTES_MAX + 1 for n in range(2 * FETCH_FILES_MAX + 1)}
    shelf, remembered = Shelf(), list[int]()
    for minute in range(4):
        assert shelf.listed(large, NOW_MS + minute * 60_000) == []
        remembered.append(len(shelf.changes()[0]))
    assert remembered == [FETCH_FILES_MAX, FETCH_FILES_MAX, 1, 0]
    assert shelf.listed(dict.fromkeys(large, FILE_BYTES_MAX + 2), NOW_MS) == []
    assert len(shelf.changes()[0]) == FETCH_FILES_MAX, "of another size it is another file"


def test_of_large_files_a_look_fetches_so_many_bytes_and_leaves_the_rest_to_the_next() -> None:
    each, shelf = FILE_BYTES_MAX, Shelf()
    listed = {f"{n:032x}.samemind": each for n in range(5)}
    assert sum(listed[name] for name in shelf.listed(listed, NOW_MS)) == FETCH_BYTES_MAX


@pytest.mark.parametrize("how", ["taken", "sealed for others", "junk"])
def test_a_file_is_hashed_once_and_bit_by_bit(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 256 MB, one step hashed all, and one that was sealed for others was hashed once more on trio's thread."""
    (laptop, phone), (stranger,) = devices("laptop", "phone"), devices("stranger")
    box = Box()
    if how == "junk":
        box[any_name()] = bytes(5_000)
    else:
        leave_notes(laptop if how == "taken" else stranger, box, 1)
    (size,) = map(len, box.values())
    sizes = list[int]()

    def hash_some(digest: Any, file: IO[bytes], core: Core) -> bool:
        before = file.tell()
        more = hashed(digest, file, core)
        sizes.append(file.tell() - before)
        return more

    monkeypatch.setattr(visit, "_HASHED_BYTES_MAX", 1_000)
    hashed = visit._hash_some
    monkeypatch.setattr(visit, "_hash_some", hash_some)
    assert phone.visit(box, writes=False).taken == (how == "taken")
    assert (sum(sizes), max(sizes)) == (size, 1_000)


def test_what_waits_is_tried_a_few_times_as_something_else_comes_and_then_seldom() -> None:
    shelf, name = Shelf(), any_name()
    tried = 0
    for n in range(20):
        shelf.failed(name, 9, FileState.WAITS, "something is missing", NOW_MS + n)
        if shelf.retry(group_grew=False):
            tried += 1
            assert shelf.listed({name: 9}, NOW_MS + n) == [name]
    assert 0 < tried < 10
    assert shelf.listed({name: 9}, NOW_MS + 20) == []
    assert shelf.listed({name: 9}, NOW_MS + DAY_MS + 20) == [name]


def test_news_come_through_a_flood_at_once_and_so_does_what_was_there_before_it() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, "before the flood")
    laptop.visit(box)
    old = dict(box)
    assert phone.shelf.listed({name: len(data) for name, data in box.items()}, NOW_MS) == list(old)
    box |= {f"{n:032x}.samemind": b"" for n in range(5 * FETCH_FILES_MAX)}
    laptop.visit(box, writes=False)
    phone.visit(box, writes=False)
    assert texts(phone.core) == {"before the flood"}
    remember(laptop.core, "in the middle of it")
    for _ in range(6):
        laptop.visit(box)
    looked = phone.visit(box, writes=False)
    assert texts(phone.core) == {"before the flood", "in the middle of it"}
    assert looked.fetched <= FETCH_FILES_MAX


def test_what_came_up_last_is_fetched_first_wherever_its_name_falls() -> None:
    flood = [f"{n:032x}.samemind" for n in range(5 * FETCH_FILES_MAX)]
    news = flood.pop(len(flood) // 4)
    shelf = Shelf()
    assert len(shelf.listed(dict.fromkeys(flood, 1), NOW_MS)) == FETCH_FILES_MAX
    assert shelf.listed(dict.fromkeys([*flood, news], 1), NOW_MS)[0] == news


def test_ranges_that_follow_each_other_are_remembered_as_one() -> None:
    """A file of a long history has a range for each frame."""
    core = core_of("laptop")
    origin, other = core.origin, core_of("phone").origin

    def reach(after: int, prev: bytes, last: int, *, of: Origin = origin) -> Reach:
        return Reach(of, after, prev, OpRef(of, last, b"%08d" % last))

    first, second, third = reach(0, b"", 3), reach(3, b"00000003", 5), reach(5, b"00000005", 9)
    apart = [reach(9, b"another!", 11), reach(9, b"00000009", 12, of=other)]
    filed = Filed.of(header_of(core, NOW_MS), [first, apart[1], second, third, apart[0]], ())
    assert filed.reaches == (reach(0, b"", 9), apart[1], apart[0])


def test_what_a_known_maker_wrote_and_had_to_wait_is_fetched_before_anything_else() -> None:
    shelf, waits, junk = Shelf(), f"{'f' * 32}.samemind", f"{'0' * 32}.samemind"
    shelf.failed(waits, 9, FileState.WAITS, "something is missing", 0)
    shelf.failed(junk, 9, FileState.UNREADABLE, "nonsense", 0)
    fresh = [f"{n:032x}.samemind" for n in range(0x10, 0x10 + 2 * FETCH_FILES_MAX)]
    listed = dict.fromkeys([junk, *fresh, waits], 9)
    chosen = shelf.listed(listed, DAY_MS)
    assert len(chosen) == FETCH_FILES_MAX
    assert chosen[0] == waits
    assert junk not in chosen


def test_files_of_strangers_are_read_again_when_the_group_grew() -> None:
    (laptop,) = devices("laptop")
    watch = Visiting(core_of("watch"), "watch")
    acquaint(watch.core, "watch", "laptop")
    box: Box = {}
    remember(watch.core, "hello from a stranger")
    watch.visit(box)
    laptop.visit(box, writes=False)
    assert texts(laptop.core) == set()
    assert {kept.state for kept in laptop.shelf.kept.values()} == {FileState.STRANGE}
    phone = Visiting(core_of("phone"), "phone")
    acquaint(phone.core, "phone", "laptop", "watch")
    acquaint(laptop.core, "laptop", "phone")
    phone.visit(box)
    assert laptop.visit(box, writes=False).again, "the phone introduced the maker"
    laptop.visit(box, writes=False)
    assert "hello from a stranger" in texts(laptop.core)


def test_a_file_by_which_somebody_may_learn_of_others_is_removed_by_its_maker_alone() -> None:
    """A newcomer cannot open it, and what is in it was written anew: it may tell somebody whom the tablet knows."""
    laptop, tablet = devices("laptop", "tablet")
    box: Box = {}
    remember(tablet.core, "by the tablet")
    tablet.visit(box)
    (told,) = box
    acquaint(laptop.core, "laptop", "newcomer")
    looks = [laptop.visit(box) for _ in range(3)]
    assert not looks[-1].wrote
    assert told in box
    for _ in range(3):
        tablet.visit(box)
    assert told not in box


def test_two_devices_that_wrote_the_same_at_once_keep_one_copy() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    remember(laptop.core, *(f"note {n}" for n in range(50)))
    sync(laptop.core, phone.core)
    one: Box = {}
    other: Box = {}
    laptop.visit(one)
    phone.visit(other)
    box = one | other
    for _ in range(3):
        for each in (laptop, phone):
            assert len(each.visit(box).wrote) <= 1, (
                "whose notes go states the group once more, not again and again"
            )
    files = [each.shelf.kept[name].filed for each in (laptop, phone) for name in box]
    assert sum(bool(filed and filed.reaches) for filed in files) == 2, "both know of the one with the notes"


def test_over_its_bound_own_files_become_one_base_and_that_is_not_written_again() -> None:
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 8)
    assert compact(laptop.core, NOW_MS) == 8
    remember(laptop.core, "above the base")
    laptop.bytes_max = 10_000
    looked = [laptop.visit(box) for _ in range(3)]
    assert [wrote.has_base for each in looked for wrote in each.wrote][-1]
    assert len(box) <= 2
    before = dict(box)
    laptop.bytes_max = 1
    for _ in range(3):
        assert not laptop.visit(box).wrote, "one file is as few as can be"
    assert box == before
    phone.visit(box)
    assert len(texts(phone.core)) == 9


def test_below_its_bound_own_files_stay_as_they_are() -> None:
    (laptop,) = devices("laptop")
    box: Box = {}
    leave_notes(laptop, box, 3)
    laptop.bytes_max = sum(map(len, box.values()))
    laptop.visit(box)
    assert len(box) == 3
    laptop.bytes_max -= 1
    for _ in range(2):
        laptop.visit(box)
    assert len(box) == 1


def test_in_a_full_mailbox_what_goes_anyway_makes_room_before_anything_is_written() -> None:
    """It was removed after the write once, which never came: full mailboxes stayed full."""
    laptop, phone = devices("laptop", "phone")
    box = Small()
    laptop.visit(box)
    for n in range(3):
        box[any_name(Random(n).randbytes)] = bytes(4_096)
    laptop.visit(box)
    box.room = sum(map(len, box.values()))
    remember(laptop.core, "there is room for this")
    for _ in range(3):  # it reads them again before they go
        with pytest.raises(Full):
            laptop.visit(box)
        laptop.now_ms += ALTERED_MS_MIN // 3
    looked = laptop.visit(box)
    assert (len(looked.removed), len(looked.wrote)) == (3, 1)
    phone.visit(box)
    assert texts(phone.core) == {"there is room for this"}


@pytest.mark.parametrize(
    ("size", "expected"), [(4_096, 0), (16_384, 0), (16_385, 1), (262_144, 1), (262_145, 2), (4 << 20, 2)]
)
def test_each_class_of_size_is_sixteen_times_the_one_below(size: int, expected: int) -> None:
    assert tier(size) == expected


def test_of_files_that_came_no_more_is_held_at_once_than_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sync.carrier.visit._BATCH_BYTES_MAX", 1)
    taken, take = list[int](), Visitor._take_batch

    def noting(visitor: Visitor, batch: list[Any], looked: Looked) -> Any:
        taken.append(len(batch))
        return take(visitor, batch, looked)

    monkeypatch.setattr(Visitor, "_take_batch", noting)
    laptop, phone = devices("laptop", "phone")
    box: Box = {}
    leave_notes(laptop, box, 3)
    phone.visit(box)
    assert taken[-4:] == [1, 1, 1, 0]
    for _ in range(3):  # one that came before what it needs waits for the next look
        phone.visit(box)
    assert agree(laptop.core, phone.core)


def test_a_look_ends_with_a_visit_that_leaves_nothing_to_do_at_once() -> None:
    total = Looked()
    total.add(Looked(again=True, fetched=2))
    total.add(Looked(fetched=1))
    assert (total.again, total.fetched) == (False, 3)
