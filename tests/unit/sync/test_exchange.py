"""What two replicas tell each other in one conversation, when, and what each makes of it."""

import gc
from collections.abc import Callable
from contextlib import closing

import pytest

from replica.codec import decode_payload
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.evidence import Accused, Fault
from replica.frame import Frame, decode_frame, encode_frame
from replica.incarnations import ChainEvent
from replica.membership import revoke
from replica.ops import Erase, Op, Remember
from replica.quotas import Limits
from replica.snapshot import make_snapshot
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from sync.errors import RemoteProtocolError
from sync.exchange import PULL_AGAIN_MS, PULL_AGAIN_MS_MAX, Exchange
from sync.parts import parts_of
from sync.relay_backoff import HELD_MAX
from sync.wire.messages import (
    CLOCK_MS_MAX,
    QUESTION_CHARACTERS_MAX,
    REASON_CHARACTERS_MAX,
    Base,
    Bye,
    CaughtUp,
    Findings,
    Heads,
    Hello,
    Inquiry,
    Locator,
    Message,
    Ops,
    Trust,
    decode_message,
    encode_message,
)
from tests.support.devices import introduced
from tests.support.links import identity
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    agree,
    core_of,
    everything,
    group,
    remember,
    say,
    sync,
    take,
    texts,
)

UNHEARD_OF = 250


class Talk:
    """A conversation of which every message is kept, by who said it."""

    def __init__(
        self,
        ours: Core,
        theirs: Core,
        ends: tuple[Exchange, Exchange] | None = None,
        until: type[Message] | None = None,
    ) -> None:
        self.ours, self.theirs = ends or (
            Exchange(ours, theirs.device, NOW_MS),
            Exchange(theirs, ours.device, NOW_MS),
        )
        self.by_us: list[Message] = []
        self.by_them: list[Message] = []
        self.go_on(until=until)

    def go_on(
        self, after_each: Callable[[], object] = lambda: None, *, until: type[Message] | None = None
    ) -> None:
        """Let both say what there is to say, or until one such message is heard; look at them after each."""
        waiting = [(end, words) for end in (self.ours, self.theirs) for words in end.more(NOW_MS)]
        while waiting:
            speaker, words = waiting.pop(0)
            is_ours = speaker is self.ours
            (self.by_us if is_ours else self.by_them).append(decode_message(words))
            hearer = self.theirs if is_ours else self.ours
            if not hearer.is_over:
                waiting += [(hearer, answer) for answer in hearer.receive(words, NOW_MS)]
            after_each()
            if until is not None and isinstance(decode_message(words), until):
                return


def small_parts(snapshot: bytes) -> list[Base]:
    return list(parts_of(snapshot, part_bytes=100))


def of_type(messages: list[Message], kind: type[Message]) -> int:
    return sum(isinstance(message, kind) for message in messages)


def asks(messages: list[bytes]) -> bool:
    return any(isinstance(decode_message(message), Heads) for message in messages)


def hears(end: Exchange, hand: Hand, op: Op, now_ms: int = NOW_MS) -> None:
    """Let one end be sent an op by a peer that should not have sent it yet."""
    end.receive(encode_message(Ops(encode_frame(hand.frame(op)), True)), now_ms)


def test_who_was_put_back_hears_of_its_own_later_ops_and_goes_on_as_another() -> None:
    with closing(connect(":memory:")) as disk, closing(connect(":memory:")) as backup:
        laptop, phone = core_of("laptop", SqliteStore(disk)), core_of("phone")
        acquaint(laptop, "laptop", "phone")
        acquaint(phone, "phone", "laptop")
        remember(laptop, "before the backup")
        disk.backup(backup)
        remember(laptop, "after the backup")
        sync(laptop, phone)
        restored = core_of("laptop", SqliteStore(backup), seed="restored")
        assert restored.origin == laptop.origin
        heads = encode_message(Heads(phone.frontier()))
        hello, *_ = Exchange(phone, laptop.device, NOW_MS).more(NOW_MS)
        ours = Exchange(restored, phone.device, NOW_MS)
        for message in (hello, heads):
            ours.receive(message, NOW_MS)
        assert restored.origin != laptop.origin, "before those ops come: it may write meanwhile"
        sync(restored, phone)
        assert [incident.why for incident in restored.incidents] == [ChainEvent.ECHO]
        assert agree(restored, phone)


