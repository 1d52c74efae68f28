"""What a person or an agent says of two memories: kept, undone, outranked, and never asked again."""

import json
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import samemind
from cognition.judging import nominating
from cognition.judging.comparing import Comparing
from cognition.judging.nominating import Nominated, ReviewUnderWay, Vectorized
from cognition.memories import Shown
from replica import MemoryId
from samemind.cli.printing import show
from samemind.commands.memories._remembered import Remembered
from samemind.formats.plain import to_json
from samemind.library.blocking import BlockingMind
from samemind.mcp.asking import question
from samemind.mcp.telling import tell

OLD = "The room costs 430 € a month, to be paid to Dona Lurdes"
NEW = "Rent for the room goes up with Dona Lurdes: 455 € each month"


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "m.db") as opened:
        yield opened


@pytest.fixture
def pair(mind: BlockingMind) -> tuple[Remembered, Remembered]:
    return mind.remember(OLD, at="2025-09-02T10:00:00Z"), mind.remember(NEW)


Pair = tuple[Remembered, Remembered]


def states(mind: BlockingMind) -> list[tuple[str, str, str | None]]:
    return [(str(each), each.status, each.settled_by) for each in mind.contradictions()]


def test_what_disagrees_is_one_open_contradiction_with_both_values_and_their_dates(
    mind: BlockingMind, pair: Pair
) -> None:
    old, new = pair
    settled = mind.settle(new, old, "disagree", by="agent")
    (found,) = mind.contradictions()
    assert settled.contradictions == [found.id]
    assert (found.status, found.severity, found.action, found.kind) == (
        "open",
        "medium",
        "ask_naturally",
        "judged",
    )
    assert [(side.rid, side.value) for side in (found.a, found.b)] == [(old.rid, "430 €"), (new.rid, "455 €")]
    assert str(found.a.told_at).startswith("2025-09-02")
    assert found.entity == "Lurdes, Dona"
    hits = mind.recall("what does the room cost", k=2)
    assert {hit.contradiction_id for hit in hits} == {found.id}
    mind.resolve(found.id, keep_b=True)
    assert [hit.text for hit in mind.recall("what does the room cost", k=2)] == [NEW]
    assert mind.verify().ok


def test_what_was_judged_is_shown_by_its_values_and_by_nothing_that_nobody_would_read(
    mind: BlockingMind, pair: Pair
) -> None:
    mind.settle(*pair, "disagree")
    mind.settle(mind.remember("no sugar for me"), mind.remember("two spoons, as always"), "disagree")
    listed = to_json(mind.contradictions())
    ids = [each["id"] for each in listed["contradictions"]]
    shown = [to_json(mind.contradiction(each)) for each in ids]
    why = [to_json(mind.why(each["a"]["rid"])) for each in listed["contradictions"]]
    told = [
        *show("contradictions list", listed),
        *(line for each in shown for line in show("contradictions show", each)),
        *(line for each in why for line in show("why", each)),
        tell("contradictions list", listed),
        *map(question, listed["contradictions"]),
        *(each.reason for each in mind.triggers()),
        *map(str, mind.contradictions()),
    ]
    assert " medium no sugar for me or two spoons, as always  " in told[0]
    assert " medium Lurdes, Dona: 430 € or 455 €  " in told[1]
    assert not [each for each in told if "judged" in each or "this" in each.split()]
    assert show("contradictions resolve", to_json(mind.resolve(ids[1], keep_b=True))) == [
        "Lurdes, Dona: 455 €"
    ]


def test_what_has_changed_closes_the_old_value_at_the_date_that_is_told(
    mind: BlockingMind, pair: Pair
) -> None:
    old, new = pair
    mind.settle(old, new, "changed", since="2026-01-01T00:00:00Z")
    (found,) = mind.contradictions()
    assert (found.status, found.settled_by) == ("settled", "change")
    beliefs = {belief.value: belief for belief in found.beliefs}
    assert str(beliefs["430 €"].valid_until).startswith("2026-01-01")
    assert beliefs["455 €"].standing == "held"
    assert [hit.rid for hit in mind.recall("what does the room cost")] == [new.rid]


