"""What `remember`, `import` and `forget` make of facts and of repetition."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import samemind
from samemind.library.blocking import BlockingMind
from tests.support.published import published

TALK = "Alice is the tech lead at Stripe. She prefers Python over Java and lives in Berlin with her dog."
LINES = [
    '{"id": "1", "text": "I moved to Lisbon. My sister Mary works at Google, and we like it.", "speaker": "Ann"}',
    # told on a Wednesday
    (
        '{"id": "2", "at": "2023-07-12T10:00Z", "speaker": "Ann", '
        '"text": "Last Friday I went to a parade. It was loud, and went on for hours."}'
    ),
    '{"id": "3", "text": "I adopted a puppy. He is asleep on my feet while I am writing this.", "speaker": "Bob"}',
]


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def texts(mind: BlockingMind) -> list[str]:
    return sorted(memory.text for memory in mind.list())


@published("PM-47")
def test_facts_are_memories_of_their_own_beside_their_parent(mind: BlockingMind) -> None:
    told = mind.remember(TALK, speaker="Ann", session="chat 1", turn="D1:3", tag=["work"], read=True)
    facts = [mind.get(rid) for rid in told.facts]
    assert [fact.text for fact in facts] == [
        "Alice is the tech lead at Stripe", "Alice prefers Python over Java", "Alice lives in Berlin with her dog",
    ]  # fmt: skip
    for fact in facts:
        assert (fact.parent, fact.speaker, fact.session, fact.turn, fact.tags) == (
            told.rid, "Ann", "chat 1", "D1:3", ["work"],
        )  # fmt: skip
        assert fact.type is not None
        assert fact.certainty is not None
    assert mind.get(told.rid).text == TALK


@published("PM-47")
def test_forgetting_a_fact_keeps_its_parent_and_forgetting_the_parent_lists_its_facts(
    mind: BlockingMind,
) -> None:
    told = mind.remember(TALK, read=True)
    assert mind.forget(told.facts[0]).rids == [told.facts[0]]
    assert mind.get(told.rid).text == TALK
    forgotten = mind.forget(told.rid)
    assert forgotten.facts == sorted(told.facts[1:])
    assert texts(mind) == []


def test_facts_are_erased_with_what_they_were_taken_from(mind: BlockingMind) -> None:
    told = mind.remember(TALK, read=True)
    assert set(mind.forget(told.rid, erase=True).rids) == {told.rid, *told.facts}


@published("PM-48")
def test_what_fits_no_pattern_is_kept_whole(mind: BlockingMind) -> None:
    text = "Xylophones hum quietly under water! Perhaps nobody ever listened to them long enough."
    told = mind.remember(text, read=True)
    assert told.facts == []
    assert mind.recall("xylophones under water")[0].text == text


@published("ML-28")
def test_dropped_facts_are_counted(mind: BlockingMind) -> None:
    told = mind.remember(
        " ".join(f"I bought a {letter}-thing." for letter in "abcdefghijkl"), speaker="Ann", read=True
    )
    assert (len(told.facts), told.facts_dropped) == (10, 2)


def test_facts_can_be_left_out(mind: BlockingMind) -> None:
    assert mind.remember(TALK, no_facts=True, read=True).facts == []


@published("ML-54")
def test_a_memory_is_dated_by_the_one_time_it_names(mind: BlockingMind) -> None:
    told = mind.remember("We climbed Ben Nevis last Friday", at="2023-07-12T10:00")
    memory = mind.get(told.rid)
    assert memory.event_start is not None
    assert memory.event_end is not None
    assert memory.event_start.astimezone().strftime("%Y-%m-%d %H:%M") == "2023-07-07 00:00"
    given = mind.remember(
        "We climbed Scafell Pike last Friday", event_start="2020-01-01", at="2023-07-12T10:00"
    )
    shown = mind.get(given.rid)
    assert shown.event_start is not None
    assert (shown.event_start.astimezone().year, shown.event_end) == (2020, None)


def test_an_import_with_facts_is_idempotent_and_its_facts_are_told_apart(
    mind: BlockingMind, tmp_path: Path
) -> None:
    file = write_lines(tmp_path / "in.jsonl", LINES)
    first = mind.import_(file, facts=True)
    assert (first.imported, first.facts) == (3, 5)
    assert "Mary is Ann's sister" in texts(mind)
    assert "Ann went to a parade (7 July 2023)" in texts(mind)
    again = mind.import_(file, facts=True)
    assert (again.imported, again.skipped, again.facts) == (0, 3, 0)


def test_overlapping_halves_imported_apart_make_the_facts_of_the_whole(tmp_path: Path) -> None:
    whole = write_lines(tmp_path / "whole.jsonl", LINES)
    halves = [write_lines(tmp_path / f"{n}.jsonl", part) for n, part in enumerate((LINES[:2], LINES[1:]))]
    digests = []
    for name, files in (("a", [whole]), ("b", halves), ("c", halves[::-1])):
        with samemind.open_blocking(tmp_path / name) as mind:
            for file in files:
                mind.import_(file, facts=True)
            digests.append(mind.digest().digest)
    assert len(set(digests)) == 1


def test_an_exported_fact_is_no_source_of_facts(mind: BlockingMind, tmp_path: Path) -> None:
    mind.remember(TALK)
    file = tmp_path / "out.jsonl"
    mind.export(file)
    with samemind.open_blocking(tmp_path / "other") as other:
        assert other.import_(file, facts=True).facts == 0
        assert other.digest().digest == mind.digest().digest


def test_a_batch_takes_facts_when_asked(mind: BlockingMind) -> None:
    items: list[str | dict[str, str]] = [{"text": TALK}, "Bob bakes bread"]
    assert mind.remember_many(items, facts=True).count == 2
    assert len(texts(mind)) == 5


@published("ML-52")
def test_a_repetition_in_other_words_is_kept_beside_the_first_and_shown_with_it(
    mind: BlockingMind,
) -> None:
    first = mind.remember("Ann loves hiking in the mountains", type="factual", certainty=0.8, tag=["hills"])
    second = mind.remember(
        "Ann really loves hiking in the mountains", type="factual", tag=["sport"], read=True
    )
    assert (second.says_same, second.duplicate_of) == ([first.rid], None)
    (shown,) = mind.list()
    assert (shown.rid, shown.same, shown.tellings) == (second.rid, [first.rid], 2)
    assert mind.get(first.rid).text == "Ann loves hiking in the mountains", "nothing is overwritten"
    assert mind.get(first.rid).same == [second.rid]


@published("ML-30")
def test_a_fact_told_three_times_is_shown_once_and_counted(mind: BlockingMind) -> None:
    told = ["Ann loves hiking in the mountains", "Ann really loves hiking in the mountains"]
    told.append("Ann loves hiking, in the mountains!")
    rids = [mind.remember(text).rid for text in told]
    assert texts(mind) == [told[2]]
    assert {hit.tellings for hit in mind.recall("what does Ann love?")} == {3}
    assert [mind.get(rid).text for rid in rids] == told
    assert "told 3 times" in mind.context("what does Ann love?").text


@published("ME-11")
@pytest.mark.parametrize(
    ("first", "second", "options"),
    [
        ("Bob has 2 dogs at home", "Bob has 3 dogs at home", {}),
        (
            "Ann loves hiking in the mountains",
            "Ann really loves hiking in the mountains",
            {"type": "affective"},
        ),
        ("Ann loves hiking in the mountains", "Ann really loves hiking in the mountains", {"speaker": "Bob"}),
        ("Ann loves hiking in the mountains", "Ann really loves hiking in the mountains", {"turn": "D1:4"}),
    ],
)
def test_what_is_not_surely_the_same_is_shown_beside_it(
    mind: BlockingMind, first: str, second: str, options: dict[str, object]
) -> None:
    mind.remember(first)
    assert mind.remember(second, **options, read=True).says_same == []  # type: ignore[arg-type]
    assert texts(mind) == sorted([first, second])


@published("ME-10")
def test_labels_do_not_hide_a_repetition(mind: BlockingMind) -> None:
    first = mind.remember(
        "Ann loves hiking in the mountains", topic="sport", tag=["a", "b"], meta={"k": "long label"}
    )
    assert mind.remember("Ann really loves hiking in the mountains", topic="sport", read=True).says_same == [
        first.rid
    ]


@published("ML-51")
def test_a_contradicting_text_is_stored_and_names_what_it_contradicts(mind: BlockingMind) -> None:
    first = mind.remember("Ann lives in Lisbon")
    second = mind.remember("Ann lives in Lisboa Norte", read=True)
    (found,) = mind.contradictions()
    assert second.contradictions == [found.id]
    assert (found.a.rid, found.b.rid) == (first.rid, second.rid)
    assert len(texts(mind)) == 2


@published("E-16")
def test_what_came_out_of_recall_adds_nothing_in_fifty_turns(mind: BlockingMind) -> None:
    mind.remember(TALK, speaker="Ann")
    before = texts(mind)
    for _ in range(50):
        for hit in mind.recall("where does Alice live?", k=3):
            mind.remember(hit.text, source="recall")
    assert texts(mind) == before


def test_what_is_told_in_bulk_is_linked_by_the_next_cycle_of_thinking(
    mind: BlockingMind, tmp_path: Path
) -> None:
    batch = ["Milk is in the fridge", "The milk is in the fridge."]
    lines = ["Milk is really in the fridge", "Milk is not in the fridge"]
    rids = mind.remember_many(batch).rids
    mind.import_(write_lines(tmp_path / "more.jsonl", [json.dumps({"text": text}) for text in lines]))
    assert {view.tellings for view in mind.list()} == {1}
    mind.think()
    shown = [(view.tellings, view.text) for view in mind.list(include_cold=True) if not view.summary_of]
    assert sorted(shown) == [(1, lines[1]), (3, lines[0])]
    mind.unlink(rids[0])
    mind.think()
    assert mind.get(rids[0]).tellings == 1


def test_links_are_exported_and_imported_with_what_they_link(mind: BlockingMind, tmp_path: Path) -> None:
    first = mind.remember("Milk is in the fridge").rid
    second = mind.remember("The milk is in the fridge.").rid
    mind.remember("I like tea")
    files = [tmp_path / "all.jsonl", tmp_path / "notes"]
    mind.export(files[0])
    mind.export(files[1], format="markdown")
    for number, file in enumerate(files):
        with samemind.open_blocking(tmp_path / f"home {number}") as other:
            assert other.import_(file, dry_run=True).imported == 3
            imported = other.import_(file)
            assert (imported.imported, imported.failed) == (3, [])
            assert other.get(first).same == [second]
            other.unlink(first)
            assert other.import_(file).imported == 0
            assert other.get(first).same == []


@pytest.mark.parametrize(
    "link",
    [
        {"rids": ["01a209bd-d166-7f1e-a788-17b407e026de"], "sureness": 95},
        {"rids": ["01a209bd-d166-7f1e-a788-17b407e026de"] * 2, "sureness": 95},
        {
            "rids": ["01a209bd-d166-7f1e-a788-17b407e026de", "01a209bd-c7c8-73c2-a94c-d03c7509ae4b"],
            "sureness": 101,
        },
        {"rids": ["01a209bd-d166-7f1e-a788-17b407e026de", "nothing"], "sureness": 95},
        {
            "rids": ["01a209bd-d166-7f1e-a788-17b407e026de", "01a209bd-c7c8-73c2-a94c-d03c7509ae4b"],
            "sureness": True,
        },
    ],
)
def test_a_link_that_cannot_be_is_a_line_that_failed(
    mind: BlockingMind, tmp_path: Path, link: dict[str, Any]
) -> None:
    imported = mind.import_(write_lines(tmp_path / "l.jsonl", [json.dumps({"kind": "link", **link})]))
    assert [line.line for line in imported.failed] == [1]


def test_one_telling_may_be_asked_for_twice_and_another_not_under_its_id(mind: BlockingMind) -> None:
    told = mind.remember("Milk is in the fridge")
    assert mind.remember("Milk is in the fridge", rid=told.rid).op_id is None
    mind.edit(told.rid, "Milk is in the cellar")
    assert mind.remember("Milk is in the fridge", rid=told.rid).op_id is None, "what it was told as"
    with pytest.raises(samemind.Usage, match="stored with another text"):
        mind.remember("Tea is in the jar", rid=told.rid)
    assert texts(mind) == ["Milk is in the cellar"]
    mind.forget(told.rid)
    assert mind.remember("Milk is in the fridge", rid=told.rid).op_id is None
    assert texts(mind) == []