@pytest.mark.parametrize("out", ["laptop", "phone"])
def test_whoever_of_the_two_was_put_out_the_conversation_ends_and_nothing_follows(out: str) -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    talk = Talk(laptop, phone)
    who = identity("tablet")
    laptop.learn([], [revoke(who.sign, tablet.device, identity(out).device_id)])
    remember(laptop, "not for the other any more")
    talk.go_on()
    assert talk.ours.is_over
    assert talk.theirs.is_over
    assert texts(phone) == set()
    assert [type(message) for message in talk.by_us[-2:]] == [Trust, Bye], (
        "it does not wait for the other to say so"
    )


def test_who_hears_in_the_greeting_that_it_was_put_out_asks_for_nothing_more() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    phone.learn([], [revoke(identity("tablet").sign, tablet.device, laptop.device)])
    talk = Talk(laptop, phone)
    assert [type(message) for message in talk.by_us] == [Hello, Trust, Bye]


def test_an_erasure_that_was_heard_of_before_the_greeting_is_known_to_the_peer_before_it_cuts_anything() -> (
    None
):
    """So what comes of a snapshot after it is kept for the next link."""
    laptop, phone = group("laptop", "phone")
    acquaint(laptop, "laptop", "tablet")
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(100)))
    assert compact(laptop, NOW_MS + LEASE_MS)
    ours = Exchange(phone, laptop.device, NOW_MS)
    theirs = Exchange(laptop, phone.device, NOW_MS, cut=small_parts)
    say(phone, Erase(tuple(remember(phone, "erased at once"))))
    Talk(phone, laptop, ends=(ours, theirs), until=Base)
    assert laptop.device in phone.partials


def test_what_somebody_says_of_the_group_is_not_said_back() -> None:
    laptop, phone = group("laptop", "phone")
    acquaint(phone, "phone", "tablet")
    talk = Talk(laptop, phone)
    talk.go_on()
    assert (of_type(talk.by_us, Trust), of_type(talk.by_them, Trust)) == (1, 1)
    acquaint(laptop, "laptop", "server")
    talk.go_on()
    talk.go_on()
    assert (of_type(talk.by_us, Trust), of_type(talk.by_them, Trust)) == (2, 1)


def test_proofs_of_erasure_go_ahead_of_the_ops_on_a_link_that_is_up() -> None:
    laptop, phone = group("laptop", "phone")
    rids = remember(laptop, "erased soon", "kept")
    talk = Talk(laptop, phone)
    said = len(talk.by_us)
    say(laptop, Erase((rids[0],)))
    talk.go_on()
    assert [type(message) for message in talk.by_us[said:]] == [Trust, Ops]
    assert agree(laptop, phone)


def test_an_unchanged_peer_confirms_what_it_holds_and_that_may_leave_the_log() -> None:
    """The hash of a frontier says as much as the frontier."""
    laptop, phone = group("laptop", "phone")
    remember(laptop, "held by both")
    sync(laptop, phone)
    assert compact(laptop, NOW_MS) == 0, "the peer has not said yet that it holds it"
    sync(laptop, phone)
    assert compact(laptop, NOW_MS) == 1


def test_what_a_peer_holds_without_understanding_all_of_it_stays_in_the_log() -> None:
    laptop, phone = group("laptop", "phone")
    hand = Hand("laptop")
    take(phone, hand.frame(hand.write(kind=UNHEARD_OF, plain=b"?")))
    remember(laptop, "held by both")
    for _ in range(2):
        sync(laptop, phone)
    assert phone.device not in laptop.contacts


