"""Traps about merging: registers of three, texts, counters, consolidations, resolutions."""

from replica.ops import Claim, ClaimVerdict, Propose, Resolve
from replica.state.cells import CellKind
from simulations.checkers.change_of_mind import shown_claims
from simulations.clock import HOUR_MS
from simulations.scenarios.stage import Scenario, Stage
from simulations.workload import replaced_claims


def _register_of_three(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.meet("A", "B")
    stage.meet("A", "C")
    stage["B"].clock.step(30 * HOUR_MS)
    stage.set("B", rid, "ahead of its time")
    stage.set("C", rid, "concurrent, and right")
    stage.meet("A", "B")
    stage["A"].clock.step(-HOUR_MS)
    stage.set("A", rid, "knows the one ahead")
    stage.meet("C", "A")
    stage.meet("B", "C")
    stage.meet("A", "B")
    stage.expect("one value", len({stage.topic(name, rid) for name in "ABC"}), 1)


def _both_keep_their_words(stage: Stage) -> None:
    rid = stage.remember("A", "tea at four")
    stage.meet("A", "B")
    stage.edit("A", rid, "tea at four with Ann")
    stage.edit("B", rid, "green tea at four 🙂")
    stage.meet("A", "B")
    memory = stage.memory("B", rid)
    words = set() if memory is None else set(memory.text.split())
    stage.expect("all words are there", {"green", "tea", "at", "four", "with", "Ann"} <= words, True)


def _edits_after_a_restore(stage: Stage) -> None:
    rid = stage.remember("A", "one two")
    stage.meet("A", "B")
    image = stage.image("A")
    stage.edit("A", rid, "one two three")
    stage.meet("A", "B")
    stage.roll_back("A", image)
    stage.edit("A", rid, "one two four")
    stage.meet("A", "B")
    texts = {memory.text for name in "AB" if (memory := stage.memory(name, rid)) is not None}
    stage.expect("one text", len(texts), 1)
    stage.expect("both words", {"three", "four"} <= set(texts.pop().split()), True)


def _two_importers(stage: Stage) -> None:
    rid = stage.remember("A", "as it was", item="7")
    stage.remember("B", "put otherwise", item="7")
    stage.edit("A", rid, "as it was once")
    stage.meet("A", "B")
    texts = {memory.text for name in "AB" if (memory := stage.memory(name, rid)) is not None}
    stage.expect("the edited one shows", texts, {"as it was once"})


def _counted_recalls(stage: Stage) -> None:
    rid = stage.remember("A", "often recalled")
    stage.meet("A", "B")
    stage.recalled("A", rid, 3)
    stage.recalled("B", rid, 2)
    stage.recalled("A", rid, 5)
    stage.meet("A", "B")
    stage.meet("A", "B")
    for name in "AB":
        memory = stage.memory(name, rid)
        stage.expect(f"recalls on {name}", None if memory is None else memory.accesses, 7)


def _two_consolidations(stage: Stage) -> None:
    rids = sorted(stage.remember("A", f"walk number {n}") for n in range(4))
    stage.meet("A", "B")
    stage.write("A", Propose(tuple(rids[:3])))
    stage.write("B", Propose(tuple(rids[1:])))
    stage.meet("A", "B")
    for name in "AB":
        held = [key for key, _ in stage[name].core.store.all_cells() if key.part is CellKind.PROPOSAL]
        stage.expect(f"both proposals on {name}, one component", len(held), 2)


def _keep_a_keep_b(stage: Stage) -> None:
    a = stage.remember("A", "Ann lives in Lisbon")
    b = stage.remember("A", "Ann lives in Oslo")
    for rid, city in ((a, "Lisbon"), (b, "Oslo")):
        stage.write("A", Claim("Ann", "lives_in", city, (), None), rid=rid)
    stage.meet("A", "B")
    places = [each.op.place for each in stage.world.observer.ops[-2:]]
    for name, keep in (("A", 0), ("B", 1)):
        verdicts = [
            ClaimVerdict(rid, place, at == keep)
            for at, (rid, place) in enumerate(zip((a, b), places, strict=True))
        ]
        stage.write(name, Resolve(tuple(verdicts)))
    stage.meet("A", "B")
    shown = shown_claims(stage.world.defined_for(stage["A"]))
    stage.expect("both are shown again", len(shown), 2)


def _hidden_claim(stage: Stage) -> None:
    told = [stage.remember("A", f"about where Ann lives, {n}") for n in range(3)]
    core, memo = stage["A"].core, stage.world.memo
    for rid, city in zip(told, ("Lisbon", "Oslo", "Quito"), strict=True):
        replaces = replaced_claims(core, memo, ("Ann", "lives_in"))
        stage.write("A", Claim("Ann", "lives_in", city, replaces, None), rid=rid)
    stage.meet("A", "B")
    stage.forget("B", told[1])
    stage.meet("A", "B")
    shown = shown_claims(stage.world.defined_for(stage["A"]))
    stage.expect("the last word stands alone", [claim.value for claim in shown.values()], ["Quito"])


SCENARIOS = (
    Scenario(
        "register_of_three",
        '"The one that has seen the other wins, else the higher stamp", applied to two writes at a time, is not '
        "transitive once a clock is wrong: three devices end with three values. Our own first wording had it.",
        _register_of_three,
        devices=3,
    ),
    Scenario(
        "both_keep_their_words",
        "Last writer wins on a whole text throws one person's sentence away. A text is a Yjs document here, and an "
        "emoji is four of its bytes, which an index must not split.",
        _both_keep_their_words,
    ),
    Scenario(
        "edits_after_a_restore",
        "Yjs takes two edits under one client id and clock for the same edit, so a restored device that goes on under "
        "its old id diverges silently and for ever. Every edit here draws a fresh id.",
        _edits_after_a_restore,
    ),
    Scenario(
        "two_importers",
        "Two devices import one item with other words, and one of them edits it: taking the smaller text hides the "
        "edit. The text that somebody edited comes first.",
        _two_importers,
    ),
    Scenario(
        "counted_recalls",
        "Logging every recall floods the log, and adding deltas counts a redelivered one twice. Each origin states its "
        "running total, and totals merge by maximum.",
        _counted_recalls,
    ),
    Scenario(
        "two_consolidations",
        "Two devices that consolidate overlapping sets while apart end with two summaries of the same thing (the "
        "paper unions members of equal ids only). Here both proposals live, and their component is the summary.",
        _two_consolidations,
    ),
    Scenario(
        "hidden_claim",
        "Our second wording let a change of mind replace the claims that were shown: when what hid an older one "
        "was forgotten, the older one came back against it. It replaces every claim that its writer holds.",
        _hidden_claim,
    ),
    Scenario(
        "keep_a_keep_b",
        "The paper's resolution tombstones the loser: resolved one way here and the other way there, both sides are "
        "lost. Here a verdict hides, and only if every verdict on a claim says so; else the question is open again.",
        _keep_a_keep_b,
    ),
)
