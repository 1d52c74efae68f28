"""Fit and judge confidence on lives: `python -m tests.bench.confidence`; who is judged was left out of the fit.

Negatives are what comes first for the questions of other lives (off-topic), and for questions that nothing answers
though something is near (near misses, of which the lives have 22). What comes first where the answer is taken away is
judged too, and not fitted on.
"""

import json
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.universal import UniversalEmbedder
from cognition.ranking.confidence import Evidence
from cognition.recall import evidence
from tests.bench.families import LIVES, life, told_ms

OFF_TOPIC: Final = 90
SHOWN: Final = 10
NEGATIVES_EACH: Final = 2
Numbers = NDArray[np.float64]


class Asked(NamedTuple):
    """A question to a life: what the best memories look like to it, and which of them are right."""

    life: int
    kind: str
    rows: Numbers
    right: NDArray[np.bool_]


def asked() -> list[Asked]:
    """Ask every life its own questions, and some of the others'."""
    lives = [json.loads(path.read_text("utf-8")) for path in sorted(LIVES.glob("*.json"))]
    embedder = UniversalEmbedder()
    found = []
    for number, told in enumerate(lives):
        store, now_ms = life(embedder, told), told_ms(told["now"])
        questions = [
            (one["q"], "near miss" if one["kind"] == "none" else "answered", set(one["expect"]))
            for one in told["queries"]
        ]
        others = [
            one["q"] for place, other in enumerate(lives) if place != number for one in other["queries"]
        ]
        random = np.random.default_rng(number)
        chosen = random.choice(len(others), OFF_TOPIC, replace=False)
        questions += [(others[at], "off-topic", set()) for at in chosen]
        for text, kind, expected in questions:
            ranked = store.ask(text, now_ms)
            best = ranked.order[:SHOWN]
            names = [store.named.get(bytes(ranked.pool.rows[i].rid), "") for i in best]
            rows = np.stack(evidence(ranked.pool), axis=1)[best]
            right = np.array([name in expected for name in names])
            found.append(Asked(number, kind, rows, right))
    return found


def fit(some: list[Asked]) -> Numbers:
    """Return the logistic's numbers, the last one what is added."""
    rows, target = [], []
    for one in some:
        taken = one.rows[one.right] if one.kind == "answered" else one.rows[:NEGATIVES_EACH]
        rows.append(taken)
        target += [float(one.kind == "answered")] * len(taken)
    table, wanted = np.concatenate(rows), np.array(target)
    middle, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    scaled = np.column_stack([(table - middle) / spread, np.ones(len(table))])
    weights = np.zeros(scaled.shape[1])
    for _ in range(3_000):
        said = 1 / (1 + np.exp(-scaled @ weights))
        weights -= 1.2 * (scaled.T @ (said - wanted) / len(wanted) + 2.5e-4 * weights)
    return np.append(weights[:-1] / spread, weights[-1] - (weights[:-1] * middle / spread).sum())


def says(numbers: Numbers, rows: Numbers) -> Numbers:
    """Return the confidence of each memory."""
    told: Numbers = 1 / (1 + np.exp(-(rows @ numbers[:-1] + numbers[-1])))
    return told


def auc(yes: list[float], no: list[float]) -> float:
    """Return how often one of the first is above one of the second."""
    above = np.array(yes)[:, None] - np.array(no)
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def main() -> None:
    """Print what confidence tells apart on lives that were left out, and the numbers of all."""
    everything = [one for one in asked() if len(one.rows)]
    best: dict[str, list[float]] = {}
    errors: list[float] = []
    for left in sorted({one.life for one in everything}):
        numbers = fit([one for one in everything if one.life != left])
        for one in everything:
            if one.life == left:
                said = says(numbers, one.rows)
                best.setdefault(one.kind, []).append(float(said.max()))
                if one.kind == "answered" and not one.right.all():
                    best.setdefault("taken away", []).append(float(said[~one.right].max()))
                judged = said[one.right] if one.kind == "answered" else said[:NEGATIVES_EACH]
                errors += list((judged - (one.kind == "answered")) ** 2)
    for kind in ("off-topic", "near miss", "taken away"):
        print(f"AUC, answered against {kind}: {auc(best['answered'], best[kind]):.3f}")
    print(f"Brier: {np.mean(errors):.3f}")
    for floor in (0.05, 0.1, 0.15, 0.2, 0.3):
        shares = {kind: round(float(np.mean(np.array(some) < floor)), 3) for kind, some in best.items()}
        print(f"nothing above {floor}: {shares}")
    names = (*Evidence._fields, "added")
    print(", ".join(f"{name} {value:.2f}" for name, value in zip(names, fit(everything), strict=True)))


if __name__ == "__main__":
    main()