def test_where_something_is_missing_first_the_rest_is_asked_for_again_after_half_a_minute() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    talk, hand = Talk(laptop, phone), Hand("tablet")
    unheard = hand.write(Remember("not sent", {}), bytes(16))
    hears(talk.theirs, hand, hand.write(Remember("sent too early", {}), b"r" * 16))
    assert [each.gap for each in talk.theirs.refusals] == [True]
    assert not asks(talk.theirs.more(NOW_MS + PULL_AGAIN_MS - 1))
    take(laptop, hand.frame(unheard))
    assert asks(talk.theirs.more(NOW_MS + PULL_AGAIN_MS))
    assert not asks(talk.theirs.more(NOW_MS + 2 * PULL_AGAIN_MS)), "the answer says whether it is there"


def test_who_waited_for_room_once_waits_no_longer_than_others_for_what_is_missing_later() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    phone.quotas.limits = Limits(ops=1)
    talk, hand = Talk(laptop, phone), Hand("tablet")
    remember(laptop, "fits", "and this one", "one too many")
    talk.go_on()
    remember(laptop, "has to wait")
    talk.go_on()
    wait_ms = talk.theirs.asks_again_ms(NOW_MS)
    assert wait_ms is not None
    assert wait_ms > PULL_AGAIN_MS
    then_ms = NOW_MS + wait_ms
    assert asks(talk.theirs.more(then_ms))
    hand.write(Remember("not sent", {}), bytes(16))
    phone.quotas.limits = Limits()
    hears(talk.theirs, hand, hand.write(Remember("sent too early", {}), b"r" * 16), then_ms)
    assert talk.theirs.asks_again_ms(then_ms) == PULL_AGAIN_MS


def test_as_long_as_nothing_comes_each_pause_is_twice_the_one_before_up_to_an_hour() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    talk, hand, now_ms = Talk(laptop, phone), Hand("tablet"), NOW_MS
    hand.write(Remember("not sent", {}), bytes(16))
    early = hand.write(Remember("sent too early", {}), b"r" * 16)
    hears(talk.theirs, hand, early)
    pauses = []
    for _ in range(9):
        pause_ms = talk.theirs.asks_again_ms(now_ms)
        assert pause_ms is not None
        pauses.append(pause_ms)
        now_ms += pause_ms
        talk.theirs.more(now_ms)
        hears(talk.theirs, hand, early, now_ms)
    assert pauses == [*(PULL_AGAIN_MS << i for i in range(7)), PULL_AGAIN_MS_MAX, PULL_AGAIN_MS_MAX]


def test_whose_clock_was_set_back_asks_at_once_rather_than_wait_for_it() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    talk, hand = Talk(laptop, phone), Hand("tablet")
    hand.write(Remember("not sent", {}), bytes(16))
    hears(talk.theirs, hand, hand.write(Remember("sent too early", {}), b"r" * 16))
    assert talk.theirs.asks_again_ms(NOW_MS) == PULL_AGAIN_MS
    assert talk.theirs.asks_again_ms(NOW_MS - 1) == 0


def test_a_clock_is_compared_with_that_of_the_peer() -> None:
    laptop, phone = group("laptop", "phone")
    hello, *_ = Exchange(laptop, phone.device, NOW_MS + 5000).more(NOW_MS + 5000)
    theirs = Exchange(phone, laptop.device, NOW_MS)
    theirs.receive(hello, NOW_MS)
    assert theirs.tally.offset_ms == 5000


def test_ops_of_a_stranger_are_asked_for_again_as_soon_as_it_is_introduced_by_anybody() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    talk, hand = Talk(laptop, phone), Hand("server")
    hears(talk.theirs, hand, hand.write(Remember("of the server", {}), bytes(16)))
    assert [each.gap for each in talk.theirs.refusals] == [False]
    assert not asks(talk.theirs.more(NOW_MS + PULL_AGAIN_MS)), "nothing is different yet"
    acquaint(phone, "phone", "server")
    assert asks(talk.theirs.more(NOW_MS))
    acquaint(phone, "phone", "watch")
    assert not asks(talk.theirs.more(NOW_MS)), "once"


