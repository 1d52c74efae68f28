"""Fit and judge confidence on lives and everyday homes: `python -m tests.bench.confidence`.

Who is judged was left out of the fit: a life, or a tenth of the homes. Negatives are what comes first for the questions
of others (off-topic), and for questions that nothing answers though something is near (near misses: 34 in the lives,
122 in the homes: those of `tests/data/homes/missing.txt`, asked of each home of that name). What comes first where the
answer is taken away is judged too, and not fitted on.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition import Embedder
from cognition.embedding.universal import UniversalEmbedder
from cognition.ranking.compound import split
from cognition.ranking.confidence import FLOOR, Evidence
from cognition.recall.stages import evidence
from tests.bench import homes
from tests.bench.families import LIVES, Store, life, told_home, told_ms
from tests.bench.logistic import Numbers, logistic

STRANGERS: Final = Path(__file__).parents[1] / "data" / "lives"
ANSWERED: Final = "answered"
NEAR: Final = "near miss"
OFF_TOPIC: Final = "off-topic"
# Questions of others that a life is asked, and a home.
OTHERS_OF_LIFE: Final = 60
OTHERS_OF_HOME: Final = 3
SHOWN: Final = 10
NEGATIVES_EACH: Final = 2
# Near misses are few beside what is off-topic, and harder.
WEIGHED: Final = {NEAR: 3.0}
FOLDS: Final = 10


class Asked(NamedTuple):
    """A question to a life or a home: what the best memories look like to it, and which of them are right.

    `group` is who is left out together.
    """

    family: str
    group: str
    kind: str
    rows: Numbers
    right: NDArray[np.bool_]


def asked_of(
    store: Store, text: str, now_ms: int, expected: frozenset[str], family: str, group: str, kind: str
) -> Asked:
    """Ask, and return what the best memories look like."""
    ranked = store.ask(split(text).parts[0], now_ms)
    best = list(ranked.order[:SHOWN])
    names = [store.named.get(bytes(ranked.pool.rows[i].rid), "") for i in best]
    rows = np.stack(evidence(ranked.pool), axis=1)[best]
    return Asked(family, group, kind, rows, np.array([name in expected for name in names], np.bool_))


def of_lives(embedder: Embedder) -> Iterator[Asked]:
    """Ask every life its own questions, and some of the others'."""
    lives = [
        (family, json.loads(path.read_text("utf-8")))
        for family, folder in (("lives", LIVES), ("strangers", STRANGERS))
        for path in sorted(folder.glob("*.json"))
    ]
    for number, (family, told) in enumerate(lives):
        store, now_ms = life(embedder, told), told_ms(told["now"])
        questions = [
            (one["q"], NEAR if one["kind"] == "none" else ANSWERED, frozenset(one["expect"]))
            for one in told["queries"]
        ]
        others = [one["q"] for at, (_, other) in enumerate(lives) if at != number for one in other["queries"]]
        chosen = np.random.default_rng(number).choice(len(others), OTHERS_OF_LIFE, replace=False)
        questions += [(others[at], OFF_TOPIC, frozenset()) for at in chosen]
        for text, kind, expected in questions:
            yield asked_of(store, text, now_ms, expected, family, told["persona"], kind)


def of_homes(embedder: Embedder) -> Iterator[Asked]:
    """Ask every home its own questions, what nothing in it answers, and some of what lives are asked."""
    elsewhere = [
        one["q"]
        for path in sorted(LIVES.glob("*.json"))
        for one in json.loads(path.read_text("utf-8"))["queries"]
    ]
    missing = {home.name: home.questions for home in homes.read(homes.MISSING)}
    told = [home for path in homes.ALL for home in homes.read(path)]
    for number, home in enumerate(told):
        store = told_home(embedder, home)
        questions = [(one.text, ANSWERED, frozenset(map(str, one.right))) for one in home.questions]
        questions += [(one.text, NEAR, frozenset()) for one in missing.get(home.name, ())]
        chosen = np.random.default_rng(number).choice(len(elsewhere), OTHERS_OF_HOME, replace=False)
        questions += [(elsewhere[at], OFF_TOPIC, frozenset()) for at in chosen]
        for text, kind, expected in questions:
            fold = f"homes {number % FOLDS}"
            yield asked_of(store, text, store.home.now_ms, expected, "homes", fold, kind)


def judged_rows(one: Asked, table: Numbers) -> Numbers:
    """Return what counts of a question: its right memories, or what comes first where none is."""
    return table[one.right] if one.kind == ANSWERED else table[:NEGATIVES_EACH]


def fit(some: Sequence[Asked]) -> Numbers:
    """Return the logistic's numbers, the last one what is added."""
    rows = [judged_rows(one, one.rows) for one in some]
    sizes = [len(each) for each in rows]
    wanted = np.repeat([float(one.kind == ANSWERED) for one in some], sizes)
    return logistic(
        np.concatenate(rows), wanted, np.repeat([WEIGHED.get(one.kind, 1.0) for one in some], sizes)
    )


def says(numbers: Numbers, rows: Numbers) -> Numbers:
    """Return the confidence of each memory."""
    told: Numbers = 1 / (1 + np.exp(-(rows @ numbers[:-1] + numbers[-1])))
    return told


def auc(yes: list[float], no: list[float]) -> float:
    """Return how often one of the first is above one of the second."""
    above = np.array(yes)[:, None] - np.array(no)
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def report(family: str, some: Sequence[tuple[Asked, Numbers]]) -> str:
    """Return what the confidences of a family tell apart, how far they are off, and what is below the floor."""
    best: dict[str, list[float]] = {}
    errors: list[float] = []
    for one, said in some:
        best.setdefault(one.kind, []).append(float(said.max()))
        if one.kind == ANSWERED and not one.right.all():
            best.setdefault("taken away", []).append(float(said[~one.right].max()))
        errors += list((judged_rows(one, said) - (one.kind == ANSWERED)) ** 2)
    parts = [
        f"{kind} ({len(no)}) {auc(best[ANSWERED], no):.3f}" for kind, no in best.items() if kind != ANSWERED
    ]
    below = [f"{kind} {100 * np.mean(np.array(no) < FLOOR):.1f} %" for kind, no in best.items()]
    return (
        f"{family:>10}: AUC {', '.join(parts)}; Brier {np.mean(errors):.3f}\n"
        f"{'':>12}below {FLOOR}: {', '.join(below)}"
    )


def main() -> None:
    """Print what confidence tells apart in who was left out, and the numbers of all."""
    embedder = UniversalEmbedder()
    everything = [one for one in (*of_lives(embedder), *of_homes(embedder)) if len(one.rows)]
    judged: dict[str, list[tuple[Asked, Numbers]]] = {}
    for left in sorted({one.group for one in everything}):
        numbers = fit([one for one in everything if one.group != left])
        for one in everything:
            if one.group == left:
                judged.setdefault(one.family, []).append((one, says(numbers, one.rows)))
    for family, some in judged.items():
        print(report(family, some))
    six = [each for family in ("lives", "strangers") for each in judged[family]]
    print(report("six lives", six))
    print(report("all", [each for some in judged.values() for each in some]))
    names = (*Evidence._fields, "added")
    print(", ".join(f"{name} {value:.2f}" for name, value in zip(names, fit(everything), strict=True)))


if __name__ == "__main__":
    main()
