"""Measure recall on LoCoMo, without an LLM: `make bench-recall`.

The hard figure first: of the top k turns, did any hold the evidence (any), and what share of the evidence (fraction).
Session-level figures, which others publish, and plain BM25 stand beside it. Weights fitted on four conversations are
judged on the fifth. The data is read from beside the repository and never copied in. Beside it, without that data: a
golden set of forty questions, and nine hundred in five languages; and last what the sources publish of themselves.

`--embedder NAME` asks by another embedder. `--reranker NAME` has one read the best of every pool too; then the weight
of what it says is fitted on four conversations, all other weights as they are, and judged on the fifth.
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cognition import Embedder, Filters, StaticEmbedder
from cognition.background import queue
from cognition.choosing import embedder_called, reranker_called
from cognition.embedding.index import VectorIndex
from cognition.embedding.lexicon import WordVectors
from cognition.ranking.query import Query
from cognition.ranking.signals import RERANKER, SIGNALS, WEIGHTS
from cognition.recall.stages import POOL_MIN, Ranked, rank
from cognition.reranking import Reranker
from cognition.reranking.mixing import reread_by, with_readings
from cognition.reranking.readings import keep, unread
from cognition.words import any_of, words
from replica import Remember, Write
from tests.bench import everyday_run, golden_run, stress
from tests.bench.fitting import Example, fit
from tests.bench.locomo_file import add_data, existing
from tests.support.minds import NOW_MS, Home, Turn, turns_of

DEPTHS: Final = (1, 5, 10, 20)
K: Final = 10
CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
# Category 5 asks for what was never said; it is shown apart.
JUDGED: Final = (1, 2, 3, 4)
# Characters of a flat context; memlocal found answers worse at 8,000 than at 1,000 to 1,500.
SIZES: Final = (500, 1_000, 1_500, 3_000, 8_000)
PUBLISHED: Final = (
    "PMB (PM-68): LoCoMo recall@10 94.5, counting whole sessions, all categories; others it quotes 60-90",
    "PMB (PM-69): 900 questions of its own, top 1 / 3 / 10: 73.3 / 87.3 / 99.2",
    "PMB (PM-70): gains of +5 by predicate rules, +8 by verbs, +15 by atomic facts, +12 by splitting questions",
    "memlocal (ML-80): LoCoMo, answers judged by a model: 80.0 pass, 4.21 of 5, on 105 questions",
    "memlocal (ML-82): 55.8, 62.8, 66.3, 80.0 as it grew; reranking the whole pool alone 66.3 to 72",
    "memlocal (ML-83): its failures: SPEAKER_SWAP 13, WRONG_FACT 11, INCOMPLETE 9, LLM_REFUSE 3",
    "memlocal (ML-88): J-score 65.7, keyword F1 0.146; needs a model that answers, so there is no figure of ours",
    "YantrikDB (YD-76): recall at 10,000 memories below 10 ms; ours beside it: make bench",
)
# Weights of the reranker that are tried: coarse, since it is one number that four conversations have to agree on.
MIXES: Final = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
NAMES: Final = tuple(signal.name for signal in SIGNALS)
# The fourteen predicate rules of PMB (PM-72: what they buy beside an embedder).
RULES: Final = tuple(signal.name for signal in SIGNALS if signal.rule)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: which turns hold its evidence, and which turns came, in order."""

    conversation: str
    category: int
    question: str
    evidence: frozenset[str]
    turns: Sequence[str]
    speakers: Sequence[str]
    named: frozenset[str]
    bm25: Sequence[str]
    took_ms: float
    example: Example

    def share(self, turns: Sequence[str], k: int) -> float:
        """Return the fraction of the evidence among the first k."""
        return len(self.evidence & set(turns[:k])) / len(self.evidence)


# Who is compared, and the turns each brings for a question.
CONTESTANTS: Final[Mapping[str, Callable[[Outcome], Sequence[str]]]] = {
    "ours": lambda it: it.turns,
    "plain BM25": lambda it: it.bm25,
}


