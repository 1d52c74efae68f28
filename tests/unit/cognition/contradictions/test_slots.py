"""What the claims of one slot come to, whatever order they came in."""

from dataclasses import replace
from itertools import permutations
from random import Random
from time import process_time

import pytest

from cognition.contradictions.relations import ACTIONS, SEVERITIES, Attention, attention_of, relation_of
from cognition.contradictions.slots import (
    VALUES_PER_DEVICE_MAX,
    ClaimStatus,
    ContradictionStatus,
    LiveClaim,
    Opinion,
    SettledBy,
    as_known,
    judge,
    taken_back,
)
from cognition.contradictions.values import ENDED, compatible, slot_id
from tests.support.published import published

DEVICE = bytes(32)


def told(name: str, value: str, *opinions: Opinion, replaces: str = "", rid: str = "") -> LiveClaim:
    at = ord(name)
    return LiveClaim(
        claim=name.encode(), feed=0, seq=at, id=at, rid=(rid or name).encode(), value=value, hlc=at << 16, told_ms=at,
        valid_from=None, speaker=None, device=DEVICE, told_on=DEVICE,
        replaces=tuple(each.encode() for each in replaces), opinions=opinions,
    )  # fmt: skip


def verdict(op: str, keep: bool) -> Opinion:
    return Opinion(op.encode(), 1_000 << 16, DEVICE, keep)


def standings(*claims: LiveClaim, relation: str = "works_at") -> dict[str, str]:
    return {belief.told.claim.decode(): belief.standing.value for belief in judge(relation, claims).beliefs}


@published("YD-34")
def test_two_values_of_one_place_to_work_contradict_and_two_friends_do_not() -> None:
    claims = [told("a", "Google"), told("b", "Meta")]
    judged = judge("works_at", claims)
    assert judged.status is ContradictionStatus.OPEN
    assert [side[0].told.value for side in judged.sides] == ["Google", "Meta"]
    assert judge("friends_with", claims).status is None
    assert judge("works_at", claims[:1]).status is None
    assert judge("works_at", [told("a", "Google"), told("b", "google")]).status is None


def classified(relation: str) -> tuple[str, str]:
    """Return how severe a conflict over a relation is, and what is done about it."""
    severity = SEVERITIES[relation_of(relation).kind]
    return severity.value, ACTIONS[severity].value


@published("YD-35")
@pytest.mark.parametrize("relation", ["works_at", "lives_in"])
def test_a_conflict_of_identity_is_high_and_asked_at_once(relation: str) -> None:
    assert classified(relation) == ("high", "ask")


@published("YD-36")
@pytest.mark.parametrize("relation", ["birthday", "spouse"])
def test_a_conflict_of_facts_is_high_and_asked_at_once(relation: str) -> None:
    assert classified(relation) == ("high", "ask")


@published("YD-37")
@pytest.mark.parametrize("relation", ["attitude:sushi", "favorite:colour", "prefers:coffee|tea"])
def test_a_conflict_of_tastes_is_medium_and_asked_when_it_fits(relation: str) -> None:
    """What somebody likes and what they dislike are one slot, "attitude"."""
    assert classified(relation) == ("medium", "ask_naturally")


@published("YD-38")
@pytest.mark.parametrize("relation", ["phone", "something nobody has heard of"])
def test_any_other_conflict_is_low_and_both_are_kept(relation: str) -> None:
    assert classified(relation) == ("low", "keep_both")


def test_what_matters_little_stays_open_and_is_only_listed() -> None:
    """Nothing but a decision or word of a change settles it: a severity says how loud it is, not that it is over."""
    judged = judge("phone", [told("a", "555 1234"), told("b", "555 9876")])
    assert (judged.status, judged.settled_by) == (ContradictionStatus.OPEN, None)
    assert attention_of("phone") is Attention.QUIET
    assert attention_of("price:month") is Attention.MENTION
    assert {
        attention_of(name) for name in ("lives_in", "works_at", "birthday", "name", "allergy", "dose:drop")
    } == {Attention.ASK}


def test_a_change_of_mind_replaces_while_it_lives() -> None:
    google, meta = told("a", "Google"), told("b", "Meta", replaces="a")
    judged = judge("works_at", [google, meta])
    assert (judged.status, judged.settled_by) == (ContradictionStatus.SETTLED, SettledBy.CHANGE)
    assert standings(google, meta) == {"a": "replaced", "b": "held"}
    assert judged.beliefs[0].until_ms == meta.told_ms
    assert judge("works_at", [google]).status is None


