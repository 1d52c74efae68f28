"""When a device looks into a mailbox and when it writes there, on a clock that jumps."""

import gc
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import IO, Any

import pytest
import trio
import trio.testing

from replica.core import Core
from replica.ops import Erase
from sync.carrier import visit
from sync.carrier.shelf import FETCH_FILES_MAX, Shelf
from sync.errors import Denied, Full, Gone, MailboxError, NoRoomHere, Unreached
from sync.mailbox import fetched
from sync.mailbox.box import check_name
from sync.mailbox.keeping import Keeper
from sync.mailbox.pace import (
    BELLS_A_SECOND,
    BELLS_AT_ONCE,
    NEWS_SECONDS_MAX,
    PAUSE_SECONDS_MAX,
    PERSON_SECONDS,
    REWRITE_SECONDS_MAX,
    Bells,
)
from tests.support.links import identity
from tests.support.replicas import NOW_MS, group, remember, say, texts
from tests.support.visits import any_name

GROUP_S = 60.0
BELL_S = 100_000.0


# Longer than what a sealed file ends with by chance: one in 256 ended with a byte of this.
PADDING = b"padding"


@dataclass
class Counting:
    """A mailbox of a dict, that counts what is asked of it; `failure` is raised instead while there is one."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, float]] = field(default_factory=list)
    failure: MailboxError | None = None
    late: bool = False
    """It lists nothing of what is put from now on."""
    unlisted: set[str] = field(default_factory=set)
    loses: bool = False
    """It deletes what it has listed once."""
    pads: bool = False
    """It makes longer what it has listed once."""
    rung: trio.Event = field(default_factory=trio.Event)

    def _ask(self, what: str) -> None:
        self.asked.append((what, trio.current_time()))
        if self.failure is not None:
            raise self.failure

    async def put(self, name: str, data: bytes) -> None:
        check_name(name)
        self._ask("put")
        self.files[name] = data
        if self.late:
            self.unlisted.add(name)

    async def names(self) -> Mapping[str, int]:
        self._ask("names")
        listed = {name: len(data) for name, data in self.files.items() if name not in self.unlisted}
        if self.loses:
            self.files.clear()
        if self.pads:
            self.files = {
                name: data if data.endswith(PADDING) else data + PADDING for name, data in self.files.items()
            }
        return listed

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        self._ask("get")
        if name not in self.files:
            raise Gone(name)
        into.write(self.files[name][:bytes_max])

    async def remove(self, name: str) -> None:
        self._ask("remove")
        self.files.pop(name, None)

    async def bell(self) -> None:
        with trio.move_on_after(BELL_S):
            await self.rung.wait()
        self.rung = trio.Event()

    async def aclose(self) -> None:
        pass

    def times(self, what: str) -> list[float]:
        return [at for each, at in self.asked if each == what]


@dataclass
class Still:
    """A replica without a thread: what is run is run at once."""

    core: Core
    connection: sqlite3.Connection
    now: int = NOW_MS
    event: trio.Event = field(default_factory=trio.Event)

    async def run(self, function: Callable[[Core, sqlite3.Connection], Any]) -> Any:
        before = self.core.news
        try:
            return function(self.core, self.connection)
        finally:
            if self.core.news != before:
                self.event.set()
                self.event = trio.Event()

    @property
    def news(self) -> int:
        return self.core.news

    async def stirred(self, since: int) -> int:
        while self.core.news == since:
            await self.event.wait()
        return self.core.news

    def now_ms(self) -> int:
        return self.now + int(trio.current_time() * 1_000)

    async def remember(self, text: str) -> None:
        await self.run(lambda core, _: remember(core, text))


def still(core: Core) -> Still:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE carried (mailbox TEXT, name TEXT, about BLOB, PRIMARY KEY (mailbox, name))"
    )
    return Still(core, connection)


async def nobody_is_linked() -> None:
    """Do nothing where something was taken."""


def keeper(
    name: str, replica: Still, box: Counting, took: Callable[[], Awaitable[None]] = nobody_is_linked
) -> Keeper:
    return Keeper(
        box,
        replica,  # type: ignore[arg-type]
        identity(name),
        "box",
        group_s=GROUP_S,
        bytes_max=None,
        folder=Path(tempfile.gettempdir()),
        random=Random(1),
        took=took,
    )


Body = Callable[[Counting, Still, Keeper], Awaitable[None]]


def looked_well(kept: Keeper) -> bool:
    return kept.standing.trouble is None and kept.standing.trouble_ms is None


def play(body: Body, name: str = "laptop") -> None:
    """Let a daemon's task keep a mailbox meanwhile."""

    async def main() -> None:
        laptop, _ = group("laptop", "phone")
        box, replica = Counting(), still(laptop)
        kept = keeper(name, replica, box)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(kept.run)
            await trio.testing.wait_all_tasks_blocked()
            await body(box, replica, kept)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_what_a_device_has_when_it_starts_is_written_at_once() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        assert box.times("put") == [0.0]
        assert kept.standing.wrote == 1

    play(body)


