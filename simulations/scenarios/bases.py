"""Traps about compaction: devices that were away, halves that compacted apart, what snapshots must not undo."""

from random import Random

from replica.codec import SALT_BYTES, pack
from replica.fields import Value
from replica.hlc import COUNTER_BITS
from replica.ids import derived_memory_id
from replica.ops import KIND_OF, Relate, Remember, Set, Write
from simulations.crafting import craft, newer_payload
from simulations.scenarios.stage import Scenario, Stage


def _away_for_a_year(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    for name in "BC":
        stage.meet("A", name)
    stage.set("C", rid, "written on C before it went away")
    mine = stage.remember("C", "only C has this")
    stage.wait(365)
    stage.set("A", rid, "written at home")
    gone = stage.remember("A", "come and gone")
    stage.meet("A", "B")
    stage.forget("B", gone)
    stage.meet("A", "B")
    stage.meet("A", "B")
    stage.expect("A compacts past C", stage.compact("A") > 0, True)
    stage.meet("A", "C")
    stage.expect("C lost nothing", stage.memory("A", mine) is not None, True)
    stage.expect("nothing came back", stage.memory("C", gone), None)


def _two_halves(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    for name in "BCD":
        stage.meet("A", name)
    stage.wait(200)
    for one, two, topic in (("A", "B", "one half"), ("C", "D", "the other half")):
        stage.set(one, rid, topic)
        stage.write(one, Relate("Ann", "knows", topic, 0.5))
        stage.write(one, Relate("Ann", "knows", "nobody", None if one == "A" else 1.0))
        stage.remember(two, f"only in {topic}")
        for _ in range(3):
            stage.meet(one, two)
        stage.expect(f"{one} compacts", stage.compact(one) > 0, True)
        stage.compact(two)
    stage.meet("A", "C")
    stage.meet("B", "D")


def _newcomer(stage: Stage) -> None:
    rid = stage.remember("A", "from the beginning")
    stage.set("A", rid, "settled")
    for _ in range(3):
        stage.meet("A", "B")
    stage.expect("A compacts", stage.compact("A") > 0, True)
    stage.remember("A", "above the base")
    stage.wipe("B", by="A")
    stage.meet("A", "B")
    memory = stage.memory("B", rid)
    stage.expect("B has it from a snapshot", None if memory is None else memory.text, "from the beginning")


def _branch_below_a_base(stage: Stage) -> None:
    rid = stage.remember("B", "a note")
    stage.set("B", rid, "as B says")
    stage.meet("A", "B")
    stage.remember("A", "A has seen what B says")
    image = stage.image("A")
    stage.remember("A", "this makes the other branch")
    for _ in range(3):
        stage.meet("A", "B")
    stage.expect("B compacts past the fork", stage.compact("B") > 0, True)
    stage.roll_back("A", image)
    stage.set("A", rid, "as A says, who has seen what B says")
    stage.meet("A", "B")
    stage.audit("B")
    stage.expect("B knows that A had seen it", stage.topic("B", rid), "as A says, who has seen what B says")


def _base_of_a_later_version(stage: Stage) -> None:
    stage["B"].upgraded = False
    stage["B"].start(stage.world.now_ms)
    device, rid = stage["A"], stage.remember("A", "of today", item="new")
    stage.write("A", Set("home", "Lisbon"))
    write = Write(Set("topic", "in a later version's words"), rid)
    kind, payload = newer_payload(write.body, Random(1))
    stamp = device.now(stage.world.now_ms) << COUNTER_BITS
    frame = craft(device, feed="later", kind=kind, version=2, rid=rid, payload=payload, hlc=stamp)
    stage.world.take_crafted(device, frame, write, honest=True)
    stage.expect("A compacts", stage.compact("A") > 0, True)
    stage.meet("A", "B")
    stage.audit("B")
    stage.expect("B takes nothing that it cannot read whole", stage["B"].held, 0)
    mine = stage.remember("B", "and goes on by itself")
    stage.world.upgrade(stage["B"])
    stage.meet("A", "B")
    stage.expect("B has it all after its upgrade", stage.topic("B", rid), "in a later version's words")
    stage.expect("A has what B wrote meanwhile", stage.memory("A", mine) is not None, True)


def _word_not_listed(stage: Stage) -> None:
    stage["B"].upgraded = False
    stage["B"].start(stage.world.now_ms)
    typed, told = stage.remember("A", "a note"), derived_memory_id("script", "told")

    def write_later(feed: str, write: Write, plain: object) -> None:
        """Let A write what only a version to come lists, as an op that every version understands."""
        device = stage["A"]
        kind, stamp = KIND_OF[type(write.body)], device.now(stage.world.now_ms) << COUNTER_BITS
        payload = bytes(SALT_BYTES) + pack(plain)
        frame = craft(device, feed=feed, kind=kind, version=1, rid=write.rid, payload=payload, hlc=stamp)
        stage.world.take_crafted(device, frame, write, honest=True)

    def types(name: str) -> list[object]:
        found = [stage.memory(name, rid) for rid in (typed, told)]
        return [None if memory is None else memory.fields.get("type") for memory in found]

    write_later("set", Write(Set("type", "olfactory"), typed), ["type", "olfactory"])
    fields: dict[str, Value] = {"type": "olfactory"}
    write_later("told", Write(Remember("told", fields), told), ["told", fields])
    stage.meet("A", "B")
    stage.expect("B folds it as A does", types("B"), ["olfactory", "olfactory"])
    for _ in range(2):
        stage.meet("A", "B")
    for name in "BA":
        stage.expect(f"{name} compacts", stage.compact(name) > 0, True)
    stage.wipe("C", by="B")
    stage.meet("B", "C")
    stage.expect("C takes the base of B", types("C"), ["olfactory", "olfactory"])
    stage.write("C", Set("type", "episodic"), rid=typed)
    for name in "AB":
        stage.meet(name, "C")
        stage.world.upgrade(stage[name])
        stage.expect(f"{name} has what C wrote over it", types(name), ["episodic", "olfactory"])


SCENARIOS = (
    Scenario(
        "away_for_a_year",
        "Where a device that was away must start over from a snapshot, what it wrote meanwhile is lost; where it may "
        "go on, it brings deleted things back. Here bases merge: what either has seen deleted is gone, the rest stays.",
        _away_for_a_year,
        devices=3,
    ),
    Scenario(
        "two_halves",
        "Replacing state by a snapshot lost writes in one of seven modelled partitions, and the union of two brought "
        "overwritten values back. Every live item carries the dot of its op, so a merge can tell the two apart.",
        _two_halves,
        devices=4,
    ),
    Scenario(
        "newcomer",
        "Replaying a log of years on a new phone takes longer than its state is large. A newcomer gets the base, and "
        "then the ops above it.",
        _newcomer,
    ),
    Scenario(
        "branch_below_a_base",
        "A restored device goes on from an op that others have folded away, and these no longer know what its writer "
        "had seen: ours kept values that were overwritten knowingly. What was seen now comes along with the branch.",
        _branch_below_a_base,
    ),
    Scenario(
        "base_of_a_later_version",
        "An old program that takes what it can read of a newer one's snapshot counts the rest as held, and never asks "
        "for it again. Here it takes nothing of such a base, and all of it when it is upgraded.",
        _base_of_a_later_version,
    ),
    Scenario(
        "word_not_listed",
        "A later version lists a ninth type. Our readers took that word for a fault of its writer: an old device "
        "dropped the write for good, and refused every base that held it. A list is for writers, not readers.",
        _word_not_listed,
        devices=3,
    ),
)