def test_nothing_more_is_taken_of_a_peer_that_another_link_told_to_be_revoked() -> None:
    """What it had sent already, a full frame of it, was taken before the link ended."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    talk = Talk(laptop, phone)
    remember(phone, "on its way")
    on_its_way = talk.theirs.more(NOW_MS)
    sync(laptop, tablet)
    laptop.learn([], [revoke(identity("laptop").sign, laptop.device, phone.device)])
    said = [decode_message(each) for words in on_its_way for each in talk.ours.receive(words, NOW_MS)]
    assert "on its way" not in texts(laptop)
    assert talk.ours.is_over
    assert [type(each) for each in said] == [Trust, Bye], "and it hears why"


def test_where_two_chains_of_one_origin_parted_is_found_by_a_question() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    hand = Hand("tablet")
    stem = [hand.write(Remember(f"stem {n}", {}), bytes([n]) * 16) for n in range(20)]
    clone = hand.fork()
    for core, writer, words in ((laptop, hand, "of the one"), (phone, clone, "of the other")):
        take(core, Hand("tablet").frame(*stem))
        take(core, writer.frame(writer.write(Remember(words, {}), words[:16].encode().ljust(16))))
    talk = Talk(laptop, phone)
    assert (of_type(talk.by_us, Locator), of_type(talk.by_them, Locator)) == (1, 1)
    assert (talk.ours.tally.received, talk.theirs.tally.received) == (1, 1)
    assert agree(laptop, phone)


def test_the_last_frame_says_that_it_was_all() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    talk = Talk(laptop, phone)
    assert [message.last for message in talk.by_us if isinstance(message, Ops)] == [True]
    assert of_type(talk.by_us, CaughtUp) == 0


def first_words(core: Core, peer: Core) -> bytes:
    """The Hello that a device would say."""
    (hello,) = Exchange(core, peer.device, NOW_MS).more(NOW_MS)
    return hello


def test_who_says_that_it_holds_nothing_is_sent_everything_once_and_at_once() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    ours = Exchange(laptop, phone.device, NOW_MS)
    said = [*map(decode_message, ours.receive(first_words(phone, laptop), NOW_MS))]
    assert [type(message) for message in said[-2:]] == [Heads, Ops]
    assert ours.receive(encode_message(Heads(phone.frontier())), NOW_MS) == []
    assert ours.unsent() == 0
    remember(laptop, "two")
    (more,) = map(decode_message, ours.more(NOW_MS))
    assert isinstance(more, Ops)
    assert [decode_payload(op.kind, op.payload or b"") for op in decode_frame(more.frame).ops] == [
        Remember("two", {})
    ]


def test_who_holds_nothing_is_told_of_the_group_before_anything_is_sent() -> None:
    laptop, phone = core_of("laptop"), core_of("phone")
    acquaint(laptop, "laptop", "phone")
    acquaint(phone, "phone", "laptop")
    laptop.learn([introduced("tablet", by="laptop")], [])
    remember(laptop, "one")
    ours = Exchange(laptop, phone.device, NOW_MS)
    said = [type(decode_message(words)) for words in ours.receive(first_words(phone, laptop), NOW_MS)]
    assert said == [Hello, Trust]
    talk = Talk(laptop, phone)
    assert [type(message) for message in talk.by_us[:4]] == [Hello, Trust, Heads, Ops]
    assert agree(laptop, phone)
    assert talk.ours.session.is_quiet
    assert talk.theirs.session.is_quiet


def test_a_snapshot_waits_until_who_holds_nothing_has_said_how_much_of_it_has_come() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    assert compact(laptop, NOW_MS + LEASE_MS)
    ours = Exchange(laptop, phone.device, NOW_MS)
    said = [type(decode_message(words)) for words in ours.receive(first_words(phone, laptop), NOW_MS)]
    assert said == [Hello, Heads]


def test_who_held_nothing_and_got_it_elsewhere_before_its_heads_is_sent_no_more() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    for n in range(300):
        remember(laptop, f"note {n}")
    hello = first_words(phone, laptop)
    sync(laptop, tablet)
    sync(tablet, phone)
    remember(phone, "mine")
    ours = Exchange(laptop, phone.device, NOW_MS, frames_per_turn=1)
    assert any(isinstance(decode_message(words), Ops) for words in ours.receive(hello, NOW_MS))
    assert ours.has_more
    said = ours.receive(encode_message(Heads(phone.frontier())), NOW_MS) + ours.more(NOW_MS)
    assert not any(isinstance(decode_message(words), Ops) for words in said)
    assert ours.unsent() == 0


def test_after_the_last_frame_there_is_no_turn_that_finds_nothing_to_send() -> None:
    """It would keep the frame from leaving: it holds the interpreter."""
    laptop, phone = group("laptop", "phone")
    for n in range(200):
        remember(laptop, f"note {n}")
    ours = Exchange(laptop, phone.device, NOW_MS, frames_per_turn=1)
    ours.receive(first_words(phone, laptop), NOW_MS)
    assert ours.has_more
    (last,) = map(decode_message, ours.more(NOW_MS))
    assert isinstance(last, Ops)
    assert last.last
    assert not ours.has_more


@pytest.mark.parametrize("elsewhere", [False, True], ids=["it wrote", "it got some from another"])
def test_what_left_for_who_held_nothing_leaves_no_second_time_where_its_heads_name_other_ops(
    elsewhere: bool,
) -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(laptop, "one")
    sync(laptop, tablet)
    remember(laptop, "two")
    ours = Exchange(laptop, phone.device, NOW_MS)
    *_, heads, frame = ours.receive(first_words(phone, laptop), NOW_MS)
    if elsewhere:
        sync(tablet, phone)
    else:
        remember(phone, "mine")
    assert ours.receive(encode_message(Heads(phone.frontier())), NOW_MS) == []
    assert isinstance(decode_message(heads), Heads)
    assert isinstance(decode_message(frame), Ops)
    remember(laptop, "three")
    (more,) = map(decode_message, ours.more(NOW_MS))
    assert isinstance(more, Ops)
    assert len(decode_frame(more.frame).ops) == 1


def test_cycles_are_looked_for_once_what_came_or_left_with_a_message_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[bool] = []

    def packed(frame: Frame) -> bytes:
        looked.append(gc.isenabled())
        return encode_frame(frame)

    def unpacked(data: bytes) -> Frame:
        frame = decode_frame(data)
        looked.append(gc.isenabled())
        return frame

    monkeypatch.setattr("sync.exchange.encode_frame", packed)
    monkeypatch.setattr("sync.exchange.decode_frame", unpacked)
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    talk = Talk(ann, ben)
    remember(ann, "two")
    talk.go_on()
    assert looked == [False] * 4
    assert gc.isenabled()


def test_what_came_on_a_link_does_not_go_back_over_it() -> None:
    laptop, phone = group("laptop", "phone")
    talk = Talk(laptop, phone)
    remember(laptop, "one")
    talk.go_on()
    assert talk.theirs.unsent() == 0
    remember(phone, "two")
    talk.go_on()
    sent = [message for message in talk.by_them if isinstance(message, Ops)]
    assert len(sent) == 1
    assert talk.theirs.tally.sent == 1
    assert agree(laptop, phone)


def test_both_ends_of_a_link_see_that_what_crosses_it_comes_by_another_way_too() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    talk = Talk(laptop, phone)
    remember(tablet, "told to one")
    sync(tablet, laptop)
    talk.go_on()
    assert talk.ours.use.carries_news
    assert talk.theirs.use.carries_news
    for n in range(HELD_MAX):
        remember(tablet, f"told to both {n}")
        sync(tablet, laptop)
        sync(tablet, phone)
        talk.go_on()
    assert [talk.ours.use.carries_news, talk.theirs.use.carries_news] == [False, False]


def test_a_link_over_which_a_peer_hands_on_what_is_held_already_is_not_needed() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(tablet, "told to both")
    sync(tablet, laptop)
    sync(tablet, phone)
    talk = Talk(laptop, phone)
    talk.theirs.use.carried(1, 1, own=False)
    for _ in range(HELD_MAX):
        talk.theirs.receive(encode_message(Ops(encode_frame(everything(laptop)), True)), NOW_MS)
    assert not talk.theirs.use.carries_news


def test_that_ones_own_words_were_news_does_not_make_what_was_passed_on_with_them_news() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    talk = Talk(laptop, phone)
    remember(tablet, "told to both")
    sync(tablet, laptop)
    sync(tablet, phone)
    remember(laptop, "my own")
    talk.go_on()
    assert [message for message in talk.by_us if isinstance(message, Ops)], "both leave in one frame"
    assert talk.theirs.tally.received == 1
    assert talk.ours.relaying.wait_ms > 0


def test_a_link_on_which_one_told_what_it_wrote_may_be_needed() -> None:
    laptop, phone = group("laptop", "phone")
    talk = Talk(laptop, phone)
    remember(laptop, "one")
    talk.go_on()
    assert talk.ours.use.carries_news
    assert talk.theirs.use.carries_news


def test_what_is_refused_does_not_show_that_a_link_is_of_no_use() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    talk, hand = Talk(laptop, phone), Hand("tablet")
    hears(talk.theirs, hand, hand.write(Remember("news", {}), bytes(16)))
    hand.write(Remember("not sent", {}), b"q" * 16)
    for n in range(HELD_MAX):
        hears(talk.theirs, hand, hand.write(Remember("sent too early", {}), bytes([n]) * 16))
    assert len(talk.theirs.refusals) == HELD_MAX
    assert talk.theirs.use.carries_news


def test_whoever_took_a_snapshot_and_whoever_gave_it_needed_the_link() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    assert compact(laptop, NOW_MS + LEASE_MS)
    talk = Talk(laptop, phone)
    assert of_type(talk.by_us, Base) == 1
    assert talk.ours.use.carries_news
    assert talk.theirs.use.carries_news
    assert not talk.theirs.has_asked_for_proof, "of what rests on its own word"


def test_who_says_to_hold_a_whole_snapshot_that_it_asks_for_gets_the_last_part_of_it() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(100)))
    assert compact(laptop, NOW_MS + LEASE_MS)
    snapshot = make_snapshot(laptop)
    ours = Exchange(laptop, phone.device, NOW_MS, cut=small_parts)
    hello, *_ = Exchange(phone, laptop.device, NOW_MS).more(NOW_MS)
    *_, last = small_parts(snapshot)
    said = []
    for message in (hello, encode_message(Heads(phone.frontier(), last.digest, last.count))):
        said += ours.receive(message, NOW_MS)
    assert [each for each in map(decode_message, said) if isinstance(each, Base)] == [last]


def test_nobody_is_quiet_between_two_parts_of_a_base_that_was_merged_while_the_link_was_up() -> None:
    """The phone said that all was there, as it had been before: `sync` returned, and what came was forgotten."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(tablet, *(f"note {n} of many that are not like each other {n * n}" for n in range(100)))
    assert compact(tablet, NOW_MS + LEASE_MS)
    ours, theirs = (
        Exchange(core, peer.device, NOW_MS, cut=small_parts)
        for core, peer in ((laptop, phone), (phone, laptop))
    )
    talk = Talk(laptop, phone, ends=(ours, theirs))
    assert ours.session.is_quiet
    assert theirs.session.is_quiet
    sync(laptop, tablet)
    quiet = []
    talk.go_on(lambda: quiet.append(theirs.session.is_quiet or ours.session.is_quiet))
    assert of_type(talk.by_us, Base) > 10
    assert not any(quiet[:-2]), "of the two last words one ends it here, and one there"
    assert theirs.session.is_quiet
    assert ours.session.is_quiet
    assert agree(laptop, phone)
    assert phone.partials == {}