def test_news_of_a_minute_become_one_file() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        await trio.sleep(100)
        for n in range(5):
            await replica.remember(f"note {n}")
            await trio.sleep(10)
        assert len(box.times("put")) == 1, "nothing but what was there at the start"
        await trio.sleep(GROUP_S)
        assert box.times("put") == [0.0, 100.0 + GROUP_S]

    play(body)


def test_a_quiet_mailbox_costs_one_listing_a_bell_and_nothing_else() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        await trio.sleep(10)
        box.asked.clear()
        await trio.sleep(10 * BELL_S)
        assert 9 <= len(box.times("names")) <= 10
        assert {what for what, _ in box.asked} == {"names"}

    play(body)


def test_what_others_write_is_taken_when_the_bell_rings_and_not_written_back() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        _, phone = group("laptop", "phone")
        other = still(phone)
        await other.remember("from the phone")
        await keeper("phone", other, box).look()
        puts = len(box.times("put"))
        box.rung.set()
        await trio.sleep(1)
        assert texts(replica.core) == {"from the phone"}
        await trio.sleep(10 * GROUP_S)
        assert len(box.times("put")) == puts

    play(body)


def test_news_that_were_put_off_are_written_when_the_daemon_ends() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        await trio.sleep(10)
        await kept.flush()
        assert len(box.times("put")) == 1, "there is nothing to write"
        await replica.remember("last words")
        await trio.sleep(1)
        await kept.flush()
        assert box.times("put") == [0.0, 11.0]

    play(body)


def test_what_is_said_after_a_look_that_somebody_asked_for_is_put_off_and_not_overlooked() -> None:
    """What was waited for when it began was over; news after it were seen by nobody until then."""

    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        await replica.remember("before")
        await trio.sleep(10)
        await kept.look()
        await replica.remember("after")
        await trio.sleep(1)
        assert kept.standing.putting_off
        await kept.flush()
        assert box.times("put") == [0.0, 10.0, 11.0]
        box.asked.clear()
        await replica.remember("at last")
        await trio.sleep(2 * GROUP_S)
        assert box.times("put") == [11.0 + GROUP_S]

    play(body)


def test_a_look_that_somebody_asks_for_puts_nothing_off() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        await replica.remember("now")
        assert [wrote.ops for wrote in (await kept.look()).wrote] == [1]

    play(body)


def test_what_was_erased_leaves_with_the_last_look_of_a_daemon_that_ends() -> None:
    """Written and then removed, in one go: whoever comes next may come in a month."""

    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        rid = (await replica.run(lambda core, _: remember(core, "an unspeakable word")))[0]
        await kept.look()
        before = set(box.files)
        await replica.run(lambda core, _: say(core, Erase((rid,))))
        await trio.sleep(1)
        box.asked.clear()
        await kept.flush()
        assert not before & box.files.keys()
        assert [what for what, _ in box.asked if what != "remove"] == ["names", "put", "names"]

    play(body)


def test_a_mailbox_that_lists_nothing_of_what_was_written_is_not_asked_for_it_without_end() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        rid = (await replica.run(lambda core, _: remember(core, "an unspeakable word")))[0]
        await kept.look()
        *_, holds_it = box.files
        await replica.run(lambda core, _: say(core, Erase((rid,))))
        box.late = True
        box.asked.clear()
        await kept.look()
        assert holds_it in box.files, "nothing is removed for the sake of what is not listed"
        assert [what for what, _ in box.asked if what != "remove"] == ["names", "put", "names"]

    play(body)


