"""Proofs of erasure are kept for ever: however many there are, they cross a link before the ops do."""

import pytest

from replica import Core, Erase, Write, new_memory_id
from replica.ops import Remember
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.group_news import GroupNews
from sync.wire import messages
from sync.wire.messages import Heads, Trust, decode_message, encode_message
from tests.support.exchanges import NOW_MS, ExchangePair, cores


def erase_some(core: Core, count: int) -> None:
    """Remember and erase, one commit each."""
    for n in range(count):
        rid = new_memory_id(NOW_MS + n, core._random)
        core.commit([Write(Remember(f"a word {n} too many", {}), rid)], NOW_MS)
        core.commit([Write(Erase((rid,)))], NOW_MS)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "TRUST_BYTES_TARGET", 500)


@pytest.mark.usefixtures("small_parts")
def test_more_proofs_than_one_message_holds_come_in_several_and_ops_follow_them() -> None:
    ann, ben = cores("ann", "ben")
    erase_some(ann, 20)
    erase_some(ben, 5)
    assert len(list(GroupNews(ann, ben.device).statement().parts())) > 3
    pair = ExchangePair(ann, ben)
    pair.settle()
    assert pair.refusals() == [], "headers without payloads are taken under proofs that came before"
    assert ann.digests() == ben.digests()
    assert len(ben.proofs) == len(ann.proofs) == 25
    erase_some(ann, 10)
    pair.stir()
    pair.settle()
    assert ann.digests() == ben.digests()


@pytest.mark.usefixtures("small_parts")
def test_parts_put_together_are_the_whole_and_only_the_last_says_so() -> None:
    ann, ben = cores("ann", "ben")
    erase_some(ann, 20)
    whole = GroupNews(ann, ben.device).statement()
    parts = list(whole.parts())
    assert [part.more for part in parts] == [True] * (len(parts) - 1) + [False]
    assert sorted(each for part in parts for each in part.members) == sorted(whole.members)
    assert [proof for part in parts for proof in part.proofs] == list(whole.proofs)
    assert list(Trust((), (), ()).parts()) == [Trust((), (), ())]


@pytest.mark.usefixtures("small_parts")
def test_nothing_else_may_come_before_the_last_part() -> None:
    ann, ben = cores("ann", "ben")
    erase_some(ann, 20)
    ours, theirs = (Exchange(core, other.device, NOW_MS) for core, other in ((ben, ann), (ann, ben)))
    (hello,) = theirs.more(NOW_MS)
    ours.receive(hello, NOW_MS)
    first, *_ = theirs.receive(ours_hello(ben, ann), NOW_MS)
    part = decode_message(first)
    assert isinstance(part, Trust)
    assert part.more
    ours.receive(first, NOW_MS)
    with pytest.raises(RemoteProtocolError, match="Heads is not allowed now: the conversation is TRUSTING"):
        ours.receive(encode_message(Heads(ann.frontier())), NOW_MS)


def ours_hello(core: Core, peer: Core) -> bytes:
    """The first words of a conversation."""
    (hello,) = Exchange(core, peer.device, NOW_MS).more(NOW_MS)
    return hello
