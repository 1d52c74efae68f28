"""Traps about groups: revocations, relays, versions, crooked members."""

from random import Random

from replica.hlc import COUNTER_BITS
from replica.ids import MemoryId, derived_memory_id
from replica.ops import Remember, Write
from simulations.crafting import craft, newer_payload, wrong_bodies
from simulations.network import End
from simulations.scenarios.stage import Scenario, Stage


def _revoked_midway(stage: Stage) -> None:
    kept = stage.remember("C", "before it was put out")
    stage.meet("B", "C")
    stage.revoke("A", "C")
    stage.meet("A", "B")
    stage.expect("B keeps what it took", stage.memory("A", kept) is not None, True)
    after = stage.remember("C", "after it was put out")
    stage.meet("B", "C")
    stage.expect("B takes no more", stage.memory("B", after), None)


def _mutual_revocation(stage: Stage) -> None:
    stage.remember("A", "one")
    stage.remember("B", "two")
    stage.meet("A", "C")
    stage.meet("B", "C")
    stage.revoke("A", "B")
    stage.revoke("B", "A")
    stage.meet("A", "C")
    stage.meet("B", "C")
    stage.meet("A", "C")


def _lying_relay(stage: Stage) -> None:
    rid = stage.remember("A", "true words")
    stage.set("A", rid, "true topic")
    stage.meet("A", "B")
    stage["B"].lies = True
    for _ in range(12):
        stage.world.dial(stage["B"], stage["C"], stage.random)
        stage.world.pass_time(120_000)
    stage["B"].lies = False
    stage.meet("B", "C")
    memory = stage.memory("C", rid)
    stage.expect("the words are true", None if memory is None else memory.text, "true words")


def _add_as_a_later_version(stage: Stage, rid: MemoryId, text: str) -> None:
    """Let A hold an add that only a version to come writes, and only that understands."""
    device, write = stage["A"], Write(Remember(text, {}), rid)
    kind, payload = newer_payload(write.body, Random(1))
    stamp = device.now(stage.world.now_ms) << COUNTER_BITS
    frame = craft(device, feed="later", kind=kind, version=2, rid=rid, payload=payload, hlc=stamp)
    stage.world.take_crafted(device, frame, write, honest=True)


def _newer_version(stage: Stage) -> None:
    stage["B"].upgraded = False
    stage["B"].start(stage.world.now_ms)
    rid = stage.remember("A", "of today", item="new")
    _add_as_a_later_version(stage, rid, "of a later version")
    stage.meet("A", "B")
    stage.expect("B holds what it does not understand", stage["B"].core.has_folded_all, False)
    stage.meet("B", "C")
    stage.expect("C got it through B", stage["C"].held, stage["A"].held)
    stage.world.upgrade(stage["B"])
    stage.expect("B understands after its upgrade", stage["B"].core.has_folded_all, True)


def _two_adds(stage: Stage) -> None:
    stage["B"].upgraded = False
    stage["B"].start(stage.world.now_ms)
    rid = derived_memory_id("script", "two")
    _add_as_a_later_version(stage, rid, "added by a later version")
    stage.meet("A", "C")
    stage.set("C", rid, "about the add that C saw")
    stage.remember("B", "added here too", item="two")
    stage.meet("B", "C")
    stage.audit("B")
    stage.expect("B's own add is not touched", stage.topic("B", rid), None)


def _later_text(stage: Stage) -> None:
    stage["B"].upgraded = False
    stage["B"].start(stage.world.now_ms)
    rid = derived_memory_id("script", "text")
    _add_as_a_later_version(stage, rid, "a text of a later version")
    stage.remember("B", "the same, as B reads it", item="text")
    stage.meet("A", "C")
    stage.meet("B", "C")
    stage.edit("C", rid, "a text of a later version, edited")
    stage.meet("B", "C")
    stage.audit("B")
    memory = stage.memory("B", rid)
    stage.expect("B shows what it understands", memory and memory.text, "the same, as B reads it")
    stage.world.upgrade(stage["B"])
    memory = stage.memory("B", rid)
    stage.expect("the edit was kept", memory and memory.text, "a text of a later version, edited")


def _poison(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.meet("A", "B")
    random = Random(3)
    for n in range(60):
        kind, target, payload = wrong_bodies(random, rid)
        stamp = random.choice([1, stage["B"].now(stage.world.now_ms) << COUNTER_BITS])
        frame = craft(
            stage["B"], feed=f"{n % 7}", kind=kind, version=1, rid=target, payload=payload, hlc=stamp
        )
        stage.world.take_crafted(stage["B"], frame, None, honest=False)
    after = stage.remember("B", "and life goes on")
    stage.meet("A", "B")
    stage.expect("A took what follows", stage.memory("A", after) is not None, True)


def _cut_links(stage: Stage) -> None:
    for n in range(5):
        stage.remember("A", f"note {n}")
    for percent in (60, 40, 20):
        stage.world.dial(stage["A"], stage["B"], stage.random)
        for link in stage.world.links:
            link.cut_percent, link.chunked = percent, True
        stage.world.pass_time(300_000)
    ends: list[End] = [end for link in stage.world.links for end in link.ends]
    stage.expect("no link is left hanging", len(ends), 0)


SCENARIOS = (
    Scenario(
        "revoked_midway",
        "Cutting a revoked device's ops out of history makes members who had built on them disagree with those who had "
        "not. Here a revocation closes links, not ops: what a member took before it knew stays, everywhere.",
        _revoked_midway,
        devices=3,
    ),
    Scenario(
        "mutual_revocation",
        "Two devices that revoke each other at once split a group where each side believes one of them. Here both "
        "are out, and whoever heard both, says so to everybody.",
        _mutual_revocation,
        devices=3,
    ),
    Scenario(
        "lying_relay",
        "A relay that may drop or change ops decides what others believe, where only links are authenticated. Every "
        "commit is signed by its author here, and causal delivery shows what was left out.",
        _lying_relay,
        devices=3,
    ),
    Scenario(
        "newer_version",
        "An old version that drops what it does not understand cuts the new ones behind it off (and folds it never, "
        "after its upgrade). Here it is kept, forwarded, and folded in its place once it is understood.",
        _newer_version,
        devices=3,
    ),
    Scenario(
        "two_adds",
        "Our third wording let an op act wherever its memory exists: an importer on an old version added what it could "
        "not read, and somebody's words about the other add stuck to it. An op acts only on an add that it has seen.",
        _two_adds,
        devices=3,
    ),
    Scenario(
        "later_text",
        "Our definition put an edit on every device that holds its memory, also where the text that it edits is in an "
        "add of a later version. There it waits: without effect or trace, and not lost when the device upgrades.",
        _later_text,
        devices=3,
    ),
    Scenario(
        "poison",
        "One op that makes the reader raise stops sync for ever, as it comes again with every session: ours did so on "
        "an edit that was no Yjs update, and on a recall count beyond 64 bits. Both are kept without effect now.",
        _poison,
    ),
    Scenario(
        "cut_links",
        "A protocol that counts what it has sent, instead of what was acknowledged after the commit, loses what was on "
        "the way. Links are cut here inside frames, over and over.",
        _cut_links,
    ),
)