def test_one_that_cannot_be_reached_is_tried_less_and_less_often_and_then_as_before() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        box.failure = Unreached("no route")
        box.asked.clear()
        box.rung.set()
        await trio.sleep(3_600)
        tried = box.times("names")
        gaps = [after - before for before, after in pairwise(tried)]
        assert gaps[0] <= 2.0
        assert PAUSE_SECONDS_MAX / 2 <= gaps[-1] <= PAUSE_SECONDS_MAX
        assert 15 <= len(tried) <= 40
        assert str(kept.standing.trouble) == "no route"
        assert kept.standing.trouble_ms == NOW_MS, "since when, and not: last"
        box.failure = None
        await trio.sleep(PAUSE_SECONDS_MAX)
        assert kept.standing.trouble is None
        box.failure = Unreached("no route")
        box.asked.clear()
        box.rung.set()
        await trio.sleep(10)
        first, second, *_ = box.times("names")
        assert second - first <= 2.0

    play(body)


def test_what_is_remembered_of_a_failure_holds_on_to_nothing_that_was_listed() -> None:
    """For as long as a mailbox was out of reach, all names and the files of a batch stayed in memory."""

    class Listed(dict[str, int]):
        """What a listing was, until it failed."""

    lists: list[weakref.ref[Listed]] = []

    class Failing(Counting):
        async def names(self) -> Mapping[str, int]:
            found = Listed()
            lists.append(weakref.ref(found))
            raise Unreached("the line went down", retry_after_s=17.0)

    async def main() -> None:
        laptop, _ = group("laptop", "phone")
        kept = keeper("laptop", still(laptop), Failing())
        with pytest.raises(Unreached):
            await kept.look()
        gc.collect()
        assert [each() for each in lists] == [None]
        trouble = kept.standing.trouble
        assert isinstance(trouble, Unreached)
        assert (str(trouble), trouble.retry_after_s) == ("the line went down", 17.0)

    trio.run(main)


class Held(dict[str, int]):
    """A listing that can be watched until nobody holds it."""


@pytest.fixture
def nothing_collected() -> Iterator[None]:
    """Free at once what nobody refers to, and nothing that refers to itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("nothing_collected")
@pytest.mark.parametrize("fails", ["names", "get"])
def test_while_one_that_failed_is_left_alone_nothing_is_held_that_was_listed_and_fetched(fails: str) -> None:
    """Files that broke off at their last byte were: of 256 MB each, two for each look, 3.3 GB after five."""
    lists: list[weakref.ref[Held]] = []

    class Failing(Counting):
        async def names(self) -> Mapping[str, int]:
            found = Held({any_name(): 5_000 for _ in range(3)})
            lists.append(weakref.ref(found))
            if fails == "names":
                raise Unreached("the line went down")
            return found

        async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
            begun = Held()
            lists.append(weakref.ref(begun))
            # As whoever translates an error does: its frame holds what it raises.
            meant = Unreached("the line went down")
            raise meant

    async def main() -> None:
        laptop, _ = group("laptop", "phone")
        kept = keeper("laptop", still(laptop), Failing())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(kept.run)
            await trio.testing.wait_all_tasks_blocked()
            assert isinstance(kept.standing.trouble, Unreached)
            assert [each() for each in lists] == [None] * (1 if fails == "names" else 3)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock())


@pytest.mark.usefixtures("nothing_collected")
@pytest.mark.parametrize("count", [2_000, 2_001])
def test_a_long_listing_is_gone_through_beside_and_let_go_before_anything_is_fetched(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 99,000 names nobody was answered for half a second at each look, and each mailbox held all meanwhile."""
    lists: list[weakref.ref[Held]] = []
    heard_by: list[int] = []
    listed = Shelf.listed

    def hear(shelf: Shelf, names: Mapping[str, int], now_ms: int) -> list[str]:
        heard_by.append(threading.get_ident())
        return listed(shelf, names, now_ms)

    class Long(Counting):
        async def names(self) -> Mapping[str, int]:
            found = Held({any_name(): 5_000 for _ in range(count)})
            lists.append(weakref.ref(found))
            return found

        async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
            assert lists[-1]() is None
            await super().get(name, bytes_max, into)

    async def main() -> None:
        laptop, _ = group("laptop", "phone")
        replica = still(laptop)
        monkeypatch.setattr(replica, "now_ms", lambda: NOW_MS)
        looked = await keeper("laptop", replica, Long()).look()
        assert looked.asked_for == FETCH_FILES_MAX

    monkeypatch.setattr(Shelf, "listed", hear)
    trio.run(main)
    (thread,) = heard_by
    assert (thread == threading.get_ident()) is (count == 2_000)


