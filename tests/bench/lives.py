"""Load lives with their answers into fresh stores, and count what is noticed.

python -m tests.bench.lives FOLDER|FILE.json… [--wrong]

A life is a JSON file: memories with their time, and which of them contradict, change or repeat each other. Printed
are, for each life and for all: contradictions found of those there are, how many of those raised are right, how many
changes of mind and look-alikes were raised; how often the older side was among the nominees, and how often nothing was
nominated where there is nothing; and what is found when somebody answers every nominee as the life's own key says.
`--wrong` also says why each that is missed was missed: nothing typed was read on a side, no type is common to both.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import samemind
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import Mode, read_claims, told_by

Pair = frozenset[str]


class Life:
    """One life, told into a store of its own in the order of its times."""

    def __init__(self, told: dict[str, Any], mind: Any) -> None:
        self.told, self.mind = told, mind
        self.id_of: dict[str, str] = {}
        self.rid_of: dict[str, str] = {}
        self.nominated: dict[str, list[str]] = {}
        self.linked: set[Pair] = set()
        mind.warmup()
        for memory in sorted(told["memories"], key=lambda each: each["at"]):
            known = {name: memory[name] for name in ("speaker", "type", "project") if name in memory}
            made = mind.remember(memory["text"], at=memory["at"], nominees=True, wait=True, **known)
            self.id_of[made.rid], self.rid_of[memory["id"]] = memory["id"], made.rid
            self.linked |= {frozenset((memory["id"], self.id_of[rid])) for rid in made.says_same}
            self.nominated[memory["id"]] = [
                self.id_of[each.rid] for each in made.nominees if each.rid in self.id_of
            ]
        self.when = {memory["id"]: memory["at"] for memory in told["memories"]}
        groups = told["duplicates"]
        self.same = {name: group[0] for group in groups for name in group}

    def pair(self, one: str, other: str) -> Pair:
        """Return two memories as one key; what repeats another stands for it."""
        return frozenset((self.same.get(one, one), self.same.get(other, other)))

    def pairs(self, key: str) -> set[Pair]:
        """Return the pairs that the life's key names under a name."""
        return {
            self.pair(each.get("a") or each["old"], each.get("b") or each["new"])
            for each in self.told.get(key, ())
        }

    def raised(self) -> Iterator[tuple[str, set[Pair]]]:
        """Return for each open contradiction how much attention it asks, and the pairs that it may be of."""
        for each in self.mind.contradictions(limit=10_000):
            if each.status != "open":
                continue
            sides = [[self._of(rid) for rid in side.rids] for side in (each.a, each.b, *each.others)]
            found = {
                self.pair(one, other)
                for at, side in enumerate(sides)
                for one in side
                for rest in sides[at + 1 :]
                for other in rest
            }
            yield each.attention, found

    def _of(self, rid: str) -> str:
        memory = self.mind.get(rid)
        return self.id_of.get(rid) or self.id_of.get(memory.parent or "", rid)

    def count(self) -> tuple[Counter[str], list[str]]:
        """Count what was found, and name what was raised wrongly or missed."""
        want, fine, changed = (
            self.pairs(key)
            for key in ("contradictions_expected", "contradictions_tolerated", "changes_of_mind")
        )
        alike = self.pairs("not_contradictions")
        figures: Counter[str] = Counter(expected=len(want), changes=len(changed))
        figures["look-alikes"] = len(alike)
        found: set[Pair] = set()
        notes = []
        for attention, pairs in self.raised():
            hit = pairs & want
            if pairs & fine and not hit:
                continue
            figures["raised"] += 1
            figures[f"raised {attention}"] += 1
            figures["right"] += bool(hit)
            figures[f"right {attention}"] += bool(hit)
            figures["changes raised"] += bool(pairs & changed)
            figures["look-alikes raised"] += bool(pairs & alike)
            found |= hit
            if not hit:
                notes.append(f"wrong: {sorted(map(sorted, pairs))}")
        figures["found"] = len(found)
        return figures, notes + [f"missed: {sorted(pair)}: {self.why(pair)}" for pair in want - found]

    def why(self, pair: Pair) -> str:
        """Return why a pair is not found, as far as the two texts tell."""
        texts = {each["id"]: each for each in self.told["memories"]}
        older, newer = (texts[name] for name in sorted(pair, key=self.when.__getitem__))
        before, now = (told_by(read_claims(each["text"]), each.get("speaker")) for each in (older, newer))
        if not before.claims or not now.claims:
            return "nothing typed on a side"
        both = [(one, other) for one in before.claims for other in now.claims if one.kind == other.kind]
        apart = [(one, other) for one, other in both if one.value != other.value]
        if not apart:
            return "equal values" if both else "no type in common"
        if all(other.changes for _, other in apart):
            return "read as a change"
        if all(Mode.GOAL in (one.mode, other.mode) for one, other in apart):
            return "read as a wish or a guess"
        if disagreements(before, now, 1.0):
            return "not alike enough, or not among the nearest"
        return f"no subject in common: {', '.join(sorted({one.kind for one, _ in apart}))}"

    def count_nominees(self) -> Counter[str]:
        """Count how often the other side was named, and how often anything was for a plain memory."""
        figures: Counter[str] = Counter()
        busy: set[str] = set().union(*(set(group) for group in self.told["duplicates"]), set())
        for key in (
            "contradictions_expected",
            "changes_of_mind",
            "not_contradictions",
            "contradictions_tolerated",
        ):
            for each in self.told.get(key, ()):
                older, newer = sorted(
                    (each.get("a") or each["old"], each.get("b") or each["new"]), key=self.when.__getitem__
                )
                busy |= {older, newer}
                if key == "contradictions_expected":
                    figures["pairs"] += 1
                    figures["partner named"] += older in self.nominated[newer]
        for group in self.told["duplicates"]:
            ordered = sorted(group, key=self.when.__getitem__)
            figures["repetitions"] += 1
            figures["repetition named"] += bool(set(ordered[:-1]) & set(self.nominated[ordered[-1]]))
        plain = [name for name in self.when if name not in busy]
        figures["plain"] = len(plain)
        figures["plain without"] = sum(not self.nominated[name] for name in plain)
        return figures

    def answer(self) -> None:
        """Settle every nominee as the key says, as whoever knows the life would."""
        verdicts = {
            pair: verdict
            for key, verdict in (
                ("not_contradictions", "two_things"),
                ("changes_of_mind", "changed"),
                ("contradictions_expected", "disagree"),
            )
            for pair in self.pairs(key)
        }
        for newer, named in self.nominated.items():
            for older in named:
                verdict = verdicts.get(self.pair(older, newer))
                if self.same.get(older, older) == self.same.get(newer, newer):
                    verdict = "repeats"
                if verdict is not None:
                    self.mind.settle(self.rid_of[older], self.rid_of[newer], verdict, by="agent")

    def count_links(self) -> Counter[str]:
        """Count the repetitions whose newest telling is linked to an older one, and the links that are wrong."""
        figures: Counter[str] = Counter()
        for group in self.told["duplicates"]:
            newest = max(group, key=self.when.__getitem__)
            figures["linked"] += any(frozenset((each, newest)) in self.linked for each in group)
        figures["linked wrongly"] = sum(
            len({self.same.get(each, each) for each in pair}) > 1 for pair in self.linked
        )
        return figures