def test_a_verdict_can_be_said_otherwise_and_each_leaves_what_it_says(mind: BlockingMind, pair: Pair) -> None:
    old, new = pair
    for verdict, status in (
        ("disagree", "open"),
        ("changed", "settled"),
        ("disagree", "open"),
        ("two_things", "settled"),
        ("disagree", "open"),
        ("repeats", "settled"),
        ("changed", "settled"),
        ("two_things", "settled"),
    ):
        assert mind.settle(old, new, verdict).changed
        assert [each.status for each in mind.contradictions()] == [status], verdict
        assert mind.get(old).same == ([new.rid] if verdict == "repeats" else []), verdict
        assert not mind.settle(old, new, verdict).changed
    held = {belief.value for belief in mind.contradictions()[0].beliefs if belief.standing == "held"}
    assert held == {"430 €", "455 €"}
    assert {hit.rid for hit in mind.recall("what does the room cost")} == {old.rid, new.rid}
    edges = [edge.relation for edge in mind.graph(old.rid).edges if edge.relation != "relates_to"]
    assert edges == ["samemind:two_things"]


def test_what_repeats_is_shown_once(mind: BlockingMind) -> None:
    one, other = (
        mind.remember("The spare key hangs by the fridge"),
        mind.remember("Zweitschlüssel: neben dem Kühlschrank"),
    )
    mind.settle(one, other, "repeats", by="agent")
    (hit,) = mind.recall("where is the spare key", k=5)
    assert {hit.rid, *hit.same} == {one.rid, other.rid}
    assert mind.contradictions().total == 0


def test_a_persons_verdict_outranks_an_agents_whoever_speaks_last(mind: BlockingMind, pair: Pair) -> None:
    old, new = pair
    mind.settle(old, new, "two_things")
    later = mind.settle(old, new, "disagree", by="agent")
    assert (later.changed, later.verdict, later.by) == (False, "two_things", "person")
    assert states(mind) == []
    mind.settle(old, new, "disagree")
    assert [status for _, status, _ in states(mind)] == ["open"]


def test_what_was_judged_is_never_named_again_not_even_when_it_is_told_anew(
    mind: BlockingMind, pair: Pair
) -> None:
    old, new = pair
    mind.warmup()
    assert [(each.rid, each.nominee.rid) for each in mind.review()] == [(new.rid, old.rid)]
    mind.settle(old, new, "two_things", by="agent")
    assert mind.review().total == 0
    again = mind.remember(NEW, nominees=True)
    assert (again.says_same, again.nominees) == ([new.rid], [])