@pytest.mark.usefixtures("nothing_collected")
def test_a_file_is_let_go_before_the_next_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two files of 256 MB, both were held."""
    monkeypatch.setattr(visit, "_BATCH_BYTES_MAX", 0)
    handed: list[weakref.ref[IO[bytes]]] = []

    class Handing(Counting):
        async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
            assert all(each() is None for each in handed)
            handed.append(weakref.ref(into))
            await super().get(name, bytes_max, into)

    async def main() -> None:
        box, (laptop, phone, tablet) = Handing(), group("laptop", "phone", "tablet")
        for core, name in ((laptop, "laptop"), (phone, "phone")):
            remember(core, f"of the {name}")
            await keeper(name, still(core), Counting(box.files)).look()
        await keeper("tablet", still(tablet), box).look()
        assert texts(tablet) == texts(phone)
        assert len(handed) == 2

    trio.run(main)


def test_a_file_this_device_has_no_room_for_is_not_asked_for_and_news_are_written_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By its listed size: it was fetched as far as there was room, and the whole mailbox counted as failed."""

    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        for _ in range(3):
            box.files[any_name()] = bytes(fetched.FETCHED_IN_MEMORY_MAX + 1)
        box.failure = Unreached("no route")
        with pytest.raises(Unreached):
            await kept.look()
        await trio.sleep(5)
        box.failure = None
        with monkeypatch.context() as patching:
            patching.setattr(fetched, "DISK_LEFT_MIN", 1 << 60)
            looked = await kept.look()
            since = replica.now_ms()
            assert len(looked.no_room) == 3
            assert isinstance(kept.standing.trouble, NoRoomHere)
            assert box.times("get") == []
            await replica.remember("news")
            await trio.sleep(1)
            before = len(box.times("put"))
            await kept.flush()
            assert len(box.times("put")) == before + 1
            assert kept.standing.trouble_ms == since, "since there is no room, not since it was not reached"
            await trio.sleep(PERSON_SECONDS)
        await kept.look()
        assert len(box.times("get")) == 3
        assert looked_well(kept)

    play(body)


def test_one_that_cannot_be_reached_keeps_no_daemon_from_ending() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        box.failure = Unreached("no route")
        box.rung.set()
        await trio.sleep(1)
        await replica.remember("last words")
        box.asked.clear()
        await kept.flush()
        assert not box.asked

    play(body)


def test_what_was_taken_is_told_to_who_hands_it_on_also_where_the_mailbox_fails_then() -> None:
    told: list[set[str]] = []

    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        async def took() -> None:
            told.append(texts(replica.core))

        _, phone = group("laptop", "phone")
        other = still(phone)
        await other.remember("from the phone")
        await keeper("phone", other, box).look()
        linked = keeper("laptop", replica, box, took)

        async def full(name: str, data: bytes) -> None:
            raise Full("507")

        await replica.remember("mine")
        box.put = full  # type: ignore[method-assign]
        with pytest.raises(Full):
            await linked.look()
        assert told == [{"from the phone", "mine"}]
        with pytest.raises(Full):
            await linked.look()
        assert len(told) == 1, "nothing came"

    play(body)


@pytest.mark.parametrize(
    ("failure", "pause"),
    [
        (Unreached("busy", retry_after_s=200.0), 200.0),
        (Denied("401"), PERSON_SECONDS),
        (Full("507"), PERSON_SECONDS),
    ],
)
def test_one_that_says_when_to_come_again_or_needs_a_person_is_left_alone_meanwhile(
    failure: MailboxError, pause: float
) -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        box.failure = failure
        box.asked.clear()
        box.rung.set()
        await trio.sleep(2.5 * pause)
        assert box.times("names") == pytest.approx([0.0, pause, 2 * pause])

    play(body)


def test_a_poke_ends_every_pause() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        box.failure = Denied("401")
        box.rung.set()
        await trio.sleep(1)
        box.failure = None
        box.asked.clear()
        kept.poke()
        await trio.sleep(1)
        assert box.times("names") == [1.0]
        assert kept.standing.trouble is None

    play(body)


def test_a_full_one_is_read_all_the_same() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        _, phone = group("laptop", "phone")
        other = still(phone)
        await other.remember("from the phone")
        await keeper("phone", other, box).look()
        put = box.put

        async def full(name: str, data: bytes) -> None:
            raise Full("507")

        box.put = full  # type: ignore[method-assign]
        await replica.remember("mine")
        box.rung.set()
        await trio.sleep(2 * GROUP_S)
        assert "from the phone" in texts(replica.core)
        assert isinstance(kept.standing.trouble, Full)
        box.put = put  # type: ignore[method-assign]

    play(body)


