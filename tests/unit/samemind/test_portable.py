"""Bringing memories in and taking them out."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import samemind
from replica import SqliteStore, StoreFailed, derived_memory_id, show_memory_id
from replica.limits import FIELD_STRING_BYTES_MAX
from samemind.commands.portable import _importing
from samemind.commands.portable.import_ import render as show_import
from samemind.formats.plain import to_json
from samemind.library.blocking import BlockingMind
from samemind.portable import jsonl, locomo
from samemind.portable.files import read_path
from samemind.portable.records import Item, Record, Unreadable
from samemind.portable.texts import Source

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_10_date_time": "12:09 am on 13 September, 2023",
            "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "Much later."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {
                    "speaker": "Ann",
                    "dia_id": "D2:1",
                    "text": "Look!",
                    "blip_caption": "a dog",
                    "query": "dog",
                },
                {"speaker": "Bob", "dia_id": "D2:2", "text": "Nice."},
            ],
            "session_3_date_time": "1:00 pm on 9 May, 2023",
        },
    }
]


def test_a_turn_keeps_its_words_and_who_said_it_when_and_where() -> None:
    items = list(locomo.read(LOCOMO))
    first, second, third = items
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert isinstance(third, Item)
    assert first.text == "Look!"
    assert first.fields == {
        "speaker": "Ann",
        "conversation": "conv-1:session_2",
        "turn": "D2:1",
        "position": 0,
        "source": "locomo",
        "told_at": int(datetime(2023, 5, 8, 13, 56, tzinfo=UTC).timestamp() * 1000),
        "meta": {"caption": "a dog", "picture_query": "dog"},
    }
    assert (second.fields["position"], third.fields["conversation"]) == (1, "conv-1:session_10")
    assert third.fields["told_at"] == int(datetime(2023, 9, 13, 0, 9, tzinfo=UTC).timestamp() * 1000)
    assert first.rid == derived_memory_id("locomo", "conv-1:D2:1")


@pytest.mark.parametrize(
    "turn", [{}, {"speaker": "A", "dia_id": "D1:1", "text": " "}, "words", {"dia_id": 5}]
)
def test_a_turn_that_cannot_be_read_is_named_and_the_others_come_in(turn: Any) -> None:
    good = {"speaker": "Ann", "dia_id": "D1:2", "text": "Hello"}
    sample = {"sample_id": "conv-1", "conversation": {"session_1": [turn, good]}}
    bad, item = locomo.read([sample])
    assert isinstance(bad, Unreadable)
    assert bad.line == 1
    assert isinstance(item, Item)


@pytest.fixture
def mind(tmp_path: Path) -> Any:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def test_importing_twice_adds_nothing(mind: BlockingMind, tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(LOCOMO))
    assert (mind.import_(file).imported, mind.stats().memories) == (3, 3)
    before = mind.digest()
    again = mind.import_(file, file)
    assert (again.imported, again.skipped) == (0, 6)
    assert mind.digest() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": " "},
        {"relation": "\t"},
        {"source": "s" * (FIELD_STRING_BYTES_MAX + 1)},
        {"weight": 5},
        {"target": "half of \ud83d"},
    ],
)
def test_an_edge_that_no_device_could_say_is_named_and_the_others_come_in(
    mind: BlockingMind, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    file = tmp_path / "all.jsonl"
    edge = {"kind": "edge", "source": "Ann", "relation": "knows", "target": "Ben", "weight": 1.0}
    file.write_text("\n".join(json.dumps(each) for each in (edge | wrong, edge)))
    taken = mind.import_(file)
    assert (taken.imported, [each.line for each in taken.failed]) == (1, [1])


def test_what_failed_is_named_with_its_file_where_there_are_several(
    mind: BlockingMind, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text('{"text": "Hello"}\nno line of ours\n')
    other.write_text(json.dumps({"text": "x", "importance": 5}))
    taken = mind.import_(one, other)
    starts = [(each.line, each.reason.partition(": ")[0]) for each in taken.failed]
    assert starts == [(2, str(one)), (1, str(other))]
    (alone,) = mind.import_(other).failed
    assert not alone.reason.startswith(str(other))


def test_what_was_forgotten_here_does_not_come_in_again(mind: BlockingMind, tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(LOCOMO))
    mind.import_(file)
    mind.forget(show_memory_id(derived_memory_id("locomo", "conv-1:D2:1")))
    assert mind.import_(file).imported == 0
    assert mind.stats().memories == 2


def test_an_export_brought_in_elsewhere_has_the_same_digest(mind: BlockingMind, tmp_path: Path) -> None:
    noon = datetime(2023, 5, 8, 12, 0, 0, 1000, tzinfo=UTC)
    full = mind.remember(
        "Ann ☂\nwon the \"race\"\u2028 at 12:00", type="episodic", importance=0.0, valence=-0.25, half_life=3600,
        speaker="Ann", session="chat", turn="t1", event_start=noon, at=noon, tag=["win", "may"],
        meta={"confidence": 0.9, "n": 0, "no": False, "none": None, "text": ""}, pin=True, workspace="w",
    )  # fmt: skip
    mind.remember_many(
        [{"text": "first", "position": 0}, {"text": "second", "archived": True, "pinned": False}]
    )
    mind.edit(full, "Ann won the race twice")
    mind.set(full, importance=1)
    mind.relate("Ann", "knows", "Bob", weight=0.25)
    mind.relate("Ann", "knows", "Eve")
    mind.unrelate("Ann", "knows", "Eve")
    mind.forget(mind.remember("gone"))
    exported = mind.export(tmp_path / "all.jsonl")
    assert exported.count == 3
    with samemind.open_blocking(tmp_path / "other") as other:
        imported = other.import_(tmp_path / "all.jsonl")
        assert (imported.imported, imported.skipped, imported.failed) == (4, 0, [])
        assert other.digest().digest == mind.digest().digest
        assert other.get(full).text == "Ann won the race twice"
        assert other.import_(tmp_path / "all.jsonl").imported == 0
        other.export(tmp_path / "again.jsonl")
    ours, theirs = ((tmp_path / name).read_text().splitlines() for name in ("all.jsonl", "again.jsonl"))
    device = {"created_at", "updated_at", "device", "device_name", "origin"}

    def told(lines: list[str]) -> list[Any]:
        return [
            {key: value for key, value in json.loads(line).items() if key not in device} for line in lines
        ]

    assert told(ours) == told(theirs)


def test_how_often_a_memory_was_recalled_goes_along(tmp_path: Path, mind: BlockingMind) -> None:
    line = {"kind": "memory", "rid": "0" * 8 + "-0000-8000-8000-" + "0" * 12, "text": "often", "accesses": 7,
            "last_access": "2023-05-08T12:00:00.000Z"}  # fmt: skip
    (tmp_path / "in.jsonl").write_text(json.dumps(line))
    mind.import_(tmp_path / "in.jsonl")
    assert mind.get(line["rid"]).accesses == 7  # type: ignore[arg-type]
    mind.export(tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text())["last_access"] == line["last_access"]


def test_lines_of_other_programs_need_only_a_text_and_keep_their_own_ids(
    tmp_path: Path, mind: BlockingMind
) -> None:
    lines = [
        '{"text": "one", "id": 17, "created_at": "2023-05-08T12:00:00Z"}',
        "",
        '{"text": "two", "session": "chat", "at": "2023-05-08"}',
        '{"text": "two", "session": "chat", "at": "2023-05-08"}',
        '{"text": ""}',
        "rubbish",
        '{"text": "three", "importance": 7}',
        '{"text": "four", "colour": "red"}',
        "[" * 5000,
        '{"kind": "edge", "source": "Ann"}',
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    imported = mind.import_(tmp_path / "in.jsonl", workspace="work")
    assert (imported.imported, imported.skipped) == (2, 1)
    assert sorted(failed.line for failed in imported.failed) == [5, 6, 7, 8, 9, 10]
    one = mind.get(show_memory_id(derived_memory_id("jsonl", "id 17")))
    assert one.told_at == datetime(2023, 5, 8, 12, tzinfo=UTC)
    assert one.workspace == "work"
    assert mind.import_(tmp_path / "in.jsonl", workspace="work").imported == 0


@pytest.mark.parametrize(
    "record",
    [
        {"text": "tea"},
        {"text": "té \u2028 😀", "topic": 'a "b"\n', "tags": ["z", "a"]},
        {"topic": None, "text": "tea", "rid": None, "id": None},
        {"text": "half \ud83d", "importance": 0.5, "meta": {"z": [1, None, True], "a": {"d": 1, "c": -2}}},
    ],
)
def test_the_id_of_a_line_without_one_follows_from_its_names_in_order(record: dict[str, Any]) -> None:
    """It has been so since 0.1.0: a file that is brought in again adds nothing."""
    (item,) = jsonl.read([json.dumps(dict(reversed(record.items())))])
    assert isinstance(item, Item)
    said = json.dumps(record, sort_keys=True, ensure_ascii=True)
    assert item.rid == derived_memory_id("jsonl", f"line {hashlib.sha256(said.encode()).hexdigest()}")


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "a"} x',
        '{"text": "a"}{}',
        '\u00a0{"text": "a"}',
        '\ufeff{"text": "a"}',
        '{"text": "a"',
        "{",
        "nul",
    ],
)
def test_a_line_that_is_no_json_says_where(line: str) -> None:
    (record,) = jsonl.read([f"  {line}\n"])
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads(f"  {line}\n")
    assert isinstance(record, Unreadable)
    assert record.reason == f"expected a JSON object, {raised.value.msg} at character {raised.value.colno}"


@pytest.mark.parametrize("last", [3, [], {}, True, 0.5])
def test_a_line_whose_last_access_is_no_time_is_named_and_the_others_come_in(last: Any) -> None:
    lines = [json.dumps({"text": "tea", "last_access": last}), json.dumps({"text": "milk"})]
    bad, good = jsonl.read(lines)
    assert isinstance(bad, Unreadable)
    assert "last_access" in bad.reason
    assert isinstance(good, Item)


def test_fields_of_a_later_version_go_through_an_export_unharmed() -> None:
    line = jsonl.memory_line(
        samemind.MemoryView(rid="0" * 32, text="x", created_at=datetime.now(UTC), updated_at=datetime.now(UTC),
                            device="d", origin="o"),
        {"mood": "blue", "print": b"\x00\xff"},
    )  # fmt: skip
    (item,) = jsonl.read([line])
    assert isinstance(item, Item)
    assert item.fields == {"mood": "blue", "print": b"\x00\xff"}


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("missing.jsonl", None, samemind.NotFound),
        ("a.json", b'[{"what": 1}]', samemind.Usage),
        ("b.json", b"\xff\xff", samemind.Usage),
    ],
)
def test_a_file_that_cannot_be_read_says_so_by_name(
    tmp_path: Path, mind: BlockingMind, name: str, content: bytes | None, kind: type[samemind.SamemindError]
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(kind, match=name):
        mind.import_(tmp_path / name)
    assert mind.stats().ops == 0


def test_an_export_that_fails_leaves_no_half_a_file(tmp_path: Path, mind: BlockingMind) -> None:
    mind.remember("x")
    with pytest.raises(samemind.SamemindError):
        mind.export(tmp_path / "no" / "folder" / "out.jsonl")
    (tmp_path / "taken").mkdir()
    with pytest.raises(samemind.SamemindError):
        mind.export(tmp_path / "taken")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "taken"]


def test_what_a_later_version_has_more_words_for_comes_in_as_it_is(
    mind: BlockingMind, tmp_path: Path
) -> None:
    """An export of it said a ninth type, and kinds of lines that are not known here."""
    ours = {"kind": "memory", "rid": "0" * 8 + "-0000-8000-8000-" + "0" * 12, "text": "Of a later version"}
    lines = [
        {**ours, "type": "dreamt"},
        {"kind": "omen", "about": "boats"},
        {"text": "Of another", "type": "dreamt"},
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
    imported = mind.import_(tmp_path / "in.jsonl")
    assert imported.imported == 1
    assert [failed.line for failed in imported.failed] == [2, 3]
    assert "got 'omen', which a later version may know" in imported.failed[0].reason
    assert "expected one of episodic" in imported.failed[1].reason, "another program's word is a slip"
    assert mind.get(ours["rid"]).type == "dreamt"
    mind.export(tmp_path / "all.jsonl")
    with samemind.open_blocking(tmp_path / "other") as other:
        other.import_(tmp_path / "all.jsonl")
        assert other.digest().digest == mind.digest().digest
        assert other.verify().ok


def test_a_dry_run_says_what_would_come_in_and_writes_nothing(mind: BlockingMind, tmp_path: Path) -> None:
    secret = "the key is AKIAABCDEFGHIJKLMNOP and the password: hunter2-XyZ!9"
    file = tmp_path / "notes.jsonl"
    lines = [{"text": "Carl lives in Oslo"}, {"text": "Ann knows Carl"}, {"text": secret}, {"text": 5}]
    lines += 2 * [{"id": 7, "text": "Bob bakes bread"}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = mind.digest()
    would = mind.import_(str(file), dry_run=True)
    assert mind.digest() == before
    assert (would.dry_run, would.undo) == (True, None)
    came = mind.import_(str(file))
    for name in ("imported", "skipped", "held", "failed"):
        assert getattr(would, name) == getattr(came, name), name
    assert came.held == 1
    again = mind.import_(str(file), dry_run=True)
    assert (again.imported, again.skipped, again.forgotten) == (0, came.imported + 1, 0)
    (gone,) = [view.rid for view in mind.list() if "Oslo" in view.text]
    mind.forget(gone)
    would, came = mind.import_(str(file), dry_run=True), mind.import_(str(file))
    assert (would.skipped, would.forgotten) == (came.skipped, came.forgotten) == (4, 1)


@pytest.mark.parametrize("batch", [1, 3, 2_000])
def test_what_a_file_says_twice_comes_in_once_in_whatever_batches(
    mind: BlockingMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """A dry run counted each edge and entry of the profile, and an import those of one batch."""
    monkeypatch.setattr(_importing, "BATCH", batch)
    secret = "the password: hunter2-XyZ!9"
    lines = [
        *(
            {"kind": "edge", "source": "Ann", "relation": "knows", "target": "Bob", "weight": n}
            for n in (1, 0.5)
        ),
        *({"kind": "edge", "source": "Ann", "relation": "says", "target": secret} for _ in range(2)),
        *({"kind": "setting", "name": "profile.city", "value": city} for city in ("Oslo", "Porto")),
        *({"kind": "setting", "name": "profile.door", "value": secret} for _ in range(2)),
        *({"id": 7, "text": "Bob bakes bread"} for _ in range(2)),
        *({"id": 8, "text": secret} for _ in range(2)),
    ]
    file = tmp_path / "notes.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    would, came = mind.import_(str(file), dry_run=True), mind.import_(str(file))
    for told in (would, came):
        assert (told.imported, told.relations, told.skipped, told.held) == (3, 1, 6, 3)
    mind.export(tmp_path / "out.jsonl")
    kept = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [each["weight"] for each in kept if each["kind"] == "edge"] == [1]
    assert [each["value"] for each in kept if each["kind"] == "setting"] == ["Oslo"]


def test_a_dry_run_holds_no_words_that_were_released(mind: BlockingMind, tmp_path: Path) -> None:
    secret = "the password: hunter2-XyZ!9"
    mind.release_held(mind.remember(secret).rid)
    file = tmp_path / "notes.jsonl"
    file.write_text(json.dumps({"text": secret}) + "\n")
    would, came = mind.import_(str(file), dry_run=True), mind.import_(str(file))
    assert (would.imported, would.held) == (came.imported, came.held) == (1, 0)


@pytest.mark.parametrize(
    "counts",
    [{"accesses": -1}, {"accesses": 2**63}, {"accesses": True}, {"accesses": 1, "last_access": "1960-01-01"}],
)
def test_a_line_with_counts_that_no_memory_has_is_named_and_the_others_come_in(
    mind: BlockingMind, tmp_path: Path, counts: dict[str, Any]
) -> None:
    """It ended the import, and a dry run said that it would come in."""
    file = tmp_path / "notes.jsonl"
    file.write_text(json.dumps({"text": "tea", **counts}) + "\n" + json.dumps({"text": "milk"}) + "\n")
    would, came = mind.import_(str(file), dry_run=True), mind.import_(str(file))
    assert would.failed == came.failed
    assert [(each.line, "accesses" in each.reason) for each in came.failed] == [(1, True)]
    assert would.imported == came.imported == 1


def test_a_dry_run_counts_no_link_of_a_text_for_itself(mind: BlockingMind, tmp_path: Path) -> None:
    """Each link between notes was one more that would come in, and a relation, and none of them came."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Maja.md").write_text("# Maja\n\nMaja lives in Kranj.\n")
    (tmp_path / "notes" / "2024-05-02.md").write_text("Met [[Maja]] at the office.\n")
    for count in (2, 0):
        would = mind.import_(tmp_path / "notes", dry_run=True)
        came = mind.import_(tmp_path / "notes")
        for told in (would, came):
            assert (told.imported, told.skipped, told.relations) == (count, 2 - count, 0)


