"""Rows of the feature list that hold on quiet devices hold in a world where everything goes wrong, too.

One world that meets every kind of write and most faults is run to its end once; each test asks it another question.
None of them leans on a checker: what is asked is read off the devices and the list of all that was ever written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from cognition.entities import EntityTables, keep, read_some, unread
from replica.collector import collector_paused
from replica.core import Core
from replica.folding import Totals, digests_of
from replica.frame import Frame, decode_frame, encode_frame
from replica.ops import Access, Edit, Forget, Op, Relate, Remember, Write
from replica.outbox import Outbox
from replica.refold import sum_up
from replica.state.cells import State, memory_key
from replica.storage.memory_store import MemoryStore
from simulations.checkers import all_checkers
from simulations.device import Device
from simulations.disk import SqliteDisk
from simulations.drawing import draw
from simulations.household import Arrival, Checker, Household
from simulations.observer import Written
from simulations.options import Options
from simulations.playing import PlayedWorld
from tests.support.published import published

# Chosen for what `ended` and the tests ask of it: that there is something to look at.
SEED = 6
KINDS = (Remember, Edit, Relate, Access, Forget)


def options(seed: int, ops: int) -> Options:
    """A world of four with all kinds of writes, in which nobody is put out: its devices end as one group."""
    drawn = draw(seed, replicas=4, ops=ops)
    plan = tuple(name for name in drawn.plan if name not in ("revoke", "erase"))
    writes = {kind: weight or 3 for kind, weight in drawn.writes.items()}
    return replace(drawn, plan=plan, writes=writes | {"erase": 0}, thinks=True, keys=4)


class WorldOfNames(PlayedWorld):
    """A world whose memories name people and places, as those of a world do not by themselves."""

    def write(self, device: Device, writes: Sequence[Write]) -> list[Op]:
        return super().write(device, [self.named(each) for each in writes])

    def named(self, write: Write) -> Write:
        if not isinstance(write.body, Remember):
            return write
        who = ("Alice", "Bob", "Carol")[len(write.body.text) % 3]
        return write._replace(body=replace(write.body, text=f"{who} lives in Berlin near {write.body.text}"))


@cache
def ended() -> PlayedWorld:
    """The world after its end, with devices that still run."""
    world = WorldOfNames(options(SEED, 90))
    with collector_paused(), world.wire.shared():
        outcome = world.run()
    assert not outcome.violations, outcome.violations[:3]
    assert len(world.groups()) == 1
    hurt = ("crashes", "partitions", "restores", "clones", "snapshots")
    assert len([fault for fault in hurt if outcome.counts.get(fault)]) > 2, "little went wrong in this world"
    assert {type(each.body) for each in said(world)}.issuperset(KINDS)
    return world


def said(world: PlayedWorld) -> list[Written]:
    """All ops that are somewhere at the end: not those that went with a disk before anybody heard of them."""
    return [each for each in world.observer.among(world.devices[0].held) if each.body is not None]


def log_of(core: Core) -> Iterator[Frame]:
    """Everything above a device's base, as a peer gets it that holds nothing else."""
    outbox = Outbox({})
    outbox.sent_base(core)
    while (frame := outbox.next_frame(core)) is not None:
        yield decode_frame(encode_frame(frame))


@published("YD-45")
def test_every_memory_that_was_added_and_not_forgotten_is_on_every_device() -> None:
    world = ended()
    added = {each.op.rid for each in said(world) if isinstance(each.body, Remember)}
    forgotten = {rid for each in said(world) if isinstance(each.body, Forget) for rid in each.body.rids}
    writers = {each.device for each in said(world) if isinstance(each.body, Remember)}
    assert len(added) > 20
    assert len(writers) > 2
    for device in world.devices:
        assert {rid for rid, _ in device.shown()} == added - forgotten