def measure(path: Path) -> tuple[Counter[str], list[str]]:
    """Return the figures of one life, and what was wrong."""
    told = json.loads(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as home, samemind.open_blocking(home) as mind:
        life = Life(told, mind)
        while mind.think().more:
            pass
        figures, notes = life.count()
        figures += life.count_nominees() + life.count_links()
        life.answer()
        judged = life.count()[0]
        figures["found with a judge"] = judged["found"]
        figures["judged changes raised"] = judged["changes raised"]
        figures["judged look-alikes raised"] = judged["look-alikes raised"]
    return figures, notes


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the lives that files and folders hold."""
    return [each for path in paths for each in (sorted(path.glob("*.json")) if path.is_dir() else [path])]


def show(name: str, figures: Counter[str]) -> None:
    """Print the figures of one life, or of all."""

    def share(part: str, whole: str) -> str:
        percent = f"{100 * figures[part] / figures[whole]:.0f} %" if figures[whole] else "-"
        return f"{figures[part]}/{figures[whole]} {percent}"

    print(
        f"{name:<12} found {share('found', 'expected')}, right {share('right', 'raised')}, "
        f"of those asked {share('right ask', 'raised ask')}, changes raised {share('changes raised', 'changes')}, "
        f"look-alikes raised {share('look-alikes raised', 'look-alikes')}, "
        f"with a judge {share('found with a judge', 'expected')}\n"
        f"{'':<12} partner named {share('partner named', 'pairs')}, "
        f"repetition {share('repetition named', 'repetitions')}, linked {share('linked', 'repetitions')}, "
        f"wrongly {figures['linked wrongly']}, "
        f"plain without any {share('plain without', 'plain')}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print two lines for each life, and for all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--wrong", action="store_true", help="name what was raised wrongly or missed")
    options = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    for path in files_of(options.paths):
        figures, notes = measure(path)
        total += figures
        show(path.stem, figures)
        if options.wrong:
            print("\n".join(f"{'':<14}{note}" for note in notes))
    show("all", total)


if __name__ == "__main__":
    main()
