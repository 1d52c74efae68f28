"""Decide what a device writes next: plausible changes on few keys, so that devices change the same things at once.

A writer acts on what it holds, as a person does: it edits a text that it sees, forgets a whole class of duplicates,
settles a contradiction that is open there. Words in texts are unique, so that it can be told whose edit was lost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from replica.core import Core
from replica.ids import MemoryId, OpRef, derived_memory_id, new_memory_id
from replica.ops import (
    Access,
    Claim,
    ClaimVerdict,
    Erase,
    Forget,
    Propose,
    Relate,
    Remember,
    Resolve,
    Set,
    Tag,
    Trigger,
    Untag,
    Withdraw,
    Write,
)
from replica.state.cells import memory_key, proposal_key
from replica.state.memories import MemoryCell, show
from replica.state.register import Dot

ENTITIES: Final = ("Ann", "Ben", "Cleo")
RELATIONS: Final = ("knows", "works at")
SLOTS: Final = (("Ann", "lives_in"), ("Ben", "lives_in"))
CITIES: Final = ("Lisbon", "Oslo", "Quito")
FIELD_VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "topic": ("work", "home", "money", None),
    "importance": (0.25, 0.5, 1, None),
    "pinned": (True, False),
    "tags": (["a", "b"], ["b"], []),
    "meta": ({"k": 1, "j": "x"}, {"k": 2}),
    "mood of a later version": ("glad", 3, None),
}
LABELS: Final = ("a", "b", "c")
# How many kinds are drawn before a writer gives up for lack of something to act on.
DRAWS: Final = 4
# Imports carry ids of their own; two devices may import one item, sometimes with other words.
IMPORTED_ITEMS: Final = 4


@dataclass(slots=True)
class Memo:
    """What was written anywhere in a world, so that a writer need not search its whole store for what it holds."""

    keys: int
    rids: list[MemoryId] = field(default_factory=list)
    claims: list[tuple[MemoryId, OpRef, tuple[str, str]]] = field(default_factory=list)
    proposals: list[OpRef] = field(default_factory=list)
    knew: dict[OpRef, frozenset[OpRef]] = field(default_factory=dict)
    """For each change of mind, the claims that its writer's device held and understood then."""
    replaces_shown_only: bool = False
    """A planted bug: a change of mind lists the claims that are shown, instead of all that are held."""
    words: int = 0
    tellings: dict[MemoryId, tuple[Write, ...]] = field(default_factory=dict)
    """What was told over again and acknowledged, with what was written for it."""

    def word(self, name: str) -> str:
        """Return a word that nobody has used."""
        self.words += 1
        return f"{name.lower()}{self.words}"

    def living(self, core: Core, random: Random, count: int) -> list[tuple[MemoryId, MemoryCell]]:
        """Return some memories that live on this device, mostly from the few that everybody writes on."""
        recent = self.rids[-self.keys :] if random.random() < 0.8 else self.rids
        chosen = random.sample(recent, min(len(recent), count * 2))
        cells = core.store.load([memory_key(rid) for rid in chosen])
        found = [(rid, cells.get(memory_key(rid))) for rid in chosen]
        return [(rid, cell) for rid, cell in found if isinstance(cell, MemoryCell)][:count]


Writer = Callable[[Core, str, Memo, Random, int], list[Write]]


def write(
    core: Core, name: str, memo: Memo, random: Random, now_ms: int, weights: dict[str, int]
) -> list[Write]:
    """Return what this device says next; nothing when the kinds drawn have nothing to act on."""
    for kind in random.choices(list(weights), list(weights.values()), k=DRAWS):
        writes = WRITERS[kind](core, name, memo, random, now_ms)
        if writes:
            return writes
    return []


def note(memo: Memo, writes: Sequence[Write], places: Sequence[OpRef]) -> None:
    """Remember what was written, once it is durable somewhere."""
    for each, place in zip(writes, places, strict=True):
        match each.body:
            case Remember() if each.rid is not None and each.rid not in memo.rids:
                memo.rids.append(each.rid)
            case Claim(entity, relation) if each.rid is not None:
                memo.claims.append((each.rid, place, (entity, relation)))
            case Propose():
                memo.proposals.append(place)
            case _:
                pass