@published("YD-46")
def test_an_edge_has_one_winner_whatever_order_its_writes_came_in() -> None:
    world = ended()
    writes: dict[tuple[str, str, str], list[Written]] = {}
    for each in said(world):
        if isinstance(each.body, Relate):
            writes.setdefault((each.body.source, each.body.relation, each.body.target), []).append(each)
    assert any(len(several) > 2 for several in writes.values())
    winners = {}
    for edge, several in writes.items():
        # The last of those that no other write has seen; shuffled, since each device heard them in an order of its own.
        Random(len(several)).shuffle(several)
        unseen = [each for each in several if not any(other.past >> each.index & 1 for other in several)]
        last = max(unseen, key=lambda each: (each.op.hlc, each.op.id))
        assert isinstance(last.body, Relate)
        if last.body.weight is not None:
            winners[edge] = (last.body.weight, last.op.hlc)
    orders = {
        tuple(row.id for row in device.core.store.rows() if row.rid is None) for device in world.devices
    }
    assert len(orders) > 1, "all devices heard everything in one order"
    for device in world.devices:
        assert device.edges() == winners


@published("YD-47")
def test_entities_kept_in_step_are_those_that_are_derived_anew() -> None:
    for device in ended().devices:
        disk = device.disk
        assert isinstance(disk, SqliteDisk)
        in_step = entities(disk)
        assert in_step[0], "names were found"
        disk.connection.execute(
            "UPDATE entity_version SET version = 0"
        )  # as an older program would have left it
        EntityTables().migrate(disk.connection)
        assert entities(disk) == in_step


def entities(disk: SqliteDisk) -> list[list[tuple[object, ...]]]:
    """Read what is still to be read, as a mind does, and return the tables."""
    while page := unread(disk.connection):
        keep(disk.connection, page, read_some(page))
    tables = ("entity_mention", "triple")
    return [disk.connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]


@published("YD-48")
def test_nothing_that_was_forgotten_anywhere_shows_on_any_device() -> None:
    world = ended()
    forgotten = {rid for each in said(world) if isinstance(each.body, Forget) for rid in each.body.rids}
    again = [each for each in said(world) if isinstance(each.body, Edit) and each.op.rid in forgotten]
    assert forgotten
    assert again, "nobody wrote on what somebody forgot"
    for device in world.devices:
        assert forgotten <= device.core.store.all_tombstones()
        assert not device.core.store.load([memory_key(rid) for rid in forgotten])


@published("YD-51")
def test_an_empty_store_that_is_told_the_log_comes_to_the_same_state() -> None:
    compacted = 0
    for device in ended().devices:
        core = device.core
        if any(feed.base_seq > feed.fork for feed in core.feeds):
            compacted += 1  # what is below a base is no longer in the log; `verify` hands it over first
            continue
        empty = Core(
            MemoryStore(),
            device=core.device,
            sign=core.sign,
            random=Random(1),
            understood=core.understood,
        )
        empty.adopt(core.membership)
        for frame in log_of(core):
            assert not empty.take(frame, 0).refusals
        assert empty.digests() == core.digests()
    assert compacted < len(ended().devices)


@published("YD-55")
def test_the_same_batch_three_times_more_changes_nothing() -> None:
    world = ended()
    for device in world.devices:
        before = device.core.digests(), device.core.position
        for other in world.devices:
            for frame in [*log_of(other.core)] * 3:
                assert device.core.take(frame, device.now(world.now_ms)).ops == 0
        assert (device.core.digests(), device.core.position) == before


class DigestsAreKept(Checker):
    """After every batch, whatever befell it, the sums that were moved along are those of the cells that are stored."""

    name = "digests"
    batches = 0

    def took(self, world: Household, device: Device, arrivals: Sequence[Arrival]) -> None:
        self.compare(world, device)

    def restarted(self, world: Household, device: Device) -> None:
        self.compare(world, device)

    def compare(self, world: Household, device: Device) -> None:
        self.batches += 1
        if (
            self.batches % 3 == 0
        ):  # what is new is summed up when somebody asks: so it must not be asked every time
            return
        core, anew = device.core, Totals(unfolded=device.core.totals.unfolded)
        sum_up(State(dict(core.store.all_cells()), core.store.all_tombstones()), anew, core.feeds)
        if digests_of(anew, core.frontier()) != core.digests():
            world.violate(self.name, f"{device.name} keeps other digests than its cells add up to")


def test_digests_that_are_moved_along_are_those_that_are_computed_anew_under_every_fault() -> None:
    for seed in (0, 5, 11):
        checker = DigestsAreKept()
        world = PlayedWorld(draw(seed, ops=30), checkers=[*all_checkers(), checker])
        with collector_paused(), world.wire.shared():
            assert not world.run().violations
        assert checker.batches > 30