def test_a_claim_is_hidden_when_every_verdict_says_so_and_two_that_disagree_hide_nothing() -> None:
    kept, hidden = verdict("x", True), verdict("x", False)
    here = [told("a", "Google", kept), told("b", "Meta", hidden)]
    judged = judge("works_at", here)
    assert (judged.status, judged.settled_by) == (ContradictionStatus.SETTLED, SettledBy.RESOLUTION)
    assert standings(*here) == {"a": "held", "b": "hidden"}
    both = [
        told("a", "Google", kept, verdict("y", False)),
        told("b", "Meta", hidden, verdict("y", True)),
    ]
    assert judge("works_at", both).status is ContradictionStatus.OPEN
    assert set(standings(*both).values()) == {"held"}


@published("YD-40")
def test_both_values_are_kept_by_one_decision_and_not_by_two_that_knew_nothing_of_each_other() -> None:
    x, y = verdict("x", True), verdict("y", True)
    assert (
        judge("works_at", [told("a", "Google", x), told("b", "Meta", x)]).status
        is ContradictionStatus.SETTLED
    )
    assert (
        judge("works_at", [told("a", "Google", x), told("b", "Meta", y)]).status is ContradictionStatus.OPEN
    )
    third = [told("a", "Google", x), told("b", "Meta", x), told("c", "Apple")]
    assert judge("works_at", third).status is ContradictionStatus.OPEN


def test_a_rejected_value_that_is_told_anew_asks_anew() -> None:
    kept, hidden = verdict("x", True), verdict("x", False)
    claims = [told("a", "Google", kept), told("b", "Meta", hidden), told("c", "Meta")]
    judged = judge("works_at", claims)
    assert judged.status is ContradictionStatus.OPEN
    again = [told("a", "Google", kept), told("b", "Meta", hidden), told("c", "Meta", replaces="b", rid="b")]
    assert judge("works_at", again).status is ContradictionStatus.OPEN
    assert standings(*again) == {"a": "held", "b": "replaced", "c": "held"}


def test_one_claim_made_on_two_devices_is_replaced_and_hidden_as_one() -> None:
    twins = [told("a", "Google", rid="m"), told("b", "Google", rid="m")]
    assert standings(*twins, told("c", "Meta", replaces="a")) == {
        "a": "replaced",
        "b": "replaced",
        "c": "held",
    }
    hidden = [told("a", "Google", verdict("x", False), rid="m"), told("b", "Google", rid="m")]
    assert standings(*hidden, told("c", "Meta", verdict("x", True)))["b"] == "hidden"


def test_what_has_ended_contradicts_nothing() -> None:
    claims = [told("a", "Google"), told("b", ENDED, replaces="a"), told("c", "Meta")]
    judged = judge("works_at", claims)
    assert judged.status is ContradictionStatus.SETTLED
    assert standings(*claims) == {"a": "replaced", "b": "held", "c": "held"}


def test_the_order_in_which_claims_come_changes_nothing() -> None:
    claims = [
        told("a", "Google", verdict("x", False)),
        told("b", "Meta", verdict("x", True), verdict("y", False)),
        told("c", "Apple", replaces="a"),
        told("d", "meta"),
        told("e", "Google", rid="a"),
    ]
    assert len({judge("works_at", order) for order in permutations(claims)}) == 1


def test_what_was_known_earlier_is_judged_by_what_was_written_by_then() -> None:
    claims = [
        told("a", "Google", Opinion(b"x", 300 << 16, DEVICE, keep=True)),
        told("b", "Meta", Opinion(b"x", 300 << 16, DEVICE, keep=False)),
    ]
    assert judge("works_at", as_known(claims, ord("a"))).status is None
    assert judge("works_at", as_known(claims, 200)).status is ContradictionStatus.OPEN
    assert judge("works_at", as_known(claims, 300)).status is ContradictionStatus.SETTLED
    assert judge("works_at", as_known(claims, 200)).beliefs[0].standing is ClaimStatus.HELD


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        ("Google", "google", True),
        ("Google", "Google Inc.", True),
        ("New York", "New York City", True),
        ("May 17", "17th of May 1990", True),
        ("May 17", "May 18", False),
        ("Google", "Meta", False),
        ("a@b.org", "c@b.org", False),
        ("C", "C++", False),
        ("The Netherlands", "Netherlands", True),
    ],
)
def test_values_contradict_only_where_neither_says_the_other_more_precisely(
    one: str, other: str, fits: bool
) -> None:
    assert compatible(one, other) is compatible(other, one) is fits