def _remember(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    text = random.choice([f"{memo.word(name)} {memo.word(name)}", f"said before {random.randrange(3)}"])
    fields: dict[str, Any] = {}
    if random.random() < 0.4:
        fields = {"topic": random.choice(["work", "home"]), "importance": 0.5}
    return [Write(Remember(text, fields), new_memory_id(now_ms, random))]


def _import(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    item = random.randrange(IMPORTED_ITEMS)
    rid = derived_memory_id("simulation", str(item))
    if core.store.tombstoned([rid]) or core.store.load([memory_key(rid)]):
        return []
    return [
        Write(
            Remember(
                f"item {item} {random.choice(['as it was', 'put otherwise'])}", {"tags": [name.lower()]}
            ),
            rid,
        )
    ]


def _edit(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    for rid, cell in memo.living(core, random, 1):
        words = show(rid, cell).text.split(" ")
        at = random.randrange(len(words) + 1)
        if len(words) > 2 and at < len(words) and random.random() < 0.3:
            del words[at]
        else:
            words.insert(at, random.choice(["", "ü", "🙂"]) + memo.word(name))
        return core.edits_of(rid, " ".join(words))
    return []


def _set(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    field_name = random.choice(list(FIELD_VALUES)[: random.choice([1, 6])])
    value = random.choice(FIELD_VALUES[field_name])
    return [Write(Set(field_name, value), rid) for rid, _ in memo.living(core, random, 1)]


def _label(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    labels = tuple(sorted(random.sample(LABELS, random.choice([1, 1, 2]))))
    body = Tag(labels) if random.random() < 0.6 else Untag(labels)
    return [Write(body, rid) for rid, _ in memo.living(core, random, 1)]


def _entry(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    value = random.choice([name, now_ms % 1000, None])
    return [Write(Set(f"meta.{random.choice('kj')}", value), rid) for rid, _ in memo.living(core, random, 1)]


def _setting(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    return [Write(Set(random.choice(["home", "name"]), random.choice([name, now_ms % 1000, None])))]


def _relate(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    source, target = random.choice(ENTITIES), random.choice(ENTITIES)
    weight = random.choice([None, 0.25, 0.5, 1.0])
    return [Write(Relate(source, random.choice(RELATIONS), target, weight))]


def _access(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    origin = core.feeds.origin_number(core.origin)
    totals = []
    for rid, cell in sorted(memo.living(core, random, 2), key=lambda item: item[0]):
        count, last = cell.accesses.get(origin, (0, 0))
        totals.append((rid, count + random.randint(1, 3), max(last, now_ms)))
    return [Write(Access(tuple(totals)))] if totals else []


def _claim(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    for rid, _ in memo.living(core, random, 1):
        slot = random.choice(SLOTS)
        replaces: tuple[OpRef, ...] = ()
        if random.random() < 0.5:
            replaces = replaced_claims(core, memo, slot)
        return [Write(Claim(*slot, random.choice(CITIES), replaces, None), rid)]
    return []


def _resolve(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    slot = random.choice(SLOTS)
    shown = shown_claims(core, memo, slot)
    held = [each for each in held_claims(core, memo, slot) if each[1] in shown]
    values = sorted({value for _, _, value in held})
    if len(values) < 2:
        return []
    keep = random.choice(values)
    verdicts = [ClaimVerdict(rid, place, value == keep) for rid, place, value in held]
    return [Write(Resolve(tuple(verdicts)))]


def _propose(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    rids = sorted(rid for rid, _ in memo.living(core, random, 4))
    return [Write(Propose(tuple(rids)))] if len(rids) > 2 else []


def _withdraw(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    cells = core.store.load([proposal_key(place) for place in memo.proposals])
    held = [place for place in memo.proposals if proposal_key(place) in cells]
    return [Write(Withdraw((random.choice(held),)))] if held else []


def _trigger(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    raised = [rid for rid, _ in memo.living(core, random, 1)]
    about = tuple(sorted(rid for rid, _ in memo.living(core, random, 2)))
    return [
        Write(Trigger(bytes(15) + b"!", random.randrange(4), "decay_review", about), rid) for rid in raised
    ]


def _batch(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    """Several changes in one commit, some of them on a memory that the same commit adds."""
    writes = _remember(core, name, memo, random, now_ms)
    for _ in range(random.randint(1, 4)):
        field_name = random.choice(list(FIELD_VALUES))
        writes.append(Write(Set(field_name, random.choice(FIELD_VALUES[field_name])), writes[0].rid))
    for kind in random.choices(("set", "relate", "remember"), k=random.randint(0, 3)):
        writes += WRITERS[kind](core, name, memo, random, now_ms)
    return writes


def _forget(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    for rid, cell in memo.living(core, random, 1):
        text = show(rid, cell).text
        others = core.store.load([memory_key(other) for other in memo.rids])
        duplicates = [
            MemoryId(key.name)
            for key, other in others.items()
            if isinstance(other, MemoryCell) and show(key.name, other).text == text
        ]
        return [Write(Forget(tuple(sorted({rid, *duplicates}))))]
    return []


def _erase(core: Core, name: str, memo: Memo, random: Random, now_ms: int) -> list[Write]:
    forgotten = _forget(core, name, memo, random, now_ms)
    return [Write(Erase(each.body.rids)) for each in forgotten if isinstance(each.body, Forget)]


WRITERS: Final[dict[str, Writer]] = {
    "remember": _remember,
    "edit": _edit,
    "set": _set,
    "label": _label,
    "entry": _entry,
    "setting": _setting,
    "relate": _relate,
    "access": _access,
    "claim": _claim,
    "resolve": _resolve,
    "propose": _propose,
    "withdraw": _withdraw,
    "trigger": _trigger,
    "batch": _batch,
    "import": _import,
    "forget": _forget,
    "erase": _erase,
}


def replaced_claims(core: Core, memo: Memo, slot: tuple[str, str]) -> tuple[OpRef, ...]:
    """Return what a change of mind replaces: every claim of the slot that this device holds, hidden or not."""
    held = [place for _, place, _ in held_claims(core, memo, slot)]
    if memo.replaces_shown_only:
        shown = shown_claims(core, memo, slot)
        held = [place for place in held if place in shown]
    return tuple(sorted(held))


def held_claims(core: Core, memo: Memo, slot: tuple[str, str]) -> list[tuple[MemoryId, OpRef, str]]:
    """Return (memory, place, value) of every claim of a slot that this device holds, hidden or not."""
    found = []
    wanted = [(rid, place) for rid, place, claimed in memo.claims if claimed == slot]
    cells = core.store.load([memory_key(rid) for rid, _ in wanted])
    for rid, place in wanted:
        cell, dot = cells.get(memory_key(rid)), core.feeds.locate(place)
        if isinstance(cell, MemoryCell) and dot is not None and dot in cell.claims:
            found.append((rid, place, cell.claims[dot].value))
    return found


def shown_claims(core: Core, memo: Memo, slot: tuple[str, str]) -> set[OpRef]:
    """Return the claims of a slot that are neither replaced by a living claim nor hidden by every verdict on them."""
    held = held_claims(core, memo, slot)
    cells = core.store.load([memory_key(rid) for rid, _, _ in held])
    gone: set[OpRef] = set()
    for rid, place, _ in held:
        cell, dot = cells[memory_key(rid)], core.feeds.locate(place)
        assert isinstance(cell, MemoryCell)
        assert isinstance(dot, Dot)
        gone.update(cell.claims[dot].replaces)
        verdicts = cell.verdicts.get(dot, {})
        if verdicts and not any(keep for _, keep in verdicts.values()):
            gone.add(place)
    return {place for _, place, _ in held} - gone