class Conversation:
    """One conversation as a memory of its own."""

    def __init__(self, held: Mapping[str, Any], embedder: Embedder, reranker: Reranker | None = None) -> None:
        self.id: str = held["sample_id"]
        self.turns: list[Turn] = turns_of(dict(held))
        self.name_of = {bytes(turn.rid): str(turn.fields["turn"]) for turn in self.turns}
        self.embedder, self.reranker = embedder, reranker
        self.lexicon = WordVectors(StaticEmbedder() if embedder.costly else embedder)
        self.home = Home()
        self.home.commit(*[Write(Remember(turn.text, turn.fields), turn.rid) for turn in self.turns])
        self.index = VectorIndex(embedder.width)
        jobs = queue.due(self.home.connection, now_ms=NOW_MS, limit=len(self.turns))
        self.index.add([job.id for job in jobs], embedder.embed([job.text for job in jobs]))
        self.home.connection.execute("DELETE FROM embed_queue")
        while reranker is not None and (page := unread(self.home.connection)):
            keep(self.home.connection, page, reranker.read([one.text for one in page]))
        self.home.connection.execute(
            "CREATE VIRTUAL TABLE plain USING fts5(text, content='memory', content_rowid='id', tokenize='porter')"
        )
        self.home.connection.execute("INSERT INTO plain (plain) VALUES ('rebuild')")

    def ask(self, question: str, weights: Mapping[str, float] = WEIGHTS) -> tuple[Ranked, float]:
        """Return the ranked pool of a question, and how many ms it took, its embedding included."""
        began = time.perf_counter()
        query = Query(question)
        asked = question if self.embedder.costly else query.keywords
        vector = self.embedder.embed([asked])[0]
        ranked = rank(
            self.home.connection,
            query,
            vector=vector,
            index=self.index,
            now_ms=NOW_MS,
            lexicon=self.lexicon,
            filters=Filters(),
            limit=POOL_MIN,
            weights=weights,
        )
        if self.reranker is not None:
            ranked = reread_by(self.reranker, with_readings(self.home.connection, ranked, self.reranker))
        return ranked, (time.perf_counter() - began) * 1_000

    def bm25(self, question: str) -> list[str]:
        """Return the turns that plain BM25 on the raw text brings: every word of the question, nothing else."""
        found = self.home.connection.execute(
            """SELECT m.rid FROM plain p JOIN memory m ON m.id = p.rowid WHERE plain MATCH ?
               ORDER BY p.rank LIMIT 1000""",
            (any_of(dict.fromkeys(words(question))),),
        )
        return [self.name_of[rid] for (rid,) in found]


def outcomes(conversation: Conversation, questions: Sequence[Mapping[str, Any]]) -> Iterator[Outcome]:
    """Ask every question that names its evidence."""
    for asked in questions:
        evidence = frozenset(
            f"D{int(day)}:{int(turn)}"
            for text in asked["evidence"]
            for day, turn in re.findall(r"D:?(\d+):(\d+)", text)
        )
        if not evidence:
            continue
        ranked, took_ms = conversation.ask(asked["question"])
        rows = ranked.pool.rows
        names = [conversation.name_of[bytes(row.rid)] for row in rows]
        columns = [
            ranked.scored.contributions.get(name, np.zeros(len(rows))) / (WEIGHTS[name] or 1)
            for name in NAMES
        ]
        yield Outcome(
            conversation=conversation.id,
            category=asked["category"],
            question=asked["question"],
            evidence=evidence,
            turns=[names[i] for i in ranked.order],
            speakers=[rows[i].speaker or "" for i in ranked.order],
            named=ranked.pool.names,
            bm25=conversation.bm25(asked["question"]),
            took_ms=took_ms,
            example=Example(
                np.stack(columns, axis=1).astype(np.float32),
                np.array([name in evidence for name in names]),
                len(evidence),
                asked["category"],
            ),
        )


def figure(shares: Sequence[float]) -> str:
    """Return any-hit and fraction, as percentages."""
    if not shares:
        return "     -     "
    any_hit = sum(share > 0 for share in shares) / len(shares)
    return f"{100 * any_hit:5.1f}/{100 * sum(shares) / len(shares):5.1f}"


