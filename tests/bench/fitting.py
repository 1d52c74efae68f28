"""Fit weights of signals to questions whose answers are known: listwise, by gradient, with numpy alone.

`python -m tests.bench.fitting` fits on five families of questions (`tests.bench.families`) and judges on what was left
out: within talk a conversation, within lives a person, and each family as a whole. `--each` shows what every signal
earns there, with a paired bootstrap; `--write` writes the weights into the signals' files, where nobody types any.

Each question is a list of candidates of which some are right. The loss is the cross-entropy between the softmax of the
scores and the right ones, all alike; its gradient is the difference of two means. Adam finds the weights in a second or
two. Deterministic: no randomness is drawn.
"""

import argparse
import importlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.universal import UniversalEmbedder
from cognition.ranking import signals
from cognition.ranking.signals import SIGNALS
from tests.bench import families

STEPS: Final = 200
RATE: Final = 0.3
# Keeps weights of signals that say the same from running away from each other.
SHRINK: Final = 1e-3

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """One question: its candidates' signals, and which are right; `evidence` counts those out of reach too."""

    signals: Array
    right: NDArray[np.bool_]
    evidence: int
    category: int


def fit(examples: Sequence[Example]) -> Array:
    """Return the weights under which the right candidates come first."""
    lists = [example for example in examples if example.right.any()]
    rows = np.concatenate([example.signals for example in lists])
    starts = np.cumsum([0, *(len(example.signals) for example in lists[:-1])])
    sizes = [len(example.signals) for example in lists]
    target = np.concatenate([example.right / example.right.sum() for example in lists])
    weights, mean, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = rows @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        shares = np.exp(scores)
        shares /= np.repeat(np.add.reduceat(shares, starts), sizes)
        slope = (shares - target) @ rows / len(lists) + SHRINK * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights -= RATE * (1 - 0.9 * step / STEPS) * move
    return weights.astype(np.float32)


# --- three families, judged on what was left out --------------------------------------------------------------

# How much a family counts in the fit, whatever its size: talk and lives are what people tell; the stress set is made.
SHARES: Final = {"talk": 2.0, "lives": 1.0, "stress": 0.3, "homes": 0.2, "others": 0.1}
FIT_STEPS: Final = 200
FIT_RATE: Final = 0.1
# Fitted when all others are: on families that were written for them, which say nothing of the rest.
LAST: Final = frozenset({"another"})
TAUGHT_LAST: Final = frozenset({"others"})
# From the weights of all, so many steps lead to those of all but one group.
REFIT_STEPS: Final = 60
REFIT_RATE: Final = 0.05
RESAMPLED: Final = 1_000
# No more than this, whatever the questions say: a turn of the one who is named that holds nothing else of what was
# asked would come before what holds it (tests/property/cognition/test_relevance_laws.py), and a turn of another that
# follows two turns on before what the one who is named said (tests/unit/cognition/test_speaker_swaps.py).
MOST: Final = {"speaker": 1.8, "place": 1.5}
# By this depth, and share or any, a family is judged.
DEPTH: Final = {"talk": 10, "lives": 5, "stress": 1, "homes": 1, "others": 1}
_WEIGHT: Final = re.compile(r"(?m)^    weight=[-0-9.e]+,")


