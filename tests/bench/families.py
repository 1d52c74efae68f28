"""Capture the pools of five families of questions, every signal unweighed: talk, lives, stress, homes, and others.

Weights are fitted on what is captured here (`tests.bench.fitting`), which takes seconds; capturing takes minutes, so it
is kept in a folder that is named. The data is read from beside the repository and never copied in.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cognition import Embedder, Filters, read_text, take_in
from cognition.background import queue
from cognition.contradictions.telling import ClaimWriter, telling_of
from cognition.embedding.index import VectorIndex
from cognition.embedding.lexicon import WordVectors
from cognition.embedding.static import StaticEmbedder
from cognition.ranking.compound import split
from cognition.ranking.pool import Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import SIGNALS
from cognition.recall.spelling import corrected
from cognition.recall.stages import Ranked, pool_size, rank
from cognition.search.postings import Postings
from replica import MemoryId, Remember, Value, Write, derived_memory_id
from tests.bench import stress
from tests.bench.homes import OTHERS, SEEN, Household
from tests.bench.homes import read as read_homes
from tests.support.minds import LOCOMO, NOW_MS, Home, turns_of

LIVES: Final = LOCOMO.parent / "lives"
NAMES: Final = tuple(signal.name for signal in SIGNALS)
# Category 5 of LoCoMo asks for what was never said.
JUDGED: Final = (1, 2, 3, 4)
# Notes of a home are told so long after one another.
MINUTE_MS: Final = 60_000
Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """One question, or one of its parts: its candidates' signals, and which of them are right.

    `group` is who is left out together: a conversation, a life, a person. `evidence` counts what is right, also out of
    reach; `whose` numbers the memory that each candidate is, or is a fact of.
    """

    family: str
    group: str
    kind: str
    language: str
    question: str
    signals: Array
    right: NDArray[np.bool_]
    evidence: int
    whose: NDArray[np.int64]
    fixed: Array
    """What is added to every score whatever the weights: nothing, but for a reranker."""


class Store:
    """A memory of its own, embedded, that is asked without threads."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.home = Home()
        self.index = VectorIndex(embedder.width)
        self.lexicon = WordVectors(StaticEmbedder() if embedder.costly else embedder)
        self.named: dict[bytes, str] = {}

    def tell(self, rid: MemoryId, name: str, text: str, fields: dict[str, Value], *, facts: bool) -> None:
        """Store a memory and the facts in it."""
        self.named[bytes(rid)] = name
        if not facts:
            self.home.commit(Write(Remember(text, fields), rid))
            return
        dated, found = read_text(text, fields, now_ms=int(str(fields["told_at"])))
        taken = take_in(rid, text, dated, found)
        self.home.commit(*taken.writes)
        for fact in taken.facts:
            self.named[bytes(fact)] = name

    def claim(self, rid: MemoryId, name: str, text: str) -> None:
        """Store a note as a device does that is told it: with the facts in it, and with what it claims."""
        self.home.now_ms += MINUTE_MS
        self.named[bytes(rid)] = name
        asked, found = read_text(text, {}, now_ms=self.home.now_ms)
        taken = take_in(rid, text, asked, found)
        teller = ClaimWriter(self.home.core, self.home.connection, self.home.now_ms)
        told = [(telling_of(at, asked, self.home.now_ms), statement) for at, statement in taken.statements]
        teller.tell(taken.writes, told)
        teller.commit()
        for fact in taken.facts:
            self.named[bytes(fact)] = name

    def embed(self) -> None:
        """Give every memory its vector."""
        while jobs := queue.due(self.home.connection, now_ms=NOW_MS, limit=1_000):
            self.index.add([job.id for job in jobs], self.embedder.embed([job.text for job in jobs]))
            self.home.connection.executemany(
                "DELETE FROM embed_queue WHERE id = ?", [(job.id,) for job in jobs]
            )

    def ask(self, text: str, now_ms: int, **options: Any) -> Ranked:
        """Return the ranked pool of a question."""
        query = Query(corrected(self.home.connection, text, Query(text).tables, self.lexicon, Postings()))
        asked = query.text if self.embedder.costly else query.keywords
        return rank(
            self.home.connection,
            query,
            vector=self.embedder.embed([asked])[0],
            index=self.index,
            now_ms=now_ms,
            lexicon=self.lexicon,
            filters=Filters(),
            limit=pool_size(query, 10),
            **options,
        )


def columns(pool: Pool) -> Array:
    """Return every signal of a pool, unweighed."""
    return np.stack([signal.of(pool) for signal in SIGNALS], axis=1).astype(np.float32)


def example(store: Store, ranked: Ranked, right: frozenset[str], **said: Any) -> Example:
    """Return what is known of a question."""
    names = [store.named.get(bytes(row.rid), "") for row in ranked.pool.rows]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return Example(
        signals=columns(ranked.pool),
        right=np.array([name in right for name in names], np.bool_),
        evidence=len(right),
        whose=np.array([numbers[name] for name in names], np.int64),
        fixed=np.zeros(len(names), np.float32),
        **said,
    )


