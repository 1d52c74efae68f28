"""A history to agree on: two devices write an op of every kind, apart and in touch, and some that come to nothing."""

from random import Random
from typing import Any, Final

from replica import ops
from replica.codec import pack, wire_place
from replica.frame import Frame
from replica.ids import MemoryId
from replica.ops import Op, OpKind, Remember, Set
from replica.state.text import EditedText, base_name
from tests.support.replicas import NOW_MS, Hand, frame_of_segments

RID: Final = MemoryId(bytes(range(0x10, 0x20)))
OTHER: Final = MemoryId(bytes(range(0x20, 0x30)))


def told(*, later: bool = True) -> Frame:
    """Return the whole history as one frame, in the order in which its ops were written.

    `later`: with an op that nobody understands yet, which keeps what follows it in the log.
    """
    ann, ben = Hand("ann"), Hand("ben")
    gone = MemoryId(bytes(range(0x30, 0x40)))
    fork = MemoryId(bytes(range(0x40, 0x50)))
    base, text = base_name(RID, "Ann lives in Porto"), EditedText.from_base(RID, "Ann lives in Porto")
    fork_base, fork_text = base_name(fork, "two words"), EditedText.from_base(fork, "two words")
    said: list[tuple[Hand, Op]] = []

    def say(hand: Hand, *args: Any, **more: Any) -> Op:
        op = hand.write(*args, **more)
        said.append((hand, op))
        return op

    say(ann, Remember("Ann lives in Porto", {"importance": 0.5, "topic": None}), RID)
    say(ann, Remember("to be forgotten", {}), gone)
    say(ann, Remember("Ben bakes", {"tags": ["bread", "oven"], "meta": {"b": 1, "a": None}}), OTHER)
    lives = say(ann, ops.Claim("Ann", "lives in", "Porto", (), None), RID)
    works = say(ann, ops.Claim("Ann", "works at", "the harbour", (lives.place,), NOW_MS), RID)
    likes = say(ann, ops.Claim("Ann", "likes", "tea", (), None), RID)
    one = say(ann, Remember("two words", {}), fork)
    say(ben, Set("project", "too early"), RID)  # not effective: its writer had not seen the memory
    say(ben, ops.Resolve((ops.ClaimVerdict(RID, likes.place, keep=False),)))  # nor this claim
    say(ben, Remember("a word", {"speaker": "Ben"}), fork)
    say(ben, ops.Edit(base, text.edit("Ann lives in Lisbon", Random(1))), RID, seen=[one.place])
    say(ben, Set("topic", "moving"), RID)
    say(ben, Set("domain", "life"), RID)
    say(ben, Set("importance", None), RID)
    say(
        ben,
        ops.Resolve(
            (ops.ClaimVerdict(RID, lives.place, keep=False), ops.ClaimVerdict(RID, works.place, keep=False))
        ),
    )
    say(ben, ops.Access(((RID, 3, NOW_MS), (OTHER, 1, NOW_MS))))
    say(ben, ops.Access(((RID, 2, NOW_MS),)))
    say(ben, ops.Trigger(OTHER, 1, "decay_review", (RID,)), OTHER)
    proposed = say(ben, ops.Propose((RID, OTHER)))
    guessed = say(ben, ops.Propose((RID, fork)))
    linked = say(ben, ops.SaysSame((RID, OTHER), 90))
    stays = say(ben, ops.SaysSame((RID, fork), 100))
    say(ben, Set("theme", "dark"))
    say(ben, ops.Relate("Ann", "lives in", "Porto", 0.5))
    say(ann, ops.Edit(base, text.edit("Ann still lives in Porto", Random(2))), RID)
    say(ann, ops.Edit(fork_base, fork_text.edit("two more words", Random(3))), fork)
    say(ann, Set("topic", "at the same time"), RID)
    say(ann, Set("theme", "light"))
    say(ann, ops.Relate("Ann", "lives in", "Porto", None))
    say(ann, ops.Resolve((ops.ClaimVerdict(RID, works.place, keep=True),)))
    say(ann, ops.Trigger(OTHER, 0, "goal_check", ()), OTHER)
    say(ann, ops.Withdraw((guessed.place,)))  # not effective: its writer had not seen the proposal
    say(ann, ops.Unlink((stays.place,)))  # nor this link
    say(ann, ops.Forget((gone,)))
    say(ann, Set("topic", "too late"), gone)
    say(ann, ops.Receipt((gone,)))
    say(ann, ops.Feedback(RID, (("meaning", 400_000_000), ("words", -100_000_000))))
    say(ann, ops.Feedback(RID, (("meaning", 400_000_000), ("words", -100_000_000))))
    say(ann, kind=OpKind.RELATE, plain=pack(["Ann", "owes", "Ben", 2.0]))  # breaks a rule
    say(ann, ops.Tag(("dough", "oven")), OTHER)
    say(
        ben, ops.Untag(("bread", "dough", "oven")), OTHER
    )  # only what came with the memory: the rest it had not seen
    say(ann, ops.Untag(("dough",)), OTHER)
    say(ann, ops.Tag(("dough", "home")), OTHER)
    say(ann, Set("tags", ["fork", "sea"]), RID)
    say(ben, Set("tags", ["sea", "ship"]), RID)  # apart: both count
    say(ben, ops.Untag(("sea",)), RID)
    say(ann, Set("meta", {"a": 1, "b": "two"}), RID)
    say(ben, Set("meta", {"b": "three", "c": 3.5}), RID)
    say(ben, Set("meta.a", "of its own"), RID)
    say(ann, Set("meta.c", None), RID)
    say(ann, Set("meta.d", ["no", "entry"]), RID)
    say(ann, ops.Untag(("word",)), fork)  # nothing to take off
    say(ann, kind=OpKind.TAG, plain=pack([]), rid=RID)  # breaks a rule
    say(ann, kind=OpKind.UNTAG, plain=pack(["b", "a"]), rid=RID)  # likewise
    say(ann, kind=OpKind.SAYS_SAME, plain=pack([RID, RID, 90]))  # likewise
    say(ann, kind=OpKind.REMEMBER, plain=pack(["\u2003\x1f", {}]), rid=bytes(range(16)))  # likewise
    if later:
        say(ann, kind=OpKind.SET, plain=pack(["theme", "dim"]), version=2)  # not understood
    pair = (RID, lives.place), (RID, works.place)
    say(ann, ops.SameSlot.of(*pair, True, by=1, sureness=70))
    say(ben, ops.SameSlot.of(*pair, False, by=1, sureness=80))  # apart: both are heads
    say(ben, ops.SameSlot.of(*pair, True, by=4, sureness=100))
    say(ben, ops.SameSlot.of(*pair, None, by=4, sureness=100))
    say(
        ann, kind=OpKind.SAME_SLOT, plain=pack([RID, wire_place(lives.place)] * 2 + [True, 1, 70])
    )  # breaks a rule
    last = say(ben, ops.Propose((OTHER, gone)))
    say(ann, ops.Withdraw((last.place, proposed.place)), seen=[last.place])
    say(ann, ops.Unlink((linked.place,)))
    say(ann, Set("topic", "both known, and a slow clock"), RID, hlc=1)
    say(ann, Set("theme", None), hlc=2)
    segments = [
        (hand.segment(*own), own) for hand in (ann, ben) if (own := [op for by, op in said if by is hand])
    ]
    return frame_of_segments(*segments)._replace(
        ops=tuple(op for _, op in said), segment_of=tuple(int(hand is ben) for hand, _ in said)
    )