def table(title: str, judged: Sequence[Outcome]) -> None:
    """Print any-hit and fraction at every depth, ours and BM25's."""
    print(f"\n{title} ({len(judged)} questions): any-hit / fraction, %")
    print(f"  {'k':>12}" + "".join(f"{k:>14}" for k in DEPTHS))
    for label, turns_of_it in CONTESTANTS.items():
        row = [figure([it.share(turns_of_it(it), k) for it in judged]) for k in DEPTHS]
        print(f"  {label:>12}" + "".join(f"{cell:>14}" for cell in row))


def sessions(turns: Sequence[str], k: int) -> set[str]:
    """Return the first k sessions that turns name, in their order."""
    return set(list(dict.fromkeys(turn.split(":")[0] for turn in turns))[:k])


def session_level(all_outcomes: Sequence[Outcome]) -> None:
    """Print the looser figure that others publish."""
    print(f"\nSession-level any-hit at {K}, all categories, % (the figure that others publish)")
    for label, turns_of_it in CONTESTANTS.items():
        hits = [
            bool(sessions(turns_of_it(it), K) & sessions(sorted(it.evidence), 1_000)) for it in all_outcomes
        ]
        print(f"  {label:>12}{100 * sum(hits) / len(hits):14.1f}")


def unseen(judged: Sequence[Outcome]) -> None:
    """Print what weights fitted on the other conversations reach on each, and the weights of all."""
    print("\nFitted on four conversations, judged on the fifth: any-hit / fraction at 10, %")
    shares: dict[str, list[float]] = {}
    for left_out in sorted({it.conversation for it in judged}):
        weights = fit([it.example for it in judged if it.conversation != left_out])
        shares[left_out] = [
            share_at(it.example, it.example.signals @ weights) for it in judged if it.conversation == left_out
        ]
        print(f"  {left_out:>12}{figure(shares[left_out]):>14}")
    print(f"  {'together':>12}{figure([share for some in shares.values() for share in some]):>14}")
    weights = fit([it.example for it in judged])
    print("  fitted on all: " + ", ".join(f"{name} {w:.2f}" for name, w in zip(NAMES, weights, strict=True)))


def unseen_reranker(judged: Sequence[Outcome]) -> None:
    """Print what the reranker brings where its weight was fitted on the other conversations."""
    print(
        "\nThe reranker's weight fitted on four conversations, judged on the fifth: any-hit / fraction at 10, %"
    )
    at = NAMES.index(RERANKER)
    shipped = np.array([WEIGHTS[name] for name in NAMES], np.float32)

    def shares(of: Sequence[Outcome], weight: float) -> list[float]:
        weights = shipped.copy()
        weights[at] = weight
        return [share_at(it.example, it.example.signals @ weights) for it in of]

    together: list[float] = []
    for left_out in sorted({it.conversation for it in judged}):
        seen = [it for it in judged if it.conversation != left_out]
        weight = max(MIXES, key=lambda weight: (sum(shares(seen, weight)), -weight))
        found = shares([it for it in judged if it.conversation == left_out], weight)
        together += found
        print(f"  {left_out:>12}{figure(found):>14}  weight {weight:g}")
    print(f"  {'together':>12}{figure(together):>14}")
    print(f"  {'without it':>12}{figure(shares(judged, 0.0)):>14}")


def ablation(judged: Sequence[Outcome]) -> None:
    """Print what is lost without each signal, the other weights as they are."""
    weights = np.array([WEIGHTS[name] for name in NAMES], np.float32)
    print("\nWithout each signal: any-hit / fraction at 10, %")
    print(
        f"  {'(with all)':>12}{figure([share_at(it.example, it.example.signals @ weights) for it in judged]):>14}"
    )
    together = {
        "(no rules)": RULES,
        "(no vectors)": ("meaning", "echo"),
        "(words only)": set(NAMES) - {"words"},
    }
    for label, names in (*together.items(), *((name, (name,)) for name in NAMES)):
        without = weights.copy()
        without[[NAMES.index(name) for name in names]] = 0
        print(
            f"  {label:>12}{figure([share_at(it.example, it.example.signals @ without) for it in judged]):>14}"
        )