def talk(embedder: Embedder, path: Path = LOCOMO) -> Iterator[Example]:
    """LoCoMo: which turns hold the evidence."""
    for conversation in json.loads(path.read_text("utf-8")):
        store = Store(embedder)
        for turn in turns_of(conversation):
            store.tell(turn.rid, str(turn.fields["turn"]), turn.text, turn.fields, facts=False)
        store.embed()
        for asked in conversation["qa"]:
            right = frozenset(
                f"D{int(day)}:{int(turn)}"
                for text in asked["evidence"]
                for day, turn in re.findall(r"D:?(\d+):(\d+)", text)
            )
            if right and asked["category"] in JUDGED:
                ranked = store.ask(asked["question"], NOW_MS)
                said = {"kind": str(asked["category"]), "language": "en", "question": asked["question"]}
                yield example(store, ranked, right, family="talk", group=conversation["sample_id"], **said)


def told_ms(text: str) -> int:
    """Return a time of a life in ms."""
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1_000)


def life(embedder: Embedder, told: Mapping[str, Any]) -> Store:
    """Return one life as a store, the memories told in their order."""
    store = Store(embedder)
    for memory in sorted(told["memories"], key=lambda each: each["at"]):
        kept = {name: memory[name] for name in ("speaker", "type", "project") if name in memory}
        fields: dict[str, Value] = {**kept, "told_at": told_ms(memory["at"])}
        rid = derived_memory_id("life", f"{told['persona']}:{memory['id']}")
        store.tell(rid, memory["id"], memory["text"], fields, facts=True)
    store.embed()
    return store


def lives(embedder: Embedder, folder: Path = LIVES) -> Iterator[Example]:
    """Lives: which of what was told over nine months answers."""
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text("utf-8"))
        store = life(embedder, told)
        for asked in told["queries"]:
            if asked["kind"] == "none":
                continue
            ranked = store.ask(asked["q"], told_ms(told["now"]))
            said = {"kind": asked["kind"], "language": asked["lang"], "question": asked["q"]}
            yield example(
                store, ranked, frozenset(asked["expect"]), family="lives", group=told["persona"], **said
            )


def stressed(embedder: Embedder) -> Iterator[Example]:
    """The stress set: which of thirty facts that differ in a name or a value is meant."""
    store = Store(embedder)
    told = stress.facts()
    for number, text in enumerate(told):
        rid = derived_memory_id("stress", str(number))
        store.tell(rid, str(number), text, {"told_at": NOW_MS}, facts=False)
    store.embed()
    for asked in stress.questions():
        parts = split(asked.text).parts
        ranked = store.ask(parts[0], NOW_MS)
        said = {"kind": asked.kind, "language": asked.language, "question": asked.text}
        person = str(asked.answer // len(stress.ATTRIBUTES))
        if len(parts) == 1:  # the parts of others are asked like these
            yield example(
                store, ranked, frozenset([str(asked.answer)]), family="stress", group=person, **said
            )


def told_home(embedder: Embedder, household: Household) -> Store:
    """Return one home as a store, its notes told in their order and named by their places."""
    store = Store(embedder)
    for place, note in enumerate(household.notes):
        store.claim(derived_memory_id("home", f"{household.name}:{place}"), str(place), note)
    store.embed()
    return store


def homes(embedder: Embedder, path: Path = SEEN, family: str = "homes") -> Iterator[Example]:
    """Everyday homes: which of a dozen notes answers, where others share its words."""
    for household in read_homes(path):
        store = told_home(embedder, household)
        for asked in household.questions:
            ranked = store.ask(split(asked.text).parts[0], store.home.now_ms)
            right = frozenset(map(str, asked.right))
            said = {"kind": "home", "language": household.language, "question": asked.text}
            yield example(store, ranked, right, family=family, group=household.name, **said)


def others(embedder: Embedder) -> Iterator[Example]:
    """Homes in which somebody else's note has the words of a question that is asked of the asker."""
    return homes(embedder, OTHERS, "others")


FAMILIES: Final[Mapping[str, Callable[[Embedder], Iterator[Example]]]] = {
    "talk": talk,
    "lives": lives,
    "stress": stressed,
    "homes": homes,
    "others": others,
}


def captured(cache: Path, embedder: Embedder) -> list[Example]:
    """Return all families, from the cache as far as they are there for this embedder and these signals."""
    found: list[Example] = []
    for family, capture in FAMILIES.items():
        name = re.sub(r"\W+", "-", embedder.name)
        path = cache / f"{family}-{name}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as kept:
                said = json.loads(str(kept["said"]))
                if said["names"] == list(NAMES):
                    found += _unpacked(said["examples"], kept)
                    continue
        examples = list(capture(embedder))
        cache.mkdir(parents=True, exist_ok=True)
        np.savez(path, **_packed(examples))
        found += examples
    return found


_SAID: Final = ("family", "group", "kind", "language", "question", "evidence")


def _packed(examples: Sequence[Example]) -> dict[str, Any]:
    said = {
        "names": list(NAMES),
        "examples": [{name: getattr(one, name) for name in _SAID} for one in examples],
    }
    return {
        "said": np.array(json.dumps(said)),
        "counts": np.array([len(one.right) for one in examples]),
        **{
            name: np.concatenate([getattr(one, name) for one in examples])
            for name in ("signals", "right", "whose", "fixed")
        },
    }


def _unpacked(said: Sequence[Mapping[str, Any]], kept: Mapping[str, Any]) -> list[Example]:
    ends = np.cumsum(kept["counts"])[:-1]
    arrays = {name: np.split(kept[name], ends) for name in ("signals", "right", "whose", "fixed")}
    return [
        Example(**one, **{name: each[number] for name, each in arrays.items()})  # type: ignore[arg-type]
        for number, one in enumerate(said)
    ]