def test_a_link_that_ends_lets_go_of_the_snapshot_that_was_leaving() -> None:
    """The error that ended it may be shown for long, and refers to the conversation."""
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(100)))
    assert compact(laptop, NOW_MS + LEASE_MS)
    ours = Exchange(laptop, phone.device, NOW_MS, cut=small_parts, frames_per_turn=1)
    theirs = Exchange(phone, laptop.device, NOW_MS)
    Talk(laptop, phone, ends=(ours, theirs), until=Base)
    assert ours.holds_parts
    ours.close()
    assert not ours.holds_parts


@pytest.mark.parametrize(("shown", "said"), [(-1, 0), (CLOCK_MS_MAX + 1, CLOCK_MS_MAX)])
def test_a_clock_that_shows_what_cannot_be_said_is_said_as_the_nearest_that_can(
    shown: int, said: int
) -> None:
    laptop, phone = group("laptop", "phone")
    hello, *_ = map(decode_message, Exchange(laptop, phone.device, shown).more(NOW_MS))
    assert isinstance(hello, Hello)
    assert hello.clock_ms == said


def test_nothing_is_kept_of_a_snapshot_that_turns_out_to_be_none() -> None:
    """Or the next link would be asked for the rest of it, and end likewise."""
    laptop, phone = group("laptop", "phone")
    talk = Talk(laptop, phone)
    first, second = small_parts(bytes(150))
    talk.theirs.receive(encode_message(first), NOW_MS)
    assert phone.store.parts(laptop.device)
    with pytest.raises(RemoteProtocolError, match="snapshot of the peer's could not be read"):
        talk.theirs.receive(encode_message(second), NOW_MS)
    assert phone.store.parts(laptop.device) == []
    assert phone.partials == {}


