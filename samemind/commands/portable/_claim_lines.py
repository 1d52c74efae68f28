"""Take claims out with the memories they were taken from, and bring them in again, with what was said about them.

What a memory claims is not read from its words a second time: who says it has changed, and what a person decided, is
in the claims alone. So a line of its own carries each, by an id that means something in its file only. What somebody
said of two claims, that they are of one thing or of two, names both by these ids.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import replica
from cognition.contradictions.values import words_of
from cognition.ingest.holding import texts_of
from cognition.memories import read_memories
from replica import ClaimVerdict, Core, MemoryId, OpRef, SameSlot, ShownClaim, Write
from replica.limits import COMMIT_OPS_MAX
from replica.reads.claims import all_claims, all_judgments, claims_of, memories_claiming
from replica.reads.ids import number_of
from samemind.held_back import edge_said, line_kept_back
from samemind.portable.records import Claimed, JudgedClaims

# A commit holds up other writers while it is made.
BATCH: Final = 2_000
# The relation, the entity without regard to case, and the words of the value.
_Said = tuple[str, str, frozenset[str]]


def claim_records(connection: sqlite3.Connection) -> Iterator[Claimed]:
    """Return every claim, in the order in which they were made."""
    rids = memories_claiming(connection)
    undecided = {
        claim
        for (claim,) in connection.execute(
            "SELECT s.claim FROM claim_slot s JOIN contradiction c ON c.slot = s.slot "
            "WHERE c.status = 'open' AND c.attention != 'quiet'"
        )
    }
    for number, claim in enumerate(all_claims(connection), start=1):
        verdicts = {verdict.keep for verdict in claim.verdicts}
        keep = next(iter(verdicts)) if len(verdicts) == 1 else None
        if keep and claim.claim in undecided:
            keep = None  # kept by some decision, and yet open: the other value has to be decided about
        yield Claimed(
            line=number,
            id=claim.claim.hex(),
            rid=rids[claim.id],
            entity=claim.entity,
            relation=claim.relation,
            value=claim.value,
            valid_from=claim.valid_from,
            replaces=tuple(each.hex() for each in claim.replaces),
            keep=keep,
        )


def judgment_records(connection: sqlite3.Connection) -> Iterator[JudgedClaims]:
    """Return what is said of two claims, in the order in which it was said; what was taken back is not among it."""
    for number, said in enumerate(all_judgments(connection), start=1):
        claims = said.claim.hex(), said.against.hex()
        yield JudgedClaims(line=number, claims=claims, same=said.same, by=said.by, sureness=said.sureness)


class ClaimsIn:
    """Brings claims in, in the order of their file; what is claimed here already is left as it is."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[OpRef, MemoryId]] = {}
        self._taken: set[bytes] = set()
        """The claims here that lines stand for already; kept, as a file may have a hundred thousand."""
        self._new: set[str] = set()
        self.held = 0
        """How many look secret and were held back."""

    def write(self, core: Core, connection: sqlite3.Connection, lines: Sequence[Claimed], now_ms: int) -> int:
        """Commit what is new of some lines; return how many that are."""
        count = 0
        pending: list[tuple[Claimed, Write]] = []
        waits: set[str] = set()
        here_by_number = _ClaimsHere(connection)
        for line in lines:
            here = number_of(connection, line.rid)
            if here is None or line.id in self._places:
                continue
            held = here_by_number.like(here, line, self._taken)
            if held is not None:
                self._place(line, OpRef(core.feeds.origin_of(held.feed), held.seq, held.claim))
                continue
            said = edge_said(line.entity, line.relation, line.value)
            if line_kept_back(connection, said, now_ms, known=partial(_texts, connection, here)):
                self.held += 1
                continue
            if not waits.isdisjoint(line.replaces) or len(pending) == COMMIT_OPS_MAX:
                count += self._commit(core, pending, now_ms)
                waits.clear()
            replaces = tuple(sorted(self._places[each][0] for each in line.replaces if each in self._places))
            claim = replica.Claim(line.entity, line.relation, line.value, replaces, line.valid_from)
            pending.append((line, Write(claim, line.rid)))
            waits.add(line.id)
        return count + self._commit(core, pending, now_ms)

    def decide(self, core: Core, lines: Iterable[Claimed], now_ms: int) -> None:
        """Write the decisions on the claims that were brought in, those on one slot as one."""
        slots: dict[tuple[str, str], list[ClaimVerdict]] = {}
        for line in lines:
            if line.keep is not None and line.id in self._new:
                place, rid = self._places[line.id]
                verdicts = slots.setdefault((line.entity.casefold(), line.relation), [])
                verdicts.append(ClaimVerdict(rid, place, line.keep))
        writes = [Write(replica.Resolve(tuple(verdicts))) for verdicts in slots.values()]
        for start in range(0, len(writes), BATCH):
            core.commit(writes[start : start + BATCH], now_ms)

    def judge(self, core: Core, lines: Iterable[JudgedClaims], now_ms: int) -> None:
        """Say again what was said of two claims of which one was brought in now.

        Of two that were here already somebody may have said otherwise since, or taken it back.
        """
        writes = []
        for line in lines:
            if self._places.keys() >= {*line.claims} and not self._new.isdisjoint(line.claims):
                one, other = ((rid, place) for place, rid in map(self._places.__getitem__, line.claims))
                writes.append(Write(SameSlot.of(one, other, line.same, by=line.by, sureness=line.sureness)))
        for start in range(0, len(writes), BATCH):
            core.commit(writes[start : start + BATCH], now_ms)

    def _place(self, line: Claimed, place: OpRef) -> None:
        self._places[line.id] = place, line.rid
        self._taken.add(place.id8)

    def _commit(self, core: Core, pending: list[tuple[Claimed, Write]], now_ms: int) -> int:
        ops = core.commit([write for _, write in pending], now_ms)
        for (line, _), op in zip(pending, ops, strict=True):
            self._place(line, op.place)
            self._new.add(line.id)
        pending.clear()
        return len(ops)


def _texts(connection: sqlite3.Connection, number: int) -> list[str]:
    """Return what a memory holds already, in its text and its fields."""
    (shown,) = read_memories(connection, [number])
    return [shown.memory.text, *texts_of(shown.memory.fields)]


class _ClaimsHere:
    """What memories claim already, by what it says. Of each it is read once, as all lines of a file may be of one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._by_number: dict[int, dict[_Said, list[ShownClaim]]] = {}

    def like(self, number: int, line: Claimed, taken: set[bytes]) -> ShownClaim | None:
        """Return the claim of a memory that a line repeats, unless an earlier line repeats it too."""
        if number not in self._by_number:
            said = self._by_number[number] = {}
            for held in claims_of(self._connection, number):
                said.setdefault(_said(held), []).append(held)
        alike = self._by_number[number].get(_said(line), [])
        return next((held for held in alike if held.claim not in taken), None)


def _said(claim: Claimed | ShownClaim) -> _Said:
    return claim.relation, claim.entity.casefold(), words_of(claim.value)
