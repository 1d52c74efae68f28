"""Decide what is claimed for a memory: which statements become ops, and what they say they replace.

A claim replaces claims of its slot when its words say that something has changed, when it corrects the memory itself,
or when it holds from later on, or is what follows in a life (engaged, then married), by word of the same speaker. Then
it names every such claim that this device holds, hidden ones too, so that none of them comes back against it later.
What was told after it is not named: words cannot take back what was said behind them. Otherwise it names none, and if
it differs it is an open contradiction.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cognition.contradictions.relations import relation_of
from cognition.contradictions.slots import Belief, ClaimStatus, LiveClaim
from cognition.contradictions.tables import judged_of, record_of, selves_of, told_of
from cognition.contradictions.values import ENDED, compatible, folded, value_of, words_of
from cognition.extraction.values import Statement
from replica import Claim, Core, MemoryId, Op, OpRef, Write
from replica.errors import TooLarge
from replica.limits import COMMIT_OPS_MAX, NAMES_MAX

# What a claim may be about: longer names are no names.
NAME_CHARACTERS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class PendingClaims:
    """Statements about to be claimed on a memory: who says them, where, and when (`now_ms` unless brought in)."""

    rid: MemoryId
    speaker: str | None
    workspace: str | None
    told_ms: int
    corrects: bool = False
    """They stand in place of what this memory said before."""
    newer: bool = False
    """Its owner wants the later word to stand, and not to be asked."""


def telling_of(
    rid: MemoryId,
    fields: Mapping[str, Any],
    now_ms: int,
    *,
    corrects: bool = False,
    newer: bool = False,
) -> PendingClaims:
    """Return how a memory with these fields tells what it says; a correction is told now, whatever it corrects."""
    told_at = now_ms if corrects else fields.get("told_at")
    return PendingClaims(
        rid,
        fields.get("speaker"),
        fields.get("workspace"),
        told_at if isinstance(told_at, int) else now_ms,
        corrects,
        newer,
    )


class ClaimWriter:
    """Commits memories with what they claim, each memory and its claims in one commit, as many as fit together.

    A change of mind names the ops that it replaces, and an op has no name before it is committed. So what was told
    before is committed first where a statement may replace it.
    """

    def __init__(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> None:
        self._core = core
        self._connection = connection
        self._now_ms = now_ms
        self._writes: list[Write] = []
        self._pending: set[bytes] = set()
        self._ops: list[Op] = []
        self.slots: dict[bytes, None] = {}
        """The slots in which something was claimed."""

    def tell(self, writes: Sequence[Write], told: Sequence[tuple[PendingClaims, Statement]] = ()) -> None:
        """Add the writes of one memory, and what it states."""
        selves = selves_of(self._connection) if told else None
        slots = [
            record_of(self._connection, selves.slot(telling.workspace, statement.entity, statement.relation))
            for telling, statement in told
            if selves is not None
        ]
        ahead = any(
            slot in self._pending and (telling.newer or needs_earlier(statement))
            for slot, (telling, statement) in zip(slots, told, strict=True)
        )
        if ahead or len(self._writes) + len(writes) + len(told) > COMMIT_OPS_MAX:
            self.commit()
        self._writes += writes
        for slot, (telling, statement) in zip(slots, told, strict=True):
            claims = claims_of(self._core, self._connection, telling, [statement])
            if claims:
                self._writes += claims
                self._pending.add(slot)
                self.slots[slot] = None

    def commit(self) -> list[Op]:
        """Commit what was added and not committed yet; return every op that was written so far."""
        writes, self._writes = self._writes, []
        self._pending.clear()
        self._commit(writes)
        return self._ops

    def _commit(self, writes: Sequence[Write]) -> None:
        """Commit writes together, or where they hold more bytes than one commit may, each half by itself."""
        try:
            self._ops += self._core.commit(writes, self._now_ms)
        except TooLarge:
            begin = [at for at in range(1, len(writes)) if writes[at].rid != writes[at - 1].rid]
            if not begin:
                raise
            middle = begin[len(begin) // 2]
            self._commit(writes[:middle])
            self._commit(writes[middle:])


def claims_of(
    core: Core, connection: sqlite3.Connection, telling: PendingClaims, statements: Sequence[Statement]
) -> list[Write]:
    """Return the claims to be written on a memory for what it states; none for what it claims already."""
    writes = []
    selves = selves_of(connection)
    if selves.is_own(telling.speaker):
        telling = replace(telling, speaker=None)
    for statement in statements:
        if max(map(len, (statement.entity, statement.relation, statement.value))) > NAME_CHARACTERS_MAX:
            continue
        slot = selves.slot(telling.workspace, statement.entity, statement.relation)
        judged = judged_of(connection, record_of(connection, slot))
        replaced = replaces(statement, telling, judged.beliefs)
        if replaced is None:
            continue
        places = tuple(sorted(place_of(core, told) for told in replaced[-NAMES_MAX:]))
        claim = Claim(statement.entity, statement.relation, value_of(statement), places, statement.valid_from)
        writes.append(Write(claim, telling.rid))
    return writes


def replaces(
    statement: Statement, telling: PendingClaims, beliefs: Sequence[Belief]
) -> list[LiveClaim] | None:
    """Return the claims of its slot that a statement replaces; None where it adds nothing."""
    value = value_of(statement)
    if not relation_of(statement.relation).single:
        known = any(
            belief.told.rid == telling.rid and folded(belief.told.value) == folded(value)
            for belief in beliefs
        )
        return None if known else []
    earlier = [belief.told for belief in beliefs if belief.told.told_ms <= telling.told_ms]
    if statement.ends:
        # Written also where nothing is known yet that it could end: another device may know, and what is taken in must
        # not depend on the order.
        if any(belief.told.rid == telling.rid and belief.told.value == ENDED for belief in beliefs):
            return None
        return [told for told in earlier if compatible(told.value, statement.value)]
    own = [belief for belief in beliefs if belief.told.rid == telling.rid]
    if telling.corrects:  # a correction may be one of a detail
        if any(words_of(told.value) == words_of(value) for told in _said_now(own)):
            return None
    elif any(compatible(belief.told.value, value) for belief in own if belief.standing is ClaimStatus.HELD):
        return None
    if statement.changes or telling.corrects or telling.newer:
        return earlier
    # Told anew on the memory that said so before: it takes the place of its earlier self, and asks anew.
    anew = [told for told in earlier if told.rid == telling.rid and compatible(told.value, value)]
    behind = relation_of(statement.relation).follows.get(value, frozenset())
    anew += [
        told
        for told in earlier
        if told not in anew and told.speaker == telling.speaker and told.value in behind
    ]
    if statement.valid_from is None:
        return anew
    since = statement.valid_from
    return [
        told for told in earlier if told in anew or (told.speaker == telling.speaker and told.from_ms < since)
    ]


def _said_now(own: Sequence[Belief]) -> list[LiveClaim]:
    """Return the claims that the words of a memory still make, also where others replaced them or a decision hid them.

    Whoever mends the spelling of what is true no more does not say that it is true again.
    """
    replaced = {claim for belief in own for claim in belief.told.replaces}
    return [belief.told for belief in own if belief.told.claim not in replaced]


def withdrawn(
    core: Core, connection: sqlite3.Connection, telling: PendingClaims, statements: Sequence[Statement]
) -> list[Write]:
    """Return what ends the claims of a memory whose words say them no more."""
    selves = selves_of(connection)
    said = {selves.slot(telling.workspace, each.entity, each.relation) for each in statements}
    writes = []
    for own, slot, entity, relation in connection.execute(
        """SELECT DISTINCT s.own, s.slot, c.entity, c.relation FROM claim_slot s JOIN shown_claim c ON c.id = s.id AND
           c.claim = s.claim JOIN shown_memory m ON m.id = s.id WHERE m.rid = ? ORDER BY s.own""",
        (telling.rid,),
    ).fetchall():
        named = {
            claim for (claim,) in connection.execute("SELECT claim FROM claim_slot WHERE own = ?", (own,))
        }
        before = [
            told for told in told_of(connection, slot) if told.rid == telling.rid and told.claim in named
        ]
        if own not in said and any(told.value != ENDED for told in before):
            places = tuple(sorted(place_of(core, told) for told in before))
            writes.append(Write(Claim(entity, relation, ENDED, places, None), telling.rid))
    return writes


def needs_earlier(statement: Statement) -> bool:
    """Say whether a statement can only be claimed once what was told before it is in the log."""
    return (
        statement.changes
        or statement.ends
        or statement.valid_from is not None
        or statement.value in relation_of(statement.relation).follows
    )


def place_of(core: Core, told: LiveClaim) -> OpRef:
    """Return the name of a claim's op that every device understands."""
    return OpRef(core.feeds.origin_of(told.feed), told.seq, told.claim)
