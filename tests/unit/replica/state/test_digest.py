from random import Random

import pytest

from replica import ops
from replica.core import Core
from replica.ids import MemoryId, derived_memory_id
from replica.ops import Body
from replica.state import digest
from replica.verify import verify_replica
from tests.support.replicas import agree, edit, group, remember, say, settle, sync

RID = derived_memory_id("notes.md", "1")


def test_two_devices_told_the_same_separately_agree_on_what_shows() -> None:
    """Each imported the same file alone; who heard it when is not part of what is remembered."""
    ann, ben = group("ann", "ben")
    for core, now_ms in ((ann, 1_000_000), (ben, 2_000_000)):
        say(core, ops.Remember("one", {"importance": 0.5}), RID, now_ms=now_ms)
        say(core, ops.Relate("Ann", "knows", "Ben", 0.5), now_ms=now_ms)
        say(core, ops.Set("theme", "dark"), now_ms=now_ms)
    assert ann.digests().visible == ben.digests().visible
    assert ann.digests().state != ben.digests().state
    settle([ann, ben], 3_000_000)
    assert agree(ann, ben)


CHANGES: list[tuple[Body, MemoryId | None]] = [
    (ops.Set("importance", 0.75), RID),
    (ops.Set("importance", None), RID),
    (ops.Set("invented later", {"b": 1, "a": None}), RID),
    (ops.Set("theme", "light"), None),
    (ops.Set("theme", None), None),
    (ops.Relate("Ann", "knows", "Ben", 0.75), None),
    (ops.Relate("Ann", "knows", "Ben", None), None),
    (ops.Claim("Ann", "lives in", "Lisbon", (), None), RID),
    (ops.Access(((RID, 3, 5),)), None),
    (ops.Trigger(MemoryId(bytes(16)), 1, "reminder", ()), RID),
    (ops.Feedback(RID, (("words", 5),)), None),
    (ops.Forget((RID,)), None),
    (ops.Erase((RID,)), None),
]


@pytest.mark.parametrize(("body", "rid"), CHANGES)
def test_the_digest_moves_with_everything_that_shows(body: Body, rid: MemoryId | None) -> None:
    (ann,) = group("ann")
    say(ann, ops.Remember("one", {"importance": 0.5}), RID)
    say(ann, ops.Relate("Ann", "knows", "Ben", 0.5))
    say(ann, ops.Set("theme", "dark"))
    before = ann.digests()
    say(ann, body, rid)
    assert ann.digests().visible != before.visible
    assert ann.digests().state != before.state


def test_a_hidden_claim_and_a_shown_one_are_told_apart() -> None:
    (ann,) = group("ann")
    say(ann, ops.Remember("one", {}), RID)
    claim = say(ann, ops.Claim("Ann", "lives in", "Lisbon", (), None), RID)
    shown = ann.digests().visible
    say(ann, ops.Resolve((ops.ClaimVerdict(RID, claim.place, keep=False),)))
    hidden = ann.digests().visible
    say(ann, ops.Resolve((ops.ClaimVerdict(RID, claim.place, keep=True),)))
    assert ann.digests().visible == shown != hidden


def test_what_is_taken_away_again_leaves_no_mark_on_what_shows() -> None:
    (ann,) = group("ann")
    empty = ann.digests()
    (rid,) = remember(ann, "one")
    say(ann, ops.Relate("Ann", "knows", "Ben", 0.5))
    say(ann, ops.Relate("Ann", "knows", "Ben", None))
    say(ann, ops.Forget((rid,)))
    assert ann.digests().visible == empty.visible == digest.EMPTY.to_bytes(32)
    assert ann.digests().state != empty.state


def test_incremental_digests_equal_those_computed_from_the_log() -> None:
    """The long way round, by `verify`."""
    random = Random(6)
    cores: list[Core] = group("ann", "ben")
    rids = remember(cores[0], *(f"memory {n}" for n in range(6)))
    sync(cores[0], cores[1])
    for n in range(60):
        core = random.choice(cores)
        rid = random.choice(rids)
        match random.randrange(7):
            case 0:
                rids += remember(core, f"another {n}")
            case 1 if core.store.load([key for key, _ in core.store.all_cells() if key.name == rid]):
                edit(core, rid, f"edited {n}")
            case 2:
                say(core, ops.Set("importance", random.random()), rid)
            case 3:
                say(core, ops.Access(((rid, n, n),)))
            case 4:
                say(core, ops.Relate("Ann", "knows", str(n % 3), random.choice([None, 0.5])))
            case 5 if n % 3 == 0:
                say(core, ops.Forget((rid,)))
            case _:
                sync(cores[0], cores[1])
    settle(cores)
    assert agree(*cores)
    for core in cores:
        assert verify_replica(core).problems == ()


def test_adding_and_taking_away_in_any_order_comes_to_the_same() -> None:
    one, other = digest.element(["a"]), digest.element(["b"])
    assert digest.reduced(one + other - one) == other
    assert digest.reduced(other - one + one - other) == digest.EMPTY
    assert digest.element(["a", "b"]) != digest.element(["ab"])
