"""What a link notes of the snapshots that it carried: how far they reach, and that one was refused."""

from functools import partial
from typing import Any

import pytest

import replica.snapshot
import sync.parts as parts
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.quotas import HOUR_MS, Limits, Quotas, What
from replica.snapshot import make_snapshot
from simulations.patching import swapped
from sync.errors import RemoteProtocolError
from sync.exchange import PULL_AGAIN_MS, REFUSALS_MAX, Exchange
from sync.parts import Incoming, Leaving, parts_of
from sync.session import CREDITS
from sync.wire.messages import Base, Ops, decode_message
from tests.support.replicas import NOW_MS, agree, group, remember, sync, texts

PART_BYTES = 400


class Link:
    """A link on which time passes."""

    def __init__(self, ours: Core, theirs: Core) -> None:
        self.now_ms = NOW_MS
        self.ours, self.theirs = (
            Exchange(core, peer.device, NOW_MS, cut=partial(parts_of, part_bytes=PART_BYTES))
            for core, peer in ((ours, theirs), (theirs, ours))
        )
        self.parts: list[int] = []
        self.frames = 0
        self._to_them, self._to_us = list[bytes](), list[bytes]()

    def talk(self, parts_max: int = 10_000) -> None:
        """Let both say what they have to say, until neither has anything or so many parts of snapshots came."""
        self._to_them += self.ours.more(self.now_ms)
        self._to_us += self.theirs.more(self.now_ms)
        while (self._to_them or self._to_us) and len(self.parts) < parts_max:
            if self._to_them:
                self._to_us += self.theirs.receive(self._to_them.pop(0), self.now_ms)
            if self._to_us:
                message = decode_message(self._to_us[0])
                if isinstance(message, Base):
                    self.parts.append(message.index)
                self.frames += isinstance(message, Ops)
                self._to_them += self.ours.receive(self._to_us.pop(0), self.now_ms)

    def wait(self) -> None:
        self.now_ms += PULL_AGAIN_MS + 1
        self.talk()


def compacted(notes: int = 30) -> tuple[Core, Core]:
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"note {n}" for n in range(notes)))
    assert compact(laptop, NOW_MS)
    remember(laptop, "above the base")
    return laptop, phone


def laid_out_as(monkeypatch: pytest.MonkeyPatch, layout: int) -> None:
    """Let snapshots be made by another version, and read by this one."""

    def make(core: Core) -> bytes:
        with swapped(replica.snapshot, "_LAYOUT", layout):
            return make_snapshot(core)

    monkeypatch.setattr(parts, "make_snapshot", make)


@pytest.mark.parametrize("by", ["absorbing", "folding"])
def test_a_base_that_grew_while_its_snapshot_was_on_its_way_is_not_counted_as_sent(by: str) -> None:
    """Asked again between two parts, the laptop took what it held by then for what it was sending."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(laptop, *(f"note {n} of many that are not like each other {n * n}" for n in range(300)))
    compact(laptop, NOW_MS + LEASE_MS)
    remember(tablet, *(f"of the tablet {n}" for n in range(20)))
    link = Link(phone, laptop)
    link.talk(parts_max=4)
    if by == "absorbing":
        compact(tablet, NOW_MS + LEASE_MS)
    sync(laptop, tablet)
    if by == "folding":
        assert compact(laptop, NOW_MS + 2 * LEASE_MS)
    link.ours.ask()
    link.talk()
    assert link.ours.session.is_quiet
    assert link.theirs.unsent() == 0
    assert agree(phone, laptop)
    assert "of the tablet 19" in texts(phone)


def test_a_snapshot_that_was_refused_is_not_sent_again_on_that_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """It went whole every half a minute, and each time what was refused was noted once more."""
    laptop, phone = compacted()
    with monkeypatch.context() as patch:
        laid_out_as(patch, replica.snapshot._LAYOUT + 1)
        link = Link(phone, laptop)
        link.talk()
        assert (parts := link.parts.copy())
        frames, refusals = link.frames, len(link.ours.refusals)
        for _ in range(20):
            link.wait()
        assert (link.frames, len(link.ours.refusals)) == (frames, refusals), "nor is its gap asked for"
        link.ours.ask()
        link.talk()
        assert link.parts == parts
        assert texts(phone) == set()
    link = Link(phone, laptop)
    link.talk()
    assert agree(phone, laptop), "the next link tries again"
    assert link.theirs.unsent() == 0


def test_nothing_is_kept_of_a_snapshot_that_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the link is cut just then: the next one would ask for what follows, and refuse it once more."""
    laptop, phone = compacted()
    laid_out_as(monkeypatch, replica.snapshot._LAYOUT + 1)
    with swapped(replica.snapshot, "_LAYOUT", replica.snapshot._LAYOUT + 1):
        *_, last = parts_of(make_snapshot(laptop), part_bytes=PART_BYTES)
    link = Link(phone, laptop)
    link.talk(parts_max=last.count)
    assert [each.seq for each in link.ours.refusals] == [0]
    assert not link.ours.session.is_quiet
    assert phone.partials == {}
    assert phone.store.parts(laptop.device) == []


