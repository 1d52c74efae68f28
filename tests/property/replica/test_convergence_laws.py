"""Any history, in any causal order, over any framing: one state."""

from dataclasses import dataclass
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from replica import ops
from replica.core import Core
from replica.fields import Value
from replica.frame import Frame
from replica.ids import MemoryId, OpRef
from replica.ops import Body, Op, Remember
from replica.outbox import Outbox
from replica.state.memories import Memory
from replica.verify import verify_replica
from tests.support.published import published
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    agree,
    carry,
    core_of,
    group,
    memories,
    settle,
    sync,
    take,
)

NAMES = ("ann", "ben", "cleo")
RIDS = [MemoryId(bytes([n]) * 16) for n in range(3)]
TEXTS = ("it began so", "it began otherwise")


@dataclass
class Commit:
    """A commit as a frame of its own, with the ops that its author had seen."""

    hand: Hand
    ops: list[Op]

    @property
    def frame(self) -> Frame:
        return self.hand.frame(*self.ops)


SMALL = st.integers(0, 2)
LABELS = ("a", "b", "c")
ENTRIES: tuple[Value, ...] = ({"k": 1, "j": 2}, {"j": 3}, None)


def draw_body(draw: st.DrawFn, made: list[Op]) -> tuple[Body, MemoryId | None]:
    """Something that a device may say about the few memories that all of them speak of."""
    rid, n = RIDS[draw(SMALL)], draw(SMALL)
    place = (
        made[draw(st.integers(0, len(made) - 1))].place if made else OpRef(Hand("ann").origin, 1, bytes(8))
    )
    labels = LABELS[n : n + 2]
    match draw(st.integers(0, 21)):
        case 13 | 14:
            return ops.Tag(labels), rid
        case 15 | 16:
            return ops.Untag(labels), rid
        case 17:
            return ops.Set("tags", [None, ["a", "c"], ["b"]][n]), rid
        case 18:
            return ops.Set("meta", ENTRIES[n]), rid
        case 20 | 21:
            other = made[draw(st.integers(0, len(made) - 1))].place if made else place
            pair = sorted({(rid, place), (RIDS[n], other)})
            if len(pair) < 2:
                return ops.Forget((rid,)), None
            rids, claims = zip(*pair, strict=True)
            return ops.SameSlot(rids, claims, (True, False, None)[n], 1 + n % 2, 50 + n), None
        case 19:
            return ops.Set(f"meta.{'kjk'[n]}", [None, 4, 5][n]), rid
        case 0 | 1 | 2:
            return Remember(TEXTS[n % 2], {"tags": list(labels), "meta": {"k": n}} if n else {}), rid
        case 3:
            return ops.Set("importance", [None, 0.25, 0.75][n]), rid
        case 4:
            return ops.Set("theme", [None, "dark", "light"][n]), None
        case 5:
            return ops.Relate("Ann", "knows", "Ben", [None, 0.5, 1.0][n]), None
        case 6:
            return ops.Access(((rid, n, n),)), None
        case 7:
            return ops.Claim("Ann", "is", "xyz"[n], (), None), rid
        case 8:
            return ops.Resolve((ops.ClaimVerdict(rid, place, keep=n == 0),)), None
        case 9:
            return ops.Propose(tuple(RIDS[: n + 1])), None
        case 10:
            return (ops.Withdraw((place,)), None) if n else (ops.Forget((rid,)), None)
        case 12 if n == 0:
            return ops.SaysSame((RIDS[0], RIDS[1]), 90), None
        case 12 if n == 1:
            return ops.Unlink((place,)), None
        case 11:
            return ops.Trigger(bytes(16), n, "xyz"[n], tuple(sorted(RIDS[:n]))), rid
        case _:
            return ops.Feedback(rid, (("words", n - 1),)), None