def test_a_review_looks_up_once_what_was_judged_of_all_that_are_shown_as_one(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One member may send the same text thousands of times: a look at all of them for each took minutes."""
    mind.remember_many([OLD] * 5)
    again = mind.remember("430 € each month go to Dona Lurdes, for the room")
    mind.settle(mind.list(limit=10).memories[-1].rid, again, "repeats")
    new = mind.remember(NEW)
    mind.warmup()
    asked: list[bytes] = []
    right = nominating.answered

    def answered(connection: sqlite3.Connection, rid: MemoryId) -> frozenset[MemoryId]:
        asked.append(rid)
        return right(connection, rid)

    monkeypatch.setattr(nominating, "answered", answered)
    found = mind.review()
    assert {each.rid for each in found} == {new.rid}
    assert len(asked) == 2
    for each in found:
        mind.settle(each.nominee.rid, new, "two_things")
    assert mind.review().total == 0


def test_copies_of_a_text_are_compared_once_and_crowd_nothing_out_of_a_review(
    mind: BlockingMind, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three thousand of them took a minute, and were all that a review saw."""
    old, new = pair
    mind.remember_many(["The spare key is with Mrs. Okafor"] * 20)
    mind.warmup()
    compared: list[Shown] = []
    right = nominating._nominated

    def nominated(
        connection: sqlite3.Connection, told: Shown, by_meaning: Vectorized | None, done: frozenset[MemoryId]
    ) -> list[Nominated]:
        compared.append(told)
        return right(connection, told, by_meaning, done)

    monkeypatch.setattr(nominating, "REVIEWED_MAX", 10)
    monkeypatch.setattr(nominating, "_nominated", nominated)
    assert [(each.rid, each.nominee.rid) for each in mind.review()] == [(new.rid, old.rid)]
    texts = [told.memory.text for told in compared]
    assert len(texts) == len(set(texts)) == 3


@pytest.mark.parametrize("review_s", [100.0, 0.0])
def test_a_review_goes_on_a_moment_at_a_time_and_says_what_it_did_not_come_to(
    mind: BlockingMind, pair: Pair, monkeypatch: pytest.MonkeyPatch, review_s: float
) -> None:
    """A member may send thousands of texts that share their words: to compare them took 12 s, and nobody else read.

    It ends by the clock, whatever else the processor does meanwhile.
    """
    old, new = pair
    mind.remember_many([f"spare key {n}" for n in range(3)])
    mind.warmup()
    whole = [(each.rid, each.nominee.rid) for each in mind.review()]
    looks: list[bool] = []

    def look(_: Comparing, review: ReviewUnderWay, connection: sqlite3.Connection) -> None:
        review.look(connection, lambda _: None, lambda: True)
        looks.append(review.is_over)

    monkeypatch.setattr(Comparing, "_look", look)
    monkeypatch.setattr("cognition.judging.comparing.REVIEW_S", review_s)
    found = mind.review()
    if not review_s:
        assert (looks, found.left) == ([False], 4)
        assert (
            show("contradictions review", to_json(found))[-1]
            == "4 older texts not compared: it took too long"
        )
    else:
        assert looks == 4 * [False] + [True]
        assert (found.left, (new.rid, old.rid) in whole) == (0, True)
        assert (new.rid, old.rid) in [(each.rid, each.nominee.rid) for each in found]


def test_a_review_ends_when_it_holds_too_much_text(
    mind: BlockingMind, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind.remember_many(["x" * 1_000 + f" {n}" for n in range(200)])
    monkeypatch.setattr(nominating, "REVIEW_CHARACTERS_MAX", 60_000)
    assert mind.review().left > 0
    monkeypatch.setattr(nominating, "REVIEW_CHARACTERS_MAX", 1_000_000)
    assert mind.review().left == 0


def test_a_contradiction_that_was_found_already_is_settled_and_not_doubled(mind: BlockingMind) -> None:
    google, meta = mind.remember("Ann works at Google"), mind.remember("Ann works at Meta")
    (found,) = mind.contradictions()
    mind.settle(google, meta, "disagree")
    assert [each.id for each in mind.contradictions()] == [found.id]
    mind.settle(google, meta, "changed")
    (found,) = mind.contradictions()
    assert (found.status, found.settled_by) == ("settled", "change")
    assert [(belief.value, belief.standing) for belief in found.beliefs][-1] == ("Meta", "held")


@pytest.mark.parametrize("verdict", ["changed", "two_things", "same", "repeats"])
def test_a_verdict_that_settled_a_contradiction_is_withdrawn_with_it(
    mind: BlockingMind, verdict: str
) -> None:
    google, meta = mind.remember("Ann works at Google"), mind.remember("Ann works at Meta")
    (before,) = mind.contradictions()
    mind.settle(google, meta, verdict)
    assert [each.status for each in mind.contradictions()] == ["settled"]
    found = mind.reopen(before).contradiction
    assert (found.status, found.a, found.b) == ("open", before.a, before.b)
    assert mind.get(google).same == []
    assert not mind.reopen(before).changed
    assert mind.settle(google, meta, verdict).changed, "no verdict stands any more"
    assert [each.status for each in mind.contradictions()] == ["settled"]
    assert mind.verify().ok


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Kofi can't stand olives.", "Got the big green olives for Kofi, he puts away a bowl of them."),
        ("the dose is 3,5 ml of syrup", "the dose of the syrup is 5 ml"),
        ("The sofa belongs to Thomas", "The sofa belongs to Thomas and me"),
    ],
)
def test_two_texts_that_share_words_and_even_one_within_the_other_stand_against_each_other(
    mind: BlockingMind, older: str, newer: str
) -> None:
    mind.settle(mind.remember(older), mind.remember(newer), "disagree")
    assert [each.status for each in mind.contradictions()] == ["open"]


def test_what_cannot_be_judged_is_refused(mind: BlockingMind, pair: Pair) -> None:
    old, new = pair
    with pytest.raises(samemind.Usage, match="two memories, got one twice"):
        mind.settle(old, old, "same")
    with pytest.raises(samemind.Usage, match="expected one of same, changed"):
        mind.settle(old, new, "maybe")
    with pytest.raises(samemind.Usage, match="`since` with changed alone"):
        mind.settle(old, new, "same", since="2026-01-01")
    elsewhere = mind.remember("The room costs 500 €", workspace="work")
    with pytest.raises(samemind.Usage, match="one workspace"):
        mind.settle(old, elsewhere, "disagree")
    assert states(mind) == []


def test_what_is_forgotten_takes_its_contradiction_along(mind: BlockingMind, pair: Pair) -> None:
    old, new = pair
    mind.settle(old, new, "disagree")
    mind.forget(old)
    assert states(mind) == []
    assert mind.verify().ok