def test_a_mailbox_that_rings_without_end_is_looked_at_so_often_and_no_more() -> None:
    seconds = 100.0

    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        async def ringing() -> None:
            await trio.sleep(0.001)

        box.bell = ringing  # type: ignore[method-assign]
        kept.poke()
        box.asked.clear()
        await trio.sleep(seconds)
        allowed = BELLS_AT_ONCE + seconds * BELLS_A_SECOND
        assert allowed - 2 <= len(box.times("names")) <= allowed + 2
        await replica.remember("said meanwhile")
        await trio.sleep(GROUP_S + 1)
        assert len(box.times("put")) == 1, "bells neither keep it from writing nor hurry it"

    play(body)


def test_a_burst_of_bells_is_answered_at_once() -> None:
    bells = Bells()
    assert [bells.pause(0.0) for _ in range(BELLS_AT_ONCE)] == [0.0] * BELLS_AT_ONCE
    assert bells.pause(0.0) == pytest.approx(1 / BELLS_A_SECOND)
    assert bells.pause(1_000.0) == 0.0


def ringing_often(box: Counting) -> None:
    """Let a mailbox ring for others' sake, as busy ones do."""

    async def bell() -> None:
        await trio.sleep(20.0)

    box.bell = bell  # type: ignore[method-assign]


@pytest.mark.parametrize("how", ["loses", "pads", "late"])
def test_what_a_mailbox_loses_is_written_again_ever_more_seldom(how: str) -> None:
    """Its files count for nothing as soon as they are listed once, or are never listed: 1,440 writes a day, or 720."""
    hours = 24

    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        ringing_often(box)
        setattr(box, how, True)
        box.unlisted.update(box.files)
        kept.poke()
        box.asked.clear()
        await trio.sleep(hours * 3_600)
        puts = box.times("put")
        assert hours <= len(puts) <= hours + 8
        assert [after - before for before, after in pairwise(puts)][-1] <= REWRITE_SECONDS_MAX + 130
        assert kept.standing.lost > 1

    play(body)


def test_what_was_lost_once_is_written_again_as_soon_as_ever() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        await trio.sleep(1_000)
        kept.poke()
        await trio.sleep(1)
        box.files.clear()
        kept.poke()
        await trio.sleep(10 * GROUP_S)
        assert box.times("put") == [0.0, 1_001.0 + GROUP_S]
        assert kept.standing.lost == 1

    play(body)


def test_news_reach_a_mailbox_that_loses_files_within_minutes() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        ringing_often(box)
        box.loses = True
        kept.poke()
        await trio.sleep(5 * 3_600)
        await kept.look()
        box.asked.clear()
        await trio.sleep(1_800)
        told_at = trio.current_time()
        assert not box.times("put"), "nothing is due"
        await replica.remember("news")
        await trio.sleep(NEWS_SECONDS_MAX + 1)
        assert box.times("put") == [pytest.approx(told_at + NEWS_SECONDS_MAX)]
        await replica.remember("more, and somebody asks for it")
        await kept.look()
        assert box.times("put")[1:] == [trio.current_time()]

    play(body)


def test_a_mailbox_that_has_kept_files_for_hours_is_trusted_again() -> None:
    async def body(box: Counting, replica: Still, kept: Keeper) -> None:
        ringing_often(box)
        box.loses = True
        kept.poke()
        await trio.sleep(1_800)
        box.loses = False
        await trio.sleep(12 * 3_600)
        assert kept.standing.lost == 0
        box.asked.clear()
        lost_at = trio.current_time()
        box.files.clear()
        await trio.sleep(2 * GROUP_S)
        assert box.times("put") == [pytest.approx(lost_at + GROUP_S, abs=21.0)]

    play(body)


def test_one_that_is_no_longer_used_is_looked_into_no_more_whoever_waits_for_that() -> None:
    """Who had asked for a look got it after the mailbox was removed: what was new was written there even so."""

    class Silent(Counting):
        async def names(self) -> Mapping[str, int]:
            self._ask("names")
            await trio.sleep(60)
            return {}

    async def main() -> None:
        laptop, _ = group("laptop", "phone")
        box = Silent()
        kept, told = keeper("laptop", still(laptop), box), list[str]()

        async def look() -> None:
            with pytest.raises(Gone) as refused:
                await kept.look()
            told.append(str(refused.value))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            nursery.start_soon(look)
            await trio.sleep(1)
            kept.end()
        await look()
        assert told == ["this device no longer uses it"] * 3
        assert kept.standing.looking_ms is None
        assert (box.times("names"), box.files) == ([0], {})

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