def test_when_something_has_come_pauses_begin_anew_and_grow_again_once_nothing_does() -> None:
    laptop, phone, _, _ = group("laptop", "phone", "tablet", "server")
    talk, hand, other, now_ms = Talk(laptop, phone), Hand("tablet"), Hand("server"), NOW_MS
    hand.write(Remember("not sent", {}), bytes(16))
    early = hand.write(Remember("sent too early", {}), b"r" * 16)

    def pause() -> int:
        nonlocal now_ms
        hears(talk.theirs, hand, early, now_ms)
        pause_ms = talk.theirs.asks_again_ms(now_ms)
        assert pause_ms is not None
        now_ms += pause_ms
        talk.theirs.more(now_ms)
        return pause_ms

    pauses = [pause() for _ in range(3)]
    hears(talk.theirs, other, other.write(Remember("news of another", {}), b"s" * 16), now_ms)
    pauses += [pause() for _ in range(3)]
    assert pauses == [PULL_AGAIN_MS * times for times in (1, 2, 4, 1, 1, 2)]


def test_the_answer_says_whether_what_is_missing_is_there_and_nothing_is_asked_for_beside_it() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    talk, hand = Talk(laptop, phone), Hand("tablet")
    hand.write(Remember("not sent", {}), bytes(16))
    hears(talk.theirs, hand, hand.write(Remember("sent too early", {}), b"r" * 16))
    talk.theirs.ask()
    assert asks(talk.theirs.more(NOW_MS))
    assert not asks(talk.theirs.more(NOW_MS + 100 * PULL_AGAIN_MS_MAX))