@pytest.mark.parametrize("kept", [0, 3])
def test_a_snapshot_that_is_over_a_quota_is_refused_at_its_first_part(kept: int) -> None:
    """It came whole, up to a gigabyte in memory, before it was refused: once for each time that there was room."""
    laptop, phone = compacted(notes=300)
    link = Link(phone, laptop)
    link.talk(parts_max=kept)
    link.ours.close()
    assert len(phone.store.parts(laptop.device)) == kept
    over_its_quota(phone, laptop)
    link = Link(phone, laptop)
    link.talk()
    assert 0 < len(link.parts) <= CREDITS, "what was on its way before the answer"
    assert phone.store.parts(laptop.device) == []
    for side in (link.ours, link.theirs):
        assert sum("over the quota of ops" in each.reason and not each.seq for each in side.refusals) == 1
    assert link.theirs.unsent() == 301
    link.wait()
    assert len(link.parts) <= CREDITS, "nor does it come again before there is room"
    link.now_ms += HOUR_MS
    link.talk()
    assert agree(phone, laptop), "on the same link"
    assert link.theirs.unsent() == 0


def test_a_peer_that_sends_all_of_what_was_refused_at_once_is_told_again_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one of version 0.1.0 does: the answer to the last part is the one that it looks at."""
    monkeypatch.setattr(Leaving, "break_off", lambda self, sent: None)
    laptop, phone = compacted(notes=300)
    over_its_quota(phone, laptop)
    link = Link(phone, laptop)
    taken: list[Base] = []
    monkeypatch.setattr(Incoming, "take", lambda self, part: taken.append(part))
    link.talk()
    assert link.parts == [*range(len(link.parts))]
    assert len(link.parts) > CREDITS
    assert not taken
    assert sum("over the quota of ops" in each.reason and not each.seq for each in link.ours.refusals) == 2
    assert link.theirs.unsent() == 301
    monkeypatch.undo()
    link.now_ms += HOUR_MS
    link.talk()
    assert agree(phone, laptop)


def over_its_quota(core: Core, peer: Core) -> None:
    """Let a peer have spent what may come from it within an hour."""
    core.quotas = Quotas(Limits(ops=1_000))
    core.quotas.spend(peer.device, What.OPS, 1_500, NOW_MS)


def test_what_was_refused_still_counts_as_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The laptop said that all was there, and the phone showed nothing of it."""
    laptop, phone = compacted()
    with monkeypatch.context() as patch:
        laid_out_as(patch, replica.snapshot._LAYOUT + 1)
        link = Link(phone, laptop)
        link.talk()
        assert link.theirs.unsent() == 31
        link.ours.ask()
        link.talk()
        assert link.theirs.unsent() == 31, "though it was asked once more"
        remember(laptop, "told meanwhile")
        link.talk()
        assert link.theirs.unsent() == 32
    link = Link(phone, laptop)
    link.talk(parts_max=1)
    assert link.theirs.unsent() == 0, "what is on its way counts as sent"
    link.ours.ask()
    link.talk()
    assert agree(phone, laptop)
    assert link.theirs.unsent() == 0


@pytest.mark.parametrize(("newer", "who"), [(-2, "laptop"), (1, "the device which got it")])
def test_the_words_say_whom_to_upgrade(monkeypatch: pytest.MonkeyPatch, newer: int, who: str) -> None:
    laptop, phone = compacted()
    laid_out_as(monkeypatch, replica.snapshot._LAYOUT + newer)
    link = Link(phone, laptop)
    link.talk()
    for side in (link.ours, link.theirs):
        reason = next(each.reason for each in side.refusals if not each.seq)
        assert ("older" in reason, "later" in reason) == (newer < 0, newer > 0)
        assert (laptop.device.hex()[:8] if who == "laptop" else who) in reason


def test_of_what_is_refused_on_a_long_link_the_last_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    laptop, phone = compacted()
    laid_out_as(monkeypatch, replica.snapshot._LAYOUT + 1)
    link = Link(phone, laptop)
    for n in range(REFUSALS_MAX + 10):
        remember(laptop, f"later {n}")
        link.talk()
    assert len(link.ours.refusals) == len(link.theirs.refusals) == REFUSALS_MAX


def test_a_first_part_out_of_place_does_not_hide_what_is_kept() -> None:
    """It put nothing in the place of what had come, in memory only: until a restart nothing had come."""
    laptop, phone = compacted()
    first, second, *_ = parts_of(make_snapshot(laptop), part_bytes=100)
    Incoming(phone, laptop.device).take(first)
    remember(laptop, "one more")
    assert compact(laptop, NOW_MS)
    other = [*parts_of(make_snapshot(laptop), part_bytes=100)]
    link: Any = Incoming(phone, laptop.device)
    with pytest.raises(RemoteProtocolError, match="expected part 0"):
        link.take(other[3])
    told = Incoming(phone, laptop.device).tell()
    assert told is not None
    assert (told.digest, told.parts) == (first.digest, [first.part])
    link = Incoming(phone, laptop.device)
    link.tell()
    link.take(second)
    assert len(phone.partials[laptop.device].parts) == 2
