"""Whatever happens to a roster, it neither loops nor sleeps for ever, and calls nobody it should not."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from replica.ids import DeviceId
from sync.address import Address
from sync.neighbours import LinkLimits
from sync.roster import CALLS_MAX, DialTarget, Roster

OWN = DeviceId(bytes(32))
MEMBERS = [DeviceId(bytes([n]) * 32) for n in range(1, 5)]
ADDRESSES = [Address("10.0.0.1", port) for port in range(1, 7)]

members = st.sampled_from(MEMBERS)
addresses = st.sampled_from(ADDRESSES)
names = st.sampled_from(["a", "b", "c"])
events = st.lists(
    st.one_of(
        st.tuples(st.just("admit"), st.sets(members)),
        st.tuples(st.just("fix"), addresses),
        st.tuples(st.just("remember"), members, addresses),
        st.tuples(st.just("sight"), names, st.lists(addresses, min_size=1, max_size=3)),
        st.tuples(st.just("lose_sight"), names),
        st.tuples(st.just("linked"), members),
        st.tuples(st.just("lost"), members),
        st.tuples(st.just("nudge")),
        st.tuples(st.just("ask_for"), members),
        st.tuples(st.just("ask_no_more"), members),
        st.tuples(
            st.just("call"), st.sampled_from(["reached", "failed", "refused", "crowded", "pending"]), members
        ),
        st.tuples(st.just("end"), st.sampled_from(["reached", "failed", "refused", "crowded"]), members),
        st.tuples(st.just("wait"), st.integers(0, 2_000_000)),
    ),
    max_size=60,
)


class Driven:
    """A roster, the time, and what a shell around it would know."""

    def __init__(self, limits: LinkLimits = LinkLimits()) -> None:
        self.roster, self.now_ms, self.random = Roster(OWN, limits), 0, Random(5)
        self.admitted: set[DeviceId] = set()
        self.linked: set[DeviceId] = set()
        self.under_way: dict[str, DialTarget] = {}

    def apply(self, event: tuple[object, ...]) -> None:
        roster, now_ms = self.roster, self.now_ms
        match event:
            case ("admit", set() as who):
                self.admitted = set(who)
                roster.admit(self.admitted, now_ms=now_ms)
            case ("fix", Address() as address):
                roster.fix(address, now_ms=now_ms)
            case ("remember", bytes() as member, Address() as address):
                roster.remember(DeviceId(member), address, now_ms=now_ms)
            case ("sight", str() as name, list() as found):
                roster.sight(name, found, now_ms=now_ms)
            case ("lose_sight", str() as name):
                roster.lose_sight(name)
            case ("linked", bytes() as member):
                self.linked.add(DeviceId(member))
                roster.linked(DeviceId(member), now_ms=now_ms)
            case ("lost", bytes() as member):
                self.linked.discard(DeviceId(member))
                roster.lost(DeviceId(member), now_ms=now_ms, random=self.random)
            case ("nudge",):
                roster.nudge(now_ms=now_ms)
            case ("ask_for", bytes() as member):
                roster.ask_for(DeviceId(member), now_ms=now_ms)
            case ("ask_no_more", bytes() as member):
                roster.ask_no_more(DeviceId(member))
            case ("wait", int() as wait_ms):
                self.now_ms += wait_ms
            case ("call", str() as outcome, bytes() as member):
                for contact in roster.due(now_ms=now_ms):
                    self.call(contact, outcome, DeviceId(member))
            case ("end", str() as outcome, bytes() as member) if self.under_way:
                self.end(next(iter(self.under_way.values())), outcome, DeviceId(member))

    def call(self, contact: DialTarget, outcome: str, member: DeviceId) -> None:
        self.roster.calling(contact.key, now_ms=self.now_ms)
        self.under_way[contact.key] = contact
        self.end(contact, outcome, member)

    def end(self, contact: DialTarget, outcome: str, member: DeviceId) -> None:
        if outcome != "pending":
            del self.under_way[contact.key]
        if outcome == "reached":
            self.linked.add(member)
            self.roster.reached(
                contact.key, member, contact.addresses[0], now_ms=self.now_ms, random=self.random
            )
        elif outcome == "failed":
            self.roster.failed(contact.key, now_ms=self.now_ms, random=self.random)
        elif outcome == "refused":
            self.roster.refused(contact.key, now_ms=self.now_ms, random=self.random)
        elif outcome == "crowded":
            self.roster.crowded(contact.key, member, now_ms=self.now_ms, random=self.random)


@given(history=events, limits=st.sampled_from([LinkLimits(), LinkLimits(most=2, mesh=1)]))
def test_only_admitted_members_out_of_reach_are_called_and_each_once(
    history: list[tuple[object, ...]], limits: LinkLimits
) -> None:
    driven = Driven(limits)
    for event in history:
        driven.apply(event)
        due = driven.roster.due(now_ms=driven.now_ms)
        expected = [contact.member for contact in due if contact.member is not None]
        assert len(due) + len(driven.under_way) <= CALLS_MAX
        assert driven.under_way.keys().isdisjoint(contact.key for contact in due), (
            "a second call to one contact"
        )
        assert len(expected) == len(set(expected))
        assert set(expected) <= driven.admitted - driven.linked
        if driven.admitted <= driven.linked:
            assert due == []


@given(history=events)
def test_after_taking_up_what_is_due_the_next_wake_lies_ahead(history: list[tuple[object, ...]]) -> None:
    """No busy loop: a shell that dials what is due and sleeps until the next wake does sleep."""
    driven = Driven()
    for event in history:
        driven.apply(event)
    rounds = 0
    while due := driven.roster.due(now_ms=driven.now_ms):
        for contact in due:
            driven.call(contact, "pending", OWN)
        rounds += 1
        assert rounds < 20
    wake_ms = driven.roster.next_wake_ms(now_ms=driven.now_ms)
    assert wake_ms is None or wake_ms > driven.now_ms


@given(history=events)
def test_when_the_wake_comes_there_is_somebody_to_call(history: list[tuple[object, ...]]) -> None:
    driven = Driven()
    for event in history:
        driven.apply(event)
    wake_ms = driven.roster.next_wake_ms(now_ms=driven.now_ms)
    if wake_ms is None:
        assert driven.roster.due(now_ms=driven.now_ms) == []
    else:
        assert driven.roster.due(now_ms=wake_ms)
        if wake_ms > driven.now_ms:
            assert driven.roster.due(now_ms=wake_ms - 1) == []


@given(history=events)
def test_a_member_with_an_address_is_always_called_again_in_the_end(
    history: list[tuple[object, ...]],
) -> None:
    """No contact is ever forgotten by its schedule, unless its own call is still under way."""
    driven = Driven()
    for event in history:
        if event[:2] != ("call", "pending"):
            driven.apply(event)
    member = MEMBERS[0]
    driven.apply(("admit", set(MEMBERS)))
    driven.apply(("remember", member, ADDRESSES[0]))
    driven.apply(("lost", member))
    driven.now_ms += 10_000_000
    found = set()
    while due := driven.roster.due(now_ms=driven.now_ms):
        for contact in due:
            driven.call(contact, "failed", OWN)
            found.add(contact.member)
    assert member in found