@pytest.mark.parametrize(
    ("verdict", "by", "said"),
    [
        ("two_things", "person", [(0, 4, 100)]),
        ("two_things", "agent", [(0, 3, 90)]),
        ("disagree", "person", []),  # they are in one slot already, and open there
    ],
)
def test_what_is_settled_is_said_of_the_claims_too_as_ops(
    mind: BlockingMind, tmp_path: Path, verdict: str, by: str, said: list[tuple[int, int, int]]
) -> None:
    one, other = mind.remember("Ann works at Google."), mind.remember("Ann works at Siemens.")
    assert states(mind)[0][1] == "open"
    mind.settle(one.rid, other.rid, verdict, by=by)
    with closing(sqlite3.connect(f"file:{tmp_path / 'm.db'}?mode=ro", uri=True)) as store:
        assert store.execute("SELECT same, by, sureness FROM shown_same_slot").fetchall() == said


def judgments(home: Path) -> list[tuple[int, int, int]]:
    """What is said of claims in a store, in the order of who says it."""
    with closing(sqlite3.connect(f"file:{home}?mode=ro", uri=True)) as store:
        return store.execute("SELECT same, by, sureness FROM shown_same_slot ORDER BY by").fetchall()


@pytest.mark.parametrize("format", ["jsonl", "markdown"])
def test_what_was_settled_is_exported_and_imported_with_the_claims_that_it_is_about(
    mind: BlockingMind, tmp_path: Path, format: str
) -> None:
    """Two things stay two things: elsewhere nobody is asked again."""
    one, other, third = (mind.remember(f"Ann works at {name}.").rid for name in ("Google", "Siemens", "Meta"))
    mind.settle(one, other, "two_things", by="agent")
    mind.settle(one, third, "two_things")
    mind.settle(other, third, "disagree")
    assert judgments(tmp_path / "m.db") == [(0, 3, 90), (0, 4, 100)]
    shown = states(mind)
    mind.export(tmp_path / "all", format=format)
    with samemind.open_blocking(tmp_path / "other.db") as there:
        taken = there.import_(tmp_path / "all")
        assert (taken.imported, taken.failed) == (6, []), "three memories and three edges"
        assert taken.relations == 3
        assert judgments(tmp_path / "other.db") == [(0, 3, 90), (0, 4, 100)]
        assert states(there) == shown
        assert there.digest().digest == mind.digest().digest
        assert there.verify().ok
        before = there.digest()
        assert there.import_(tmp_path / "all").imported == 0
        assert there.digest() == before
        there.settle(one, other, "disagree", by="agent")  # undone here, and the file is older
        after = judgments(tmp_path / "other.db")
        there.import_(tmp_path / "all")
        assert judgments(tmp_path / "other.db") == after
        assert taken.undo is not None
        words = shlex.split(taken.undo)
        there.retract(device=words[words.index("--device") + 1], ops=words[words.index("--ops") + 1])
        assert not [*there.list()]
        assert states(there) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"claims": ["aa"]},
        {"claims": ["aa", "aa"]},
        {"same": None},
        {"by": 0},
        {"by": 5},
        {"by": True},
        {"sureness": 101},
        {"sureness": 0.5},
    ],
)
def test_a_judgment_that_cannot_be_is_a_line_that_failed_and_one_on_claims_that_are_not_here_says_nothing(
    mind: BlockingMind, tmp_path: Path, wrong: dict[str, object]
) -> None:
    line = {"kind": "judgment", "claims": ["aa", "bb"], "same": False, "by": 4, "sureness": 100}
    file = tmp_path / "l.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in (line | wrong, line)))
    assert [each.line for each in mind.import_(file).failed] == [1]
    assert judgments(tmp_path / "m.db") == []


@pytest.mark.parametrize(
    "verdicts", [["changed"], ["changed", "same"], ["two_things", "changed"]], ids=" ".join
)
def test_a_verdict_that_made_its_contradiction_is_undone(
    mind: BlockingMind, pair: Pair, verdicts: list[str]
) -> None:
    """That the later of two holds in place of the other was a decision, and no telling."""
    old, new = pair
    before = {hit.rid for hit in mind.recall("what does the room cost?")}
    assert before == {old.rid, new.rid}
    for verdict in verdicts:
        mind.settle(old, new, verdict)
    (found,) = mind.contradictions()
    assert found.status == "settled"
    done = mind.reopen(found).contradiction
    assert (done.status, done.a.value, done.b.value) == ("open", "430 €", "455 €")
    assert {hit.rid for hit in mind.recall("what does the room cost?")} == before
    assert not mind.reopen(found).changed
    assert mind.settle(old, new, verdicts[-1]).changed, "it may be decided again"