def test_a_dry_run_reads_a_file_once(
    mind: BlockingMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read first and comes after all memories changes no count, and took as long as these."""
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "Carl lives in Oslo"}\n')
    read: list[object] = []

    def noted(path: Source, format: str) -> Iterator[Record]:
        read.append(path)
        return read_path(path, format)

    monkeypatch.setattr(_importing, "read_path", noted)
    assert mind.import_(str(file), dry_run=True).imported == 1
    assert len(read) == 1


def test_an_import_says_how_many_of_what_came_in_are_relations(mind: BlockingMind, tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    entities = [
        {"type": "entity", "name": name, "entityType": "person", "observations": [f"{name} keeps bees"]}
        for name in ("Ann", "Bob")
    ]
    relation = {"type": "relation", "from": "Ann", "to": "Bob", "relationType": "knows"}
    file.write_text("".join(json.dumps(each) + "\n" for each in (*entities, relation)))
    for dry, verb in ((True, "would come in"), (False, "imported")):
        came = mind.import_(file, dry_run=dry)
        assert came.relations
        memories = came.imported - came.relations
        shown = show_import(to_json(came))[0]
        many = f"{memories} memories" if memories != 1 else "1 memory"
        relations = f"{came.relations} relation{'s' if came.relations > 1 else ''}"
        assert shown.startswith(f"{came.imported} {verb} ({many} and {relations}), 0 known already")
    assert mind.import_(file).relations == 0


def test_an_export_has_what_a_full_disk_has_no_room_to_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left out without a word what was told last."""

    def refuse(store: SqliteStore) -> None:
        if store.lags:
            raise StoreFailed("the disk is full")

    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Ann moved to Lisbon")
        mind.list()
        with monkeypatch.context() as full:
            full.setattr(SqliteStore, "follow", refuse)
            mind.remember("Bob bakes on Sundays")
            assert len(mind.list().memories) == 2
            assert mind.export(output=str(tmp_path / "out.jsonl")).count == 2