@st.composite
def op_histories(draw: st.DrawFn) -> list[Commit]:
    """Commits of three devices, with clones, clocks that jump, and any knowledge of each other that is causal."""
    hands = [Hand(name) for name in NAMES]
    knows: list[dict[int, Commit]] = [{} for _ in hands]
    last_seen: list[set[int]] = [set() for _ in hands]
    made: list[Commit] = []
    closure: list[set[int]] = []
    own: list[list[int]] = [[] for _ in hands]
    for _ in range(draw(st.integers(1, 10))):
        who = draw(st.integers(0, len(hands) - 1))
        if len(hands) < 5 and draw(st.integers(0, 9)) == 0:  # the machine is cloned here
            hands.append(hands[who].fork())
            knows.append(dict(knows[who]))
            last_seen.append(set(last_seen[who]))
            own.append(list(own[who]))
        heard = draw(st.sets(st.integers(0, len(made) - 1), max_size=2)) if made else set()
        past = set(last_seen[who])
        for at in heard:
            past |= closure[at] | {at}
        news = past - last_seen[who] - set(own[who])
        heads = {at for at in news if not any(at in closure[other] for other in news)}
        seen = sorted(made[at].ops[-1].place for at in heads)
        known_ops = [op for at in sorted(past | set(own[who])) for op in made[at].ops]
        hands[who].hlc += draw(st.sampled_from([0, 0, 1 << 16, 1 << 40]))
        written = []
        for n in range(size := draw(st.integers(1, 2))):
            body, rid = draw_body(draw, known_ops)
            written.append(hands[who].write(body, rid, seen=seen if n == 0 else (), ends=n == size - 1))
        index = len(made)
        made.append(Commit(Hand(hands[who].name, hands[who].incarnation), written))
        closure.append(past | set(own[who]))
        last_seen[who] = past | {index}
        own[who].append(index)
    return made


def newcomer(name: str) -> Core:
    """An empty replica that knows the authors."""
    core = core_of(name)
    acquaint(core, name, *NAMES)
    return core


def delivered(history: list[Commit], order: Random) -> Core:
    """A replica that took the commits one by one, in a causal order."""
    core = newcomer("dan")
    waiting = list(history)
    while waiting:
        order.shuffle(waiting)
        left = [commit for commit in waiting if not take(core, commit.frame).ops]
        assert len(left) < len(waiting), "a causal history can always go on"
        waiting = left
    return core


def shown(core: Core) -> dict[bytes, Memory]:
    """What shows, also what no digest covers, less the numbers of feeds, which are local."""
    return {rid: memory._replace(feed=0) for rid, memory in memories(core).items()}


@settings(max_examples=30)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_order_of_delivery_does_not_matter(history: list[Commit], order: Random) -> None:
    """Any causal delivery order folds to the same state."""
    one, other = delivered(history, order), delivered(history, order)
    assert one.digests() == other.digests()
    assert one.frontier() == other.frontier()
    assert shown(one) == shown(other)
    assert verify_replica(one).problems == ()


@settings(max_examples=20)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_framing_does_not_matter(history: list[Commit], order: Random) -> None:
    """A relay sends in large frames what it took in small ones; its reader must end where it is."""
    core = delivered(history, order)
    reader = newcomer("eve")
    outbox = Outbox({})
    while (frame := outbox.next_frame(core)) is not None:
        assert reader.take(carry(frame), NOW_MS).refusals == ()
    assert reader.digests() == core.digests()


@settings(max_examples=20)
@given(history=op_histories(), order=st.randoms(use_true_random=False), data=st.data())
def test_two_that_hold_different_parts_hold_the_same_after_one_conversation(
    history: list[Commit], order: Random, data: st.DataObject
) -> None:
    part = data.draw(st.integers(0, len(history)))
    one, other = group("ann", "ben")
    for core, name in ((one, "ann"), (other, "ben")):
        acquaint(core, name, "cleo")
    for commit in history[:part]:
        take(one, commit.frame)
    kept = list(history)
    order.shuffle(kept)
    for commit in kept:
        take(other, commit.frame)  # what has not come yet is refused, and comes by the conversation
    sync(one, other)
    settle([one, other])
    assert one.frontier() == other.frontier()
    assert agree(one, other)


@published("YD-55")
@settings(max_examples=20)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_taking_everything_again_changes_nothing(history: list[Commit], order: Random) -> None:
    core = delivered(history, order)
    before = (core.digests(), core.position)
    for commit in history:
        assert take(core, commit.frame).ops == 0
    assert (core.digests(), core.position) == before