def share_at(example: Example, scores: Any) -> float:
    """Return the fraction of the evidence among the best of a pool."""
    best = np.argsort(-scores, kind="stable")[:K]
    return float(example.right[best].sum()) / example.evidence


def failure(outcome: Outcome) -> str:
    """Name what went wrong with one question, in the words of memlocal (ML-83), or `FOUND`."""
    share = outcome.share(outcome.turns, K)
    if share == 1:
        return "FOUND"
    if not outcome.turns:
        return "LLM_REFUSE"  # nothing to answer from
    if share > 0:
        return "INCOMPLETE"
    said_by = Counter(outcome.speakers[:K])
    if outcome.named and sum(said_by[name] for name in outcome.named) * 2 < K:
        return "SPEAKER_SWAP"
    return "WRONG_FACT"


def by_size(judged: Sequence[Outcome], texts: Mapping[tuple[str, str], int]) -> None:
    """Print how much of the evidence a flat context of so many characters holds (ML-87)."""
    print("\nEvidence in a flat context of so many characters: any-hit / fraction, %")
    cells = []
    for size in SIZES:
        shares = []
        for it in judged:
            room, k = size, 0
            for turn in it.turns:
                room -= texts[it.conversation, turn]
                if room < 0:
                    break
                k += 1
            shares.append(it.share(it.turns, k))
        cells.append(figure(shares))
    print("  " + "".join(f"{size:>14}" for size in SIZES))
    print("  " + "".join(f"{cell:>14}" for cell in cells))


def latency(took_ms: Sequence[float]) -> None:
    """Print how long questions took, beside what PMB publishes (PM-67)."""
    p50, p95, p99 = np.percentile(took_ms, [50, 95, 99])
    print("\nLatency, embedding included, one at a time, by the clock of this machine, ms: p50 / p95 / p99")
    print(f"  {'ours':>12}{p50:8.1f}{p95:8.1f}{p99:8.1f}")
    print(f"  {'PMB, warm':>12}{70:8.1f}{240:8.1f}{470:8.1f}")


# The development half of the published conversations; the other half is held out.
DEVELOPMENT: Final = ("conv-26", "conv-41", "conv-43", "conv-47", "conv-49")


def published() -> None:
    """Print what the sources say of themselves; on other questions, other data and other machines than these."""
    print("\nWhat the sources publish of themselves, %")
    for line in PUBLISHED:
        print(f"  {line}")


def main() -> None:
    """Print every table; with `--misses`, the questions whose evidence was not found too."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--embedder", type=embedder_called, default="multilingual")
    parser.add_argument("--reranker", type=reranker_called, default="off")
    add_data(parser, at_once=False)  # the rest needs none
    asked = parser.parse_args()
    golden_run.report()
    stress.report()
    everyday_run.report()
    published()
    try:
        data = existing(asked.data)
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))
    all_outcomes: list[Outcome] = []
    sizes: dict[tuple[str, str], int] = {}
    for held in json.loads(data.read_text()):
        if held["sample_id"] not in DEVELOPMENT:
            continue
        conversation = Conversation(held, asked.embedder, asked.reranker)
        all_outcomes += outcomes(conversation, held["qa"])
        sizes |= {(conversation.id, str(turn.fields["turn"])): len(turn.text) for turn in conversation.turns}
    judged = [it for it in all_outcomes if it.category in JUDGED]
    table("Turn-level, categories 1-4", judged)
    for category, name in CATEGORIES.items():
        table(f"Turn-level, {name}", [it for it in all_outcomes if it.category == category])
    session_level(all_outcomes)
    unseen(judged)
    if asked.reranker is not None:
        unseen_reranker(judged)
    ablation(judged)
    print(
        "\nWhat went wrong at 10: "
        + ", ".join(f"{name} {n}" for name, n in Counter(map(failure, judged)).most_common())
    )
    by_size(judged, sizes)
    latency([it.took_ms for it in all_outcomes])
    if asked.misses:
        for it in judged:
            if not it.share(it.turns, K):
                print(
                    f"\n{it.conversation} [{CATEGORIES[it.category]}] {it.question}\n  {sorted(it.evidence)}"
                )


if __name__ == "__main__":
    main()