def test_a_slot_is_known_by_the_same_id_however_it_is_spelt() -> None:
    assert slot_id(None, "Ann", "works_at") == slot_id("", "ann ", "works_at")
    assert slot_id("team", "Ann", "works_at") != slot_id(None, "Ann", "works_at")


def numbered(
    number: int, value: str, *, replaces: int | None = None, device: bytes = DEVICE, rid: str = ""
) -> LiveClaim:
    named = "" if replaces is None else chr(replaces)
    one = told(chr(number), value, replaces=named, rid=rid or f"m{number}")
    return replace(one, device=device)


def test_one_device_opens_so_many_values_of_a_slot_and_crowds_out_nobody() -> None:
    flood = [numbered(100 + n, f"Town{n}") for n in range(20 * VALUES_PER_DEVICE_MAX)]
    honest = [numbered(9_000 + n, name, device=b"honest") for n, name in enumerate(("Berlin", "Bergen"))]
    judged = judge("lives_in", [*flood, *honest])
    assert judged.status is ContradictionStatus.OPEN
    values = [side[0].told.value for side in judged.sides]
    assert len(values) == VALUES_PER_DEVICE_MAX + len(honest)
    assert {"Berlin", "Bergen"} <= set(values)
    assert len(judged.beliefs) == len(flood) + len(honest), "every claim is still known"
    shuffled = [*flood, *honest]
    Random(3).shuffle(shuffled)
    assert judge("lives_in", shuffled) == judged


@pytest.mark.parametrize("chained", [False, True])
def test_thousands_of_claims_that_say_the_same_are_judged_in_time_that_grows_with_them(chained: bool) -> None:
    """Each names the one before as replaced, or none: neither may compare each with every other."""
    numbers = range(100, 3_100)
    claims = [
        numbered(n, "Bergen", replaces=n - 1 if chained and n > 100 else None, rid="r") for n in numbers
    ]
    began = process_time()
    assert len(judge("lives_in", claims).beliefs) == len(numbers)
    assert process_time() - began < 2


def test_what_was_replaced_from_before_it_began_ended_when_it_began() -> None:
    """Somebody may say in March that it changed in January, of what was told to hold since February."""
    january, february = ord("J"), ord("f")
    old = told("f", "Berlin")
    news = replace(told("n", "Bergen", replaces="f"), valid_from=january)
    (was, _) = judge("lives_in", [old, news]).beliefs
    assert was.standing is ClaimStatus.REPLACED
    assert was.until_ms == february


def numbers_silent(*claims: LiveClaim) -> set[str]:
    judged = judge("works_at", claims)
    silent = taken_back(judged.beliefs)
    return {belief.told.rid.decode() for belief in judged.beliefs if belief.told.id in silent}


def of(rid: str, claim: LiveClaim) -> LiveClaim:
    return replace(claim, rid=rid.encode(), id=ord(rid))


def test_a_memory_that_took_back_all_it_said_is_silent_and_one_that_tells_of_an_end_is_not() -> None:
    google = of("m", told("a", "Google"))
    ended = of("m", told("b", ENDED, replaces="a"))
    assert numbers_silent(google) == set()
    assert numbers_silent(google, ended) == {"m"}
    assert numbers_silent(google, ended, told("c", "Meta", replaces="ab")) == {"m"}, "whoever ends it for all"
    assert numbers_silent(google, ended, of("m", told("c", "Meta", replaces="ab"))) == set(), "said anew"
    again = [of("m", told("c", "Meta", replaces="ab")), of("m", told("d", ENDED, replaces="abc"))]
    assert numbers_silent(google, ended, *again) == {"m"}
    assert numbers_silent(google, told("b", ENDED, replaces="a")) == set(), "I left Google"
    assert numbers_silent(told("b", ENDED)) == set(), "of what nobody knew here"
    both = of("m", told("c", ENDED, replaces="ab"))
    assert numbers_silent(told("a", "Google"), of("m", told("b", "Google")), both) == set()