def test_what_a_peer_did_wrong_is_in_the_store_when_its_message_is_answered() -> None:
    laptop, phone = group("laptop", "phone")
    phone.quotas.limits = Limits(ops=1)
    talk = Talk(laptop, phone)
    remember(laptop, "fits", "and this one", "one too many")
    talk.go_on()
    remember(laptop, "has to wait")
    talk.go_on()
    assert Accused(laptop.device, Fault.QUOTA) in phone.evidence
    assert not phone.has_news_of_faults, "all of it is written down"


def test_what_ends_a_conversation_by_the_peers_fault_is_in_the_store_before_it_ends() -> None:
    laptop, phone = group("laptop", "phone")
    talk = Talk(laptop, phone)
    (part,) = parts_of(bytes(50))
    with pytest.raises(RemoteProtocolError):
        talk.theirs.receive(encode_message(part), NOW_MS)
    assert Accused(laptop.device, Fault.SNAPSHOT) in phone.evidence
    assert not phone.has_news_of_faults, "all of it is written down"


def test_no_snapshot_is_taken_either_of_a_peer_that_another_link_told_to_be_revoked() -> None:
    laptop, phone = group("laptop", "phone")
    remember(phone, "in its base")
    assert compact(phone, NOW_MS + LEASE_MS)
    talk = Talk(laptop, phone, until=Heads)
    talk.theirs.receive(encode_message(Heads(laptop.frontier())), NOW_MS)
    (part,) = parts_of(make_snapshot(phone))
    laptop.learn([], [revoke(identity("laptop").sign, laptop.device, phone.device)])
    talk.ours.receive(encode_message(part), NOW_MS)
    assert texts(laptop) == set()
    assert talk.ours.is_over


