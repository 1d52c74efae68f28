"""What is shown as one follows from what was folded: in whatever order, by ops, in parts or by a base."""

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cognition.tellings import CLASSES_MAX, joined
from replica import Forget, MemoryId, SaysSame, Set, Unlink, Write, links_of
from replica.compaction import LEASE_MS, compact
from replica.verify import verify_replica
from tests.support.minds import Home, acquaint, converse
from tests.support.replicas import NOW_MS

NAMES = [bytes([n]) for n in range(80)]
LINKS = st.lists(
    st.tuples(st.integers(1, 100), st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(
        lambda link: link[1] != link[2]
    ),
    max_size=200,
)


@given(links=LINKS, seed=st.integers())
def test_groups_do_not_hang_on_the_order_of_links_and_none_is_too_large(
    links: list[tuple[int, bytes, bytes]], seed: int
) -> None:
    groups = joined(links)
    other = [(sure, b, a) if Random(seed).random() < 0.5 else (sure, a, b) for sure, a, b in links]
    Random(seed).shuffle(other)
    assert set(joined(other)) == set(groups)
    assert all(2 <= len(group) <= CLASSES_MAX for group in groups)
    assert sum(map(len, groups)) == len(frozenset().union(*groups))


def test_a_chain_is_cut_at_its_weakest_link() -> None:
    chain = [(90 if at != 20 else 10, one, other) for at, (one, other) in enumerate(pairwise(NAMES[:40]))]
    assert set(joined(chain)) == {frozenset(NAMES[:21]), frozenset(NAMES[21:40])}


def shown(home: Home) -> set[frozenset[bytes]]:
    """The groups that a device shows."""
    found: dict[int, set[bytes]] = {}
    for group, rid in home.connection.execute(
        "SELECT t.grp, m.rid FROM telling t JOIN memory m ON m.id = t.id"
    ):
        found.setdefault(group, set()).add(rid)
    return {frozenset(rids) for rids in found.values()}


def defined(home: Home) -> set[frozenset[bytes]]:
    """The groups by the plainest way: classes of words, joined by every link while there are few."""
    rows = home.connection.execute("SELECT rid, content, workspace, speaker FROM memory").fetchall()
    of = {rid: tuple(key) for rid, *key in rows}
    space = {rid: workspace for rid, _, workspace, _ in rows}
    links = home.connection.execute("SELECT one, other FROM says_same").fetchall()
    sets = [{rid for rid in of if of[rid] == key} for key in set(of.values())]
    for one, other in links:
        if one in of and other in of and space[one] == space[other]:
            mine = [each for each in sets if each & {one, other}]
            sets = [each for each in sets if each not in mine] + [set().union(*mine)]
    return {frozenset(each) for each in sets if len(each) > 1}


@given(seed=st.integers(0, 10**6))
def test_devices_that_hold_the_same_show_the_same_groups(seed: int) -> None:
    random = Random(seed)
    homes = [Home(1), Home(2)]
    for one, other in ((homes[0], homes[1]), (homes[1], homes[0])):
        acquaint(one, other)
    rids: list[MemoryId] = []
    for _ in range(random.randint(5, 40)):
        home = random.choice(homes)
        deed = random.random()
        if deed < 0.4 or len(rids) < 2:
            fields = random.choice([{}, {}, {"workspace": "w"}, {"speaker": "Ann"}])
            rids.append(home.remember(f"text {random.randrange(4)}", **fields))
        elif deed < 0.65:
            first, second = sorted(random.sample(rids, 2))
            home.commit(Write(SaysSame((first, second), random.randint(1, 100))))
        elif deed < 0.75 and (links := links_of(home.connection, random.sample(rids, 1))):
            home.commit(Write(Unlink(tuple(sorted(links)))))
        elif deed < 0.85:
            home.commit(Write(Forget((random.choice(rids),))))
        elif deed < 0.95:
            held = [rid for (rid,) in home.connection.execute("SELECT rid FROM memory")]
            if held:
                home.commit(Write(Set("speaker", random.choice(["Ann", None])), random.choice(held)))
        else:
            converse(*homes)
        assert shown(home) == defined(home)
    for _ in range(2):
        converse(*homes)
        converse(*homes[::-1])
    assert shown(homes[0]) == shown(homes[1]) == defined(homes[0])
    compact(homes[0].core, NOW_MS + LEASE_MS)
    late = Home(3)
    for one, other in ((late, homes[0]), (homes[0], late)):
        acquaint(one, other)
    converse(late, homes[0])
    assert shown(late) == shown(homes[0])
    assert verify_replica(homes[0].core).problems == verify_replica(late.core).problems == ()