def fit_families(
    asked: Sequence[families.Example],
    use: Sequence[str],
    *,
    begin: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return a weight for every signal, 0 for those that are not used.

    First those of all but `LAST` on all families but `TAUGHT_LAST`; then those of `LAST` on all, the others' kept.
    """
    first = [name for name in use if name not in LAST]
    weights = _fitted([one for one in asked if one.family not in TAUGHT_LAST], first, begin=begin)
    last = [name for name in use if name in LAST]
    return _fitted(asked, last, begin=begin, kept=weights) if last else weights


def _fitted(
    asked: Sequence[families.Example],
    use: Sequence[str],
    *,
    begin: NDArray[np.float64] | None,
    kept: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the listwise loss's weights of some signals beside those that are kept, families in their shares."""
    columns = [families.NAMES.index(name) for name in use]
    most = np.array([MOST.get(name, np.inf) for name in use])
    lists = [one for one in asked if one.right.any()]
    many = Counter(one.family for one in lists)
    share = np.array([SHARES[one.family] / many[one.family] for one in lists])
    share /= share.sum()
    rows = np.concatenate([one.signals[:, columns] for one in lists]).astype(np.float32)
    sizes = np.array([len(one.right) for one in lists])
    starts = np.cumsum(sizes) - sizes
    target = np.concatenate(
        [each * one.right / one.right.sum() for one, each in zip(lists, share, strict=True)]
    )
    counting = np.repeat(share, sizes)
    full = np.zeros(len(families.NAMES)) if kept is None else kept.copy()
    fixed = np.concatenate([one.signals @ full for one in lists])
    steps, rate = (FIT_STEPS, FIT_RATE) if begin is None else (REFIT_STEPS, REFIT_RATE)
    weights = np.zeros(len(columns)) if begin is None else begin[columns]
    mean, square = np.zeros(len(columns)), np.zeros(len(columns))
    for step in range(1, steps + 1):
        # In 32 bits, as the signals are: a product with 64 copies all of them first, which takes most of the time.
        scores = (rows @ weights.astype(np.float32)).astype(np.float64) + fixed
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        shares = np.exp(scores)
        shares /= np.repeat(np.add.reduceat(shares, starts), sizes)
        slope = (shares * counting - target).astype(np.float32) @ rows + SHRINK * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights = np.minimum(weights - rate * (1 - 0.9 * step / steps) * move, most)
    full[columns] = weights
    return full


def judged(one: families.Example, weights: NDArray[np.float64]) -> tuple[float, ...]:
    """Return whether any right memory is among the first 1, 5 and 10, and the share of the right ones among 10."""
    order = np.argsort(-(one.signals @ weights + one.fixed), kind="stable")
    right, whose = one.right[order], one.whose[order]
    share = len(set(whose[:10][right[:10]].tolist())) / one.evidence
    return (*(float(right[:depth].any()) for depth in (1, 5, 10)), share)


def left_out(
    asked: Sequence[families.Example], use: Sequence[str], *, families_too: bool = False
) -> dict[str, NDArray[np.float64]]:
    """Return what each question comes to under weights that were fitted without its group, or without its family."""
    whole = fit_families(asked, use)
    found: dict[str, list[tuple[float, ...]]] = {}
    for family, group in sorted({(one.family, "" if families_too else one.group) for one in asked}):
        seen = [one for one in asked if one.family != family or (not families_too and one.group != group)]
        weights = fit_families(seen, use, begin=None if families_too else whole)
        found.setdefault(family, []).extend(
            judged(one, weights) for one in asked if one.family == family and group in ("", one.group)
        )
    return {family: np.array(each) for family, each in found.items()}


def by_kind(asked: Sequence[families.Example], found: NDArray[np.float64]) -> str:
    """Return how many of each kind of the lives' questions find an answer among the first five, each life left out."""
    lives = [one for one in asked if one.family == "lives"]
    kinds = [
        one.kind for group in sorted({one.group for one in lives}) for one in lives if one.group == group
    ]
    five: dict[str, list[float]] = {}
    for kind, outcome in zip(kinds, found, strict=True):
        five.setdefault(kind, []).append(outcome[1])
    told = (f"{kind} {100 * sum(some) / len(some):.1f} ({len(some)})" for kind, some in sorted(five.items()))
    return f"lives@5 by kind: {', '.join(told)}"


def noise(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return by how many points one list of outcomes is above another, and the paired bootstrap's 95 %."""
    random = np.random.default_rng(1)
    apart = 100 * (one - other)
    means = [random.choice(apart, len(apart)).mean() for _ in range(RESAMPLED)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(apart.mean()), float(low), float(high)


def in_use() -> list[str]:
    """Return the signals that are fitted: those that weigh anything, but for tie-breaks and what only a model says."""
    return [one.name for one in SIGNALS if one.weight and not one.prior]


def write(weights: NDArray[np.float64]) -> None:
    """Write fitted weights into the files of the signals."""
    folder = Path(signals.__file__).parent
    fitted = dict(zip(families.NAMES, weights, strict=True))
    for path in sorted(folder.glob("*.py")):
        if path.stem != "__init__":
            name = importlib.import_module(f"cognition.ranking.signals.{path.stem}").SIGNAL.name
            if name in in_use():
                path.write_text(
                    _WEIGHT.sub(f"    weight={fitted[name]:.2f},", path.read_text("utf-8")), "utf-8"
                )


def line(label: str, found: Mapping[str, NDArray[np.float64]]) -> str:
    """Return a row of the table: each family's figures."""
    cells = [f"{100 * found[family].mean(axis=0)[at]:9.1f}" for family, at in _SHOWN]
    return f"{label:>38}" + "".join(cells)


_SHOWN: Final = (
    ("talk", 2),
    ("talk", 3),
    ("lives", 1),
    ("lives", 2),
    ("stress", 0),
    ("homes", 0),
    ("homes", 1),
    ("others", 0),
)


def main() -> None:
    """Fit, judge on what was left out, show what each signal earns there, and write the weights where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path("build/fitting"), help="where pools are kept")
    parser.add_argument("--write", action="store_true", help="write the weights into the signals' files")
    parser.add_argument(
        "--each", action="store_true", help="show what is lost without each signal, and gained"
    )
    options = parser.parse_args()
    asked = families.captured(options.cache, UniversalEmbedder())
    use = in_use()
    shipped = np.array([one.weight for one in SIGNALS])
    heads = ["talk@10", "frac", "lives@5", "@10", "stress@1", "homes@1", "@5", "others@1"]
    print(f"{'talk, lives, stress, homes, others; %':>38}" + "".join(f"{head:>9}" for head in heads))
    by_family: dict[str, list[tuple[float, ...]]] = {}
    for one in asked:
        by_family.setdefault(one.family, []).append(judged(one, shipped))
    print(line("as shipped (seen)", {family: np.array(each) for family, each in by_family.items()}))
    whole = left_out(asked, use)
    print(line("each group left out", whole))
    print(by_kind(asked, whole["lives"]))
    print(line("each family left out", left_out(asked, use, families_too=True)))
    if options.each:
        others = [one.name for one in SIGNALS if one.name not in use and not one.prior]
        for name in (*use, *others):
            changed = [each for each in use if each != name] if name in use else [*use, name]
            found = left_out(asked, changed)
            apart = [
                "{:+.1f} [{:+.1f}, {:+.1f}]".format(*noise(found[family][:, at], whole[family][:, at]))
                for family, at in (("talk", 3), ("lives", 1), ("stress", 0), ("homes", 0), ("others", 0))
            ]
            print(line(f"{'without' if name in use else 'with'} {name}", found), *apart, flush=True)
    weights = fit_families(asked, use)
    print(", ".join(f"{name} {weights[families.NAMES.index(name)]:.2f}" for name in use))
    if options.write:
        write(weights)


if __name__ == "__main__":
    main()