def test_who_hears_of_the_group_while_it_waits_for_ops_asks_for_them_no_second_time() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "on its way")
    ours, theirs = Exchange(laptop, phone.device, NOW_MS), Exchange(phone, laptop.device, NOW_MS)
    (hello,) = ours.more(NOW_MS)
    assert asks(theirs.receive(hello, NOW_MS))
    ours.receive(first_words(phone, laptop), NOW_MS)
    acquaint(laptop, "laptop", "tablet")
    (news,) = ours.more(NOW_MS)
    assert isinstance(decode_message(news), Trust)
    assert not asks(theirs.receive(news, NOW_MS))


def test_where_chains_have_grown_since_it_was_asked_where_they_parted_later_places_are_named() -> None:
    laptop, phone, _ = group("laptop", "phone", "tablet")
    hand = Hand("tablet")
    take(laptop, hand.frame(*(hand.write(Remember(f"stem {n}", {}), bytes([n]) * 16) for n in range(20))))
    ours, theirs = Talk(laptop, phone).ours, Hand("tablet").fork()
    take(phone, theirs.frame(theirs.write(Remember("of a clone", {}), b"c" * 16)))
    named = []
    for n in range(20, 22):
        said = ours.receive(encode_message(Heads(phone.frontier())), NOW_MS)
        named += [each.places for each in map(decode_message, said) if isinstance(each, Locator)]
        take(laptop, hand.frame(hand.write(Remember(f"later {n}", {}), bytes([n]) * 16)))
    first, second = (max(place.seq for place in places) for places in named)
    assert second > first


def test_as_many_memories_as_were_asked_for_are_taken_in_answer_and_not_one_more() -> None:
    laptop, phone = group("laptop", "phone")
    ours = Exchange(laptop, phone.device, NOW_MS, asks=True)
    theirs = Exchange(phone, laptop.device, NOW_MS, answers=True)
    talk = Talk(laptop, phone, ends=(ours, theirs))
    for count in (2, 3):
        ours.ask_memory("who?", 2)
        talk.go_on()
        assert theirs.take_asked() == Inquiry("who?", 2)
        theirs.answer_memory(bytes([n]) * 16 for n in range(count))
        if count == 2:
            talk.go_on()
            assert ours.take_found() == Findings((bytes(16), b"\x01" * 16))
        else:
            with pytest.raises(RemoteProtocolError, match="at most 2 memories"):
                talk.go_on()


def test_of_a_long_question_and_of_a_long_goodbye_as_much_is_said_as_may_be() -> None:
    laptop, phone = group("laptop", "phone")
    ours = Exchange(laptop, phone.device, NOW_MS, asks=True)
    theirs = Exchange(phone, laptop.device, NOW_MS, answers=True)
    talk = Talk(laptop, phone, ends=(ours, theirs))
    ours.ask_memory("q" * (QUESTION_CHARACTERS_MAX + 1), 2)
    talk.go_on()
    assert theirs.take_asked() == Inquiry("q" * QUESTION_CHARACTERS_MAX, 2)
    ours.end("r" * (REASON_CHARACTERS_MAX + 1))
    talk.go_on()
    assert theirs.goodbye == "r" * REASON_CHARACTERS_MAX


def test_goodbye_is_said_once() -> None:
    laptop, phone = group("laptop", "phone")
    talk = Talk(laptop, phone)
    for reason in ("the first", "the second"):
        talk.ours.end(reason)
    talk.go_on()
    assert of_type(talk.by_us, Bye) == 1
    assert talk.theirs.goodbye == "the first"
