"""Whatever a device derives is the same whether its memories came op by op or folded, in a snapshot."""

import sqlite3
from collections import Counter
from typing import Any

import pytest

from replica import Forget, Write, compact
from replica.compaction import LEASE_MS
from replica.ops import Access, Claim, Propose, Relate, SaysSame, Set, Trigger
from tests.support.minds import NOW_MS, Home, acquaint, converse

# What a log holds, or a device for itself, and how the rest is stored.
_NOT_DERIVED = (
    "op",
    "cell",
    "feed",
    "spine",
    "meta",
    "tombstone",
    "member",
    "revocation",
    "peer",
    "proof",
    "remains",
    "sqlite_",
)


def told() -> Home:
    """A device to which something of every kind was said, some of it over again."""
    home = Home(1)
    rids = [home.remember(f"Ann told story {i} in Lisbon", speaker="Ann", tags=["told"]) for i in range(30)]
    same = [home.remember("Ann drinks tea") for _ in range(2)]
    (claim,) = home.commit(Write(Claim("Ann", "drinks", "tea", (), None), same[0]))
    home.commit(Write(Claim("Ann", "drinks", "coffee", (claim.place,), NOW_MS), rids[3]))
    home.commit(Write(Set("topic", "stories"), rids[0]), Write(Set("theme", "dark")))
    home.commit(*home.core.edits_of(rids[1], "Ann told another story in Porto"))
    home.commit(Write(Access(((rids[2], 3, NOW_MS),))))
    ends = [sorted(rids[n : n + 2]) for n in (13, 14)]
    home.commit(*(Write(SaysSame((one, other), 80)) for one, other in ends))
    home.commit(Write(Propose(tuple(sorted(rids[4:8])))))
    home.commit(Write(Trigger(bytes(range(16)), 1, "decay_review", ()), rids[9]))
    home.commit(Write(Relate("Ann", "lives in", "Lisbon", 0.5)))
    home.commit(Write(Forget(tuple(sorted(rids[10:13])))))
    return home


def tables(connection: sqlite3.Connection) -> dict[str, Counter[Any]]:
    """Every row of what shows and what is derived, by the memory's id in place of its row's number."""
    rids = dict(connection.execute("SELECT id, rid FROM memory"))
    found: dict[str, Counter[Any]] = {}
    listed = connection.execute(
        "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE type = 'table'"
    ).fetchall()
    hidden = [f"{name}_" for name, sql in listed if "USING fts5(" in sql]
    for name, sql in listed:
        if name.startswith(_NOT_DERIVED) or name.startswith(tuple(hidden)) or "USING fts5(" in sql:
            continue
        cursor = connection.execute(f"SELECT * FROM {name}")
        columns = [column[0] for column in cursor.description]
        found[name] = Counter(
            tuple(
                rids.get(value) if column == "id" or (name, column) == ("memory_word_at", "doc") else value
                for column, value in zip(columns, row, strict=True)
            )
            for row in cursor
        )
    # The number of a group is a device's own; who stands in it is alike on all.
    groups: dict[Any, set[Any]] = {}
    for rid, _, group in found["telling"]:
        groups.setdefault(group, set()).add(rid)
    found["telling"] = Counter(frozenset(rids) for rids in groups.values())
    return found


@pytest.mark.parametrize("held", [False, True], ids=["an empty device", "one that remembers something"])
def test_tables_are_the_same_after_ops_and_after_a_snapshot(held: bool) -> None:
    laptop, by_ops, by_base = told(), Home(2), Home(3)
    for one in (laptop, by_ops, by_base):
        for other in (laptop, by_ops, by_base):
            if one is not other:
                acquaint(one, other)
    if held:
        by_base.remember("the phone was new")
        converse(by_base, by_ops)
    converse(by_ops, laptop)
    assert compact(laptop.core, NOW_MS + LEASE_MS) > 40
    converse(by_base, laptop)
    assert by_base.core.digests().visible == by_ops.core.digests().visible
    expected, found = tables(by_ops.connection), tables(by_base.connection)
    assert expected["telling"], "some are told in the same words, and some are linked"
    assert {"memory", "memory_word_at", "claim", "summary_member", "embed_queue"} <= expected.keys()
    for name in expected:
        assert expected[name] == found[name], name
    assert (
        by_base.core.store.check(by_base.core.store.all_cells())
        == by_ops.core.store.check(by_ops.core.store.all_cells())
        == []
    )
